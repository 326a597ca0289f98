// Values of components whose layout in a resource is not what their inputs are: transforms.
// Knows nothing of blobs.
#include "bind/level/bake.h"

#include "base/math.h"
#include "component/transform.h"
#include "resource/resource.h"

#include <string.h>

// Columns of the layout, and the work that leads to them. Tables that give the same inputs are
// parsed together, because values of many rows say only for all whether an input was given.
typedef struct baking {
    lua_State *L;
    const ct_manager *manager;
    uint32_t count;
    int tables;
    uint64_t *given;   // inputs that each table gives, one bit each; NOTHING_LEFT: done
    uint32_t *members; // instances of the group at work
    float *columns[4]; // local, world, rotation, scale
    float *group[4];   // the same of the group
    uint32_t *ancestor;
} baking;

#define NOTHING_LEFT UINT64_MAX

static const uint32_t widths[4] = {16, 16, 4, 3};

bool ct_bind_is_baked(const ct_manager *manager) {
    return strcmp(manager->name, CT_TRANSFORM) == 0;
}

static void *room(lua_State *L, uint32_t count, size_t width) {
    return lua_newuserdata(L, count * width + 1);
}

static void make_room(baking *b) {
    for (int c = 0; c < 4; ++c) {
        b->columns[c] = room(b->L, b->count, widths[c] * sizeof(float));
        b->group[c] = room(b->L, b->count, widths[c] * sizeof(float));
    }
    b->given = room(b->L, b->count, sizeof *b->given);
    b->members = room(b->L, b->count, sizeof *b->members);
    b->ancestor = room(b->L, b->count, sizeof *b->ancestor);
}

// Which inputs the table on top gives. What is no input is found out when it is parsed.
static uint64_t inputs_of(lua_State *L, const ct_manager *manager) {
    uint64_t given = 0;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        lua_pushstring(L, manager->inputs[i].name);
        lua_rawget(L, -2);
        if (!lua_isnil(L, -1)) given |= (uint64_t)1 << i;
        lua_pop(L, 1);
    }
    return given;
}

static bool survey(baking *b, uint32_t *instance) {
    for (uint32_t i = 0; i < b->count; ++i) {
        lua_rawgeti(b->L, b->tables, (int)i + 1);
        if (lua_type(b->L, -1) != LUA_TTABLE) {
            lua_pushfstring(b->L, "expected a table, got %s", ct_bind_type_name(b->L, -1));
            *instance = i;
            return false;
        }
        b->given[i] = inputs_of(b->L, b->manager);
        lua_pop(b->L, 1);
    }
    return true;
}

// The tables of all instances that give the same as 'first', in a table that is pushed.
static uint32_t gather(baking *b, uint32_t first) {
    uint64_t given = b->given[first];
    uint32_t count = 0;
    lua_newtable(b->L);
    for (uint32_t i = first; i < b->count; ++i) {
        if (b->given[i] != given) continue;
        b->given[i] = NOTHING_LEFT;
        b->members[count++] = i;
        lua_rawgeti(b->L, b->tables, (int)i + 1);
        lua_rawseti(b->L, -2, (int)count);
    }
    return count;
}

// Whether the values may stand together; else which of the group is at fault.
static bool check_group(baking *b, const ct_bind_values *values, uint32_t *at_fault) {
    const ct_manager *manager = b->manager;
    ct_message message;
    if (manager->type->check(manager, values->values, values->count, &message)) return true;
    for (uint32_t i = 0; i < values->count; ++i) {
        ct_values one[CT_MAX_COLUMNS];
        for (uint32_t v = 0; v < manager->input_count; ++v) {
            one[v] = values->values[v];
            if (one[v].items != NULL)
                one[v].items = (const char *)one[v].items + (size_t)i * one[v].stride;
        }
        *at_fault = i;
        if (!manager->type->check(manager, one, 1, &message)) break;
    }
    lua_pushstring(b->L, message.text);
    return false;
}

static bool bake_group(baking *b, uint32_t first, uint32_t *instance) {
    uint32_t count = gather(b, first), place = 1;
    const ct_bind_gather g = ct_bind_gather_begin(b->L, ct_bind_state_of(b->L));
    const ct_bind_values *values =
        ct_bind_gather_tables(&g, lua_gettop(b->L), b->manager, count, &place);
    if (values == NULL) {
        *instance = b->members[place - 1];
        return false;
    }
    uint32_t at_fault = 0;
    if (!check_group(b, values, &at_fault)) {
        *instance = b->members[at_fault];
        return false;
    }
    // World poses follow when all local ones are there.
    for (uint32_t i = 0; i < count; ++i)
        b->ancestor[i] = CT_NO_ROW;
    ct_transform_bake(values->values, count, b->ancestor, b->group[0], b->group[1], b->group[2],
                      b->group[3]);
    for (uint32_t i = 0; i < count; ++i) {
        for (int c = 0; c < 4; ++c)
            memcpy(b->columns[c] + (size_t)b->members[i] * widths[c],
                   b->group[c] + (size_t)i * widths[c], widths[c] * sizeof(float));
    }
    lua_pop(b->L, 1);
    return true;
}

static void compose_world(baking *b, const ct_bind_hierarchy *h) {
    uint32_t *scratch = room(b->L, h->num_entities, sizeof *scratch);
    ct_resource_ancestors(h->parent_index, h->num_entities, h->entity_index, b->count, scratch,
                          b->ancestor);
    const float *local = b->columns[0];
    float *world = b->columns[1];
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->ancestor[i] != CT_NO_ROW)
            ct_mat4_product(world + (size_t)b->ancestor[i] * 16, local + (size_t)i * 16,
                            world + (size_t)i * 16);
    }
}

bool ct_bind_bake(lua_State *L, int index, const ct_manager *manager,
                  const ct_bind_hierarchy *hierarchy, ct_values *columns, uint32_t *instance) {
    CT_ASSERT(manager->layout_count == 4 && manager->input_count < 64);
    baking b = {.L = L, .manager = manager, .count = hierarchy->num_instances};
    luaL_checkstack(L, LUA_MINSTACK + 16, "too many arguments");
    b.tables = ct_bind_absindex(L, index);
    make_room(&b);
    if (!survey(&b, instance)) return false;
    for (uint32_t i = 0; i < b.count; ++i) {
        if (b.given[i] != NOTHING_LEFT && !bake_group(&b, i, instance)) return false;
    }
    compose_world(&b, hierarchy);
    for (int c = 0; c < 4; ++c)
        columns[c] = (ct_values){b.columns[c], widths[c] * (uint32_t)sizeof(float)};
    return true;
}
