// world:template: components that are parsed once, and entities created with them by
// template:create.
#include "bind/value/compiled.h"
#include "bind/value/lua_values.h"
#include "bind/world/create.h"
#include "world/create.h"

// Environment table of a Template:
//     world      the world object
//     managers   manager objects by name, as they were at its creation
//     given      for the component with kept values, by name: the given value
//     values     of value fields, in the order of ct_template_next_value
typedef struct template {
    ct_bind_header header;
    ct_bind_world *world;
    ct_template *core; // in the block after this struct
    bool attached;     // a component has a kept value, or its manager has hooks
    int value_count;   // number of given values of value fields
}
template;

static const ct_bind_kind template_class = {"Template"};

// ---------------------------------------------------------------- construction

enum { WORLD = 1, COMPONENTS, MANAGERS, GIVEN, VALUES, OBJECT };

static template *push_object(lua_State *L, ct_bind_world *world, size_t bytes) {
    static const char *const names[] = {"world", "managers", "given", "values"};
    static const int indices[] = {WORLD, MANAGERS, GIVEN, VALUES};
    template *object =
        ct_bind_object_new(L, &template_class, sizeof *object + CT_BLOCK_ALIGNMENT + bytes);
    object->world = world;
    object->core = ct_block_at(object + 1);
    lua_createtable(L, 0, 4);
    for (int i = 0; i < 4; ++i) {
        ct_bind_copy_field(L, -1, names[i], indices[i]);
    }
    ct_bind_set_owned(L, -2);
    ct_bind_keep_managers(L, lua_gettop(L), MANAGERS);
    return object;
}

// Pushes a table of the world's managers by name, which keeps them alive when they are defined
// again.
static void push_managers(lua_State *L, const ct_world *world) {
    lua_newtable(L);
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        const ct_manager *core = world->managers[i];
        if (core->object == NULL) continue; // a finalizer runs during its creation
        ct_bind_push_manager(L, WORLD, core);
        lua_setfield(L, MANAGERS, core->name);
    }
}

// Pushes a table with the given value for the component with kept values.
static void push_given(lua_State *L, const ct_bind_manager *hosted) {
    lua_newtable(L);
    if (hosted == NULL) return;
    lua_getfield(L, COMPONENTS, hosted->core->name);
    if (lua_istable(L, -1)) {
        lua_newtable(L);
        ct_bind_push_given(L, hosted, GIVEN + 1);
        lua_setfield(L, -2, hosted->core->shape->hosted);
        lua_setfield(L, GIVEN, hosted->core->name);
    }
    lua_settop(L, GIVEN);
}

// Sorts the values, which were parsed in the order of the tables, into the order of
// ct_template_next_value.
static void order_values(lua_State *L, template *object) {
    uint32_t batch = 0, input = 0;
    lua_newtable(L);
    for (const ct_text *item;
         (item = ct_template_next_value(object->core, &batch, &input)) != NULL;) {
        lua_rawgeti(L, VALUES, (int)item->length);
        lua_rawseti(L, -2, ++object->value_count);
    }
    ct_bind_set_own(L, OBJECT, "values");
}

// world:template(components) -> Template
static int new_template(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    luaL_checktype(L, COMPONENTS, LUA_TTABLE);
    lua_settop(L, COMPONENTS);
    push_managers(L, &world->core);
    push_given(L, world->hosted);
    lua_newtable(L);
    // Creating the object may run finalizers, so the tables are parsed again after that.
    template *object = NULL;
    for (size_t room = 0;;) {
        ct_bind_parse g = ct_bind_parse_begin(L, world->state);
        g.sink = CT_BIND_TO_TABLE;
        g.table = VALUES;
        ct_bind_batches b = {.g = &g, .world = world, .managers = MANAGERS, .entities = 1};
        ct_bind_parse_batches(&b, COMPONENTS);
        size_t bytes = ct_template_bytes(b.items, b.count);
        bool fits = object != NULL && bytes <= room;
        if (fits) {
            ct_template_init(object->core, &world->core, b.items, b.count);
            object->attached = b.attached;
        }
        ct_bind_parse_end(&g);
        if (fits) {
            order_values(L, object);
            return 1;
        }
        lua_settop(L, GIVEN);
        lua_newtable(L);
        object = push_object(L, world, bytes);
        room = bytes;
    }
}

