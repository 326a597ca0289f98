// Column views as C userdata: for Lua 5.1, and for LuaJIT while its compiler is off.
#include "bind/manager/column.h"

#include "bind/value/compiled.h"
#include "storage/bulk.h"
#include "storage/manager_access.h"

#include <stdarg.h>
#include <string.h>

// A column, and for an accessor a row of it. Neither keeps the world alive; both raise after its
// end. A view keeps the block of the manager alive (ct_bind_keep). The environment of a view has
// the view at 1, and all accessors of the view share that environment.
typedef struct place {
    ct_bind_header header;
    const ct_bind_manager *manager;
    uint32_t field;
    ct_row row;
} place;

static const ct_bind_kind view_class = {"column"};
static const ct_bind_kind accessor_class = {"column accessor"};

// ---------------------------------------------------------------- the manager behind a view

// Raises if the manager has ended.
static const place *open_place(lua_State *L, const place *p) {
    if (CT_UNLIKELY(p->manager->destroyed != NULL)) ct_bind_raise_destroyed(L, p->manager);
    ct_manager_flush_deaths(p->manager->core);
    return p;
}

static const place *open_view(lua_State *L) { return open_place(L, ct_bind_self(L, &view_class)); }

// debug.setfenv may have replaced the environment; the block may be free then.
static const place *open_accessor(lua_State *L) {
    const place *p = ct_bind_self(L, &accessor_class);
    ct_bind_push_owned(L, 1);
    if (lua_istable(L, -1)) lua_rawgeti(L, -1, 1);
    const place *view = ct_bind_test(L, -1, &view_class);
    lua_settop(L, 3);
    if (CT_UNLIKELY(view == NULL || view->manager != p->manager || view->field != p->field))
        luaL_error(L, "the environment of a column accessor was replaced");
    return open_place(L, p);
}

static const ct_field *field_of(const place *p) { return &p->manager->core->fields[p->field]; }

static bool is_vector(const place *p) { return ct_field_info_of(field_of(p)->type)->lanes > 1; }

// Raises "MANAGER.FIELD" and a message.
CT_NORETURN static int fail(lua_State *L, const place *p, const char *format, ...) {
    va_list arguments;
    const ct_manager *core = p->manager->core;
    va_start(arguments, format);
    ct_bind_push_format(L, format, arguments);
    va_end(arguments);
    luaL_error(L, "%s.%s%s", core->name, core->fields[p->field].name, lua_tostring(L, -1));
    CT_NEVER(0);
}

static int fail_row(lua_State *L, const place *p, double row) {
    int rows = (int)ct_store_count(&p->manager->core->store);
    return fail(L, p, ": row %f is outside (%d rows)", row, rows);
}

// Returns a row for a row number or an instance that is not stale.
static ct_row check_row(lua_State *L, int index, const place *p) {
    const ct_store *store = &p->manager->core->store;
    ct_row row = {CT_NO_ROW};
    if (CT_UNLIKELY(lua_type(L, index) != LUA_TNUMBER))
        fail(L, p, ": row or instance expected, got %s", ct_bind_type_name(L, index));
    double number = lua_tonumber(L, index);
    if (CT_LIKELY(number >= 0 && number < ct_store_count(store) && number == (uint32_t)number))
        return (ct_row){(uint32_t)number};
    if (ct_store_find_instance(store, number, &row)) return row;
    if (number >= CT_MAX_ROWS && number - number == 0)
        luaL_error(L, "stale %s instance", p->manager->core->name);
    fail_row(L, p, number);
    return row;
}

static int push_raw(lua_State *L, const place *p, ct_row row) {
    const void *item = ct_manager_column_item(p->manager->core, p->field, row);
    const ct_field *field = field_of(p);
    if (field->type == CT_FIELD_ENTITY) // numbers, like in compiled loops
        ct_bind_push_whole(L, *(const uint32_t *)item);
    else if (field->type == CT_FIELD_ENUM)
        ct_bind_push_whole(L, *(const uint8_t *)item);
    else
        return ct_bind_push_item(L, p->manager->core, field, item);
    return 1;
}

