-- Formulas and conditions over 10,000 entities, beside the loop in C that computes in doubles as they do. A formula
-- takes the same time on every interpreter.

local cuttle = require "cuttle"

local has_ffi, ffi = pcall(require, "ffi")

local DT = 0.125

-- Returns the library of loops in C that make has built, or nil. Keep a reference, because collecting it unloads its
-- functions.
local function loops_in_c(build)
  if not has_ffi then return nil end
  local ok, library = pcall(ffi.load, build:gsub("^[^/]", "./%0") .. "/bench/loops.so")
  if not ok then return nil end
  ffi.cdef [[ void bench_move_in_doubles(float *, const float *, double, size_t); ]]
  return library
end

-- A world with n entities. With `seed`, the velocities have another order than the positions.
local function new_world(n, seed)
  local entities = cuttle.entity_manager()
  local world, list = cuttle.world(entities), entities:create(n)
  world:define("body", { { "p", "vec3" }, { "hp", "float", 100 }, { "side", "float" } })
  world:define("speed", { { "v", "vec3" } })
  world:define("out", { { "x", "double" } })
  local sides = {}
  for i = 1, n do sides[i] = i % 2 end
  world.body:create_many(list, { side = sides })
  world.out:create_many(list)
  for i = n, seed and 2 or n + 1, -1 do
    seed = seed * 16807 % 2147483647
    local j = seed % i + 1
    list[i], list[j] = list[j], list[i]
  end
  world.speed:create_many(list, { v = { 1, 1, 1 } })
  return world
end

return function(bench)
  local loops = loops_in_c(bench.build)
  local N = bench.size(10000, 1000)
  local world, shuffled, none = new_world(N), new_world(N, 1), new_world(0)
  local C = "limit: p += v dt in doubles, the loop in C"

  local function case(name, run, expect, limit, bytes)
    bench.case { name = name, items = N, run = function() return run() end, expect = expect, limit = limit,
      bytes = bytes }
  end

  if loops then
    local p, v = ffi.new("float[?]", 3 * N), ffi.new("float[?]", 3 * N)
    case(C, function()
      loops.bench_move_in_doubles(p, v, DT, N)
      return N
    end, N, nil, 24 * N)
  end
  local limit = loops and C or nil
  local MOVE = "body.p += speed.v * dt"
  case("p += v dt, rows in the same order", world:formula(MOVE, { dt = DT }), N, limit)
  case("p += v dt, rows in random order", shuffled:formula(MOVE, { dt = DT }), N, limit)
  case("10 operations of a lane", world:formula [[
    out.x = ((((((((((body.hp * 2) + 1) * 3) + 4) * 5) + 6) * 7) + 8) * 9) + 10)
  ]], N)
  case("sin of a lane", world:formula "out.x = sin(body.hp)", N)
  case("an if that no entity takes", world:formula "if body.hp < 20 then speed.v *= 0.5 end", N)
  case("an if that half of the entities take", world:formula "if body.side == 1 then out.x = body.hp end", N)
  case("the statement of this if, for all", world:formula "out.x = body.hp", N)
  case("a random number", world:formula "out.x = random()", N)
  local dead = world:query("body"):where "body.hp <= 0"
  case("where, destroy: no entity matches", function() return dead:destroy() end, 0)
  local bodies = world:query "body"
  case("sum of a field", function() return bodies:sum "body.hp" end, 100 * N)
  case("sorted by a field", function() return bodies:sorted("body.hp"):count() end, N)

  local CALLS = bench.size(1000, 10)
  local empty = none:formula(MOVE, { dt = DT })
  bench.case { name = "a call over no entities", items = CALLS, expect = 0, run = function()
    local count = 0
    for _ = 1, CALLS do count = count + empty() end
    return count
  end }
  local TEXT, texts = [[
        speed.v.y -= gravity * dt
        if body.hp < 20 then speed.v *= 0.5 end
        body.p += speed.v * dt
      ]], 0
  local function make(name, next_text)
    bench.case { name = name, items = CALLS / 10, expect = true, run = function()
      local made
      for _ = 1, CALLS / 10 do made = world:formula(next_text(), { gravity = 9.8, dt = DT }) end
      return made ~= nil
    end }
  end
  make("making a formula of three statements", function()
    texts = texts + 1
    return TEXT .. "--" .. texts
  end)
  make("making it again", function() return TEXT end)
end
