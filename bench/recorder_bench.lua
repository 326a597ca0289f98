-- A recorder of 300 frames of a game with 2,450 entities, of which one in ten moves in each frame. The limits keep a
-- complete snapshot of each frame: what a recorder would cost without its changes. All cases include the moves.

local cuttle = require "cuttle"

local FRAMES, REWINDS, STEPS = 300, 10, 25

local function new_game(n)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world.mesh:define_resource("box", {})
  world:define("health", { { "hp", "int32", 100 }, { "title", "string", "orc" } })
  local list = world:create({ transform = {}, mesh = { resource = "box" }, point_mass = {}, health = {} }, n)
  local game = { entities = entities, frame = 0 }
  function game.move()
    local transform, mass, frame = world.transform, world.point_mass, game.frame + 1
    game.frame = frame
    for i = frame % 10 + 1, #list, 10 do
      transform:set_local_position(list[i], frame, i, 0)
      mass:set_velocity(list[i], frame, 0, 0)
    end
  end
  return game
end

-- Keeps complete snapshots, and reuses their memory.
local function new_ring(game)
  local ring, newest = {}, 0
  local function at(frame) return (frame - 1) % FRAMES + 1 end
  return {
    frame = function()
      newest = newest + 1
      ring[at(newest)] = game.entities:snapshot(ring[at(newest)])
    end,
    rewind = function(_, frames)
      newest = newest - frames
      game.entities:restore(ring[at(newest)])
      return frames
    end,
    bytes = function()
      local sum = 0
      for _, snapshot in ipairs(ring) do sum = sum + snapshot:bytes() end
      return sum
    end,
  }
end

local function new_recorder(game) return cuttle.recorder(game.entities, { keep = FRAMES }) end

local function cases(bench, n, new, names, limits)
  local game = new_game(n)
  local keeper = new(game)
  local function record(frames)
    for _ = 1, frames do
      game.move()
      keeper:frame()
    end
    return true
  end
  record(FRAMES)
  bench.case { name = names[1], items = n * FRAMES, limit = limits and limits[1], bytes = keeper:bytes(), expect = true,
    run = function() return record(FRAMES) end }
  bench.case { name = names[2], items = n * REWINDS, limit = limits and limits[2], expect = STEPS * REWINDS,
    setup = function() return record(FRAMES) end,
    run = function()
      local sum = 0
      for _ = 1, REWINDS do sum = sum + keeper:rewind(STEPS) end
      return sum
    end }
end

return function(bench)
  local n = bench.size(2450, 100)
  local limits = { "complete snapshots of 300 frames", "10 restores of complete snapshots" }
  cases(bench, n, new_ring, limits)
  cases(bench, n, new_recorder, { "recorder:frame, 300 frames", "recorder:rewind, 10 times 25 frames" }, limits)
end
