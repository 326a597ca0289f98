// Items: objects with the fields of the current component of a loop as members.
#include "bind/manager/items.h"

#include "storage/manager_access.h"

#include <string.h>

// Size of the cache of field names, by the addresses of their strings.
enum { KNOWN_NAMES = 16 };

typedef struct known_name {
    const char *name;
    uint32_t field;
} known_name;

// The environment of an item is a table: name of a used field -> its vector, or true. It keeps the
// strings alive, so that their addresses identify them.
struct ct_bind_item {
    ct_bind_header header;
    ct_bind_manager *manager; // in a block that the item keeps
    ct_entity entity;         // the owner of the row
    ct_row row;
    uint32_t id;        // of the component, if an entity may have several
    uint32_t structure; // of the store at the last check of the row
    uint32_t deaths;    // of the entity manager at the last check
    known_name known[KNOWN_NAMES];
};

// Vector field of an item, which is at 1 in the environment.
typedef struct vector {
    ct_bind_header header;
    uint32_t field;
} vector;

static const ct_bind_kind item_class = {"item"};
static const ct_bind_kind vector_class = {"vector of an item"};

ct_bind_item *ct_bind_item_new(lua_State *L, int manager) {
    manager = ct_bind_absindex(L, manager);
    ct_bind_item *item = ct_bind_object_new(L, &item_class, sizeof *item);
    item->manager = ct_bind_object_at(L, manager);
    item->row.i = CT_NO_ROW;
    lua_newtable(L);
    ct_bind_set_owned(L, -2);
    ct_bind_push_block(L, manager);
    ct_bind_keep(L, -2);
    return item;
}

ct_bind_item *ct_bind_test_item(lua_State *L, int index) {
    return ct_bind_test(L, index, &item_class);
}

static uint32_t deaths_of(const ct_bind_item *item) {
    return item->manager->core->store.entities->deaths;
}

void ct_bind_item_set(ct_bind_item *item, ct_row row) {
    ct_store *store = &item->manager->core->store;
    item->row = row;
    if (row.i == CT_NO_ROW) return;
    item->entity = ct_store_owners(store)[row.i];
    item->id = ct_store_id(store, row);
    item->structure = ct_store_structure(store);
    item->deaths = deaths_of(item);
}

// ---------------------------------------------------------------- checks

// Slow check, after rows were added or removed or entities died since the last check.
CT_NOINLINE static void check_again(lua_State *L, ct_bind_item *item) {
    const ct_bind_manager *manager = item->manager;
    const ct_store *store = &manager->core->store;
    if (manager->destroyed != NULL) ct_bind_raise_destroyed(L, manager);
    if (item->row.i == CT_NO_ROW)
        luaL_error(L, "%s: the item is used outside of its loop", manager->core->name);
    if (!ct_entity_manager_alive_or_dying(store->entities, item->entity)) {
        ct_bind_push_dead(L, item->entity, store->entities, ct_bind_names(manager->world));
        luaL_error(L, "%s: %s", manager->core->name, lua_tostring(L, -1));
    }
    bool stands = item->row.i < ct_store_count(store) &&
                  ct_store_owners(store)[item->row.i].id == item->entity.id &&
                  ct_store_id(store, item->row) == item->id;
    if (!stands) luaL_error(L, "%s: the row of the item was removed or moved", manager->core->name);
    item->structure = ct_store_structure(store);
    item->deaths = deaths_of(item);
}

// Returns the manager of an item after checking that the row is still that of its component.
static ct_manager *open_item(lua_State *L, ct_bind_item *item) {
    ct_manager *core = item->manager->core;
    if (CT_UNLIKELY(item->row.i == CT_NO_ROW || item->manager->destroyed != NULL ||
                    item->structure != ct_store_structure(&core->store) ||
                    item->deaths != deaths_of(item)))
        check_again(L, item);
    return core;
}

// The same for a write: also raises for a dying owner and in callbacks of a restore.
static ct_manager *open_for_write(lua_State *L, ct_bind_item *item) {
    ct_manager *core = open_item(L, item);
    const ct_entity_manager *entities = core->store.entities;
    if (CT_LIKELY(entities->guarded == 0)) return core;
    ct_bind_check_thawed(L, entities);
    if (!ct_entity_manager_alive(entities, item->entity)) {
        ct_bind_push_dead(L, item->entity, entities, ct_bind_names(item->manager->world));
        luaL_error(L, "%s: %s", core->name, lua_tostring(L, -1));
    }
    return core;
}

// ---------------------------------------------------------------- names

static known_name *place_of(ct_bind_item *item, const char *name) {
    return &item->known[((uintptr_t)name >> 4 ^ (uintptr_t)name >> 9) % KNOWN_NAMES];
}

// Keeps the string at index 2 alive, so that later lookups can compare addresses.
static void keep_name(lua_State *L) {
    ct_bind_push_owned(L, 1);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    if (lua_isnil(L, -1)) {
        lua_pushvalue(L, 2);
        lua_pushboolean(L, 1);
        lua_rawset(L, -4);
    }
    lua_pop(L, 2);
}

