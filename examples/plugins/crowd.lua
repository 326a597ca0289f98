-- A crowd of 1,000 discs that push each other apart until no two overlap much.
local cuttle = require "cuttle"
local crowd = require "crowd"

local COUNT, SIDE, STEPS = 1000, 60, 60

local world = cuttle.world(cuttle.entity_manager())
local disc = crowd.define(world)

-- A random generator with the same numbers on every host.
local state = 1
local function random()
  state = state * 16807 % 2147483647
  return state / 2147483647
end

for _ = 1, COUNT do
  local position = { random() * SIDE, random() * SIDE, 0 }
  world:create { transform = { position = position }, disc = { radius = 0.4 + random() * 0.4 } }
end

local first = disc:separate(2)
local pairs_left = first
local start = os.clock()
for _ = 1, STEPS do pairs_left = disc:separate(2) end
local each = (os.clock() - start) / STEPS * 1e3
print(("%d pairs overlapped at first, %d after %d steps of %.2f ms"):format(first, pairs_left, STEPS, each))
assert(pairs_left < first / 2)
assert(world:validate())
