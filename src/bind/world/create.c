// world:create: entities with their components in one call, all or nothing.
// Knows nothing of any one component.
#include "world/create.h"
#include "bind/manager/attachment.h"
#include "bind/world/world.h"

#include <string.h>

// Places on the stack.
enum { WORLD = 1, COMPONENTS, COUNT, OUT, MANAGERS };

typedef struct request {
    lua_State *L;
    const ct_bind_gather *g;
    ct_world *world;
    const ct_bind_created *created; // but for the entities themselves
    bool attached;                  // there are components of which the binding keeps something,
                                    // or whose managers have hooks
    ct_additions *additions;        // ended, and without a world: hooks are not told
    uint32_t batch_count;
    uint32_t capacity;
    ct_component_batch *batches; // in the arena, in spawn order
} request;

// ---------------------------------------------------------------- gathering

// The message on top gets the component before it: the argument is at fault.
CT_NORETURN static void raise_component(lua_State *L, const char *name, uint32_t place) {
    if (place > 0)
        ct_bind_raise_arg(L, COMPONENTS, "%s[%d]: %s", name, (int)place, lua_tostring(L, -1));
    ct_bind_raise_arg(L, COMPONENTS, "%s: %s", name, lua_tostring(L, -1));
}

// Room for one more batch, which takes its place in spawn order.
static ct_component_batch *add_batch(request *r, const ct_manager *manager) {
    if (r->batch_count == r->capacity) {
        ct_component_batch *old = r->batches;
        r->capacity = r->capacity * 2 + 8;
        r->batches = ct_bind_gather_take(r->g, r->capacity * sizeof *r->batches);
        if (r->batch_count > 0) memcpy(r->batches, old, r->batch_count * sizeof *old);
    }
    uint32_t place = r->batch_count++;
    for (; place > 0; --place) {
        if (r->batches[place - 1].manager->spawn_order <= manager->spawn_order) break;
        r->batches[place] = r->batches[place - 1];
    }
    return &r->batches[place];
}

// The value on top is one component.
static void gather_component(request *r, ct_manager *manager, uint32_t place) {
    lua_State *L = r->L;
    const ct_bind_values *values = NULL;
    if (lua_type(L, -1) == LUA_TTABLE) {
        values = ct_bind_gather_values(
            r->g, -1, manager, r->created->many ? CT_BIND_MANY : CT_BIND_WHOLE, r->created->count);
    } else {
        ct_bind_gather_end(r->g);
        lua_pushfstring(L, "table of values expected, got %s", ct_bind_type_name(L, -1));
    }
    if (values == NULL)
        raise_component(L, manager->name, place);
    else
        *add_batch(r, manager) = (ct_component_batch){manager, values->values, values->ids};
}

// The value on top belongs to the manager: a table, or an array of them where there may be several.
static void gather_components(request *r, ct_manager *manager) {
    lua_State *L = r->L;
    bool several = lua_type(L, -1) == LUA_TTABLE && manager->store.multiple;
    uint32_t length = several ? ct_bind_rawlen(L, -1) : 0;
    if (length == 0) gather_component(r, manager, 0);
    for (uint32_t i = 1; i <= length; ++i) {
        lua_rawgeti(L, -1, (int)i);
        gather_component(r, manager, i);
        lua_pop(L, 1);
    }
}

static int raise_unknown(const request *r) {
    lua_State *L = r->L;
    ct_bind_gather_end(r->g);
    if (lua_type(L, -2) != LUA_TSTRING)
        luaL_argerror(L, COMPONENTS, "component names must be strings");
    ct_bind_push_unknown_component(L, r->world, lua_tostring(L, -2));
    return ct_bind_arg_error(L, COMPONENTS);
}

static void gather(request *r) {
    lua_State *L = r->L;
    lua_pushnil(L);
    while (lua_next(L, COMPONENTS) != 0) {
        lua_pushvalue(L, -2);
        lua_rawget(L, MANAGERS);
        const ct_bind_manager *manager = lua_touserdata(L, -1);
        lua_pop(L, 1);
        if (manager == NULL) raise_unknown(r);
        if (manager->core->hooks != NULL || manager->attachment != NULL) r->attached = true;
        gather_components(r, manager->core);
        lua_pop(L, 1);
    }
}

static void commit(const request *r, ct_entity *entities) {
    uint32_t failed;
    ct_additions *additions = r->attached && r->world->hook_count > 0 ? r->additions : NULL;
    if (additions != NULL) ct_additions_begin(additions, r->world);
    ct_status status = ct_world_create(r->world, r->created->count, r->batches, r->batch_count,
                                       entities, additions, &failed);
    if (status != CT_OK && additions != NULL) ct_additions_end(additions);
    const ct_manager *manager = failed < r->batch_count ? r->batches[failed].manager : NULL;
    ct_bind_gather_end(r->g);
    lua_State *L = r->L;
    if (status == CT_ERR_FULL && manager == NULL)
        luaL_error(L, "entity manager is full (%d alive)", (int)CT_MAX_ENTITIES);
    if (status == CT_ERR_EXISTS && manager != NULL)
        ct_bind_raise_arg(L, COMPONENTS, "%s: duplicate component id", manager->name);
    if (status == CT_ERR_OVER) luaL_error(L, BIND_WORLD_OVER);
    if (status == CT_OK) return;
    const char *what = "rows";
    uint32_t limit = manager != NULL ? ct_manager_limit(manager, &what) : CT_MAX_ROWS;
    ct_bind_raise_status(L, status, manager != NULL ? manager->name : "EntityManager", limit, what);
}

