-- Every function that there is, with right arguments and wrong ones, in every state that a world can be in: in each
-- kind of callback, batch and loop, in a finalizer, destroyed, without memory; and where Lua's own memory ends in the
-- middle of that. It raises a string or works, nothing crashes, and every invariant holds.

local calls = require "spec.support.calls"
local collect = require "spec.support.collect"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local files = require "cuttle.files"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local starving = require "spec.support.starving"
local wrong_values = require "spec.support.wrong_values"

-- Each brings the scene into a state, and calls 'play' in it, as often as it comes to that.
local STATES = {
  { "when the world is destroyed", function(s, play) s.world:destroy() play() end },
  { "when the world and its entities are destroyed", function(s, play) s.world:destroy { entities = true } play() end },
  { "in entities:on_destroy", function(s, play) s.entities:on_destroy(play) s.entities:destroy(s.list) end },
  { "in entities:on_restore", function(s, play) s.entities:on_restore(play) s.entities:restore(s.snapshot) end },
  { "in a hook of what comes", function(s, play)
    s.health:on_add(play)
    s.world:create({ health = {}, part = { {}, {} } }, 2)
  end },
  { "in a hook of what comes with a level", function(s, play) s.part:on_add(play) s.world:spawn(s.resource) end },
  { "in a hook of what comes with a patch", function(s, play)
    s.part:on_add(play)
    s.level:patch(s.patched)
  end },
  { "in a hook of what goes", function(s, play) s.part:on_remove(play) s.part:destroy(s.one) end },
  { "in a hook of what goes with a level", function(s, play) s.part:on_remove(play) s.level:unload() end },
  { "in a hook of what goes with the world", function(s, play) s.health:on_remove(play) s.world:destroy() end },
  { "in a hook of what is cleared", function(s, play) s.health:on_remove(play) s.world:clear() end },
  { "in actor:on_spawn", function(s, play) s.world.actor:on_spawn(play) s.world:create({ actor = {} }, 2) end },
  { "in actor:on_spawn of a level", function(s, play) s.world.actor:on_spawn(play) s.level:restart() end },
  { "in actor:on_spawn of a restore", function(s, play)
    s.world.actor:destroy(s.one)
    s.world.actor:on_spawn(play)
    s.entities:restore(s.snapshot)
  end },
  { "in actor:on_destroy", function(s, play) s.world.actor:on_destroy(play) s.entities:destroy(s.list) end },
  { "in actor:on_destroy of the end", function(s, play) s.world.actor:on_destroy(play) s.world:destroy() end },
  { "in a spawner", function(s, play) s.world:register_spawner("spikes", play) s.world:spawn(s.resource) end },
  { "in a compile function", function(s, play)
    s.compiler:register("thorns", function() play() return "" end)
    s.compiler:compile { entities = { { components = { thorns = {} } } } }
  end },
  { "in a batch", function(s, play) s.world.transform:batch(play) end },
  { "in a batch in deferred mode", function(s, play)
    s.world.transform:set_mode "deferred"
    s.world.transform:set_local_position(s.one, 1, 2, 3)
    s.world.transform:batch(play)
  end },
  { "in a loop over a manager", function(s, play) for _ in s.health:each() do play() end end },
  { "in a loop over entities", function(s, play) for _ in s.entities:each() do play() end end },
  { "in a loop over a list", function(s, play) for _ in s.list:each() do play() end end },
  { "in a join", function(s, play) for _ in s.world:join("health", "?part", "!grid") do play() end end },
  { "in a loop over rows", function(s, play) for _ in s.world:rows("health", "part") do play() end end },
  { "in a loop over instances", function(s, play) for _ in s.part:instances(s.one) do play() end end },
  { "in a loop over children", function(s, play) for _ in s.world.transform:children(s.one) do play() end end },
  { "in a loop over cells", function(s, play) for _ in s.world.grid:cells(s.one) do play() end end },
  { "in a loop over managers", function(s, play) for _ in s.world:managers() do play() end end },
  { "when a level's resource is read", function(_, play)
    require("cuttle.load")("level", { read = function() play() return "no level" end })
  end },
  { "in a coroutine that never ends", function(_, play)
    coroutine.wrap(function() play() coroutine.yield() end)()
  end },
  { "without memory", function(_, play)
    if not core.testing then return end
    core.testing.fail_in(0, true)
    play()
    core.testing.fail_in(-1)
  end },
}

