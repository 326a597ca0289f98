// Data exchange between the binding and Lua code that LuaJIT compiles.
#include "bind/value/compiled.h"

#include "bind/value/check.h"
#include "bind/value/mailbox.h"

static const char compiled_key = 0, live_views_key = 0, steps_key = 0;

void ct_bind_push_compiled(lua_State *L) { ct_bind_push_registered(L, &compiled_key); }

void ct_bind_push_live_views(lua_State *L) { ct_bind_push_registered(L, &live_views_key); }

bool ct_bind_push_maker(lua_State *L, const char *name) {
    ct_bind_push_compiled(L);
    lua_getfield(L, -1, "enabled");
    if (lua_isnil(L, -1)) {
        lua_pop(L, 2);
        return false;
    }
    lua_call(L, 0, 1);
    bool enabled = lua_toboolean(L, -1);
    lua_pop(L, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    if (enabled && !lua_isnil(L, -1)) return true;
    lua_pop(L, 1);
    return false;
}

void ct_bind_freeze_views(lua_State *L, bool frozen) {
    int top = lua_gettop(L);
    ct_bind_push_compiled(L);
    lua_getfield(L, -1, "freeze_views");
    if (lua_toboolean(L, -1)) {
        lua_pushboolean(L, frozen);
        lua_pcall(L, 1, 0, 0); // without memory the views stay as they are: slow, or fast
    }
    lua_settop(L, top);
}

void ct_bind_add_step(lua_State *L, const char *name, lua_CFunction step) {
    ct_bind_push_registered(L, &steps_key);
    lua_pushcfunction(L, step);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void ct_bind_push_iterator(lua_State *L, const char *name) {
    int values = lua_gettop(L) - 1;
    ct_bind_push_registered(L, &steps_key);
    lua_getfield(L, -1, name);
    lua_replace(L, values + 2);
    if (!ct_bind_push_maker(L, "iterator")) {
        lua_CFunction step = lua_tocfunction(L, -1);
        lua_settop(L, values + 1);
        lua_pushcclosure(L, step, 2);
        return;
    }
    lua_insert(L, values);
    lua_call(L, 3, 1);
}

void ct_bind_set_event(lua_State *L, int class_index, const char *event, lua_CFunction function,
                       const char *name) {
    lua_pushcclosure(L, function, lua_gettop(L) - class_index);
    if (name != NULL) {
        ct_bind_push_compiled(L);
        ct_bind_copy_field(L, -1, name, -2);
        lua_pop(L, 1);
    }
    lua_setfield(L, class_index, event);
}

// Pops a value and adds it to a table of the table of compiled code.
static void add(lua_State *L, const char *table, const char *name) {
    ct_bind_push_compiled(L);
    ct_bind_push_subtable(L, table);
    ct_bind_copy_field(L, -1, name, -3);
    lua_pop(L, 3);
}

void ct_bind_add_address(lua_State *L, const char *name, void (*function)(void)) {
    lua_pushlstring(L, (const char *)&function, sizeof function);
    add(L, "addresses", name);
}

// pointer(object) -> the address as a string of its bytes, or nil for a value of another class
static int pointer(lua_State *L) {
    const void *object = ct_bind_test(L, 1, lua_touserdata(L, lua_upvalueindex(1)));
    if (object == NULL) return 0;
    if (lua_toboolean(L, lua_upvalueindex(2))) object = ct_bind_object_at(L, 1);
    return ct_bind_return_bytes(L, (const char *)&object, sizeof object);
}

void ct_bind_add_pointer(lua_State *L, const char *name, const ct_bind_kind *kind, bool handle) {
    ct_bind_push_compiled(L);
    lua_pushlightuserdata(L, (void *)kind);
    lua_pushboolean(L, handle);
    lua_pushcclosure(L, pointer, 2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void ct_bind_add_offset(lua_State *L, const char *name, size_t offset) {
    ct_bind_push_whole(L, offset);
    add(L, "offsets", name);
}

// core.take_compiled() -> the table on the first call, nothing on later ones. Code with access to
// the table can make compiled code read any memory, so scripts must not get it.
static int take_compiled(lua_State *L) {
    ct_bind_push_compiled(L);
    lua_getfield(L, -1, "taken");
    if (!lua_isnil(L, -1)) return 0;
    lua_pushboolean(L, 1);
    lua_setfield(L, -3, "taken");
    lua_pop(L, 1);
    return 1;
}

void ct_bind_open_compiled(lua_State *L) {
    lua_newtable(L);
    ct_bind_push_subtable(L, "live_views");
    ct_bind_register(L, &live_views_key);
    ct_bind_push_all_methods(L);
    lua_setfield(L, -2, "methods");
    ct_bind_add_whole(L, "layout", CT_COMPILED_LAYOUT);
    ct_bind_add_bool(L, "freeze_views",
                     0); // creates the key, so that a lookup of the name does not allocate
    ct_bind_add_mailbox(L);
    ct_bind_register(L, &compiled_key);
    lua_newtable(L);
    ct_bind_register(L, &steps_key);
    ct_bind_add_function(L, "take_compiled", take_compiled);
}
