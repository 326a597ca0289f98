// Host of the worlds of the binding: spawners, attachments and destroy callbacks, which the core
// calls through a ct_host.
#include "bind/level/world_host.h"

#include "base/text.h"
#include "bind/manager/attachment.h"
#include "bind/value/lua_values.h"
#include "bind/value/parse_values.h"
#include "bind/world/world.h"

// Pops the error on top, and stores it if it is the first. 'silent' is the text for an error that
// is not a message.
static bool fail(ct_bind_host_call *call, const char *silent) {
    if (call->silent == NULL)
        lua_replace(call->notice.L, call->notice.error_slot);
    else
        lua_pop(call->notice.L, 1);
    if (call->silent == NULL) call->silent = silent;
    return false;
}

// Calls a function that may raise, which callbacks of the host must not, with the world and 'data'.
static bool call_protected(ct_bind_host_call *call, lua_CFunction function, const void *data,
                           const char *silent) {
    lua_pushvalue(call->notice.L, call->world);
    lua_pushlightuserdata(call->notice.L, (void *)data);
    return ct_bind_call_protected(call->notice.L, function, 2, 0) == 0 || fail(call, silent);
}

// ---------------------------------------------------------------- spawners

static void push_spawner(const ct_bind_host_call *call, const ct_section *section) {
    const ct_resource *resource = call->resource;
    uint32_t i = 0; // the section may be a part of one, from a patch
    while (i < resource->num_component_types &&
           resource->sections[i].identifier != section->identifier)
        i++;
    if (lua_isnil(call->notice.L, call->spawners))
        lua_pushnil(call->notice.L);
    else
        lua_rawgeti(call->notice.L, call->spawners, (int)i + 1);
}

static bool spawns_section(void *context, const ct_section *section) {
    const ct_bind_host_call *call = context;
    push_spawner(call, section);
    bool known = !lua_isnil(call->notice.L, -1);
    lua_pop(call->notice.L, 1);
    return known;
}

static bool spawn(void *context, const ct_section *section, uint32_t copies, uint32_t count,
                  const ct_entity *entities) {
    ct_bind_host_call *call = context;
    ct_bind_spawner_call arguments = {section, entities, count, copies};
    push_spawner(call, section);
    lua_pushlightuserdata(call->notice.L, &arguments);
    if (ct_bind_call_nested(call->notice.L, ct_bind_call_spawner, 2, 0) == 0) return true;
    call->at_fault = section->name; // the section may be temporary, from a patch
    return fail(call, "a spawner raised no message");
}

// ---------------------------------------------------------------- attachments

// Returns the manager that creates attachments even if none are given, or NULL.
static ct_bind_manager *attaching(lua_State *L, int world) {
    ct_bind_manager *manager = ct_bind_world_of(L, world)->hosted;
    return manager != NULL && manager->attaches ? manager : NULL;
}

// Returns this manager if the level has components of it, or NULL.
static ct_bind_manager *wanting(lua_State *L, int world, const ct_level *level) {
    ct_bind_manager *manager = attaching(L, world);
    bool wanted = manager != NULL && ct_level_owners(level, manager->core->name, NULL) > 0;
    return wanted ? manager : NULL;
}

// Owners of new components: entities of a level that was spawned, or all 'entities'.
typedef struct owners {
    const ct_level *level; // or NULL
    uint32_t count;
    const ct_entity *entities;
} owners;

// world, owners -> nothing
static int attach(lua_State *L) {
    const owners *o = lua_touserdata(L, 2);
    ct_bind_created created = {
        .manager = attaching(L, 1), .entities = o->entities, .count = o->count};
    if (created.manager == NULL) return 0;
    if (o->level != NULL) {
        uint32_t *places = lua_newuserdata(L, (o->count + 1) * sizeof *places);
        created.places = places;
        created.count = ct_level_owners(o->level, created.manager->core->name, places);
    }
    ct_bind_check_making(L, created.manager);
    lua_pushnil(L); // no values are given
    ct_bind_make_attachments(L, &created, lua_gettop(L));
    return 0;
}

static bool make(ct_bind_host_call *call, owners o) {
    lua_pushvalue(call->notice.L, call->world);
    lua_pushlightuserdata(call->notice.L, &o);
    return ct_bind_call_nested(call->notice.L, attach, 2, 0) == 0 ||
           fail(call, "a spawn callback raised no message");
}

static bool created(void *context, const ct_level *level) {
    ct_bind_host_call *call = context;
    if (wanting(call->notice.L, call->world, level) == NULL) return true;
    return make(call, (owners){level, level->count, level->entities});
}

static bool added(void *context, ct_manager *manager, uint32_t count, const ct_entity *entities) {
    (void)manager; // only one manager has 'hosted'
    return make(context, (owners){NULL, count, entities});
}

// ---------------------------------------------------------------- values

// Comparison of a kept value with bytes.
typedef struct comparison {
    ct_value value;
    ct_text bytes;
    bool same;
} comparison;

// world, comparison -> nothing
static int compare_value(lua_State *L) {
    ct_bind_world *world = ct_bind_world_of(L, 1);
    comparison *c = lua_touserdata(L, 2);
    ct_text own;
    if (!ct_value_pool_has(&world->core.values, c->value)) return 0;
    ct_bind_push_value(L, &world->core.values, c->value);
    const ct_bind_parse g = ct_bind_parse_begin(L, world->state);
    c->same = ct_bind_value_to_bytes(L, world->state, lua_gettop(L), &own) &&
              ct_text_equal(own, c->bytes);
    if (c->same) ct_bind_parse_end(&g);
    return 0;
}

