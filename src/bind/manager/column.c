// Column views as C userdata: for Lua 5.1, and for LuaJIT while its compiler is off.
// Knows nothing of the compiled views beyond what they call.
#include "bind/manager/column.h"

#include "bind/value/compiled.h"
#include "storage/bulk.h"
#include "storage/manager_check.h"

#include <stdarg.h>
#include <string.h>

// Views and accessors do not keep their manager, but what its views share: whether it is there.
// Their one environment table keeps that link; at 1 is the manager object, weakly, or why it went.
typedef struct link {
    ct_manager *core; // there as long as the manager object is, at least
    bool over;        // the manager
} link;

// A column, and a row of it if it is an accessor's.
typedef struct place {
    const ct_bind_kind *class; // first: ct_bind_class_marked asks for it
    const link *link;
    uint32_t field;
    ct_row row;
} place;

static const ct_bind_kind view_class = {"column", NULL};
static const ct_bind_kind accessor_class = {"column accessor", NULL};

// ---------------------------------------------------------------- the manager behind a view

// Pushes the manager object of the view or accessor at index 1: nothing else may keep its name.
static const ct_bind_manager *hold_manager(lua_State *L) {
    ct_bind_push_owned(L, 1);
    lua_rawgeti(L, -1, 1);
    const ct_bind_manager *manager = lua_touserdata(L, -1);
    if (manager == NULL) luaL_error(L, "%s", luaL_optstring(L, -1, "world is destroyed"));
    return manager;
}

// Raises when the manager is over.
static const place *open_place(lua_State *L, const place *p) {
    if (CT_UNLIKELY(p->link->over)) ct_bind_raise_over(L, hold_manager(L));
    ct_manager_flush_deaths(p->link->core);
    return p;
}

// The view or accessor at index 1 of a method, which scripts may call with anything.
static const place *open_self(lua_State *L, const ct_bind_kind *class) {
    return open_place(L, ct_bind_class_self(L, class));
}

// The view or accessor at index 1 of an event.
static const place *open_event(lua_State *L, const ct_bind_kind *class) {
    return open_place(L, ct_bind_class_marked(L, class, sizeof(place)));
}

static const ct_field *field_of(const place *p) { return &p->link->core->fields[p->field]; }

static bool is_vector(const place *p) { return ct_field_info_of(field_of(p)->type)->lanes > 1; }

// Raises "MANAGER.FIELD" and a message.
CT_NORETURN static int fail(lua_State *L, const place *p, const char *format, ...) {
    va_list arguments;
    const ct_manager *core = hold_manager(L)->core;
    va_start(arguments, format);
    ct_bind_push_format(L, format, arguments);
    va_end(arguments);
    luaL_error(L, "%s.%s%s", core->name, core->fields[p->field].name, lua_tostring(L, -1));
    CT_NEVER(0);
}

static int fail_row(lua_State *L, const place *p, double row) {
    int rows = (int)ct_store_count(&p->link->core->store);
    return fail(L, p, ": row %f is outside (%d rows)", row, rows);
}

// A row, or an instance that is not stale.
static ct_row check_row(lua_State *L, int index, const place *p) {
    const ct_store *store = &p->link->core->store;
    ct_row row = {CT_NO_ROW};
    if (CT_UNLIKELY(lua_type(L, index) != LUA_TNUMBER))
        fail(L, p, ": row or instance expected, got %s", ct_bind_type_name(L, index));
    double number = lua_tonumber(L, index);
    if (CT_LIKELY(number >= 0 && number < ct_store_count(store) && number == (uint32_t)number))
        return (ct_row){(uint32_t)number};
    if (ct_store_find_instance(store, number, &row)) return row;
    if (number >= CT_MAX_ROWS && number - number == 0)
        luaL_error(L, "stale %s instance", hold_manager(L)->core->name);
    fail_row(L, p, number);
    return row;
}

