--- Inputs of the commands: reads files and standard input as levels and as resources.
-- Does not depend on the commands.
-- @module cuttle.cli.inputs

local compat = require "cuttle.compat"
local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.cli.failure"
local files = require "cuttle.files"
local sniff = require "cuttle.cli.sniff"
local wording = require "cuttle.cli.wording"

local format = string.format

local inputs = {}

local FORMATS = { json = "native", lua = "lua", ldtk = "ldtk", ldtkl = "ldtk", tmj = "tiled", tmx = "tiled",
  world = "tiled", tsj = "tiled", tsx = "tiled", tj = "tiled", tx = "tiled", gltf = "gltf", glb = "gltf" }

--- Formats that have an importer.
inputs.EDITORS = { ldtk = true, tiled = true, gltf = true }

local NATIVE = { native = true, lua = true }
local MAGICS = { CTLR = true, RLTC = true } -- of a resource, in both byte orders
local COMPILED_ENDING = "level"

-- Lua files --------------------------------------------------------------------------------------------------------

-- Converts an error value of a script, which may be any value, to a message.
local function message_of(value)
  return value == nil and "it raised nil" or tostring(value)
end

-- Runs a Lua file and returns its result, or nil and an error message. Refuses bytecode, which Lua does not verify.
local function value_of(path, text)
  if text:find("^\27") then return nil, path .. ": bytecode is not accepted" end
  local chunk, trouble = compat.loadstring((text:gsub("^#[^\n]*", "")), "@" .. path)
  local ok, value
  if chunk then
    ok, value = pcall(chunk)
    trouble = not ok and message_of(value) or nil
  end
  if ok then return value end
  if trouble:sub(1, #path + 1) ~= path .. ":" then trouble = path .. ": " .. trouble end
  return nil, trouble
end

-- Runs the Lua file of an option. Its result must have the given type.
local function value_of_option(path, wanted)
  local text, trouble = files.read(path)
  if not text then failure.usage(trouble) end
  local value
  value, trouble = value_of(path, text)
  if type(value) == wanted then return value end
  failure.usage(trouble or format("%s: expected the file to return a %s, got %s", path, wanted, type(value)))
end

--- Runs the file of option --components. An error in it is a usage error.
function inputs.define_components(path, world, compiler)
  local define = value_of_option(path, "function")
  local ok, trouble = pcall(define, world, compiler)
  if ok then ok, trouble = pcall(core.schema.component_types, world) end
  if ok then return end
  trouble = message_of(trouble)
  failure.usage(trouble:find(path, 1, true) and trouble or path .. ": " .. trouble)
end

--- Returns the options of importers that correspond to the options of the command.
function inputs.importing(options)
  local chosen = {}
  if options.mappings then
    for name, value in each, (value_of_option(options.mappings, "table")) do chosen[name] = value end
  end
  for _, name in ipairs({ "tiles", "int_grid", "fields", "depth", "project", "scene", "meshes", "root",
    "max_elements", "max_cells" }) do
    if options[name] then chosen[name] = options[name] end
  end
  if options.grids then chosen.tiles = "grid" end
  for _, name in ipairs({ "levels", "layers" }) do
    if options[name] and #options[name] > 0 then chosen[name] = options[name] end
  end
  return chosen
end

-- Opening ----------------------------------------------------------------------------------------------------------

local function ending_of(path)
  return (path:match("%.([^./\\]*)$") or ""):lower()
end

--- Reads a file, or standard input.
-- @tparam table session `options`, `streams`
-- @tparam string path "-" for standard input
-- @treturn[1] table `path` (nil for standard input), `name` for messages, `text`, `format` (from option --format, or
-- from the name: native, lua, ldtk, tiled, gltf; "compiled" for a resource)
-- @treturn[2] nil
-- @treturn[2] string the error message
function inputs.open(session, path)
  local options = session.options
  local input = { path = path, name = path }
  local text, trouble
  local limit = options.limit or files.MOST_COMPILED
  if path == "-" then
    input.path, input.name = nil, options.name or "standard input"
    text, trouble = files.drain(session.streams.input, limit)
    if not text then return nil, input.name .. ": " .. tostring(trouble) end
  else
    text, trouble = files.read(path, nil, limit)
    if not text then return nil, trouble end
  end
  local ending = ending_of(input.name)
  -- Tiled's export with embedded tilesets ends in .json, and so may any document.
  local seen = ending == "json" and not options.format and sniff(text) or nil
  input.text, input.format = text, options.format or seen or FORMATS[ending] or "native"
  input.known = options.format ~= nil or FORMATS[ending] ~= nil
  if MAGICS[text:sub(1, 4)] or (ending == COMPILED_ENDING and not options.format) then input.format = "compiled" end
  return input
end

-- Levels -----------------------------------------------------------------------------------------------------------

-- Makes the `read` function of an importer. It records the files that it opens.
local function reader_of(input, path, read, opened)
  return function(wanted)
    if wanted == path then return input.text end
    local text, trouble = read(wanted)
    if text then opened[#opened + 1] = files.normalize(wanted) end
    return text, trouble
  end
end

--- Imports an editor's file. The lists of the level may be lazy (cuttle.compiler.lazy).
-- @tparam table session
-- @tparam table input
-- @tparam[opt] boolean is_split whether each level of a project becomes a level source of its own
-- @treturn[1] table level source, or with `is_split` one for each level by name
-- @treturn[1] table the files that were read in addition to the input
-- @treturn[1] table the index of the levels of a project
-- @treturn[2] nil
-- @treturn[2] string the error message with its place
function inputs.import(session, input, is_split)
  local chosen, opened = {}, {}
  for name, value in each, session.importing do chosen[name] = value end
  -- An importer treats text that begins like a document as a document.
  local path = input.name:find("^[%w_./\\]") and not input.name:find("^glTF") and input.name or "./" .. input.name
  if input.format ~= "gltf" then chosen.lazy = true end
  chosen.progress = function(...) session:report(...) end
  chosen.limit, chosen.split = chosen.limit or session.options.limit, is_split or nil
  chosen.on_disk = not chosen.read
  local function read(wanted) return files.read(wanted, nil, chosen.limit) end
  chosen.name, chosen.read = input.name, reader_of(input, path, chosen.read or read, opened)
  -- The second result of an importer is a list of warnings, or an error message.
  local ok, level, trouble, tile_resources, index = pcall(session.cuttle.import[input.format], path, chosen)
  if ok and level then
    input.text = nil -- may be large
    for _, warning in ipairs(trouble) do session:warn(warning) end
    for name, tiles in each, tile_resources or {} do
      if session.tile_resources[name] and session.options.tile_resources then
        return nil, format("%s: grids of another input also have tiles named %s", input.name, name)
      end
      session.tile_resources[name] = tiles
    end
    return level, opened, index
  end
  if ok then return nil, trouble end
  local mistake = tostring(level):match("bad argument #2 to '%w+' %((.*)%)$")
  if not mistake then error(level, 0) end
  local option = mistake:match("^unknown option '([%l_]+)'")
  local given = option and session.options[option]
  if given and not (type(given) == "table" and #given == 0) then
    failure.usage(format("%s: option '%s' is not for %s files", input.name, wording.flag(option), input.format))
  end
  failure.usage(format("%s: the %s importer: %s", session.options.mappings or input.name, input.format, mistake))
end

-- Returns the input as level source for the compiler.
local function level_of(session, input)
  if input.format == "native" then return input.text, {} end
  if not NATIVE[input.format] then return inputs.import(session, input, false) end
  local level, trouble = value_of(input.name, input.text)
  if type(level) == "table" then return level, {} end
  return nil, trouble or format("%s: expected the file to return a table, got %s", input.name, type(level))
end

--- Compiles an input in memory.
-- @treturn[1] string the blob
-- @treturn[1] table all other files that it depends on, without duplicates
-- @treturn[2] nil
-- @treturn[2] string the error message with its place
-- @treturn[2] table the messages of all errors; nil if the input was not compiled
function inputs.compile(session, input)
  local options = session.options
  local level, opened = level_of(session, input)
  if not level then return nil, opened end
  local directory = files.directory_of(input.name)
  local all = {}
  local blob, prefabs = session.compiler:compile(level,
    { name = input.name, endian = options.endian, directory = directory, limit = options.limit,
      root = options.root or directory, progress = function(...) session:report(...) end,
      mistakes = function(message) all[#all + 1] = message end })
  if not blob then return nil, prefabs, all end
  local others, met = {}, { [input.path and files.normalize(input.path) or ""] = true }
  local function add(path)
    if path and not met[path] then others[#others + 1] = path end
    met[path or ""] = true
  end
  for _, path in ipairs(opened) do add(path) end
  for _, path in ipairs(prefabs) do add(path) end
  add(options.components)
  if not NATIVE[input.format] then add(options.mappings) end
  return blob, others
end

--- Returns the resource of an input, compiled if necessary.
-- @treturn[1] Resource
-- @treturn[2] nil
-- @treturn[2] string the error message with its place
-- @treturn[2] table the messages of all errors; nil if the input was not compiled
function inputs.resource(session, input)
  local blob, trouble, all = input.text, nil, nil
  if input.format ~= "compiled" then blob, trouble, all = inputs.compile(session, input) end
  if not blob then return nil, trouble, all end
  session:report("checking")
  local resource, problem = session.cuttle.resource(blob)
  local fits = resource
  if resource then fits, problem = core.schema.verify(session.world, resource) end
  if not fits then return nil, input.name .. ": " .. problem end
  return resource
end

return inputs
