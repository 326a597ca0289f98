--- Where the commands write: files, all or nothing, and standard output.
-- Knows nothing of what is written.
-- @module cuttle.cli.outputs

local files = require "cuttle.files"

local outputs = {}

local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- A device or pipe is written to as it is: a file must not take its place. Opening a pipe to find out would already
-- mean something to its reader, so the shell is asked. Windows has no such shell, and knows its devices by name.
local function is_special(path)
  if package.config:sub(1, 1) == "\\" then return false end
  local name = quoted(path)
  local result = os.execute(("test -e %s && test ! -f %s && test ! -d %s"):format(name, name, name))
  return result == 0 or result == true
end

local function write_to(stream, bytes, name)
  local ok, trouble = stream:write(bytes)
  if ok then ok, trouble = stream:flush() end
  if ok then return true end
  return nil, name .. ": " .. tostring(trouble)
end

local function write_special(path, bytes)
  local file, trouble = io.open(path, "wb")
  if not file then return nil, trouble end
  local ok, problem = write_to(file, bytes, path)
  file:close()
  return ok, problem
end

--- Writes bytes to the file at a path that the user named, "-" for standard output. Starts a process.
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string why not
function outputs.write(streams, path, bytes)
  if path == "-" then return write_to(streams.output, bytes, "standard output") end
  if is_special(path) then return write_special(path, bytes) end
  return files.write(path, bytes)
end

return outputs
