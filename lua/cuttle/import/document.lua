--- Decodes what importers read: JSON in which no key stands twice in an object.
-- Knows nothing of a particular editor's format.
-- @module cuttle.import.document

local json = require "cuttle.json"
local source = require "cuttle.import.source"
local unique = require "cuttle.json.unique"

local documents = {}

-- Where a key stands twice in an object of a text, nil if nowhere. What a decoder of the script makes may be anything.
local function duplicate_in(text, value, custom, tell)
  if not custom then return unique.trouble(text, value, tell) end
  local fine, message = json.check(text, tell)
  return not fine and message:find("duplicate key", 1, true) and message or nil
end

-- What is wrong with a text. Of a file that a document names no word is quoted.
local function told(cursor, message)
  return cursor.is_named and json.without_quotes(message) or message
end

--- How an import decodes its files: function(cursor, text) -> value. Fails at the cursor.
-- @tparam table options `json` (a decoder of the script, which may read more than JSON: only keys that stand twice are
-- refused then) and `progress` are used
-- @tparam[opt] function shortcut function(text, decode) -> value, or nil for the ordinary way: tried first with JSON
-- that no decoder of the script reads. Its `decode(text)` gives a value, nil where text is no JSON or has a key twice.
function documents.decoder(options, shortcut)
  local decode, progress = json.decoder(options.json), options.progress
  local tell = progress and function(done, count) progress("decoding", done, count) end
  local function decode_part(text)
    local value = decode(text)
    return value ~= nil and not unique.trouble(text, value) and value or nil
  end
  return function(cursor, text)
    if progress then progress("decoding") end
    local kind = not options.json and source.kind_of(text) or "JSON"
    if kind ~= "JSON" then
      cursor:fail(nil, "this is %s, not JSON: maps that Tiled wrote so are read by the tiled importer", kind)
    end
    local value, message
    if shortcut and not options.json then value = shortcut(text, decode_part) end
    if value == nil then
      value, message = decode(text, tell)
      if value == nil then cursor:fail(nil, "%s", told(cursor, message)) end
      local trouble = duplicate_in(text, value, options.json, tell)
      if trouble then cursor:fail(nil, "%s", told(cursor, trouble)) end
    end
    if progress then progress("importing") end
    return value
  end
end

return documents
