// world:create: creates entities with their components in one call, all or nothing.
#include "bind/world/create.h"
#include "bind/value/compiled.h"
#include "bind/value/lua_values.h"

#include <string.h>

// Stack indices in world:create.
enum { WORLD = 1, COMPONENTS, COUNT, RESULT };

// ---------------------------------------------------------------- parsing

// Adds a batch at its position in spawn order.
static inline void add_batch(ct_bind_batches *b, ct_component_batch batch) {
    if (b->count == b->capacity)
        b->items = ct_bind_parse_more(b->g, b->items, b->count, &b->capacity, sizeof *b->items);
    ct_component_batch_insert(b->items, &b->count, batch);
}

static bool add_values(void *user, ct_manager *manager, const ct_bind_values *values,
                       uint32_t place) {
    (void)place;
    add_batch(user, (ct_component_batch){manager, values->values, values->ids});
    return true;
}

// Returns how to read a component of this manager.
static ct_bind_form form_of(const ct_bind_batches *b, const ct_manager *manager) {
    if (b->many) return CT_BIND_COPIES;
    bool changes = b->base != NULL && !manager->store.multiple && ct_template_has(b->base, manager);
    return changes ? CT_BIND_GIVEN : CT_BIND_WHOLE;
}

// Adds the name of the component before the message on top.
static bool fail_component(lua_State *L, const char *name, uint32_t place) {
    const char *message = lua_tostring(L, -1);
    if (place > 0) return ct_bind_refuse(L, "%s[%d]: %s", name, (int)place, message);
    return ct_bind_refuse(L, "%s: %s", name, message);
}

// Parses the value on top as one component. Returns false like ct_bind_parse_components.
static bool parse_component(const ct_bind_component_parser *p, ct_manager *manager,
                            uint32_t place) {
    lua_State *L = p->g->L;
    const ct_bind_values *values = NULL;
    if (lua_type(L, -1) == LUA_TTABLE) {
        values = ct_bind_parse_values(p->g, -1, manager, p->form, p->entities);
    } else {
        bool no = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
        ct_bind_parse_end(p->g);
        ct_bind_refuse(L, "table of values expected, got %s%s", ct_bind_type_name(L, -1),
                       no ? p->no : "");
    }
    if (values != NULL && p->add(p->user, manager, values, place)) return true;
    return fail_component(L, manager->name, place);
}

bool ct_bind_parse_components(const ct_bind_component_parser *p, ct_manager *manager) {
    lua_State *L = p->g->L;
    bool several = manager->store.multiple && lua_type(L, -1) == LUA_TTABLE;
    uint32_t length = several ? ct_bind_rawlen(L, -1) : 0;
    if (length == 0) return parse_component(p, manager, 0);
    if (ct_bind_has_index(L, -1)) {
        ct_bind_parse_end(p->g);
        ct_bind_refuse_index(L);
        return fail_component(L, manager->name, 0);
    }
    for (uint32_t i = 1; i <= length; ++i) {
        lua_rawgeti(L, -1, (int)i);
        if (!parse_component(p, manager, i)) return false;
        lua_pop(L, 1);
    }
    return true;
}

ct_manager *ct_bind_find_component(lua_State *L, const ct_world *world) {
    ct_text name = ct_bind_to_text(L, -2);
    if (name.bytes == NULL || strlen(name.bytes) != name.length) return NULL;
    return ct_world_find(world, name.bytes);
}

bool ct_bind_fail_unknown(const ct_bind_parse *g, const ct_world *world) {
    ct_bind_parse_end(g);
    if (world->destroyed)
        lua_pushliteral(g->L, BIND_WORLD_DESTROYED);
    else if (lua_type(g->L, -2) == LUA_TSTRING)
        ct_bind_push_unknown_component(g->L, world, lua_tostring(g->L, -2));
    else
        lua_pushliteral(g->L, "component names must be strings");
    return false;
}