static int push_raw(lua_State *L, const place *p, ct_row row) {
    const void *item = ct_manager_shown(p->link->core, p->field, row);
    const ct_field *field = field_of(p);
    if (field->type == CT_FIELD_ENTITY) // numbers, as compiled loops read them
        ct_bind_push_whole(L, *(const uint32_t *)item);
    else if (field->type == CT_FIELD_ENUM)
        ct_bind_push_whole(L, *(const uint8_t *)item);
    else
        return ct_bind_push_item(L, p->link->core, field, item);
    return 1;
}

static void check_writable(lua_State *L, const place *p) {
    ct_bind_check_thawed(L, p->link->core->store.entities);
    if (field_of(p)->read_only) fail(L, p, " is read-only");
    if (!ct_manager_is_open(p->link->core, p->field))
        fail(L, p, " is written in deferred mode or inside a batch");
}

static int finish(lua_State *L, ct_status status) {
    return status == CT_OK ? 0 : ct_bind_manager_fail(L, hold_manager(L), status);
}

// The one value at 'index' as an item. In columns entities are ids: a number is taken as well, and
// of an enum only numbers are. Raises.
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
    return finish(L, ct_manager_write_item(p->link->core, p->field, row, item));
}

// ---------------------------------------------------------------- accessors

// Which lane the key at index 2 names: x y z w, r g b a for colours, 1 to 16 for matrices.
static uint32_t check_lane(lua_State *L, const place *p) {
    int type = lua_type(L, 2); // asked for a number a string would be converted
    uint32_t lane =
        ct_field_find_part(field_of(p)->type, type == LUA_TSTRING ? lua_tostring(L, 2) : NULL,
                           type == LUA_TNUMBER ? lua_tonumber(L, 2) : 0);
    if (lane == ct_field_info_of(field_of(p)->type)->lanes) {
        lua_pushvalue(L, 2);
        const char *key = lua_tostring(L, -1);
        fail(L, p, " has no '%s'", key != NULL ? key : ct_bind_type_name(L, 2));
    }
    if (p->row.i >= ct_store_count(&p->link->core->store)) fail_row(L, p, p->row.i);
    return lane;
}

static int accessor_index(lua_State *L) {
    const place *p = open_event(L, &accessor_class);
    uint32_t lane = check_lane(L, p);
    const float *item = ct_manager_shown(p->link->core, p->field, p->row);
    lua_pushnumber(L, item[lane]);
    return 1;
}

static int accessor_newindex(lua_State *L) {
    const place *p = open_event(L, &accessor_class);
    check_writable(L, p);
    if (lua_type(L, 3) != LUA_TNUMBER)
        return fail(L, p, ": expected a number, got %s", ct_bind_type_name(L, 3));
    uint32_t lane = check_lane(L, p);
    return finish(L,
                  ct_manager_write_lane(p->link->core, p->field, p->row, lane, lua_tonumber(L, 3)));
}

// ---------------------------------------------------------------- views

// view[row], or a method; upvalues 2 and 3: the methods, the metatable of accessors
static int view_index(lua_State *L) {
    if (lua_type(L, 2) == LUA_TSTRING) {
        ct_bind_class_self(L, &view_class);
        lua_pushvalue(L, 2);
        lua_rawget(L, lua_upvalueindex(2));
        return 1;
    }
    const place *p = open_event(L, &view_class);
    ct_row row = check_row(L, 2, p);
    if (!is_vector(p)) return push_raw(L, p, row);
    place *accessor = lua_newuserdata(L, sizeof *accessor);
    *accessor = (place){&accessor_class, p->link, p->field, row};
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_setmetatable(L, -2);
    ct_bind_push_owned(L, 1);
    ct_bind_set_owned(L, -2);
    return 1;
}

static int view_newindex(lua_State *L) {
    const place *p = open_event(L, &view_class);
    check_writable(L, p);
    ct_row row = check_row(L, 2, p);
    if (!is_vector(p)) return write_raw(L, 3, p, row);
    return fail(L, p, ": a vector is written by its parts (column[i].x = 1) or column:set");
}

static int view_get(lua_State *L) {
    const place *p = open_self(L, &view_class);
    return push_raw(L, p, check_row(L, 2, p));
}

