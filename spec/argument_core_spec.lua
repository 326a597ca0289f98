-- Functions of the core that the Lua part of cuttle uses. Scripts can get them from package.loaded, or by replacing
-- functions of Lua. With any arguments they raise or work, and every invariant holds.

local calls = require "spec.support.calls"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local wrong_values = require "spec.support.wrong_values"

-- For specs only, writes files, or returns its result only once.
local LEFT_OUT = { testing = true, file = true, take_compiled = true }

-- All functions in a table, as { name, function }, in the same order on every host.
local function functions_in(holder, before, found)
  for name, value in pairs(holder) do
    if type(value) == "function" and not LEFT_OUT[name] then
      found[#found + 1] = { before .. name, value }
    elseif type(value) == "table" and not LEFT_OUT[name] then
      functions_in(value, before .. name .. ".", found)
    end
  end
  table.sort(found, function(a, b) return a[1] < b[1] end)
  return found
end

describe("a function of the core, seed " .. seed .. ",", function()
  -- One function changes the metatable of all light userdata, so the old one is restored for other specs.
  local any, before = cuttle.entity_from_id(0), nil
  before_each(function() before = debug.getmetatable(any) end)
  after_each(function() debug.setmetatable(any, before) end)

  it("raises or works with any arguments, and all objects stay valid", function()
    local random, functions = new_random(seed), functions_in(core, "", {})
    assert.is_true(#functions > 30)
    local blob = calls.scene().blob
    for _ = 1, rounds(12, 3) do
      local s = calls.scene(blob)
      local values, count = wrong_values(s, calls.scene(blob))
      local objects = { s.world, s.entities, s.health, s.world.model, s.level, s.resource, s.template, "transform",
        s.blob, { position = { 1, 2, 3 } }, { "health" }, { { "hp", "float" } } }
      for _ = 1, 400 do
        local call, arguments, given = functions[random(#functions)], {}, random(9) - 1
        for i = 1, given do
          if random(3) == 1 then arguments[i] = objects[random(#objects)] else arguments[i] = values[random(count)] end
        end
        pcall(call[2], unpack(arguments, 1, given))
      end
      local open, sound, message = pcall(s.world.validate, s.world)
      assert(not open or sound, message)
      assert(s.entities:validate())
    end
  end)

  it("that writes a resource accepts only lists of integers", function()
    raises("lists of integers expected", core.compile.resource, false, {}, {}, {}, nil, {}, {}, {})
    raises("lists of integers expected", core.compile.resource, false, 5, {}, {}, {}, {}, {}, {})
  end)
end)
