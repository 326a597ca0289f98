// query:space: questions about positions.
#include "bind/world/query.h"

#include "bind/value/list.h"
#include "bind/value/options.h"

#include <math.h>
#include <string.h>

static const ct_bind_kind space_class = {"Space"};

enum { SPACE = 1, QUERY = 1 };

// ---------------------------------------------------------------- construction

// Returns the field that the path at 'index' names, if there is one.
static ct_space_field check_field(lua_State *L, const ct_bind_query *q, int index,
                                  bool (*accepts)(const ct_field *), const char *expected) {
    ct_space_field field = {CT_NO_ROW, CT_NO_ROW};
    ct_message message;
    if (lua_isnil(L, index)) return field;
    field.part = ct_bind_query_part(L, 2, index, q);
    const ct_manager *core = q->managers[field.part]->core;
    const char *name = lua_tostring(L, index);
    field.field = ct_field_find(core->fields, core->field_count, name, &message);
    if (field.field == core->field_count) ct_bind_raise_arg(L, 2, "%s", message.text);
    if (!accepts(&core->fields[field.field]))
        ct_bind_raise_arg(L, 2, "%s: %s.%s is not a field of one %s",
                          accepts == ct_space_can_be_mask ? "mask" : "radius", core->name, name,
                          expected);
    return field;
}

// Returns the transforms of the query.
static ct_manager *check_transform(lua_State *L, const ct_bind_query *q) {
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        if (strcmp(q->managers[i]->core->name, "transform") == 0 &&
            q->matches.roles[i] != CT_QUERY_EXCLUDED)
            return q->managers[i]->core;
    }
    luaL_error(L, "space: the query must contain transform (without '!')");
    return NULL;
}

// query:space{cell =, radius =, mask =, dimensions =} -> Space
int ct_bind_query_space(lua_State *L) {
    enum { CELL = 3, DIMENSIONS, RADIUS, RADIUS_FIELD, MASK_FIELD, OBJECT };
    ct_bind_query *q = ct_bind_query_self(L);
    ct_manager *transforms = check_transform(L, q);
    lua_settop(L, 2);
    luaL_checktype(L, 2, LUA_TTABLE);
    ct_bind_read_options(L, 2, "space", 5);
    ct_space_plan plan = {.cell = lua_tonumber(L, CELL),
                          .dimensions = (uint32_t)ct_bind_option_whole(L, DIMENSIONS, 2, 3, 2),
                          .radius = lua_tonumber(L, RADIUS)};
    if (!ct_space_is_cell(plan.cell) || !(plan.radius >= 0))
        ct_bind_raise_arg(L, 2, "cell and radius: numbers above 0 expected");
    plan.radius_field = check_field(L, q, RADIUS_FIELD, ct_space_can_be_radius, "number");
    plan.mask_field = check_field(L, q, MASK_FIELD, ct_space_can_be_mask, "integer");
    ct_bind_space *space =
        ct_bind_object_over(L, &space_class, sizeof *space, QUERY, "query"); // OBJECT
    q = ct_bind_query_self(L); // a finalizer may have ended the world
    space->query = q;
    space->manager_count = q->matches.part_count;
    memcpy(space->managers, q->managers, sizeof space->managers);
    ct_space_init(&space->core, &q->world->core, transforms, &plan);
    lua_settop(L, OBJECT);
    return 1;
}

static int collect(lua_State *L) {
    ct_space_free(&((ct_bind_space *)ct_bind_self(L, &space_class))->core);
    return 0;
}

// ---------------------------------------------------------------- arguments

ct_space *ct_bind_check_space(lua_State *L, int arg) {
    ct_bind_space *space = ct_bind_test(L, arg, &space_class);
    if (CT_UNLIKELY(space == NULL))
        space = arg == SPACE ? ct_bind_self(L, &space_class) : ct_bind_check(L, arg, &space_class);
    for (uint32_t i = 0; i < space->manager_count; ++i) {
        if (CT_UNLIKELY(space->managers[i]->destroyed != NULL))
            ct_bind_raise_destroyed(L, space->managers[i]);
    }
    if (CT_UNLIKELY(space->core.world == NULL)) luaL_error(L, "Space was collected");
    ct_bind_check_thawed(L, space->core.world->entities);
    return &space->core;
}

// Reads the coordinates of a point from argument *arg on, and moves *arg behind them. Infinities
// are allowed if 'infinite'.
static void check_point(lua_State *L, const ct_space *space, int *arg, bool infinite, double *out) {
    out[2] = 0;
    for (uint32_t i = 0; i < space->plan.dimensions; ++i, ++*arg) {
        out[i] = ct_bind_check_number(L, *arg);
        if (CT_UNLIKELY(out[i] - out[i] != 0 && (!infinite || out[i] != out[i]))) // NOLINT
            ct_bind_raise_arg(L, *arg, "finite number expected, got %f", out[i]);
    }
}