// ---------------------------------------------------------------- attachments

// What components keep with the binding is prepared: 0, or the index of what they give for it.
static int prepare_attachment(lua_State *L, const ct_bind_created *created) {
    if (created->manager == NULL) return 0;
    int values = lua_gettop(L) + 1;
    const char *name = created->manager->core->name;
    lua_pushstring(L, name);
    lua_rawget(L, COMPONENTS);
    if (!lua_istable(L, values)) return 0;
    lua_pushfstring(L, "%s: ", name);
    return ct_bind_prepare_attachment(L, created, values, COMPONENTS, lua_tostring(L, -1));
}

void ct_bind_undo_entities(lua_State *L, int world, uint32_t count, const ct_entity *entities) {
    ct_bind_world *object = lua_touserdata(L, world);
    int top = lua_gettop(L);
    ct_bind_push_world_entities(L, world);
    lua_pushnil(L);
    ct_bind_destroy destroy = {L, top + 1, top + 2};
    ct_entity_manager_destroy(object->core.entities, count, entities, &destroy);
    ct_world_strip(&object->core, count, entities);
    lua_settop(L, top);
}

// Makes what components keep, and tells hooks. Raises what that raises: nothing is created then.
static void tell(lua_State *L, ct_world *world, const ct_bind_created *created, int given,
                 ct_additions *additions) {
    bool sound = ct_bind_tell_added(L, additions, created, given);
    world->busy++;
    if (!sound) ct_bind_undo_entities(L, WORLD, created->count, created->entities);
    world->busy--;
    ct_additions_end(additions);
    if (!sound) lua_error(L);
}

// ---------------------------------------------------------------- the method

// Gathers and commits; what the binding keeps is prepared before, and its index returned, or 0.
static int create_all(lua_State *L, ct_bind_world *world, const ct_bind_created *created,
                      ct_entity *entities, ct_additions *additions) {
    int given = created->many ? prepare_attachment(L, created) : 0;
    if (created->many && world->core.hook_count > 0) ct_bind_prepare_hooks(L, &world->core);
    // For one entity, of which the binding almost never keeps anything, preparing waits until there
    // is a reason. Finalizers may run then, so all is gathered anew.
    for (bool prepared = created->many;; prepared = true) {
        const ct_bind_gather g = ct_bind_gather_begin(L, world->state);
        request r = {
            .L = L, .g = &g, .world = &world->core, .created = created, .additions = additions};
        gather(&r);
        if (prepared || !r.attached) {
            commit(&r, entities); // the batches are gone when this returns
            return given;
        }
        ct_bind_gather_end(&g);
        given = prepare_attachment(L, created);
        ct_bind_prepare_hooks(L, &world->core);
    }
}

// world:create(components [, n [, out]]) -> entity, or out
static int create(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_bind_check_open(L, &world->core);
    luaL_checktype(L, COMPONENTS, LUA_TTABLE);
    lua_settop(L, OUT);
    bool many = !lua_isnil(L, COUNT);
    uint32_t count = many ? (uint32_t)ct_bind_check_whole(L, COUNT, 0, CT_MAX_ENTITIES) : 1;
    ct_entity one, *entities = &one;
    ct_bind_push_managers(L, WORLD);
    if (many) entities = lua_newuserdata(L, (size_t)count * sizeof *entities + 1);
    if (many) ct_bind_prepare_out(L, OUT, count);
    int prepared = lua_gettop(L);
    const ct_bind_created created = {world->hosted, entities, NULL, count, many};
    ct_additions additions;
    additions.world = NULL;
    int given = create_all(L, world, &created, entities, &additions);
    bool told = additions.world != NULL;
    if (told) tell(L, &world->core, &created, given, &additions);
    if (!many) {
        ct_bind_push_entity(L, one);
        return 1;
    }
    lua_settop(L, prepared);
    if (!ct_bind_deliver(L, OUT, count, entities)) {
        if (told) {
            ct_bind_undo_entities(L, WORLD, count, entities);
        } else {
            ct_world_strip(&world->core, count, entities);
            ct_entity_manager_rollback(&world->entities->core, count, entities);
        }
        return lua_error(L);
    }
    lua_settop(L, OUT);
    return 1;
}

const luaL_Reg ct_bind_create_methods[] = {{"create", create}, {NULL, NULL}};
