// Differences between the supported versions of Lua. No other file contains any.
// Must not depend on any other part of cuttle.
#ifndef BIND_COMPAT_H
#define BIND_COMPAT_H

#include <lauxlib.h>
#include <lua.h>
#include <stdarg.h>

#if !defined(LUA_VERSION_NUM) ||                                                                   \
    (LUA_VERSION_NUM != 501 && (LUA_VERSION_NUM < 503 || LUA_VERSION_NUM > 505))
#error "cuttle is a module for Lua 5.1, LuaJIT, and Lua 5.3 to 5.5"
#endif

// The module is built once for Lua 5.1 and LuaJIT, and both load it. It may therefore call only
// functions that plain Lua 5.1 exports, whichever headers it is compiled with. luaL_setfuncs,
// luaL_testudata, luaL_setmetatable and luaL_traceback exist only in LuaJIT.

// These functions do not return. Lua's headers do not declare that.
// NOLINTBEGIN(readability-redundant-declaration,readability-inconsistent-declaration-parameter-name)
#if defined(__GNUC__)
LUALIB_API int luaL_error(lua_State *L, const char *fmt, ...) __attribute__((noreturn));
LUALIB_API int luaL_argerror(lua_State *L, int numarg, const char *extramsg)
    __attribute__((noreturn));
LUA_API int lua_error(lua_State *L) __attribute__((noreturn));
#endif
// NOLINTEND(readability-redundant-declaration,readability-inconsistent-declaration-parameter-name)

#define ct_bind_absindex(L, index)                                                                 \
    ((index) > 0 || (index) <= LUA_REGISTRYINDEX ? (index) : lua_gettop(L) + (index) + 1)

// Returns the index after a push of one value.
#define ct_bind_below(index) ((index) < 0 && (index) > LUA_REGISTRYINDEX ? (index)-1 : (index))

// Whether an object that awaits its finalizer is removed from weak values before the finalizer
// runs, and from weak keys only afterwards, as in Lua 5.2 and later.
#define CT_BIND_WEAK_VALUES_CLEARED_FIRST (LUA_VERSION_NUM > 501)

// Whether lua_close calls finalizers in any phase of a collection (class.c).
#define CT_BIND_CLOSE_UNMARKS (LUA_VERSION_NUM == 501)

// push_owned and set_owned: push the table of values that an object keeps alive; pop a table and
// set it. push_whole: pushes an integer. set_functions: adds the functions of a luaL_Reg to the
// table on top. check_version: checks that the interpreter matches the headers.
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

/// Pushes a number from a source that does not distinguish integers from floats. It becomes an
/// integer if its value is integral and its magnitude is at most 2^53.
void ct_bind_push_read(lua_State *L, lua_Number number);

/// Replacement of lua_pushvfstring, which would write integral floats with ".0". Supports %s, %d
/// and %f.
const char *ct_bind_push_format(lua_State *L, const char *format, va_list values);
#endif

#endif
