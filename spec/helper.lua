-- Setup of every run of specs, loaded by busted before the first one. Selects the build under test and, on request,
-- runs the garbage collector very often.
--
-- CUTTLE_BUILD      folder of cuttle/core.so (core.dll on Windows); default build/test, which has assertions
-- CUTTLE_SANITIZER  1 under sanitizers, which are slow: heavy specs do less
-- CUTTLE_EMULATED   1 in an emulator, which is slow: heavy specs do less
-- CUTTLE_RUN        command that runs programs of the architecture under test, if this machine does not
-- CUTTLE_CHECKER    command that runs the interpreters that view_finalizers_spec starts, for example valgrind
-- CUTTLE_BLOBS      folder of levels compiled on another host, see spec/support/same_bytes.lua
-- CUTTLE_TORTURE    1: the collector runs as often as possible, and completely before and after every test

local build = os.getenv "CUTTLE_BUILD" or "build/test"

-- Without loadable modules, cuttle.core is linked in, as in examples/web/host.c.
local inside = package.preload["cuttle.core"]

-- Checked because an installed cuttle would otherwise be tested instead, without notice.
local ending = package.config:sub(1, 1) == "\\" and "dll" or "so"
local core = build .. "/cuttle/core." .. ending
if not inside then assert(io.open(core), core .. " is missing: make test builds it"):close() end

package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
package.cpath = build .. "/?." .. ending .. ";" .. package.cpath

require "spec.support.quick_assert"

-- Leaks are reported after the interpreter has closed its libraries. Without its finalizer the module stays loaded, so
-- that the report contains function names.
if os.getenv "CUTTLE_SANITIZER" == "1" then
  package.loadlib(core, "luaopen_cuttle_core")
  debug.setmetatable(debug.getregistry()["LOADLIB: " .. core], nil)
end

if os.getenv "CUTTLE_TORTURE" == "1" then
  local busted = require "busted"
  local function collect()
    collectgarbage()
    -- Userdata that are finalized in the first collection are freed in the second.
    collectgarbage()
    return nil, true
  end
  busted.subscribe({ "test", "start" }, collect)
  busted.subscribe({ "test", "end" }, collect)
  -- A new cycle begins as soon as one ends, and does thirty times the usual work for each kilobyte allocated.
  collectgarbage("setpause", 100)
  collectgarbage("setstepmul", 6000)
end