static int view_set(lua_State *L) {
    const place *p = open_self(L, &view_class);
    unsigned char item[CT_MAX_ITEM_BYTES];
    check_writable(L, p);
    ct_row row = check_row(L, 2, p);
    if (!is_vector(p)) return write_raw(L, 3, p, row);
    ct_bind_check_item(L, 3, field_of(p), item);
    return finish(L, ct_manager_write_item(p->link->core, p->field, row, item));
}

static int view_count(lua_State *L) {
    ct_bind_push_whole(L, ct_store_count(&open_self(L, &view_class)->link->core->store));
    return 1;
}

// ---------------------------------------------------------------- whole columns

// view:totable([out]) -> out, the numbers of all rows one behind the other
static int view_totable(lua_State *L) {
    enum { RESULT = 2 };
    const place *p = open_self(L, &view_class);
    int filled = 0;
    lua_settop(L, RESULT);
    hold_manager(L);
    if (lua_isnil(L, RESULT)) {
        lua_newtable(L);
        lua_replace(L, RESULT);
    }
    luaL_checktype(L, RESULT, LUA_TTABLE);
    luaL_checkstack(L, ct_field_info_of(field_of(p)->type)->lanes, "too many results");
    int top = lua_gettop(L);
    // The count is asked each time: making strings and tables may run finalizers.
    for (uint32_t row = 0; row < ct_store_count(&p->link->core->store); ++row) {
        push_raw(L, p, (ct_row){row});
        filled += lua_gettop(L) - top;
        for (int at = filled; lua_gettop(L) > top; --at)
            lua_rawseti(L, RESULT, at);
    }
    lua_settop(L, RESULT);
    return 1;
}

// view:fill(value or table): a value for all rows, or one for each
static int view_fill(lua_State *L) {
    const place *p = open_self(L, &view_class);
    uint32_t at, count = ct_store_count(&p->link->core->store);
    ct_message message;
    ct_values values;
    check_writable(L, p);
    lua_settop(L, 2);
    const ct_bind_gather g = ct_bind_gather_begin(L, ct_bind_state_of(L));
    ct_field field = *field_of(p);
    if (field.type == CT_FIELD_ENUM) field.type = CT_FIELD_UINT8; // numbers, as in all views
    bool ids = field.type == CT_FIELD_ENTITY && lua_istable(L, 2);
    if (!(ids ? ct_bind_gather_ids(&g, 2, count, &values)
              : ct_bind_gather_field(&g, 2, NULL, &field, count, &values)))
        return ct_bind_arg_error(L, 2);
    bool sound = ct_bulk_check_values(p->link->core, p->field, count, &values, &at, &message);
    ct_status status =
        sound ? ct_bulk_write(p->link->core, p->field, count, NULL, &values) : CT_ERR_DATA;
    ct_bind_gather_end(&g);
    if (!sound) ct_bind_raise_arg(L, 2, "[%d]: %s", (int)at + 1, message.text);
    return finish(L, status);
}

// view:add_scaled(other, k): view += k x other, another column of the same manager
static int view_add_scaled(lua_State *L) {
    const place *p = open_self(L, &view_class), *other = ct_bind_class_argument(L, 2);
    ct_message message;
    if (other == NULL) ct_bind_raise_arg(L, 2, "column expected, got %s", ct_bind_type_name(L, 2));
    if (other->link != p->link) ct_bind_raise_arg(L, 2, "column of another manager");
    luaL_checktype(L, 3, LUA_TNUMBER);
    if (!ct_bulk_check(p->link->core, p->field, p->link->core, other->field, true, &message))
        ct_bind_raise_arg(L, 2, "%s", message.text);
    check_writable(L, p);
    return finish(
        L, ct_bulk_column_add_scaled(p->link->core, p->field, other->field, lua_tonumber(L, 3)));
}

// view:scale(k): view *= k
static int view_scale(lua_State *L) {
    const place *p = open_self(L, &view_class);
    ct_message message;
    luaL_checktype(L, 2, LUA_TNUMBER);
    check_writable(L, p);
    if (!ct_bulk_check(p->link->core, p->field, p->link->core, p->field, true, &message))
        luaL_error(L, "%s", message.text);
    return finish(L, ct_bulk_column_scale(p->link->core, p->field, lua_tonumber(L, 2)));
}

