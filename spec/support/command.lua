-- Runs of the command as a function with own streams, and assertions about their results.

local cli = require "cuttle.cli"
local cuttle = require "cuttle"
-- busted provides its assert only to spec files.
local assert = require "luassert"

local command = {}

-- A level, a wrong level, and the place of its error.
command.GOAT = [[{ "entities": [ { "name": "goat", "components": { "transform": { "position": [1, 2, 3] } } } ] }]]
command.BAD = [[{ "entities": [ { "components": { "transform": { "position": [1] } } } ] }]]
command.BAD_PLACE = "entities[1].components.transform.position: expected 3 numbers, got 1"

-- A level with a script-defined component, and the file of --components that defines it.
command.HEALTHY = [[{ "entities": [ { "components": { "health": { "hp": 7 } } } ] }]]
command.DEFINE_HEALTH = [[return function(world) world:define("health", { { "hp", "int32" } }) end]]

-- A stream that collects its output; `trouble`: the reason why writes fail.
function command.sink(trouble)
  local parts = {}
  return {
    write = function(self, ...)
      if trouble then return nil, trouble end
      for _, part in ipairs({ ... }) do parts[#parts + 1] = part end
      return self
    end,
    flush = function() return true end,
    text = function() return table.concat(parts) end,
  }
end

-- A stream for reading a text; without one, reads fail with `trouble`.
function command.source(text, trouble)
  return { read = function()
    local all = text
    if not trouble then text = nil end
    return all, trouble
  end }
end

-- Runs the command with `text` as standard input. Returns the exit code and the output of both streams.
function command.run_on(text, ...)
  local output, errors = command.sink(), command.sink()
  local code = cli.main({ ... }, { output = output, errors = errors, input = command.source(text) })
  return code, output.text(), errors.text()
end

function command.run(...)
  return command.run_on("", ...)
end

-- The error output without warnings.
function command.without_warnings(errors)
  return (errors:gsub("warning: [^\n]*\n", ""))
end

-- Assertions about the results of a run, without warnings.

function command.assert_output(text, code, output, errors)
  assert.equal("", command.without_warnings(errors))
  assert.equal(text, output)
  assert.equal(0, code)
end

function command.assert_silent(...)
  command.assert_output("", ...)
end

function command.assert_bad_data(message, code, output, errors)
  assert.equal(message .. "\n", command.without_warnings(errors))
  assert.equal("", output)
  assert.equal(1, code)
end

function command.assert_misused(message, code, output, errors)
  assert.equal("cuttle: " .. message, errors:match("^(.-)\n"))
  assert.equal("", output)
  assert.equal(2, code)
end

-- The compiled form of a level without script-defined components.
function command.compiled(level)
  return (assert(cuttle.compiler(cuttle.world(cuttle.entity_manager())):compile(level)))
end

return command
