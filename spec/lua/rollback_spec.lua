-- cuttle.rollback: two machines with guessed inputs end in the state of a game that knows all inputs.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

-- `make soak` plays 100,000 frames or more.
local MANY = os.getenv "CUTTLE_LONG" == "1" and 170 or 1

-- A game whose state depends on every input and on its order. `log` has the frames as they are simulated.
local function new_game()
  local game = { entities = cuttle.entity_manager { minimum_free_indices = 4 }, log = {} }
  local world = cuttle.world(game.entities, { name = "arena" })
  world:define("player", { { "number", "uint8" }, { "x", "int32" }, { "last", "string" } })
  world:define("shot", { { "age", "int32" }, { "owner", "entity" } })
  local players = world:create({ player = { number = { 1, 2 } } }, 2)
  game.world, game.players = world, players
  function game.step(frame, inputs, again)
    game.log[#game.log + 1] = { frame = frame, again = again, inputs[1], inputs[2] }
    if game.fails then error "the game failed" end
    for number, e in ipairs(players) do
      local input = inputs[number]
      world.player:set_x(e, (world.player:x(e) * 3 + (tonumber(input) or 0) + frame) % 1000003)
      world.player:set_last(e, tostring(input))
      if input == "fire" then world:create { shot = { owner = e } } end
    end
    for shot, instance in world.shot:each() do
      local age = world.shot:age(instance)
      world.shot:set_age(instance, age + 1)
      if age == 20 then game.entities:destroy(shot) end
    end
    world:gc()
  end
  return game
end

local function new_side(options)
  local side = new_game()
  options.step = side.step
  side.rollback = cuttle.rollback(side.entities, options)
  return side
end

-- The state after these inputs, simulated once: inputs[player][frame].
local function reference(inputs, frames)
  local game = new_game()
  for frame = 1, frames do game.step(frame, { inputs[1][frame], inputs[2][frame] }) end
  return game.entities:hash()
end

describe("cuttle.rollback", function()
  it("simulates frames and says which frame the input belongs to", function()
    local side = new_side { players = 1, delay = 3 }
    for frame = 1, 5 do
      local simulated, of_input = side.rollback:advance(10 * frame)
      assert.are.same({ frame, frame + 3 }, { simulated, of_input })
    end
    local given = {}
    for place, entry in ipairs(side.log) do given[place] = entry[1] or "none" end
    assert.are.same({ "none", "none", "none", 10, 20 }, given)
    assert.are.same({ 5, side.entities:hash() }, { side.rollback:confirmed() })
  end)

  it("guesses the last known input of another player", function()
    local side = new_side { delay = 0 }
    assert.is_true(side.rollback:input(2, 1, "left"))
    for _ = 1, 3 do side.rollback:advance(7) end
    for place = 1, 3 do assert.are.same({ frame = place, again = false, 7, "left" }, side.log[place]) end
  end)

  it("simulates again from the frame of an input that differs from the guess", function()
    local side = new_side { delay = 0 }
    for frame = 1, 4 do side.rollback:advance(frame) end
    side.log = {}
    assert.is_true(side.rollback:input(2, 3, "fire"))
    assert.are.same({ { frame = 3, again = true, 3, "fire" }, { frame = 4, again = true, 4, "fire" } }, side.log)
    local stats = side.rollback:stats()
    assert.are.same({ 4, 0, 1, 2, 2 },
      { stats.frame, stats.confirmed, stats.rollbacks, stats.resimulated, stats.deepest })
    assert.is_true(stats.time >= 0)
    assert.are.equal(reference({ { 1, 2, 3, 4 }, { nil, nil, "fire", "fire" } }, 4), side.entities:hash())
  end)

  it("does not simulate again for an input that was guessed", function()
    local side = new_side { delay = 0 }
    for frame = 1, 4 do side.rollback:advance(frame) end
    assert.is_true(side.rollback:input(2, 1, nil))
    assert.are.equal(4, #side.log)
    assert.are.equal(1, side.rollback:stats().confirmed)
  end)

  it("takes each input once", function()
    local side = new_side { delay = 2 }
    side.rollback:advance(1)
    assert.is_true(side.rollback:input(2, 4, "a"))
    assert.is_false(side.rollback:input(2, 4, "a"))
    assert.is_false(side.rollback:input(2, 1, "b")) -- before the frames that can change
    assert.are.same({ nil, "player 2 has another input for frame 4" }, { side.rollback:input(2, 4, "b") })
    assert.are.same({ nil, "player 2 has another input for frame 2" }, { side.rollback:input(2, 2, "b") })
    assert.are.same({ nil, "frame 14 of player 2 is too far ahead, the last possible one is 13" },
      { side.rollback:input(2, 14, "b") })
    assert.is_true(side.rollback:input(2, 13, "b"))
  end)

  it("waits, and stores nothing, while the window is full", function()
    local side = new_side { delay = 1, window = 2 }
    for frame = 1, 3 do assert.are.equal(frame, (side.rollback:advance(frame))) end
    assert.is_nil(side.rollback:advance(4))
    assert.is_nil(side.rollback:advance(5))
    side.rollback:input(2, 2, 9)
    assert.are.same({ 4, 5 }, { side.rollback:advance(6) })
    side.rollback:input(2, 3, 9)
    side.rollback:advance(7)
    assert.are.equal(6, side.log[#side.log][1])
  end)

  it("with a window of 0 is lockstep", function()
    local side = new_side { delay = 1, window = 0 }
    assert.are.equal(1, (side.rollback:advance "a"))
    assert.is_nil(side.rollback:advance "b")
    side.rollback:input(2, 2, "x")
    assert.are.equal(2, (side.rollback:advance "b"))
    assert.are.equal(0, side.rollback:stats().rollbacks)
    assert.are.same({ frame = 2, again = false, "a", "x" }, side.log[2])
  end)

  it("keeps at most window + 1 snapshots, and uses their memory again", function()
    local side = new_side { delay = 0, window = 3 }
    local kept = {}
    for frame = 1, 40 do
      side.rollback:advance(frame)
      if frame > 2 then side.rollback:input(2, frame - 2, "fire") end
      for _, snapshot in pairs(side.rollback.snapshots) do kept[snapshot] = true end
    end
    side.rollback:confirmed()
    local count = 0
    for _ in pairs(kept) do count = count + 1 end
    assert.are.equal(4, count)
  end)

  it("gives the hash of the newest frame with all inputs, also while newer ones are guessed", function()
    local side = new_side { delay = 0 }
    assert.are.same({ 0, side.entities:hash() }, { side.rollback:confirmed() })
    for frame = 1, 5 do side.rollback:advance(frame) end
    for frame = 1, 3 do side.rollback:input(2, frame, 10 + frame) end
    local before = side.entities:hash()
    local inputs = { { 1, 2, 3, 4, 5 }, { 11, 12, 13 } }
    assert.are.same({ 3, reference(inputs, 3) }, { side.rollback:confirmed() })
    assert.are.equal(before, side.entities:hash())
    assert.are.equal(6, (side.rollback:advance(6)))
  end)

  it("takes a frame back if the game raises", function()
    local side = new_side { delay = 0 }
    side.rollback:advance(1)
    local before = side.entities:hash()
    side.fails = true
    raises("the game failed", function() side.rollback:advance(2) end)
    assert.are.equal(before, side.entities:hash())
    raises("the game failed", function() side.rollback:input(2, 1, "fire") end)
    side.fails = false
    assert.are.equal(2, (side.rollback:advance(3)))
    assert.are.equal(reference({ { 1, 3 }, { "fire", "fire" } }, 2), side.entities:hash())
  end)

  it("restores again if a callback of the restore raised", function()
    local side = new_side { delay = 0 }
    for frame = 1, 3 do side.rollback:advance(frame) end
    local token = side.entities:on_restore(function() error "no index" end)
    raises("no index", function() side.rollback:input(2, 2, 5) end)
    raises("no index", function() side.rollback:confirmed() end)
    side.entities:off_restore(token)
    assert.are.equal(4, (side.rollback:advance(4)))
    assert.are.equal(reference({ { 1, 2, 3, 4 }, { nil, 5, 5, 5 } }, 4), side.entities:hash())
  end)

  it("cannot be called by the game while it simulates", function()
    local side, entities = {}, cuttle.entity_manager()
    side.rollback = cuttle.rollback(entities, { delay = 0, step = function() side.call() end })
    for _, call in ipairs {
      function() side.rollback:advance() end,
      function() side.rollback:input(2, 1, 1) end,
      function() side.rollback:confirmed() end,
    } do
      side.call = call
      raises("the rollback is simulating a frame", function() side.rollback:advance() end)
    end
    side.call = function() end
    assert.are.equal(1, (side.rollback:advance()))
  end)

  it("names the line of the script in errors of snapshots", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local rollback = cuttle.rollback(entities, { step = function() end })
    raises("rollback_spec.lua:", function()
      world.transform:batch(function() rollback:advance() end)
    end)
    assert.are.equal(1, (rollback:advance()))
  end)

  it("refuses wrong arguments", function()
    local side = new_side {}
    local entities, step = side.entities, side.step
    local function new(options) return function() cuttle.rollback(entities, options) end end
    raises("#1 to 'rollback' (EntityManager expected, got number)", function() cuttle.rollback(5, { step = step }) end)
    raises("step: function expected, got nil", new())
    raises("table expected, got number", new(5))
    raises("unknown option 'windw' (did you mean 'window'?)", new { step = step, windw = 3 })
    raises("players: integer in [1, 64] expected, got 0", new { step = step, players = 0 })
    raises("player: 3 is above the number of players, 2", new { step = step, player = 3 })
    raises("delay: integer in [0, 1000] expected, got 1.5", new { step = step, delay = 1.5 })
    raises("window: integer in [0, 1000] expected, got string", new { step = step, window = "8" })
    raises("string, number or nil expected, got table", function() side.rollback:advance {} end)
    raises("an input must not be NaN", function() side.rollback:advance(0 / 0) end)
    raises("player 1 is the player of this machine", function() side.rollback:input(1, 4, 1) end)
    raises("integer in [1, 2] expected, got 3", function() side.rollback:input(3, 4, 1) end)
    raises("integer in [1, ", function() side.rollback:input(2, 0, 1) end)
    raises("string, number or nil expected, got boolean", function() side.rollback:input(2, 4, true) end)
    raises("Rollback expected, got nil", function() side.rollback.advance() end)
    assert.are.equal(0, #side.log)
    assert.are.equal("rollback at frame 0", tostring(side.rollback))
  end)
end)

describe("two machines with a bad link, seed " .. seed, function()
  -- Sends the newest inputs again with each packet. A packet is lost, delayed and doubled at random.
  local function send(link, random, now, packet)
    for _ = 1, random(8) == 1 and 2 or 1 do
      if random(10) > 3 then link[#link + 1] = { at = now + random(6), packet = packet } end
    end
  end

  local function receive(link, now, side, player)
    for place = #link, 1, -1 do
      if link[place].at <= now then
        for frame, input in pairs(table.remove(link, place).packet) do
          assert.is_not_nil(side.rollback:input(player, frame, input))
        end
      end
    end
  end

  local function play(random, options, frames)
    local sides, links, inputs = {}, { {}, {} }, { {}, {} }
    local hashes = {}
    for number = 1, 2 do
      sides[number] = new_side { player = number, delay = options.delay, window = options.window }
    end
    local now = 0
    local function tick(number)
      local side = sides[number]
      receive(links[number], now, side, 3 - number)
      local input = random(4) == 1 and "fire" or random(3)
      if side.rollback:stats().frame < frames then
        local _, of_input = side.rollback:advance(input)
        if of_input then inputs[number][of_input] = input end
      end
      side.log = {}
      local packet, last = {}, side.rollback:stats().frame + options.delay
      for frame = math.max(options.delay + 1, last - 3 * (options.window + options.delay)), last do
        packet[frame] = inputs[number][frame]
      end
      send(links[3 - number], random, now, packet)
      if random(50) == 1 then
        local frame, hash = side.rollback:confirmed()
        assert.are.equal(hash, hashes[frame] or hash)
        hashes[frame] = hash
      end
    end
    local function done() return sides[1].rollback:stats().confirmed + sides[2].rollback:stats().confirmed end
    while done() < 2 * frames do
      now = now + 1
      tick(1)
      if random(10) > 1 then tick(2) end -- the second machine is slower
    end
    assert.are.equal(sides[1].entities:hash(), sides[2].entities:hash())
    assert.are.equal(reference(inputs, frames), sides[1].entities:hash())
    return sides
  end

  it("have equal states in all confirmed frames", function()
    local random = new_random(seed)
    for _ = 1, 4 do
      local options = { delay = random(4) - 1, window = random(10) - 1 }
      if options.delay + options.window > 0 then play(random, options, rounds(250, 100)) end
    end
    local sides = play(random, { delay = 1, window = 8 }, rounds(600, 200) * MANY)
    assert.is_true(sides[1].rollback:stats().rollbacks + sides[2].rollback:stats().rollbacks > 0)
  end)
end)
