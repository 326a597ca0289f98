// EntityManager objects: construction, creation of entities, queries of liveness, and callbacks of
// restores.
#include "bind/entities/entities.h"
#include "bind/value/compiled.h"
#include "bind/value/mailbox.h"
#include "bind/value/options.h"
#include "storage/manager_keys.h"

static ct_bind_entities *self_of(lua_State *L) {
    return ct_bind_self_handle(L, &ct_bind_entities_kind);
}

// ---------------------------------------------------------------- creating

static int raise_create(lua_State *L, const ct_bind_entities *entities, ct_status status) {
    ct_bind_check_not_collected(L, entities);
    return ct_bind_raise_status(L, status, "entity manager", CT_MAX_ENTITIES, "alive");
}

static int create_many(lua_State *L, ct_bind_entities *entities) {
    uint32_t count = (uint32_t)ct_bind_check_whole(L, 2, 0, CT_MAX_ENTITIES);
    lua_settop(L, 3);
    ct_bind_prepare_table(L, 3, count);
    ct_entity *items = lua_newuserdata(L, (size_t)count * sizeof *items + 1);
    ct_status status = ct_entity_manager_create(&entities->core, count, items);
    if (status != CT_OK) return raise_create(L, entities, status);
    if (!ct_bind_deliver(L, 3, count, items)) {
        ct_entity_manager_rollback(&entities->core, count, items);
        return lua_error(L);
    }
    lua_settop(L, 3);
    return 1;
}

// entities:create() -> entity; entities:create(n [, out]) -> table
static int create(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    ct_bind_check_thawed(L, &entities->core);
    if (!lua_isnone(L, 2)) return create_many(L, entities);
    ct_entity e;
    ct_status status = ct_entity_manager_create(&entities->core, 1, &e);
    if (status != CT_OK) return raise_create(L, entities, status);
    return ct_bind_return_entity(L, e);
}

static int create_list(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    uint32_t count = (uint32_t)ct_bind_check_whole(L, 2, 0, CT_MAX_ENTITIES);
    ct_bind_check_thawed(L, &entities->core);
    ct_bind_list *list = ct_bind_list_new(L);
    ct_bind_list_reserve(L, list, count);
    ct_status status = ct_entity_manager_create(&entities->core, count, list->items);
    if (status != CT_OK) return raise_create(L, entities, status);
    list->count = count;
    return 1;
}

// ---------------------------------------------------------------- queries

static int alive(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    return ct_bind_return_bool(
        L, ct_entity_manager_alive(&entities->core, ct_bind_check_entity(L, 2)));
}

static int alive_id(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    lua_pushboolean(L,
                    ct_entity_manager_alive(&entities->core, (ct_entity){ct_bind_check_id(L, 2)}));
    return 1;
}

static int count(lua_State *L) {
    return ct_bind_return_whole(L, ct_entity_manager_count(&self_of(L)->core));
}

// step of a loop (EntityManager, loop)
static int next_entity(lua_State *L) {
    const ct_bind_entities *entities = ct_bind_step_object(L, 1);
    ct_entity e = ct_entity_iterator_next(ct_bind_step_value(L, 2), &entities->core);
    if (e.id == CT_NOBODY) return 0;
    return ct_bind_return_entity(L, e);
}

// entities:each() -> iterator of entity
static int each(lua_State *L) {
    const ct_entity_manager *core = &self_of(L)->core;
    uint32_t capacity = core->used;
    lua_settop(L, 1);
    ct_entity_iterator *loop = lua_newuserdata(L, sizeof *loop + capacity * sizeof *loop->then);
    ct_entity_iterator_begin(loop, core, (uint16_t *)(loop + 1), capacity);
    ct_bind_push_iterator(L, "entities");
    return 1;
}

static int validate(lua_State *L) {
    ct_message message;
    if (ct_entity_manager_validate(&self_of(L)->core, &message))
        return ct_bind_return_bool(L, true);
    return ct_bind_return_message(L, message.text);
}

static int memory(lua_State *L) {
    const ct_bind_entities *entities = self_of(L);
    return ct_bind_return_whole(L, (lua_Number)ct_entity_manager_bytes(&entities->core) +
                                       (lua_Number)ct_death_trace_bytes(&entities->trace));
}

static int tostring(lua_State *L) {
    return ct_bind_return_format(L, "EntityManager (%d alive)",
                                 (int)ct_entity_manager_count(&self_of(L)->core));
}

void ct_bind_entities_end(ct_bind_entities *entities) {
    bool used = !entities->collected || entities->worlds.youngest != NULL;
    if (used || entities->core.destroyed) return;
    ct_callbacks_free(&entities->restored, entities->core.allocator);
    ct_death_trace_end(&entities->trace, &entities->core);
    ct_entity_manager_free(&entities->core);
}

static int collect(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    entities->collected = true;
    ct_bind_entities_end(entities);
    return 0;
}

// ---------------------------------------------------------------- restore callbacks

// The environment of the EntityManager object has them in a table 'on_restore', by token.

