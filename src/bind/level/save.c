// Saves: snapshots as strings, and back.
// Knows nothing of what a restore is besides reading.
#include "bind/level/save.h"

#include "base/message.h"
#include "bind/level/snapshot_kept.h"
#include "bind/value/gather.h"
#include "bind/value/value_bytes.h"

#include <string.h>

// On the stack while a save is written: the snapshot, its EntityManager, its environment, the
// object that is written with.
enum { SNAPSHOT = 1, ENTITIES, OWN, OUT };

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

// Bytes of the values in the table (or nil) on top, which is popped. Where one has none the reason
// is on top instead, and the gathering is over.
static bool encode(const ct_bind_gather *g, ct_save_values *out) {
    lua_State *L = g->L;
    int table = lua_gettop(L);
    *out = (ct_save_values){.count = last_slot(L, table) + 1};
    ct_text *bytes = ct_bind_gather_take(g, out->count * sizeof *bytes);
    memset(bytes, 0, out->count * sizeof *bytes);
    out->bytes = bytes;
    for (uint32_t slot = 1; slot < out->count; ++slot) {
        lua_rawgeti(L, table, (int)slot);
        if (!ct_bind_value_to_bytes(L, g->state, table + 1, &bytes[slot])) {
            out->refused = slot;
            return false;
        }
        lua_settop(L, table);
    }
    lua_settop(L, table - 1);
    return true;
}

// The same for each world. Values that have no bytes are told of by the core, which knows where
// they are: it is given that, and nothing else.
static const ct_save_values *encode_all(const ct_bind_gather *g, const ct_bind_worlds *w,
                                        ct_message *reason) {
    lua_State *L = g->L;
    int top = lua_gettop(L);
    size_t bytes = (w->core.count + (size_t)1) * sizeof(ct_save_values);
    ct_save_values *values = ct_bind_gather_take(g, bytes);
    memset(values, 0, bytes);
    for (uint32_t i = 0; i < w->core.count; ++i) {
        ct_bind_push_saved_values(L, OWN, ct_bind_world_at(L, w, i));
        if (encode(g, &values[i])) continue;
        ct_message_set(reason, "%s", lua_tostring(L, -1));
        values[i].reason = reason->text;
        lua_settop(L, top);
        return values;
    }
    return values;
}

// ---------------------------------------------------------------- to a string

static int write_save(lua_State *L, const ct_bind_snapshot *snapshot) {
    ct_bind_entities *entities = ct_bind_check_entities(L, ENTITIES);
    ct_bind_worlds w;
    ct_message message, reason;
    ct_bind_snapshot *out = ct_bind_new_snapshot(L);
    do {
        lua_settop(L, OUT);
        ct_bind_push_worlds(L, entities, &w);
    } while (!ct_bind_are_all_worlds(L, entities, &w));
    const ct_bind_gather g = ct_bind_gather_begin(L, ct_bind_state_of(L));
    const ct_save_values *values = encode_all(&g, &w, &reason);
    ct_status status = ct_save_write(&snapshot->core, &w.core, values, &out->writer, &message);
    ct_arena_reset(g.arena);
    if (status == CT_ERR_FULL) return luaL_error(L, "a save cannot be larger than 4 GB");
    if (status != CT_OK) return ct_bind_raise_snapshot(L, status, &message);
    lua_pushlstring(L, (const char *)out->writer.bytes, out->writer.count);
    ct_bind_free_snapshot(out);
    return 1;
}

int ct_bind_save_to_string(lua_State *L) {
    const ct_bind_snapshot *snapshot = ct_bind_class_self(L, &ct_bind_snapshot_class);
    lua_settop(L, SNAPSHOT);
    lua_getfenv(L, SNAPSHOT);
    lua_rawgeti(L, -1, snapshot->text != NULL ? CT_BIND_SAVE_TEXT : CT_BIND_SNAPSHOT_OF);
    if (snapshot->text != NULL) return 1;
    if (!lua_isuserdata(L, -1)) return luaL_error(L, "the snapshot is empty");
    lua_insert(L, ENTITIES);
    return write_save(L, snapshot);
}

// ---------------------------------------------------------------- from a string

int ct_bind_save_from_string(lua_State *L) {
    size_t bytes;
    ct_message message;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *text = lua_tolstring(L, 1, &bytes);
    if (!ct_save_check(text, bytes, &message)) {
        lua_pushstring(L, message.text);
        return ct_bind_return_failure(L);
    }
    ct_bind_snapshot *save = ct_bind_new_snapshot(L);
    lua_newtable(L);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, CT_BIND_SAVE_TEXT);
    lua_setfenv(L, -2);
    save->text = text;
    save->text_bytes = bytes;
    return 1;
}

ct_status ct_bind_read_save(const ct_bind_snapshot *save, const ct_snapshot_worlds *worlds,
                            ct_bind_snapshot *read, ct_message *message) {
    return ct_save_read(save->text, save->text_bytes, worlds, &read->core, &read->writer, message);
}

void ct_bind_push_notes(lua_State *L, const ct_bind_snapshot *read) {
    const ct_writer *notes = &read->writer;
    lua_newtable(L);
    for (uint32_t at = 0, i = 1; at < notes->count; ++i) {
        const char *note = (const char *)notes->bytes + at;
        at += (uint32_t)strlen(note) + 1;
        lua_pushstring(L, note);
        lua_rawseti(L, -2, (int)i);
    }
}
