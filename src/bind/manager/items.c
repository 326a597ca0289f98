// Items: objects with the fields of the current component of a loop as members.
#include "bind/manager/loops.h"

#include "bind/manager/column.h"
#include "bind/value/compiled.h"
#include "storage/manager_access.h"

#include <string.h>

// Size of the cache of field names, by the addresses of their strings.
enum { KNOWN_NAMES = 16 };

typedef struct known_name {
    const char *name;
    uint32_t field;
    uint16_t column;
    uint8_t bytes; // of a number in the column, which is read without a function of the type; or 0
    bool stored;   // such a number is also written without a function of the type
    ct_scalar lane;
} known_name;

// The environment of an item is a table: name of a used field -> its vector, or true. It keeps the
// strings alive, so that their addresses identify them.
typedef struct item {
    ct_bind_header header;
    ct_cursor *cursor; // in a block that the item keeps
    known_name known[KNOWN_NAMES];
} item;

// Vector field of an item.
typedef struct vector {
    ct_bind_header header;
    ct_cursor *cursor; // in a block that the vector keeps
    uint32_t field, column;
    const ct_field_info *info; // of the field
    bool loaded, stored; // numbers in the column are read, written without a function of the type
} vector;

static const ct_bind_kind item_class = {"item"};
static const ct_bind_kind vector_class = {"vector of an item"};

// ---------------------------------------------------------------- checks

static ct_bind_manager *manager_of(const ct_cursor *c) { return c->manager->object; }

// Raises why an item cannot be used.
CT_NORETURN static void raise_closed(lua_State *L, const ct_cursor *c) {
    const ct_bind_manager *manager = manager_of(c);
    const char *name = c->manager->name;
    if (manager->destroyed != NULL) ct_bind_raise_destroyed(L, manager);
    if (ct_cursor_row(c).i == CT_WALK_NO_ROW)
        luaL_error(L, "%s: the item is used outside of its loop", name);
    if (!ct_entity_manager_alive(c->entities, c->loop->entity)) {
        ct_bind_push_dead(L, c->loop->entity, manager->world);
        luaL_error(L, "%s: %s", name, lua_tostring(L, -1));
    }
    luaL_error(L, "%s: the row of the item was removed or moved", name);
}

// Returns the manager of an item after checking that the row is still that of its component.
static inline ct_manager *open_item(lua_State *L, ct_cursor *c) {
    if (CT_UNLIKELY(!ct_cursor_is_open(c))) raise_closed(L, c);
    return c->manager;
}

// The same for a write: also raises for a dying owner and in callbacks of a restore.
static inline ct_manager *open_for_write(lua_State *L, ct_cursor *c) {
    if (CT_UNLIKELY(!ct_cursor_is_writable(c))) {
        ct_bind_check_thawed(L, c->entities);
        raise_closed(L, c);
    }
    return c->manager;
}

// ---------------------------------------------------------------- numbers in columns

static inline unsigned char *number_at(const ct_cursor *c, uint32_t column, size_t bytes) {
    return c->store->columns.at[column] + ct_cursor_row(c).i * bytes;
}

static inline double load_number(ct_scalar lane, const void *number) {
    if (CT_LIKELY(lane == CT_SCALAR_FLOAT)) return *(const float *)number;
    return CT_LIKELY(lane == CT_SCALAR_DOUBLE) ? *(const double *)number
                                               : ct_scalar_load(lane, number);
}

// Returns false if the field cannot hold the number.
static inline bool store_number(ct_scalar lane, double value, void *number) {
    if (CT_UNLIKELY(lane > CT_SCALAR_DOUBLE)) return ct_scalar_store(lane, value, number);
    ct_real_store(lane, value, number);
    return true;
}

// ---------------------------------------------------------------- names

static known_name *place_of(item *it, const char *name) {
    return &it->known[((uintptr_t)name >> 4 ^ (uintptr_t)name >> 9) % KNOWN_NAMES];
}

