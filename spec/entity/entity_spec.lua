-- Entities as values: ids, tags, texts.

-- tags: machine

local cuttle = require "cuttle"
local light_userdata = require "spec.support.light_userdata"
local raises = require "spec.support.raises"

local MAX_ID = 2^30 - 1

local function light(bits, high)
  local value = light_userdata.make(bits, high)
  if value == nil then pending "only test builds make light userdata" end
  return value
end

-- Every kind of value that is not an entity, with its name in messages.
local OTHERS = {
  { "nil", nil }, { "boolean", true }, { "number", 1 }, { "string", "1" }, { "table", {} },
  { "function", print }, { "thread", coroutine.create(function() end) }, { "userdata", io.stdout },
}

-- All light userdata of a Lua state share one metatable. Other specs, which may run in the same process, set it.
local any, before = cuttle.entity_from_id(0), nil

local function without_metatable()
  before = debug.getmetatable(any)
  debug.setmetatable(any, nil)
end

local function restore_metatable() debug.setmetatable(any, before) end

describe("an entity", function()
  before_each(without_metatable)
  after_each(restore_metatable)

  it("is made from an id and has that id", function()
    for _, id in ipairs { 0, 1, 2, 4194303, 4194304, 12345678, MAX_ID } do
      assert.equal(id, cuttle.entity_id(cuttle.entity_from_id(id)))
    end
  end)

  it("is a light userdata", function()
    assert.equal("userdata", type(cuttle.entity_from_id(7)))
    assert.is_nil(debug.getmetatable(cuttle.entity_from_id(7)))
  end)

  it("has an index in the low 22 bits of its id and a generation in the 8 above", function()
    local e = cuttle.entity_from_id(1042 + 2^22 * 7)
    assert.equal(1042, cuttle.entity_index(e))
    assert.equal(7, cuttle.entity_generation(e))
    local last = cuttle.entity_from_id(MAX_ID)
    assert.equal(4194303, cuttle.entity_index(last))
    assert.equal(255, cuttle.entity_generation(last))
  end)

  it("equals another one exactly if the ids are equal", function()
    assert.is_true(cuttle.entity_from_id(5) == cuttle.entity_from_id(5))
    assert.is_false(cuttle.entity_from_id(5) == cuttle.entity_from_id(6))
    assert.is_false(cuttle.entity_from_id(5) == cuttle.entity_from_id(5 + 2^22))
  end)

  it("can be a table key", function()
    local seen = { [cuttle.entity_from_id(5)] = "five" }
    assert.equal("five", seen[cuttle.entity_from_id(5)])
    assert.is_nil(seen[cuttle.entity_from_id(6)])
  end)

  it("makes no garbage", function()
    local make = cuttle.entity_from_id
    make(1)
    collectgarbage()
    collectgarbage "stop"
    local used = collectgarbage "count"
    for i = 1, 1000 do make(i) end
    local after = collectgarbage "count"
    collectgarbage "restart"
    assert.is_true(after - used < 4, ("%g KB for 1000 entities"):format(after - used))
  end)

  it("has its id shifted left by two, and tag 1 in the two low bits", function()
    assert.is_true(light(5 * 4 + 1) == cuttle.entity_from_id(5))
    assert.is_true(light(0xFFFFFFFD) == cuttle.entity_from_id(MAX_ID))
  end)

  it("has the text entity(INDEX:GENERATION)", function()
    assert.equal("entity(1042:3)", cuttle.entity_tostring(cuttle.entity_from_id(1042 + 2^22 * 3)))
    assert.equal("entity(0:0)", cuttle.entity_tostring(cuttle.entity_from_id(0)))
    assert.equal("entity(4194303:255)", cuttle.entity_tostring(cuttle.entity_from_id(MAX_ID)))
  end)
end)

describe("entity_from_id", function()
  for _, id in ipairs { -1, 2^30, 0xFFFFFFFF, 2^53, 1.5, 1e300, math.huge, -math.huge, 0 / 0 } do
    it("refuses " .. id, function()
      raises("integer in [0, 1073741823] expected, got", cuttle.entity_from_id, id)
    end)
  end

  it("refuses a value that is not a number", function()
    raises("number expected, got string", cuttle.entity_from_id, "5")
    raises("number expected, got no value", cuttle.entity_from_id)
  end)
end)

