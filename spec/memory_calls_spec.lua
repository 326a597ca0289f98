-- Every function that there is, found in the tables at run time, with its first allocation failing, its second, and so
-- on, one of them or all from there on, of the core and of Lua: it raises or says so, nothing has changed, and nothing
-- leaks.

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

-- Functions of scripts see the entities that these make: where Lua has no memory for them, the ids are used up.
local IDS_USED_UP = { ["world.create"] = true, ["world.spawn"] = true, ["world.spawn_many"] = true,
  ["template.create"] = true, ["level.restart"] = true }

local function show(value)
  if type(value) == "userdata" then return "userdata" end
  if type(value) ~= "table" then return tostring(value) end
  local items = {}
  for k, v in pairs(value) do items[#items + 1] = tostring(k) .. "=" .. show(v) end
  table.sort(items)
  return "{" .. table.concat(items, ",") .. "}"
end

-- All that scripts can see of the living, but their ids.
local function picture(s)
  return table.concat({ show(s.world:inspect(s.one)), show(s.world:inspect(s.two)), show(s.world:inspect(s.bare)),
    s.entities:count(), s.list:count(), s.level:count(), s.recorder:count(), #s.world:levels() }, "|")
end

local function check_valid(s)
  assert(s.entities:validate())
  if not s.over then assert(s.world:validate()) end
end

-- Whether an allocation failed in a call of a new scene: number n, and with 'on' all behind it.
local function play(call, new, fail_in, n, on)
  local s = calls.scene(new.blob)
  local f, arguments = calls.prepare(s, call)
  fail_in(n, on)
  local ok, first, second = pcall(f, unpack(arguments, 1, arguments.n))
  local failed = fail_in(-1)
  s.over = ok and call.title == "world.destroy"
  check_valid(s)
  if failed == 0 then return false end
  if ok and first == nil and type(second) == "string" then ok, first = false, second end
  if ok then return true end -- it did without
  assert(tostring(first):find("not enough memory", 1, true), first)
  assert(not tostring(first):find "^%.?/?lua/cuttle", first) -- the line of the script, not of the library
  local in_lua = fail_in ~= testing.fail_in
  assert(new.picture == picture(s), "something has changed")
  if not in_lua or not IDS_USED_UP[call.title] then assert(new.hash == s.entities:hash(), "the hash has changed") end
  return true
end

describe("with memory running out, seed " .. seed .. ",", function()
  if not testing then
    it("functions fail cleanly", function() pending "only test builds make allocations fail" end)
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

  -- Plays all functions, going on by up to 'stride' allocations. How often one failed. Nothing is collected while
  -- memory is missing: a finalizer that cannot be called for want of it is lost, and with it what it would have freed.
  local function sweep(fail_in, stride)
    local s, failures = calls.scene(), 0
    local new = { blob = s.blob, picture = picture(s), hash = s.entities:hash() }
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
        collectgarbage "stop" -- a collection by hand had it go on
      end
    end
    collectgarbage "restart"
    return failures
  end

  it("of the core, every function raises or says so, and changes nothing", function()
    kinds[1].with(function() assert.is_true(sweep(testing.fail_in, math.ceil(2 / rounds(1, 1))) > 0) end)
  end)

  it("of Lua, every function raises or says so, changes nothing, and nothing leaks", function()
    if starving.missing then return pending(starving.missing) end
    collect()
    local held = testing.held_bytes()
    starving.with(function()
      assert.is_true(sweep(testing.fail_lua_in, math.ceil((slow and 15 or 45) / rounds(1, 1))) > 0)
    end)
    collect()
    assert.equal(held, testing.held_bytes())
  end)
end)
