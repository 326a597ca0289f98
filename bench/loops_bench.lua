-- Loops in Lua over columns and rows, at several sizes, compared with the same loop in C, over plain FFI arrays and
-- over plain Lua tables. Without FFI the tables are the limit.

local cuttle = require "cuttle"

local has_ffi, ffi = pcall(require, "ffi")

local DT = 0.125
local SCALARS = { { "x", "float" }, { "y", "float" }, { "z", "float" }, { "target", "entity" } }
local SPEEDS = { { "x", "float", 1 }, { "y", "float", 1 }, { "z", "float", 1 } }

-- The functions have no upvalues: LuaJIT compiles a loop for one closure and its upvalues, and each runs at all sizes.
local function move(px, py, pz, vx, vy, vz, n, dt)
  for i = 0, n - 1 do
    px[i] = px[i] + vx[i] * dt
    py[i] = py[i] + vy[i] * dt
    pz[i] = pz[i] + vz[i] * dt
  end
end

local function move_tables(px, py, pz, vx, vy, vz, n, dt)
  for i = 1, n do
    px[i] = px[i] + vx[i] * dt
    py[i] = py[i] + vy[i] * dt
    pz[i] = pz[i] + vz[i] * dt
  end
end

-- The usual loop over arrays by hand: they are upvalues.
local ax, ay, az, bx, by, bz
local function move_upvalues(n, dt)
  for i = 0, n - 1 do
    ax[i] = ax[i] + bx[i] * dt
    ay[i] = ay[i] + by[i] * dt
    az[i] = az[i] + bz[i] * dt
  end
end

local function move_columns(p, v, n, dt)
  local px, py, pz = p:column "x", p:column "y", p:column "z"
  local vx, vy, vz = v:column "x", v:column "y", v:column "z"
  for i = 0, n - 1 do
    px[i] = px[i] + vx[i] * dt
    py[i] = py[i] + vy[i] * dt
    pz[i] = pz[i] + vz[i] * dt
  end
end

local function move_vectors(pv, n, dt)
  local pp, vv = pv:column "p", pv:column "v"
  for i = 0, n - 1 do
    local a, b = pp[i], vv[i]
    a.x = a.x + b.x * dt
    a.y = a.y + b.y * dt
    a.z = a.z + b.z * dt
  end
end

local function move_rows(world, p, v, dt)
  local px, py, pz = p:column "x", p:column "y", p:column "z"
  local vx, vy, vz = v:column "x", v:column "y", v:column "z"
  for i, j in world:rows(p, v) do
    px[i] = px[i] + vx[j] * dt
    py[i] = py[i] + vy[j] * dt
    pz[i] = pz[i] + vz[j] * dt
  end
end

local function move_x(px, vx, n, dt)
  for i = 0, n - 1 do px[i] = px[i] + vx[i] * dt end
end

local function rows_x(world, p, v, dt)
  local px, vx = p:column "x", v:column "x"
  for i, j in world:rows(p, v) do px[i] = px[i] + vx[j] * dt end
end

local function rows_x_without(world, p, v, dt)
  local px, vx = p:column "x", v:column "x"
  for i, j in world:rows(p, v, "!debug_name") do px[i] = px[i] + vx[j] * dt end
end

local function rows_one(world, p, dt)
  local px = p:column "x"
  for i in world:rows(p) do px[i] = px[i] + dt end
end

local function join_count(world, p, v)
  local count = 0
  for _ in world:join(p, v) do count = count + 1 end
  return count
end

local function each_count(p)
  local count = 0
  for _ in p:each() do count = count + 1 end
  return count
end

local function alive_count(p, entities, n)
  local who, count = p:column "target", 0
  for i = 0, n - 1 do
    if entities:alive_id(who[i]) then count = count + 1 end
  end
  return count
end

local function sum_of_targets(p, v, n)
  local who, x, sum = p:column "target", v:column "x", 0
  for i = 0, n - 1 do sum = sum + x[v:row_of_id(who[i])] end
  return sum
end

local function array(n, value)
  local out = ffi.new("float[?]", n)
  for i = 0, n - 1 do out[i] = value end
  return out
end

local function filled(n, value)
  local out = {}
  for i = 1, n do out[i] = value end
  return out
end

-- Returns the library of loops in C that make has built, or nil. Keep a reference, because collecting it unloads its
-- functions.
local function loops_in_c(build)
  if not has_ffi then return nil end
  local ok, library = pcall(ffi.load, build:gsub("^[^/]", "./%0") .. "/bench/loops.so")
  if not ok then return nil end
  ffi.cdef [[ void bench_move(float *, float *, float *, const float *, const float *, const float *, float, size_t); ]]
  return library
end