// Keeps the string at index 2 alive, so that later lookups can compare addresses.
static void keep_name(lua_State *L) {
    ct_bind_push_owned(L, 1);
    ct_bind_push_raw(L, -1, 2);
    if (lua_isnil(L, -1)) {
        lua_pushvalue(L, 2);
        lua_pushboolean(L, 1);
        lua_rawset(L, -4);
    }
    lua_pop(L, 2);
}

// Adds the field that the string at index 2 names to the cache; raises with the nearest name. The
// number of fields stands for the value that the binding keeps.
CT_NOINLINE static const known_name *find_field(lua_State *L, item *it) {
    const ct_bind_manager *manager = manager_of(it->cursor);
    const ct_manager *core = manager->core;
    ct_message message;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? ct_bind_check_name(L, 2, 2) : NULL;
    if (name == NULL)
        luaL_error(L, "%s: name of a field expected, got %s", core->name, ct_bind_type_name(L, 2));
    known_name found = {name, core->field_count, 0, 0, false, CT_SCALAR_VALUE};
    if (!ct_bind_is_hosted(manager) || strcmp(name, core->shape->hosted) != 0) {
        found.field = ct_field_find(core->fields, core->field_count, name, &message);
        if (found.field == core->field_count) luaL_error(L, "%s: %s", core->name, message.text);
        const ct_field *field = &core->fields[found.field];
        const ct_field_info *info = ct_field_info_of(field->type);
        bool number = info->lanes == 1 && info->lane < CT_SCALAR_BOOL;
        found.column = field->column;
        found.lane = info->lane;
        if (number && field->type != CT_FIELD_ENUM && ct_manager_loads(core, field)) {
            found.bytes = info->bytes;
            found.stored = ct_manager_stores(core, field);
        }
    }
    keep_name(L);
    known_name *place = place_of(it, name);
    *place = found;
    return place;
}

// Returns the known field that the string at index 2 names, or NULL.
static inline const known_name *recall_field(lua_State *L, item *it) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    const known_name *known = place_of(it, name);
    return CT_LIKELY(name != NULL && known->name == name) ? known : NULL;
}

// Pushes the vector of a field; creates it the first time.
static int push_vector(lua_State *L, const item *it, uint32_t field) {
    ct_bind_push_owned(L, 1);
    ct_bind_push_raw(L, -1, 2);
    if (CT_LIKELY(lua_type(L, -1) == LUA_TUSERDATA)) return 1;
    lua_pop(L, 1);
    vector *v = ct_bind_object_new(L, &vector_class, sizeof *v);
    v->cursor = it->cursor;
    v->field = field;
    const ct_manager *core = it->cursor->manager;
    v->column = core->fields[field].column;
    v->info = ct_field_info_of(core->fields[field].type);
    v->loaded = ct_manager_loads(core, &core->fields[field]);
    v->stored = v->loaded && ct_manager_stores(core, &core->fields[field]);
    ct_bind_push_block(L, 1);
    ct_bind_keep(L, -2);
    ct_bind_copy_raw(L, -2, 2, -1);
    return 1;
}

// ---------------------------------------------------------------- items

// Pushes item.entity or item.row; no field can have these names.
static bool push_own(lua_State *L, const item *it) {
    bool entity = ct_bind_is_word(L, 2, "entity");
    if (!entity && !ct_bind_is_word(L, 2, "row")) return false;
    open_item(L, it->cursor);
    if (entity)
        ct_bind_push_entity(L, it->cursor->loop->entity);
    else
        ct_bind_push_whole(L, ct_cursor_row(it->cursor).i);
    return true;
}

// Stores the instance at index 2, as the target of a method of the manager.
static void push_target(lua_State *L, const item *it) {
    ct_bind_push_instance(L, it->cursor->manager, ct_cursor_row(it->cursor));
    lua_replace(L, 2);
}

// Returns whether a field is stored in Lua, or the binding keeps it.
static bool is_kept(const ct_manager *core, uint32_t field) {
    return field >= core->field_count || core->fields[field].type == CT_FIELD_VALUE;
}

