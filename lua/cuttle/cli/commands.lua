--- The commands: commands.NAME(session).
-- Does not depend on the syntax of arguments, nor on exit codes.
--
-- A session has `options`, `streams`, `cuttle` (the module), `world`, `compiler`, `importing` (the options of
-- importers), `session:show(verb, number, count, name)` and `session:report(task, done, count)` for progress,
-- `session:print(text)`, `session:warn(message)`, and `session:fail(message)`, which reports an error in one file and
-- continues.
-- @module cuttle.cli.commands

local annotate = require "cuttle.annotate"
local core = require "cuttle.core"
local failure = require "cuttle.cli.failure"
local files = require "cuttle.files"
local inputs = require "cuttle.cli.inputs"
local json = require "cuttle.json"
local tile_resources = require "cuttle.cli.tile_resources"
local outputs = require "cuttle.cli.outputs"
local rules = require "cuttle.cli.rules"
local sources = require "cuttle.cli.sources"
local split = require "cuttle.cli.split"

local format = string.format

local commands = {}

local function misused(session, message, ...)
  failure.usage(format(message, ...), "cuttle " .. session.options.command)
end

-- Calls fn(input) for each readable input. If fn returns nil, its second result is a message or a list of messages.
local function each_input(session, verb, fn)
  local paths = session.options.input
  for number, path in ipairs(paths) do
    session:show(verb, number, #paths, path)
    local input, trouble = inputs.open(session, path)
    local ok
    if input then ok, trouble = fn(input, number) end
    if not ok then
      for _, message in ipairs(type(trouble) == "table" and trouble or { trouble }) do session:fail(message) end
    end
  end
end

-- Raises a usage error if an output is one of the files that the arguments name.
local function check_output(session, path)
  local reason = path and path ~= "-" and session.sources:reason(path, session.options.output ~= nil)
  if reason then misused(session, "%s would be overwritten: %s", path, reason) end
end

-- Returns an error message if a path leads to one of the files in `met`, or nil.
local function refusal(met, path, is_chosen, how)
  local reason = path and path ~= "-" and met:reason(path, is_chosen)
  return reason and format("%s: would be overwritten%s: %s", path, how, reason)
end

-- Records the files that an input depends on. Returns the ones that were not recorded before.
local function note_sources(session, input, made, others)
  local new, reason = sources.new(), format("%s was %s from it", input.name, made)
  for _, path in ipairs(others) do
    if session.sources:add(path, reason) then new:add(path, reason) end
  end
  return new
end

-- Returns an error message if option --tile-resources names one of the outputs, or nil.
local function tile_resources_trouble(session, outputs_of)
  local path, made = session.options.tile_resources, sources.new()
  for _, output in ipairs(outputs_of) do made:add(output, output) end
  return path and made:reason(path, path ~= "-") and format("option '--tile-resources' names the output %s", path)
end

-- Checks the path of option --tile-resources: it must not be an input or an output.
local function check_tile_resources(session, outputs_of)
  check_output(session, session.options.tile_resources)
  local trouble = tile_resources_trouble(session, outputs_of)
  if trouble then misused(session, "%s", trouble) end
end

local function write_tile_resources(session)
  local path = session.options.tile_resources
  if not path then return true end
  local trouble = refusal(session.sources, path, true, " by option '--tile-resources'")
  if trouble then return nil, trouble end
  local text, problem = tile_resources.text(session.tile_resources)
  if not text then return nil, problem end
  return outputs.write(session.streams, path, text)
end

-- compile ----------------------------------------------------------------------------------------------------------

-- Returns the output path of an input.
local function output_of(session, path)
  local options = session.options
  if options.output then return options.output end
  local name = path == "-" and options.name or path
  if name == "-" then
    if options.output_directory then
      misused(session, "the output of standard input has no name: give --name")
    end
    return "-"
  end
  if path == "-" and not options.output_directory then return "-" end
  local last = files.name_of(name)
  local folder = options.output_directory or files.directory_of(name)
  return files.join(folder, (last:match("^(.+)%.[^.]*$") or last) .. ".level")
end

local function check_deps(session, outputs_of)
  local deps, made = session.options.deps, sources.new()
  if not deps then return end
  for _, output in ipairs(outputs_of) do
    if output == "-" then misused(session, "option '--deps' needs the name of an output, got standard output") end
    made:add(output, output)
  end
  if deps == "-" then return end
  local output = made:reason(deps, true)
  if output then misused(session, "option '--deps' names the output %s", output) end
  local reason = session.sources:reason(deps, true)
  if reason then misused(session, "option '--deps': %s would be overwritten: %s", deps, reason) end
  local text = outputs.beginning(deps)
  if text and not rules.are(text) then
    misused(session, "option '--deps': %s would be overwritten, but has no rules for make", deps)
  end
end

-- The outputs of all inputs, in the same order.
local function plan(session)
  local options, taken, planned = session.options, {}, {}
  if options.output and #options.input > 1 then
    misused(session, "option '--output' takes one input, got %d", #options.input)
  end
  for number, path in ipairs(options.input) do
    local output = output_of(session, path)
    local shortest = files.normalize(files.target(output) or output)
    if output ~= "-" then
      if taken[shortest] then
        misused(session, "%s and %s would both be written to %s", taken[shortest], path, output)
      end
      check_output(session, output)
    end
    taken[shortest], planned[number] = path, output
  end
  check_deps(session, planned)
  check_tile_resources(session, planned)
  return planned
end

local function compile_one(session, input, output)
  local options = session.options
  if input.format == "compiled" then return nil, input.name .. ": the level is already compiled" end
  local blob, others = inputs.compile(session, input)
  if not blob then return nil, others end
  local new = note_sources(session, input, "compiled", others)
  local trouble = refusal(session.sources, output, options.output ~= nil, "")
    or refusal(new, options.deps, true, " by option '--deps'")
  if trouble then return nil, trouble end
  session:report("writing")
  local ok
  if options.output or output == "-" then
    ok, trouble = outputs.write(session.streams, output, blob)
  else
    ok, trouble = files.write(output, blob)
  end
  if not ok then return nil, trouble end
  return { output = output, source = input.path, dependencies = others }
end

function commands.compile(session)
  local planned, made = plan(session), {}
  each_input(session, "compile", function(input, number)
    local item, trouble = compile_one(session, input, planned[number])
    made[#made + 1] = item
    return item, trouble
  end)
  -- After a failure the old file is kept: it still describes the existing outputs.
  if #made < #planned then return end
  local done, problem = write_tile_resources(session)
  if not done then session:fail(problem) end
  if not session.options.deps then return end
  local text, trouble = rules.text(made)
  if text then text, trouble = outputs.write(session.streams, session.options.deps, text) end
  if not text then session:fail(trouble) end
end

-- describe, validate -----------------------------------------------------------------------------------------------

function commands.describe(session)
  local several, before = #session.options.input > 1, ""
  each_input(session, "describe", function(input)
    local resource, trouble = inputs.resource(session, input)
    if not resource then return nil, trouble end
    local head = several and before .. outputs.printable(input.name) .. ":\n" or ""
    before = "\n"
    return session:print(head .. resource:describe({ tree = session.options.tree }) .. "\n")
  end)
end

-- The names of component types that are not defined, so that their fields cannot be checked.
local function unknown_types(session, resource)
  local known, unknown = core.schema.component_types(session.world), {}
  for _, name in ipairs(resource:component_types()) do
    if not known[name] then unknown[#unknown + 1] = name end
  end
  return unknown
end

function commands.validate(session)
  each_input(session, "validate", function(input)
    local resource, trouble, all = inputs.resource(session, input)
    if not resource then return nil, all or trouble end
    if not session.options.verbose then return true end
    local unknown = unknown_types(session, resource)
    local rest = #unknown > 0 and ", fields not checked: " .. table.concat(unknown, ", ") or ""
    return session:print(format("%s: ok%s\n", outputs.printable(input.name), outputs.printable(rest)))
  end)
end

-- import, schema, annotate -----------------------------------------------------------------------------------------

local LAYOUT = { indent = 2, arrays = { entities = true, children = true },
  order = { "version", "name", "id", "parent", "prefab", "components", "overrides", "entities", "children" } }

-- Encodes a level and writes it. Checks first that this overwrites no file that the command reads.
local function write_source(session, input, level, path)
  local trouble = refusal(session.sources, path, true, "")
  if trouble then return nil, trouble end
  local function report(share) session:report("writing", share, 1) end
  local layout = setmetatable({ progress = report }, { __index = LAYOUT })
  local text, problem = json.encode(level, layout)
  if not text then return nil, input.name .. ": " .. problem end
  session:report("writing")
  return outputs.write(session.streams, path, text .. "\n")
end

-- Writes the levels of a project, then their index.
local function write_split(session, input, levels, index)
  local directory, paths = session.options.split, {}
  local planned, trouble = split.plan(directory, levels)
  if not planned then return nil, input.name .. ": " .. trouble end
  local index_path = files.join(directory, split.INDEX)
  paths[1] = index_path
  trouble = refusal(session.sources, index_path, true, "")
  for place, one in ipairs(planned) do
    paths[place + 1], trouble = one.path, trouble or refusal(session.sources, one.path, true, "")
  end
  trouble = trouble or tile_resources_trouble(session, paths)
  if trouble then return nil, trouble end
  for _, one in ipairs(planned) do
    local ok, problem = write_source(session, input, levels[one.name], one.path)
    if not ok then return nil, problem end
  end
  return outputs.write(session.streams, index_path, split.index_text(index))
end

function commands.import(session)
  local options = session.options
  check_output(session, options.output)
  check_tile_resources(session, { options.output or not options.split and "-" or nil })
  if options.split and options.tile_resources and #options.levels > 0 then
    misused(session, "option '--tile-resources' with '--split' and '--level' would lack the tiles of the other levels")
  end
  each_input(session, "import", function(input)
    if not input.known and input.format ~= "compiled" then
      misused(session, "%s: the name does not determine the editor: give --format", input.name)
    elseif not inputs.EDITORS[input.format] then
      return nil, format("%s: expected a file of an editor, got a %s level", input.name, input.format)
    end
    local level, others, index = inputs.import(session, input, options.split ~= nil)
    if not level then return nil, others end
    note_sources(session, input, "imported", others)
    local ok, trouble
    if options.split then
      ok, trouble = write_split(session, input, level, index)
    else
      ok, trouble = write_source(session, input, level, options.output or "-")
    end
    if not ok then return nil, trouble end
    return write_tile_resources(session)
  end)
end

local function write_text(session, text)
  local ok, trouble = outputs.write(session.streams, session.options.output or "-", text)
  if not ok then session:fail(trouble) end
end

function commands.schema(session)
  check_output(session, session.options.output)
  write_text(session, session.cuttle.schema(session.world, { compiler = session.compiler }))
end

function commands.annotate(session)
  check_output(session, session.options.output)
  write_text(session, annotate.text(session.world))
end

return commands
