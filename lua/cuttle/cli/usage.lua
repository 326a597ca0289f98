--- Help texts and argument parser of the command.
-- Does not depend on the implementation of the commands.
-- @module cuttle.cli.usage

local failure = require "cuttle.cli.failure"

local found, argparse = pcall(require, "argparse")
if not found then
  error("the command needs argparse (luarocks install argparse; on Debian: apt-get install lua-argparse): "
    .. tostring(argparse), 0)
end

local WIDTH, MOST_LINES = 100, 2 ^ 22

local usage = {}

local FORMATS = "The ending of a file determines its format: .json (native, or an editor's if its keys are), .lua "
  .. "(returns the same as a table), .ldtk, .tmj, .tmx, .world (Tiled), .gltf, .glb; all other files are native JSON. "
  .. "Option --format overrides the ending. '-' is standard input."

-- Common options ---------------------------------------------------------------------------------------------------

-- Help ends the parsing of arguments instead of the process.
local function add_help(parser)
  parser:help_max_width(WIDTH):usage_max_width(WIDTH):help_description_margin(34)
  parser:add_help({ description = "Show this help and exit.", action = function() failure.text(parser:get_help()) end })
  return parser
end

local function add_command(parser, name, summary, description)
  return add_help(parser:command(name):summary(summary):description(description))
end

local function add_inputs(command)
  command:argument("FILE"):target("input"):args("+"):description("Files to read, '-' for standard input.")
end

local function add_components(command)
  command:option("--components"):argname("FILE"):description("Lua file that returns function(world, compiler): it "
    .. "defines the components of scripts, mesh and model resources, and registers component compilers.")
end

local function bytes_of(text)
  local bytes = tonumber(text)
  if bytes and bytes >= 0 and bytes % 1 == 0 then return bytes end
  return nil, string.format("option '--limit': expected a number of bytes, got '%s'", text)
end

local function add_reading(command, formats)
  command:option("--format"):argname("FORMAT"):choices(formats):description("Format of the files, for any ending: "
    .. table.concat(formats, ", ") .. ".")
  command:option("--name"):argname("NAME"):description("The name of standard input: messages begin with it, its ending "
    .. "determines the format, and its folder is the base of relative paths.")
  command:option("--limit"):argname("BYTES"):convert(bytes_of):description("The largest accepted file size. Default: "
    .. "1073741824; 268435456 for files that other files name, and for files of an editor.")
end

local function count_of(name)
  return function(text)
    local count = tonumber(text)
    if count and count >= 0 then return count end
    return nil, string.format("option '--%s': expected a number, got '%s'", name, text)
  end
end

local function scene_of(text)
  return tonumber(text) or text
end

local function add_importing(command)
  command:option("--mappings"):argname("FILE"):description("Lua file that returns the importer's options as a table, "
    .. "such as { components = { Player = function(fields, entity) ... end } }.")
  command:flag("--tiles"):description("Every tile becomes an entity (LDtk, Tiled).")
  command:flag("--grids"):description("Every tile layer and int grid becomes one grid component (LDtk, Tiled); also "
    .. "written --tiles=grid.")
  command:flag("--int-grid"):target("int_grid"):description("Every int grid cell becomes an entity (LDtk).")
  command:option("--fields"):argname("NAME"):description("Keep custom fields that no mapping reads in the field "
    .. "'value' of a component of that name (its type must be value). Default: they are dropped with a warning.")
  command:flag("--depth"):description("The depth of a level is its z (LDtk).")
  command:option("--level"):argname("NAME"):count("*"):target("levels")
    :description("Only this level; may be repeated (LDtk, worlds of Tiled).")
  command:option("--layer"):argname("NAME"):count("*"):target("layers")
    :description("Only this layer; may be repeated (Tiled).")
  command:option("--project"):argname("FILE"):description("The .tiled-project that defines the classes (Tiled).")
  command:option("--scene"):argname("SCENE"):convert(scene_of)
    :description("This scene: its name, or its index from 0 (glTF).")
  command:flag("--meshes"):description("Every node with a mesh gets a mesh component (glTF).")
  command:option("--root"):argname("FOLDER"):description("The folder that must contain all files which a level names, "
    .. "with links resolved. Default: the folder of the level.")
  command:option("--max-elements"):argname("COUNT"):target("max_elements"):convert(count_of "max-elements")
    :description("The largest number of layers, objects, nodes and XML elements of an editor's level with all files "
      .. "that it names. Default: 1000000.")
  command:option("--max-cells"):argname("COUNT"):target("max_cells"):convert(count_of "max-cells")
    :description("The largest number of cells of its layers. Default: 10000000.")
end

local function add_tile_resources(command)
  command:option("--tile-resources"):argname("FILE"):description("Write a Lua file that describes the tiles of grids: "
    .. "it returns tables for grid:define_resource by name.")
end

local ALL_FORMATS = { "native", "lua", "ldtk", "tiled", "gltf" }
local EDITORS = { "ldtk", "tiled", "gltf" }

-- Commands ---------------------------------------------------------------------------------------------------------

local function add_level_options(command)
  add_components(command)
  add_reading(command, ALL_FORMATS)
  add_importing(command)
end

local function add_compile(parser)
  local command = add_command(parser, "compile", "Compile levels into resources.",
    "Compiles each level into a resource for cuttle.load. By default NAME.json is compiled to NAME.level beside it, "
    .. "and standard input to standard output. A level with errors is reported and does not stop the others; nothing "
    .. "is written for it. " .. FORMATS)
  add_inputs(command)
  command:mutex(
    command:option("-o --output"):argname("FILE")
      :description("Where to write, '-' for standard output; with one input only."),
    command:option("--output-directory"):argname("DIRECTORY"):description("Write NAME.level to this existing folder."))
  command:option("--endian"):choices({ "little", "big" }):argname("ORDER")
    :description("Byte order of the target, little or big. Default: that of this machine.")
  command:option("--deps"):argname("FILE")
    :description("Write the dependencies of each output, prefabs included, as rules for make ('-': standard output). "
      .. "Only if all inputs compiled. An existing file is overwritten only if it is empty or has such rules.")
  add_level_options(command)
  add_tile_resources(command)
