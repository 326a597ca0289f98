--- What each command does: commands.NAME(session).
-- Knows nothing of how arguments are written, nor of exit codes.
--
-- A session has `options`, `streams`, `cuttle` (the module), `world`, `compiler`, `importing` (the importers' options),
-- `session:show(verb, number, count, name)` and `session:tell(task, done, count)` for progress, `session:print(text)`,
-- `session:warn(message)`, and `session:fail(message)`, which tells what is wrong with one file; work goes on.
-- @module cuttle.cli.commands

local annotate = require "cuttle.annotate"
local core = require "cuttle.core"
local failure = require "cuttle.cli.failure"
local files = require "cuttle.files"
local inputs = require "cuttle.cli.inputs"
local json = require "cuttle.json"
local meanings = require "cuttle.cli.meanings"
local outputs = require "cuttle.cli.outputs"
local rules = require "cuttle.cli.rules"
local sources = require "cuttle.cli.sources"

local format = string.format

local commands = {}

local function misused(session, message, ...)
  failure.usage(format(message, ...), "cuttle " .. session.options.command)
end

-- Calls fn(input) for each input that can be read. If it returns nil, its second result is a message or a list of them.
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

-- Refuses to write over what the arguments name.
local function check_output(session, path)
  local reason = path and path ~= "-" and session.sources:reason(path, session.options.output ~= nil)
  if reason then misused(session, "%s would be written over: %s", path, reason) end
end

-- Why a path cannot be written to, when it leads to one of the files in `met`.
local function refusal(met, path, is_chosen, how)
  local reason = path and path ~= "-" and met:reason(path, is_chosen)
  return reason and format("%s: would be written over%s: %s", path, how, reason)
end

-- Notes what an input was made from beside itself. Those that were not known before.
local function note_sources(session, input, made, others)
  local new, reason = sources.new(), format("%s was %s from it", input.name, made)
  for _, path in ipairs(others) do
    if session.sources:add(path, reason) then new:add(path, reason) end
  end
  return new
end

-- What the numbers in grids mean goes into a file of its own. Refuses one that is read, or is written besides.
local function check_tile_resources(session, outputs_of)
  local path, made = session.options.tile_resources, sources.new()
  if not path then return end
  check_output(session, path)
  for _, output in ipairs(outputs_of) do made:add(output, output) end
  if made:reason(path, path ~= "-") then misused(session, "option '--tile-resources' names the output %s", path) end
end

local function write_tile_resources(session)
  local path = session.options.tile_resources
  if not path then return true end
  local trouble = refusal(session.sources, path, true, " by option '--tile-resources'")
  if trouble then return nil, trouble end
  local text, problem = meanings.text(session.meanings)
  if not text then return nil, problem end
  return outputs.write(session.streams, path, text)
end

-- compile ----------------------------------------------------------------------------------------------------------

-- Where an input is written to.
local function output_of(session, path)
  local options = session.options
  if options.output then return options.output end
  local name = path == "-" and options.name or path
  if name == "-" then
    if options.output_directory then
      misused(session, "standard input has no name to be written under: give --name")
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
  if reason then misused(session, "option '--deps': %s would be written over: %s", deps, reason) end
  local text = outputs.beginning(deps)
  if text and not rules.are(text) then
    misused(session, "option '--deps': %s would be written over, but holds no rules for make", deps)
  end
end

-- The outputs of all inputs, in their order.
local function plan(session)
  local options, taken, planned = session.options, {}, {}
  if options.output and #options.input > 1 then
    misused(session, "option '--output' takes one input, got %d", #options.input)
  end
  for number, path in ipairs(options.input) do
    local output = output_of(session, path)
    local shortest = files.normalise(files.target(output) or output)
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
  if input.format == "compiled" then return nil, input.name .. ": the level is compiled already" end
  local blob, others = inputs.compile(session, input)
  if not blob then return nil, others end
  local new = note_sources(session, input, "compiled", others)
  local trouble = refusal(session.sources, output, options.output ~= nil, "")
    or refusal(new, options.deps, true, " by option '--deps'")
  if trouble then return nil, trouble end
  session:tell("writing")
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
  -- After a failure what was written the last time still says what the outputs that are there were made from.
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

-- Names of the component types whose fields nobody told.
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

function commands.import(session)
  check_output(session, session.options.output)
  check_tile_resources(session, { session.options.output or "-" })
  each_input(session, "import", function(input)
    if not input.known and input.format ~= "compiled" then
      misused(session, "%s: the editor is not known by the name: give --format", input.name)
    elseif not inputs.EDITORS[input.format] then
      return nil, format("%s: expected a file of an editor, got a %s level", input.name, input.format)
    end
    local level, others = inputs.import(session, input)
    if not level then return nil, others end
    note_sources(session, input, "imported", others)
    local trouble = refusal(session.sources, session.options.output, true, "")
    if trouble then return nil, trouble end
    local layout = setmetatable({ tell = function(share) session:tell("writing", share, 1) end }, { __index = LAYOUT })
    local text, problem = json.encode(level, layout)
    if not text then return nil, input.name .. ": " .. problem end
    session:tell("writing")
    local ok
    ok, trouble = outputs.write(session.streams, session.options.output or "-", text .. "\n")
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
