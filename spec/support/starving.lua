-- Failing allocations of Lua, where they are possible; `missing` is the reason why not, or nil.

local core = require "cuttle.core"
local kinds = require "spec.support.kinds"

local starving = {}

if not core.testing then
  starving.missing = "only test builds can make allocations fail"
elseif type(jit) == "table" and jit.os == "Windows" then
  -- There, pcall returns a function of its caller in place of the message, and compiled code ends the process.
  starving.missing = "LuaJIT 2.1 beta 3 for Windows loses the error of an allocation that fails"
elseif os.getenv "CUTTLE_SANITIZER" == "1" and type(jit) ~= "table" then
  -- That run detects leaks, and lua-cjson leaks its buffer if Lua has no memory for a decoded value.
  starving.missing = "lua-cjson leaks if Lua has no memory, and this run detects leaks"
end

-- Calls f with LuaJIT's compiler off and without compiled code. Versions before 2 June 2023, including that of Debian
-- 12, crash if compiled code gets no memory (LuaJIT's commit 2d8300c1: "Fix frame for on-trace out-of-memory error").
function starving.with(f)
  kinds[1].with(function()
    if jit then jit.flush() end
    f()
  end)
end

return starving
