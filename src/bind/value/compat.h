// Where Lua 5.1 and LuaJIT differ from each other or lack something: all of it, nowhere else.
// Knows nothing of cuttle.
#ifndef BIND_COMPAT_H
#define BIND_COMPAT_H

// Lua's own headers leave this to whoever includes them.
#ifdef __cplusplus
extern "C" {
#endif
#include <lauxlib.h>
#include <lua.h>
#ifdef __cplusplus
}
#endif

#if !defined(LUA_VERSION_NUM) || LUA_VERSION_NUM != 501
#error "cuttle is a module for Lua 5.1 and LuaJIT"
#endif

// The module is built once and loaded by both, so only what plain Lua 5.1
// exports may be called, whichever headers it was compiled against.
// luaL_setfuncs, luaL_testudata, luaL_setmetatable, luaL_traceback are LuaJIT's.

// They do not return, which the headers do not say and compilers want to know.
// NOLINTBEGIN(readability-redundant-declaration,readability-inconsistent-declaration-parameter-name)
#if defined(__GNUC__) && !defined(__cplusplus)
LUALIB_API int luaL_error(lua_State *L, const char *fmt, ...) __attribute__((noreturn));
LUALIB_API int luaL_argerror(lua_State *L, int numarg, const char *extramsg)
    __attribute__((noreturn));
LUA_API int lua_error(lua_State *L) __attribute__((noreturn));
#endif
// NOLINTEND(readability-redundant-declaration,readability-inconsistent-declaration-parameter-name)

// Visible outside of the module's file; all else is hidden.
#if defined(_WIN32)
#define CT_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define CT_EXPORT __attribute__((visibility("default")))
#else
#define CT_EXPORT
#endif

#define ct_bind_absindex(L, index)                                                                 \
    ((index) > 0 || (index) <= LUA_REGISTRYINDEX ? (index) : lua_gettop(L) + (index) + 1)

#define ct_bind_rawlen(L, index) ((uint32_t)lua_objlen(L, index))

#endif
