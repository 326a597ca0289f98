// Access of scripts to the fields of a component.
#include "bind/manager/attachment.h"
#include "bind/manager/column.h"
#include "bind/value/lua_values.h"
#include "storage/cells.h"
#include "storage/manager_access.h"

#include <string.h>

uint32_t ct_bind_check_field(lua_State *L, int arg, const ct_manager *core) {
    ct_message message;
    const char *name = ct_bind_check_name(L, arg, arg);
    uint32_t field = ct_field_find(core->fields, core->field_count, name, &message);
    if (field == core->field_count) luaL_argerror(L, arg, message.text);
    return field;
}

// The value that the binding keeps for a component counts as the field after the last.
static bool is_attached(const ct_bind_manager *manager, uint32_t field) {
    return CT_UNLIKELY(field == manager->core->field_count);
}

// Returns the field that argument 3 names; the name may also be that of the kept value.
static uint32_t check_value(lua_State *L, const ct_bind_manager *manager) {
    const ct_manager *core = manager->core;
    if (ct_bind_is_hosted(manager) && ct_bind_is_word(L, 3, core->shape->hosted))
        return core->field_count;
    return ct_bind_check_field(L, 3, core);
}

int ct_bind_read_field(lua_State *L, ct_bind_manager *manager, uint32_t field) {
    ct_row row = ct_bind_check_target(L, 2, manager);
    if (is_attached(manager, field)) {
        ct_bind_attachment_of(manager)->push(L, manager, row);
        return 1;
    }
    const ct_field *f = &manager->core->fields[field];
    return ct_bind_push_item(L, manager->core, f, ct_manager_read(manager->core, field, row));
}

// Raises the error of a failed write; the message calls the value 'what'.
static int raise_refused(lua_State *L, int arg, const ct_bind_manager *manager, ct_row row,
                         const char *what, ct_status status) {
    ct_message message;
    if (status != CT_ERR_CYCLE && status != CT_ERR_DATA)
        return ct_bind_manager_fail(L, manager, status);
    ct_manager_refused_message(manager->core, row, what, status, &message);
    return luaL_argerror(L, arg, message.text);
}

static int replace_attached(lua_State *L, ct_bind_manager *manager, int arg) {
    luaL_checkany(L, arg);
    lua_settop(L, arg);
    ct_bind_attachment_of(manager)->replace(L, manager);
    return 0;
}

// Replaces the value of a value field by the value at 'arg'.
static int write_value(lua_State *L, const ct_bind_manager *manager, uint32_t field, int arg) {
    ct_text item;
    luaL_checkany(L, arg);
    if (lua_gettop(L) > arg) luaL_argerror(L, arg + 1, "one value expected");
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    // No finalizer runs from here on.
    ct_bind_hold_value(L, manager->state, manager->core->values, arg, &item);
    ct_status status = ct_manager_write(manager->core, field, row, &item);
    CT_ASSERT(status == CT_OK); // a slot is copied, which cannot fail
    (void)status;
    ct_bind_forget_values(L, manager->core->values);
    return 0;
}

int ct_bind_write_field(lua_State *L, ct_bind_manager *manager, uint32_t field, int arg) {
    if (is_attached(manager, field)) return replace_attached(L, manager, arg);
    if (CT_UNLIKELY(manager->core->fields[field].type == CT_FIELD_VALUE))
        return write_value(L, manager, field, arg);
    unsigned char item[CT_MAX_ITEM_BYTES];
    ct_bind_check_item(L, arg, &manager->core->fields[field], item);
    // After reading the values, which may have run finalizers.
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    ct_message message;
    if (!ct_manager_check_item(manager->core, field, item, &message))
        return luaL_argerror(L, arg, message.text);
    ct_status status = ct_manager_write(manager->core, field, row, item);
    if (status == CT_OK) return 0;
    return raise_refused(L, arg, manager, row, manager->core->fields[field].name, status);
}

// m:read(target, field) -> its value
static int read(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    return ct_bind_read_field(L, manager, check_value(L, manager));
}

// m:write(target, field, ...)
static int write(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    return ct_bind_write_field(L, manager, check_value(L, manager), 4);
}

// m:FIELD(target)
int ct_bind_get_field(lua_State *L) {
    uint32_t field;
    ct_bind_manager *manager = ct_bind_own_accessor(L, &field);
    return ct_bind_read_field(L, manager, field);
}

// m:set_FIELD(target, ...)
int ct_bind_set_field(lua_State *L) {
    uint32_t field;
    ct_bind_manager *manager = ct_bind_own_accessor(L, &field);
    return ct_bind_write_field(L, manager, field, 3);
}

