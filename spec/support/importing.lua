-- What the specs of all importers ask: what becomes of a document, and of a damaged one.

local assert = require "luassert"
local raises = require "spec.support.raises"

local importing = {}

--- Three ways to import a document, a sample when there is none: what the importer answers; the level source; the
-- message of a failure.
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

--- What every importer refuses, a test each. What is wrong for this one is told: `misspelt`, an unknown option and the
-- one it looks like; `types`, options with values of a wrong type; `contents`, options whose values have the right
-- type, and no more than that.
function importing.refuses(importer, name, wrong)
  local it = require("busted").it -- not there when other than specs ask for samples

  local function refused(number, text, ...)
    raises(("bad argument #%d to '%s' (%s"):format(number, name, text), importer, ...)
  end

  it("raises when there is no text or path", function()
    refused(1, "text or path expected, got nil)")
    refused(1, "text or path expected, got table)", {})
  end)

  it("raises when options are no table", function()
    refused(2, "options table expected, got string)", "{}", "x")
  end)

  it("raises for an unknown option and names the nearest", function()
    local misspelt, meant = unpack(wrong.misspelt)
    refused(2, ("unknown option '%s' (did you mean '%s'?))"):format(misspelt, meant), "{}", { [misspelt] = true })
    refused(2, "unknown option '1'", "{}", { 5 })
  end)

  for option, value in pairs(wrong.types) do
    it("raises for option " .. option, function()
      refused(2, ('option "%s": expected '):format(option), "{}", { [option] = value })
    end)
  end

  it("raises for a mapping that is no function", function()
    local text = 'option "components": expected functions by name, got '
    refused(2, text .. 'table at "Ship")', "{}", { components = { Ship = {} } })
    refused(2, text .. 'function at "1")', "{}", { components = { print } })
  end)

  it("raises at the line of the caller", function()
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

-- Every place in a document, as its table and key.
local function places_of(value, list)
  for key, item in pairs(value) do
    list[#list + 1] = { value, key }
    if type(item) == "table" then places_of(item, list) end
  end
  return list
end

--- Breaks a document in one place or two: takes something out, or puts what `junk()` answers there.
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

--- Whether this is level source: known keys only, and every number of a transform is one.
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
