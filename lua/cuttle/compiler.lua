--- Compiles level source into resources (Bitsquid, part 4, the EntityCompiler).
-- Knows nothing of the bytes of a resource.
--
-- Source is JSON text or the same shape as a Lua table; the reference is `cuttle.compiler` in the manual. Bad source
-- gives nil and a message: the name of the source, the place in it, what is wrong. Wrong arguments raise.
-- @module cuttle.compiler

local argument = require "cuttle.argument"
local components = require "cuttle.compiler.components"
local core = require "cuttle.core"
local failure = require "cuttle.failure"
local files = require "cuttle.files"
local json = require "cuttle.json"
local mistakes = require "cuttle.compiler.mistakes"
local prefabs = require "cuttle.compiler.prefabs"
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

local OPTIONS = argument.option_list { { "json", "function" } }
local COMPILE_OPTIONS = argument.option_list {
  { "directory", "string" }, { "endian", "string" }, { "limit", "number" }, { "mistakes", "function" },
  { "name", "string" }, { "progress", "function" }, { "read", "function" }, { "root", "string" },
}

local function big_endian(options, name, number)
  local endian = options.endian or core.compile.host_endian()
  if endian ~= "little" and endian ~= "big" then
    error(format("bad argument #%d to '%s' (endian: \"little\" or \"big\" expected, got %q)", number, name, endian), 3)
  end
  return endian == "big"
end

-- Compiling --------------------------------------------------------------------------------------------------------

-- JSON text as a table. A decoder of the script may read more than JSON; a duplicate key is refused all the same.
local function decode(self, text, name, progress)
  local function tell(done, count) progress("decoding", done, count) end
  local fine, message = json.check(text, tell)
  if not fine and (not self.custom or message:find("duplicate key", 1, true)) then
    failure.raise("%s: %s", name, message)
  end
  local document, trouble = self.decode(text, tell)
  if document == nil then failure.raise("%s: %s", name, tostring(trouble)) end
  return document
end

local function say_nothing() end

-- Returns the blob and the files that were read. Raises the first mistake that it meets.
local function compile(self, request)
  local level, progress = request.source, request.progress
  if type(level) == "string" then level = decode(self, level, request.name, progress) end
  local cache = prefabs.new_cache(function(text, file)
    return decode(self, text, file, progress)
  end, request)
  local nodes = source.read(request.name, level, core.MAX_ENTITIES, cache, progress, source.strict)
  local types, trouble = components.types(self.world, self.registered)
  if not types then failure.raise("%s: %s", request.name, trouble) end
  request.types = types
  return components.compile(nodes, self.world, types, request.big_endian, progress), cache.dependencies
end

-- The same; or nil, and the message of the mistake that stands first. Tells all to the option `mistakes`.
local function compile_or_tell(self, level, name, big, options, directory, path)
  local request = { source = level, name = name, big_endian = big, directory = directory, path = path,
    read = options.read, root = options.root, limit = options.limit, world = self.world,
    progress = options.progress or say_nothing }
  local blob, more = failure.guard(compile, self, request)
  if blob then return blob, more end
  request.types = request.types or components.types(self.world, self.registered)
  local found = {}
  if request.types then
    function request.decode(text, file) return decode(self, text, file, say_nothing) end
    found = mistakes.find(request)
  end
  if #found == 0 then found[1] = more end
  for _, message in ipairs(options.mistakes and found or {}) do options.mistakes(message) end
  return nil, found[1]
end

-- The same for the methods. A world that is destroyed is the script's mistake, whenever that shows.
local function compile_for_script(self, ...)
  local ok, blob, more = pcall(compile_or_tell, self, ...)
  if ok then return blob, more end
  local is_there, trouble = pcall(core.manager_at, self.world, 1)
  if not is_there and tostring(blob):find(trouble, 1, true) then error(trouble, 3) end
  if type(blob) == "string" and blob:find "not enough memory$" then error("not enough memory", 3) end
  error(blob, 0)
end

