-- Every method of every kind of object, with arguments that are each valid for some function: living, dead and foreign
-- entities, instances, ids, names, tables in the form of other calls, objects of other kinds. A call raises a string or
-- works, nothing crashes, and every invariant holds.

local calls = require "spec.support.calls"
local collect = require "spec.support.collect"
local cuttle = require "cuttle"
local files = require "cuttle.files"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local CALLS_IN_SCENE, CALLS_AFTER_DESTROY = 300, 20

-- Some functions take seconds if a count is at least this number.
local MANY = 2 ^ 20

-- The scene of calls.lua, with a component without fields and one with only a value field.
local function new_scene(blob)
  local s = calls.scene(blob)
  s.frozen = s.world:define("frozen", {})
  s.notes = s.world:define("notes", { { "content", "value" } }, { lookup = "array" })
  s.frozen:create_many { s.one, s.two }
  s.notes:create_many({ s.one, s.bare }, { content = { 1, 2 } })
  s.recorder, s.snapshot = cuttle.recorder(s.entities, { keep = 3 }), s.entities:snapshot()
  s.recorder:frame()
  return s
end

-- The tables of calls.lua are used in many scenes, and some functions write to their arguments.
local function copy(value)
  if type(value) ~= "table" or getmetatable(value) ~= nil then return value end
  local own = {}
  for key, item in pairs(value) do own[key] = copy(item) end
  return own
end

-- The function of a call and valid arguments, or only self if the scene lacks the component.
local function prepare(s, call)
  local ok, f, arguments = pcall(calls.prepare, s, call)
  if ok then return f, copy(arguments) end
  local object = s[call.object] or s.world[call.object]
  return object[call.name], { n = 1, object }
end

local WORDS = { "a", "b", "x", "hp", "text", "pos", "who", "loot", "state", "size", "content", "idle", "name",
  "resource", "health", "part", "frozen", "notes", "transform", "!frozen", "?part", "tip", "pit", "pit/foe",
  "immediate", "deferred", "world_matrix", "local_rotation", "crate", "rig", "tiles" }

-- Values that are valid for some function in the scene, as groups { n =, ... } of one type.
local function valid_values(s, all)
  local objects, numbers, strings, tables, rest = { n = 0 }, { n = 0 }, { n = 0 }, { n = 0 }, { n = 0 }
  local groups = { userdata = objects, cdata = objects, number = numbers, string = strings, table = tables }
  local function add(value)
    local group = groups[type(value)] or rest
    group.n = group.n + 1
    group[group.n] = value
  end
  for _, call in ipairs(all) do
    local _, arguments = prepare(s, call)
    for i = 1, arguments.n do add(arguments[i]) end
  end
  for _, word in ipairs(WORDS) do add(word) end
  for number = 0, 5 do add(number) end
  for _, e in ipairs { s.one, s.two, s.bare, s.other, s.dead, s.level:entity(1), s.level:entity(2) } do
    for _ = 1, 10 do add(e) end
    add(cuttle.entity_id(e))
    for _, manager in s.world:managers() do add((manager:lookup(e))) end
  end
  for _, value in ipairs { s.stale, cuttle.NOBODY, true, false, s.cells } do add(value) end
  add(nil)
  return { objects, objects, numbers, strings, tables, rest }
end

describe("every function, seed " .. seed .. ",", function()
  local random, write = new_random(seed), files.write
  local first = new_scene()
  local blob, all = first.blob, calls.all(first)

  before_each(function() files.write = function() return true end end)
  after_each(function() files.write = write end)

  local function choose(groups)
    local group = groups[random(#groups)]
    local value = group[random(group.n)]
    if type(value) == "number" and value >= MANY and random(4) > 1 then return value % MANY end
    return value
  end

  -- The first arguments are often those of a valid call, so that a check of the first does not hide later ones.
  local function mix(arguments, values, foreign)
    local kept, added = random(arguments.n + 1) - 1, random(4)
    if arguments.n > 0 and kept == 0 and random(8) > 1 then kept = 1 end
    for place = kept + 1, kept + added do arguments[place] = choose(random(6) == 1 and foreign or values) end
    arguments.n = kept + added
  end

  local function describe_call(call, arguments)
    local texts = {}
    for i = 1, arguments.n do
      local _, text = pcall(tostring, arguments[i])
      texts[i] = tostring(text)
    end
    return ("%s(%s)"):format(call.title, table.concat(texts, ", "))
  end

  local function is_open(s) return (pcall(s.world.memory, s.world)) end

  local function check_valid(s, done)
    local valid, message = s.entities:validate()
    if valid and is_open(s) then valid, message = s.world:validate() end
    if not valid then error(message .. " after\n" .. table.concat(done, "\n"), 0) end
  end

  local function play(s, values, foreign, done)
    local left = CALLS_IN_SCENE
    while left > 0 do
      left = math.min(left - 1, is_open(s) and left or CALLS_AFTER_DESTROY)
      local call = all[random(#all)]
      local prepared, f, arguments = pcall(prepare, s, call)
      if prepared then
        mix(arguments, values, foreign)
        done[#done + 1] = describe_call(call, arguments)
        local ok, message = pcall(f, unpack(arguments, 1, arguments.n))
        if not ok and (type(message) ~= "string" or message:find "^%.?/?lua/cuttle") then
          error(done[#done] .. ": " .. tostring(message), 0)
        end
      end
    end
  end

  it("with arguments of other functions raises a string or works, and all objects stay valid", function()
    local other = new_scene(blob)
    local foreign = valid_values(other, all)
    for _ = 1, rounds(20, 4) do
      local s, done = new_scene(blob), {}
      play(s, valid_values(s, all), foreign, done)
      check_valid(s, done)
      check_valid(other, done)
      collect()
    end
  end)

  it("of a manager without component ids finds no component by an id", function()
    local s = new_scene(blob)
    for name, manager in s.world:managers() do
      assert.is_true(manager:has(s.one), name)
      if not pcall(manager.ids, manager, s.one) then
        for _, id in ipairs { 1, 2, "a", "x", 2 ^ 30 - 1 } do
          assert.is_nil(manager:lookup(s.one, id), name)
          assert.is_nil(manager:lookup(s.bare, id), name)
        end
      end
    end
  end)
end)