// Returns the manager of the name below the value on top, or NULL.
static const ct_bind_manager *look_up(const ct_bind_batches *b) {
    lua_State *L = b->g->L;
    if (b->managers == 0) {
        const ct_manager *core = ct_bind_find_component(L, &b->world->core);
        return core != NULL ? core->object : NULL;
    }
    ct_bind_push_raw(L, b->managers, -2);
    const ct_bind_manager *manager = ct_bind_test_handle(L, -1, &ct_bind_manager_kind);
    lua_pop(L, 1);
    return manager;
}

// The same, with a cache of managers that were recently found by name. Equal strings have one
// address up to 40 bytes, longer ones not in all interpreters.
static inline const ct_bind_manager *find_manager(const ct_bind_batches *b) {
    if (b->managers != 0 || lua_type(b->g->L, -2) != LUA_TSTRING) return look_up(b);
    const char *name = lua_tostring(b->g->L, -2);
    uintptr_t place = (uintptr_t)name >> 4 ^ (uintptr_t)name >> 9;
    ct_bind_manager_cache *known = &b->world->state->known[place % CT_BIND_CACHED_MANAGERS];
    if (CT_UNLIKELY(known->name != name || known->world != b->world)) {
        const ct_bind_manager *manager = look_up(b);
        if (manager == NULL || strlen(name) > 40) return manager;
        *known = (ct_bind_manager_cache){name, b->world, manager};
    }
    return known->manager;
}

// Parses the name and the value on top, at index 'value'. On failure returns false with the message
// on top, and the parse has ended.
static inline bool parse_batch(ct_bind_batches *b, int value) {
    const ct_bind_manager *manager = find_manager(b);
    if (CT_UNLIKELY(manager == NULL)) return ct_bind_fail_unknown(b->g, &b->world->core);
    ct_manager *core = manager->core;
    if (core->hooks != NULL || ct_bind_is_hosted(manager)) b->attached = true;
    const ct_values *values = b->many ? NULL : ct_bind_parse_values_fast(b->g, value, core);
    if (CT_UNLIKELY(values == NULL)) {
        const ct_bind_component_parser p = {b->g, form_of(b, core), b->entities, "", add_values, b};
        return ct_bind_parse_components(&p, core);
    }
    add_batch(b, (ct_component_batch){core, values, NULL});
    return true;
}

// Raises the error of the first invalid component by name: the order of keys in a table depends on
// how it was built. If no component is invalid alone, or not any more, raises the message on top.
CT_NORETURN static void raise_in_order(const ct_bind_batches *b, int components) {
    lua_State *L = b->g->L;
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    lua_pushnil(L);
    while (ct_bind_next_name(L, components, top + 1)) {
        ct_bind_parse g = ct_bind_parse_begin(L, b->world->state);
        g.sink = b->g->sink;
        g.table = b->g->table;
        ct_bind_batches one = *b;
        one.g = &g;
        one.count = one.capacity = 0;
        if (!parse_batch(&one, top + 3)) ct_bind_arg_error(L, components);
        ct_bind_parse_end(&g);
    }
    lua_settop(L, top);
    ct_bind_arg_error(L, components);
}

void ct_bind_parse_batches(ct_bind_batches *b, int components) {
    lua_State *L = b->g->L;
    int key = lua_gettop(L) + 1;
    if (ct_bind_has_index(L, components)) {
        ct_bind_parse_end(b->g);
        ct_bind_refuse_index(L);
        ct_bind_arg_error(L, components);
    }
    lua_pushnil(L);
    while (lua_next(L, components) != 0) {
        if (!parse_batch(b, key + 1)) raise_in_order(b, components);
        lua_settop(L, key);
    }
}

void ct_bind_raise_create(lua_State *L, ct_status status, const ct_manager *manager, int arg) {
    if (status == CT_ERR_EXISTS && manager != NULL && arg != 0)
        ct_bind_raise_arg(L, arg, "%s: duplicate component id", manager->name);
    if (status == CT_ERR_EXISTS && manager != NULL)
        luaL_error(L, "%s: duplicate component id", manager->name);
    if (status == CT_ERR_OVER) luaL_error(L, BIND_WORLD_DESTROYED);
    const char *what = "alive";
    uint32_t limit = manager != NULL ? ct_manager_limit(manager, &what) : CT_MAX_ENTITIES;
    ct_bind_raise_status(L, status, manager != NULL ? manager->name : "entity manager", limit,
                         what);
}

