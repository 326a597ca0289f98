// Public header for programs that embed Lua and link the module: opening it, and setting its
// allocator. Must not depend on other headers of the project but cuttle.h.
#ifndef CUTTLE_LUA_H
#define CUTTLE_LUA_H

// Lua's headers do not declare extern "C" for C++.
#ifdef __cplusplus
extern "C" {
#endif
#include <lauxlib.h>
#include <lua.h>
#ifdef __cplusplus
}
#endif

#include "cuttle.h"

// Exported from the module; all other symbols are hidden.
#if defined(_WIN32)
#define CT_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define CT_EXPORT __attribute__((visibility("default")))
#else
#define CT_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

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
void ct_host_set_allocator(lua_State *L, const ct_allocator *allocator);

#ifdef __cplusplus
}
#endif

#endif