static int item_index(lua_State *L) {
    item *it = ct_bind_self(L, &item_class);
    const known_name *known = recall_field(L, it);
    if (CT_UNLIKELY(known == NULL)) {
        if (push_own(L, it)) return 1;
        known = find_field(L, it);
    }
    ct_manager *core = open_item(L, it->cursor);
    if (CT_LIKELY(known->bytes > 0)) {
        const void *number = number_at(it->cursor, known->column, known->bytes);
        return ct_bind_return_number(L, load_number(known->lane, number));
    }
    ct_row row = ct_cursor_row(it->cursor);
    uint32_t field = known->field;
    if (CT_UNLIKELY(is_kept(core, field))) {
        push_target(L, it);
        return ct_bind_read_field(L, manager_of(it->cursor), field);
    }
    const ct_field *f = &core->fields[field];
    if (ct_field_info_of(f->type)->lanes > 1) return push_vector(L, it, field);
    return ct_bind_push_item(L, core, f, ct_manager_read(core, field, row));
}

// Writes an item of a field; raises if the field cannot have this value.
static int write_item(lua_State *L, ct_cursor *c, uint32_t number, const void *value) {
    ct_manager *core = open_for_write(L, c); // reading the value may have run finalizers
    const ct_field *field = &core->fields[number];
    ct_row row = ct_cursor_row(c);
    ct_message message;
    if (!ct_manager_check_item(core, number, value, &message))
        luaL_error(L, "%s.%s: %s", core->name, field->name, message.text);
    ct_status status = ct_manager_write(core, number, row, value);
    if (status == CT_OK) return 0;
    if (status != CT_ERR_CYCLE && status != CT_ERR_DATA)
        return ct_bind_manager_fail(L, manager_of(c), status);
    ct_manager_refused_message(core, row, field->name, status, &message);
    return luaL_error(L, "%s", message.text);
}

static int item_newindex(lua_State *L) {
    item *it = ct_bind_self(L, &item_class);
    unsigned char value[CT_MAX_ITEM_BYTES];
    const known_name *known = recall_field(L, it);
    if (CT_UNLIKELY(known == NULL)) {
        if (push_own(L, it))
            luaL_error(L, "%s.%s cannot be written", it->cursor->manager->name, lua_tostring(L, 2));
        known = find_field(L, it);
    }
    const ct_manager *core = open_for_write(L, it->cursor);
    if (CT_LIKELY(known->stored && lua_type(L, 3) == LUA_TNUMBER)) {
        void *place = number_at(it->cursor, known->column, known->bytes);
        if (CT_LIKELY(store_number(known->lane, lua_tonumber(L, 3), place))) return 0;
    }
    uint32_t number = known->field;
    if (CT_UNLIKELY(is_kept(core, number))) {
        push_target(L, it);
        return ct_bind_write_field(L, manager_of(it->cursor), number, 3);
    }
    if (!ct_bind_value_to_item(L, 3, &core->fields[number], value))
        luaL_error(L, "%s.%s: %s", core->name, core->fields[number].name, lua_tostring(L, -1));
    return write_item(L, it->cursor, number, value);
}

static int item_tostring(lua_State *L) {
    const item *it = ct_bind_self(L, &item_class);
    const ct_bind_manager *manager = manager_of(it->cursor);
    if (manager->destroyed != NULL)
        return ct_bind_return_format(L, "item (%s)", ct_bind_push_reason(L, manager));
    return ct_bind_return_format(L, "%s item", manager->core->name);
}

void ct_bind_push_new_item(lua_State *L, ct_cursor *cursor, int block) {
    item *it = ct_bind_object_new(L, &item_class, sizeof *it);
    int object = lua_gettop(L);
    it->cursor = cursor;
    lua_newtable(L);
    ct_bind_set_owned(L, object);
    lua_pushvalue(L, block);
    ct_bind_keep(L, object);
}

// ---------------------------------------------------------------- vectors

// Returns the lane that the letter at index 2 names, or CT_NO_ROW for any other key.
static inline uint32_t find_lane(lua_State *L, const vector *v) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    const char *parts = v->info->parts;
    if (CT_UNLIKELY(name == NULL || parts == NULL || name[0] == 0 || name[1] != 0))
        return CT_NO_ROW;
    uint32_t lane = 0;
    while (lane < v->info->lanes && parts[lane] != name[0])
        lane++;
    return CT_LIKELY(lane < v->info->lanes) ? lane : CT_NO_ROW;
}

