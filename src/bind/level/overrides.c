// The option 'overrides' of world:spawn, from what a script writes to what the core takes.
// Knows nothing of what the overrides are for.
#include "bind/level/overrides.h"

#include <stdlib.h>
#include <string.h>

// Overrides that are read, and where.
typedef struct reading {
    const ct_bind_gather *g;
    lua_State *L;
    int arg;
    const ct_world *world;
    ct_override *out; // NULL while they are counted
    uint32_t count;
    ct_text path; // for messages, too, like the rest
    const char *component;
    uint32_t place;
} reading;

// Raises the message on top, with what it is about before it. Nothing is gathered any more.
CT_NORETURN static void raise_at(const reading *r) {
    lua_State *L = r->L;
    const char *message = lua_tostring(L, -1);
    if (r->place > 0)
        lua_pushfstring(L, "overrides: %s: %s[%d]: %s", r->path.bytes, r->component, (int)r->place,
                        message);
    else if (r->component != NULL)
        lua_pushfstring(L, "overrides: %s: %s: %s", r->path.bytes, r->component, message);
    else
        lua_pushfstring(L, "overrides: %s: %s", r->path.bytes, message);
    ct_bind_arg_error(L, r->arg);
}

CT_NORETURN static void raise_type(const reading *r, const char *expected, const char *hint) {
    ct_bind_gather_end(r->g);
    lua_pushfstring(r->L, "%s expected, got %s%s", expected, ct_bind_type_name(r->L, -1), hint);
    raise_at(r);
}

// The path is below the value on top.
static void set_path(reading *r) {
    size_t length;
    r->path.bytes = lua_tolstring(r->L, -2, &length);
    r->path.length = (uint32_t)length;
}

static ct_override_value *take_values(const reading *r, const ct_manager *manager,
                                      const ct_bind_values *values, uint32_t *count) {
    ct_override_value *out = ct_bind_gather_take(r->g, manager->input_count * sizeof *out);
    *count = 0;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        const ct_field *input = &manager->inputs[i];
        if (values->values[i].items != NULL)
            out[(*count)++] =
                (ct_override_value){input->name, input->type, values->values[i].items};
    }
    return out;
}

// The value on top is one component.
static void read_component(reading *r, const ct_manager *manager) {
    lua_State *L = r->L;
    if (lua_type(L, -1) != LUA_TTABLE) {
        bool no = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
        raise_type(r, "table of values", no ? " (an override takes no component away)" : "");
    }
    ct_bind_form form = manager->store.multiple ? CT_BIND_WHOLE : CT_BIND_GIVEN;
    const ct_bind_values *values = ct_bind_gather_values(r->g, -1, manager, form, 1);
    if (values == NULL) raise_at(r);
    if (values->hosted) {
        ct_bind_gather_end(r->g);
        lua_pushfstring(L, "%s: not in an override, on_spawn makes it", manager->type->hosted);
        raise_at(r);
    }
    ct_override *override = &r->out[r->count++];
    override->path = r->path;
    override->component = manager->name;
    override->place = r->place;
    if (values->ids != NULL) override->id = values->ids[0];
    override->values = take_values(r, manager, values, &override->value_count);
}

// The value on top is a component, or an array of them where there may be several, whose name is
// below it.
static void read_components(reading *r) {
    lua_State *L = r->L;
    r->component = NULL;
    r->place = 0;
    if (lua_type(L, -2) != LUA_TSTRING) {
        ct_bind_gather_end(r->g);
        lua_pushliteral(L, "component names must be strings");
        raise_at(r);
    }
    const ct_manager *manager = ct_world_find(r->world, lua_tostring(L, -2));
    if (manager == NULL) {
        ct_bind_gather_end(r->g);
        ct_bind_push_unknown_component(L, r->world, lua_tostring(L, -2));
        raise_at(r);
    }
    r->component = manager->name;
    bool several = lua_type(L, -1) == LUA_TTABLE && manager->store.multiple;
    uint32_t length = several ? ct_bind_rawlen(L, -1) : 0;
    if (length == 0) read_component(r, manager);
    for (r->place = 1; r->place <= length; ++r->place) {
        lua_rawgeti(L, -1, (int)r->place);
        read_component(r, manager);
        lua_pop(L, 1);
    }
}

// The value on top is for the path below it.
static void read_path(reading *r) {
    lua_State *L = r->L;
    uint32_t before = r->count;
    set_path(r);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        read_components(r);
        lua_pop(L, 1);
    }
    if (r->count > before) return;
    r->out[r->count++].path = r->path;
}

// How many there are at most.
static uint32_t survey(reading *r, int index) {
    lua_State *L = r->L;
    uint32_t most = 0;
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            ct_bind_gather_end(r->g);
            lua_pushfstring(L, "overrides: paths expected for keys, got %s",
                            ct_bind_type_name(L, -2));
            ct_bind_arg_error(L, r->arg);
        }
        set_path(r);
        if (lua_type(L, -1) != LUA_TTABLE) raise_type(r, "table of components", "");
        most++;
        lua_pushnil(L);
        while (lua_next(L, -2) != 0) {
            most += 1 + (lua_type(L, -1) == LUA_TTABLE ? ct_bind_rawlen(L, -1) : 0);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    return most;
}

// By path, then by component; the items of one component in order.
static int compare(const void *a, const void *b) {
    const ct_override *one = a, *other = b;
    int order = strcmp(one->path.bytes, other->path.bytes);
    if (order == 0 && one->component != NULL) order = strcmp(one->component, other->component);
    if (order != 0) return order;
    return one->place < other->place ? -1 : one->place > other->place;
}

const ct_override *ct_bind_gather_overrides(const ct_bind_gather *g, int index, int arg,
                                            const ct_world *world, uint32_t *count) {
    lua_State *L = g->L;
    reading r = {.g = g, .L = L, .arg = arg, .world = world};
    *count = 0;
    if (lua_isnil(L, index)) return NULL;
    uint32_t most = survey(&r, index);
    if (most == 0) return NULL;
    r.out = ct_bind_gather_take(g, most * sizeof *r.out);
    memset(r.out, 0, most * sizeof *r.out);
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        read_path(&r);
        lua_pop(L, 1);
    }
    qsort(r.out, r.count, sizeof *r.out, compare);
    *count = r.count;
    return r.out;
}