static bool holds(void *context, uint32_t value, ct_text bytes) {
    const ct_bind_host_call *call = context;
    comparison c = {{value}, bytes, false};
    lua_pushvalue(call->notice.L, call->world);
    lua_pushlightuserdata(call->notice.L, &c);
    if (ct_bind_call_protected(call->notice.L, compare_value, 2, 0) != 0)
        lua_pop(call->notice.L, 1);
    return c.same;
}

// A kept value to be written as bytes.
typedef struct writing {
    ct_value value;
    ct_writer *out;
} writing;

// world, writing -> nothing; raises if the value cannot be written
static int write_value(lua_State *L) {
    ct_bind_world *world = ct_bind_world_of(L, 1);
    const writing *w = lua_touserdata(L, 2);
    ct_text own;
    ct_bind_push_value(L, &world->core.values, w->value);
    const ct_bind_parse g = ct_bind_parse_begin(L, world->state);
    if (!ct_bind_value_to_bytes(L, world->state, lua_gettop(L), &own)) return lua_error(L);
    ct_writer_text(w->out, own);
    ct_bind_parse_end(&g);
    return 0;
}

static bool write(void *context, uint32_t value, ct_writer *out) {
    writing w = {{value}, out};
    return call_protected(context, write_value, &w, "a value cannot be saved");
}

// ---------------------------------------------------------------- deaths

// Entities to destroy.
typedef struct destroying {
    ct_reason reason;
    uint32_t count;
    const ct_entity *entities;
    uint32_t died;
} destroying;

// world, destroying -> nothing; raises the first error of a callback
static int destroy_entities(lua_State *L) {
    destroying *d = lua_touserdata(L, 2);
    ct_bind_push_world_entities(L, 1);
    d->died = ct_bind_destroy_quietly(L, 3, d->reason, d->count, d->entities);
    return lua_isnil(L, -1) ? 0 : lua_error(L);
}

static bool destroy(void *context, ct_reason reason, uint32_t count, const ct_entity *entities,
                    uint32_t *died) {
    destroying d = {reason, count, entities, 0};
    bool ok = call_protected(context, destroy_entities, &d, "a destroy callback raised an error");
    *died = d.died;
    return ok;
}

static void undo(void *context, uint32_t count, const ct_entity *entities) {
    const ct_bind_host_call *call = context;
    ct_bind_undo_entities(call->notice.L, call->world, count, entities);
}

// Removes the level from the table 'levels'. The weak table 'all_levels' keeps it while a script
// refers to it.
static void released(void *context, ct_level *level) {
    const ct_bind_host_call *call = context;
    lua_State *L = call->notice.L;
    int top = lua_gettop(L);
    ct_bind_push_own(L, call->world, "levels");
    lua_pushlightuserdata(L, level);
    if (lua_istable(L, top + 1)) ct_bind_forget_key(L, top + 1); // unless debug.setfenv replaced it
    lua_settop(L, top);
}

// ---------------------------------------------------------------- the end

static bool clearing(void *context, bool last) {
    const ct_bind_host_call *call = context;
    const ct_bind_world *world = ct_bind_world_of(call->notice.L, call->world);
    ct_bind_manager *manager = world->hosted;
    if (last && manager != NULL)
        ct_bind_attachment_of(manager)->detach_all(call->notice.L, manager,
                                                   call->notice.error_slot);
    ct_bind_forget_attached(call->notice.L, world, true);
    return lua_isnil(call->notice.L, call->notice.error_slot);
}

static void ended(void *context) {
    const ct_bind_host_call *call = context;
    ct_bind_world_destroyed(call->notice.L, call->world);
}

const ct_host ct_bind_host = {spawns_section, spawn, created, destroy, undo, released,
                              clearing,       ended, added,   holds,   write};

// ---------------------------------------------------------------- preparation

// itself, depth -> nothing. Calls itself recursively to raise "C stack overflow" before callbacks
// would.
static int try_depth(lua_State *L) {
    double depth = lua_tonumber(L, 2);
    if (depth == 0) return 0;
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 1);
    ct_bind_push_whole(L, depth - 1);
    lua_call(L, 2, 0);
    return 0;
}

// Pushes the slot for the error, after everything that callbacks need was checked.
static void prepare(lua_State *L, int world, bool spawners, ct_bind_manager *manager) {
    enum { DEPTH = 8 };
    if (manager != NULL) ct_bind_check_making(L, manager);
    bool hooks = ct_bind_world_of(L, world)->core.hook_count > 0;
    if (spawners || hooks) ct_bind_check_nesting(L);
    if (spawners || hooks || manager != NULL) {
        lua_pushcfunction(L, try_depth);
        lua_pushvalue(L, -1); // its argument
        ct_bind_push_whole(L, DEPTH);
        lua_call(L, 2, 0);
    }
    lua_pushnil(L);
}

void ct_bind_prepare_host(lua_State *L, int world, const ct_level *level,
                          const ct_resource *resource) {
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many nested callbacks");
    bool spawners = ct_bind_push_spawners(L, world, resource);
    bool patches = resource != level->resource;
    prepare(L, world, spawners, patches ? attaching(L, world) : wanting(L, world, level));
}

void ct_bind_prepare_changes(lua_State *L, int world) {
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many nested callbacks");
    lua_pushnil(L);
    prepare(L, world, false, attaching(L, world));
}
