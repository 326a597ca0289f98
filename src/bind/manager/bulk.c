// m:write_many, m:read_many, m:add_many and m:destroy_many: many entities in one call.
#include "bind/manager/manager.h"

#include "bind/value/list.h"
#include "component/transform.h"
#include "storage/bulk.h"
#include "storage/manager_access.h"

// Returns the rows of living entities, in the arena. Raises for the first one without a row.
static const ct_row *parse_rows(const ct_bind_parse *g, const ct_bind_manager *manager,
                                const ct_entity *owners, uint32_t count) {
    const ct_store *store = &manager->core->store;
    ct_row *rows = ct_bind_parse_take(g, count * sizeof *rows);
    for (uint32_t i = 0; i < count; ++i) {
        bool alive = ct_entity_manager_alive(store->entities, owners[i]);
        rows[i] = alive ? ct_store_find(store, owners[i]) : (ct_row){CT_NO_ROW};
        if (CT_LIKELY(rows[i].i != CT_NO_ROW)) continue;
        ct_bind_parse_end(g);
        if (!alive) ct_bind_raise_dead(g->L, 2, manager, owners[i], i + 1);
        ct_bind_raise_no_row(g->L, 2, manager, owners[i], i + 1);
    }
    return rows;
}

uint32_t ct_bind_check_readable(lua_State *L, int arg, const ct_manager *core, uint32_t *lanes) {
    const char *name = ct_bind_check_name(L, arg, arg);
    ct_transform_part part;
    if (core->type == &ct_transform_type && ct_transform_find_part(name, &part, lanes))
        return core->field_count + (uint32_t)part;
    uint32_t field = ct_bind_check_field(L, arg, core);
    *lanes = ct_field_info_of(core->fields[field].type)->lanes;
    return field;
}

uint32_t ct_bind_check_writable(lua_State *L, int arg, const ct_manager *core) {
    uint32_t lanes, field = ct_bind_check_readable(L, arg, core, &lanes);
    if (field >= core->field_count && field != core->field_count + CT_TRANSFORM_LOCAL_ANGLE)
        ct_bind_raise_arg(L, arg, "%s.%s is read-only", core->name, lua_tostring(L, arg));
    return field;
}

// Reads angles about z and converts them to rotations.
static bool parse_angles(const ct_bind_parse *g, int arg, uint32_t count, ct_values *values) {
    static const ct_field angle = {.name = "local_angle", .type = CT_FIELD_FLOAT};
    if (!ct_bind_parse_field(g, arg, NULL, &angle, count, values)) return false;
    size_t given = values->stride == 0 ? 1 : count;
    float(*rotations)[4] = ct_bind_parse_take(g, (given + 1) * sizeof *rotations);
    *values = ct_transform_rotations(values, count, rotations);
    return true;
}

int ct_bind_write_rows(lua_State *L, const ct_bind_parse *g, const ct_bind_manager *manager,
                       uint32_t field, uint32_t count, const ct_row *rows, int arg) {
    ct_manager *core = manager->core;
    uint32_t at;
    ct_values values;
    ct_message message;
    bool angles = field >= core->field_count;
    if (!(angles ? parse_angles(g, arg, count, &values)
                 : ct_bind_parse_field(g, arg, core, &core->fields[field], count, &values)))
        return ct_bind_arg_error(L, arg);
    if (angles) field = ct_manager_find_field(core, "local_rotation");
    ct_status status = ct_bulk_write(core, field, count, rows, &values, &at, &message);
    ct_bind_parse_end(g);
    if (status == CT_ERR_DATA && at > 0)
        ct_bind_raise_arg(L, arg, "[%d]: %s", (int)at + 1, message.text);
    if (status == CT_ERR_DATA) ct_bind_raise_arg(L, arg, "%s", message.text);
    if (status != CT_OK) return ct_bind_manager_fail(L, manager, status);
    return ct_bind_return_whole(L, count);
}

// m:write_many(list, field, values) -> number of written rows
static int write_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_changing_manager(L);
    uint32_t field = ct_bind_check_writable(L, 3, manager->core), count;
    lua_settop(L, 4);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    const ct_bind_parse g = ct_bind_parse_begin(L, manager->state);
    const ct_row *rows = parse_rows(&g, manager, owners, count);
    return ct_bind_write_rows(L, &g, manager, field, count, rows, 4);
}

