--- Where the commands write: files, all or nothing, and standard output.
-- Knows nothing of what is written.
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

--- Writes bytes to the file at a path that the user named, "-" for standard output.
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string why not
function outputs.write(streams, path, bytes)
  if path == "-" then return write_to(streams.output, bytes, "standard output") end
  -- A device or pipe is written to as it is: a file must not take its place. Windows knows its devices by name.
  if files.is_special(path) then return write_special(path, bytes) end
  return files.write(path, bytes)
end

local SHORT = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function escaped(bytes)
  return (bytes:gsub(".", function(byte) return SHORT[byte] or ("\\x%02x"):format(byte:byte()) end))
end

--- A text in which nothing can steer a terminal: names and keys of files may hold anything. Those control characters
-- that take two bytes of UTF-8 are escaped too.
function outputs.printable(text)
  return (text:gsub("%c", escaped):gsub("\194[\128-\159]", escaped))
end

-- Enough to know a file by.
local BEGINNING = 4096

--- How the file at a path begins that would be written over; nil if there is none, or it is a device or pipe.
function outputs.beginning(path)
  if files.is_special(path) then return nil end
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read(BEGINNING)
  file:close()
  return text
end

return outputs