// Pushes a list of all cells, for an input with cells.
static void push_cells(lua_State *L, ct_bind_manager *manager, uint32_t input, ct_row row) {
    ct_cells *cells;
    CT_ASSERT(manager->core->type->get != NULL);
    manager->core->type->get(manager->core, input, row, &cells);
    uint32_t room = ct_cells_count(cells);
    lua_createtable(L, (int)room, 0);
    // A finalizer may have run, so the row is checked again.
    row = ct_bind_check_target(L, 2, manager);
    manager->core->type->get(manager->core, input, row, &cells);
    bool flips = manager->core->inputs[input].flips;
    for (uint32_t i = 0; i < ct_cells_count(cells); ++i)
        ct_bind_store_whole(L, -1, (int)i + 1, flips ? ct_cells_flips(cells, i) : cells->at[i]);
}

// m:get(target) -> table of all fields, in the form that create accepts
static int get(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_bind_check_target(L, 2, manager);
    lua_settop(L, 2);
    lua_newtable(L);
    ct_manager *core = manager->core;
    bool computed = core->type->get != NULL;
    for (uint32_t f = 0; f < (computed ? ct_manager_all_inputs(core) : core->field_count); ++f) {
        // Checked for each field: creating tables and strings may run finalizers.
        ct_row row = ct_bind_check_target(L, 2, manager);
        const ct_field *field = computed ? &core->inputs[f] : &core->fields[f];
        double copy[CT_MAX_ITEM_BYTES / sizeof(double)];
        uint32_t number;
        if (computed && !core->type->get(core, f, row, copy)) continue;
        if (field->cells)
            push_cells(L, manager, f, row);
        else if (computed && field->numbered)
            ct_bind_push_whole(L, *(const uint32_t *)memcpy(&number, copy, sizeof number));
        else
            ct_bind_push_item_value(L, core, field,
                                    computed ? copy : ct_manager_read(core, f, row));
        lua_setfield(L, 3, field->name);
    }
    if (ct_bind_is_hosted(manager)) {
        ct_bind_read_field(L, manager, core->field_count);
        lua_setfield(L, 3, core->shape->hosted);
    }
    return 1;
}

// m:set(target, values)
static int set(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    lua_settop(L, 3);
    luaL_checktype(L, 3, LUA_TTABLE);
    bool given = ct_bind_is_hosted(manager) && ct_bind_push_given(L, manager, 3);
    ct_row row = given ? ct_bind_attachment_of(manager)->check_replace(L, manager)
                       : ct_bind_check_live_target(L, 2, manager);
    const ct_bind_parse g = ct_bind_parse_begin(L, manager->state);
    const ct_component_id *ids;
    const ct_values *values = ct_bind_parse_component(&g, 3, manager->core, CT_BIND_GIVEN, 1, &ids);
    if (values == NULL) return ct_bind_arg_error(L, 3);
    ct_message message;
    if (!ct_manager_check_assign(manager->core, row, values, &message)) {
        ct_bind_parse_end(&g);
        return luaL_argerror(L, 3, message.text);
    }
    ct_status status = ct_manager_assign(manager->core, row, values);
    ct_bind_parse_end(&g);
    if (status != CT_OK)
        raise_refused(L, 3, manager, row, status == CT_ERR_CYCLE ? "parent" : "values", status);
    if (given) ct_bind_attachment_of(manager)->replace(L, manager);
    return 0;
}

// m:fields() -> {{name, type}, ...}, {name, "enum", labels}
static int fields(lua_State *L) {
    const ct_manager *core = ct_bind_manager_self(L)->core;
    lua_newtable(L);
    for (uint32_t f = 0; f < core->field_count; ++f) {
        lua_createtable(L, 2, 0);
        ct_bind_store_string(L, -1, 1, core->fields[f].name);
        ct_bind_store_string(L, -1, 2, ct_field_info_of(core->fields[f].type)->name);
        if (core->fields[f].type == CT_FIELD_ENUM) {
            ct_bind_push_labels(L, &core->fields[f]);
            lua_rawseti(L, -2, 3);
        }
        lua_rawseti(L, -2, (int)f + 1);
    }
    return 1;
}

// m:column(field) -> a view
static int column(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t field = ct_bind_check_field(L, 2, manager->core);
    const ct_field *f = &manager->core->fields[field];
    if (f->type == CT_FIELD_VALUE)
        ct_bind_raise_arg(L, 2, "%s.%s is a value: it has no column", manager->core->name, f->name);
    ct_bind_push_column(L, 1, manager, field);
    return 1;
}

const luaL_Reg ct_bind_field_methods[] = {
    {"read", read},     {"write", write},   {"get", get}, {"set", set},
    {"fields", fields}, {"column", column}, {NULL, NULL},
};
