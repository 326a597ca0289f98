--- Loading of level files, native or of LDtk, as resources.
-- Must not depend on the game.

local cuttle = require "cuttle"
local foreign = require "skirmish.foreign"

local levels = {}

--- Returns the text of a file, or nil and a message.
function levels.read(path)
  local file, trouble = io.open(path, "rb")
  if not file then return nil, trouble end
  local text
  text, trouble = file:read("*a")
  file:close()
  if not text then return nil, ("%s: %s"):format(path, trouble) end
  return text
end

-- Loads a native level: compiles from file to file, as a build step does, and loads the result, as a game does.
local function open_native(path, compiler, watch)
  local out = os.tmpname()
  local resource
  local done, message = watch:time("compile", compiler.compile_file, compiler, path, out)
  if done then resource, message = watch:time("load", cuttle.load, out) end
  os.remove(out)
  return resource, message
end

-- Loads a level of LDtk: imports, compiles and loads it without an intermediate file.
local function open_ldtk(path, compiler, watch)
  local source, message = watch:time("import", cuttle.import.ldtk, path, foreign.import_options())
  if not source then return nil, message end
  local blob
  blob, message = watch:time("compile", compiler.compile, compiler, source, { name = path })
  if not blob then return nil, message end
  return watch:time("load", cuttle.resource, blob)
end

--- Returns a resource of level source, a text or a table; or nil and a message.
function levels.compiled(source, compiler, name)
  local blob, message = compiler:compile(source, { name = name })
  if not blob then return nil, message end
  return cuttle.resource(blob)
end

--- @tparam string path
-- @tparam compiler compiler
-- @tparam stopwatch watch gets milliseconds: import, compile, load
-- @treturn[1] table `resource`, `kind` ("native" or "LDtk"), `bytes` of the file
-- @treturn[2] nil
-- @treturn[2] string a message with file and place
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
