-- Column views, compiled methods and readers, while finalizers move, free or destroy the data that they access.

-- tags: machine finalizers unix

local command_line = require "spec.support.command_line"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local view_finalizers = require "spec.support.view_finalizers"

-- CUTTLE_CHECKER is a command that runs the interpreter under a checker, as `make memcheck` does.
local function run(number, mode, times)
  local paths = ("package.path, package.cpath = %q, %q "):format("./?.lua;" .. package.path, package.cpath)
  local code = ("require('spec.support.view_finalizers').run(%d, %q, %d, %d)"):format(number, mode, times, seed)
  local pipe = io.popen(("%s %s -e %s 2>&1"):format(os.getenv "CUTTLE_CHECKER" or "", command_line.interpreter(),
    command_line.quoted(paths .. code)))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

describe("an access of memory through the FFI, seed " .. seed, function()
  local modes = rawget(_G, "jit") and { "interpreted", "compiled", "off_for_one" } or { "interpreted" }
  for number, name in ipairs(view_finalizers.names) do
    for _, mode in ipairs(modes) do
      -- The last finalizer runs two full collections in each round.
      local times = number == #view_finalizers.names and rounds(1, 1) or rounds(6, 2)
      it(("reads and writes correct values, %s, while a finalizer %s"):format(mode, name), function()
        assert.matches("^in order, %d+ times\n$", run(number, mode, times))
      end)
    end
  end
end)
