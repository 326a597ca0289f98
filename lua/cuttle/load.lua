--- cuttle.load: loads a resource from a file.
-- Does not depend on the format of a resource.

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local files = require "cuttle.files"

local resource = core.resource

local OPTIONS = argument.option_list { { "limit", "number" }, { "name", "string" }, { "read", "function" } }

--- Reads a resource from a file.
-- @tparam string path
-- @tparam[opt] table options `read` (function(path) -> bytes, or nil and an error message: replaces `io.open`;
-- `love.filesystem.read` fits), `limit` (the largest accepted file size in bytes, 2^30 by default), `name` (under which
-- saves refer to the resource, by default the path)
-- @treturn[1] Resource
-- @treturn[2] nil
-- @treturn[2] string the error message, which begins with the path
return function(path, options)
  if type(path) ~= "string" then argument.bad(1, "load", "string expected, got %s", type(path)) end
  if path:find("%z") then argument.bad(1, "load", "a path cannot hold a zero byte") end
  options = argument.options(options, 2, "load", OPTIONS)
  local bytes, trouble = files.read(path, options.read, options.limit or files.MOST_COMPILED)
  if not bytes then return nil, trouble end
  local loaded, problem = argument.call(resource, bytes, options.name or path, path)
  return loaded, problem
end
