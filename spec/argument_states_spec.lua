-- Every function, with valid and wrong arguments, in every state that a world can be in: in each kind of callback,
-- batch and loop, in a finalizer, destroyed, without memory; and while Lua's own memory runs out. It raises a string or
-- works, nothing crashes, and every invariant holds.

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

-- Each function brings the scene into a state and calls 'play' in that state.
local STATES = {
  { "when the world is destroyed", function(s, play) s.world:destroy() play() end },
  { "when the world and its entities are destroyed", function(s, play) s.world:destroy { entities = true } play() end },
  { "in entities:on_destroy", function(s, play) s.entities:on_destroy(play) s.entities:destroy(s.list) end },
  { "in entities:on_restore", function(s, play) s.entities:on_restore(play) s.entities:restore(s.snapshot) end },
  { "in on_add", function(s, play)
    s.health:on_add(play)
    s.world:create({ health = {}, part = { {}, {} } }, 2)
  end },
  { "in on_add of a spawn", function(s, play) s.part:on_add(play) s.world:spawn(s.resource) end },
  { "in on_add of a patch", function(s, play)
    s.part:on_add(play)
    s.level:patch(s.patched)
  end },
  { "in on_remove", function(s, play) s.part:on_remove(play) s.part:destroy(s.one) end },
  { "in on_remove of an unload", function(s, play) s.part:on_remove(play) s.level:unload() end },
  { "in on_remove of world:destroy", function(s, play) s.health:on_remove(play) s.world:destroy() end },
  { "in on_remove of world:clear", function(s, play) s.health:on_remove(play) s.world:clear() end },
  { "in actor:on_spawn", function(s, play) s.world.actor:on_spawn(play) s.world:create({ actor = {} }, 2) end },
  { "in actor:on_spawn of a level", function(s, play) s.world.actor:on_spawn(play) s.level:restart() end },
  { "in actor:on_spawn of a restore", function(s, play)
    s.world.actor:destroy(s.one)
    s.world.actor:on_spawn(play)
    s.entities:restore(s.snapshot)
  end },
  { "in actor:on_destroy", function(s, play) s.world.actor:on_destroy(play) s.entities:destroy(s.list) end },
  { "in actor:on_destroy of world:destroy", function(s, play) s.world.actor:on_destroy(play) s.world:destroy() end },
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
  { "in a suspended coroutine", function(_, play)
    coroutine.wrap(function() play() coroutine.yield() end)()
  end },
  { "without memory", function(_, play)
    if not core.testing then return end
    core.testing.fail_in(0, true)
    play()
    core.testing.fail_in(-1)
  end },
}

-- Objects of a world in the scene; its managers are in addition.
local OF_WORLD = { "world", "query", "narrow", "formula", "template", "buffer", "space", "watch", "compiler", "level",
  "stage", "publisher", "peer", "hp", "texts", "places" }

