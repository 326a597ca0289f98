// Column views as C userdata: for Lua 5.1, and for LuaJIT while its compiler is off.
// Knows nothing of the compiled views beyond what they call.
#include "bind/manager/column.h"

#include "bind/value/compiled.h"
#include "storage/manager_check.h"

#include <string.h>

// A view refers to its manager object, but does not keep it: the environment
// table that views and accessors share holds it weakly.
typedef struct view {
    uint32_t field;
} view;

typedef struct accessor {
    uint32_t field;
    ct_row row;
} accessor;

static const char view_key = 0, accessor_key = 0;

// ---------------------------------------------------------------- the manager behind a view

// The manager of the view or accessor at 'index', whose object is left on top of one more value:
// nothing else may keep it and its name until an error has told it. Raises when it is gone.
static ct_bind_manager *manager_of(lua_State *L, int index) {
    lua_getfenv(L, index);
    lua_rawgeti(L, -1, 1);
    ct_bind_manager *manager = lua_touserdata(L, -1);
    if (manager == NULL) luaL_error(L, "world is destroyed");
    if (manager->over != NULL) ct_bind_raise_over(L, manager);
    ct_manager *core = manager->core;
    if (core->type->settle != NULL) core->type->settle(core);
    return manager;
}

static int raise_row(lua_State *L, const ct_manager *core, const ct_field *field, double row) {
    return luaL_error(L, "%s.%s: row %f is outside (%d rows)", core->name, field->name, row,
                      (int)ct_store_count(&core->store));
}

// A row, or an instance that is not stale.
static ct_row check_place(lua_State *L, int index, const ct_manager *core, const ct_field *field) {
    if (lua_type(L, index) != LUA_TNUMBER)
        luaL_error(L, "%s.%s: row or instance expected, got %s", core->name, field->name,
                   ct_bind_type_name(L, index));
    double place = lua_tonumber(L, index);
    ct_row row = {CT_NO_ROW};
    if (place >= 0 && place < ct_store_count(&core->store) && place == (uint32_t)place)
        return (ct_row){(uint32_t)place};
    if (ct_store_find_instance(&core->store, place, &row)) return row;
    if (place >= CT_MAX_ROWS) luaL_error(L, "stale %s instance", core->name);
    raise_row(L, core, field, place);
    return row;
}

static int push_raw(lua_State *L, const ct_manager *core, const ct_field *field, ct_row row) {
    const void *item = ct_manager_item(core, field, row);
    if (field->type != CT_FIELD_ENTITY) return ct_bind_push_item(L, core, field, item);
    lua_pushnumber(L, *(const uint32_t *)item); // a number, as compiled loops read it
    return 1;
}

static void check_writable(lua_State *L, const ct_manager *core, const ct_field *field) {
    if (field->read_only) luaL_error(L, "%s.%s is read-only", core->name, field->name);
}

// In columns entities are ids: a number is taken as well as an entity.
static void check_raw(lua_State *L, int index, const ct_manager *core, const ct_field *field,
                      void *item) {
    if (field->type == CT_FIELD_ENTITY && lua_type(L, index) == LUA_TNUMBER) {
        double id = lua_tonumber(L, index);
        if (ct_lane_store(CT_LANE_ENTITY, id, item)) return;
        luaL_error(L, "%s.%s: entity id expected, got %f", core->name, field->name, id);
    }
    if (ct_bind_value_to_item(L, index, field, item)) return;
    luaL_error(L, "%s.%s: %s", core->name, field->name, lua_tostring(L, -1));
}

static int write_item(lua_State *L, const ct_bind_manager *manager, uint32_t field, ct_row row,
                      const void *item) {
    ct_status status = ct_manager_write(manager->core, field, row, item);
    return status == CT_OK ? 0 : ct_bind_manager_fail(L, manager, status);
}

// ---------------------------------------------------------------- accessors

