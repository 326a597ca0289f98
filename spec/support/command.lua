-- Runs the command as a function, with streams of the spec's own, and what specs ask of a run.
-- Knows nothing of processes.

local cli = require "cuttle.cli"
local cuttle = require "cuttle"
-- busted gives its assert to spec files only.
local assert = require "luassert"

local command = {}

-- A level, one that is wrong, and where.
command.GOAT = [[{ "entities": [ { "name": "goat", "components": { "transform": { "position": [1, 2, 3] } } } ] }]]
command.BAD = [[{ "entities": [ { "components": { "transform": { "position": [1] } } } ] }]]
command.BAD_PLACE = "entities[1].components.transform.position: expected 3 numbers, got 1"

-- A level with a component of a script, and the file for --components that defines it.
command.HEALTHY = [[{ "entities": [ { "components": { "health": { "hp": 7 } } } ] }]]
command.DEFINE_HEALTH = [[return function(world) world:define("health", { { "hp", "int32" } }) end]]

-- A stream that collects what is written to it; `trouble`: why it cannot be written to.
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

-- A stream to read a text from; without one, `trouble` says why.
function command.source(text, trouble)
  return { read = function()
    local all = text
    if not trouble then text = nil end
    return all, trouble
  end }
end

-- The exit code, and what came out of both streams; `text` is standard input.
function command.run_on(text, ...)
  local output, errors = command.sink(), command.sink()
  local code = cli.main({ ... }, { output = output, errors = errors, input = command.source(text) })
  return code, output.text(), errors.text()
end

function command.run(...)
  return command.run_on("", ...)
end

-- What was told on the stream of errors besides warnings.
function command.without_warnings(errors)
  return (errors:gsub("warning: [^\n]*\n", ""))
end

-- What a run came to: these take what it returned, and pass over warnings.

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

-- What a level without components of scripts is compiled to.
function command.compiled(level)
  return (assert(cuttle.compiler(cuttle.world(cuttle.entity_manager())):compile(level)))
end

return command
