--- Files and paths, as everything that reads levels needs them.
-- Knows nothing of what is in a file.
-- @module cuttle.files

local format = string.format

local files = {}

-- What the core knows of files. Inside LÖVE paths are needed before the native module is there.
local function system()
  return require("cuttle.core").file
end

--- What a file may have at most unless the caller says otherwise, in bytes: level source and what editors write, and
-- compiled levels.
files.MOST_SOURCE, files.MOST_COMPILED = 2 ^ 28, 2 ^ 30

local MIB = 2 ^ 20

--- How many seconds a write waits while another process writes the same file.
files.PATIENCE = 10

-- So many links may lead from one to the next.
local MOST_LINKS = 40

-- What the core reads in one call.
local MOST_AT_ONCE = 2 ^ 30

-- Without the path that it may begin with.
local function bare(trouble, path)
  trouble = tostring(trouble)
  return trouble:sub(1, #path + 2) == path .. ": " and trouble:sub(#path + 3) or trouble
end

-- nil, and what is wrong, the path first.
local function failed(path, trouble)
  return nil, format("%s: %s", path, bare(trouble, path))
end

local function too_large(bytes, limit)
  return format("%.0f bytes, but at most %.0f are read (option limit)", bytes, limit)
end

-- Of a pipe or a device the end may never come.
local KINDS = { folder = "Is a directory", special = "this is a device or a pipe, not a file" }

local function read_file(path, limit)
  local kind, bytes = system().look(path)
  if KINDS[kind] then return nil, KINDS[kind] end
  if kind and bytes > limit then return nil, too_large(bytes, limit) end
  if kind and bytes > MIB and bytes <= MOST_AT_ONCE then return system().read(path, bytes) end
  local file, trouble = io.open(path, "rb")
  if not file then return nil, trouble end
  local text, problem = files.drain(file, limit) -- it may have grown, or be one whose size nobody knows, as in /proc
  file:close()
  return text, problem
end

--- The content of a file.
-- @tparam string path
-- @tparam[opt] function read function(path) -> text, or nil and why not: opens it in place of `io.open`
-- @tparam[opt] number limit bytes that it may have at most, MOST_SOURCE unless told
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string why not, the path first
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
  if type(text) ~= "string" then return failed(path, trouble or "no text came") end
  if #text > limit then return failed(path, too_large(#text, limit)) end
  return text
end

--- All that comes out of a stream.
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string why not
function files.drain(stream, limit)
  local parts, bytes = {}, 0
  while true do
    local part, trouble = stream:read(MIB)
    if not part and trouble then return nil, trouble end
    if not part then return table.concat(parts) end
    parts[#parts + 1], bytes = part, bytes + #part
    if bytes > limit then return nil, format("more than the %.0f bytes that are read (option limit)", limit) end
  end
end

-- Names by which a process has what is open: links, that may lead to a file, but in whose place none may be put.
local STREAMS = { "^/dev/std%l+$", "^/dev/fd/%d+$", "^/proc/[^/]+/fd/%d+$" }

local function is_stream(path)
  local shortest = files.normalise(path)
  for _, pattern in ipairs(STREAMS) do
    if shortest:find(pattern) then return true end
  end
  return false
end

--- The path of the file that a path leads to, through links. The file need not exist. A link of the system to what a
-- process has open is not followed.
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string why not
function files.target(path)
  for _ = 1, MOST_LINKS do
    local link = not is_stream(path) and system().link(path)
    if not link then return path end
    path = files.join(files.directory_of(path), link)
  end
  return nil, "Too many links lead from one to the next"
end

-- What stands where something is to be written to.
local function kind_of(path)
  local target = files.target(path) or path
  return is_stream(target) and "special" or (system().look(target))
end

--- The name under which a file is written first.
function files.temporary(path)
  return path .. ".cuttle.tmp"
end

--- Writes a file. No process ever sees half of it: it is written under another name first, and then renamed. If the
-- process is killed before that, the next write uses the other name again. The file that a link leads to is replaced,
-- not the link. A device or a pipe is refused. Waits while another process writes the same file.
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string why not, the path first
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

--- Whether a path names a device or a pipe, or what a process has open, as /dev/stdout does.
function files.is_special(path)
  return kind_of(path) == "special"
end

--- The directory of a path with its last separator, "" if it has none.
function files.directory_of(path)
  return path:match("^(.*[/\\])") or ""
end

--- The last part of a path.
function files.name_of(path)
  return path:match("^.*[/\\](.*)$") or path
end

--- Whether a path begins at a root or a drive.
function files.is_absolute(path)
  return path:find("^[/\\]") ~= nil or path:find("^%a:[/\\]") ~= nil
end

--- `relative` seen from `directory`; an absolute path stays what it is.
function files.join(directory, relative)
  if directory == "" or files.is_absolute(relative) then return relative end
  if directory:find("[/\\]$") then return directory .. relative end
  return directory .. "/" .. relative
end

--- The same file by its shortest path: without `.`, and without `..` where a folder stands before it.
function files.normalise(path)
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

--- Whether two paths lead to one file, or would, once there is one: by links, or in one folder under one name. Only
-- files count: two devices may be one terminal. Windows does not say: there it is told by the paths alone.
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

--- The absolute path of what is at a path, with all links resolved. Nil if there is nothing, or if the system does not
-- say.
function files.real(path)
  return (system().real(path))
end

--- Why a file that a document names may not be read; nil if it may. The names are compared first, then the files, with
-- links resolved.
-- @tparam string path
-- @tparam[opt] string root the folder that holds all files that may be read; without it every file may be read
-- @tparam[opt] function read opens files in place of `io.open`: then only the names are compared
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

--- Whether a path stays within a folder, by what both say: links are not looked at.
function files.is_within(path, folder)
  path, folder = files.normalise(path), files.normalise(folder)
  if folder == "." then
    -- On Windows C:a.json is seen from where the drive stands.
    return not files.is_absolute(path) and not path:find "^%a:" and path ~= ".." and path:sub(1, 3) ~= "../"
  end
  if path:sub(1, #folder) ~= folder then return false end
  local rest = path:sub(#folder + 1)
  if not (folder:find("/$") or rest:find("^/")) then return false end
  return rest ~= "/.." and rest:sub(1, 4) ~= "/../"
end

return files
