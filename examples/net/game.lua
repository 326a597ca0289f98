-- The part of the game that both programs have: components, the flight of a ship, and a sum of the published state.

local cuttle = require "cuttle"

local game = {}

game.SIZE = 400 -- the world is a square around the origin
game.RATE = 60 -- frames a second
game.EVERY = 3 -- the server sends each third frame

-- The published components. Positions travel as multiples of 1/64: two or three bytes instead of four.
game.COMPONENTS = { "transform", "thing", "ship" }
game.STEP = 1 / 64
game.STEPS = { ["transform.local_position"] = game.STEP }

game.KINDS = { "rock", "freighter", "pod", "ship" }

function game.new_world()
  local world = cuttle.world(cuttle.entity_manager(), { name = "space" })
  world:define("thing", { { "kind", "enum", game.KINDS }, { "hp", "uint16", 20 } })
  world:define("ship", {
    { "vx", "float" }, { "vy", "float" }, { "heading", "float" },
    { "input", "uint32" }, -- the number of the newest input that this state contains
    { "target", "entity" }, -- the rock that its laser melts
    { "melted", "uint32" },
  })
  return world
end

local function bounce(place, speed)
  local border = game.SIZE / 2
  if place > border and speed > 0 or place < -border and speed < 0 then return -speed end
  return speed
end

-- Moves a ship by one frame. An input is a letter: l and r turn, t is thrust, - is nothing. The server runs this for
-- each input that arrives, and the client runs it at once, before the server has the input.
function game.steer(world, e, input)
  local ship, transform = world.ship, world.transform
  local heading, vx, vy = ship:heading(e), ship:vx(e), ship:vy(e)
  if input == "l" then heading = heading + 0.05 end
  if input == "r" then heading = heading - 0.05 end
  if input == "t" then vx, vy = vx + 0.02 * cuttle.cos(heading), vy + 0.02 * cuttle.sin(heading) end
  local x, y = transform:local_position(e)
  vx, vy = bounce(x, vx) * 0.98, bounce(y, vy) * 0.98
  ship:set(e, { heading = heading, vx = vx, vy = vy, input = ship:input(e) + 1 })
  transform:set_local_position(e, x + vx, y + vy)
end

-- The sum of a published state --------------------------------------------------------------------------------------

-- The number of steps of a position, as the receiver has it: ties to even.
local function steps(n)
  local low = math.floor(n / game.STEP)
  local rest = n / game.STEP - low
  return (rest > 0.5 or rest == 0.5 and low % 2 == 1) and low + 1 or low
end

local function line_of(world, id_of, e)
  local transform, ship = world.transform, world.ship
  local function id(other) return other and world.entities:alive(other) and id_of(other) or -1 end
  local parent = transform:parent(e)
  local x, y = transform:local_position(e)
  local line = ("%s %d in %d at %d %d, angle %.5f"):format(world.thing:kind(e), world.thing:hp(e),
    id(parent and transform:entity(parent)), steps(x), steps(y), transform:local_angle(e))
  if not ship:has(e) then return line end
  return ("%s, %.9g %.9g %.9g after %d, %d melted, now %d"):format(line, ship:vx(e), ship:vy(e), ship:heading(e),
    ship:input(e), ship:melted(e), id(ship:target(e)))
end

-- Returns the sum of all published values, and the number of entities. `id_of(e)` is the number of an entity at the
-- publisher, the same on both sides.
function game.sum(world, id_of)
  local ids, lines = {}, {}
  for e in world.thing:each() do
    local id = id_of(e)
    ids[#ids + 1], lines[id] = id, line_of(world, id_of, e)
  end
  table.sort(ids)
  local sum = 0
  for _, id in ipairs(ids) do
    for place = 1, #lines[id] do sum = (sum * 31 + lines[id]:byte(place)) % 2147483647 end
    sum = (sum * 31 + id) % 2147483647
  end
  return sum, #ids
end

return game