// Returns argument 'arg', a length; 'otherwise' for nil.
static double check_length(lua_State *L, int arg, double otherwise) {
    if (lua_isnoneornil(L, arg) && otherwise >= 0) return otherwise;
    double length = ct_bind_check_number(L, arg);
    if (CT_UNLIKELY(!(length >= 0)))
        ct_bind_raise_arg(L, arg, "number from 0 on expected, got %f", length);
    return length;
}

// Reads the mask at 'arg' and the entity at 'arg' - 1, if 'except'.
static ct_space_filter check_filter(lua_State *L, const ct_space *space, int arg, bool except) {
    ct_space_filter filter = {{CT_NOBODY}, false, 0};
    if (except && !lua_isnoneornil(L, arg - 1)) filter.except = ct_bind_check_entity(L, arg - 1);
    if (lua_isnoneornil(L, arg)) return filter;
    filter.masked = true;
    filter.mask = (uint32_t)(int64_t)ct_bind_check_whole(L, arg, -2147483648.0, 4294967295.0);
    if (!space->index.has_masks) ct_bind_raise_arg(L, arg, "the space has no mask");
    return filter;
}

static void check_status(lua_State *L, ct_status status) {
    if (CT_UNLIKELY(status != CT_OK))
        ct_bind_raise_status(L, status, "pairs", CT_SPACE_MAX_PAIRS, "pairs");
}

// ---------------------------------------------------------------- methods

uint32_t ct_bind_space_refresh(lua_State *L, int index) {
    index = ct_bind_absindex(L, index);
    ct_space *space = ct_bind_check_space(L, index);
    const ct_bind_space *object = lua_touserdata(L, index);
    ct_bind_push_own(L, index, "query");
    ct_bind_query *q = ct_bind_test(L, -1, &ct_bind_query_kind);
    if (q == NULL || q != object->query) ct_bind_raise_replaced(L);
    const ct_query *matches = ct_bind_query_refresh(L, q);
    check_status(L, ct_space_refresh(space, matches));
    lua_pop(L, 1);
    return ct_space_count(space);
}

// space:update() -> number of entries
static int space_update(lua_State *L) {
    return ct_bind_return_whole(L, ct_bind_space_refresh(L, SPACE));
}

static void prepare_out(lua_State *L, int arg) {
    if (lua_gettop(L) < arg) lua_settop(L, arg);
    ct_bind_prepare_list(L, arg);
}

static int fill(lua_State *L, int out, ct_status status, const ct_space_answer *found) {
    check_status(L, status);
    ct_bind_list_fill(L, ct_bind_test_list(L, out), found->count, found->entities);
    lua_pushvalue(L, out);
    return 1;
}

// space:within(x, y, [z,] reach [, out [, mask]]) -> list
static int within(lua_State *L) {
    ct_space *space = ct_bind_check_space(L, SPACE);
    double centre[3];
    int arg = SPACE + 1;
    check_point(L, space, &arg, false, centre);
    double reach = check_length(L, arg++, -1);
    ct_space_filter filter = check_filter(L, space, arg + 1, false);
    prepare_out(L, arg);
    ct_space_answer found;
    space = ct_bind_check_space(L, SPACE); // a new list may have run a finalizer
    return fill(L, arg, ct_space_within(space, centre, reach, &filter, &found), &found);
}

// space:box(x1, y1, [z1,] x2, y2, [z2] [, out [, mask]]) -> list
static int box(lua_State *L) {
    ct_space *space = ct_bind_check_space(L, SPACE);
    double one[3], other[3];
    int arg = SPACE + 1;
    check_point(L, space, &arg, true, one);
    check_point(L, space, &arg, true, other);
    ct_space_filter filter = check_filter(L, space, arg + 1, false);
    prepare_out(L, arg);
    ct_space_answer found;
    space = ct_bind_check_space(L, SPACE);
    return fill(L, arg, ct_space_box(space, one, other, &filter, &found), &found);
}

// space:nearest(x, y, [z] [, max [, except [, mask]]]) -> entity, distance; or nil
static int nearest(lua_State *L) {
    const ct_space *space = ct_bind_check_space(L, SPACE);
    double centre[3];
    ct_space_near found;
    int arg = SPACE + 1;
    check_point(L, space, &arg, false, centre);
    double max = check_length(L, arg, HUGE_VAL);
    ct_space_filter filter = check_filter(L, space, arg + 2, true);
    check_status(L, ct_space_nearest(space, centre, max, &filter, &found));
    if (found.entity.id == CT_NOBODY) return ct_bind_return_nil(L);
    ct_bind_push_entity(L, found.entity);
    lua_pushnumber(L, found.distance);
    return 2;
}

