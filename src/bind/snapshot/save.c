// Snapshot objects, and saves: conversion of snapshots to strings and back.
#include "bind/snapshot/snapshot.h"

#include "base/message.h"
#include "bind/snapshot/snapshot_values.h"
#include "bind/value/lua_values.h"
#include "bind/value/push_bytes.h"

#include <string.h>

// ---------------------------------------------------------------- objects

const ct_bind_kind ct_bind_snapshot_class = {"Snapshot"};

ct_bind_snapshot *ct_bind_new_snapshot(lua_State *L) {
    ct_bind_snapshot *snapshot = ct_bind_object_new(L, &ct_bind_snapshot_class, sizeof *snapshot);
    const ct_allocator *allocator = &ct_bind_state_of(L)->allocator;
    snapshot->text = NULL;
    ct_snapshot_init(&snapshot->core, allocator);
    ct_save_writer(&snapshot->writer, allocator);
    ct_saved_levels_init(&snapshot->levels, allocator);
    return snapshot;
}

void ct_bind_free_snapshot(ct_bind_snapshot *snapshot) {
    ct_snapshot_free(&snapshot->core);
    ct_writer_free(&snapshot->writer);
    ct_saved_levels_free(&snapshot->levels);
}

int ct_bind_raise_snapshot(lua_State *L, ct_status status, const ct_message *message) {
    if (status != CT_ERR_DATA) return ct_bind_raise_status(L, status, "EntityManager", 0, "");
    return luaL_error(L, "%s", message->text);
}

// ---------------------------------------------------------------- saves

// Stack indices while a save is written: the snapshot, its EntityManager, its environment.
enum { SNAPSHOT = 1, ENTITIES, OWN };

// ---------------------------------------------------------------- value fields

static uint32_t last_slot(lua_State *L, int table) {
    uint32_t last = 0;
    for (lua_pushnil(L); lua_istable(L, table) && lua_next(L, table) != 0; lua_pop(L, 1)) {
        uint32_t slot = (uint32_t)lua_tonumber(L, -2);
        if (slot > last) last = slot;
    }
    lua_settop(L, table);
    return last;
}

// A value that cannot be converted to bytes.
typedef struct refused {
    uint32_t world, slot;
    ct_message reason;
} refused;

bool ct_bind_encode_values(const ct_bind_parse *g, const unsigned char *marks, ct_save_values *out,
                           uint32_t *slot) {
    lua_State *L = g->L;
    int table = lua_gettop(L);
    uint32_t count = last_slot(L, table) + 1;
    ct_text *bytes = ct_bind_parse_take(g, count * sizeof *bytes);
    memset(bytes, 0, count * sizeof *bytes);
    out->bytes = bytes;
    out->count = count;
    for (*slot = 1; *slot < count; ++*slot) {
        if (marks != NULL && marks[*slot] == 0) continue;
        lua_rawgeti(L, table, (int)*slot);
        if (!ct_bind_value_to_bytes(L, g->state, table + 1, &bytes[*slot])) return false;
        lua_settop(L, table);
    }
    lua_settop(L, table - 1);
    return true;
}

static ct_save_values *new_values(const ct_bind_parse *g, const ct_bind_worlds *w) {
    size_t bytes = (w->core.count + (size_t)1) * sizeof(ct_save_values);
    return memset(ct_bind_parse_take(g, bytes), 0, bytes);
}

// Converts the values of each world. Returns NULL and fills *why if a value cannot be converted;
// finalizers may have run.
static const ct_save_values *encode_all(const ct_bind_parse *g, const ct_bind_worlds *w,
                                        refused *why) {
    lua_State *L = g->L;
    int top = lua_gettop(L);
    ct_save_values *values = new_values(g, w);
    for (why->world = 0; why->world < w->core.count; ++why->world) {
        ct_bind_push_saved_values(L, OWN, ct_bind_world_at(L, w, why->world));
        if (ct_bind_encode_values(g, NULL, &values[why->world], &why->slot)) continue;
        ct_message_set(&why->reason, "%s", lua_tostring(L, -1));
        lua_settop(L, top);
        return NULL;
    }
    return values;
}

