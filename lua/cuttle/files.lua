--- Files and paths, as everything that reads levels needs them.
-- Knows nothing of what is in a file.
-- @module cuttle.files

local format = string.format

local files = {}

-- The content that a function of the script gives. What it raises is why there is none, and told like the rest.
local function read_through(read, path)
  local ok, text, trouble = pcall(read, path)
  if ok and type(text) == "string" then return text end
  trouble = tostring(not ok and text or trouble or "no text came")
  if trouble:sub(1, #path + 2) == path .. ": " then return nil, trouble end
  return nil, path .. ": " .. trouble
end

--- The content of a file.
-- @tparam string path
-- @tparam[opt] function read function(path) -> text, or nil and a message: opens the file in place of io.open
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string why not, the path first
function files.read(path, read)
  if path:find("%z") then return nil, path:gsub("%z", "?") .. ": a path cannot hold a zero byte" end
  if read then return read_through(read, path) end
  local file, trouble = io.open(path, "rb")
  if not file then return nil, trouble end
  local text, problem = file:read("*a")
  file:close()
  if not text then return nil, path .. ": " .. tostring(problem) end
  return text
end

-- A folder opens like a file, and is found out by the first read.
local function is_folder(path)
  local file = io.open(path, "rb")
  if not file then return false end
  local byte, trouble = file:read(1)
  file:close()
  return byte == nil and trouble ~= nil
end

--- Writes a file. Nobody ever sees half of it: it is written under another name first.
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string why not, the path first
function files.write(path, bytes)
  local temporary = format("%s.%s.tmp", path, tostring({}):match("%x+$"))
  local function failed(trouble)
    trouble = tostring(trouble)
    if trouble:sub(1, #temporary + 2) == temporary .. ": " then trouble = trouble:sub(#temporary + 3) end
    return nil, path .. ": " .. trouble
  end
  local file, trouble = io.open(temporary, "wb")
  if not file then return failed(trouble) end
  local ok, problem = file:write(bytes)
  local closed, more = file:close()
  if ok and closed then
    ok, problem = os.rename(temporary, path)
    if not ok and not is_folder(path) then -- not every system renames over a file; removing takes empty folders too
      os.remove(path)
      ok, problem = os.rename(temporary, path)
    end
    if ok then return true end
  end
  os.remove(temporary)
  return failed(problem or more)
end

--- The directory of a path with its last separator, "" if it has none.
function files.directory_of(path)
  return path:match("^(.*[/\\])") or ""
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

return files
