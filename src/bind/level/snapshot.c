// Snapshot objects: what scripts hold of an EntityManager and its worlds as they were.
// Knows nothing of what a component keeps beside its rows, but where it is asked for.
#include "bind/level/snapshot.h"

#include "bind/level/level.h"
#include "bind/manager/attachment.h"
#include "bind/world/attach.h"
#include "level/snapshot.h"

// The environment of a snapshot object has the Level objects by the addresses of their levels, and
// under the name of a world what its actors keep (attachment.h): 'collect'.
static const ct_bind_kind snapshot_class = {"Snapshot", NULL};

// ---------------------------------------------------------------- the worlds of an EntityManager

// World objects on the stack, from 'first' on. A world whose object is being collected is no more.
typedef struct worlds {
    ct_snapshot_worlds core;
    ct_snapshot_world *items;
    ct_bind_host_call *calls;
    int first;
} worlds;

static ct_bind_world *world_of(lua_State *L, const worlds *w, uint32_t i) {
    return lua_touserdata(L, w->first + (int)i);
}

// Pushes the next world object, or nothing at the end.
static bool push_next(lua_State *L, ct_bind_world **next) {
    for (; *next != NULL; *next = (*next)->next) {
        // The way to the object is the manager of actors, which each world has.
        ct_bind_recall(L, (*next)->hosted);
        if (lua_istable(L, -1)) {
            lua_getfield(L, -1, "world");
            lua_remove(L, -2);
            if (lua_touserdata(L, -1) == *next) return true;
        }
        lua_pop(L, 1);
    }
    return false;
}

static void push_worlds(lua_State *L, ct_bind_entities *entities, worlds *w) {
    uint32_t count = 0, room = 0;
    for (const ct_bind_world *next = entities->worlds; next != NULL; next = next->next)
        room++;
    luaL_checkstack(L, (int)room + 2 * LUA_MINSTACK, "too many worlds");
    ct_snapshot_world *items =
        lua_newuserdata(L, room * (sizeof *items + sizeof(ct_bind_host_call)) + 1);
    *w = (worlds){.items = items, .calls = (void *)(items + room), .first = lua_gettop(L) + 1};
    for (ct_bind_world *next = entities->worlds; count < room && push_next(L, &next);
         next = next->next, ++count) {
        w->calls[count] = (ct_bind_host_call){.world = w->first + (int)count};
        items[count] =
            (ct_snapshot_world){next->name, &next->core, &next->levels, &w->calls[count]};
    }
    w->core = (ct_snapshot_worlds){&entities->core, items, count};
}

// Whether they are still all. Allocates nothing.
static bool are_all(lua_State *L, const ct_bind_entities *entities, const worlds *w) {
    uint32_t count = 0;
    for (ct_bind_world *next = entities->worlds; push_next(L, &next); next = next->next) {
        lua_pop(L, 1);
        if (count == w->core.count || &next->core != w->items[count++].world) return false;
    }
    return count == w->core.count;
}

static void check_idle(lua_State *L, const ct_bind_entities *entities) {
    if (entities->restoring) luaL_error(L, "the EntityManager is being restored");
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many nested callbacks");
}

static int raise(lua_State *L, ct_status status, const ct_message *message) {
    if (status != CT_ERR_DATA) return ct_bind_raise_status(L, status, "EntityManager", 0, "");
    return luaL_error(L, "%s", message->text);
}

// ---------------------------------------------------------------- taking

// Fills the table at 'own' with what the environment of a snapshot has.
static void collect(lua_State *L, const worlds *w, int own) {
    for (uint32_t i = 0; i < w->core.count; ++i) {
        const ct_bind_world *world = world_of(L, w, i);
        ct_bind_push_own(L, w->first + (int)i, "levels");
        for (lua_pushnil(L); lua_istable(L, -2) && lua_next(L, -2) != 0; lua_pop(L, 1)) {
            lua_pushvalue(L, -2);
            lua_pushvalue(L, -2);
            lua_rawset(L, own);
        }
        if (world->hosted != NULL) {
            lua_pushstring(L, world->name);
            world->hosted->attachment->collect(L, world->hosted, 0);
            lua_rawset(L, own);
        }
        lua_settop(L, w->first + (int)w->core.count - 1);
    }
}

static bool has_levels(lua_State *L, const ct_levels *levels, int own) {
    for (ct_level *level = levels->youngest; level != NULL; level = level->older) {
        lua_pushlightuserdata(L, level);
        lua_rawget(L, own);
        bool has = lua_isuserdata(L, -1);
        lua_pop(L, 1);
        if (!has) return false;
    }
    return true;
}

// Whether all that is still so: finalizers may have run. Allocates nothing.
static bool is_collected(lua_State *L, const worlds *w, int own) {
    bool same = true;
    for (uint32_t i = 0; i < w->core.count && same; ++i) {
        const ct_bind_world *world = world_of(L, w, i);
        same = has_levels(L, &world->levels, own);
        if (!same || world->hosted == NULL) continue;
        lua_getfield(L, own, world->name); // a key that is there
        same = world->hosted->attachment->is_collected(L, world->hosted, 0, lua_gettop(L));
        lua_pop(L, 1);
    }
    return same;
}

