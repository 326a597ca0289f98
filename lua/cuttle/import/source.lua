--- Functions shared by all importers: text or path, files that a document names, options, mappings.
-- Does not depend on the format of an editor.
-- @module cuttle.import.source

local cursors = require "cuttle.import.cursor"
local each = require "cuttle.each"
local failure = require "cuttle.failure"
local files = require "cuttle.files"
local json = require "cuttle.json"

local is_null, show = json.is_null, failure.show

local source = {}

-- Arguments --------------------------------------------------------------------------------------------------------

--- Raises a bad argument of the importer at the line of the script. Only for checks that the importer calls directly,
-- not for the importer itself.
function source.bad_argument(importer, number, message, ...)
  error(string.format("bad argument #%d to '%s' (%s)", number, importer, string.format(message, ...)), 4)
end

local function is_one_of(kind, wanted)
  return ("|" .. wanted .. "|"):find("|" .. kind .. "|", 1, true) ~= nil
end

--- Checks the options against `known` (name -> accepted types, `"boolean|function"`) and returns a copy. Raises.
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

--- Checks that a table of mappings has names as keys and functions as values. Raises.
function source.check_mappings(importer, number, option, mappings)
  for name, mapping in each, mappings or {} do
    if type(name) ~= "string" or type(mapping) ~= "function" then
      source.bad_argument(importer, number, "option %q: expected functions by name, got %s at %q", option,
        type(mapping), tostring(name))
    end
  end
end

--- Checks the options `max_elements` and `max_cells`. Raises.
function source.check_bounds(importer, number, options)
  for _, name in ipairs({ "max_elements", "max_cells" }) do
    local bound = options[name]
    if bound and (bound ~= bound or bound < 0) then
      source.bad_argument(importer, number, "option %q: expected a number >= 0, got %s", name, tostring(bound))
    end
  end
end

--- Checks the first argument of an importer. Raises.
function source.check_text(importer, text_or_path)
  if type(text_or_path) ~= "string" then
    source.bad_argument(importer, 1, "text or path expected, got %s", type(text_or_path))
  end
end

--- Checks that a table is an array of names. Accepts values that are not tables (a function, nil). Raises.
function source.check_names(importer, number, option, names)
  for key, name in each, type(names) == "table" and names or {} do
    if type(key) ~= "number" or type(name) ~= "string" then
      source.bad_argument(importer, number, "option %q: expected an array of names, got %s", option, type(name))
    end
  end
end

-- Input files ------------------------------------------------------------------------------------------------------

--- Returns the kind of document in a string, from its first character after blanks and a byte order mark: "JSON" (`{`
-- or `[`), "XML" (`<`), "Lua" (`return`, then a table). Returns nil for a path.
function source.kind_of(text_or_path)
  local first = text_or_path:match("^\239?\187?\191?%s*([{%[<r])")
  if first == "{" or first == "[" then return "JSON" end
  if first == "<" then return "XML" end
  return first and text_or_path:find("^\239?\187?\191?%s*return%s*{") and "Lua" or nil
end

--- Directory of a path, and joining of paths: see cuttle.files.
source.directory_of, source.join = files.directory_of, files.join

