// m:create and m:create_many: components for entities there are, all or nothing.
// Knows nothing of what the fields of a component mean.
#include "bind/manager.h"

// Whether values may stand together is asked of the manager itself.
void ct_bind_check_values(lua_State *L, int arg, const ct_manager *manager,
                          const ct_bind_values *values) {
    ct_message message;
    if (manager->type->check == NULL ||
        manager->type->check(manager, values->values, values->count, &message))
        return;
    lua_pushstring(L, message.text);
    ct_bind_arg_error(L, arg);
}

static void push_component_id(lua_State *L, const ct_component_id *id) {
    if (id->text.bytes != NULL) {
        lua_pushliteral(L, "'");
        lua_pushlstring(L, id->text.bytes, id->text.length);
        lua_pushliteral(L, "'");
        lua_concat(L, 3);
    } else {
        lua_pushnumber(L, id->number);
    }
}

int ct_bind_raise_create(lua_State *L, const ct_manager *manager, ct_status status,
                         ct_entity at_fault, const ct_component_id *id) {
    if (status == CT_ERR_EXISTS) {
        ct_bind_push_entity_name(L, at_fault);
        if (id != NULL) {
            lua_pushfstring(L, " already has a %s with id ", manager->name);
            push_component_id(L, id);
            lua_concat(L, 3);
        } else {
            lua_pushfstring(L, " already has a %s", manager->name);
            lua_concat(L, 2);
        }
        ct_bind_arg_error(L, 2);
    }
    ct_bind_raise_status(L, status, manager->name, CT_MAX_ROWS, "rows");
}

// The values at index 3, parsed with everything else asked again afterwards: the slow way
// allocates, which may have run finalizers, and these anything.
static ct_bind_values *parse_slowly(lua_State *L, ct_bind_manager *manager, ct_entity e) {
    ct_bind_values *values = ct_bind_values_parse_one(L, 3, manager->core);
    if (values == NULL) ct_bind_arg_error(L, 3);
    if (manager->core == NULL) ct_bind_raise_gone(L, manager);
    ct_bind_check_alive(L, 2, e, manager->core->store.entities, ct_bind_names(manager->world));
    return values;
}

// m:create(e [, values]) -> instance
static int create(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e = ct_bind_check_entity(L, 2);
    ct_bind_room room;
    ct_bind_arena arena = {room.bytes, room.bytes + sizeof room.bytes};
    lua_settop(L, 3);
    ct_bind_check_alive(L, 2, e, manager->core->store.entities, ct_bind_names(manager->world));
    ct_bind_values *values = ct_bind_values_parse_quickly(L, 3, manager->core, &arena);
    if (values == NULL) values = parse_slowly(L, manager, e);
    ct_bind_check_values(L, 3, manager->core, values);
    ct_row row;
    ct_status status = ct_manager_create(manager->core, &e, 1, values->values, values->ids, &row);
    if (status != CT_OK) return ct_bind_raise_create(L, manager->core, status, e, values->ids);
    ct_bind_push_instance(L, manager->core, row);
    return 1;
}

static void check_all_alive(lua_State *L, const ct_bind_manager *manager, const ct_entity *owners,
                            uint32_t count) {
    const ct_entity_manager *entities = manager->core->store.entities;
    for (uint32_t i = 0; i < count; ++i) {
        if (CT_LIKELY(ct_entity_manager_alive(entities, owners[i]))) continue;
        ct_bind_push_dead(L, owners[i], entities, ct_bind_names(manager->world));
        lua_pushfstring(L, "[%d]: %s", (int)i + 1, lua_tostring(L, -1));
        ct_bind_arg_error(L, 2);
    }
}

// m:create_many(list [, values]) -> first instance, or nil for an empty list
static int create_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t count;
    lua_settop(L, 3);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
    ct_bind_values *values = ct_bind_values_parse_many(L, 3, manager->core, count);
    if (values == NULL) return ct_bind_arg_error(L, 3);
    if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
    check_all_alive(L, manager, owners, count);
    ct_bind_check_values(L, 3, manager->core, values);
    ct_row first;
    ct_status status =
        ct_manager_create(manager->core, owners, count, values->values, values->ids, &first);
    if (status != CT_OK)
        return ct_bind_raise_create(L, manager->core, status,
                                    count > first.i ? owners[first.i] : (ct_entity){CT_NOBODY},
                                    values->ids != NULL ? &values->ids[first.i] : NULL);
    ct_bind_push_instance(L, manager->core, count > 0 ? first : (ct_row){CT_NO_ROW});
    return 1;
}

const luaL_Reg ct_bind_component_create_methods[] = {
    {"create", create}, {"create_many", create_many}, {NULL, NULL}};
