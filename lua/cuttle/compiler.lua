--- EntityCompiler: compiles level source into resources (Bitsquid, part 4).
-- Does not depend on the binary format of resources.
--
-- Source is JSON text, or a Lua table of the same structure; the page `cuttle.compiler` of the manual describes it. Bad
-- source returns nil and a message with the name of the source, the place and the error. Wrong arguments raise.
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

-- The name of a source without a name, in messages.
local NAMELESS = "source"

local Compiler = {}
Compiler.__index = Compiler
Compiler.__metatable = "EntityCompiler"
Compiler.__tostring = function() return "EntityCompiler" end

-- Arguments ---------------------------------------------------------------------------------------------------------

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

-- Decodes JSON text. A decoder of the script may accept more than JSON, but duplicate keys are refused in any case.
local function decode(self, text, name, progress)
  local function report(done, count) progress("decoding", done, count) end
  local fine, message = json.check(text, report)
  if not fine and (not self.custom or message:find("duplicate key", 1, true)) then
    failure.raise("%s: %s", name, message)
  end
  local document, trouble = self.decode(text, report)
  if document == nil then failure.raise("%s: %s", name, tostring(trouble)) end
  return document
end

local function ignore_progress() end

-- Returns the blob and the list of files that were read. Raises the first error that it finds.
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

-- Calls `compile`. Returns its results, or nil and the message of the error with the first place in the source. Passes
-- all messages to the option `mistakes`.
local function compile_or_report(self, level, name, big, options, directory, path)
  local request = { source = level, name = name, big_endian = big, directory = directory, path = path,
    read = options.read, root = options.root, limit = options.limit, world = self.world,
    progress = options.progress or ignore_progress }
  local blob, more = failure.guard(compile, self, request)
  if blob then return blob, more end
  request.types = request.types or components.types(self.world, self.registered)
  local found = {}
  if request.types then
    function request.decode(text, file) return decode(self, text, file, ignore_progress) end
    found = mistakes.find(request)
  end
  if #found == 0 then found[1] = more end
  for _, message in ipairs(options.mistakes and found or {}) do options.mistakes(message) end
  return nil, found[1]
end

-- Calls compile_or_report for a method. If the world is destroyed, raises at the line of the script.
local function compile_for_script(self, ...)
  local ok, blob, more = pcall(compile_or_report, self, ...)
  if ok then return blob, more end
  local is_alive, trouble = pcall(core.manager_at, self.world, 1)
  if not is_alive and tostring(blob):find(trouble, 1, true) then error(trouble, 3) end
  if type(blob) == "string" and blob:find "not enough memory$" then error("not enough memory", 3) end
  error(blob, 0)
end

--- Compiles a level.
-- @param level JSON text, or a Lua table of the same structure, which is not changed
-- @tparam[opt] table options `name` (messages begin with it), `endian` ("little" or "big", the host's by default),
-- `directory` (paths of prefabs are relative to it), `read` (function(path) -> text, or nil and an error message:
-- replaces `io.open`; `love.filesystem.read` fits), `root` (a folder that prefabs must not leave, with links resolved;
-- with `read` only the paths are compared), `limit` (the largest accepted size of a file in bytes, 2^28 by default);
-- and, for tools, `progress`: function(task, done, count), called at intervals with the name of the current task and
-- its progress (`done` of `count`, or a number of entities); `mistakes`: function(message), called for each error in
-- source order
-- @treturn[1] string the blob
-- @treturn[1] table the files that the blob depends on: its prefabs, in the order of first use
-- @treturn[2] nil
-- @treturn[2] string the message of the error that is first in the source
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

--- Compiles one file into another file. After a failure nothing is written. It fails if `to` is a file that it reads.
-- @tparam string from
-- @tparam string to
-- @tparam[opt] table options as for `compile`; `name` is `from` by default, and `read` also reads `from`
-- @treturn[1] string the blob
-- @treturn[1] table the files that the blob depends on, `from` first
-- @treturn[2] nil
-- @treturn[2] string the error message
function Compiler:compile_file(from, to, options)
  argument.check_self(self, "EntityCompiler", "compile_file")
  argument.check_world(self.world, "compile_file")
  check_path(from, 1)
  check_path(to, 2)
  options = argument.options(options, 3, "compile_file", COMPILE_OPTIONS)
  local big = big_endian(options, "compile_file", 3)
  local text, trouble = files.read(from, options.read, options.limit)
  if not text then return nil, trouble end
  local directory = options.directory or files.directory_of(from)
  local blob, dependencies = compile_for_script(self, text, options.name or from, big, options, directory, from)
  if not blob then return nil, dependencies end
  for _, path in ipairs(dependencies) do
    if files.normalize(path) == files.normalize(to) or files.are_same(path, to) then
      return nil, to .. ": the level is compiled from this file, which would be overwritten"
    end
  end
  local written, problem = files.write(to, blob)
  if not written then return nil, problem end
  return blob, dependencies
end

-- Component compilers ----------------------------------------------------------------------------------------------

local DEFAULT_SPAWN_ORDER = 1000

--- Registers the compile function of a component type (Bitsquid part 4, register_component_compiler). It replaces an
-- earlier one, and also the built-in compilation of a component type of the world.
-- @tparam string name an identifier
-- @tparam function fn function(config, context) -> the bytes of one component, a string. `config` is the value in the
-- source; `context.path` is its place, `context.writer()` makes a writer in the byte order of the target, and
-- `context.entity(name)` returns the 0-based index of the entity with a name or id, as a spawner receives it. If the
-- source has an error, the function is called again for each component to find the first one
-- @tparam[opt=1000] number spawn_order the position of the type in the spawn order: transform is 1, actor 6, the first
-- script-defined component 100
function Compiler:register(name, fn, spawn_order)
  argument.check_self(self, "EntityCompiler", "register")
  argument.check_world(self.world, "register")
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
  local ok, types = pcall(core.schema.component_types, self.world)
  if ok then trouble = trouble or components.collision(name, types) end
  if trouble then argument.bad(1, "register", "%s", trouble) end
  self.registered[name] = { compile = fn, spawn_order = spawn_order }
end

--- Makes a compiler. It compiles the component types that the world has when `compile` is called.
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
