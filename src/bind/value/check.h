// Checks and conversions of arguments from scripts, and their error messages.
#ifndef BIND_CHECK_H
#define BIND_CHECK_H

#include "base/nearest.h"
#include "bind/value/object.h"

/// Returns argument 'arg' as an entity, alive or not: a light userdata with tag 1. Raises "entity
/// expected, got ..." with the type of the argument.
ct_entity ct_bind_check_entity(lua_State *L, int arg);

/// Stores the value at 'index' in *out if it is an entity; returns false otherwise. Does not raise.
static inline bool ct_bind_to_entity(lua_State *L, int index, ct_entity *out) {
    // NULL if the value is not a userdata. The payload of a full userdata is aligned, so its tag is
    // 0. An address above 4 GB cannot be an entity.
    uintptr_t bits = (uintptr_t)lua_touserdata(L, index);
    if ((bits & 3u) != CT_ENTITY_TAG || (uint64_t)bits >> 32 != 0) return false;
    out->id = (uint32_t)bits >> 2;
    return true;
}

/// Pushes the light userdata of an entity, or nil for 0xFFFFFFFF.
void ct_bind_push_entity(lua_State *L, ct_entity e);

/// Pushes "entity(INDEX:GENERATION)".
void ct_bind_push_entity_name(lua_State *L, ct_entity e);

/// Returns the number at 'arg'. Raises for other values, also for strings that Lua can convert.
double ct_bind_check_number(lua_State *L, int arg);

/// Returns argument 'arg' of alive_id or row_of_id: an integer in 0 .. 2^32-1. Raises otherwise.
uint32_t ct_bind_check_id(lua_State *L, int arg);

/// Greatest integer such that it and all smaller ones are exact numbers of Lua: 2^53 - 1.
#define CT_BIND_LARGEST_WHOLE 9007199254740991.0

/// Returns argument 'arg' as an integer in low .. high (inclusive). If 'high' is
/// CT_BIND_LARGEST_WHOLE, 'low' must be 0 or -high. Raises with value and bounds.
double ct_bind_check_whole(lua_State *L, int arg, double low, double high);

/// Stores the value at 'index' in *out if it is an integer in low .. high; returns false otherwise.
/// Does not raise.
bool ct_bind_to_whole(lua_State *L, int index, double low, double high, double *out);

/// Returns argument 'arg', any lua_Number, as a float. NaN becomes the quiet NaN.
float ct_bind_check_float(lua_State *L, int arg);

// Each of these pushes the single result of a method and returns 1.

#define ct_bind_return_whole(L, number) (ct_bind_push_whole(L, number), 1)
#define ct_bind_return_number(L, number) (lua_pushnumber(L, number), 1)
#define ct_bind_return_text(L, text) (lua_pushstring(L, text), 1)
#define ct_bind_return_bytes(L, bytes, count) (lua_pushlstring(L, bytes, count), 1)
#define ct_bind_return_format(L, ...) (lua_pushfstring(L, __VA_ARGS__), 1)

static inline int ct_bind_return_bool(lua_State *L, bool value) {
    lua_pushboolean(L, value);
    return 1;
}

static inline int ct_bind_return_nil(lua_State *L) {
    lua_pushnil(L);
    return 1;
}

static inline int ct_bind_return_entity(lua_State *L, ct_entity e) {
    ct_bind_push_entity(L, e);
    return 1;
}

/// Checks whether the value at 'index' is a table with __index in its metatable (an object or a
/// proxy). Tables of values are read raw, so the fields of such a table would be missed. Other
/// metatables are allowed: some libraries use them as marks, for example of JSON arrays. Allocates
/// nothing.
bool ct_bind_has_index(lua_State *L, int index);

/// Pushes the error message for such a table and returns false.
bool ct_bind_refuse_index(lua_State *L);

/// Returns the string at 'index', which is a name without zero bytes. Raises an error that names
/// argument 'arg' otherwise.
const char *ct_bind_check_name(lua_State *L, int arg, int index);

/// Returns whether the value at 'index' is this string, which has no zero byte.
bool ct_bind_is_word(lua_State *L, int index, const char *word);

/// Returns the string at 'index' without a copy; it is valid while Lua references the string.
/// 'bytes' is NULL for other types, and for strings of more than 2147483647 bytes. Does not raise.
ct_text ct_bind_to_text(lua_State *L, int index);

/// Returns the type of a value for messages: "nil", "number", "light userdata with tag 0".
const char *ct_bind_type_name(lua_State *L, int index);

/// Pushes "unknown WHAT 'NAME'", followed by " (did you mean 'NEAREST'?)" if a name is similar.
void ct_bind_push_unknown(lua_State *L, const char *what, const char *name,
                          const ct_nearest *nearest);

/// Raises bad argument #arg with the string on top of the stack.
int ct_bind_arg_error(lua_State *L, int arg) CT_NORETURN;

/// Raises bad argument #arg with a message that is formatted as by lua_pushfstring.
int ct_bind_raise_arg(lua_State *L, int arg, const char *format, ...) CT_NORETURN;

/// Checks that argument 'arg', which receives results, is nil or a table. Replaces nil by a new
/// table with room for 'count' items. Raises for other types.
void ct_bind_prepare_table(lua_State *L, int arg, uint32_t count);

/// Returns the results of a function that fails without raising: nil, and the message on top.
int ct_bind_return_failure(lua_State *L);

/// The same with the given message.
int ct_bind_return_message(lua_State *L, const char *message);

/// Pushes a message that is formatted as by lua_pushfstring, and returns false.
bool ct_bind_refuse(lua_State *L, const char *format, ...);

/// Raises the message of a status: "not enough memory", "NAME is full (LIMIT rows)". Does not
/// return.
int ct_bind_raise_status(lua_State *L, ct_status status, const char *what, uint32_t limit,
                         const char *unit) CT_NORETURN;

/// The same without a limit, unless the status is CT_OK.
static inline void ct_bind_check_status(lua_State *L, ct_status status, const char *what) {
    if (CT_UNLIKELY(status != CT_OK)) ct_bind_raise_status(L, status, what, 0, "");
}

/// Replaces the name at index 'last' (nil at first) by the next larger string among the keys of the
/// table at 'table', and pushes this name and its value in place of all values above 'last'.
/// Returns false if there is none. Messages use this order because it does not depend on how a
/// table was built. Allocates nothing. O(keys).
bool ct_bind_next_name(lua_State *L, int table, int last);

/// Replaces the raised value on top of the stack by a string: the value itself if it is a string or
/// a number, else the result of its __tostring, which may run any script. If there is none, or if
/// it raises, 'otherwise' (NULL: nil) replaces the value. Returns whether the raised value gave a
/// text.
bool ct_bind_error_message(lua_State *L, const char *otherwise);

/// Add functions to the module table on top: cuttle.entity_id and related functions (entity.c),
/// core.file (file.c).
void ct_bind_open_entity(lua_State *L);
void ct_bind_open_file(lua_State *L);

/// Adds 'messages', for the Lua files of the module, to the module table on top (messages.c).
void ct_bind_open_messages(lua_State *L);

#endif
