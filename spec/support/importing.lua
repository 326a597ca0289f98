-- What the specs of all importers ask: what becomes of a document, and of a damaged one.

local assert = require "luassert"

local importing = {}

--- Three ways to import a document, a sample when there is none: what the importer answers; the level source; the
-- message of a failure.
function importing.ways(importer, encode, sample)
  local function import(document, options)
    return importer(encode(document or sample()), options)
  end
  local function level_source(document, options)
    return assert(import(document, options))
  end
  local function failure(document, options)
    local result, message = import(document, options)
    assert.is_nil(result)
    return message
  end
  return import, level_source, failure
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
