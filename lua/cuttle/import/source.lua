--- What every importer needs: reading text or path, files that a document names, options, mappings.
-- Knows nothing of a particular editor's format.
-- @module cuttle.import.source

local cursors = require "cuttle.import.cursor"
local each = require "cuttle.each"
local failure = require "cuttle.failure"
local files = require "cuttle.files"
local json = require "cuttle.json"

local is_null, show = json.is_null, failure.show

local source = {}

-- Arguments of the script ------------------------------------------------------------------------------------------

--- Raises a script's mistake as a bad argument of the importer, at the line that called it: for checks that the
-- importer calls, not for the importer itself.
function source.bad_argument(importer, number, message, ...)
  error(string.format("bad argument #%d to '%s' (%s)", number, importer, string.format(message, ...)), 4)
end

local function is_one_of(kind, wanted)
  return ("|" .. wanted .. "|"):find("|" .. kind .. "|", 1, true) ~= nil
end

--- Checks the options against `known` (name -> accepted types, `"boolean|function"`). Raises; returns a copy.
function source.options(importer, number, options, known)
  if options ~= nil and type(options) ~= "table" then
    source.bad_argument(importer, number, "options table expected, got %s", type(options))
  end
  local names, copy = {}, {}
  for name in each, known do names[#names + 1] = name end
  table.sort(names)
  for name, value in each, options or {} do
    if type(name) ~= "string" or not known[name] then
      source.bad_argument(importer, number, "unknown option '%s'%s", tostring(name), failure.hint(name, names))
    end
    local wanted = known[name]
    if not is_one_of(type(value), wanted) then
      wanted = wanted:gsub("|", " or ")
      source.bad_argument(importer, number, "option %q: expected %s, got %s", name, wanted, type(value))
    end
    copy[name] = value
  end
  return copy
end

--- Checks that a table of mappings goes from names to functions. Raises.
function source.check_mappings(importer, number, option, mappings)
  for name, mapping in each, mappings or {} do
    if type(name) ~= "string" or type(mapping) ~= "function" then
      source.bad_argument(importer, number, "option %q: expected functions by name, got %s at %q", option,
        type(mapping), tostring(name))
    end
  end
end

--- Checks the options that bound memory. Raises.
function source.check_bounds(importer, number, options)
  for _, name in ipairs({ "max_elements", "max_cells" }) do
    local bound = options[name]
    if bound and (bound ~= bound or bound < 0) then
      source.bad_argument(importer, number, "option %q: expected a number from 0 on, got %s", name, tostring(bound))
    end
  end
end

--- Checks the first argument of an importer. Raises.
function source.check_text(importer, text_or_path)
  if type(text_or_path) ~= "string" then
    source.bad_argument(importer, 1, "text or path expected, got %s", type(text_or_path))
  end
end

--- Checks that a table is an array of names; what is no table (a function, nothing) passes. Raises.
function source.check_names(importer, number, option, names)
  for key, name in each, type(names) == "table" and names or {} do
    if type(key) ~= "number" or type(name) ~= "string" then
      source.bad_argument(importer, number, "option %q: expected an array of names, got %s", option, type(name))
    end
  end
end

-- Files ------------------------------------------------------------------------------------------------------------

--- What kind of document a string is, by its first non-blank after a byte order mark: "JSON" (`{` or `[`), "XML" (`<`),
-- "Lua" (`return`, then a table). Nil for a path.
function source.kind_of(text_or_path)
  local first = text_or_path:match("^\239?\187?\191?%s*([{%[<r])")
  if first == "{" or first == "[" then return "JSON" end
  if first == "<" then return "XML" end
  return first and text_or_path:find("^\239?\187?\191?%s*return%s*{") and "Lua" or nil
end

--- The directory of a path, and a path seen from a directory: see cuttle.files.
source.directory_of, source.join = files.directory_of, files.join

--- The content of a file, through the option `read` (function(path) -> text, or nil and a message) or from disk; of
-- `limit` bytes at most.
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string why not, without the path
function source.read(path, options)
  local text, trouble = files.read(path, options.read, options.limit)
  if text then return text end
  return nil, trouble:sub(#path + 3)
end

--- A document that came as text. Files that it names are looked for in the option `directory`; without one only the
-- script's own `read` can know where they are: it is told the paths as they stand in the document. Sets the option
-- `root` unless it is given: to the same folder.
-- @treturn table as source.open
function source.given(text, options, kind)
  local directory = options.directory or options.read and ""
  options.root = options.root or directory
  return { text = text, name = options.name or kind, directory = directory }
end

--- Opens what an importer was given.
-- @tparam string text_or_path
-- @tparam table options `name`, `directory`, `read`, `limit` are used; sets `root`, if there is none, to the directory
-- @tparam string kind the name of a text that has none, "LDtk text"
-- @treturn table `text`, `name` (for messages), `directory` (nil if unknown)
function source.open(text_or_path, options, kind)
  if source.kind_of(text_or_path) then return source.given(text_or_path, options, kind) end
  local text, trouble = source.read(text_or_path, options)
  local name = options.name or text_or_path
  if not text then failure.raise("%s: cannot read: %s", name, trouble) end
  local directory = options.directory or source.directory_of(text_or_path)
  options.root = options.root or directory
  return { text = text, name = name, directory = directory }
end

--- The content of a file that a document names. Fails at the cursor's `key` if the file is outside of the option
-- `root`, or cannot be read.
-- @tparam cursor cursor at the table that names the file
-- @tparam string key
-- @tparam string path
-- @tparam table options of the importer: `root`, `read`, `on_disk` (`read` takes its files from the disk) and `limit`
-- are used
function source.read_named(cursor, key, path, options)
  if not options.root then
    cursor:fail(key, "%s is a separate file: pass option directory, or import by path", show(path))
  end
  local refusal = files.refusal(path, options.root, not options.on_disk and options.read or nil)
  if refusal then cursor:fail(key, "cannot read a file: %s (option root)", refusal) end
  local text, trouble = source.read(path, options)
  if not text then cursor:fail(key, "cannot read %s: %s", path, trouble) end
  return text
end

--- The cursor, and the tally of one import: see cuttle.import.cursor.
source.cursor, source.tally, source.LARGEST_FLOAT = cursors.new, cursors.tally, cursors.LARGEST_FLOAT

-- What comes out ---------------------------------------------------------------------------------------------------

--- A name as level source takes it: `/` becomes `_`, an empty one is none.
function source.name(text)
  if text == nil or text == "" then return nil end
  return (text:gsub("/", "_"))
end

--- Calls a mapping of the script. What it raises fails at the cursor's place, naming `what`.
function source.call(cursor, what, mapping, ...)
  local ok, first, second = pcall(mapping, ...)
  if ok then return first, second end
  if failure.is(first) then error(first, 0) end
  return cursor:fail(nil, "the mapping of %s raised: %s", what, tostring(first))
end

-- What one part of a transform takes the place of.
local REPLACES = { rotation = { "angle" }, angle = { "rotation" },
  matrix = { "position", "rotation", "angle", "scale" } }

local function merged_transform(editors, mappings)
  local transform = {}
  for key, value in each, editors do transform[key] = value end
  for key in each, mappings do
    for _, replaced in ipairs(REPLACES[key] or {}) do transform[replaced] = nil end
  end
  for key, value in each, mappings do transform[key] = value end
  return transform
end

--- Lays what a mapping returned (components, or nil) over the editor's transform. A `transform` of the mapping is
-- merged field by field. Nothing that the mapping returned is changed. A wrong type fails, naming `what`.
function source.components(cursor, what, transform, returned)
  if returned == nil then return { transform = transform } end
  if type(returned) ~= "table" then
    cursor:fail(nil, "the mapping of %s: expected a table of components or nil, got %s", what, type(returned))
  end
  local components = { transform = transform }
  for name, values in each, returned do
    if type(name) ~= "string" then
      cursor:fail(nil, "the mapping of %s: expected components by name, got the key %s", what, show(name))
    elseif not is_null(values) and type(values) ~= "table" then
      cursor:fail(nil, "the mapping of %s: component %s: expected a table, got %s", what, name, type(values))
    end
    if not is_null(values) then
      components[name] = name == "transform" and merged_transform(transform, values) or values
    end
  end
  return components
end

--- The name of an entity: what the mapping gave as its second result, else the editor's.
function source.chosen_name(cursor, what, editors, mappings)
  if mappings == nil then return source.name(editors) end
  if type(mappings) ~= "string" then
    cursor:fail(nil, "the mapping of %s: expected a string as name, got %s", what, type(mappings))
  end
  return source.name(mappings)
end

return source
