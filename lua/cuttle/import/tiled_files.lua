--- Files that a Tiled document names, and resolution of paths in it.
-- Does not depend on the contents of these files.
-- @module cuttle.import.tiled_files

local failure = require "cuttle.failure"
local paths = require "cuttle.files"
local source = require "cuttle.import.source"

local files = {}

local function is_absolute(path)
  return path:find("^[/\\]") ~= nil or path:find("^%a:[/\\]") ~= nil or path:find("^%a[%w+.-]*://") ~= nil
end

--- Resolves `relative` from `directory` (nil: unknown) and shortens `a/../b` to `b`, so that the same file has the same
-- path. Absolute paths, URLs and an empty path are returned unchanged.
function files.resolve(directory, relative)
  if relative == "" or is_absolute(relative) then return relative end
  local path, parts = source.join(directory or "", relative), {}
  for part in path:gmatch("[^/]+") do
    if part == ".." and #parts > 0 and parts[#parts] ~= ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return (path:find("^/") and "/" or "") .. table.concat(parts, "/")
end

--- Returns the last part of a path: see cuttle.files.
files.name_of = paths.name_of

--- Removes the ending of a path or name.
function files.without_ending(path)
  return path:match("^(.*[^/\\])%.[^./\\]*$") or path
end

--- Opens the document that `holder[key]` names. Each path is read once.
-- @tparam table import uses `files`, `decode` and `options`
-- @tparam cursor cursor at `holder`
-- @tparam table holder
-- @tparam string key
-- @tparam string directory of the file that the cursor is in, nil if unknown
-- @treturn table `path`, `document`, `cursor` (at its root), `directory`
function files.open(import, cursor, holder, key, directory)
  local relative = cursor:need(holder, key, "string")
  if not directory and not is_absolute(relative) then
    cursor:fail(key, "%s is a separate file: pass option directory, or import by path", failure.show(relative))
  end
  local path = files.resolve(directory, relative)
  local file = import.files[path]
  if file then return file end
  local text = source.read_named(cursor, key, path, import.options)
  file = { path = path, kind = source.kind_of(text) or "JSON",
    cursor = cursor:named(path), directory = source.directory_of(path) }
  file.document = import.decode(file.cursor, text)
  if type(file.document) ~= "table" or #file.document > 0 then
    file.cursor:fail(nil, "expected an object, got %s", failure.show(file.document))
  end
  import.files[path] = file
  return file
end

return files
