// Snapshot objects: taken of an EntityManager and its worlds, and restored, in memory or from a
// save.
#include "bind/snapshot/snapshot.h"

#include "base/message.h"
#include "bind/manager/attachment.h"
#include "bind/snapshot/snapshot_values.h"
#include "bind/value/options.h"
#include "bind/value/push_bytes.h"
#include "bind/world/world.h"

static void check_idle(lua_State *L, const ct_bind_entities *entities) {
    if (entities->restoring) luaL_error(L, CT_FROZEN);
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many nested callbacks");
}

// ---------------------------------------------------------------- taking

void ct_bind_take(lua_State *L, ct_bind_taker take, void *context) {
    ct_bind_entities *entities = ct_bind_check_entities(L, 1);
    const int own = lua_gettop(L) + 1;
    ct_bind_worlds w;
    ct_message message;
    check_idle(L, entities);
    do {
        lua_settop(L, own - 1);
        lua_newtable(L);
        ct_bind_copy_item(L, own, CT_BIND_SNAPSHOT_OF, 1);
        ct_bind_store_number(L, own, CT_BIND_SNAPSHOT_SPAWNS, 0);
        ct_bind_push_worlds(L, entities, &w);
        ct_bind_collect_lua_values(L, &w, own);
    } while (!ct_bind_are_all_worlds(L, entities, &w) || !ct_bind_lua_values_taken(L, &w, own));
    ct_bind_store_number(L, own, CT_BIND_SNAPSHOT_SPAWNS, ct_bind_state_of(L)->spawns);
    ct_status status = take(context, &w.core, &message);
    if (status != CT_OK) ct_bind_raise_snapshot(L, status, &message);
    lua_settop(L, own);
}

static ct_status take_core(void *context, const ct_snapshot_worlds *worlds, ct_message *message) {
    ct_bind_snapshot *snapshot = context;
    if (snapshot->collected) { // memory that is allocated now would leak
        ct_message_set(message, "Snapshot was collected");
        return CT_ERR_DATA;
    }
    return ct_snapshot_take(&snapshot->core, worlds, message);
}

int ct_bind_take_snapshot(lua_State *L) {
    enum { SNAPSHOT = 2, CALLERS };
    ct_bind_check_entities(L, 1);
    lua_settop(L, CALLERS);
    if (lua_isnil(L, SNAPSHOT)) {
        ct_bind_new_snapshot(L);
        lua_replace(L, SNAPSHOT);
    }
    ct_bind_snapshot *snapshot = ct_bind_check(L, SNAPSHOT, &ct_bind_snapshot_class);
    ct_bind_take(L, take_core, snapshot);
    snapshot->text = NULL;
    ct_bind_set_owned(L, SNAPSHOT);
    lua_pushvalue(L, SNAPSHOT);
    return 1;
}

// ---------------------------------------------------------------- restoring

enum { ENTITIES = 1, SNAPSHOT, CALLERS, READ, NOTES, SAVED, PREPARED, ERROR_SLOT };

// Returns whether the state is that of a save: 'source' is NULL for the Snapshot object at its
// index.
static bool is_save(lua_State *L, const ct_bind_source *source) {
    return source == NULL && ((const ct_bind_snapshot *)lua_touserdata(L, SNAPSHOT))->text != NULL;
}

static void push_saved(lua_State *L, const ct_bind_source *source) {
    if (source != NULL)
        source->push_values(L, source);
    else
        ct_bind_push_owned(L, SNAPSHOT);
}

// Restores the data of the binding, after the core was restored.
static void finish(lua_State *L, ct_bind_entities *entities, const ct_bind_restoration *back) {
    const ct_bind_worlds *w = &back->worlds;
    ct_bind_state *state = ct_bind_state_of(L);
    ct_bind_empty_levels(L, back);
    ct_bind_restore_values(L, back);
    state->lua_value_changes++;
    state->callbacks++;
    ct_entity_manager_freeze(&entities->core, true);
    for (uint32_t i = 0; i < w->core.count; ++i) {
        ct_bind_forget_attached(L, ct_bind_world_at(L, w, i), false);
        w->items[i].world->busy++;
    }
    ct_bind_restore_bodies(L, back);
    for (uint32_t i = 0; i < w->core.count; ++i)
        w->items[i].world->busy--;
    ct_entity_manager_freeze(&entities->core, false);
    ct_bind_notify_restored(&(ct_bind_notice){L, ENTITIES, ERROR_SLOT}, entities);
    state->callbacks--;
}

static void check_making(lua_State *L, const ct_bind_worlds *w) {
    for (uint32_t i = 0; i < w->core.count; ++i) {
        const ct_bind_world *world = ct_bind_world_at(L, w, i);
        if (world->hosted != NULL && world->hosted->attaches)
            ct_bind_check_making(L, world->hosted);
    }
}

