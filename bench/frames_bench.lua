-- Whole frames of a game. Frame A: 10,000 entities move, 1 % die, as many are created, 5 % are read at random. Frame B:
-- the roots of 100 of 1,000 families of ten move, and the world poses of their descendants are computed. The limit of A
-- is the same by hand: dense FFI arrays of floats (Lua tables without FFI), handles with generations, and removal by a
-- swap with the last row.

local cuttle = require "cuttle"

local has_ffi, ffi = pcall(require, "ffi")

local DT, PICKS = 1 / 64, 64

local function array(n)
  if has_ffi then return ffi.new("float[?]", n) end
  local out = {}
  for i = 0, n - 1 do out[i] = 0 end
  return out
end

-- Returns the entities of each frame, the same for all styles: those that die, without repetition, and those that are
-- read.
local function picks(bench, n)
  local all, out = {}, {}
  for i = 1, n do all[i] = i end
  for f = 1, PICKS do
    bench.shuffled(all)
    local die, read = {}, {}
    for i = 1, n / 100 do die[i] = all[i] end
    for i = 1, n / 20 do read[i] = all[n - i + 1] end
    out[f] = { die = die, read = read }
  end
  return out
end

local function by_hand(n)
  local px, py, pz, vx, vy, vz, hp = array(n), array(n), array(n), array(n), array(n), array(n), array(n)
  local row_of, generation, owner, free, count, used, handles = {}, {}, {}, {}, 0, 0, {}
  local function spawn()
    local slot = table.remove(free)
    if not slot then
      slot, used = used, used + 1
      generation[slot] = 0
    end
    local row = count
    count = count + 1
    row_of[slot], owner[row] = row, slot
    px[row], py[row], pz[row], vx[row], vy[row], vz[row], hp[row] = 0, 0, 0, 1, 2, 3, 100
    return slot + generation[slot] * 4194304
  end
  local function row_of_handle(handle)
    local slot = handle % 4194304
    return generation[slot] == (handle - slot) / 4194304 and row_of[slot]
  end
  local function kill(handle)
    local row, slot, last = row_of_handle(handle), handle % 4194304, count - 1
    px[row], py[row], pz[row], vx[row], vy[row], vz[row], hp[row] = px[last], py[last], pz[last], vx[last], vy[last],
      vz[last], hp[last]
    local moved = owner[last]
    owner[row], row_of[moved], count = moved, row, last
    generation[slot] = (generation[slot] + 1) % 256
    free[#free + 1] = slot
  end
  for i = 1, n do handles[i] = spawn() end
  return function(pick)
    for i = 0, count - 1 do
      px[i], py[i], pz[i] = px[i] + vx[i] * DT, py[i] + vy[i] * DT, pz[i] + vz[i] * DT
    end
    local die, read, sum = pick.die, pick.read, 0
    for i = 1, #die do kill(handles[die[i]]) end
    for i = 1, #die do handles[die[i]] = spawn() end
    for i = 1, #read do sum = sum + hp[row_of_handle(handles[read[i]])] end
    return sum
  end
end

local function new_world()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world:define("p", { { "x", "float" }, { "y", "float" }, { "z", "float" } }, { lookup = "array" })
  world:define("v", { { "x", "float", 1 }, { "y", "float", 2 }, { "z", "float", 3 } }, { lookup = "array" })
  world:define("hp", { { "hp", "float", 100 } }, { lookup = "array" })
  return world, entities
end

local COMPONENTS = { p = {}, v = {}, hp = {} }

-- The simple style, with one call per entity.
local function plainly(n)
  local world, entities = new_world()
  local p, v, hp, items = world:manager "p", world:manager "v", world:manager "hp", {}
  for i = 1, n do items[i] = world:create(COMPONENTS) end
  local px, py, pz = p:column "x", p:column "y", p:column "z"
  local vx, vy, vz = v:column "x", v:column "y", v:column "z"
  return function(pick)
    for i, j in world:rows(p, v) do
      px[i], py[i], pz[i] = px[i] + vx[j] * DT, py[i] + vy[j] * DT, pz[i] + vz[j] * DT
    end
    local die, read, sum = pick.die, pick.read, 0
    for i = 1, #die do entities:destroy(items[die[i]]) end
    world:gc()
    for i = 1, #die do items[die[i]] = world:create(COMPONENTS) end
    for i = 1, #read do sum = sum + hp:hp(items[read[i]]) end
    return sum
  end, function() return world:memory() + entities:memory() end
end

-- The bulk style: columns, a list, a template, ids.
local function in_bulk(n)
  local world, entities = new_world()
  local p, v, hp, items, ids = world:manager "p", world:manager "v", world:manager "hp", {}, {}
  local template, dead, born = world:template(COMPONENTS), cuttle.list(), cuttle.list()
  template:create(n, items)
  for i = 1, n do ids[i] = cuttle.entity_id(items[i]) end
  local px, py, pz = p:column "x", p:column "y", p:column "z"
  local vx, vy, vz, points = v:column "x", v:column "y", v:column "z", hp:column "hp"
  return function(pick)
    for i = 0, p:count() - 1 do
      px[i], py[i], pz[i] = px[i] + vx[i] * DT, py[i] + vy[i] * DT, pz[i] + vz[i] * DT
    end
    local die, read, sum = pick.die, pick.read, 0
    dead:clear()
    for i = 1, #die do dead:add(items[die[i]]) end
    entities:destroy(dead)
    world:gc()
    template:create(#die, born)
    for i = 1, #die do
      local e = born:get(i)
      items[die[i]], ids[die[i]] = e, cuttle.entity_id(e)
    end
    for i = 1, #read do sum = sum + points[hp:row_of_id(ids[read[i]])] end
    return sum
  end, function() return world:memory() + entities:memory() end
end

-- A formula that moves all, and one call for each entity that dies, is created or is read: fast without a compiler too.
local function with_formula(n)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world:define("p", { { "place", "vec3" } }, { lookup = "array" })
  world:define("v", { { "speed", "vec3", { 1, 2, 3 } } }, { lookup = "array" })
  local hp, items = world:define("hp", { { "hp", "float", 100 } }, { lookup = "array" }), {}
  local template, move = world:template(COMPONENTS), world:formula("p.place += v.speed * dt", { dt = DT })
  for i = 1, n do items[i] = template:create() end
  return function(pick)
    move()
    local die, read, sum = pick.die, pick.read, 0
    for i = 1, #die do entities:destroy(items[die[i]]) end
    world:gc()
    for i = 1, #die do items[die[i]] = template:create() end
    for i = 1, #read do sum = sum + hp:hp(items[read[i]]) end
    return sum
  end, function() return world:memory() + entities:memory() end
end

local function families(n, deferred)
  local world = cuttle.world(cuttle.entity_manager())
  local tf, roots, x = world.transform, {}, 0
  for i = 1, n / 10 do
    roots[i] = world:create { transform = {} }
    for k = 1, 9 do world:create { transform = { position = { k, 0, 0 }, parent = roots[i] } } end
  end
  if deferred then
    tf:set_mode "deferred"
    tf:propagate()
  end
  return function(pick)
    local die, count = pick.die, #roots
    x = x + 1
    for i = 1, #die do tf:set_local_position(roots[(die[i] - 1) % count + 1], x, i, 0) end
    if deferred then tf:propagate() end
    return (tf:world_position(roots[(die[#die] - 1) % count + 1])) - x
  end, function() return world:memory() end
end

return function(bench)
  local n = bench.size(10000, 1000)
  local picked = picks(bench, n)

  -- One item is one frame. Each run continues after the previous one.
  local function frames(name, expect, limit, frame, bytes)
    local f, count = 0, bench.size(PICKS, 2)
    bench.case {
      name = name,
      items = count,
      limit = limit,
      bytes = bytes and function() return bytes() * count end,
      run = function()
        local answer
        for _ = 1, count do
          f = f % PICKS + 1
          answer = frame(picked[f])
        end
        return answer
      end,
      expect = expect,
    }
  end

  local sum = n / 20 * 100
  frames("limit: frame A of 10,000, by hand", sum, nil, by_hand(n))
  frames("frame A of 10,000, as one writes it first", sum, "limit: frame A of 10,000, by hand", plainly(n))
  frames("frame A of 10,000, in bulk", sum, "limit: frame A of 10,000, by hand", in_bulk(n))
  frames("frame A of 10,000, with a formula and a template", sum, "limit: frame A of 10,000, by hand", with_formula(n))
  frames("frame B, immediate", 0, nil, families(n, false))
  frames("frame B, deferred", 0, nil, families(n, true))
end
