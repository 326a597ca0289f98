// Where versions of Lua differ from each other or lack something: all of it, nowhere else.
// Knows nothing of cuttle.
#ifndef BIND_COMPAT_H
#define BIND_COMPAT_H

// Lua's own headers leave this to whoever includes them.
#ifdef __cplusplus
extern "C" {
#endif
#include <lauxlib.h>
#include <lua.h>
#include <stdarg.h>
#ifdef __cplusplus
}
#endif

#if !defined(LUA_VERSION_NUM) ||                                                                   \
    (LUA_VERSION_NUM != 501 && (LUA_VERSION_NUM < 503 || LUA_VERSION_NUM > 505))
#error "cuttle is a module for Lua 5.1, LuaJIT, and Lua 5.3 to 5.5"
#endif

// For Lua 5.1 and LuaJIT the module is built once and loaded by both, so only what plain Lua 5.1
// exports may be called, whichever of their headers it was compiled against: luaL_setfuncs,
// luaL_testudata, luaL_setmetatable, luaL_traceback are LuaJIT's.

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

// Whether what is left to a finalizer is out of weak values before that runs, and only out of weak
// keys afterwards, as from Lua 5.2 on.
#define CT_BIND_WEAK_VALUES_GO_FIRST (LUA_VERSION_NUM > 501)

// What an object keeps alive, a table: pushed; popped and set. A whole number, pushed as such. The
// functions of a luaL_Reg, into the table on top. Whether the interpreter is the one of the
// headers.
#if LUA_VERSION_NUM == 501
#define ct_bind_rawlen(L, index) ((uint32_t)lua_objlen(L, index))
#define ct_bind_push_owned lua_getfenv
#define ct_bind_set_owned lua_setfenv
#define ct_bind_less lua_lessthan
#define ct_bind_push_whole(L, number) lua_pushnumber(L, (lua_Number)(number))
#define ct_bind_push_read lua_pushnumber
#define ct_bind_push_format lua_pushvfstring
#define ct_bind_set_functions(L, functions) luaL_register(L, NULL, functions)
#define ct_bind_check_version(L) (void)(L)
#else
#define ct_bind_rawlen(L, index) ((uint32_t)lua_rawlen(L, index))
#define ct_bind_push_owned lua_getuservalue
#define ct_bind_set_owned lua_setuservalue
#define ct_bind_less(L, a, b) lua_compare(L, a, b, LUA_OPLT)
#define ct_bind_push_whole(L, number) lua_pushinteger(L, (lua_Integer)(number))
#define ct_bind_set_functions(L, functions) luaL_setfuncs(L, functions, 0)
#define ct_bind_check_version(L) luaL_checkversion(L)

/// A number that was read from somewhere, where nothing says whether an integer was meant: one up
/// to 2^53 that could be is.
void ct_bind_push_read(lua_State *L, lua_Number number);

/// lua_pushvfstring, which would write whole numbers with ".0". Knows %s, %d and %f.
const char *ct_bind_push_format(lua_State *L, const char *format, va_list values);
#endif

#endif
