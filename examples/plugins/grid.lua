-- A uniform grid in a plugin: thousands of queries per frame for the entities within a radius.
local cuttle = require "cuttle"
local grid = require "grid"

local MEMBERS, QUERIES, SIZE, REACH = 10000, 10000, 1000, 15

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
local members = grid.define(world)

-- A random generator with the same numbers on every host.
local state = 1
local function random(limit)
  state = state * 16807 % 2147483647
  return state % limit
end

local list = entities:create_list(MEMBERS)
local positions = {}
for i = 1, MEMBERS do positions[i] = { random(SIZE), random(SIZE), 0 } end
world.transform:create_many(list, { position = positions })
members:create_many(list, { radius = 1 })

local start = os.clock()
local stand = members:rebuild(REACH)
print(("%d members are in the grid after %.2f ms"):format(stand, (os.clock() - start) * 1e3))

local near, hits = cuttle.list(), 0
start = os.clock()
for i = 1, QUERIES do
  local at = positions[i]
  local _, count = members:within(at[1], at[2], 0, REACH, near)
  hits = hits + count
end
local seconds = os.clock() - start
print(("%d queries, %.1f hits each, %.0f ns each"):format(members:queries(), hits / QUERIES, seconds * 1e9 / QUERIES))

-- The same for one member, with a loop over all.
local function count_all(x, y)
  local count = 0
  for _, at in ipairs(positions) do
    if (at[1] - x) ^ 2 + (at[2] - y) ^ 2 <= (REACH + 1) ^ 2 then count = count + 1 end
  end
  return count
end
local _, found = members:within(positions[1][1], positions[1][2], 0, REACH, near)
assert(found == count_all(positions[1][1], positions[1][2]) and near:count() == found)

-- Queries do not return dead entities.
assert(entities:destroy(near) == found)
assert(select(2, members:within(positions[1][1], positions[1][2], 0, REACH)) == 0)
print(("after an explosion %d are left"):format(entities:count()))
assert(world:validate())
