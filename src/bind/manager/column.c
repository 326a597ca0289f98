// Column views as C userdata: for Lua 5.1, and for LuaJIT while its compiler is off.
// Knows nothing of the compiled views beyond what they call.
#include "bind/manager/column.h"

#include "bind/value/compiled.h"
#include "storage/manager_check.h"

#include <string.h>

// Views and accessors are places: a column, and a row of it if it is an accessor's. They refer to
// the manager object, but do not keep it: the environment table that they share holds it weakly.
typedef struct place {
    uint32_t field;
    ct_row row;
} place;

static const char view_key = 0, accessor_key = 0;

// ---------------------------------------------------------------- the manager behind a view

// A place of which the manager is there.
typedef struct open_place {
    const ct_bind_manager *manager;
    ct_manager *core;
    const ct_field *field;
    uint32_t number; // of the field
    ct_row row;
} open_place;

// The view or accessor at index 1, whose manager object is left on top of one more value: nothing
// else may keep it and its name until an error has told it. Raises when it is gone.
static open_place open_argument(lua_State *L, const char *key) {
    const place *p =
        ct_bind_check_class(L, 1, key, key == &view_key ? "column" : "column accessor");
    lua_getfenv(L, 1);
    lua_rawgeti(L, -1, 1);
    const ct_bind_manager *manager = lua_touserdata(L, -1);
    if (manager == NULL) luaL_error(L, "world is destroyed");
    if (manager->over != NULL) ct_bind_raise_over(L, manager);
    ct_manager *core = manager->core;
    if (core->type->flush_deaths != NULL) core->type->flush_deaths(core);
    return (open_place){manager, core, &core->fields[p->field], p->field, p->row};
}

// Raises "MANAGER.FIELD" and what is on top.
static int fail(lua_State *L, const open_place *o) {
    return luaL_error(L, "%s.%s%s", o->core->name, o->field->name, lua_tostring(L, -1));
}

static int fail_row(lua_State *L, const open_place *o, double row) {
    lua_pushfstring(L, ": row %f is outside (%d rows)", row, (int)ct_store_count(&o->core->store));
    return fail(L, o);
}

// A row, or an instance that is not stale.
static ct_row check_row(lua_State *L, int index, const open_place *o) {
    const ct_store *store = &o->core->store;
    if (lua_type(L, index) != LUA_TNUMBER) {
        lua_pushfstring(L, ": row or instance expected, got %s", ct_bind_type_name(L, index));
        fail(L, o);
    }
    double number = lua_tonumber(L, index);
    ct_row row = {CT_NO_ROW};
    if (number >= 0 && number < ct_store_count(store) && number == (uint32_t)number)
        return (ct_row){(uint32_t)number};
    if (ct_store_find_instance(store, number, &row)) return row;
    if (number >= CT_MAX_ROWS) luaL_error(L, "stale %s instance", o->core->name);
    fail_row(L, o, number);
    return row;
}

static int push_raw(lua_State *L, const open_place *o, ct_row row) {
    const void *item = ct_manager_item(o->core, o->field, row);
    if (o->field->type != CT_FIELD_ENTITY) return ct_bind_push_item(L, o->core, o->field, item);
    lua_pushnumber(L, *(const uint32_t *)item); // a number, as compiled loops read it
    return 1;
}

static bool is_vector(const open_place *o) { return ct_field_info_of(o->field->type)->lanes > 1; }

static void check_writable(lua_State *L, const open_place *o) {
    if (!o->field->read_only) return;
    lua_pushliteral(L, " is read-only");
    fail(L, o);
}

// Writes the one value at 'index'. In columns entities are ids: a number is taken as well.
static int write_raw(lua_State *L, int index, const open_place *o, ct_row row) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    if (o->field->type == CT_FIELD_ENTITY && lua_type(L, index) == LUA_TNUMBER) {
        if (!ct_scalar_store(CT_SCALAR_ENTITY, lua_tonumber(L, index), item)) {
            lua_pushfstring(L, ": entity id expected, got %f", lua_tonumber(L, index));
            return fail(L, o);
        }
    } else if (!ct_bind_value_to_item(L, index, o->field, item)) {
        lua_pushfstring(L, ": %s", lua_tostring(L, -1));
        return fail(L, o);
    }
    ct_status status = ct_manager_write(o->core, o->number, row, item);
    return status == CT_OK ? 0 : ct_bind_manager_fail(L, o->manager, status);
}

// ---------------------------------------------------------------- accessors

