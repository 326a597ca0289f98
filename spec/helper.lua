-- Loaded by busted before the first spec: chooses the build under test and, when asked, torments the garbage collector.
--
-- CUTTLE_BUILD      folder that holds cuttle/core.so (core.dll on Windows); build/test, with assertions, unless told
-- CUTTLE_SANITIZER  1 under sanitizers, which are slow: heavy specs may shrink
-- CUTTLE_EMULATED   1 in an emulator, which is slow, too
-- CUTTLE_RUN        the command that runs programs of the architecture under test, where this one does not
-- CUTTLE_CHECKER    the command that runs the interpreters that view_finalizers_spec starts, valgrind for example
-- CUTTLE_BLOBS      folder of what another host compiled, see spec/support/same_bytes.lua
-- CUTTLE_TORTURE    1: the collector runs as often as can be borne, and whole before and after every test

local build = os.getenv "CUTTLE_BUILD" or "build/test"

-- Where nothing can be loaded the module is inside, as examples/web/host.c puts it there.
local inside = package.preload["cuttle.core"]

-- Without this an installed cuttle would be tested instead, silently.
local ending = package.config:sub(1, 1) == "\\" and "dll" or "so"
local core = build .. "/cuttle/core." .. ending
if not inside then assert(io.open(core), core .. " is missing: make test builds it"):close() end

package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
package.cpath = build .. "/?." .. ending .. ";" .. package.cpath

-- Leaks are reported after the interpreter has closed its libraries: without its finalizer the module stays loaded, and
-- the report can name functions.
if os.getenv "CUTTLE_SANITIZER" == "1" then
  package.loadlib(core, "luaopen_cuttle_core")
  debug.setmetatable(debug.getregistry()["LOADLIB: " .. core], nil)
end

if os.getenv "CUTTLE_TORTURE" == "1" then
  local busted = require "busted"
  local function collect()
    collectgarbage()
    -- Userdata finalized in the first round are freed in the second.
    collectgarbage()
    return nil, true
  end
  busted.subscribe({ "test", "start" }, collect)
  busted.subscribe({ "test", "end" }, collect)
  -- A new cycle begins as soon as one ends, and does thirty times the usual work for each kilobyte allocated.
  collectgarbage("setpause", 100)
  collectgarbage("setstepmul", 6000)
end