// vector.x, vector:get, vector:set; upvalue 1: the methods
static int vector_index(lua_State *L) {
    const vector *v = ct_bind_self(L, &vector_class);
    uint32_t lane = find_lane(L, v);
    if (CT_UNLIKELY(lane == CT_NO_ROW)) {
        ct_bind_push_raw(L, lua_upvalueindex(1), 2);
        if (!lua_isnil(L, -1)) return 1;
    }
    ct_manager *core = open_item(L, v->cursor);
    if (CT_UNLIKELY(lane == CT_NO_ROW)) lane = ct_bind_check_lane(L, core, v->field);
    const ct_field_info *info = v->info;
    const unsigned char *value = CT_LIKELY(v->loaded)
                                     ? number_at(v->cursor, v->column, info->bytes)
                                     : ct_manager_read(core, v->field, ct_cursor_row(v->cursor));
    return ct_bind_return_number(L, load_number(info->lane, value + lane * info->lane_bytes));
}

static int vector_newindex(lua_State *L) {
    const vector *v = ct_bind_self(L, &vector_class);
    ct_manager *core = open_for_write(L, v->cursor);
    uint32_t lane = find_lane(L, v);
    if (CT_UNLIKELY(lane == CT_NO_ROW)) lane = ct_bind_check_lane(L, core, v->field);
    if (lua_type(L, 3) != LUA_TNUMBER)
        luaL_error(L, "%s.%s: number expected, got %s", core->name, core->fields[v->field].name,
                   ct_bind_type_name(L, 3));
    unsigned char value[CT_MAX_ITEM_BYTES];
    const ct_field_info *info = v->info;
    if (CT_LIKELY(v->stored)) {
        ct_real_store(info->lane, lua_tonumber(L, 3),
                      number_at(v->cursor, v->column, info->bytes) + lane * info->lane_bytes);
        return 0;
    }
    memcpy(value, ct_manager_read(core, v->field, ct_cursor_row(v->cursor)), info->bytes);
    ct_scalar_store(info->lane, lua_tonumber(L, 3), value + lane * info->lane_bytes);
    return write_item(L, v->cursor, v->field, value);
}

// vector:get() -> its numbers
static int vector_get(lua_State *L) {
    const vector *v = ct_bind_self(L, &vector_class);
    ct_manager *core = open_item(L, v->cursor);
    return ct_bind_push_item(L, core, &core->fields[v->field],
                             ct_manager_read(core, v->field, ct_cursor_row(v->cursor)));
}

// vector:set(x, y, ...)
static int vector_set(lua_State *L) {
    unsigned char value[CT_MAX_ITEM_BYTES];
    const vector *v = ct_bind_self(L, &vector_class);
    const ct_manager *core = open_for_write(L, v->cursor);
    ct_bind_check_item(L, 2, &core->fields[v->field], value);
    return write_item(L, v->cursor, v->field, value);
}

void ct_bind_open_items(lua_State *L) {
    static const luaL_Reg methods[] = {{"get", vector_get}, {"set", vector_set}, {NULL, NULL}};
    int items = lua_gettop(L) + 1, vectors = items + 1;
    ct_bind_class_new(L, &item_class, NULL, NULL, item_tostring);
    ct_bind_push_registered(L, &item_class);
    ct_bind_set_event(L, items, "__index", item_index, "item_index");
    ct_bind_set_event(L, items, "__newindex", item_newindex, "item_newindex");
    ct_bind_class_new(L, &vector_class, methods, NULL, NULL);
    ct_bind_push_registered(L, &vector_class);
    lua_getfield(L, vectors, "__index");
    ct_bind_set_event(L, vectors, "__index", vector_index, "vector_index");
    ct_bind_set_event(L, vectors, "__newindex", vector_newindex, "vector_newindex");
    lua_pop(L, 2);
}