int ct_bind_take_snapshot(lua_State *L) {
    enum { SNAPSHOT = 2, OWN };
    ct_bind_entities *entities = ct_bind_check_entities(L, 1);
    worlds w;
    ct_message message;
    lua_settop(L, SNAPSHOT);
    ct_snapshot *snapshot;
    if (lua_isnil(L, SNAPSHOT)) {
        snapshot = ct_bind_class_object(L, &snapshot_class, sizeof *snapshot);
        ct_snapshot_init(snapshot, &ct_bind_state_of(L)->allocator);
        lua_replace(L, SNAPSHOT);
    } else {
        snapshot = ct_bind_check_class(L, SNAPSHOT, &snapshot_class);
    }
    check_idle(L, entities);
    do {
        lua_settop(L, SNAPSHOT);
        lua_newtable(L);
        push_worlds(L, entities, &w);
        collect(L, &w, OWN);
    } while (!are_all(L, entities, &w) || !is_collected(L, &w, OWN));
    ct_status status = ct_snapshot_take(snapshot, &w.core, &message);
    if (status != CT_OK) return raise(L, status, &message);
    lua_pushvalue(L, OWN);
    lua_setfenv(L, SNAPSHOT);
    lua_settop(L, SNAPSHOT);
    return 1;
}

// ---------------------------------------------------------------- restoring

enum { ENTITIES = 1, SNAPSHOT, SAVED, GONE, ERROR_SLOT };

// For each world, by name, what its actors keep that was not saved, in the table at GONE.
static void collect_gone(lua_State *L, const worlds *w) {
    for (uint32_t i = 0; i < w->core.count; ++i) {
        const ct_bind_world *world = world_of(L, w, i);
        if (world->hosted == NULL) continue;
        int top = lua_gettop(L);
        lua_pushstring(L, world->name);
        lua_rawget(L, SAVED);
        if (lua_istable(L, top + 1)) {
            lua_pushstring(L, world->name);
            world->hosted->attachment->collect(L, world->hosted, top + 1);
            lua_rawset(L, GONE);
        }
        lua_settop(L, top);
    }
}

static bool are_gone(lua_State *L, const worlds *w) {
    bool same = true;
    for (uint32_t i = 0; i < w->core.count && same; ++i) {
        const ct_bind_world *world = world_of(L, w, i);
        int top = lua_gettop(L);
        if (world->hosted == NULL) continue;
        lua_getfield(L, SAVED, world->name);
        lua_getfield(L, GONE, world->name);
        if (lua_istable(L, top + 2))
            same = world->hosted->attachment->is_collected(L, world->hosted, top + 1, top + 2);
        lua_settop(L, top);
    }
    return same;
}

// The saved levels of a world are kept by it, or, with 'keep' false, those that are in its list.
static void keep_levels(lua_State *L, const worlds *w, uint32_t i, bool keep) {
    const ct_bind_world *world = world_of(L, w, i);
    int top = lua_gettop(L);
    lua_getfenv(L, w->first + (int)i);
    ct_bind_push_subtable(L, "levels");
    for (lua_pushnil(L); lua_next(L, SAVED) != 0; lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TLIGHTUSERDATA) continue;
        const ct_level *level = lua_touserdata(L, -2);
        if (level->levels != &world->levels || (!keep && level->linked)) continue;
        lua_pushvalue(L, -2);
        if (keep)
            lua_pushvalue(L, -2);
        else
            lua_pushnil(L);
        lua_rawset(L, top + 2);
    }
    lua_settop(L, top);
}

// Whether each saved level of a world is kept. Allocates nothing.
static bool keeps_levels(lua_State *L, const worlds *w, uint32_t i) {
    const ct_bind_world *world = world_of(L, w, i);
    int top = lua_gettop(L);
    bool keeps = true;
    ct_bind_push_own(L, w->first + (int)i, "levels");
    for (lua_pushnil(L); lua_next(L, SAVED) != 0; lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TLIGHTUSERDATA) continue;
        if (((const ct_level *)lua_touserdata(L, -2))->levels != &world->levels) continue;
        lua_pushvalue(L, -2);
        lua_rawget(L, top + 1);
        keeps = keeps && !lua_isnil(L, -1);
        lua_pop(L, 1);
    }
    lua_settop(L, top);
    return keeps;
}

static bool are_ready(lua_State *L, const ct_bind_entities *entities, const worlds *w) {
    bool ready = are_all(L, entities, w) && are_gone(L, w);
    for (uint32_t i = 0; i < w->core.count && ready; ++i)
        ready = keeps_levels(L, w, i);
    return ready;
}

static void keep_all_levels(lua_State *L, const worlds *w, bool keep) {
    for (uint32_t i = 0; i < w->core.count; ++i)
        keep_levels(L, w, i, keep);
}