describe("every function, seed " .. seed .. ",", function()
  local random, write = new_random(seed), files.write
  local first = calls.scene()
  local blob, all, other = first.blob, calls.all(first), calls.scene(first.blob)
  local patched = assert(cuttle.resource(assert(first.compiler:compile {
    entities = { { name = "pit", id = "pit", components = { part = { {}, {} } } }, { components = { part = {} } } } })))
  local over, starves = false, false

  -- From here on all of Lua's allocations fail, or one does, wherever that is.
  local function starve()
    if starves then core.testing.fail_lua_in(random(60), random(2) == 1) end
  end

  local function feed()
    if not core.testing then return end
    core.testing.fail_in(-1)
    core.testing.fail_lua_in(-1)
  end

  -- Finalizers and callbacks that are left would call libraries of others, which are unloaded when the state closes.
  teardown(function() over = true end)
  before_each(function() files.write = function() return true end end)
  after_each(function()
    files.write = write
    feed()
  end)

  local function check_valid(s, told)
    local sound, message = s.entities:validate()
    if sound then
      local open, valid, why = pcall(s.world.validate, s.world)
      sound, message = not open or valid, why
    end
    if not sound then error(table.concat(told, ", ") .. ": " .. message, 0) end
  end

  -- Calls some functions, and tells in 'told' which.
  local function play_some(s, told, count)
    for _ = 1, over and 0 or count do
      local call = all[random(#all)]
      local prepared, f, arguments = pcall(calls.prepare, s, call)
      if prepared then
        if random(3) == 1 then
          local values, kinds = wrong_values(s, other)
          local place = random(arguments.n + 1)
          arguments[place] = values[random(kinds)]
          arguments.n = math.max(arguments.n, place)
        end
        told[#told + 1] = call.title
        starve()
        local ok, message = pcall(f, unpack(arguments, 1, arguments.n))
        if not ok and type(message) == "string" and message:find "^%.?/?lua/cuttle" then
          told.mistake = call.title .. ": " .. message
        end
      end
    end
  end

  -- Finalizers run later, when memory is there: one that cannot be called for want of it is lost to Lua 5.1.
  local function play_state(state, times, without_memory)
    for _ = 1, times do
      local s, told, depth = calls.scene(blob), {}, 0
      s.patched, starves = patched, without_memory
      if without_memory then collectgarbage "stop" end
      pcall(state[2], s, function()
        if depth == 2 then return end
        depth = depth + 1
        play_some(s, told, 3)
        depth = depth - 1
      end)
      starves = false
      feed()
      collectgarbage "restart"
      check_valid(s, told)
      if told.mistake then error(told.mistake, 0) end
    end
  end

  for _, state in ipairs(STATES) do
    it(state[1] .. " raises a string or works, and all stays in order", function()
      play_state(state, rounds(12, 4))
    end)
  end

  it("raises a string or works in each of these, where Lua runs out of memory, and all stays in order", function()
    if starving.missing then return pending(starving.missing) end
    starving.with(function()
      for _, state in ipairs(STATES) do
        local ran, message = pcall(play_state, state, rounds(3, 1), true)
        if not ran then error(state[1] .. ": " .. tostring(message), 0) end
      end
    end)
  end)

  -- A world that goes in the same cycle may have been finalized before, or will be.
  it("in a finalizer, before and after the world's, raises a string or works", function()
    for _ = 1, rounds(12, 4) do
      local told = {}
      do
        local early = newproxy(true)
        local s = calls.scene(blob)
        local late = newproxy(true)
        s.patched = patched
        for _, ghost in ipairs { early, late } do
          getmetatable(ghost).__gc = function() play_some(s, told, 4) end
        end
      end
      collect()
      if told.mistake then error(told.mistake, 0) end
    end
  end)
end)