// Returns true if nothing has changed meanwhile: finalizers may have taken the same snapshot
// again.
static bool is_ready(lua_State *L, const ct_bind_entities *entities, const ct_bind_source *source,
                     const ct_bind_restoration *back) {
    push_saved(L, source);
    bool ready = back->from_save ? is_save(L, source) : lua_rawequal(L, -1, back->saved);
    lua_pop(L, 1);
    return ready && ct_bind_are_all_worlds(L, entities, &back->worlds) &&
           ct_bind_lua_values_prepared(L, back);
}

static void prepare(lua_State *L, ct_bind_entities *entities, const ct_bind_source *source,
                    ct_bind_restoration *back) {
    ct_bind_worlds *w = &back->worlds;
    do {
        lua_settop(L, CALLERS);
        back->from_save = is_save(L, source);
        if (back->from_save) ct_bind_new_snapshot(L);
        lua_settop(L, NOTES);
        if (back->from_save)
            lua_newtable(L);
        else
            push_saved(L, source);
        lua_newtable(L);
        lua_pushnil(L);
        ct_bind_push_worlds(L, entities, w);
        check_making(L, w);
        if (back->from_save) {
            ct_bind_collect_nothing(L, w, back->saved);
            ct_bind_push_owned(L, SNAPSHOT); // keeps the string, into which the levels point
            lua_rawgeti(L, -1, CT_BIND_SAVE_TEXT);
            lua_rawseti(L, back->saved, CT_BIND_SAVE_TEXT);
            lua_pop(L, 1);
        }
        ct_bind_prepare_lua_values(L, back);
    } while (!is_ready(L, entities, source, back));
    for (uint32_t i = 0; i < w->core.count; ++i)
        w->calls[i].notice = (ct_bind_notice){L, 0, ERROR_SLOT};
}

// Reads a save after the preparation, and pushes the notes about parts that did not fit. That may
// run finalizers; the preparation is repeated then if anything changed.
static ct_status read_save(lua_State *L, ct_bind_entities *entities, const ct_bind_source *source,
                           ct_bind_restoration *back, ct_message *message) {
    ct_status status = CT_OK;
    do {
        if (lua_istable(L, NOTES)) {
            ct_bind_unprepare_lua_values(L, back);
            prepare(L, entities, source, back);
        }
        if (!back->from_save) return CT_OK;
        ct_bind_snapshot *read = lua_touserdata(L, READ);
        const ct_bind_snapshot *save = lua_touserdata(L, SNAPSHOT);
        // The texts of the levels point into the string.
        status = ct_save_read(save->text, save->text_bytes, &back->worlds.core, &read->core,
                              &read->levels, &read->writer, message);
        if (status != CT_OK) return status;
        lua_newtable(L);
        lua_replace(L, NOTES);
        ct_bind_fill_texts(L, NOTES, &read->writer);
        status = ct_bind_make_levels(L, back, &read->levels, CALLERS, message);
        if (status != CT_OK) return status;
    } while (!is_ready(L, entities, source, back));
    return CT_OK;
}

// Returns the number of spawns before the snapshot. A save or a snapshot of another EntityManager
// has none of the current levels, so the result is 0.
static double spawns_before(lua_State *L) {
    lua_rawgeti(L, SAVED, CT_BIND_SNAPSHOT_OF);
    lua_rawgeti(L, SAVED, CT_BIND_SNAPSHOT_SPAWNS);
    double spawns = lua_rawequal(L, -2, ENTITIES) ? lua_tonumber(L, -1) : 0;
    lua_pop(L, 2);
    return spawns;
}

// Restores the state in the core.
static ct_status restore_core(lua_State *L, const ct_bind_source *source,
                              const ct_bind_restoration *back, ct_message *message) {
    const ct_snapshot_worlds *worlds = &back->worlds.core;
    if (source != NULL) return source->restore(source, worlds, message);
    const ct_bind_snapshot *snapshot = lua_touserdata(L, back->from_save ? READ : SNAPSHOT);
    ct_status status = ct_snapshot_restore(&snapshot->core, worlds, message);
    if (status == CT_OK) ct_saved_levels_enter(&snapshot->levels);
    return status;
}

// Returns nil, message for a save that is damaged or does not fit; raises for other errors.
static int fail(lua_State *L, const ct_bind_restoration *back, bool unsound, ct_status status,
                const ct_message *message) {
    ct_bind_unprepare_lua_values(L, back);
    if (back->from_save) ct_bind_free_snapshot(lua_touserdata(L, READ));
    if (!unsound) return ct_bind_raise_snapshot(L, status, message);
    return ct_bind_return_message(L, message->text);
}