// space:nearest_many(n, x, y, [z] [, max [, except [, mask]]]) -> list, table of distances
static int nearest_many(lua_State *L) {
    ct_space *space = ct_bind_check_space(L, SPACE);
    double centre[3], count = ct_bind_check_whole(L, 2, 0, 4294967295.0);
    int arg = SPACE + 2;
    const ct_space_near *near;
    uint32_t found;
    check_point(L, space, &arg, false, centre);
    double max = check_length(L, arg, HUGE_VAL);
    ct_space_filter filter = check_filter(L, space, arg + 2, true);
    // The table has room for all distances, so that writing them runs no finalizer.
    if (count > ct_space_count(space)) count = ct_space_count(space);
    lua_createtable(L, (int)count, 0);
    ct_bind_list *list = ct_bind_list_new(L);
    lua_insert(L, -2);
    space = ct_bind_check_space(L, SPACE);
    check_status(
        L, ct_space_nearest_many(space, (uint32_t)count, centre, max, &filter, &near, &found));
    ct_bind_list_reserve(L, list, found);
    for (uint32_t i = 0; i < found; ++i) {
        list->items[list->count++] = near[i].entity;
        ct_bind_store_number(L, -1, (int)i + 1, near[i].distance);
    }
    return 2;
}

// space:ray(x1, y1, [z1,] x2, y2, [z2] [, radius [, except [, mask]]])
// -> entity, fraction, x, y, [z,] normal x, y [, z]; or nil
static int ray(lua_State *L) {
    const ct_space *space = ct_bind_check_space(L, SPACE);
    double from[3], to[3];
    ct_space_hit hit;
    int arg = SPACE + 1;
    check_point(L, space, &arg, false, from);
    check_point(L, space, &arg, false, to);
    double thickness = check_length(L, arg, 0);
    ct_space_filter filter = check_filter(L, space, arg + 2, true);
    check_status(L, ct_space_ray(space, from, to, thickness, &filter, &hit));
    if (hit.entity.id == CT_NOBODY) return ct_bind_return_nil(L);
    int count = (int)space->plan.dimensions;
    ct_bind_push_entity(L, hit.entity);
    lua_pushnumber(L, hit.fraction);
    for (int i = 0; i < 2 * count; ++i)
        lua_pushnumber(L, i < count ? hit.at[i] : hit.normal[i - count]);
    return 2 + 2 * count;
}

// space:pairs([reach [, out [, other]]]) -> list, number of pairs
static int space_pairs(lua_State *L) {
    enum { REACH = 2, OUT, OTHER };
    ct_space *space = ct_bind_check_space(L, SPACE), *other = NULL;
    double reach = check_length(L, REACH, 0);
    lua_settop(L, OTHER);
    if (!lua_isnil(L, OTHER)) other = ct_bind_check_space(L, OTHER);
    if (other == space || (other != NULL && other->world != space->world))
        ct_bind_raise_arg(L, OTHER, "another space of the same world expected");
    prepare_out(L, OUT);
    ct_space_answer found;
    space = ct_bind_check_space(L, SPACE);
    if (other != NULL) other = ct_bind_check_space(L, OTHER);
    fill(L, OUT, ct_space_pairs(space, reach, other, &found), &found);
    ct_bind_push_whole(L, found.count >> 1);
    return 2;
}

// space:count() -> number of entries
static int count(lua_State *L) {
    return ct_bind_return_whole(L, ct_space_count(ct_bind_check_space(L, SPACE)));
}

// space:memory() -> bytes
static int memory(lua_State *L) {
    return ct_bind_return_whole(L, ct_space_bytes(ct_bind_check_space(L, SPACE)));
}

static int tostring(lua_State *L) {
    const ct_bind_space *space = ct_bind_self(L, &space_class);
    return ct_bind_return_format(L, "Space (%d entities)", (int)ct_space_count(&space->core));
}

void ct_bind_open_spaces(lua_State *L) {
    static const luaL_Reg methods[] = {{"update", space_update},
                                       {"within", within},
                                       {"box", box},
                                       {"nearest", nearest},
                                       {"nearest_many", nearest_many},
                                       {"ray", ray},
                                       {"pairs", space_pairs},
                                       {"count", count},
                                       {"memory", memory},
                                       {NULL, NULL}};
    ct_bind_class_new(L, &space_class, methods, collect, tostring);
}