// Which lane the key at index 2 names: x y z w, r g b a for colours, 1 to 16 for matrices.
static uint32_t check_lane(lua_State *L, const ct_manager *core, const accessor *a) {
    const ct_field *field = &core->fields[a->field];
    int type = lua_type(L, 2); // asked for a number a string would be converted
    uint32_t lane = ct_field_find_part(field->type, type == LUA_TSTRING ? lua_tostring(L, 2) : NULL,
                                       type == LUA_TNUMBER ? lua_tonumber(L, 2) : 0);
    if (lane == ct_field_info_of(field->type)->lanes) {
        lua_pushvalue(L, 2);
        const char *key = lua_tostring(L, -1);
        luaL_error(L, "%s.%s has no '%s'", core->name, field->name,
                   key != NULL ? key : ct_bind_type_name(L, 2));
    }
    if (a->row.i >= ct_store_count(&core->store)) raise_row(L, core, field, a->row.i);
    return lane;
}

static int accessor_index(lua_State *L) {
    const accessor *a = ct_bind_check_class(L, 1, &accessor_key, "column accessor");
    const ct_manager *core = manager_of(L, 1)->core;
    uint32_t lane = check_lane(L, core, a);
    lua_pushnumber(L,
                   ((const float *)ct_manager_item(core, &core->fields[a->field], a->row))[lane]);
    return 1;
}

static int accessor_newindex(lua_State *L) {
    const accessor *a = ct_bind_check_class(L, 1, &accessor_key, "column accessor");
    ct_bind_manager *manager = manager_of(L, 1);
    const ct_manager *core = manager->core;
    const ct_field *field = &core->fields[a->field];
    check_writable(L, core, field);
    if (lua_type(L, 3) != LUA_TNUMBER)
        luaL_error(L, "%s.%s: expected a number, got %s", core->name, field->name,
                   ct_bind_type_name(L, 3));
    ct_status status = ct_manager_write_lane(manager->core, a->field, a->row,
                                             check_lane(L, core, a), lua_tonumber(L, 3));
    return status == CT_OK ? 0 : ct_bind_manager_fail(L, manager, status);
}

static void push_accessor(lua_State *L, int view_index, uint32_t field, ct_row row) {
    accessor *a = ct_bind_class_object(L, &accessor_key, sizeof *a);
    *a = (accessor){field, row};
    lua_getfenv(L, view_index);
    lua_setfenv(L, -2);
}

// ---------------------------------------------------------------- views

// view[place], or a method; upvalue 1: the methods
static int view_index(lua_State *L) {
    const view *v = ct_bind_check_class(L, 1, &view_key, "column");
    if (lua_type(L, 2) == LUA_TSTRING) {
        lua_pushvalue(L, 2);
        lua_rawget(L, lua_upvalueindex(1));
        return 1;
    }
    const ct_manager *core = manager_of(L, 1)->core;
    const ct_field *field = &core->fields[v->field];
    ct_row row = check_place(L, 2, core, field);
    if (ct_field_info_of(field->type)->lanes == 1) return push_raw(L, core, field, row);
    push_accessor(L, 1, v->field, row);
    return 1;
}

static int view_newindex(lua_State *L) {
    const view *v = ct_bind_check_class(L, 1, &view_key, "column");
    ct_bind_manager *manager = manager_of(L, 1);
    const ct_field *field = &manager->core->fields[v->field];
    unsigned char item[CT_MAX_ITEM_BYTES];
    check_writable(L, manager->core, field);
    ct_row row = check_place(L, 2, manager->core, field);
    if (ct_field_info_of(field->type)->lanes > 1)
        luaL_error(L, "%s.%s: a vector is written by its parts (column[i].x = 1) or column:set",
                   manager->core->name, field->name);
    check_raw(L, 3, manager->core, field, item);
    return write_item(L, manager, v->field, row, item);
}

static int view_get(lua_State *L) {
    const view *v = ct_bind_check_class(L, 1, &view_key, "column");
    const ct_manager *core = manager_of(L, 1)->core;
    const ct_field *field = &core->fields[v->field];
    lua_replace(L, 1);
    lua_pop(L, 1); // what is missing at the end stays missing
    return push_raw(L, core, field, check_place(L, 2, core, field));
}