describe("a value that is not an entity", function()
  local functions = { "entity_id", "entity_index", "entity_generation", "entity_tostring" }

  for _, name in ipairs(functions) do
    for _, other in ipairs(OTHERS) do
      it(("is refused and named by %s: %s"):format(name, other[1]), function()
        raises(("(entity expected, got %s)"):format(other[1]), cuttle[name], other[2])
      end)
    end

    it("is refused by " .. name .. " if it is missing", function()
      raises("entity expected, got no value", cuttle[name])
    end)

    for _, tag in ipairs { 0, 2, 3 } do
      it(("is refused by %s if it is a light userdata with tag %d"):format(name, tag), function()
        raises("entity expected, got light userdata with tag " .. tag, cuttle[name], light(5 * 4 + tag))
      end)
    end
  end

  it("is refused with the function's name and the argument's number", function()
    raises("bad argument #1 to 'entity_index' (entity expected, got table)", function() cuttle.entity_index {} end)
  end)

  it("may be a NULL pointer", function()
    local null = light_userdata.null()
    if null == nil then return pending "no light userdata at hand" end
    raises("entity expected, got light userdata with tag 0", cuttle.entity_id, null)
  end)

  it("may be a pointer above 4 GB with tag 1", function()
    local value = light(5 * 4 + 1, 1)
    if value == light(5 * 4 + 1) then return pending "addresses have 32 bits" end
    assert.is_false(cuttle.is_entity(value))
    raises("entity expected, got light userdata that is not an entity", cuttle.entity_id, value)
  end)
end)

describe("is_entity", function()
  it("is true for an entity of any generation", function()
    assert.is_true(cuttle.is_entity(cuttle.entity_from_id(0)))
    assert.is_true(cuttle.is_entity(cuttle.entity_from_id(MAX_ID)))
  end)

  it("is false for all other values", function()
    for _, other in ipairs(OTHERS) do assert.is_false(cuttle.is_entity(other[2])) end
    assert.is_false(cuttle.is_entity(cuttle.list()))
    assert.is_false(cuttle.is_entity(light_userdata.null()))
  end)

  it("is false for light userdata with tags 0, 2 and 3", function()
    for _, tag in ipairs { 0, 2, 3 } do assert.is_false(cuttle.is_entity(light(20 + tag))) end
  end)
end)

describe("tag", function()
  it("is 1 for an entity", function()
    assert.equal(1, cuttle.tag(cuttle.entity_from_id(77)))
  end)

  it("is 0 for a raw pointer", function()
    local null = light_userdata.null()
    if null == nil then return pending "no light userdata at hand" end
    assert.equal(0, cuttle.tag(null))
  end)

  it("is 0, 2 or 3 for other light userdata", function()
    for _, tag in ipairs { 0, 2, 3 } do assert.equal(tag, cuttle.tag(light(1000 * 4 + tag))) end
  end)

  it("is nil for all other values", function()
    for _, other in ipairs(OTHERS) do assert.is_nil(cuttle.tag(other[2])) end
  end)
end)

describe("the constants", function()
  it("have the values of the contract", function()
    assert.equal(22, cuttle.ENTITY_INDEX_BITS)
    assert.equal(8, cuttle.ENTITY_GENERATION_BITS)
    assert.equal(1, cuttle.ENTITY_TAG)
    assert.equal(4194304, cuttle.MAX_ENTITIES)
    assert.equal(4294967295, cuttle.NOBODY)
  end)
end)

describe("pretty_entities", function()
  before_each(without_metatable)
  after_each(restore_metatable)

  it("is opt-in", function()
    assert.matches("^userdata: ", tostring(cuttle.entity_from_id(5)))
  end)

  it("makes tostring return entity(INDEX:GENERATION)", function()
    cuttle.pretty_entities()
    assert.equal("entity(5:0)", tostring(cuttle.entity_from_id(5)))
    assert.equal("entity(5:1)", ("%s"):format(tostring(cuttle.entity_from_id(5 + 2^22))))
  end)

  it("does not change the text of other light userdata", function()
    local null = light_userdata.null()
    if null == nil then return pending "no light userdata at hand" end
    cuttle.pretty_entities()
    assert.matches("^userdata: ", tostring(null))
  end)

  it("keeps an existing __tostring for other light userdata", function()
    local null = light_userdata.null()
    if null == nil then return pending "no light userdata at hand" end
    debug.setmetatable(any, { __tostring = function() return "a host pointer" end })
    cuttle.pretty_entities()
    assert.equal("a host pointer", tostring(null))
    assert.equal("entity(9:0)", tostring(cuttle.entity_from_id(9)))
  end)

  it("keeps the rest of an existing metatable", function()
    local metatable = { __index = { answer = 42 } }
    debug.setmetatable(any, metatable)
    cuttle.pretty_entities()
    assert.equal(metatable, debug.getmetatable(any))
    assert.equal(42, any.answer)
  end)

  it("may be called twice", function()
    debug.setmetatable(any, { __tostring = function() return "a host pointer" end })
    cuttle.pretty_entities()
    cuttle.pretty_entities()
    assert.equal("entity(9:0)", tostring(cuttle.entity_from_id(9)))
    assert.equal("a host pointer", tostring(light_userdata.null() or io.stdout):gsub("^file.*", "a host pointer"))
  end)
end)