describe("every function of a destroyed world's object", function()
  local write = files.write

  teardown(function() files.write = write end)

  it("raises that the world is destroyed", function()
    files.write = function() return true end
    local s, of_world, prepared, mistakes = calls.scene(), {}, {}, {}
    for _, name in ipairs(OF_WORLD) do of_world[name] = true end
    for name in s.world:managers() do of_world[name] = true end
    for _, call in ipairs(calls.all(s)) do
      -- `pointer` needs LuaJIT, and returns memory that stays valid.
      if of_world[call.object] and call.name ~= "pointer" then
        prepared[#prepared + 1] = { call.title, calls.prepare(s, call) }
      end
    end
    s.world:destroy()
    for _, call in ipairs(prepared) do
      local arguments = call[3]
      local ok, message = pcall(call[2], unpack(arguments, 1, arguments.n))
      if ok or not tostring(message):find "world is destroyed" then mistakes[#mistakes + 1] = call[1] end
    end
    assert.is_true(#prepared > 300)
    assert.are.same({}, mistakes)
  end)
end)

describe("every function, seed " .. seed .. ",", function()
  local random, write = new_random(seed), files.write
  local first = calls.scene()
  local blob, all, other = first.blob, calls.all(first), calls.scene(first.blob)
  local patched = assert(cuttle.resource(assert(first.compiler:compile {
    entities = { { name = "pit", id = "pit", components = { part = { {}, {} } } }, { components = { part = {} } } } })))
  local stop, starves = false, false

  -- Makes later allocations of Lua fail: all from a random one on, or a random single one.
  local function starve()
    if starves then core.testing.fail_lua_in(random(60), random(2) == 1) end
  end

  local function feed()
    if not core.testing then return end
    core.testing.fail_in(-1)
    core.testing.fail_lua_in(-1)
  end

  -- After the last test, finalizers and callbacks do nothing, because they would call libraries that are unloaded when
  -- the state closes.
  teardown(function() stop = true end)
  before_each(function() files.write = function() return true end end)
  after_each(function()
    files.write = write
    feed()
  end)

  local function check_valid(s, called)
    local sound, message = s.entities:validate()
    if sound then
      local open, valid, problem = pcall(s.world.validate, s.world)
      sound, message = not open or valid, problem
    end
    if not sound then error(table.concat(called, ", ") .. ": " .. message, 0) end
  end

  -- Calls some functions, and appends their names to 'called'.
  local function play_some(s, called, count)
    for _ = 1, stop and 0 or count do
      local call = all[random(#all)]
      local prepared, f, arguments = pcall(calls.prepare, s, call)
      if prepared then
        if random(3) == 1 then
          local values, kinds = wrong_values(s, other)
          local place = random(arguments.n + 1)
          arguments[place] = values[random(kinds)]
          arguments.n = math.max(arguments.n, place)
        end
        called[#called + 1] = call.title
        starve()
        local ok, message = pcall(f, unpack(arguments, 1, arguments.n))
        if not ok and type(message) == "string" and message:find "^%.?/?lua/cuttle" then
          called.mistake = call.title .. ": " .. message
        end
      end
    end
  end

  -- Finalizers run after memory is available again: Lua 5.1 drops one that cannot be called for lack of memory.
  local function play_state(state, times, without_memory)
    for _ = 1, times do
      local s, called, depth = calls.scene(blob), {}, 0
      s.patched, starves = patched, without_memory
      if without_memory then collectgarbage "stop" end
      pcall(state[2], s, function()
        if depth == 2 then return end
        depth = depth + 1
        play_some(s, called, 3)
        depth = depth - 1
      end)
      starves = false
      feed()
      collectgarbage "restart"
      check_valid(s, called)
      if called.mistake then error(called.mistake, 0) end
    end
  end

  for _, state in ipairs(STATES) do
    it(state[1] .. " raises a string or works, and all objects stay valid", function()
      play_state(state, rounds(12, 4))
    end)
  end

  it("in each of these states raises a string or works when Lua runs out of memory, and leaves all valid", function()
    if starving.missing then return pending(starving.missing) end
    starving.with(function()
      for _, state in ipairs(STATES) do
        local ran, message = pcall(play_state, state, rounds(3, 1), true)
        if not ran then error(state[1] .. ": " .. tostring(message), 0) end
      end
    end)
  end)

  -- A world that is collected in the same cycle may be finalized before or after these.
  it("in a finalizer, before and after the world's, raises a string or works", function()
    for _ = 1, rounds(12, 4) do
      local called = {}
      do
        local early = newproxy(true)
        local s = calls.scene(blob)
        local late = newproxy(true)
        s.patched = patched
        for _, ghost in ipairs { early, late } do
          getmetatable(ghost).__gc = function() play_some(s, called, 4) end
        end
      end
      collect()
      if called.mistake then error(called.mistake, 0) end
    end
  end)
end)