static int view_set(lua_State *L) {
    const view *v = ct_bind_check_class(L, 1, &view_key, "column");
    ct_bind_manager *manager = manager_of(L, 1);
    const ct_field *field = &manager->core->fields[v->field];
    unsigned char item[CT_MAX_ITEM_BYTES];
    lua_insert(L, 1);
    lua_pop(L, 1);
    check_writable(L, manager->core, field);
    ct_row row = check_place(L, 3, manager->core, field);
    if (ct_field_info_of(field->type)->lanes == 1) {
        check_raw(L, 4, manager->core, field, item);
        return write_item(L, manager, v->field, row, item);
    }
    lua_remove(L, 1); // arguments are told by number
    ct_bind_check_item(L, 3, field, item);
    ct_status status = ct_manager_write(manager->core, v->field, row, item);
    return status == CT_OK ? 0 : ct_bind_manager_fail(L, manager_of(L, 1), status);
}

static int view_count(lua_State *L) {
    ct_bind_check_class(L, 1, &view_key, "column");
    lua_pushnumber(L, ct_store_count(&manager_of(L, 1)->core->store));
    return 1;
}

static int view_pointer(lua_State *L) {
    ct_bind_check_class(L, 1, &view_key, "column");
    return luaL_error(L, "pointer needs LuaJIT with its compiler on");
}

static int view_tostring(lua_State *L) {
    const view *v = ct_bind_check_class(L, 1, &view_key, "column");
    const ct_manager *core = manager_of(L, 1)->core;
    lua_pushfstring(L, "column %s.%s", core->name, core->fields[v->field].name);
    return 1;
}

// Two views of one column are equal, and so are two accessors of one row of it.
static int equals(lua_State *L, const char *key, size_t bytes) {
    const void *a = ct_bind_test_class(L, 1, key), *b = ct_bind_test_class(L, 2, key);
    lua_settop(L, 2);
    lua_getfenv(L, 1);
    lua_getfenv(L, 2);
    lua_pushboolean(L, a != NULL && b != NULL && lua_rawequal(L, 3, 4) && memcmp(a, b, bytes) == 0);
    return 1;
}

static int view_equals(lua_State *L) { return equals(L, &view_key, sizeof(view)); }

static int accessor_equals(lua_State *L) { return equals(L, &accessor_key, sizeof(accessor)); }

// ---------------------------------------------------------------- making them

void ct_bind_push_column(lua_State *L, int index, ct_bind_manager *manager, uint32_t field) {
    index = ct_bind_absindex(L, index);
    view *v = ct_bind_class_object(L, &view_key, sizeof *v);
    v->field = field;
    ct_bind_push_own(L, index, "weak");
    lua_setfenv(L, -2);
    ct_bind_compile_view(L, index, manager, field);
}

static const luaL_Reg view_methods[] = {{"get", view_get},
                                        {"set", view_set},
                                        {"count", view_count},
                                        {"pointer", view_pointer},
                                        {NULL, NULL}};
static const luaL_Reg none[] = {{NULL, NULL}};

// What compiled views and accessors call when theirs is not the common case.
static void give_functions(lua_State *L) {
    static const struct {
        const char *name;
        const char *class;
        const char *event;
    } functions[] = {
        {"view_index", &view_key, "__index"},
        {"view_newindex", &view_key, "__newindex"},
        {"accessor_index", &accessor_key, "__index"},
        {"accessor_newindex", &accessor_key, "__newindex"},
    };
    ct_bind_push_compiled(L);
    for (int i = 0; i < 4; ++i) {
        ct_bind_push_registered(L, functions[i].class);
        lua_getfield(L, -1, functions[i].event);
        lua_setfield(L, -3, functions[i].name);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

// The table on top gets one more function.
static void set_event(lua_State *L, const char *name, lua_CFunction f) {
    lua_pushcfunction(L, f);
    lua_setfield(L, -2, name);
}

void ct_bind_open_column(lua_State *L) {
    ct_bind_class_new(L, &accessor_key, "column accessor", none, NULL, NULL);
    ct_bind_push_registered(L, &accessor_key);
    set_event(L, "__index", accessor_index);
    set_event(L, "__newindex", accessor_newindex);
    set_event(L, "__eq", accessor_equals);
    lua_pop(L, 1);

    ct_bind_class_new(L, &view_key, "column", view_methods, NULL, view_tostring);
    ct_bind_push_registered(L, &view_key);
    lua_getfield(L, -1, "__index");
    lua_pushcclosure(L, view_index, 1);
    lua_setfield(L, -2, "__index");
    set_event(L, "__newindex", view_newindex);
    set_event(L, "__eq", view_equals);
    lua_pop(L, 1);
    give_functions(L);
}