// ---------------------------------------------------------------- to a string

// Returns true if the snapshot still has the environment at OWN: finalizers may have taken it
// again. Allocates nothing.
static bool is_same(lua_State *L) {
    ct_bind_push_owned(L, SNAPSHOT);
    bool same = lua_rawequal(L, -1, OWN);
    lua_pop(L, 1);
    return same;
}

// Raises the error of a value that cannot be converted. The core adds the place of the value to
// the message.
static int raise_refused(lua_State *L, const ct_bind_snapshot *snapshot, const ct_bind_worlds *w,
                         ct_bind_snapshot *out, const refused *why) {
    ct_message message = why->reason;
    const ct_bind_parse g = ct_bind_parse_begin(L, ct_bind_state_of(L));
    ct_save_values *values = new_values(&g, w);
    for (uint32_t i = 0; i < w->core.count; ++i)
        values[i].refused = i == why->world ? why->slot : UINT32_MAX;
    values[why->world].reason = why->reason.text;
    ct_status status = ct_save_write(&snapshot->core, &w->core, values, &out->writer, &message);
    ct_arena_reset(g.arena);
    return ct_bind_raise_snapshot(L, status != CT_OK ? status : CT_ERR_DATA, &message);
}

// Pushes the string. Returns false if the snapshot or its worlds have changed meanwhile.
static bool write_save(lua_State *L, const ct_bind_snapshot *snapshot) {
    ct_bind_entities *entities = ct_bind_check_entities(L, ENTITIES);
    ct_bind_worlds w;
    ct_message message;
    refused why = {.world = 0};
    ct_bind_snapshot *out = ct_bind_new_snapshot(L);
    ct_bind_push_worlds(L, entities, &w);
    if (!ct_bind_are_all_worlds(L, entities, &w) || !is_same(L)) return false;
    const ct_bind_parse g = ct_bind_parse_begin(L, ct_bind_state_of(L));
    const ct_save_values *values = encode_all(&g, &w, &why);
    if (values == NULL) {
        if (!ct_bind_are_all_worlds(L, entities, &w) || !is_same(L)) return false;
        return raise_refused(L, snapshot, &w, out, &why) != 0;
    }
    ct_status status = ct_save_write(&snapshot->core, &w.core, values, &out->writer, &message);
    ct_arena_reset(g.arena);
    if (status == CT_ERR_DATA) ct_bind_raise_snapshot(L, status, &message);
    ct_bind_push_bytes(L, &out->writer, status, "a save", 0);
    return true;
}

int ct_bind_save_to_string(lua_State *L) {
    const ct_bind_snapshot *snapshot = ct_bind_self(L, &ct_bind_snapshot_class);
    do {
        lua_settop(L, SNAPSHOT);
        ct_bind_push_owned(L, SNAPSHOT);
        lua_rawgeti(L, -1, snapshot->text != NULL ? CT_BIND_SAVE_TEXT : CT_BIND_SNAPSHOT_OF);
        if (snapshot->text != NULL) return 1;
        if (!lua_isuserdata(L, -1)) return luaL_error(L, "the snapshot is empty");
        lua_insert(L, ENTITIES);
    } while (!write_save(L, snapshot));
    return 1;
}

// ---------------------------------------------------------------- from a string

int ct_bind_save_from_string(lua_State *L) {
    size_t bytes;
    ct_message message;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *text = lua_tolstring(L, 1, &bytes);
    if (!ct_save_check(text, bytes, &message)) return ct_bind_return_message(L, message.text);
    ct_bind_snapshot *save = ct_bind_new_snapshot(L);
    lua_newtable(L);
    ct_bind_copy_item(L, -1, CT_BIND_SAVE_TEXT, 1);
    ct_bind_set_owned(L, -2);
    save->text = text;
    save->text_bytes = bytes;
    return 1;
}