--- Compiles a level.
-- @param level JSON text, or the same as a Lua table, which is not changed
-- @tparam[opt] table options `name` (what messages begin with), `endian` ("little" or "big", the host's unless told),
-- `directory` (where the paths of its prefabs begin), `read` (function(path) -> text, or nil and why not: opens files
-- in place of `io.open`; `love.filesystem.read` fits), `root` (a folder that prefabs may not leave, with links
-- resolved; with `read` only the names are compared), `limit` (bytes that a file may have at most, 2^28 unless told);
-- and, for tools, `progress`: function(task, done, count), called now and then with what is done, and how far that is:
-- `done` of `count`, or so many entities; `mistakes`: function(message), called for each mistake in the order in which
-- they stand
-- @treturn[1] string the blob
-- @treturn[1] table the files that it depended on: its prefabs, in the order in which they were first needed
-- @treturn[2] nil
-- @treturn[2] string what is wrong, and where: the mistake that stands first
function Compiler:compile(level, options)
  argument.check_self(self, "EntityCompiler", "compile")
  if type(level) ~= "string" and type(level) ~= "table" then
    argument.bad(1, "compile", "JSON text or a table expected, got %s", type(level))
  end
  options = argument.options(options, 2, "compile", COMPILE_OPTIONS)
  local big = big_endian(options, "compile", 2)
  local blob, more = compile_for_script(self, level, options.name or NAMELESS, big, options, options.directory)
  return blob, more
end

-- Files ------------------------------------------------------------------------------------------------------------

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
-- @tparam[opt] table options as for `compile`; `name` is the path unless told, `read` opens the file at `from`, too
-- @treturn[1] string the blob
-- @treturn[1] table the files that it depended on, `from` first
-- @treturn[2] nil
-- @treturn[2] string what is wrong, and where
function Compiler:compile_file(from, to, options)
  argument.check_self(self, "EntityCompiler", "compile_file")
  check_path(from, 1)
  check_path(to, 2)
  options = argument.options(options, 3, "compile_file", COMPILE_OPTIONS)
  local big = big_endian(options, "compile_file", 3)
  local text, trouble = files.read(from, options.read, options.limit)
  if not text then return nil, trouble end
  local directory = options.directory or files.directory_of(from)
  local blob, dependencies = compile_for_script(self, text, options.name or from, big, options, directory, from)
  if not blob then return nil, dependencies end
  local written, problem = files.write(to, blob)
  if not written then return nil, problem end
  return blob, dependencies
end

-- Component compilers ----------------------------------------------------------------------------------------------

local DEFAULT_SPAWN_ORDER = 1000

--- Registers how components of a name are compiled (Bitsquid part 4, register_component_compiler). Registering again
-- replaces it; a name that the world knows is compiled by the function from then on.
-- @tparam string name an identifier
-- @tparam function fn function(config, context) -> the bytes of one component, a string. `config` is what stands in
-- the source; `context.path` names that place, `context.writer()` makes a writer in the target's byte order,
-- `context.entity(name)` tells which entity of the level a name or id means, counted from 0 as a spawner gets it. It is
-- called again for each component when something in the source is wrong, to find the first mistake
-- @tparam[opt=1000] number spawn_order where the type stands among the others: transform is 1, actor 6, the first
-- component defined by a script 100
function Compiler:register(name, fn, spawn_order)
  argument.check_self(self, "EntityCompiler", "register")
  if type(name) ~= "string" then
    argument.bad(1, "register", "string expected, got %s", type(name))
  elseif not name:find("^[%a_][%w_]*$") then
    argument.bad(1, "register", "identifier expected, got %q", name)
  elseif type(fn) ~= "function" then
    argument.bad(2, "register", "function expected, got %s", type(fn))
  end
  if spawn_order == nil then spawn_order = DEFAULT_SPAWN_ORDER end
  if type(spawn_order) ~= "number" then
    argument.bad(3, "register", "number expected, got %s", type(spawn_order))
  elseif not (spawn_order >= 0 and spawn_order < 2 ^ 32) or spawn_order % 1 ~= 0 then
    argument.bad(3, "register", "integer in [0, 4294967295] expected, got %s", tostring(spawn_order))
  end
  local trouble = components.collision(name, self.registered)
  local there, types = pcall(core.schema.component_types, self.world)
  if there then trouble = trouble or components.collision(name, types) end
  if trouble then argument.bad(1, "register", "%s", trouble) end
  self.registered[name] = { compile = fn, spawn_order = spawn_order }
end

--- Makes a compiler that knows the components which a world knows when `compile` is called.
-- @param world
-- @tparam[opt] table options `json`: a function that decodes JSON text
-- @treturn Compiler
function compiler.new(world, options)
  local ok, trouble = pcall(core.schema.component_types, world)
  if not ok then error((trouble:gsub("'[^']*'", "'compiler'", 1)), 2) end
  options = argument.options(options, 2, "compiler", OPTIONS)
  return setmetatable({ world = world, registered = {}, custom = options.json ~= nil,
    decode = json.decoder(options.json) }, Compiler)
end

return compiler
