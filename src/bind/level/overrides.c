// Conversion of the option 'overrides' of world:spawn to overrides of the core.
#include "bind/level/level.h"

#include <stdarg.h>

// State of the conversion: the overrides so far and the current place.
typedef struct reading {
    const ct_bind_parse *g;
    lua_State *L;
    int arg;
    const ct_world *world;
    ct_override *out;
    uint32_t count, capacity;
    ct_text path; // path, component and place are also used in messages
    const char *component;
    uint32_t place;
} reading;

// Ends with an error: raises the message on top, preceded by its place. The parse has ended.
CT_NORETURN static void raise_at(const reading *r) {
    lua_State *L = r->L;
    const char *message = lua_tostring(L, -1), *path = r->path.bytes;
    if (r->place > 0)
        ct_bind_raise_arg(L, r->arg, "overrides: %s: %s[%d]: %s", path, r->component, (int)r->place,
                          message);
    if (r->component != NULL)
        ct_bind_raise_arg(L, r->arg, "overrides: %s: %s: %s", path, r->component, message);
    ct_bind_raise_arg(L, r->arg, "overrides: %s%s%s", path != NULL ? path : "",
                      path != NULL ? ": " : "", message);
}

// Raises a message with a format of lua_pushfstring in the same way.
CT_NORETURN static void fail(const reading *r, const char *format, ...) {
    va_list values;
    ct_bind_parse_end(r->g);
    va_start(values, format);
    ct_bind_push_format(r->L, format, values);
    va_end(values);
    raise_at(r);
}

static void check_plain(const reading *r, int index) {
    if (!ct_bind_has_index(r->L, index)) return;
    ct_bind_parse_end(r->g);
    ct_bind_refuse_index(r->L);
    raise_at(r);
}

// Adds an override that has only a path.
static ct_override *add(reading *r) {
    r->out = ct_bind_parse_more(r->g, r->out, r->count, &r->capacity, sizeof *r->out);
    ct_override *override = &r->out[r->count++];
    *override = (ct_override){.path = r->path};
    return override;
}

// Reads the value on top as one component.
static void read_component(reading *r, const ct_manager *manager) {
    lua_State *L = r->L;
    if (lua_type(L, -1) != LUA_TTABLE) {
        bool no = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
        fail(r, "table of values expected, got %s%s", ct_bind_type_name(L, -1),
             no ? " (an override cannot remove a component)" : "");
    }
    ct_bind_form form = manager->store.multiple ? CT_BIND_WHOLE : CT_BIND_GIVEN;
    const ct_bind_values *values = ct_bind_parse_values(r->g, -1, manager, form, 1);
    if (values == NULL) raise_at(r);
    if (values->hosted) fail(r, "%s: not in an override, on_spawn makes it", manager->hosted);
    ct_override *override = add(r);
    override->component = manager->name;
    override->place = r->place;
    if (values->ids != NULL) override->id = values->ids[0];
    ct_override_value *given =
        ct_bind_parse_take(r->g, ct_manager_all_inputs(manager) * sizeof *given);
    override->value_count = ct_override_take(manager, values->values, given);
    override->values = given;
}

// Reads the value on top, with the name below it, as a component, or as an array of components if
// an entity may have several.
static void read_components(reading *r) {
    lua_State *L = r->L;
    r->component = NULL;
    r->place = 0;
    if (lua_type(L, -2) != LUA_TSTRING) fail(r, "component names must be strings");
    const ct_manager *manager = ct_world_find(r->world, lua_tostring(L, -2));
    if (manager == NULL) {
        ct_bind_parse_end(r->g);
        ct_bind_push_unknown_component(L, r->world, lua_tostring(L, -2));
        raise_at(r);
    }
    r->component = manager->name;
    bool several = lua_type(L, -1) == LUA_TTABLE && manager->store.multiple;
    uint32_t length = several ? ct_bind_rawlen(L, -1) : 0;
    if (length == 0) read_component(r, manager);
    if (length > 0) check_plain(r, -1);
    for (r->place = 1; r->place <= length; ++r->place) {
        lua_rawgeti(L, -1, (int)r->place);
        read_component(r, manager);
        lua_pop(L, 1);
    }
}

// Reads the value on top as the components of the path below it.
static void read_path(reading *r) {
    lua_State *L = r->L;
    size_t length;
    uint32_t before = r->count;
    r->path.bytes = NULL;
    r->component = NULL;
    r->place = 0;
    if (lua_type(L, -2) != LUA_TSTRING)
        fail(r, "paths expected for keys, got %s", ct_bind_type_name(L, -2));
    r->path.bytes = lua_tolstring(L, -2, &length);
    r->path.length = (uint32_t)length;
    if (lua_type(L, -1) != LUA_TTABLE)
        fail(r, "table of components expected, got %s", ct_bind_type_name(L, -1));
    check_plain(r, -1);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        read_components(r);
        lua_pop(L, 1);
    }
    if (r->count == before) add(r);
}

const ct_override *ct_bind_parse_overrides(const ct_bind_parse *g, int index, int arg,
                                           const ct_world *world, uint32_t *count) {
    lua_State *L = g->L;
    reading r = {.g = g, .L = L, .arg = arg, .world = world};
    *count = 0;
    if (lua_isnil(L, index)) return NULL;
    check_plain(&r, index);
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        read_path(&r);
        lua_pop(L, 1);
    }
    ct_override_sort(r.out, r.count);
    *count = r.count;
    return r.out;
}
