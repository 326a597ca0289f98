-- Every function, found in the tables at run time, with a wrong argument in every place: it raises a string that names
-- the argument, or works, and a refused call changes nothing.

local calls = require "spec.support.calls"
local core = require "cuttle.core"
local files = require "cuttle.files"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local wrong_values = require "spec.support.wrong_values"

-- Error messages of Lua itself about code of the module, and errors with a line of the module instead of the script.
local OUR_MISTAKES = { "attempt to", "table index is", "^%.?/?lua/cuttle" }
-- Patterns that name an argument, or the object that lacks a property.
local NAMES_IT = { "bad argument #%d", "expected", "is outside", "is dead", "stale %w+ instance",
  "has no component ids", "column of numbers", "is defined with other fields", "needs LuaJIT", "is full",
  "not enough memory", "line %d+: ", "has no condition", "unknown parameter" }

local function has(message, patterns)
  for _, pattern in ipairs(patterns) do
    if message:find(pattern) then return true end
  end
  return false
end

local function is_clear(message)
  return type(message) == "string" and has(message, NAMES_IT) and not has(message, OUR_MISTAKES)
end

describe("every function, seed " .. seed .. ",", function()
  local random, write = new_random(seed), files.write
  local first = calls.scene()
  local blob, all = first.blob, calls.all(first)

  before_each(function() files.write = function() return true end end)
  after_each(function()
    files.write = write
    if core.testing then core.testing.fail_in(-1) end
  end)

  -- Puts a wrong value at 'place'. Sometimes later arguments are removed too.
  local function spoil(s, other, arguments, place)
    local values, count = wrong_values(s, other)
    arguments[place] = values[random(count)]
    arguments.n = math.max(arguments.n, place)
    if random(8) == 1 then arguments.n = place end
  end

  local function check_valid(s)
    assert(s.entities:validate())
    local open, valid, message = pcall(s.world.validate, s.world)
    if open then assert(valid, message) end
  end

  it("has a sample call that works", function()
    for _, call in ipairs(calls.sample(all, random)) do
      if call.arguments then
        local f, arguments = calls.prepare(calls.scene(blob), call)
        local ok, result, message = pcall(f, unpack(arguments, 1, arguments.n))
        if not ok or result == nil and message then error(call.title .. ": " .. tostring(message or result), 0) end
      end
    end
  end)

  it("of the reference is among the called ones", function()
    local called = {}
    for _, call in ipairs(all) do called[call.name] = true end
    for line in io.lines "lua/cuttle/meta.lua" do
      local class, name = line:match "^function ([%w_]+)[.:]([%w_]+)%("
      if class and class:lower() ~= "inspector" then assert.is_true(called[name], class .. ":" .. name) end
    end
  end)

  it("with a wrong argument raises a clear message or works, and a refused call changes nothing", function()
    local other = calls.scene(blob)
    local hash = other.entities:hash()
    for _, call in ipairs(calls.sample(all, random)) do
      local _, right = calls.prepare(first, call)
      for place = 1, right.n + 1 do
        for _ = 1, rounds(1, 1) do
          local s = calls.scene(blob)
          local f, arguments = calls.prepare(s, call)
          local before = s.entities:hash()
          spoil(s, other, arguments, place)
          local ok, message = pcall(f, unpack(arguments, 1, arguments.n))
          -- An error that is a table comes from a value that raises when it is accessed.
          if not ok and type(message) ~= "table" and not is_clear(message) then
            error(("%s, argument %d: %s"):format(call.title, place, tostring(message)), 0)
          end
          if not ok and s.entities:hash() ~= before then
            error(("%s, argument %d: was refused, but changed something: %s"):format(call.title, place, message), 0)
          end
          check_valid(s)
          if other.entities:hash() ~= hash then
            check_valid(other)
            other = calls.scene(blob)
          end
        end
      end
    end
  end)
end)
