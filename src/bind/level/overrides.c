// Conversion of the option 'overrides' of world:spawn to overrides of the core.
#include "bind/level/level.h"
#include "bind/world/create.h"

// State of the conversion: the overrides so far, and the current path, which messages contain.
typedef struct reading {
    const ct_bind_parse *g;
    int arg;
    const ct_world *world;
    ct_override *out;
    uint32_t count, capacity;
    ct_text path;
} reading;

// Raises the message on top, preceded by the path. The parse has ended.
CT_NORETURN static void raise_at(const reading *r) {
    const char *path = r->path.bytes;
    ct_bind_raise_arg(r->g->L, r->arg, "overrides: %s%s%s", path != NULL ? path : "",
                      path != NULL ? ": " : "", lua_tostring(r->g->L, -1));
}

// Raises that the value at 'index' is not what is expected.
CT_NORETURN static void refuse_type(const reading *r, const char *expected, int index) {
    ct_bind_parse_end(r->g);
    ct_bind_refuse(r->g->L, "%s, got %s", expected, ct_bind_type_name(r->g->L, index));
    raise_at(r);
}

static void check_plain(const reading *r, int index) {
    if (!ct_bind_has_index(r->g->L, index)) return;
    ct_bind_parse_end(r->g);
    ct_bind_refuse_index(r->g->L);
    raise_at(r);
}

// Adds an override that has only a path.
static ct_override *add(reading *r) {
    r->out = ct_bind_parse_more(r->g, r->out, r->count, &r->capacity, sizeof *r->out);
    ct_override *override = &r->out[r->count++];
    *override = (ct_override){.path = r->path};
    return override;
}

// Adds the override of one component.
static bool add_component(void *user, ct_manager *manager, const ct_bind_values *values,
                          uint32_t place) {
    reading *r = user;
    if (values->hosted) {
        ct_bind_parse_end(r->g);
        return ct_bind_refuse(r->g->L, "%s: not in an override, on_spawn makes it",
                              manager->shape->hosted);
    }
    ct_override *override = add(r);
    override->component = manager->name;
    override->place = place;
    if (values->ids != NULL) override->id = values->ids[0];
    ct_override_value *given =
        ct_bind_parse_take(r->g, ct_manager_all_inputs(manager) * sizeof *given);
    override->value_count = ct_override_take(manager, values->values, given);
    override->values = given;
    return true;
}

// Reads the value on top, with the name below it, as a component, or as an array of components.
static void read_components(reading *r) {
    ct_manager *manager = ct_bind_find_component(r->g->L, r->world);
    if (manager == NULL) {
        ct_bind_fail_unknown(r->g, r->world);
        raise_at(r);
    }
    ct_bind_form form = manager->store.multiple ? CT_BIND_WHOLE : CT_BIND_GIVEN;
    const ct_bind_component_parser p = {
        r->g, form, 1, " (an override cannot remove a component)", add_component, r};
    if (!ct_bind_parse_components(&p, manager)) raise_at(r);
}

// Reads the value on top as the components of the path below it.
static void read_path(reading *r) {
    lua_State *L = r->g->L;
    size_t length;
    uint32_t before = r->count;
    r->path.bytes = NULL;
    if (lua_type(L, -2) != LUA_TSTRING) refuse_type(r, "paths expected for keys", -2);
    r->path.bytes = lua_tolstring(L, -2, &length);
    r->path.length = (uint32_t)length;
    if (lua_type(L, -1) != LUA_TTABLE) refuse_type(r, "table of components expected", -1);
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
    reading r = {.g = g, .arg = arg, .world = world};
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
