-- Makes LuaJIT what it is on consoles and iOS: without FFI and compiler. LUA_INIT=@/path/to/tools/no_ffi.lua
-- has the interpreter run it first, and those that it starts as well. It changes nothing under Lua 5.1.
package.preload.ffi = nil
package.loaded.ffi = nil
if rawget(_G, "jit") then jit.off() end

-- Busted patches the FFI wherever it finds LuaJIT, and does not start when there is none.
package.preload["busted.luajit"] = function()
  return function() end
end