// What actors keep follows; components may not be made or removed meanwhile.
static void restore_kept(lua_State *L, const worlds *w, uint32_t i) {
    const ct_bind_world *world = world_of(L, w, i);
    int top = lua_gettop(L);
    if (world->hosted == NULL) return;
    lua_getfield(L, SAVED, world->name);
    lua_getfield(L, GONE, world->name);
    if (lua_istable(L, top + 2))
        world->hosted->attachment->restored(L, world->hosted, top + 1, top + 2, ERROR_SLOT);
    lua_settop(L, top);
}

// What a restore leaves to the binding, once the core has done it.
static void finish(lua_State *L, ct_bind_entities *entities, const worlds *w) {
    ct_bind_state *state = ct_bind_state_of(L);
    state->callbacks++;
    entities->frozen = true;
    for (uint32_t i = 0; i < w->core.count; ++i) {
        ct_bind_forget_attached(L, world_of(L, w, i));
        w->items[i].world->busy++;
        w->items[i].world->ending = CT_WORLD_RESTORING;
    }
    for (uint32_t i = 0; i < w->core.count; ++i)
        restore_kept(L, w, i);
    for (uint32_t i = 0; i < w->core.count; ++i) {
        w->items[i].world->busy--;
        w->items[i].world->ending = 0;
    }
    entities->frozen = false;
    ct_bind_tell_restored(&(ct_bind_destroy){L, ENTITIES, ERROR_SLOT}, entities);
    state->callbacks--;
}

static void prepare(lua_State *L, ct_bind_entities *entities, worlds *w) {
    do {
        lua_settop(L, SAVED);
        lua_newtable(L);
        lua_pushnil(L);
        push_worlds(L, entities, w);
        for (uint32_t i = 0; i < w->core.count; ++i) {
            const ct_bind_world *world = world_of(L, w, i);
            if (world->hosted != NULL && world->hosted->attaches)
                ct_bind_check_making(L, world->hosted);
        }
        collect_gone(L, w);
        keep_all_levels(L, w, true);
    } while (!are_ready(L, entities, w));
    for (uint32_t i = 0; i < w->core.count; ++i)
        w->calls[i].told = (ct_bind_destroy){L, 0, ERROR_SLOT};
}

int ct_bind_restore_snapshot(lua_State *L) {
    ct_bind_entities *entities = ct_bind_check_entities(L, ENTITIES);
    const ct_snapshot *snapshot = ct_bind_check_class(L, SNAPSHOT, &snapshot_class);
    worlds w;
    ct_message message;
    lua_settop(L, SNAPSHOT);
    check_idle(L, entities);
    ct_bind_check_nesting(L);
    lua_getfenv(L, SNAPSHOT);
    prepare(L, entities, &w);
    ct_status status = ct_snapshot_restore(snapshot, &w.core, &message);
    if (status != CT_OK) {
        keep_all_levels(L, &w, false);
        return raise(L, status, &message);
    }
    entities->restoring = true;
    finish(L, entities, &w);
    entities->restoring = false;
    if (!lua_isnil(L, ERROR_SLOT)) {
        lua_pushvalue(L, ERROR_SLOT);
        return lua_error(L);
    }
    lua_pushboolean(L, 1);
    return 1;
}

// ---------------------------------------------------------------- methods

static int take(lua_State *L) {
    ct_bind_self(L, &ct_bind_entities_kind);
    return ct_bind_take_snapshot(L);
}

static int restore(lua_State *L) {
    ct_bind_self(L, &ct_bind_entities_kind);
    return ct_bind_restore_snapshot(L);
}

// entities:hash() -> 16 hexadecimal digits
static int hash(lua_State *L) {
    ct_bind_entities *entities = ct_bind_self(L, &ct_bind_entities_kind);
    worlds w;
    do {
        lua_settop(L, 1);
        push_worlds(L, entities, &w);
    } while (!are_all(L, entities, &w));
    uint64_t sum = ct_snapshot_hash(&w.core);
    char digits[16];
    for (int i = 16; i-- > 0; sum >>= 4)
        digits[i] = "0123456789abcdef"[sum & 15];
    lua_pushlstring(L, digits, sizeof digits);
    return 1;
}

const luaL_Reg ct_bind_snapshot_methods[] = {
    {"snapshot", take}, {"hash", hash}, {"restore", restore}, {NULL, NULL}};

static ct_snapshot *self_of(lua_State *L) { return ct_bind_class_self(L, &snapshot_class); }

// snapshot:bytes() -> bytes held
static int bytes(lua_State *L) {
    lua_pushnumber(L, (lua_Number)self_of(L)->capacity);
    return 1;
}

static int tostring(lua_State *L) {
    lua_pushfstring(L, "Snapshot (%f bytes)", (lua_Number)self_of(L)->bytes);
    return 1;
}

static int collect_snapshot(lua_State *L) {
    ct_snapshot_free(self_of(L));
    return 0;
}

void ct_bind_open_snapshot(lua_State *L) {
    static const luaL_Reg methods[] = {{"bytes", bytes}, {NULL, NULL}};
    ct_bind_class_new(L, &snapshot_class, methods, collect_snapshot, tostring);
}