// Returns the field that the string at index 2 names; raises with the nearest name. The number of
// fields stands for the value that the binding keeps.
CT_NOINLINE static uint32_t find_field(lua_State *L, ct_bind_item *item) {
    const ct_manager *core = item->manager->core;
    ct_message message;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    if (name == NULL)
        luaL_error(L, "%s: name of a field expected, got %s", core->name, ct_bind_type_name(L, 2));
    uint32_t field = core->field_count;
    if (item->manager->attachment == NULL || strcmp(name, core->hosted) != 0) {
        field = ct_field_find(core->fields, core->field_count, name, &message);
        if (field == core->field_count) luaL_error(L, "%s: %s", core->name, message.text);
    }
    keep_name(L);
    *place_of(item, name) = (known_name){name, field};
    return field;
}

static inline uint32_t check_field(lua_State *L, ct_bind_item *item) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    const known_name *known = place_of(item, name);
    if (CT_LIKELY(name != NULL && known->name == name)) return known->field;
    return find_field(L, item);
}

// Pushes the vector of a field; creates it the first time.
static int push_vector(lua_State *L, uint32_t field) {
    ct_bind_push_owned(L, 1);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    if (ct_bind_test(L, -1, &vector_class) != NULL) return 1;
    lua_pop(L, 1);
    vector *v = ct_bind_object_new(L, &vector_class, sizeof *v);
    v->field = field;
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 1);
    ct_bind_set_owned(L, -2);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
    return 1;
}

// ---------------------------------------------------------------- items

// Pushes item.entity or item.row; no field can have these names.
static bool push_own(lua_State *L, ct_bind_item *item) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    bool entity = strcmp(name, "entity") == 0;
    if (!entity && strcmp(name, "row") != 0) return false;
    open_item(L, item);
    if (entity)
        ct_bind_push_entity(L, item->entity);
    else
        ct_bind_push_whole(L, item->row.i);
    return true;
}

static bool is_known(lua_State *L, ct_bind_item *item) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    return name != NULL && place_of(item, name)->name == name;
}

// Stores the instance at index 2, as the target of a method of the manager.
static void push_target(lua_State *L, const ct_bind_item *item) {
    ct_bind_push_instance(L, item->manager->core, item->row);
    lua_replace(L, 2);
}

// Checks that a field is stored in the core completely, not in Lua.
static bool is_plain(const ct_manager *core, uint32_t field) {
    return field < core->field_count && core->fields[field].type != CT_FIELD_VALUE;
}

static int item_index(lua_State *L) {
    ct_bind_item *item = ct_bind_self(L, &item_class);
    if (CT_UNLIKELY(!is_known(L, item)) && push_own(L, item)) return 1;
    ct_manager *core = open_item(L, item);
    uint32_t number = check_field(L, item);
    if (CT_UNLIKELY(!is_plain(core, number))) {
        push_target(L, item);
        return ct_bind_read_field(L, item->manager, number);
    }
    const ct_field *field = &core->fields[number];
    if (ct_field_info_of(field->type)->lanes > 1) return push_vector(L, number);
    return ct_bind_push_item(L, core, field, ct_manager_read(core, number, item->row));
}

// Writes an item of a field; raises if the field cannot have this value.
static int write_item(lua_State *L, ct_bind_item *item, uint32_t number, const void *value) {
    ct_manager *core = open_for_write(L, item); // reading the value may have run finalizers
    const ct_field *field = &core->fields[number];
    ct_message message;
    if (!ct_manager_check_item(core, number, value, &message))
        luaL_error(L, "%s.%s: %s", core->name, field->name, message.text);
    ct_status status = ct_manager_write(core, number, item->row, value);
    if (status == CT_OK) return 0;
    if (status != CT_ERR_CYCLE && status != CT_ERR_DATA)
        return ct_bind_manager_fail(L, item->manager, status);
    ct_manager_refused_message(core, item->row, field->name, status, &message);
    return luaL_error(L, "%s", message.text);
}

static int item_newindex(lua_State *L) {
    ct_bind_item *item = ct_bind_self(L, &item_class);
    unsigned char value[CT_MAX_ITEM_BYTES];
    if (CT_UNLIKELY(!is_known(L, item)) && push_own(L, item))
        luaL_error(L, "%s.%s cannot be written", item->manager->core->name, lua_tostring(L, 2));
    const ct_manager *core = open_for_write(L, item);
    uint32_t number = check_field(L, item);
    if (CT_UNLIKELY(!is_plain(core, number))) {
        push_target(L, item);
        return ct_bind_write_field(L, item->manager, number, 3);
    }
    if (!ct_bind_value_to_item(L, 3, &core->fields[number], value))
        luaL_error(L, "%s.%s: %s", core->name, core->fields[number].name, lua_tostring(L, -1));
    return write_item(L, item, number, value);
}

static int item_tostring(lua_State *L) {
    const ct_bind_item *item = ct_bind_self(L, &item_class);
    if (item->manager->destroyed != NULL)
        lua_pushfstring(L, "item (%s)", item->manager->destroyed);
    else
        lua_pushfstring(L, "%s item", item->manager->core->name);
    return 1;
}