static int view_pointer(lua_State *L) {
    ct_bind_class_self(L, &view_class);
    return luaL_error(L, "pointer needs LuaJIT with its compiler on");
}

static int view_tostring(lua_State *L) {
    const place *p = open_self(L, &view_class);
    hold_manager(L);
    lua_pushfstring(L, "column %s.%s", p->link->core->name, field_of(p)->name);
    return 1;
}

// Two views of one column are equal, and so are two accessors of one row of it.
static int equals(lua_State *L) {
    const place *a = ct_bind_class_argument(L, 1), *b = ct_bind_class_argument(L, 2);
    lua_pushboolean(L, a != NULL && b != NULL && memcmp(a, b, sizeof *a) == 0);
    return 1;
}

void ct_bind_link_views(lua_State *L, int index, ct_manager *core) {
    link *shared = lua_newuserdata(L, sizeof *shared);
    *shared = (link){core, false};
    ct_bind_push_weak_table(L, "v"); // of values: what is a key is kept
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, 1);
    ct_bind_push_own(L, index, "block"); // compiled views read it, even when the manager has ended
    lua_pushboolean(L, true);
    lua_rawset(L, -3);
    lua_pushvalue(L, -2);
    lua_pushboolean(L, true);
    lua_rawset(L, -3);
    ct_bind_set_owned(L, -2);
    ct_bind_set_own(L, index, "link");
}

void ct_bind_unlink_views(lua_State *L, int index) {
    ct_bind_push_own(L, index, "link");
    ((link *)lua_touserdata(L, -1))->over = true;
    ct_bind_push_owned(L, -1);
    ct_bind_push_own(L, index, "over"); // the text of 'over', or nil for the usual
    lua_rawseti(L, -2, 1);
    lua_pop(L, 2);
    ct_bind_detach_compiled_views(L, index);
}

void ct_bind_push_column(lua_State *L, int index, ct_bind_manager *manager, uint32_t field) {
    index = ct_bind_absindex(L, index);
    ct_bind_push_own(L, index, "link");
    place *view = ct_bind_class_object(L, &view_class, sizeof *view);
    *view = (place){&view_class, lua_touserdata(L, -2), field, {CT_NO_ROW}};
    ct_bind_push_owned(L, -2);
    ct_bind_set_owned(L, -2);
    lua_remove(L, -2);
    ct_bind_compile_view(L, index, manager, field);
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
static const luaL_Reg none[] = {{NULL, NULL}};

// The class on top gets an event, a closure over it and the values above it, which are popped.
// Compiled views and accessors call it, under 'name', when theirs is not the common case.
static void set_event(lua_State *L, int class, const char *event, lua_CFunction f,
                      const char *name) {
    lua_pushvalue(L, class);
    lua_insert(L, class + 1);
    lua_pushcclosure(L, f, lua_gettop(L) - class);
    if (name != NULL) {
        ct_bind_push_compiled(L);
        lua_pushvalue(L, -2);
        lua_setfield(L, -2, name);
        lua_pop(L, 1);
    }
    lua_setfield(L, class, event);
}

void ct_bind_open_column(lua_State *L) {
    ct_bind_class_new(L, &accessor_class, none, NULL, NULL);
    ct_bind_push_registered(L, &accessor_class);
    int accessors = lua_gettop(L), views = accessors + 1;
    set_event(L, accessors, "__index", accessor_index, "accessor_index");
    set_event(L, accessors, "__newindex", accessor_newindex, "accessor_newindex");
    set_event(L, accessors, "__eq", equals, NULL);

    ct_bind_class_new(L, &view_class, view_methods, NULL, view_tostring);
    ct_bind_push_registered(L, &view_class);
    lua_getfield(L, views, "__index");
    lua_pushvalue(L, accessors);
    set_event(L, views, "__index", view_index, "view_index");
    set_event(L, views, "__newindex", view_newindex, "view_newindex");
    set_event(L, views, "__eq", equals, NULL);
    lua_settop(L, accessors - 1);
}