// Which lane the key at index 2 names: x y z w, r g b a for colours, 1 to 16 for matrices.
static uint32_t check_lane(lua_State *L, const open_place *o) {
    int type = lua_type(L, 2); // asked for a number a string would be converted
    uint32_t lane =
        ct_field_find_part(o->field->type, type == LUA_TSTRING ? lua_tostring(L, 2) : NULL,
                           type == LUA_TNUMBER ? lua_tonumber(L, 2) : 0);
    if (lane == ct_field_info_of(o->field->type)->lanes) {
        lua_pushvalue(L, 2);
        const char *key = lua_tostring(L, -1);
        lua_pushfstring(L, " has no '%s'", key != NULL ? key : ct_bind_type_name(L, 2));
        fail(L, o);
    }
    if (o->row.i >= ct_store_count(&o->core->store)) fail_row(L, o, o->row.i);
    return lane;
}

static int accessor_index(lua_State *L) {
    const open_place o = open_argument(L, &accessor_key);
    uint32_t lane = check_lane(L, &o);
    const float *item = ct_manager_item(o.core, o.field, o.row);
    lua_pushnumber(L, item[lane]);
    return 1;
}

static int accessor_newindex(lua_State *L) {
    const open_place o = open_argument(L, &accessor_key);
    check_writable(L, &o);
    if (lua_type(L, 3) != LUA_TNUMBER) {
        lua_pushfstring(L, ": expected a number, got %s", ct_bind_type_name(L, 3));
        return fail(L, &o);
    }
    ct_status status =
        ct_manager_write_lane(o.core, o.number, o.row, check_lane(L, &o), lua_tonumber(L, 3));
    return status == CT_OK ? 0 : ct_bind_manager_fail(L, o.manager, status);
}

// ---------------------------------------------------------------- views

// view[row], or a method; upvalue 1: the methods
static int view_index(lua_State *L) {
    if (lua_type(L, 2) == LUA_TSTRING) {
        ct_bind_check_class(L, 1, &view_key, "column");
        lua_pushvalue(L, 2);
        lua_rawget(L, lua_upvalueindex(1));
        return 1;
    }
    const open_place o = open_argument(L, &view_key);
    ct_row row = check_row(L, 2, &o);
    if (!is_vector(&o)) return push_raw(L, &o, row);
    place *accessor = ct_bind_class_object(L, &accessor_key, sizeof *accessor);
    *accessor = (place){o.number, row};
    lua_getfenv(L, 1);
    lua_setfenv(L, -2);
    return 1;
}

static int view_newindex(lua_State *L) {
    const open_place o = open_argument(L, &view_key);
    check_writable(L, &o);
    ct_row row = check_row(L, 2, &o);
    if (!is_vector(&o)) return write_raw(L, 3, &o, row);
    lua_pushliteral(L, ": a vector is written by its parts (column[i].x = 1) or column:set");
    return fail(L, &o);
}

static int view_get(lua_State *L) {
    const open_place o = open_argument(L, &view_key);
    lua_replace(L, 1);
    lua_pop(L, 1); // what is missing at the end stays missing
    return push_raw(L, &o, check_row(L, 2, &o));
}

static int view_set(lua_State *L) {
    const open_place o = open_argument(L, &view_key);
    unsigned char item[CT_MAX_ITEM_BYTES];
    lua_insert(L, 1);
    lua_pop(L, 1);
    check_writable(L, &o);
    ct_row row = check_row(L, 3, &o);
    if (!is_vector(&o)) return write_raw(L, 4, &o, row);
    lua_remove(L, 2); // arguments are told by number
    ct_bind_check_item(L, 3, o.field, item);
    ct_status status = ct_manager_write(o.core, o.number, row, item);
    return status == CT_OK ? 0 : ct_bind_manager_fail(L, o.manager, status);
}

static int view_count(lua_State *L) {
    lua_pushnumber(L, ct_store_count(&open_argument(L, &view_key).core->store));
    return 1;
}

static int view_pointer(lua_State *L) {
    ct_bind_check_class(L, 1, &view_key, "column");
    return luaL_error(L, "pointer needs LuaJIT with its compiler on");
}

static int view_tostring(lua_State *L) {
    const open_place o = open_argument(L, &view_key);
    lua_pushfstring(L, "column %s.%s", o.core->name, o.field->name);
    return 1;
}

// Two views of one column are equal, and so are two accessors of one row of it.
static int equals(lua_State *L, const char *key) {
    const void *a = ct_bind_test_class(L, 1, key), *b = ct_bind_test_class(L, 2, key);
    lua_settop(L, 2);
    lua_getfenv(L, 1);
    lua_getfenv(L, 2);
    lua_pushboolean(L, a != NULL && b != NULL && lua_rawequal(L, 3, 4) &&
                           memcmp(a, b, sizeof(place)) == 0);
    return 1;
}

static int view_equals(lua_State *L) { return equals(L, &view_key); }

static int accessor_equals(lua_State *L) { return equals(L, &accessor_key); }

// ---------------------------------------------------------------- making them

void ct_bind_push_column(lua_State *L, int index, ct_bind_manager *manager, uint32_t field) {
    index = ct_bind_absindex(L, index);
    place *view = ct_bind_class_object(L, &view_key, sizeof *view);
    *view = (place){field, {CT_NO_ROW}};
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