// ---------------------------------------------------------------- creating

enum { TEMPLATE = 1, COUNT, RESULT, OWN_WORLD };

// Returns a manager that has ended, or NULL. The environment keeps the managers, so 'destroyed' can
// be read even after their end.
static const ct_bind_manager *ended_manager(const ct_template *core) {
    for (uint32_t i = 0; i < core->batch_count; ++i) {
        const ct_bind_manager *manager = core->batches[i].manager->object;
        if (CT_UNLIKELY(manager->destroyed != NULL)) return manager;
    }
    return NULL;
}

static void check_managers(lua_State *L, const ct_template *core) {
    const ct_bind_manager *ended = ended_manager(core);
    if (CT_UNLIKELY(ended != NULL)) ct_bind_raise_destroyed(L, ended);
}

static const ct_manager *manager_of(const ct_template *core, uint32_t batch) {
    return batch < core->batch_count ? core->batches[batch].manager : NULL;
}

static void raise_failed(lua_State *L, ct_status status, const ct_manager *manager,
                         const ct_message *message) {
    if (status == CT_ERR_DATA && manager != NULL)
        luaL_error(L, "%s: %s", manager->name, message->text);
    ct_bind_raise_create(L, status, manager, 0);
}

// Holds each value of the table on top in a slot, and pops the table. The core's item is the slot
// until the entities have the value.
static void hold_values(lua_State *L, const template *object) {
    uint32_t batch = 0, input = 0;
    int place = 0;
    if (object->value_count > 0 && !lua_istable(L, -1)) ct_bind_raise_replaced(L);
    for (ct_text *item; (item = ct_template_next_value(object->core, &batch, &input)) != NULL;) {
        lua_rawgeti(L, -1, ++place);
        ct_bind_hold_value(L, object->world->state, &object->world->core.values, lua_gettop(L),
                           item);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int make(lua_State *L, const ct_bind_creation *c, const ct_bind_created *created,
                ct_entity *entities, ct_additions *additions) {
    const template *object = lua_touserdata(L, TEMPLATE);
    ct_world *world = &c->world->core;
    uint32_t failed;
    ct_message message;
    int given = 0;
    if (object->attached) {
        ct_bind_push_own(L, TEMPLATE, "given");
        given = ct_bind_prepare_components(L, created, lua_gettop(L));
    }
    if (c->world_index != 0) ct_bind_prepare_hooks(L, world);
    check_managers(L, object->core);
    if (object->value_count > 0) {
        ct_bind_push_own(L, TEMPLATE, "values");
        hold_values(L, object);
    }
    ct_status status =
        ct_template_create(object->core, created->count, entities,
                           c->world_index != 0 ? additions : NULL, &failed, &message);
    if (object->value_count > 0) ct_bind_forget_values(L, &world->values);
    if (status != CT_OK) raise_failed(L, status, manager_of(object->core, failed), &message);
    return given;
}

static const template *check_open_self(lua_State *L) {
    const template *object = ct_bind_self(L, &template_class);
    if (object->world->core.destroyed) luaL_error(L, BIND_WORLD_DESTROYED);
    ct_bind_check_open(L, &object->world->core);
    return object;
}

// template:create([n [, out]]) -> entity, or out
static int create(lua_State *L) {
    const template *object = check_open_self(L);
    lua_settop(L, RESULT);
    bool notified = object->attached || ct_template_has_hooks(object->core);
    if (notified) ct_bind_push_own_handle(L, TEMPLATE, "world", &ct_bind_world_kind, object->world);
    const ct_bind_creation c = {object->world, notified ? OWN_WORLD : 0, COUNT, make};
    return ct_bind_create(L, &c);
}

// For compiled code: creates an entity and returns its slot in the mailbox, or 0 on failure and if
// functions or values of scripts are involved
static int32_t post_from_template(const ct_bind_mailbox *mailbox, const template *object) {
    ct_entity e;
    uint32_t failed;
    ct_message message;
    const ct_world *world = &object->world->core;
    bool possible = !object->attached && object->value_count == 0 && !world->destroyed &&
                    ct_world_refuses(world) == NULL && !ct_template_has_hooks(object->core) &&
                    ended_manager(object->core) == NULL && ct_bind_can_post(mailbox);
    if (!possible || ct_template_create(object->core, 1, &e, NULL, &failed, &message) != CT_OK)
        return 0;
    return ct_bind_post_entity(mailbox, e);
}

// ---------------------------------------------------------------- creating with other values

enum { VALUES_GIVEN = 2, NO_COUNT, NO_RESULT, WORLD_OF_CHANGES };

// Prepares the kept value: the given one, or else that of the template.
static int prepare_kept(lua_State *L, const ct_bind_created *created) {
    const ct_bind_manager *hosted = created->manager;
    if (hosted == NULL) return 0;
    ct_bind_push_own(L, TEMPLATE, "given");
    int own = lua_gettop(L);
    lua_getfield(L, own, hosted->core->name);
    lua_pushstring(L, hosted->core->name);
    lua_rawget(L, VALUES_GIVEN);
    bool given = ct_bind_push_given(L, hosted, own + 2) || !lua_istable(L, own + 1);
    return ct_bind_prepare_components(L, created, given ? VALUES_GIVEN : own);
}

// Parses the changes, and creates one entity from the template and the changes.
static int make_changed(lua_State *L, const ct_bind_creation *c, const ct_bind_created *created,
                        ct_entity *entity, ct_additions *additions) {
    const template *object = lua_touserdata(L, TEMPLATE);
    ct_world *world = &c->world->core;
    uint32_t failed = 0;
    ct_message message;
    ct_template merged = {.world = NULL};
    int given = prepare_kept(L, created);
    ct_bind_prepare_hooks(L, world);
    check_managers(L, object->core);
    ct_bind_push_own(L, TEMPLATE, "values");
    const ct_bind_parse g = ct_bind_parse_begin(L, c->world->state);
    ct_bind_batches b = {.g = &g, .world = c->world, .entities = 1, .base = object->core};
    ct_bind_parse_batches(&b, VALUES_GIVEN);
    hold_values(L, object);
    ct_status status = ct_template_merge(object->core, b.items, b.count, g.arena, &merged);
    if (status == CT_OK)
        status = ct_template_create(&merged, 1, entity, additions, &failed, &message);
    const ct_manager *manager = manager_of(&merged, failed);
    ct_bind_parse_end(&g);
    if (status != CT_OK) raise_failed(L, status, manager, &message);
    return given;
}

// template:create_with(values) -> entity
static int create_with(lua_State *L) {
    const template *object = check_open_self(L);
    luaL_checktype(L, VALUES_GIVEN, LUA_TTABLE);
    lua_settop(L, VALUES_GIVEN);
    lua_settop(L, NO_RESULT);
    ct_bind_push_own_handle(L, TEMPLATE, "world", &ct_bind_world_kind, object->world);
    const ct_bind_creation c = {object->world, WORLD_OF_CHANGES, NO_COUNT, make_changed};
    return ct_bind_create(L, &c);
}

static int tostring(lua_State *L) {
    const template *object = ct_bind_self(L, &template_class);
    int count = (int)object->core->batch_count;
    return ct_bind_return_format(L, "Template (%d component%s)", count, count == 1 ? "" : "s");
}

void ct_bind_open_templates(lua_State *L) {
    static const luaL_Reg world_methods[] = {{"template", new_template}, {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"create", create}, {"create_with", create_with}, {NULL, NULL}};
    ct_bind_class_new(L, &template_class, methods, NULL, tostring);
    ct_bind_add_address(L, "post_from_template", (void (*)(void))post_from_template);
    ct_bind_add_pointer(L, "template_pointer", &template_class, false);
    ct_bind_add_class_methods(L, &ct_bind_world_kind, world_methods);
}
