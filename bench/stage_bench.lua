-- Levels of 2,000 entities around a view: what a stage takes to save, unload and spawn them, beside the same calls by
-- hand. Beside the cases: the longest call among 100 levels, and an hour of frames over 500 levels.

local cuttle = require "cuttle"
local levels = require "bench.levels"

local TILE = 100

-- Returns a world, and the compiled level: transforms, meshes, a chest in ten entities each, and names for them.
local function new_world(count)
  local world = levels.world()
  world:define("chest", { { "open", "bool" }, { "gold", "int32", 5 } })
  local blob = assert(cuttle.compiler(world):compile(levels.source(count, function(entity, i)
    if i % 10 == 1 then entity.name, entity.components.chest = "chest", {} end
  end)))
  return world, blob
end

-- Returns the index of a field of square levels, and the function that loads them, once each.
local function field(blob, columns, rows)
  local index, resources = {}, {}
  for i = 0, columns * rows - 1 do
    local x, y = i % columns * TILE, math.floor(i / columns) * TILE
    index[i + 1] = { name = "level " .. i, x = x, y = y, w = TILE, h = TILE }
  end
  return index, function(name)
    resources[name] = resources[name] or assert(cuttle.resource(blob, name))
    return resources[name]
  end
end

-- Returns where a camera is that goes along the rows of a field, to and fro, after a distance.
local function camera(columns, rows, distance)
  local width = (columns - 1) * TILE
  local row = math.floor(distance / width)
  local x = distance - row * width
  return TILE / 2 + (row % 2 == 0 and x or width - x), TILE / 2 + row % rows * TILE
end

-- Cases of one crossing: the level on the left is unloaded, the one on the right is spawned, or the other way round.
local function crossings(bench, count)
  local world, blob = new_world(count)
  local index, load = field(blob, 2, 1)

  local at, level, states = 1, assert(world:spawn(load "level 0")), {}
  local function by_hand(remember)
    if remember then states[at] = level:save() end
    level:unload()
    at = 3 - at
    level = world:spawn(load(index[at].name), { state = states[at] })
    return level:count()
  end
  local function collect() world:gc "all" end
  bench.case { name = "by hand: unload, spawn", items = count, setup = collect,
    run = function() return by_hand(false) end, expect = count }
  bench.case { name = "by hand: save, unload, spawn", items = count, setup = collect,
    run = function() return by_hand(true) end, expect = count, limit = "by hand: unload, spawn" }
  bench.case { name = "save", items = count, run = function() return type(level:save()) end, expect = "string",
    limit = "by hand: unload, spawn" }
  level:unload()

  for _, remember in ipairs { false, true } do
    local stage = cuttle.stage(world, index, { load = load, remember = remember })
    local x = TILE / 2
    stage:look(x, TILE / 2)
    bench.case { name = remember and "look: save, unload, spawn" or "look: unload, spawn", items = count,
      setup = collect,
      run = function()
        x = TILE * 2 - x
        local spawned, unloaded = stage:look(x, TILE / 2)
        return #spawned + #unloaded
      end,
      expect = 2, limit = "by hand: unload, spawn" }
    stage:clear()
  end
end

-- Crosses from one level to the next and back, as a game does while it loads: the first crossing takes memory from the
-- system. Returns the longest time of a call.
local function cross_once(clock, world, stage)
  local longest = 0
  for _, x in ipairs { TILE / 2, TILE * 3 / 2, TILE / 2 } do
    local start = clock()
    stage:look(x, TILE / 2, TILE / 4, TILE / 4)
    longest = math.max(longest, clock() - start)
    world:gc()
  end
  return longest
end

-- Lets a camera go over a field for a number of frames, and measures their processor time. `limit` is that of `gc` in
-- each frame; a level has 2.1 components an entity. Opens a chest in each level when it is seen for the first time, and
-- checks that it is open each time later. Returns the figures.
local function walk(clock, count, columns, rows, frames, frames_in_level, limit)
  local world, blob = new_world(count)
  local index, load = field(blob, columns, rows)
  local stage = cuttle.stage(world, index, { load = load, remember = true })
  local opened, found = {}, { crossings = 0, worst = 0, worst_look = 0, over = 0, again = 0 }
  for _, level in ipairs(index) do load(level.name) end
  found.first = cross_once(clock, world, stage)
  for frame = 1, frames do
    local x, y = camera(columns, rows, frame * TILE / frames_in_level)
    local start = clock()
    local spawned = stage:look(x, y, TILE / 4, TILE / 4)
    local between = clock()
    world:gc(limit)
    local stop = clock()
    found.worst_look = math.max(found.worst_look, between - start)
    found.worst = math.max(found.worst, stop - start)
    if stop - start > 0.001 then found.over = found.over + 1 end
    for _, name in ipairs(spawned or {}) do
      local chest = stage:level(name):find "chest"
      found.crossings = found.crossings + 1
      if opened[name] then found.again = found.again + 1 end
      assert(world.chest:open(chest) == (opened[name] or false), "a chest is not as it was")
      world.chest:set_open(chest, true)
      opened[name] = true
    end
    if frame == math.floor(frames / 2) or frame == frames then
      collectgarbage()
      collectgarbage()
      found.bytes, found.bytes_before = world:memory() + world.entities:memory(), found.bytes
      found.garbage, found.garbage_before = collectgarbage "count" * 1024, found.garbage
    end
  end
  return found
end

return function(bench)
  local count = bench.size(2000, 50)
  crossings(bench, count)

  local columns = bench.size(20, 3)
  local found = walk(os.clock, count, columns, 5, columns * 5 * 4, 2, 2500)
  bench.note(("%d levels of %d entities, %d crossings in %d frames: the longest look takes %.2f ms"):format(columns * 5,
    count, found.crossings, columns * 5 * 4, found.worst_look * 1e3))
  bench.note(("the longest frame takes %.2f ms, and %d take above 1 ms; the first crossing takes %.2f ms"):format(
    found.worst * 1e3, found.over, found.first * 1e3))

  columns = bench.size(25, 3)
  local frames = bench.size(216000, 500)
  found = walk(os.clock, count, columns, 20, frames, 60, 100)
  bench.note(("%d levels of %d entities, %d frames, %d crossings, %d of them to a level seen before"):format(
    columns * 20, count, frames, found.crossings, found.again))
  bench.note(("the longest frame takes %.2f ms, the longest look %.2f ms, %d frames take above 1 ms"):format(
    found.worst * 1e3, found.worst_look * 1e3, found.over))
  bench.note(("after half of the frames and after all: %.1f and %.1f MB in the world, %.1f and %.1f MB in Lua"):format(
    found.bytes_before / 1e6, found.bytes / 1e6, found.garbage_before / 1e6, found.garbage / 1e6))
end
