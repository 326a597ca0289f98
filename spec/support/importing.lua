-- Shared tests of importers: documents, damaged documents, wrong arguments.

local assert = require "luassert"
local raises = require "spec.support.raises"

local importing = {}

--- Returns three functions that import a document or by default a sample: the results of the importer, the level, and
--- the message of a failure.
function importing.ways(importer, encode, sample)
  local function import(document, options)
    return importer(encode(document or sample()), options)
  end
  local function level_source(document, options)
    return (assert(import(document, options)))
  end
  local function failure(document, options)
    local result, message = import(document, options)
    assert.is_nil(result)
    return message
  end
  return import, level_source, failure
end

--- Defines a test for each wrong argument of any importer. `wrong` is specific to the importer: `misspelt`, an unknown
--- option and the option that it resembles; `types`, options with values of a wrong type; `contents`, options with
--- wrong values of the right type.
function importing.refuses(importer, name, wrong)
  local it = require("busted").it -- missing if another program than a spec uses samples

  local function refused(number, text, ...)
    raises(("bad argument #%d to '%s' (%s"):format(number, name, text), importer, ...)
  end

  it("raises if there is no text and no path", function()
    refused(1, "text or path expected, got nil)")
    refused(1, "text or path expected, got table)", {})
  end)

  it("raises if the options are not a table", function()
    refused(2, "options table expected, got string)", "{}", "x")
  end)

  it("raises for an unknown option, and suggests the nearest", function()
    local misspelt, meant = unpack(wrong.misspelt)
    refused(2, ("unknown option '%s' (did you mean '%s'?))"):format(misspelt, meant), "{}", { [misspelt] = true })
    refused(2, "unknown option '1'", "{}", { 5 })
  end)

  for option, value in pairs(wrong.types) do
    it("raises for option " .. option, function()
      refused(2, ('option "%s": expected '):format(option), "{}", { [option] = value })
    end)
  end

  it("raises for a mapping that is not a function", function()
    local text = 'option "components": expected functions by name, got '
    refused(2, text .. 'table at "Ship")', "{}", { components = { Ship = {} } })
    refused(2, text .. 'function at "1")', "{}", { components = { print } })
  end)

  it("names the line of the caller in errors", function()
    local all = { { {} }, { "{}", "x" }, { "{}", { [wrong.misspelt[1]] = true } },
      { "{}", { components = { Ship = {} } } } }
    for option, value in pairs(wrong.types) do all[#all + 1] = { "{}", { [option] = value } } end
    for _, options in ipairs(wrong.contents) do all[#all + 1] = { "{}", options } end
    for _, arguments in ipairs(all) do
      local line
      local _, message = pcall(function()
        line = debug.getinfo(1, "l").currentline + 1
        local result = importer(unpack(arguments))
        return result
      end)
      assert.matches(("importing.lua:%d: bad argument"):format(line), message, 1, true)
    end
  end)
end

-- Every place in a document, as a table and a key.
local function places_of(value, list)
  for key, item in pairs(value) do
    list[#list + 1] = { value, key }
    if type(item) == "table" then places_of(item, list) end
  end
  return list
end

--- Damages a document in one or two places: removes a value, or replaces it by a result of `junk()`.
function importing.damage(document, junk)
  for _ = 1, math.random(2) do
    local list = places_of(document, {})
    if #list == 0 then return document end
    local holder, key = unpack(list[math.random(#list)])
    if math.random(4) > 1 then
      holder[key] = junk()
    elseif type(key) == "number" then
      table.remove(holder, key)
    else
      holder[key] = nil
    end
  end
  return document
end

local KEYS = { name = true, id = true, parent = true, components = true, children = true }

--- Asserts that this is a level: known keys only, and finite numbers in transforms.
function importing.assert_is_source(entities)
  for _, node in ipairs(entities) do
    for key in pairs(node) do assert.is_true(KEYS[key], key) end
    for _, part in pairs(assert(node.components.transform)) do
      for _, number in ipairs(type(part) == "table" and part or { part }) do assert.is_true(number - number == 0) end
    end
    importing.assert_is_source(node.children or {})
  end
end

return importing
