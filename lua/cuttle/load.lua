--- cuttle.load: a resource from a file.
-- Knows nothing of what is in it.

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local files = require "cuttle.files"

local resource = core.resource

--- Reads a resource from a file.
-- @tparam string path
-- @treturn[1] Resource
-- @treturn[2] nil
-- @treturn[2] string why not, the path first
return function(path)
  if type(path) ~= "string" then argument.bad(1, "load", "string expected, got %s", type(path)) end
  if path:find("%z") then argument.bad(1, "load", "a path cannot hold a zero byte") end
  local bytes, trouble = files.read(path)
  if not bytes then return nil, trouble end
  return resource(bytes, path)
end
