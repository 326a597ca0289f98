--- Output of the commands: to files (atomically) and to standard output.
-- Does not depend on the contents.
-- @module cuttle.cli.outputs

local files = require "cuttle.files"

local outputs = {}

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

--- Writes bytes to a path that the user named; "-" is standard output.
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string the error message
function outputs.write(streams, path, bytes)
  if path == "-" then return write_to(streams.output, bytes, "standard output") end
  -- A device or pipe is opened directly, so that no file replaces it. Windows recognizes devices by name.
  if files.is_special(path) then return write_special(path, bytes) end
  return files.write(path, bytes)
end

local SHORT = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function escaped(bytes)
  return (bytes:gsub(".", function(byte) return SHORT[byte] or ("\\x%02x"):format(byte:byte()) end))
end

--- Escapes control characters, so that names and keys from files cannot control the terminal. Includes the control
-- characters that are two bytes of UTF-8.
function outputs.printable(text)
  return (text:gsub("%c", escaped):gsub("\194[\128-\159]", escaped))
end

-- Number of bytes that `beginning` reads.
local BEGINNING = 4096

--- Returns the beginning of an existing file that would be overwritten; nil for a missing file, a device or a pipe.
function outputs.beginning(path)
  if files.is_special(path) then return nil end
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read(BEGINNING)
  file:close()
  return text
end

return outputs