// Reads a field of numbers, or a part of the pose, of a row. Returns false for other fields.
static inline bool read_numbers(ct_manager *manager, uint32_t field, ct_row row, double *numbers) {
    if (field >= manager->field_count) {
        ct_transform_part part = (ct_transform_part)(field - manager->field_count);
        return ct_transform_read_part(manager, row, part, numbers) > 0;
    }
    ct_field_type type = manager->fields[field].type;
    if (ct_field_info_of(type)->lane >= CT_SCALAR_BOOL || type == CT_FIELD_ENUM) return false;
    ct_manager_read_numbers(manager, field, row, numbers);
    return true;
}

void ct_bind_read_row(lua_State *L, int table, int *place, ct_manager *manager, uint32_t field,
                      uint32_t lanes, ct_row row) {
    double numbers[16];
    if (CT_LIKELY(row.i != CT_NO_ROW && read_numbers(manager, field, row, numbers))) {
        for (uint32_t lane = 0; lane < lanes; ++lane)
            ct_bind_store_number(L, table, ++*place, numbers[lane]);
        return;
    }
    int top = lua_gettop(L);
    if (row.i == CT_NO_ROW)
        lua_settop(L, top + (int)lanes);
    else
        ct_bind_push_item(L, manager, &manager->fields[field],
                          ct_manager_read(manager, field, row));
    for (int lane = 1; lane <= (int)lanes; ++lane) {
        if (lua_isnil(L, top + lane))
            lua_pushboolean(L, false);
        else
            lua_pushvalue(L, top + lane);
        lua_rawseti(L, table, ++*place);
    }
    lua_settop(L, top);
}

// m:read_many(list, field [, out]) -> out, the values of all entities in sequence
static int read_many(lua_State *L) {
    enum { RESULT = 4 };
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t lanes, field = ct_bind_check_readable(L, 3, manager->core, &lanes), count;
    int place = 0;
    lua_settop(L, RESULT);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    ct_bind_prepare_table(L, RESULT, count * lanes);
    luaL_checkstack(L, (int)lanes + LUA_MINSTACK, "too many results");
    for (uint32_t i = 0; i < count; ++i) {
        // Each row is looked up separately: creating a string may run finalizers.
        ct_row row = ct_store_find(&manager->core->store, owners[i]);
        ct_bind_read_row(L, RESULT, &place, manager->core, field, lanes, row);
    }
    lua_settop(L, RESULT);
    return 1;
}

// m:add_many(list, field, values) -> number of additions
static int add_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_changing_manager(L);
    ct_manager *core = manager->core;
    uint32_t field = ct_bind_check_field(L, 3, core), count, at;
    ct_message message;
    ct_values values;
    lua_settop(L, 4);
    if (!ct_bulk_check_sum(core, field, &message)) ct_bind_raise_arg(L, 3, "%s", message.text);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    const ct_bind_parse g = ct_bind_parse_begin(L, manager->state);
    const ct_row *rows = parse_rows(&g, manager, owners, count);
    const ct_field given = {.name = core->fields[field].name,
                            .type = ct_bulk_sum_type(core->fields[field].type)};
    if (!ct_bind_parse_field(&g, 4, NULL, &given, count, &values)) return ct_bind_arg_error(L, 4);
    ct_status status = ct_bulk_add(core, field, count, rows, &values, &at, &message);
    ct_bind_parse_end(&g);
    if (status == CT_ERR_DATA) ct_bind_raise_arg(L, 4, "[%d]: %s", (int)at + 1, message.text);
    if (status != CT_OK) return ct_bind_manager_fail(L, manager, status);
    return ct_bind_return_whole(L, count);
}

// m:destroy_many(list) -> number of removed components
static int destroy_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_changing_manager(L);
    uint32_t count;
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    return ct_bind_return_whole(L, ct_bind_destroy_all(L, manager, count, owners));
}

const luaL_Reg ct_bind_bulk_methods[] = {{"write_many", write_many},
                                         {"read_many", read_many},
                                         {"add_many", add_many},
                                         {"destroy_many", destroy_many},
                                         {NULL, NULL}};
