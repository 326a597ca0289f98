--- Opens a level file, native or of LDtk, as a resource that can be spawned.
-- Knows nothing of the game that is played in it.

local cuttle = require "cuttle"
local foreign = require "skirmish.foreign"

local levels = {}

--- The text of a file, or nil and why not.
function levels.read(path)
  local file, trouble = io.open(path, "rb")
  if not file then return nil, trouble end
  local text
  text, trouble = file:read("*a")
  file:close()
  if not text then return nil, ("%s: %s"):format(path, trouble) end
  return text
end

-- A native level: compiled from file to file and loaded, as a build step and a game would share the work.
local function open_native(path, compiler, watch)
  local out = os.tmpname()
  local resource
  local done, message = watch:time("compile", compiler.compile_file, compiler, path, out)
  if done then resource, message = watch:time("load", cuttle.load, out) end
  os.remove(out)
  return resource, message
end

-- A level of LDtk: imported, compiled and loaded without a file between.
local function open_ldtk(path, compiler, watch)
  local source, message = watch:time("import", cuttle.import.ldtk, path, foreign.import_options())
  if not source then return nil, message end
  local blob
  blob, message = watch:time("compile", compiler.compile, compiler, source, { name = path })
  if not blob then return nil, message end
  return watch:time("load", cuttle.resource, blob)
end

--- A resource of level source that is at hand, text or table; or nil and what is wrong.
function levels.compiled(source, compiler, name)
  local blob, message = compiler:compile(source, { name = name })
  if not blob then return nil, message end
  return cuttle.resource(blob)
end

--- @tparam string path
-- @tparam compiler compiler
-- @tparam stopwatch watch is told milliseconds: import, compile, load
-- @treturn[1] table `resource`, `kind` ("native" or "LDtk"), `bytes` of the file
-- @treturn[2] nil
-- @treturn[2] string what is wrong, with file and place
function levels.open(path, compiler, watch)
  local text, message = levels.read(path)
  if not text then return nil, message end
  local is_ldtk = path:lower():find("%.ldtk$") or text:find('"jsonVersion"', 1, true)
  local resource
  resource, message = (is_ldtk and open_ldtk or open_native)(path, compiler, watch)
  if not resource then return nil, message end
  return { resource = resource, kind = is_ldtk and "LDtk" or "native", bytes = #text }
end

return levels
