-- Makes LuaJIT like that of consoles and iOS: without FFI and compiler. With LUA_INIT=@/path/to/tools/no_ffi.lua, the
-- interpreter and the interpreters that it starts run this file first. It has no effect under Lua 5.1.
package.preload.ffi = nil
package.loaded.ffi = nil
if rawget(_G, "jit") then jit.off() end

-- Busted patches the FFI under LuaJIT, and does not start without one.
package.preload["busted.luajit"] = function()
  return function() end
end
