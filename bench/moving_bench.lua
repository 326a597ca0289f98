-- Moving transforms, including world matrices. The limit is the same loop by hand over FFI arrays of local and world
-- matrices, or over Lua tables without FFI.

local cuttle = require "cuttle"

local has_ffi, ffi = pcall(require, "ffi")

-- One function without upvalues for both sizes: LuaJIT compiles a loop for one closure and its upvalues.
local function move(world, tf, velocity, dt)
  local position, speed = tf:column "local_position", velocity:column "v"
  for i, j in world:rows(tf, velocity) do
    local a, b = position[i], speed[j]
    a.x, a.y, a.z = a.x + b.x * dt, a.y + b.y * dt, a.z + b.z * dt
  end
end

local copy_matrix = has_ffi and function(to, from) ffi.copy(to, from, 64) end
  or function(to, from) for i = 0, 15 do to[i] = from[i] end end

-- Local matrices, velocities, world matrices.
local function move_by_hand(l, v, w, n, dt)
  for i = 0, n - 1 do
    local a, b = l[i], v[i]
    a[12], a[13], a[14] = a[12] + b[0] * dt, a[13] + b[1] * dt, a[14] + b[2] * dt
    copy_matrix(w[i], a)
  end
end

local function move_by_calls(world, tf, velocity, dt)
  for e, i, j in world:join(tf, velocity) do
    local x, y, z = tf:local_position(i)
    local a, b, c = velocity:v(j)
    tf:set_local_position(e, x + a * dt, y + b * dt, z + c * dt)
  end
end

return function(bench)
  local DT = 0.125

  local function vectors(count, width, value)
    if has_ffi then
      local out = ffi.new("float[?][" .. width .. "]", count)
      for i = 0, count - 1 do
        for lane = 0, width - 1 do out[i][lane] = value end
      end
      return out
    end
    local out = {}
    for i = 0, count - 1 do
      out[i] = {}
      for lane = 0, width - 1 do out[i][lane] = value end
    end
    return out
  end

  for _, n in ipairs(bench.sizes({ 10000, 100000 }, 1000)) do
    local limit = "limit: by hand"
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local list, tf = entities:create_list(n), world.transform
    local velocity = world:define("velocity", { { "v", "vec3", { 1, 1, 1 } } }, { lookup = "array" })
    tf:create_many(list)
    velocity:create_many(list)

    local function held() return tf:memory() + velocity:memory() end

    local function case(name, run, mode)
      bench.case {
        name = name,
        items = n,
        setup = function()
          tf:set_mode "immediate"
          tf:write_many(list, "local_position", { 0, 0, 0 })
          tf:set_mode(mode or "immediate")
          return true
        end,
        run = function()
          run()
          return tf:column "world_matrix"
        end,
        check = function(matrix) return matrix[0][13] > 0 and matrix[0][13] == matrix[n - 1][15] end,
        limit = limit,
        bytes = held,
      }
    end

    local l, v, w = vectors(n, 16, 0), vectors(n, 3, 1), vectors(n, 16, 0)
    bench.case {
      name = limit,
      items = n,
      bytes = (16 + 3 + 16) * 4 * n,
      setup = function()
        for i = 0, n - 1 do l[i][12], l[i][13], l[i][14] = 0, 0, 0 end
        return true
      end,
      run = function()
        move_by_hand(l, v, w, n, DT)
        return w
      end,
      check = function(matrices) return matrices[0][12] > 0 and matrices[0][12] == matrices[n - 1][14] end,
    }

    case("rows, columns, propagate", function()
      move(world, tf, velocity, DT)
      tf:propagate()
    end, "deferred")

    local function frame() move(world, tf, velocity, DT) end
    case("the same in a batch", function() tf:batch(frame) end)

    case("world:add_scaled", function() world:add_scaled(velocity, "v", tf, "local_position", DT) end)

    case("world:add_scaled, propagate", function()
      world:add_scaled(velocity, "v", tf, "local_position", DT)
      tf:propagate()
    end, "deferred")

    case("join, getters and setters", function() move_by_calls(world, tf, velocity, DT) end)

    local out = {}
    bench.case {
      name = "read_poses_2d for drawing",
      items = n,
      run = function() return select(2, tf:read_poses_2d(nil, out)) end,
      expect = n,
    }

    local position = tf:column "local_position"
    bench.case {
      name = ("one column write and propagate, the rest of %d at rest"):format(n),
      items = 1,
      setup = function()
        tf:set_mode "deferred"
        return true
      end,
      run = function()
        position[n - 1].x = 5
        tf:propagate()
        return tf:world_position(list:get(n))
      end,
      expect = 5,
    }
  end
end