static void commit(const ct_bind_batches *b, ct_world *world, ct_entity *entities,
                   ct_additions *additions) {
    uint32_t failed;
    ct_status status = ct_world_create(world, b->entities, b->items, b->count, entities,
                                       b->attached ? additions : NULL, &failed);
    const ct_manager *manager = failed < b->count ? b->items[failed].manager : NULL;
    ct_bind_parse_end(b->g);
    if (status != CT_OK) ct_bind_raise_create(b->g->L, status, manager, COMPONENTS);
}

// ---------------------------------------------------------------- attachments

int ct_bind_prepare_components(lua_State *L, const ct_bind_created *created, int components) {
    if (created->manager == NULL) return 0;
    int values = lua_gettop(L) + 1;
    const char *name = created->manager->core->name;
    lua_pushstring(L, name);
    lua_rawget(L, components);
    if (!lua_istable(L, values)) return 0;
    lua_pushfstring(L, "%s: ", name);
    return ct_bind_prepare_attachment(L, created, values, components, lua_tostring(L, -1));
}

void ct_bind_undo_entities(lua_State *L, int world, uint32_t count, const ct_entity *entities) {
    ct_bind_world *object = ct_bind_world_of(L, world);
    int top = lua_gettop(L);
    ct_bind_push_own(L, world, "entities");
    lua_pushnil(L);
    ct_bind_notice notice = {L, top + 1, top + 2};
    // A script can replace the EntityManager with debug.setfenv; the ids then stay alive.
    if (ct_bind_test_handle(L, top + 1, &ct_bind_entities_kind) == object->entities)
        ct_entity_manager_destroy_for(&object->entities->core, CT_REASON_UNDO, count, entities,
                                      &notice);
    ct_world_remove_entities(&object->core, count, entities);
    lua_settop(L, top);
}

// ---------------------------------------------------------------- entities for a script

// Creates the kept values and runs hooks. If something raises, destroys the entities and raises the
// error again.
static void notify(lua_State *L, const ct_bind_creation *c, const ct_bind_created *created,
                   int given, ct_additions *additions) {
    ct_world *world = &c->world->core;
    bool ok = ct_bind_notify_added(L, additions, created, given);
    world->busy++;
    if (!ok) ct_bind_undo_entities(L, c->world_index, created->count, created->entities);
    world->busy--;
    ct_additions_end(additions);
    if (!ok) lua_error(L);
}

// Writes the entities to the table or list at argument 'out'. If that fails, removes them and
// raises the error.
static void deliver(lua_State *L, const ct_bind_creation *c, const ct_bind_created *created,
                    int out, bool notified) {
    if (ct_bind_deliver(L, out, created->count, created->entities)) return;
    if (notified) {
        ct_bind_undo_entities(L, c->world_index, created->count, created->entities);
    } else {
        ct_world_remove_entities(&c->world->core, created->count, created->entities);
        ct_entity_manager_rollback(c->world->core.entities, created->count, created->entities);
        ct_bind_forget_values(L, &c->world->core.values);
    }
    lua_error(L);
}

int ct_bind_create(lua_State *L, const ct_bind_creation *c) {
    int out = c->count_arg + 1;
    bool many = !lua_isnil(L, c->count_arg);
    uint32_t count = 1;
    if (many) count = (uint32_t)ct_bind_check_whole(L, c->count_arg, 0, CT_MAX_ENTITIES);
    ct_entity one, *entities = &one;
    if (many) entities = lua_newuserdata(L, (size_t)count * sizeof *entities + 1);
    if (many) ct_bind_prepare_out(L, out, count);
    const ct_bind_created created = {c->world->hosted, entities, NULL, count, false};
    ct_additions additions;
    additions.world = NULL;
    int given = c->make(L, c, &created, entities, &additions);
    bool notified = additions.world != NULL;
    if (notified) notify(L, c, &created, given, &additions);
    if (!many) return ct_bind_return_entity(L, one);
    deliver(L, c, &created, out, notified);
    lua_settop(L, out);
    return 1;
}