static void check_writable(lua_State *L, const place *p) {
    ct_bind_check_thawed(L, p->manager->core->store.entities);
    if (field_of(p)->read_only) fail(L, p, " is read-only");
    if (!ct_manager_is_open(p->manager->core, p->field))
        fail(L, p, " is written in deferred mode or inside a batch");
}

// Reads the single value at 'index' as an item. Columns of entities accept ids, too, and columns of
// enums accept only numbers. Raises.
static void check_raw(lua_State *L, int index, const place *p, unsigned char *item) {
    static const ct_field byte = {.type = CT_FIELD_UINT8};
    const ct_field *field = field_of(p);
    bool labels = field->type == CT_FIELD_ENUM;
    if (field->type == CT_FIELD_ENTITY && lua_type(L, index) == LUA_TNUMBER) {
        if (!ct_scalar_store(CT_SCALAR_ENTITY, lua_tonumber(L, index), item))
            fail(L, p, ": entity id expected, got %f", lua_tonumber(L, index));
    } else if (!ct_bind_value_to_item(L, index, labels ? &byte : field, item)) {
        fail(L, p, ": %s", lua_tostring(L, -1));
    } else if (labels && *item >= field->label_count) {
        fail(L, p, ": expected the number of a label, an integer in [0, %d], got %d",
             (int)field->label_count - 1, (int)*item);
    }
}

static int write_raw(lua_State *L, int index, const place *p, ct_row row) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    check_raw(L, index, p, item);
    return ct_bind_manager_finish(L, p->manager,
                                  ct_manager_write_item(p->manager->core, p->field, row, item));
}

// ---------------------------------------------------------------- accessors

uint32_t ct_bind_check_lane(lua_State *L, const ct_manager *core, uint32_t field) {
    const ct_field *f = &core->fields[field];
    int type = lua_type(L, 2); // lua_tonumber would convert a string
    const char *name = type == LUA_TSTRING ? ct_bind_check_name(L, 2, 2) : NULL;
    uint32_t lane = ct_field_find_part(f->type, name, type == LUA_TNUMBER ? lua_tonumber(L, 2) : 0);
    if (lane < ct_field_info_of(f->type)->lanes) return lane;
    lua_pushvalue(L, 2);
    const char *key = lua_tostring(L, -1);
    luaL_error(L, "%s.%s has no '%s'", core->name, f->name,
               key != NULL ? key : ct_bind_type_name(L, 2));
    CT_NEVER(0);
}

// Returns the lane of an accessor that the key at index 2 names; checks the row.
static uint32_t check_lane(lua_State *L, const place *p) {
    uint32_t lane = ct_bind_check_lane(L, p->manager->core, p->field);
    if (p->row.i >= ct_store_count(&p->manager->core->store)) fail_row(L, p, p->row.i);
    return lane;
}

static int accessor_index(lua_State *L) {
    const place *p = open_accessor(L);
    uint32_t lane = check_lane(L, p);
    const ct_field_info *info = ct_field_info_of(field_of(p)->type);
    const unsigned char *item = ct_manager_column_item(p->manager->core, p->field, p->row);
    return ct_bind_return_number(L, ct_scalar_load(info->lane, item + lane * info->lane_bytes));
}

static int accessor_newindex(lua_State *L) {
    const place *p = open_accessor(L);
    check_writable(L, p);
    if (lua_type(L, 3) != LUA_TNUMBER)
        return fail(L, p, ": expected a number, got %s", ct_bind_type_name(L, 3));
    uint32_t lane = check_lane(L, p);
    return ct_bind_manager_finish(
        L, p->manager,
        ct_manager_write_lane(p->manager->core, p->field, p->row, lane, lua_tonumber(L, 3)));
}

// ---------------------------------------------------------------- views

// view[row], or a method; upvalues 1 and 2: the methods, the metatable of accessors
static int view_index(lua_State *L) {
    if (lua_type(L, 2) == LUA_TSTRING) {
        ct_bind_self(L, &view_class);
        luaL_checktype(L, lua_upvalueindex(1), LUA_TTABLE);
        ct_bind_push_raw(L, lua_upvalueindex(1), 2);
        return 1;
    }
    const place *p = open_view(L);
    ct_row row = check_row(L, 2, p);
    if (!is_vector(p)) return push_raw(L, p, row);
    place *accessor = lua_newuserdata(L, sizeof *accessor);
    *accessor = (place){{ct_bind_mark(&accessor_class)}, p->manager, p->field, row};
    luaL_checktype(L, lua_upvalueindex(2), LUA_TTABLE);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_setmetatable(L, -2);
    ct_bind_push_owned(L, 1);
    ct_bind_set_owned(L, -2);
    return 1;
}

