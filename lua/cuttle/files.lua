--- Reading and writing files, and path functions, for compilers and importers.
-- Does not depend on the contents of files.
-- @module cuttle.files

local format = string.format

local files = {}

-- The file functions of the core, loaded on demand: inside LÖVE, paths are used before the native module is loaded.
local function system()
  return require("cuttle.core").file
end

--- Default size limits in bytes: for level source and editor files, and for compiled levels.
files.MOST_SOURCE, files.MOST_COMPILED = 2 ^ 28, 2 ^ 30

local MIB = 2 ^ 20

--- Timeout in seconds of a write while another process writes the same file.
files.PATIENCE = 10

-- The largest number of symbolic links that are followed for one path.
local MOST_LINKS = 40

-- The most that the core reads in one call.
local MOST_AT_ONCE = 2 ^ 30

-- Removes the path from the beginning of an error message.
local function bare(trouble, path)
  trouble = tostring(trouble)
  return trouble:sub(1, #path + 2) == path .. ": " and trouble:sub(#path + 3) or trouble
end

-- Returns nil and an error message that begins with the path.
local function failed(path, trouble)
  return nil, format("%s: %s", path, bare(trouble, path))
end

local function too_large(bytes, limit)
  return format("%.0f bytes, but the limit is %.0f (option limit)", bytes, limit)
end

-- Rejected, because reading a pipe or a device may never end.
local KINDS = { folder = "Is a directory", special = "this is a device or a pipe, not a file" }

local function read_file(path, limit)
  local kind, bytes = system().look(path)
  if KINDS[kind] then return nil, KINDS[kind] end
  if kind and bytes > limit then return nil, too_large(bytes, limit) end
  if kind and bytes > MIB and bytes <= MOST_AT_ONCE then return system().read(path, bytes) end
  local file, trouble = io.open(path, "rb")
  if not file then return nil, trouble end
  local text, problem = files.drain(file, limit) -- the file may have grown, and files in /proc have no size
  file:close()
  return text, problem
end

--- Returns the contents of a file.
-- @tparam string path
-- @tparam[opt] function read function(path) -> text, or nil and an error message: replaces `io.open`
-- @tparam[opt] number limit the largest accepted size in bytes, MOST_SOURCE by default
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the error message, which begins with the path
function files.read(path, read, limit)
  limit = limit or files.MOST_SOURCE
  if path:find("%z") then return nil, path:gsub("%z", "?") .. ": a path cannot hold a zero byte" end
  local ok, text, trouble
  if read then
    ok, text, trouble = pcall(read, path)
  else
    ok, text, trouble = true, read_file(path, limit)
  end
  if not ok then return failed(path, text) end
  if type(text) ~= "string" then return failed(path, trouble or "no text was returned") end
  if #text > limit then return failed(path, too_large(#text, limit)) end
  return text
end

--- Reads a stream to its end.
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the error message
function files.drain(stream, limit)
  local parts, bytes = {}, 0
  while true do
    local part, trouble = stream:read(MIB)
    if not part and trouble then return nil, trouble end
    if not part then return table.concat(parts) end
    parts[#parts + 1], bytes = part, bytes + #part
    if bytes > limit then return nil, format("more than %.0f bytes (option limit)", limit) end
  end
end

-- Paths of the open files of a process. They are links that may lead to a file, but the link must not be replaced.
local STREAMS = { "^/dev/std%l+$", "^/dev/fd/%d+$", "^/proc/[^/]+/fd/%d+$" }

local function is_stream(path)
  local shortest = files.normalize(path)
  for _, pattern in ipairs(STREAMS) do
    if shortest:find(pattern) then return true end
  end
  return false
end

--- Follows symbolic links and returns the final path. The file need not exist. Links to open files of a process, such
-- as /dev/stdout, are not followed.
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the error message
function files.target(path)
  for _ = 1, MOST_LINKS do
    local link = not is_stream(path) and system().link(path)
    if not link then return path end
    path = files.join(files.directory_of(path), link)
  end
  return nil, "Too many levels of symbolic links"
end

-- The kind of the existing file, folder or device at a path that is to be written.
local function kind_of(path)
  local target = files.target(path) or path
  return is_stream(target) and "special" or (system().look(target))
end

-- The most bytes of a file name on common file systems.
local MOST_NAME = 255

--- Returns the temporary name under which a file is written before it is renamed. A name that would be too long is cut
-- in front of a character.
function files.temporary(path)
  local name, ending = files.name_of(path), ".cuttle.tmp"
  local cut = name:sub(1, MOST_NAME - #ending)
  if cut ~= name then cut = cut:gsub("[\192-\255][\128-\191]*$", "") end
  return path:sub(1, #path - #name) .. cut .. ending
end

--- Writes a file atomically: under a temporary name first, then renamed. If the process is killed in between, the next
-- write uses the same temporary name again. If the path is a symbolic link, the file that it leads to is replaced. A
-- device or a pipe is refused. Waits while another process writes the same file.
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string the error message, which begins with the path
function files.write(path, bytes)
  if path:find("%z") then return nil, path:gsub("%z", "?") .. ": a path cannot hold a zero byte" end
  local kind = kind_of(path)
  if KINDS[kind] then return failed(path, KINDS[kind]) end
  local target, trouble = files.target(path)
  if not target then return failed(path, trouble) end
  local ok
  ok, trouble = system().write(target, files.temporary(target), bytes, files.PATIENCE)
  if ok then return true end
  return failed(path, trouble)
end

--- Returns whether a path is a device, a pipe, or an open file of a process such as /dev/stdout.
function files.is_special(path)
  return kind_of(path) == "special"
end

--- Returns the directory of a path with its last separator, or "" if the path has none.
function files.directory_of(path)
  return path:match("^(.*[/\\])") or ""
end

--- Returns the last part of a path.
function files.name_of(path)
  return path:match("^.*[/\\](.*)$") or path
end

--- Returns whether a path begins with a root or a drive.
function files.is_absolute(path)
  return path:find("^[/\\]") ~= nil or path:find("^%a:[/\\]") ~= nil
end

--- Joins a directory and a relative path. An absolute path is returned unchanged.
function files.join(directory, relative)
  if directory == "" or files.is_absolute(relative) then return relative end
  if directory:find("[/\\]$") then return directory .. relative end
  return directory .. "/" .. relative
end

--- Returns the shortest form of a path: without `.`, and without each `..` that follows the name of a folder.
function files.normalize(path)
  local root, parts = path:match("^%a:[/\\]") or path:match("^\\\\") or path:match("^[/\\]") or "", {}
  for part in path:sub(#root + 1):gmatch("[^/\\]+") do
    if part == ".." and #parts > 0 and parts[#parts] ~= ".." then
      parts[#parts] = nil
    elseif part ~= "." and not (part == ".." and root ~= "") then
      parts[#parts + 1] = part
    end
  end
  local shortest = root .. table.concat(parts, "/")
  return shortest ~= "" and shortest or "."
end

--- Returns whether two paths name the same regular file, or would name it once it exists: through links, or as the same
-- name in the same folder. Always false for devices, because two of them may be one terminal. On Windows, where files
-- have no identity here, only the paths are compared.
function files.are_same(path, other)
  local kind, _, identity = system().look(path)
  local other_kind, _, other_identity = system().look(other)
  if kind == "special" or other_kind == "special" then return false end
  if identity and identity == other_identity then return true end
  if files.name_of(path) ~= files.name_of(other) then return false end
  local _, _, folder = system().look(files.directory_of(path) .. ".")
  local _, _, other_folder = system().look(files.directory_of(other) .. ".")
  return folder ~= nil and folder == other_folder
end

--- Returns the absolute path of a file with all links resolved. Nil if nothing exists there, or if the system does not
-- support it.
function files.real(path)
  return (system().real(path))
end

--- Returns the reason why a file that a document refers to must not be read, or nil. Compares the paths first, then the
-- files with links resolved.
-- @tparam string path
-- @tparam[opt] string root the folder that contains all readable files; without it every file may be read
-- @tparam[opt] function read replaces `io.open`; with it only the paths are compared
function files.refusal(path, root, read)
  if not root then return nil end
  if root == "" then root = "." end
  local by_name, differ = files.is_within(path, root), files.is_absolute(path) ~= files.is_absolute(root)
  local real = not read and (files.real(path) or differ and files.real(files.directory_of(path) .. "."))
  if not by_name and not (differ and real) then return format("%s is outside of %s", path, root) end
  local real_root = real and files.real(root)
  if real and not (real_root and files.is_within(real, real_root)) then
    return format(by_name and "%s is a link to a file outside of %s" or "%s is outside of %s", path, root)
  end
end

--- Returns whether a path is within a folder. Compares only the texts, not links.
function files.is_within(path, folder)
  path, folder = files.normalize(path), files.normalize(folder)
  if folder == "." then
    -- On Windows C:a.json is relative to the current directory of the drive.
    return not files.is_absolute(path) and not path:find "^%a:" and path ~= ".." and path:sub(1, 3) ~= "../"
  end
  if path:sub(1, #folder) ~= folder then return false end
  local rest = path:sub(#folder + 1)
  if not (folder:find("/$") or rest:find("^/")) then return false end
  return rest ~= "/.." and rest:sub(1, 4) ~= "/../"
end

return files
