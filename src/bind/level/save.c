// Saves: snapshots as strings, and back.
// Knows nothing of what a restore is besides reading.
#include "bind/level/save.h"

#include "bind/level/worlds.h"

#include <string.h>

// The EntityManager is at index 2.
static int write_save(lua_State *L, const ct_bind_snapshot *snapshot) {
    enum { ENTITIES = 2, OUT };
    ct_bind_entities *entities = ct_bind_check_entities(L, ENTITIES);
    ct_bind_worlds w;
    ct_message message;
    ct_bind_snapshot *out = ct_bind_new_snapshot(L);
    do {
        lua_settop(L, OUT);
        ct_bind_push_worlds(L, entities, &w);
    } while (!ct_bind_are_all_worlds(L, entities, &w));
    ct_status status = ct_save_write(&snapshot->core, &w.core, &out->writer, &message);
    if (status == CT_ERR_FULL) return luaL_error(L, "a save cannot be larger than 4 GB");
    if (status != CT_OK) return ct_bind_raise_snapshot(L, status, &message);
    lua_pushlstring(L, (const char *)out->writer.bytes, out->writer.count);
    ct_bind_free_snapshot(out);
    return 1;
}

int ct_bind_save_to_string(lua_State *L) {
    const ct_bind_snapshot *snapshot = ct_bind_class_self(L, &ct_bind_snapshot_class);
    lua_settop(L, 1);
    lua_getfenv(L, 1);
    lua_rawgeti(L, 2, snapshot->text != NULL ? CT_BIND_SAVE_TEXT : CT_BIND_SNAPSHOT_OF);
    lua_replace(L, 2);
    if (snapshot->text != NULL) return 1;
    if (!lua_isuserdata(L, 2)) return luaL_error(L, "the snapshot is empty");
    return write_save(L, snapshot);
}

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

void ct_bind_push_notes(lua_State *L, ct_bind_snapshot *read) {
    const ct_writer *notes = &read->writer;
    lua_newtable(L);
    for (uint32_t at = 0, i = 1; at < notes->count; ++i) {
        const char *note = (const char *)notes->bytes + at;
        at += (uint32_t)strlen(note) + 1;
        lua_pushstring(L, note);
        lua_rawseti(L, -2, (int)i);
    }
    ct_bind_free_snapshot(read);
}
