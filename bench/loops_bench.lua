-- Loops in Lua over columns and rows. The limit is the same loop over plain FFI arrays, or Lua tables without FFI.

local cuttle = require "cuttle"

local has_ffi, ffi = pcall(require, "ffi")

return function(bench)
  local N, DT = bench.size(100000, 1000), 0.125

  local function array(value)
    local out = has_ffi and ffi.new("float[?]", N) or {}
    for i = 0, N - 1 do out[i] = value end
    return out
  end

  local SCALARS = { { "x", "float" }, { "y", "float" }, { "z", "float" }, { "target", "entity" } }
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local list = entities:create_list(N)
  local p = world:define("p", SCALARS)
  local v = world:define("v", { { "x", "float", 1 }, { "y", "float", 1 }, { "z", "float", 1 } })
  local pv = world:define("pv", { { "p", "vec3" }, { "v", "vec3", { 1, 1, 1 } } })
  for _, manager in ipairs { p, v, pv } do manager:create_many(list) end
  local target = p:column "target"
  for i = 1, N do target[i - 1] = list:get(i) end

  -- Every item was moved, by the same, and not only the last one or none.
  local function moved(column)
    return column[0] > 0 and column[0] == column[N - 1] and column[0] == column[math.floor(N / 2)]
  end

  -- Several runs may follow one another: floats stay exact for as many as there are.
  local function zero(columns)
    return function()
      for _, column in ipairs(columns) do
        for i = 0, N - 1 do column[i] = 0 end
      end
      return true
    end
  end

  local ax, ay, az, bx, by, bz = array(0), array(0), array(0), array(1), array(1), array(1)
  bench.case {
    name = "limit: p += v dt over six plain arrays",
    items = N,
    setup = zero { ax, ay, az },
    run = function()
      for i = 0, N - 1 do
        ax[i] = ax[i] + bx[i] * DT
        ay[i] = ay[i] + by[i] * DT
        az[i] = az[i] + bz[i] * DT
      end
      return ax
    end,
    check = moved,
  }
  bench.case {
    name = "p += v dt over six scalar columns",
    items = N,
    setup = zero { p:column "x", p:column "y", p:column "z" },
    run = function()
      local px, py, pz = p:column "x", p:column "y", p:column "z"
      local vx, vy, vz = v:column "x", v:column "y", v:column "z"
      for i = 0, N - 1 do
        px[i] = px[i] + vx[i] * DT
        py[i] = py[i] + vy[i] * DT
        pz[i] = pz[i] + vz[i] * DT
      end
      return px
    end,
    check = moved,
    limit = "limit: p += v dt over six plain arrays",
  }
  bench.case {
    name = "p += v dt over two vec3 columns",
    items = N,
    setup = function()
      local pp = pv:column "p"
      for i = 0, N - 1 do pp:set(i, 0, 0, 0) end
      return true
    end,
    run = function()
      local pp, vv = pv:column "p", pv:column "v"
      for i = 0, N - 1 do
        local a, b = pp[i], vv[i]
        a.x = a.x + b.x * DT
        a.y = a.y + b.y * DT
        a.z = a.z + b.z * DT
      end
      return pp
    end,
    check = function(pp) return pp[0].x > 0 and pp[0].z == pp[N - 1].x end,
    limit = "limit: p += v dt over six plain arrays",
  }
  bench.case {
    name = "limit: p.x += v.x over two plain arrays",
    items = N,
    setup = zero { ax },
    run = function()
      for i = 0, N - 1 do ax[i] = ax[i] + bx[i] * DT end
      return ax
    end,
    check = moved,
  }
  bench.case {
    name = "world:rows over two managers, p.x += v.x",
    items = N,
    setup = zero { p:column "x" },
    run = function()
      local px, vx = p:column "x", v:column "x"
      for i, j in world:rows(p, v) do px[i] = px[i] + vx[j] * DT end
      return px
    end,
    check = moved,
    limit = "limit: p.x += v.x over two plain arrays",
  }
  bench.case {
    name = "world:rows over one manager, p.x += dt",
    items = N,
    setup = zero { p:column "x" },
    run = function()
      local px = p:column "x"
      for i in world:rows(p) do px[i] = px[i] + DT end
      return px
    end,
    check = moved,
    limit = "limit: p.x += v.x over two plain arrays",
  }
  bench.case {
    name = "world:rows over two managers without a third, p.x += v.x",
    items = N,
    setup = zero { p:column "x" },
    run = function()
      local px, vx = p:column "x", v:column "x"
      for i, j in world:rows(p, v, "!debug_name") do px[i] = px[i] + vx[j] * DT end
      return px
    end,
    check = moved,
    limit = "limit: p.x += v.x over two plain arrays",
  }
  bench.case {
    name = "world:join over two managers, nothing done",
    items = N,
    run = function()
      local count = 0
      for _ in world:join(p, v) do count = count + 1 end
      return count
    end,
    expect = N,
  }
  bench.case {
    name = "manager:each, nothing done",
    items = N,
    run = function()
      local count = 0
      for _ in p:each() do count = count + 1 end
      return count
    end,
    expect = N,
  }
  bench.case {
    name = "alive_id over an entity column",
    items = N,
    run = function()
      local who, count, manager = p:column "target", 0, entities
      for i = 0, N - 1 do
        if manager:alive_id(who[i]) then count = count + 1 end
      end
      return count
    end,
    expect = N,
  }
  bench.case {
    name = "row_of_id over an entity column, and the field there",
    items = N,
    setup = zero { p:column "x" },
    run = function()
      local who, x, sum, manager = p:column "target", v:column "x", 0, v
      for i = 0, N - 1 do sum = sum + x[manager:row_of_id(who[i])] end
      return sum
    end,
    expect = N,
  }
end