end

local function lines_of(text)
  local lines = tonumber(text)
  if text == "all" then return text end
  if lines and lines >= 0 and lines % 1 == 0 then return math.min(lines, MOST_LINES) end
  return nil, string.format("option '--tree': expected a number of lines or 'all', got '%s'", text)
end

local function add_describe(parser)
  local command = add_command(parser, "describe", "Print the contents of levels.",
    "Prints the contents of each level: its entities, component types and bytes, and the tree of entities. Takes "
    .. "compiled levels, and sources, which are compiled first. " .. FORMATS)
  add_inputs(command)
  command:option("--tree"):argname("LINES"):convert(lines_of)
    :description("The number of lines of the tree, or 'all'. Default: 100.")
  add_level_options(command)
end

local function add_validate(parser)
  local command = add_command(parser, "validate", "Check levels.",
    "Checks sources and compiled levels, and prints only errors. In a source every component must be defined. In a "
    .. "compiled level, script-defined components are checked if --components defines them. The existence of mesh and "
    .. "model resources is not checked. " .. FORMATS)
  add_inputs(command)
  command:flag("-v --verbose"):description("Also print a line for each correct file.")
  add_level_options(command)
end

local function add_output(command)
  return command:option("-o --output"):argname("FILE"):description("Where to write, '-' for standard output.")
end

local function add_import(parser)
  local command = add_command(parser, "import", "Turn an editor's level into native JSON.",
    "Converts a level made with LDtk (.ldtk), Tiled (.tmj, .tmx, .world; a Lua export with --format tiled) or a glTF "
    .. "editor (.gltf, .glb) to native JSON. Writes to standard output unless -o names a file. Warnings list what is "
    .. "left out. The contents of a .json file determine its editor.")
  command:argument("FILE"):target("input"):args(1):description("The file to read, '-' for standard input.")
  command:mutex(add_output(command),
    command:option("--split"):argname("DIRECTORY"):description("Write each level of a project to NAME.json in this "
      .. "existing folder, and their names, rectangles and neighbours to index.lua (LDtk, worlds of Tiled)."))
  add_reading(command, EDITORS)
  add_importing(command)
  add_tile_resources(command)
end

local function add_schema(parser)
  local command = add_command(parser, "schema", "Print the JSON Schema of level files.",
    "Prints a JSON Schema, which editors use to complete and check level files. A level refers to it with "
    .. "\"$schema\": \"./level.schema.json\".")
  add_output(command)
  add_components(command)
end

local function add_annotate(parser)
  local command = add_command(parser, "annotate", "Print annotations of your components for editors.",
    "Prints LuaCATS annotations of the components that --components defines. Editors with the Lua language server use "
    .. "them together with lua/cuttle/meta.lua to complete and check fields, accessors and columns.")
  add_output(command)
  add_components(command)
end

-- Lists `help` and `version` in the help; `read` converts them to options.
local function add_help_and_version(parser, version)
  add_command(parser, "help", "Show this help, or that of a command.", "Shows the help of this program, or of one of "
    .. "its commands."):argument("COMMAND"):target("subject"):args("?"):description("The command.")
  add_command(parser, "version", "Show the version.", "Shows the version.")
    :action(function() failure.text(version) end)
end

local function new_parser(version)
  local parser = add_help(argparse("cuttle", "Compiles, describes, checks and imports levels."))
  parser:command_target("command"):require_command(true)
  parser:epilog("Exit codes: 0, 1 (errors in the data), 2 (bad usage: arguments, or the Lua files of --components and "
    .. "--mappings). 'cuttle COMMAND --help' shows the options of a command.")
  parser:flag("--version"):description("Show the version and exit; so does -v alone.")
    :action(function() failure.text(version) end)
  add_compile(parser)
  add_describe(parser)
  add_validate(parser)
  add_import(parser)
  add_schema(parser)
  add_annotate(parser)
  add_help_and_version(parser, version)
  function parser.error(current, message) -- argparse calls it with the parser of the command
    failure.usage(message, current:get_usage():match("^Usage: ([%l ]*%l)"))
  end
  return parser
end

-- Converts other spellings of help and version. `-v` means the version only if it is the only argument, because it is
-- an option of a command otherwise.
local function spelt_out(arguments)
  local first, second = arguments[1], arguments[2]
  if first == "-v" and not second then return { "--version" } end
  if first ~= "help" or #arguments > 2 or (second or ""):find("^%-") then return arguments end
  return second and { second, "--help" } or { "--help" }
end

-- Converts --tiles=grid to a flag, because --tiles takes no value, so that an input may follow it.
local function without_values(arguments)
  local list = {}
  for index, argument in ipairs(arguments) do list[index] = argument == "--tiles=grid" and "--grids" or argument end
  return list
end

--- Parses the arguments of the command. Raises endings of `cuttle.cli.failure`.
-- @tparam table arguments strings
-- @tparam string version what `--version` prints
-- @treturn table `command`, and its options by name (`output_directory` for `--output-directory`); `input` is a list
function usage.read(arguments, version)
  local options = new_parser(version):parse(without_values(spelt_out(arguments)))
  if type(options.input) == "string" then options.input = { options.input } end
  return options
end

return usage
