--- Where the commands write: files, all or nothing, and standard output.
-- Knows nothing of what is written.
-- @module cuttle.cli.outputs

local files = require "cuttle.files"

local outputs = {}

-- A device or pipe is written to as it is: a file must not take its place.
local function is_special(path)
  if path:find("^/dev/") then return true end
  local file = io.open(path, "r+b")
  if not file then return false end
  local size = file:seek("end")
  file:close()
  return size == nil
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

--- Writes bytes to the file at a path, "-" for standard output.
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string why not
function outputs.write(streams, path, bytes)
  if path == "-" then return write_to(streams.output, bytes, "standard output") end
  if is_special(path) then return write_special(path, bytes) end
  return files.write(path, bytes)
end

return outputs
