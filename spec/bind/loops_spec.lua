-- Garbage of loops, in a process of its own.

-- tags: ffi unix

local command_line = require "spec.support.command_line"

local function run(code)
  local paths = ("package.path, package.cpath = %q, %q "):format("./?.lua;" .. package.path, package.cpath)
  local pipe = io.popen(("%s -e %s 2>&1"):format(command_line.interpreter(), command_line.quoted(paths .. code)))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

describe("Loops over a kept query", function()
  it("start again without garbage, also nested and after break", function()
    assert.equal("none\n", run "require('spec.support.loop_garbage').print()")
  end)
end)
