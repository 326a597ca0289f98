// Arguments from scripts: checked, and refused in words a script author understands.
// Knows nothing of what is done with them.
#ifndef BIND_CHECK_H
#define BIND_CHECK_H

#include "bind/value/object.h"

/// Argument 'arg' as an entity of any age: a light userdata with tag 1.
/// Raises "entity expected, got ..." naming what it was.
ct_entity ct_bind_check_entity(lua_State *L, int arg);

/// The value at 'index' if it is an entity. Does not raise.
static inline bool ct_bind_to_entity(lua_State *L, int index, ct_entity *out) {
    // NULL for what is no userdata, and a full one's payload is aligned: its tag would be 0. An
    // address above 4 GB cannot be an entity.
    uintptr_t bits = (uintptr_t)lua_touserdata(L, index);
    if ((bits & 3u) != CT_ENTITY_TAG || (uint64_t)bits >> 32 != 0) return false;
    out->id = (uint32_t)bits >> 2;
    return true;
}

/// Pushes nil (0xFFFFFFFF) or the light userdata of an entity.
void ct_bind_push_entity(lua_State *L, ct_entity e);

/// Pushes "entity(INDEX:GENERATION)".
void ct_bind_push_entity_name(lua_State *L, ct_entity e);

/// The id at 'arg' of alive_id, row_of_id: an integer in 0 .. 2^32-1; raises otherwise.
uint32_t ct_bind_check_id(lua_State *L, int arg);

/// An integer in low .. high, both included; raises naming value and bounds.
double ct_bind_check_whole(lua_State *L, int arg, double low, double high);

/// Whether the value at 'index' is such a number, which then is in *out. Does not raise.
bool ct_bind_to_whole(lua_State *L, int index, double low, double high, double *out);

/// Any lua_Number as a float; NaN becomes the quiet one.
float ct_bind_check_float(lua_State *L, int arg);

// Each pushes the only result of a method, and returns 1.

#define ct_bind_return_whole(L, number) (ct_bind_push_whole(L, number), 1)

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

/// Whether the two values on top are one and the same; NaN is, too.
bool ct_bind_are_one(lua_State *L);

/// Whether the value at 'index' is a table with __index in its metatable: an object, a proxy.
/// Tables of values are read raw, so that its fields would be missed. Other metatables are marks
/// (of what was an array in JSON, say). Allocates nothing.
bool ct_bind_has_index(lua_State *L, int index);

/// Pushes what is wrong with such a table, and returns false.
bool ct_bind_refuse_index(lua_State *L);

/// The string at 'index', where it lies in Lua: good as long as something keeps it. 'bytes' is NULL
/// for anything else, and for more than 2147483647 bytes. Does not raise.
ct_text ct_bind_to_text(lua_State *L, int index);

/// What a value is, for messages: "nil", "number", "light userdata with tag 0".
const char *ct_bind_type_name(lua_State *L, int index);

/// Pushes "unknown WHAT 'NAME'", with " (did you mean 'NEAREST'?)" where one is near.
void ct_bind_push_unknown(lua_State *L, const char *what, const char *name,
                          const char *const *names, uint32_t count);

/// Raises bad argument #arg with the string on top of the stack.
int ct_bind_arg_error(lua_State *L, int arg) CT_NORETURN;

/// The same with a message that is written as by lua_pushfstring.
int ct_bind_raise_arg(lua_State *L, int arg, const char *format, ...) CT_NORETURN;

/// Argument 'arg', nil or a table that results go into, becomes a new table with room for 'count'
/// items if it is nil. Raises for anything else.
void ct_bind_prepare_table(lua_State *L, int arg, uint32_t count);

/// What a function returns that fails without raising: nil, and the message on top.
int ct_bind_return_failure(lua_State *L);

/// The same with this message.
int ct_bind_return_message(lua_State *L, const char *message);

/// Pushes a message, written as by lua_pushfstring, and returns false.
bool ct_bind_refuse(lua_State *L, const char *format, ...);

/// Raises what a status means: "not enough memory", "NAME is full (LIMIT rows)". Never returns.
int ct_bind_raise_status(lua_State *L, ct_status status, const char *what, uint32_t limit,
                         const char *unit) CT_NORETURN;

/// Replaces the name at index 'last', nil at first, by the one that follows it among the keys of
/// the table at 'table', in the order of strings: for messages, which may not depend on how a table
/// was made. False when none does. Allocates nothing. O(keys).
bool ct_bind_next_name(lua_State *L, int table, int last);

/// Replaces what was raised, on top of the stack, by a string: itself, a number, or what its
/// __tostring says, which may run any script; by 'otherwise' (NULL: nil) for all else, also where
/// that raises. Returns whether it said anything.
bool ct_bind_raised_message(lua_State *L, const char *otherwise);

/// Add to the module table on top: cuttle.entity_id and its kin (entity.c), core.file (file.c).
void ct_bind_open_entity(lua_State *L);
void ct_bind_open_file(lua_State *L);

/// Adds 'messages', for the parts written in Lua, to the module table on top (messages.c).
void ct_bind_open_messages(lua_State *L);

#endif