// Returns true; for a save also the notes.
static int succeed(lua_State *L, const ct_bind_restoration *back) {
    if (!lua_isnil(L, ERROR_SLOT)) {
        if (back->from_save) ct_bind_free_snapshot(lua_touserdata(L, READ));
        lua_pushvalue(L, ERROR_SLOT);
        return lua_error(L);
    }
    lua_pushboolean(L, 1);
    if (!back->from_save) return 1;
    ct_bind_free_snapshot(lua_touserdata(L, READ));
    lua_pushvalue(L, NOTES);
    return 2;
}

static int restore_state(lua_State *L, const ct_bind_source *source) {
    ct_bind_entities *entities = ct_bind_check_entities(L, ENTITIES);
    ct_bind_restoration back = {.saved = SAVED, .prepared = PREPARED, .error_slot = ERROR_SLOT};
    ct_message message;
    check_idle(L, entities);
    ct_bind_check_nesting(L);
    char text[CT_BIND_PLACE];
    const ct_text place = ct_bind_copy_place(L, entities, text);
    prepare(L, entities, source, &back);
    ct_status status = read_save(L, entities, source, &back, &message);
    if (status != CT_OK) return fail(L, &back, status == CT_ERR_DATA, status, &message);
    back.spawns = spawns_before(L);
    ct_death_trace_note_all(&entities->core, place);
    status = restore_core(L, source, &back, &message);
    if (status != CT_OK) return fail(L, &back, false, status, &message);
    entities->restoring = true;
    finish(L, entities, &back);
    entities->restoring = false;
    return succeed(L, &back);
}

void ct_bind_restore(lua_State *L, const ct_bind_source *source) { restore_state(L, source); }

int ct_bind_restore_snapshot(lua_State *L) {
    ct_bind_check(L, SNAPSHOT, &ct_bind_snapshot_class);
    return restore_state(L, NULL);
}

// ---------------------------------------------------------------- methods

static int take(lua_State *L) {
    ct_bind_self_handle(L, &ct_bind_entities_kind);
    return ct_bind_take_snapshot(L);
}

// entities:restore(snapshot [, {resources = {name = resource}}])
static int restore(lua_State *L) {
    ct_bind_self_handle(L, &ct_bind_entities_kind);
    lua_settop(L, CALLERS);
    if (ct_bind_read_options(L, CALLERS, "restore", 1)) lua_replace(L, CALLERS);
    return ct_bind_restore_snapshot(L);
}

uint64_t ct_bind_hash(lua_State *L, int index) {
    ct_bind_entities *entities = ct_bind_check_entities(L, index);
    ct_bind_worlds w;
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    do {
        lua_settop(L, top);
        ct_bind_push_worlds(L, entities, &w);
    } while (!ct_bind_are_all_worlds(L, entities, &w));
    uint64_t sum = ct_snapshot_hash(&w.core);
    lua_settop(L, top);
    return sum;
}

// entities:hash() -> 16 hexadecimal digits
static int hash(lua_State *L) {
    ct_bind_self_handle(L, &ct_bind_entities_kind);
    uint64_t sum = ct_bind_hash(L, 1);
    char digits[16];
    for (int i = 16; i-- > 0; sum >>= 4)
        digits[i] = "0123456789abcdef"[sum & 15];
    return ct_bind_return_bytes(L, digits, sizeof digits);
}

static const luaL_Reg entities_methods[] = {
    {"snapshot", take}, {"hash", hash}, {"restore", restore}, {NULL, NULL}};

// snapshot:bytes() -> number of bytes held
static int bytes(lua_State *L) {
    const ct_bind_snapshot *snapshot = ct_bind_self(L, &ct_bind_snapshot_class);
    size_t text_bytes = snapshot->text != NULL ? snapshot->text_bytes : 0;
    return ct_bind_return_whole(L, snapshot->core.capacity + text_bytes);
}

static int tostring(lua_State *L) {
    const ct_bind_snapshot *snapshot = ct_bind_self(L, &ct_bind_snapshot_class);
    size_t size = snapshot->text != NULL ? snapshot->text_bytes : snapshot->core.bytes;
    ct_bind_push_whole(L, size);
    return ct_bind_return_format(L, "Snapshot (%s bytes)", lua_tostring(L, -1));
}

static int collect_snapshot(lua_State *L) {
    ct_bind_snapshot *snapshot = ct_bind_self(L, &ct_bind_snapshot_class);
    ct_bind_free_snapshot(snapshot);
    snapshot->collected = true;
    return 0;
}

void ct_bind_open_snapshot(lua_State *L) {
    static const luaL_Reg methods[] = {
        {"bytes", bytes}, {"tostring", ct_bind_save_to_string}, {NULL, NULL}};
    ct_bind_add_class_methods(L, &ct_bind_entities_kind, entities_methods);
    ct_bind_class_new(L, &ct_bind_snapshot_class, methods, collect_snapshot, tostring);
    ct_bind_add_function(L, "snapshot", ct_bind_save_from_string);
}
