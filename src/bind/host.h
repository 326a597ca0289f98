// What a program needs that has Lua inside and brings the module along: how it is opened, and
// whose memory it takes. Knows nothing of what the module does.
#ifndef BIND_HOST_H
#define BIND_HOST_H

#include "base/alloc.h"
#include "bind/value/compat.h"

#include <string.h>

CT_BEGIN_C

/// Opens the module: pushes its table, or raises. The Lua files of lua/cuttle, which are on
/// package.path, look for it under "cuttle.core", so a program that links it statically says, on a
/// state with its standard libraries open:
///
///     lua_getglobal(L, "package");
///     lua_getfield(L, -1, "preload");
///     lua_pushcfunction(L, luaopen_cuttle_core);
///     lua_setfield(L, -2, "cuttle.core");
///     lua_pop(L, 2);
///
/// From then on scripts say require "cuttle". Any number of states may have it open, each in a
/// thread of its own: there is no data that they share.
CT_EXPORT int luaopen_cuttle_core(lua_State *L);

/// Where in the registry the module finds the host's allocator: a full userdata that holds a
/// ct_allocator, to which old LuaJIT, unlike to light userdata, sets no bound on addresses.
#define CT_ALLOCATOR_KEY "cuttle.allocator"

/// Gives the module of this state another allocator than malloc, for everything that is not
/// Lua's own. Has to come before the module is opened in the state, later it changes nothing. The
/// struct is copied; what its 'user' points to is needed until lua_close has returned. Raises when
/// Lua is out of memory.
///
/// A lua_Alloc is a fitting 'reallocate': with what lua_getallocf tells, components count as Lua's
/// memory does, against the same limit. Not so with the allocator that is LuaJIT's own: it aligns
/// to 8 bytes, where malloc aligns to 16.
static inline void ct_host_set_allocator(lua_State *L, const ct_allocator *allocator) {
    memcpy(lua_newuserdata(L, sizeof *allocator), allocator, sizeof *allocator);
    lua_setfield(L, LUA_REGISTRYINDEX, CT_ALLOCATOR_KEY);
}

CT_END_C

#endif