static int view_newindex(lua_State *L) {
    const place *p = open_view(L);
    check_writable(L, p);
    ct_row row = check_row(L, 2, p);
    if (!is_vector(p)) return write_raw(L, 3, p, row);
    return fail(L, p, ": a vector is written by its parts (column[i].x = 1) or column:set");
}

static int view_get(lua_State *L) {
    const place *p = open_view(L);
    return push_raw(L, p, check_row(L, 2, p));
}

static int view_set(lua_State *L) {
    const place *p = open_view(L);
    unsigned char item[CT_MAX_ITEM_BYTES];
    check_writable(L, p);
    ct_row row = check_row(L, 2, p);
    if (!is_vector(p)) return write_raw(L, 3, p, row);
    ct_bind_check_item(L, 3, field_of(p), item);
    return ct_bind_manager_finish(L, p->manager,
                                  ct_manager_write_item(p->manager->core, p->field, row, item));
}

static int view_count(lua_State *L) {
    return ct_bind_return_whole(L, ct_store_count(&open_view(L)->manager->core->store));
}

// ---------------------------------------------------------------- whole columns

// view:totable([out]) -> out, the numbers of all rows in sequence
static int view_totable(lua_State *L) {
    enum { RESULT = 2 };
    const place *p = open_view(L);
    int filled = 0;
    lua_settop(L, RESULT);
    ct_bind_prepare_table(L, RESULT, 0);
    luaL_checkstack(L, ct_field_info_of(field_of(p)->type)->lanes, "too many results");
    int top = lua_gettop(L);
    // The count is read each time: creating strings and tables may run finalizers.
    for (uint32_t row = 0; row < ct_store_count(&p->manager->core->store); ++row) {
        push_raw(L, p, (ct_row){row});
        filled += lua_gettop(L) - top;
        for (int at = filled; lua_gettop(L) > top; --at)
            lua_rawseti(L, RESULT, at);
    }
    lua_settop(L, RESULT);
    return 1;
}

// Replaces the id at 'index' by its entity, or by false for no entity. Raises.
static void replace_id(lua_State *L, int index, const place *p) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    ct_entity e;
    check_raw(L, index, p, item);
    memcpy(&e.id, item, sizeof e.id);
    if (e.id == CT_NOBODY)
        lua_pushboolean(L, 0);
    else
        ct_bind_push_entity(L, e);
    lua_replace(L, index);
}

// view:fill(value or table): one value for all rows, or one for each
static int view_fill(lua_State *L) {
    const place *p = open_view(L);
    uint32_t at, count = ct_store_count(&p->manager->core->store);
    ct_message message;
    ct_values values;
    check_writable(L, p);
    lua_settop(L, 2);
    const ct_bind_parse g = ct_bind_parse_begin(L, ct_bind_state_of(L));
    ct_field field = *field_of(p);
    if (field.type == CT_FIELD_ENUM) field.type = CT_FIELD_UINT8; // numbers, like in all views
    bool ids = field.type == CT_FIELD_ENTITY && lua_istable(L, 2);
    if (field.type == CT_FIELD_ENTITY && lua_type(L, 2) == LUA_TNUMBER) replace_id(L, 2, p);
    if (!(ids ? ct_bind_parse_ids(&g, 2, count, &values)
              : ct_bind_parse_field(&g, 2, NULL, &field, count, &values)))
        return ct_bind_arg_error(L, 2);
    ct_status status =
        ct_bulk_write(p->manager->core, p->field, count, NULL, &values, &at, &message);
    ct_bind_parse_end(&g);
    if (status == CT_ERR_DATA) ct_bind_raise_arg(L, 2, "[%d]: %s", (int)at + 1, message.text);
    return ct_bind_manager_finish(L, p->manager, status);
}