// ---------------------------------------------------------------- the method

// Parses and commits. Prepares the kept values of components before that.
static int make(lua_State *L, const ct_bind_creation *c, const ct_bind_created *created,
                ct_entity *entities, ct_additions *additions) {
    ct_world *world = &c->world->core;
    bool many = !lua_isnil(L, COUNT);
    int given = many ? ct_bind_prepare_components(L, created, COMPONENTS) : 0;
    if (many && world->hook_count > 0) ct_bind_prepare_hooks(L, world);
    // A single entity rarely has kept values, so they are prepared only if necessary. Preparing may
    // run finalizers, so everything is parsed again afterwards.
    for (bool prepared = many;; prepared = true) {
        const ct_bind_parse g = ct_bind_parse_begin(L, c->world->state);
        ct_bind_batches b = {.g = &g, .world = c->world, .entities = created->count, .many = many};
        ct_bind_parse_batches(&b, COMPONENTS);
        if (prepared || !b.attached) {
            commit(&b, world, entities, additions); // ends the parse
            return given;
        }
        ct_bind_parse_end(&g);
        given = ct_bind_prepare_components(L, created, COMPONENTS);
        ct_bind_prepare_hooks(L, world);
    }
}

// Parses the components at CT_BIND_POSTED if all are simple. Returns false otherwise.
static bool parse_posted(ct_bind_batches *b) {
    lua_State *L = b->g->L;
    if (lua_type(L, CT_BIND_POSTED) != LUA_TTABLE || lua_getmetatable(L, CT_BIND_POSTED))
        return false;
    for (lua_pushnil(L); lua_next(L, CT_BIND_POSTED) != 0; lua_settop(L, CT_BIND_POSTED + 1)) {
        const ct_bind_manager *manager = find_manager(b);
        if (manager == NULL || manager->core->hooks != NULL || b->count == b->capacity ||
            ct_bind_is_hosted(manager))
            return false;
        const ct_values *values =
            ct_bind_parse_values_fast(b->g, CT_BIND_POSTED + 2, manager->core);
        if (values == NULL) return false;
        add_batch(b, (ct_component_batch){manager->core, values, NULL});
    }
    return true;
}

// For compiled code: creates an entity with the components in the mailbox and returns its slot in
// the mailbox, or 0 on failure and if not all components are simple.
static int32_t post_with_components(const ct_bind_mailbox *mailbox, ct_bind_world *world) {
    enum { MOST = 16, NOT_TRIED = 15 };
    ct_component_batch items[MOST];
    ct_entity e;
    uint32_t failed;
    ct_bind_parse g;
    if (world->complex > 0) {
        world->complex--;
        return 0;
    }
    if (world->core.destroyed || ct_world_refuses(&world->core) != NULL ||
        !ct_bind_can_post(mailbox) ||
        !ct_bind_parse_posted(mailbox, CT_BIND_SLOT_TARGET, world->state, &g))
        return 0;
    ct_bind_batches b = {.g = &g, .world = world, .entities = 1, .items = items, .capacity = MOST};
    bool simple = parse_posted(&b);
    bool created =
        simple && ct_world_create(&world->core, 1, items, b.count, &e, NULL, &failed) == CT_OK;
    if (!simple) world->complex = NOT_TRIED;
    ct_bind_parse_posted_end(&g);
    return created ? ct_bind_post_entity(mailbox, e) : 0;
}

// world:create(components [, n [, out]]) -> entity, or out
static int create(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_bind_check_open(L, &world->core);
    luaL_checktype(L, COMPONENTS, LUA_TTABLE);
    lua_settop(L, RESULT);
    const ct_bind_creation c = {world, WORLD, COUNT, make};
    return ct_bind_create(L, &c);
}

void ct_bind_open_create(lua_State *L) {
    static const luaL_Reg world_methods[] = {{"create", create}, {NULL, NULL}};
    ct_bind_add_address(L, "post_with_components", (void (*)(void))post_with_components);
    ct_bind_add_pointer(L, "world_pointer", &ct_bind_world_kind, true);
    ct_bind_add_class_methods(L, &ct_bind_world_kind, world_methods);
}