void ct_bind_notify_restored(const ct_bind_notice *notice, ct_bind_entities *entities) {
    lua_State *L = notice->L;
    ct_callbacks *list = &entities->restored;
    uint32_t youngest = entities->restore_token;
    ct_callbacks_begin(list);
    for (uint32_t i = 0; i < list->count; ++i) {
        if (list->items[i].fn == NULL || list->items[i].token > youngest) continue;
        ct_bind_push_own(L, notice->entities, "on_restore");
        lua_rawgeti(L, -1, (int)list->items[i].token);
        lua_remove(L, -2);
        ct_bind_call_listener(notice, 0);
    }
    ct_callbacks_end(list);
}

static void nothing(void) {}

// entities:on_restore(fn) -> token
static int on_restore(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    ct_bind_check_not_collected(L, entities);
    lua_settop(L, 2);
    ct_bind_push_owned(L, 1);
    ct_bind_push_subtable(L, "on_restore");
    uint32_t token = entities->restore_token + 1;
    ct_bind_copy_item(L, -1, (int)token, 2);
    ct_bind_check_status(
        L, ct_callbacks_add(&entities->restored, entities->core.allocator, nothing, NULL, 0, token),
        "callbacks");
    return ct_bind_return_whole(L, entities->restore_token = token);
}

// entities:off_restore(token) -> whether it was registered
static int off_restore(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    double token = ct_bind_check_whole(L, 2, 1, 2147483647.0);
    bool known = ct_callbacks_remove(&entities->restored, (uint32_t)token);
    if (known) {
        ct_bind_push_own(L, 1, "on_restore");
        ct_bind_store_nil(L, -1, (int)token);
    }
    return ct_bind_return_bool(L, known);
}

// ---------------------------------------------------------------- class

static const luaL_Reg methods[] = {
    {"create", create},
    {"create_list", create_list},
    {"alive", alive},
    {"alive_id", alive_id},
    {"count", count},
    {"each", each},
    {"validate", validate},
    {"memory", memory},
    {"on_restore", on_restore},
    {"off_restore", off_restore},
    {NULL, NULL},
};

// cuttle.entity_manager([{minimum_free_indices =, trace =}])
static int entity_manager(lua_State *L) {
    enum { MINIMUM = 2, TRACE };
    lua_settop(L, 1);
    ct_bind_read_options(L, 1, "entity_manager", 2);
    double minimum =
        ct_bind_option_whole(L, MINIMUM, 0, CT_MAX_ENTITIES - 1.0, CT_MINIMUM_FREE_INDICES);
    bool trace = lua_toboolean(L, TRACE);
    lua_createtable(L, 1, 0); // memory of the block and of the blocks of its worlds; 1 is the block
    ct_bind_entities *entities = ct_bind_block_new(L, sizeof *entities, -1);
    ct_bind_copy_item(L, -2, 1, -1);
    ct_entity_manager_init(&entities->core, &ct_bind_state_of(L)->allocator, (uint32_t)minimum);
    ct_bind_handle_new(L, &ct_bind_entities_kind, entities);
    lua_newtable(L);
    ct_bind_set_owned(L, -2);
    if (trace) ct_death_trace_begin(&entities->trace, &entities->core);
    return 1;
}

// For compiled code: whether the entity in the mailbox is alive, or -1 for any other value
static int32_t posted_alive(const ct_bind_mailbox *mailbox, const ct_entity_manager *entities) {
    int64_t key = ct_bind_posted_key(mailbox);
    return key < 0 ? ct_entity_manager_alive(entities, ct_entity_of_key(key)) : -1;
}

// For compiled code: creates an entity and returns its slot in the mailbox, or 0 on failure
static int32_t post_created(const ct_bind_mailbox *mailbox, ct_entity_manager *entities) {
    ct_entity e;
    bool created = entities->guarded == 0 && ct_bind_can_post(mailbox) &&
                   ct_entity_manager_create(entities, 1, &e) == CT_OK;
    return created ? ct_bind_post_entity(mailbox, e) : 0;
}

// For compiled code: destroys the entity in the mailbox. Returns whether it was alive, or -1 if
// functions must be called or the value is not an entity
static int32_t posted_destroy(const ct_bind_mailbox *mailbox, ct_entity_manager *entities) {
    int64_t key = ct_bind_posted_key(mailbox);
    const ct_entity e = ct_entity_of_key(key);
    if (entities->listeners.count > 0 || entities->trace != NULL || entities->guarded != 0 ||
        key >= 0)
        return -1;
    return (int32_t)ct_entity_manager_destroy(entities, 1, &e, NULL);
}

void ct_bind_open_entity_manager(lua_State *L) {
    ct_bind_add_address(L, "post_created", (void (*)(void))post_created);
    ct_bind_add_address(L, "posted_destroy", (void (*)(void))posted_destroy);
    ct_bind_add_address(L, "posted_alive", (void (*)(void))posted_alive);
    ct_bind_add_pointer(L, "entities_pointer", &ct_bind_entities_kind, true);
    ct_bind_add_step(L, "entities", next_entity);
    ct_bind_class_new(L, &ct_bind_entities_kind, methods, collect, tostring);
    ct_bind_add_class_methods(L, &ct_bind_entities_kind, ct_bind_death_methods);
    ct_bind_add_function(L, "entity_manager", entity_manager);
}
