-- Every function, found in the tables at run time, with its first allocation failing, its second, and so on; one
-- allocation or all later ones, of the core and of Lua. The function raises or returns a message, nothing has changed,
-- and nothing leaks.

local calls = require "spec.support.calls"
local collect = require "spec.support.collect"
local core = require "cuttle.core"
local files = require "cuttle.files"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local slow = require "spec.support.slow"
local starving = require "spec.support.starving"

local testing = core.testing

-- These calls run functions of scripts that see the new entities, so ids stay used if Lua's memory runs out there.
local IDS_USED_UP = { ["world.create"] = true, ["world.spawn"] = true, ["world.spawn_many"] = true,
  ["template.create"] = true, ["template.create_with"] = true, ["level.restart"] = true,
  ["stage.look"] = true }

local function show(value)
  if type(value) == "userdata" then return "userdata" end
  if type(value) ~= "table" then return tostring(value) end
  local items = {}
  for k, v in pairs(value) do items[#items + 1] = tostring(k) .. "=" .. show(v) end
  table.sort(items)
  return "{" .. table.concat(items, ",") .. "}"
end

-- All that scripts can read of living entities, except their ids.
local function readable_state(s)
  return table.concat({ show(s.world:inspect(s.one)), show(s.world:inspect(s.two)), show(s.world:inspect(s.bare)),
    s.entities:count(), s.list:count(), s.level:count(), s.recorder:count(), #s.world:levels() }, "|")
end

local function check_valid(s)
  assert(s.entities:validate())
  if not s.is_destroyed then assert(s.world:validate()) end
end

-- Calls the function in a new scene with allocation n failing and, with 'on', all later ones too. Returns whether one
-- failed.
local function play(call, expected, fail_in, n, on)
  local s = calls.scene(expected.blob)
  local f, arguments = calls.prepare(s, call)
  fail_in(n, on)
  local ok, first, second = pcall(f, unpack(arguments, 1, arguments.n))
  local failed = fail_in(-1)
  s.is_destroyed = ok and call.title == "world.destroy"
  check_valid(s)
  if failed == 0 then return false end
  if ok and first == nil and type(second) == "string" then ok, first = false, second end
  if ok then return true end -- the call did not need that memory
  assert(tostring(first):find("not enough memory", 1, true), first)
  assert(not tostring(first):find "^%.?/?lua/cuttle", first) -- must be a line of the script, not of the library
  local in_lua = fail_in ~= testing.fail_in
  assert(expected.readable_state == readable_state(s), "the state has changed")
  if not in_lua or not IDS_USED_UP[call.title] then assert(expected.hash == s.entities:hash(), "another hash") end
  return true
end

describe("when memory runs out, seed " .. seed .. ",", function()
  if not testing then
    it("functions fail without side effects", function() pending "only test builds make allocations fail" end)
    return
  end

  local random, write = new_random(seed), files.write

  before_each(function() files.write = function() return true end end)
  after_each(function()
    files.write = write
    testing.fail_in(-1)
    testing.fail_lua_in(-1)
    collectgarbage "restart"
  end)

  -- Calls all functions with allocations failing, in steps of up to 'stride' allocations. Returns the number of
  -- failures. The collector is stopped meanwhile: a finalizer that cannot be called for lack of memory would never run.
  local function sweep(fail_in, stride)
    local s, failures = calls.scene(), 0
    local new = { blob = s.blob, readable_state = readable_state(s), hash = s.entities:hash() }
    local all = calls.sample(calls.all(s), random)
    collectgarbage "stop"
    for number, call in ipairs(all) do
      local n = random(stride) - 1
      while call.arguments do
        local ran, failed = pcall(play, call, new, fail_in, n, random(2) == 1)
        if not ran then error(("%s, with allocation %d failing: %s"):format(call.title, n, tostring(failed)), 0) end
        if not failed then break end
        failures = failures + 1
        n = n + random(stride)
      end
      if number % 50 == 0 then
        collectgarbage()
        collectgarbage "stop" -- a manual collection restarts the collector
      end
    end
    collectgarbage "restart"
    return failures
  end

  it("of the core, every function raises or returns a message, and changes nothing", function()
    kinds[1].with(function() assert.is_true(sweep(testing.fail_in, math.ceil(2 / rounds(1, 1))) > 0) end)
  end)

  -- The memory that the core needs without objects. Slots of the stack may hold objects of the last calls until other
  -- calls overwrite them, so the least of several tries counts.
  local function held_bytes()
    local least = math.huge
    for _ = 1, 3 do
      calls.scene()
      select("#", unpack({}, 1, 250))
      collect()
      least = math.min(least, testing.held_bytes())
    end
    return least
  end

  it("of Lua, every function raises or returns a message, changes nothing, and leaks nothing", function()
    if starving.missing then return pending(starving.missing) end
    local held = held_bytes()
    starving.with(function()
      assert.is_true(sweep(testing.fail_lua_in, math.ceil((slow and 15 or 45) / rounds(1, 1))) > 0)
    end)
    assert.equal(held, held_bytes())
  end)
end)