// view:add_scaled(other, k): view += k x other, another column of the same manager
static int view_add_scaled(lua_State *L) {
    const place *p = open_view(L), *other = ct_bind_test(L, 2, &view_class);
    ct_message message;
    if (other == NULL) ct_bind_raise_arg(L, 2, "column expected, got %s", ct_bind_type_name(L, 2));
    if (other->manager != p->manager) ct_bind_raise_arg(L, 2, "column of another manager");
    luaL_checktype(L, 3, LUA_TNUMBER);
    if (!ct_bulk_check(p->manager->core, p->field, p->manager->core, other->field, true, &message))
        ct_bind_raise_arg(L, 2, "%s", message.text);
    check_writable(L, p);
    return ct_bind_manager_finish(
        L, p->manager,
        ct_bulk_column_add_scaled(p->manager->core, p->field, other->field, lua_tonumber(L, 3)));
}

// view:scale(k): view *= k
static int view_scale(lua_State *L) {
    const place *p = open_view(L);
    ct_message message;
    luaL_checktype(L, 2, LUA_TNUMBER);
    check_writable(L, p);
    if (!ct_bulk_check(p->manager->core, p->field, p->manager->core, p->field, true, &message))
        luaL_error(L, "%s", message.text);
    return ct_bind_manager_finish(
        L, p->manager, ct_bulk_column_scale(p->manager->core, p->field, lua_tonumber(L, 2)));
}

static int view_pointer(lua_State *L) {
    ct_bind_self(L, &view_class);
    return luaL_error(L, "pointer needs LuaJIT with its compiler on");
}

static int view_tostring(lua_State *L) {
    const place *p = open_view(L);
    return ct_bind_return_format(L, "column %s.%s", p->manager->core->name, field_of(p)->name);
}

// Returns the view or accessor at 'index', or NULL.
static const place *test_place(lua_State *L, int index) {
    const place *p = ct_bind_test(L, index, &view_class);
    return p != NULL ? p : ct_bind_test(L, index, &accessor_class);
}

// Two views of one column are equal, and so are two accessors of one row of it.
static int equals(lua_State *L) {
    const place *a = test_place(L, 1), *b = test_place(L, 2);
    return ct_bind_return_bool(L, a != NULL && b != NULL && memcmp(a, b, sizeof *a) == 0);
}

void ct_bind_push_column(lua_State *L, int index, ct_bind_manager *manager, uint32_t field) {
    index = ct_bind_absindex(L, index);
    place *view = ct_bind_object_new(L, &view_class, sizeof *view);
    *view = (place){view->header, manager, field, {CT_NO_ROW}};
    ct_bind_push_block(L, index);
    ct_bind_keep(L, -2);
    lua_createtable(L, 1, 0);
    ct_bind_copy_item(L, -1, 1, -2);
    ct_bind_set_owned(L, -2);
    ct_bind_compile_view(L, manager, field);
}

static const luaL_Reg view_methods[] = {{"get", view_get},
                                        {"set", view_set},
                                        {"count", view_count},
                                        {"pointer", view_pointer},
                                        {"totable", view_totable},
                                        {"fill", view_fill},
                                        {"add_scaled", view_add_scaled},
                                        {"scale", view_scale},
                                        {NULL, NULL}};

void ct_bind_open_column(lua_State *L) {
    ct_bind_class_new(L, &accessor_class, NULL, NULL, NULL);
    ct_bind_push_registered(L, &accessor_class);
    int accessors = lua_gettop(L), views = accessors + 1;
    ct_bind_set_event(L, accessors, "__index", accessor_index, "accessor_index");
    ct_bind_set_event(L, accessors, "__newindex", accessor_newindex, "accessor_newindex");
    ct_bind_set_event(L, accessors, "__eq", equals, NULL);

    ct_bind_class_new(L, &view_class, view_methods, NULL, view_tostring);
    ct_bind_push_registered(L, &view_class);
    lua_getfield(L, views, "__index");
    lua_pushvalue(L, accessors);
    ct_bind_set_event(L, views, "__index", view_index, "view_index");
    ct_bind_set_event(L, views, "__newindex", view_newindex, "view_newindex");
    ct_bind_set_event(L, views, "__eq", equals, NULL);
    lua_settop(L, accessors - 1);
}
