-- Makes Lua's own allocations fail, where that can be done. Why not: in `missing`, or nil.

local core = require "cuttle.core"
local kinds = require "spec.support.kinds"

local starving = {}

if not core.testing then
  starving.missing = "only test builds make allocations fail"
elseif type(jit) == "table" and jit.os == "Windows" then
  -- A pcall there answers a function of its caller in place of the message, and compiled code ends the process.
  starving.missing = "LuaJIT 2.1 beta 3 for Windows loses the error of an allocation that fails"
elseif os.getenv "CUTTLE_SANITIZER" == "1" and type(jit) ~= "table" then
  -- That run looks for leaks, and lua-cjson leaves its buffer behind when Lua has no memory for what it decodes.
  starving.missing = "lua-cjson leaks where Lua's memory ends, and leaks are looked for here"
end

-- Calls f with LuaJIT's compiler off and without what it has compiled. Versions before 2 June 2023, Debian 12's among
-- them, crash where compiled code gets no memory (LuaJIT's commit 2d8300c1: "Fix frame for on-trace out-of-memory
-- error").
function starving.with(f)
  kinds[1].with(function()
    if jit then jit.flush() end
    f()
  end)
end

return starving
