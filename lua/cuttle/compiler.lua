--- Compiles level source into resources (Bitsquid, part 4, the EntityCompiler).
-- Knows nothing of the bytes of a resource.
--
-- Source is JSON text or the same shape as a Lua table; the reference is `cuttle.compiler` in the manual. Bad source
-- gives nil and a message: the name of the source, the place in it, what is wrong. Wrong arguments raise.
-- @module cuttle.compiler

local components = require "cuttle.compiler.components"
local core = require "cuttle.core"
local failure = require "cuttle.compiler.failure"
local json = require "cuttle.json"
local source = require "cuttle.compiler.source"

local format = string.format

local compiler = {}

-- What messages call a source without a name.
local NAMELESS = "source"

local Compiler = {}
Compiler.__index = Compiler
Compiler.__metatable = "EntityCompiler"
Compiler.__tostring = function() return "EntityCompiler" end

-- Arguments of the script ------------------------------------------------------------------------------------------

local function bad_argument(name, number, message, ...)
  error(format("bad argument #%d to '%s' (%s)", number, name, format(message, ...)), 3)
end

local function check_self(self, name)
  if getmetatable(self) == "EntityCompiler" then return end
  error(format("calling '%s' on bad self (EntityCompiler expected, got %s: a method is called with ':')", name,
    type(self)), 3)
end

-- A copy of the options; `known` says which there are and of which type each is.
local function options_of(options, name, number, known)
  local copy, names = {}, {}
  if options == nil then return copy end
  if type(options) ~= "table" then
    error(format("bad argument #%d to '%s' (table expected, got %s)", number, name, type(options)), 3)
  end
  for option in pairs(known) do names[#names + 1] = option end
  table.sort(names)
  for option, value in pairs(options) do
    local wanted = known[option]
    if not wanted then
      error(format("bad argument #%d to '%s' (unknown option '%s'%s)", number, name, tostring(option),
        failure.hint(option, names)), 3)
    elseif type(value) ~= wanted then
      error(format("bad argument #%d to '%s' (%s: %s expected, got %s)", number, name, option, wanted, type(value)),
        3)
    end
    copy[option] = value
  end
  return copy
end

local COMPILE_OPTIONS = { name = "string", endian = "string", directory = "string" }

local function big_endian(options, name, number)
  local endian = options.endian or core.compile.host_endian()
  if endian ~= "little" and endian ~= "big" then
    error(format("bad argument #%d to '%s' (endian: \"little\" or \"big\" expected, got %q)", number, name, endian), 3)
  end
  return endian == "big"
end

-- Compiling --------------------------------------------------------------------------------------------------------

-- JSON text as a table. A decoder of the script may read more than JSON; a duplicate key is refused all the same.
local function decode(self, text, name)
  local fine, message = json.check(text)
  if not fine and (not self.custom or message:find("duplicate key", 1, true)) then
    failure.raise("%s: %s", name, message)
  end
  local document, trouble = self.decode(text)
  if document == nil then failure.raise("%s: %s", name, tostring(trouble)) end
  return document
end

local function compile(self, level, name, big)
  if type(level) == "string" then level = decode(self, level, name) end
  local nodes = source.read(name, level, core.MAX_ENTITIES)
  return components.compile(nodes, self.world, components.types(self.world), big)
end

--- Compiles a level.
-- @param level JSON text, or the same as a Lua table, which is not changed
-- @tparam[opt] table options `name` (what messages begin with), `endian` ("little" or "big", the host's unless told),
-- `directory`
-- @treturn[1] string the blob
-- @treturn[1] table the files that it depended on
-- @treturn[2] nil
-- @treturn[2] string what is wrong, and where
function Compiler:compile(level, options)
  check_self(self, "compile")
  if type(level) ~= "string" and type(level) ~= "table" then
    bad_argument("compile", 1, "JSON text or a table expected, got %s", type(level))
  end
  options = options_of(options, "compile", 2, COMPILE_OPTIONS)
  local big = big_endian(options, "compile", 2)
  local blob, message = failure.guard(compile, self, level, options.name or NAMELESS, big)
  if not blob then return nil, message end
  return blob, {}
end

-- Files ------------------------------------------------------------------------------------------------------------

local function read_file(path)
  local file, trouble = io.open(path, "rb")
  if not file then return nil, trouble end
  local text, problem = file:read("*a")
  file:close()
  if not text then return nil, path .. ": " .. tostring(problem) end
  return text
end

-- Nobody ever sees half a file: it is written under another name first.
local function write_file(path, bytes)
  local temporary = format("%s.%s.tmp", path, tostring({}):match("%x+$"))
  local file, trouble = io.open(temporary, "wb")
  if not file then return nil, trouble end
  local ok, problem = file:write(bytes)
  local closed, more = file:close()
  if ok and closed then
    ok, problem = os.rename(temporary, path)
    if not ok then -- not every system renames over a file
      os.remove(path)
      ok, problem = os.rename(temporary, path)
    end
    if ok then return true end
  end
  os.remove(temporary)
  return nil, path .. ": " .. tostring(problem or more)
end

local function check_path(path, number)
  if type(path) ~= "string" then
    error(format("bad argument #%d to 'compile_file' (string expected, got %s)", number, type(path)), 3)
  elseif path:find("%z") then
    error(format("bad argument #%d to 'compile_file' (a path cannot hold a zero byte)", number), 3)
  end
end

--- Compiles the file at one path into the file at another: all of it, or nothing is written.
-- @tparam string from
-- @tparam string to
-- @tparam[opt] table options as for `compile`; `name` is the path unless told
-- @treturn[1] string the blob
-- @treturn[1] table the files that it depended on, `from` first
-- @treturn[2] nil
-- @treturn[2] string what is wrong, and where
function Compiler:compile_file(from, to, options)
  check_self(self, "compile_file")
  check_path(from, 1)
  check_path(to, 2)
  options = options_of(options, "compile_file", 3, COMPILE_OPTIONS)
  local big = big_endian(options, "compile_file", 3)
  local text, trouble = read_file(from)
  if not text then return nil, trouble end
  local blob, message = failure.guard(compile, self, text, options.name or from, big)
  if not blob then return nil, message end
  local written, problem = write_file(to, blob)
  if not written then return nil, problem end
  return blob, { from }
end

--- Makes a compiler that knows the components which a world knows when `compile` is called.
-- @param world
-- @tparam[opt] table options `json`: a function that decodes JSON text
-- @treturn Compiler
function compiler.new(world, options)
  local ok, trouble = pcall(core.compile.component_types, world)
  if not ok then error((trouble:gsub("'[^']*'", "'compiler'", 1)), 2) end
  options = options_of(options, "compiler", 2, { json = "function" })
  return setmetatable({ world = world, custom = options.json ~= nil, decode = json.decoder(options.json) }, Compiler)
end

return compiler