return function(bench)
  local loops = loops_in_c(bench.build)

  local function measure(n)
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local list = entities:create_list(n)
    local p, v = world:define("p", SCALARS), world:define("v", SPEEDS)
    local pv = world:define("pv", { { "p", "vec3" }, { "v", "vec3", { 1, 1, 1 } } })
    for _, manager in ipairs { p, v, pv } do manager:create_many(list) end
    local target = p:column "target"
    for i = 1, n do target[i - 1] = list:get(i) end
    local function held() return p:memory() + v:memory() end

    -- Moves columns of n items from `first` on. The check compares all items. Floats stay exact for the number of runs.
    local function moving(name, limit, bytes, columns, first, run)
      local column = columns[1]
      bench.case {
        name = name,
        limit = limit,
        bytes = bytes,
        items = n,
        setup = function()
          for _, each in ipairs(columns) do
            for i = first, first + n - 1 do each[i] = 0 end
          end
          return true
        end,
        run = run,
        check = function()
          return column[first] > 0 and column[first] == column[first + n - 1]
            and column[first] == column[first + math.floor(n / 2)]
        end,
      }
    end

    local function counting(name, run)
      bench.case { name = name, items = n, run = run, expect = n, bytes = held }
    end

    local C, ARRAYS, TABLES = "limit: p += v dt, the loop in C", "limit: p += v dt, plain FFI arrays",
      "limit: p += v dt, plain Lua tables"
    local a, b, c = filled(n, 0), filled(n, 0), filled(n, 0)
    local d, e, f = filled(n, 1), filled(n, 1), filled(n, 1)
    moving(TABLES, nil, 6 * 8 * n, { a, b, c }, 1, function() move_tables(a, b, c, d, e, f, n, DT) end)
    local limit = TABLES
    if has_ffi then
      limit = ARRAYS
      ax, ay, az, bx, by, bz = array(n, 0), array(n, 0), array(n, 0), array(n, 1), array(n, 1), array(n, 1)
      moving(ARRAYS, nil, 24 * n, { ax, ay, az }, 0, function() move(ax, ay, az, bx, by, bz, n, DT) end)
      moving("p += v dt, plain FFI arrays in upvalues", ARRAYS, 24 * n, { ax, ay, az }, 0,
        function() move_upvalues(n, DT) end)
      if loops then
        moving(C, nil, 24 * n, { ax, ay, az }, 0, function() loops.bench_move(ax, ay, az, bx, by, bz, DT, n) end)
      end
    end
    local px = { p:column "x", p:column "y", p:column "z" }
    moving("p += v dt, scalar columns", limit, held, px, 0, function() move_columns(p, v, n, DT) end)
    moving("p += v dt, world:rows of two managers", limit, held, px, 0, function() move_rows(world, p, v, DT) end)
    bench.case {
      name = "p += v dt, vec3 columns",
      limit = limit,
      bytes = function() return pv:memory() end,
      items = n,
      setup = function()
        local pp = pv:column "p"
        for i = 0, n - 1 do pp:set(i, 0, 0, 0) end
        return true
      end,
      run = function() move_vectors(pv, n, DT) end,
      check = function()
        local pp = pv:column "p"
        return pp[0].x > 0 and pp[0].z == pp[n - 1].x
      end,
    }
    bench.case {
      name = "p += v dt, world:add_scaled of a vec3",
      limit = loops and C or limit,
      bytes = function() return pv:memory() end,
      items = n,
      setup = function()
        pv:write_many(list, "p", { 0, 0, 0 })
        return true
      end,
      run = function() return world:add_scaled(pv, "v", pv, "p", DT) end,
      check = function(count)
        local pp = pv:column "p"
        return count == n and pp[0].x > 0 and pp[0].z == pp[n - 1].x
      end,
    }

    local X = "limit: p.x += v.x dt, plain arrays"
    if has_ffi then
      moving(X, nil, 8 * n, { ax }, 0, function() move_x(ax, bx, n, DT) end)
    else
      moving(X, nil, 16 * n, { a }, 1, function() for i = 1, n do a[i] = a[i] + d[i] * DT end end)
    end
    moving("p.x += v.x dt, world:rows of two managers", X, held, { px[1] }, 0, function() rows_x(world, p, v, DT) end)
    moving("p.x += v.x dt, world:rows of two without a third", X, held, { px[1] }, 0,
      function() rows_x_without(world, p, v, DT) end)
    moving("p.x += dt, world:rows of one manager", X, held, { px[1] }, 0, function() rows_one(world, p, DT) end)

    counting("world:join of two managers, nothing done", function() return join_count(world, p, v) end)
    counting("manager:each, nothing done", function() return each_count(p) end)
    counting("alive_id over an entity column", function() return alive_count(p, entities, n) end)
    counting("row_of_id over an entity column, and the field there", function() return sum_of_targets(p, v, n) end)
    world:destroy()
  end

  for _, n in ipairs(bench.sizes({ 1000, 10000, 100000, 1000000 }, 1000)) do measure(n) end
end
