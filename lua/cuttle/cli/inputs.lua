--- Reads what the commands are given: files and standard input, as levels and as resources.
-- Knows nothing of what is done with them.
-- @module cuttle.cli.inputs

local compat = require "cuttle.compat"
local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.cli.failure"
local files = require "cuttle.files"
local sniff = require "cuttle.cli.sniff"

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

-- What was raised, as a message; a script may raise anything.
local function raised(value)
  return value == nil and "it raised nil" or tostring(value)
end

-- What a Lua file returns, or nil and what is wrong. Only text: bytecode is not checked by anybody.
local function value_of(path, text)
  if text:find("^\27") then return nil, path .. ": bytecode is not read" end
  local chunk, trouble = compat.loadstring((text:gsub("^#[^\n]*", "")), "@" .. path)
  local ok, value
  if chunk then
    ok, value = pcall(chunk)
    trouble = not ok and raised(value) or nil
  end
  if ok then return value end
  if trouble:sub(1, #path + 1) ~= path .. ":" then trouble = path .. ": " .. trouble end
  return nil, trouble
end

-- What a Lua file named by an option returns; it must be of the type.
local function value_of_option(path, wanted)
  local text, trouble = files.read(path)
  if not text then failure.usage(trouble) end
  local value
  value, trouble = value_of(path, text)
  if type(value) == wanted then return value end
  failure.usage(trouble or format("%s: expected the file to return a %s, got %s", path, wanted, type(value)))
end

--- Lets the file of option --components define what it knows. What goes wrong in it is bad usage.
function inputs.define_components(path, world, compiler)
  local define = value_of_option(path, "function")
  local ok, trouble = pcall(define, world, compiler)
  if ok then ok, trouble = pcall(core.schema.component_types, world) end
  if ok then return end
  trouble = raised(trouble)
  failure.usage(trouble:find(path, 1, true) and trouble or path .. ": " .. trouble)
end

--- The importers' options, as the command's say them.
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
-- @treturn[1] table `path` (nil for standard input), `name` for messages, `text`, `format` (what the name or option
-- --format says: native, lua, ldtk, tiled, gltf; "compiled" for a resource)
-- @treturn[2] nil
-- @treturn[2] string why not
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
  -- Tiled's export with the tilesets inside ends in .json, and so may every document.
  local seen = ending == "json" and not options.format and sniff(text) or nil
  input.text, input.format = text, options.format or seen or FORMATS[ending] or "native"
  input.known = options.format ~= nil or FORMATS[ending] ~= nil
  if MAGICS[text:sub(1, 4)] or (ending == COMPILED_ENDING and not options.format) then input.format = "compiled" end
  return input
end

-- Levels -----------------------------------------------------------------------------------------------------------

-- Opens files for an importer and notes them.
local function reader_of(input, path, read, noted)
  return function(wanted)
    if wanted == path then return input.text end
    local text, trouble = read(wanted)
    if text then noted[#noted + 1] = files.normalise(wanted) end
    return text, trouble
  end
end

--- The level that an editor's file holds. Its lists may be lazy ones, of cuttle.compiler.lazy.
-- @treturn[1] table level source
-- @treturn[1] table the files that were read beside the input
-- @treturn[2] nil
-- @treturn[2] string what is wrong, and where
function inputs.import(session, input)
  local chosen, noted = {}, {}
  for name, value in each, session.importing do chosen[name] = value end
  -- An importer takes what begins like a document for one.
  local path = input.name:find("^[%w_./\\]") and not input.name:find("^glTF") and input.name or "./" .. input.name
  if input.format ~= "gltf" then chosen.lazy = true end
  chosen.progress = function(...) session:tell(...) end
  chosen.limit = chosen.limit or session.options.limit
  chosen.on_disk = not chosen.read
  local function read(wanted) return files.read(wanted, nil, chosen.limit) end
  chosen.name, chosen.read = input.name, reader_of(input, path, chosen.read or read, noted)
  -- The second result of an importer is a list of warnings, or what is wrong.
  local ok, level, trouble, meanings = pcall(session.cuttle.import[input.format], path, chosen)
  if ok and level then
    input.text = nil -- may be large
    for _, warning in ipairs(trouble) do session:warn(warning) end
    for name, tiles in each, meanings or {} do
      if session.meanings[name] and session.options.tile_resources then
        return nil, format("%s: grids of another input have tiles named %s, too", input.name, name)
      end
      session.meanings[name] = tiles
    end
    return level, noted
  end
  if ok then return nil, trouble end
  local mistake = tostring(level):match("bad argument #2 to '%w+' %((.*)%)$")
  if not mistake then error(level, 0) end
  failure.usage(format("%s: the %s importer: %s", session.options.mappings or input.name, input.format, mistake))
end

-- Level source as the compiler takes it.
local function level_of(session, input)
  if input.format == "native" then return input.text, {} end
  if not NATIVE[input.format] then return inputs.import(session, input) end
  local level, trouble = value_of(input.name, input.text)
  if type(level) == "table" then return level, {} end
  return nil, trouble or format("%s: expected the file to return a table, got %s", input.name, type(level))
end

--- Compiles an input in memory.
-- @treturn[1] string the blob
-- @treturn[1] table every other file it was made from, each once
-- @treturn[2] nil
-- @treturn[2] string what is wrong, and where
-- @treturn[2] table the messages of all mistakes; nil if the input was not compiled
function inputs.compile(session, input)
  local options = session.options
  local level, noted = level_of(session, input)
  if not level then return nil, noted end
  local directory = files.directory_of(input.name)
  local all = {}
  local blob, prefabs = session.compiler:compile(level,
    { name = input.name, endian = options.endian, directory = directory, limit = options.limit,
      root = options.root or directory, progress = function(...) session:tell(...) end,
      mistakes = function(message) all[#all + 1] = message end })
  if not blob then return nil, prefabs, all end
  local others, met = {}, { [input.path and files.normalise(input.path) or ""] = true }
  local function add(path)
    if path and not met[path] then others[#others + 1] = path end
    met[path or ""] = true
  end
  for _, path in ipairs(noted) do add(path) end
  for _, path in ipairs(prefabs) do add(path) end
  add(options.components)
  if not NATIVE[input.format] then add(options.mappings) end
  return blob, others
end

--- The resource that an input is, or is compiled to.
-- @treturn[1] Resource
-- @treturn[2] nil
-- @treturn[2] string what is wrong, and where
-- @treturn[2] table the messages of all mistakes; nil if the input was not compiled
function inputs.resource(session, input)
  local blob, trouble, all = input.text, nil, nil
  if input.format ~= "compiled" then blob, trouble, all = inputs.compile(session, input) end
  if not blob then return nil, trouble, all end
  session:tell("checking")
  local resource, problem = session.cuttle.resource(blob)
  local fits = resource
  if resource then fits, problem = core.schema.verify(session.world, resource) end
  if not fits then return nil, input.name .. ": " .. problem end
  return resource
end

return inputs
