// level:patch: conversion of a newer Resource to counts.
#include "bind/level/level.h"
#include "bind/resource/resource.h"
#include "bind/value/push_bytes.h"

static const char *const count_names[] = {"added", "removed", "changed", "moved"};

void ct_bind_push_counts(lua_State *L) {
    lua_createtable(L, 0, 5);
    for (int i = 0; i < 4; ++i) {
        ct_bind_push_whole(L, 0);
        lua_setfield(L, -2, count_names[i]);
    }
    lua_newtable(L);
    lua_setfield(L, -2, "left");
}

int ct_bind_notify_patched(lua_State *L) {
    const ct_bind_patched *d = lua_touserdata(L, 2);
    const uint32_t counts[] = {d->result->added, d->result->removed, d->result->changed,
                               d->result->moved};
    for (int i = 0; i < 4; ++i) {
        ct_bind_push_whole(L, counts[i]);
        lua_setfield(L, 1, count_names[i]);
    }
    lua_getfield(L, 1, "left");
    ct_bind_fill_texts(L, 3, &d->left);
    return 0;
}

bool ct_bind_level_follow(lua_State *L, int level, int resource, ct_patch_result *result,
                          bool *ok) {
    ct_level *core = ((ct_bind_level *)lua_touserdata(L, level))->core;
    ct_resource *next = ct_bind_resource_at(L, resource);
    ct_status status = CT_ERR_MEMORY;
    ct_bind_host_call call;
    ct_message message;
    int top = lua_gettop(L), rooms = top + 3;
    *ok = true;
    ct_bind_push_level_resource(L, level);
    size_t bytes = ct_patch_bytes(core, next);
    void *room = ct_bind_new_room(L, level, resource, bytes);
    if (ct_bind_level_push_needs(L, level, next, &call)) {
        // Finalizers may have patched the level meanwhile; the room still fits the new resource.
        status = ct_level_patch_lent(core, next, room, &call, result, ok, &message);
        if (status != CT_OK) ct_bind_level_push_reason(L, level, resource, &call, status, &message);
    }
    if (status == CT_OK) ct_bind_take_room(L, level, rooms);
    if (status == CT_OK && !*ok) ct_bind_level_push_problem(&call);
    // Keep only the value on top: the message, the error, or the old resource.
    if (status == CT_OK && *ok)
        lua_settop(L, top + 1);
    else
        lua_replace(L, top + 1 + (status == CT_OK));
    lua_settop(L, top + 1 + (status == CT_OK && !*ok));
    return status == CT_OK;
}