// ---------------------------------------------------------------- vectors

// Returns the item at 1 in the environment.
static ct_bind_item *item_of(lua_State *L) {
    ct_bind_push_owned(L, 1);
    if (lua_istable(L, -1)) lua_rawgeti(L, -1, 1);
    ct_bind_item *item = ct_bind_test_item(L, -1);
    if (item == NULL) ct_bind_raise_replaced(L);
    return item;
}

static const vector *check_vector(lua_State *L, ct_bind_item **item) {
    const vector *v = ct_bind_self(L, &vector_class);
    int top = lua_gettop(L);
    *item = item_of(L);
    lua_settop(L, top);
    if (v->field >= (*item)->manager->core->field_count) ct_bind_raise_replaced(L);
    return v;
}

static uint32_t check_lane(lua_State *L, const ct_manager *core, uint32_t field) {
    const ct_field *f = &core->fields[field];
    int type = lua_type(L, 2); // a string is not converted to a number
    uint32_t lane = ct_field_find_part(f->type, type == LUA_TSTRING ? lua_tostring(L, 2) : NULL,
                                       type == LUA_TNUMBER ? lua_tonumber(L, 2) : 0);
    if (lane < ct_field_info_of(f->type)->lanes) return lane;
    lua_pushvalue(L, 2);
    const char *key = lua_tostring(L, -1);
    luaL_error(L, "%s.%s has no '%s'", core->name, f->name,
               key != NULL ? key : ct_bind_type_name(L, 2));
    CT_NEVER(0);
}

// vector.x, vector:get, vector:set; upvalue 1: the methods
static int vector_index(lua_State *L) {
    ct_bind_item *item;
    if (lua_type(L, 2) == LUA_TSTRING && ct_bind_rawlen(L, 2) == 3) {
        lua_pushvalue(L, 2);
        lua_rawget(L, lua_upvalueindex(1));
        if (!lua_isnil(L, -1)) return 1;
    }
    const vector *v = check_vector(L, &item);
    ct_manager *core = open_item(L, item);
    const ct_field_info *info = ct_field_info_of(core->fields[v->field].type);
    uint32_t lane = check_lane(L, core, v->field);
    const unsigned char *value = ct_manager_read(core, v->field, item->row);
    lua_pushnumber(L, ct_scalar_load(info->lane, value + lane * info->lane_bytes));
    return 1;
}

static int vector_newindex(lua_State *L) {
    ct_bind_item *item;
    const vector *v = check_vector(L, &item);
    ct_manager *core = open_for_write(L, item);
    const ct_field *f = &core->fields[v->field];
    uint32_t lane = check_lane(L, core, v->field);
    if (lua_type(L, 3) != LUA_TNUMBER)
        luaL_error(L, "%s.%s: number expected, got %s", core->name, f->name,
                   ct_bind_type_name(L, 3));
    unsigned char value[CT_MAX_ITEM_BYTES];
    const ct_field_info *info = ct_field_info_of(f->type);
    memcpy(value, ct_manager_read(core, v->field, item->row), info->bytes);
    ct_scalar_store(info->lane, lua_tonumber(L, 3), value + lane * info->lane_bytes);
    return write_item(L, item, v->field, value);
}

// vector:get() -> its numbers
static int vector_get(lua_State *L) {
    ct_bind_item *item;
    const vector *v = check_vector(L, &item);
    ct_manager *core = open_item(L, item);
    return ct_bind_push_item(L, core, &core->fields[v->field],
                             ct_manager_read(core, v->field, item->row));
}

// vector:set(x, y, ...)
static int vector_set(lua_State *L) {
    ct_bind_item *item;
    unsigned char value[CT_MAX_ITEM_BYTES];
    const vector *v = check_vector(L, &item);
    const ct_manager *core = open_for_write(L, item);
    ct_bind_check_item(L, 2, &core->fields[v->field], value);
    return write_item(L, item, v->field, value);
}

static void set_event(lua_State *L, const char *event, lua_CFunction f) {
    lua_pushcfunction(L, f);
    lua_setfield(L, -2, event);
}

void ct_bind_open_items(lua_State *L) {
    static const luaL_Reg none[] = {{NULL, NULL}};
    static const luaL_Reg methods[] = {{"get", vector_get}, {"set", vector_set}, {NULL, NULL}};
    ct_bind_class_new(L, &item_class, none, NULL, item_tostring);
    ct_bind_push_registered(L, &item_class);
    set_event(L, "__index", item_index);
    set_event(L, "__newindex", item_newindex);
    ct_bind_class_new(L, &vector_class, methods, NULL, NULL);
    ct_bind_push_registered(L, &vector_class);
    lua_getfield(L, -1, "__index");
    lua_pushcclosure(L, vector_index, 1);
    lua_setfield(L, -2, "__index");
    set_event(L, "__newindex", vector_newindex);
    lua_pop(L, 2);
}
