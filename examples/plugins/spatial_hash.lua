-- A spatial hash of 10,000 entities, of which 100 move in each frame: the plugin updates only these.
local cuttle = require "cuttle"
local spatial_hash = require "spatial_hash"

local THINGS, MOVING, FRAMES, SIZE, REACH = 10000, 100, 60, 1000, 15

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
local hash = spatial_hash.define(world, REACH)

-- A random generator with the same numbers on every host.
local state = 1
local function random(limit)
  state = state * 16807 % 2147483647
  return state % limit
end

local things = world:create({ transform = {} }, THINGS)
world.transform:batch(function()
  for i = 1, THINGS do world.transform:set_local_position(things[i], random(SIZE), random(SIZE)) end
end)

local start = os.clock()
print(("%d entities are in the hash after %.2f ms"):format(hash:follow(), (os.clock() - start) * 1e3))

local looked, hits, seconds, near = 0, 0, 0, cuttle.list()
for _ = 1, FRAMES do
  world.transform:batch(function()
    for _ = 1, MOVING do world.transform:set_local_position(things[1 + random(THINGS)], random(SIZE), random(SIZE)) end
  end)
  start = os.clock()
  looked = looked + hash:follow()
  seconds = seconds + os.clock() - start
  hits = hits + select(2, hash:within(SIZE / 2, SIZE / 2, REACH, near))
end
print(("each of %d frames: %.1f updated, %.4f ms, %.1f near the middle"):format(FRAMES, looked / FRAMES,
  seconds / FRAMES * 1e3, hits / FRAMES))

-- The same with a loop over all.
local count = 0
for _, e in ipairs(things) do
  local x, y = world.transform:world_position(e)
  if (x - SIZE / 2) ^ 2 + (y - SIZE / 2) ^ 2 <= REACH ^ 2 then count = count + 1 end
end
assert(near:count() == count)

-- Queries do not return dead entities. The next follow removes them from the hash.
entities:destroy(near)
assert(select(2, hash:within(SIZE / 2, SIZE / 2, REACH)) == 0)
assert(hash:follow() == count)
print(("after an explosion %d are left"):format(entities:count()))
assert(world:validate())
