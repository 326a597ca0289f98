--- JSON decoder of the importers. Refuses duplicate keys.
-- Does not depend on the format of an editor.
-- @module cuttle.import.document

local json = require "cuttle.json"
local source = require "cuttle.import.source"
local unique = require "cuttle.json.unique"

local documents = {}

-- Returns the message about a duplicate key in a text, or nil. The result of a script's decoder may be any value, so
-- then the text itself is checked.
local function duplicate_in(text, value, custom, progress)
  if not custom then return unique.trouble(text, value, progress) end
  local fine, message = json.check(text, progress)
  return not fine and message:find("duplicate key", 1, true) and message or nil
end

-- The message about an error in a text. It quotes nothing from a file that a document names.
local function message_at(cursor, message)
  return cursor.is_named and json.without_quotes(message) or message
end

--- Makes the decoder of an import: function(cursor, text) -> value. It raises errors at the cursor.
-- @tparam table options uses `json` (a decoder of the script, which may accept more than JSON; then only duplicate keys
-- are refused) and `progress`
-- @tparam[opt] function shortcut function(text, decode) -> value, or nil to decode normally. Tried first, unless the
-- script has a decoder. Its `decode(text)` returns a value, or nil if the text is not JSON or has a duplicate key.
function documents.decoder(options, shortcut)
  local decode, progress = json.decoder(options.json), options.progress
  local report = progress and function(done, count) progress("decoding", done, count) end
  local function decode_part(text)
    local value = decode(text)
    return value ~= nil and not unique.trouble(text, value) and value or nil
  end
  return function(cursor, text)
    if progress then progress("decoding") end
    local kind = not options.json and source.kind_of(text) or "JSON"
    if kind ~= "JSON" then
      cursor:fail(nil, "this is %s, not JSON: use the tiled importer for maps of Tiled in this format", kind)
    end
    local value, message
    if shortcut and not options.json then value = shortcut(text, decode_part) end
    if value == nil then
      value, message = decode(text, report)
      if value == nil then cursor:fail(nil, "%s", message_at(cursor, message)) end
      local trouble = duplicate_in(text, value, options.json, report)
      if trouble then cursor:fail(nil, "%s", message_at(cursor, trouble)) end
    end
    if progress then progress("importing") end
    return value
  end
end

return documents