--- Reads a file of at most `limit` bytes, through the option `read` (function(path) -> text, or nil and a message) or
-- from the disk.
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the error message, without the path
function source.read(path, options)
  local text, trouble = files.read(path, options.read, options.limit)
  if text then return text end
  return nil, trouble:sub(#path + 3)
end

--- Makes the file record of a document that was passed as text. Files that it names are searched in the option
-- `directory`. Without this option they can only be read by the option `read`, which receives the paths as written in
-- the document. Sets the option `root` to the same folder unless it is given.
-- @treturn table as source.open
function source.given(text, options, kind)
  local directory = options.directory or options.read and ""
  options.root = options.root or directory
  return { text = text, name = options.name or kind, directory = directory }
end

--- Opens the first argument of an importer.
-- @tparam string text_or_path
-- @tparam table options uses `name`, `directory`, `read`, `limit`; sets `root` to the directory unless it is given
-- @tparam string kind the name for messages of a document without a name, "LDtk text"
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

--- Reads a file that a document names. Raises an error at the cursor's `key` if the file is outside of the option
-- `root`, or cannot be read.
-- @tparam cursor cursor at the table that names the file
-- @tparam string key
-- @tparam string path
-- @tparam table options of the importer: uses `root`, `read`, `on_disk` (`read` reads from the disk) and `limit`
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

--- The cursor and the counters of an import: see cuttle.import.cursor.
source.cursor, source.tally, source.LARGEST_FLOAT = cursors.new, cursors.tally, cursors.LARGEST_FLOAT

-- Output -----------------------------------------------------------------------------------------------------------

--- Converts a name for level source: `/` becomes `_`, an empty name becomes nil.
function source.name(text)
  if text == nil or text == "" then return nil end
  return (text:gsub("/", "_"))
end

--- Converts the items of a list in a custom field. Items without a value, such as null and references to entities that
-- are not imported, are left out, because a Lua array must not have holes.
-- @tparam number count
-- @tparam function convert function(index) -> value or nil, and the whole reference if the value is one
-- @treturn table an array of values
-- @treturn table an array of whole references; nil if there are none
function source.items(count, convert)
  local values, wholes = {}, nil
  for index = 1, count do
    local value, whole = convert(index)
    values[#values + 1] = value
    if whole then
      wholes = wholes or {}
      wholes[#wholes + 1] = whole
    end
  end
  return values, wholes
end

--- Calls a mapping of the script. An error is raised with the cursor's place and `subject`, the mapped part.
function source.call(cursor, subject, mapping, ...)
  local ok, first, second, third = pcall(mapping, ...)
  if ok then return first, second, third end
  if failure.is(first) then error(first, 0) end
  return cursor:fail(nil, "the mapping of %s raised: %s", subject, tostring(first))
end

--- Makes the selection of an option such as `levels`: an array of names, a function, or nil for all.
-- @treturn function function(item, name, other) -> whether the item is selected, by its name, by its other name, or by
-- the function of the script, which receives the item
-- @treturn function raises an error for names that no item had
function source.selection(cursor, noun, wanted)
  if wanted == nil then return function() return true end, function() end end
  if type(wanted) == "function" then
    return function(item) return (source.call(cursor, "option " .. noun .. "s", wanted, item)) end, function() end
  end
  local met, names, offered = {}, {}, {}
  for _, name in ipairs(wanted) do names[name] = true end
  local function take(_, name, other)
    offered[#offered + 1] = name
    local found = names[name] and name or names[other or name] and other
    if found then met[found] = true end
    return found ~= nil and found ~= false
  end
  return take, function()
    for _, name in ipairs(wanted) do
      if not met[name] then cursor:fail(nil, "unknown %s %q%s", noun, name, failure.hint(name, offered)) end
    end
  end
end

-- The fields of the editor's transform that a field of the mapping's transform removes.
local REPLACES = { rotation = { "angle" }, angle = { "rotation" },
  matrix = { "position", "rotation", "angle", "scale" } }

local function merged_transform(editor_values, mapping_values)
  local transform = {}
  for key, value in each, editor_values do transform[key] = value end
  for key in each, mapping_values do
    for _, replaced in ipairs(REPLACES[key] or {}) do transform[replaced] = nil end
  end
  for key, value in each, mapping_values do transform[key] = value end
  return transform
end

--- Combines the result of a mapping (components, or nil) with the editor's transform. A `transform` of the mapping is
-- merged field by field. The result of the mapping is not changed. Raises an error with `subject` if its type is wrong.
function source.components(cursor, subject, transform, returned)
  if returned == nil then return { transform = transform } end
  if type(returned) ~= "table" then
    cursor:fail(nil, "the mapping of %s: expected a table of components or nil, got %s", subject, type(returned))
  end
  local components = { transform = transform }
  for name, values in each, returned do
    if type(name) ~= "string" then
      cursor:fail(nil, "the mapping of %s: expected components by name, got the key %s", subject, show(name))
    elseif not is_null(values) and type(values) ~= "table" then
      cursor:fail(nil, "the mapping of %s: component %s: expected a table, got %s", subject, name, type(values))
    end
    if not is_null(values) then
      components[name] = name == "transform" and merged_transform(transform, values) or values
    end
  end
  return components
end

local INSTANCE_KEYS = { "prefab", "overrides" }

--- Makes an entity an instance of a prefab if the third result of its mapping names one: {prefab=, overrides=}. Raises
-- an error with `subject` for any other result.
function source.make_instance(cursor, subject, node, instance)
  if instance == nil then return end
  local function check(value, key, kind)
    if type(value) ~= kind then
      cursor:fail(nil, "the mapping of %s: expected a %s as %s, got %s", subject, kind, key, type(value))
    end
  end
  check(instance, "third result", "table")
  for key in each, instance do
    if key ~= "prefab" and key ~= "overrides" then
      cursor:fail(nil, "the mapping of %s: unknown key %s in the third result%s", subject, show(key),
        failure.hint(tostring(key), INSTANCE_KEYS))
    end
  end
  check(instance.prefab, "prefab", "string")
  if instance.overrides ~= nil then check(instance.overrides, "overrides", "table") end
  node.prefab, node.overrides = instance.prefab, instance.overrides
end

--- Returns the name of an entity: the second result of the mapping, or the editor's name.
function source.chosen_name(cursor, subject, editor_name, mapping_name)
  if mapping_name == nil then return source.name(editor_name) end
  if type(mapping_name) ~= "string" then
    cursor:fail(nil, "the mapping of %s: expected a string as name, got %s", subject, type(mapping_name))
  end
  return source.name(mapping_name)
end

return source
