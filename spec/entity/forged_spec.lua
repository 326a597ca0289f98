-- Forged light userdata of all address segments, and numbers with bits that are other values to LuaJIT, passed to every
-- method: nothing crashes.

-- tags: machine

local calls = require "spec.support.endings_calls"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local light_userdata = require "spec.support.light_userdata"

local ENDS = { destroy = true, clear = true }

-- Values that the interpreter accepts: LuaJIT raises for addresses that no process has.
local function forged()
  local values = { light_userdata.null() }
  for _, high in ipairs { 0, 1, 0xff, 0x1234, 0x7ffe, 0x7fff, 0x8000, 0xffff, 0x10000, 2 ^ 31 - 1, 2 ^ 32 - 1 } do
    for _, low in ipairs { 0, 1, 2, 3, 5, 4001, 2 ^ 31 + 1, 2 ^ 32 - 3, 2 ^ 32 - 1 } do
      local made, value = pcall(light_userdata.make, low, high)
      if made then values[#values + 1] = value end
    end
  end
  -- LuaJIT scripts can get a real address here.
  if debug.upvalueid then values[#values + 1] = debug.upvalueid(forged, 1) end -- luacheck: ignore 143
  return values
end

describe("a forged light userdata", function()
  it("is treated as an unknown entity or refused by every method and function", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    world:define("health", { { "hp", "float" }, { "friend", "entity" } })
    world:create { health = {}, transform = {} }
    local objects = { { "entities", entities }, { "world", world }, { "manager", world.health },
      { "manager", world.transform }, { "list", cuttle.list() }, { "module", cuttle } }
    for _, object in ipairs(objects) do
      for _, call in ipairs(calls.of(object[1], object[2])) do
        for _, value in ipairs(ENDS[call.name] and {} or forged()) do
          local self = call.object or value
          local done, message = pcall(call.f, self, value, value, value)
          assert.is_true(done or type(message) == "string", call.name)
          -- The value as second argument, after a valid first one.
          done, message = pcall(call.f, self, world.health:at(0), value)
          assert.is_true(done or type(message) == "string", call.name)
        end
      end
    end
    assert.is_true(assert(entities:validate()))
    assert.is_true(assert(world:validate()))
  end)

  it("above 32 bits is not an entity", function()
    if not core.testing then return pending "only test builds make light userdata" end
    for _, high in ipairs { 1, 0x7fff } do
      local made, value = pcall(light_userdata.make, 5, high)
      if made and value ~= light_userdata.make(5) then assert.is_false(cuttle.is_entity(value)) end
    end
    assert.is_true(cuttle.is_entity(light_userdata.make(5)))
  end)
end)

describe("a NaN of any bits", function()
  -- Doubles whose bits LuaJIT would take for strings, tables, light userdata, functions or numbers.
  it("is read by a reader as a number", function()
    for high = 0xf0, 0xff do
      for low = 0, 0xff, 5 do
        local bytes = ("\1\2\3\4\5"):rep(2):sub(1, 5) .. string.char(low, high, 0xff)
        for _, text in ipairs { bytes, bytes:reverse(), string.char(low, high, 0xff, 0x7f):rep(2),
          ("\255"):rep(6) .. string.char(low, high) } do
          local double, r = cuttle.reader(text):f64(), cuttle.reader(text)
          local a, b = r:f32(), r:f32()
          for _, number in ipairs { double, a, b } do
            assert(type(number) == "number" and type(number + 1) == "number" and tostring(number))
          end
        end
      end
    end
  end)
end)
