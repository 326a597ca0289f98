--- The command `cuttle` as a function from arguments to an exit code.
-- Does not depend on processes, nor on the single commands.
-- @module cuttle.cli

local commands = require "cuttle.cli.commands"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local failure = require "cuttle.cli.failure"
local inputs = require "cuttle.cli.inputs"
local outputs = require "cuttle.cli.outputs"
local progress = require "cuttle.cli.progress"
local sources = require "cuttle.cli.sources"
local usage = require "cuttle.cli.usage"
local wording = require "cuttle.cli.wording"

local cli = {}

local OK, BAD_DATA, INTERRUPTED = 0, 1, 130

local OUT_OF_MEMORY = { code = BAD_DATA, message = "not enough memory" }

local standard = { input = io.stdin, output = io.stdout, errors = io.stderr, clock = os.clock,
  is_terminal = core.file.is_terminal }

-- Session: one run of a command -------------------------------------------------------------------------------------

local Session = {}
Session.__index = Session

function Session:show(verb, number, count, name)
  self.progress:show(verb, number, count, name)
end

function Session:report(task, done, count)
  self.progress:report(task, done, count)
end

-- Prints an error in the data and continues; the exit code becomes 1.
function Session:fail(message)
  self.progress:clear()
  self.streams.errors:write(outputs.printable(wording.of(message, self.options.components)), "\n")
  self.code = BAD_DATA
end

-- Prints a warning about data that an import left out.
function Session:warn(message)
  self.progress:clear()
  self.streams.errors:write("warning: ", outputs.printable(wording.of(message)), "\n")
end

function Session:print(text)
  self.progress:clear()
  return outputs.write(self.streams, "-", text)
end

local function check_inputs(options)
  local count = 0
  for _, path in ipairs(options.input or {}) do
    if path == "-" then count = count + 1 end
    if path == "" then failure.usage("a file cannot be named ''", "cuttle " .. options.command) end
  end
  if count > 1 then failure.usage("standard input can be read once", "cuttle " .. options.command) end
  if options.name and count == 0 then
    failure.usage("option '--name' names standard input, which is not read: give '-'", "cuttle " .. options.command)
  end
end

-- Options that are paths. An empty path is refused here, because the later error would not name it.
local PATHS = { "name", "output", "output_directory", "split", "deps", "components", "mappings", "project", "root",
  "tile_resources" }

local function check_paths(options)
  for _, name in ipairs(PATHS) do
    if options[name] == "" then
      failure.usage(("option '--%s': the path is empty"):format(name:gsub("_", "-")), "cuttle " .. options.command)
    end
  end
end

local function run(arguments, streams, line)
  local options = usage.read(arguments, cuttle._VERSION)
  check_inputs(options)
  check_paths(options)
  local session = setmetatable({ options = options, streams = streams, cuttle = cuttle, code = OK,
    progress = line, importing = inputs.importing(options), sources = sources.of(options),
    tile_resources = {} }, Session)
  session.world = cuttle.world(cuttle.entity_manager())
  session.compiler = cuttle.compiler(session.world)
  if options.components then inputs.define_components(options.components, session.world, session.compiler) end
  commands[options.command](session)
  session.progress:clear()
  return session.code
end

--- Runs a command.
-- @tparam table arguments strings, without the name of the command itself
-- @tparam[opt] table streams `input`, `output`, `errors` (files as io.stdin is), `is_terminal` (function: whether
-- `errors` is a terminal), `clock` (function: seconds); those of the process by default
-- @treturn number the exit code: 0, 1 (errors in the data), 2 (bad usage) or 130 (interrupted)
function cli.main(arguments, streams)
  streams = setmetatable(streams or {}, { __index = standard })
  local line = progress.new(streams)
  local ok, code, ending = pcall(failure.guard, run, arguments, streams, line)
  if ok and code then return code end
  if not ok then
    pcall(collectgarbage) -- frees memory for the message
    if tostring(code):find("interrupted!$") then -- by the interpreter's handler of Ctrl-C
      line:clear()
      return INTERRUPTED
    end
    if not tostring(code):find("not enough memory$") then error(code, 0) end
    ending = OUT_OF_MEMORY
  end
  line:clear()
  if ending.text then
    local written, trouble = outputs.write(streams, "-", ending.text .. "\n")
    if written then return ending.code end
    streams.errors:write(trouble, "\n")
    return BAD_DATA
  end
  -- The message may have several lines.
  streams.errors:write("cuttle: ", (ending.message:gsub("[^\n]+", outputs.printable)), "\n")
  if ending.command then streams.errors:write("see '", ending.command, " --help'\n") end
  return ending.code
end

return cli
