// Entry points for a program that embeds Lua and links the module: opening it, and setting its
// allocator. Must not depend on anything else in the module.
#ifndef BIND_HOST_H
#define BIND_HOST_H

#include "base/alloc.h"
#include "bind/value/compat.h"

#include <string.h>

CT_BEGIN_C

/// Opens the module: pushes its table, or raises. The Lua files of lua/cuttle, which must be on
/// package.path, require it as "cuttle.core". A program that links it statically therefore runs
/// this on a state with open standard libraries:
///
///     lua_getglobal(L, "package");
///     lua_getfield(L, -1, "preload");
///     lua_pushcfunction(L, luaopen_cuttle_core);
///     lua_setfield(L, -2, "cuttle.core");
///     lua_pop(L, 2);
///
/// Scripts then call require "cuttle". Several states may open the module, each in a separate
/// thread: they share no data.
CT_EXPORT int luaopen_cuttle_core(lua_State *L);

/// Registry key of the host's allocator. The value is a full userdata that contains a ct_allocator,
/// because old LuaJIT limits the addresses of light userdata.
#define CT_ALLOCATOR_KEY "cuttle.allocator"

/// Sets the allocator that the module uses in this state instead of malloc for all memory that Lua
/// does not manage. Must be called before the module is opened in the state; a later call has no
/// effect. Copies the struct; the target of its 'user' must be valid until lua_close returns.
/// Raises if Lua is out of memory.
///
/// A lua_Alloc can serve as 'reallocate': with the function and pointer that lua_getallocf returns,
/// components count against the memory limit of Lua. Do not use the built-in allocator of LuaJIT:
/// it aligns to 8 bytes, and malloc aligns to 16.
static inline void ct_host_set_allocator(lua_State *L, const ct_allocator *allocator) {
    memcpy(lua_newuserdata(L, sizeof *allocator), allocator, sizeof *allocator);
    lua_setfield(L, LUA_REGISTRYINDEX, CT_ALLOCATOR_KEY);
}

CT_END_C

#endif
