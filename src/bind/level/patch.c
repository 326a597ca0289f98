// level:patch: conversion of a newer Resource to counts.
#include "bind/level/level.h"
#include "bind/level/patch_blocks.h"
#include "bind/resource/resource.h"
#include "resource/path.h"

#include <string.h>

// Pushes the path of an entity, or its number if it or an ancestor has no name.
static void push_path(lua_State *L, const ct_resource *resource, uint32_t entity) {
    int names = 0;
    for (uint32_t e = entity; e != CT_RESOURCE_NO_PARENT; e = resource->parent_index[e]) {
        ct_text name = ct_resource_entity_name(resource, e);
        if (name.bytes == NULL || names > 100) {
            lua_pop(L, names > 0 ? 1 : 0);
            lua_pushfstring(L, "entity %d", (int)entity + 1);
            return;
        }
        lua_pushlstring(L, name.bytes, name.length);
        if (names++ == 0) continue;
        lua_pushliteral(L, "/");
        lua_pushvalue(L, -3);
        lua_concat(L, 3);
        lua_remove(L, -2);
    }
}

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
    for (uint32_t i = 0; i < d->result->left_count; ++i) {
        const ct_patch_left *left = &d->result->left[i];
        const ct_resource *of = (left->section & CT_PATCH_LEFT_OLD) != 0 ? d->old : d->next;
        push_path(L, d->next, left->entity);
        lua_pushfstring(L, "%s: %s", lua_tostring(L, -1),
                        of->sections[left->section & ~CT_PATCH_LEFT_OLD].name);
        lua_rawseti(L, 3, (int)i + 1);
        lua_settop(L, 3);
    }
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
