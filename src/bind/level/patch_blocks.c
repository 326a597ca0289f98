// Memory blocks of patched Levels, besides the block of the Level object.
#include "bind/level/level.h"

// Pushes the current room of the Level at 'level', or nil. Allocates nothing.
static void push_room(lua_State *L, int level) {
    const ct_level *core = ((const ct_bind_level *)lua_touserdata(L, level))->core;
    ct_bind_push_own(L, level, "rooms");
    int rooms = lua_gettop(L);
    for (lua_pushnil(L); lua_istable(L, rooms) && lua_next(L, rooms) != 0; lua_pop(L, 1)) {
        if ((const void *)core->entities != ct_block_at(lua_touserdata(L, -2))) continue;
        lua_pop(L, 1);
        lua_replace(L, rooms);
        return;
    }
    lua_pushnil(L);
    lua_replace(L, rooms);
    lua_settop(L, rooms);
}

void ct_bind_push_level_resource(lua_State *L, int level) {
    push_room(L, level);
    int at = lua_gettop(L);
    ct_bind_push_own(L, lua_isnil(L, at) ? level : at, "resource");
    lua_replace(L, at);
}

void *ct_bind_new_room(lua_State *L, int level, int resource, size_t bytes) {
    void *block = lua_newuserdata(L, bytes + CT_BLOCK_ALIGNMENT);
    int room = lua_gettop(L);
    lua_createtable(L, 0, 1);
    ct_bind_copy_field(L, -1, "resource", resource);
    ct_bind_set_owned(L, room);
    lua_newtable(L);
    lua_pushvalue(L, room);
    lua_pushboolean(L, true);
    lua_rawset(L, -3);
    ct_bind_push_owned(L, level);
    ct_bind_push_subtable(L, "rooms"); // creates the key for the set
    lua_pop(L, 2);
    return ct_block_at(block);
}

void ct_bind_take_room(lua_State *L, int level, int rooms) {
    ct_bind_push_owned(L, level);
    ct_bind_copy_field(L, -1, "rooms", rooms); // the key exists
    lua_pop(L, 1);
}

void ct_bind_collect_room(lua_State *L, int own) {
    int level = lua_gettop(L);
    push_room(L, level);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return;
    }
    lua_pushvalue(L, level);
    lua_rawset(L, own);
}

bool ct_bind_is_room_collected(lua_State *L, int own) {
    int level = lua_gettop(L);
    push_room(L, level);
    bool collected = lua_isnil(L, -1);
    if (!collected) {
        lua_rawget(L, own);
        collected = lua_rawequal(L, -1, level);
    }
    lua_settop(L, level);
    return collected;
}

void ct_bind_add_room(lua_State *L) {
    int level = lua_gettop(L);
    ct_bind_push_owned(L, level);
    ct_bind_push_subtable(L, "rooms");
    lua_pushvalue(L, level - 1);
    lua_pushboolean(L, true);
    lua_rawset(L, -3);
    lua_settop(L, level);
}

bool ct_bind_has_room(lua_State *L) {
    int level = lua_gettop(L);
    ct_bind_push_own(L, level, "rooms");
    bool has = lua_istable(L, -1);
    if (has) {
        ct_bind_push_raw(L, -1, level - 1);
        has = !lua_isnil(L, -1);
    }
    lua_settop(L, level);
    return has;
}
