// A plugin for specs: its functions call transform and grid functions of the API, and its callbacks
// try forbidden calls.
#include <lauxlib.h>
#include <lua.h>

#include "cuttle.h"

#if LUA_VERSION_NUM > 501
#undef lua_objlen // a compatibility macro of Lua 5.5 has this name
#define lua_objlen lua_rawlen
#define luaL_register(L, name, functions) luaL_setfuncs(L, functions, 0)
#endif

static const ct_api *api;

static ct_manager *find(lua_State *L, const char *name) {
    return api->find_manager(api->check_world(L, 1), name);
}

// The manager of a name argument: "transform", or one without poses.
static ct_manager *named(lua_State *L, int arg) { return find(L, luaL_checkstring(L, arg)); }

static int push_status(lua_State *L, ct_status status) {
    lua_pushnumber(L, status);
    return 1;
}

// ---------------------------------------------------------------- changed poses

// probe.watch(world, manager) -> status, number
static int watch(lua_State *L) {
    uint32_t number;
    lua_pushnumber(L, api->watch_poses(named(L, 2), &number));
    lua_pushnumber(L, number);
    return 2;
}

// probe.unwatch(world, manager, number) -> whether the watch existed
static int unwatch(lua_State *L) {
    lua_pushboolean(L, api->unwatch_poses(named(L, 2), (uint32_t)luaL_checknumber(L, 3)));
    return 1;
}

// probe.changed(world, manager, number) -> status, all, list of entities
static int changed(lua_State *L) {
    ct_changed_poses poses;
    uint32_t number = (uint32_t)luaL_checknumber(L, 3);
    lua_newtable(L);
    ct_status status = api->changed_poses(named(L, 2), number, &poses);
    for (uint32_t i = 0; i < poses.count; ++i) {
        api->push_entity(L, poses.entities[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_pushnumber(L, status);
    lua_pushboolean(L, poses.all);
    lua_pushvalue(L, -3);
    return 3;
}

// ---------------------------------------------------------------- queries

static ct_query *kept;

// probe.query(world, roles, name, ...) -> status. 'roles' has '+', '!' or '?' for each name.
static int new_query(lua_State *L) {
    ct_manager *managers[CT_MAX_JOINED + 1];
    ct_query_role roles[CT_MAX_JOINED + 1];
    uint32_t count = (uint32_t)lua_gettop(L) - 2;
    const char *marks = luaL_checkstring(L, 2);
    size_t mark_count = strlen(marks);
    ct_query *made;
    ct_status status;
    for (uint32_t i = 0; i < count; ++i) {
        managers[i] = named(L, (int)i + 3);
        roles[i] = CT_QUERY_REQUIRED;
        if (i < mark_count && marks[i] == '!') roles[i] = CT_QUERY_EXCLUDED;
        if (i < mark_count && marks[i] == '?') roles[i] = CT_QUERY_OPTIONAL;
    }
    status =
        api->query(api->check_world(L, 1), count, managers, marks[0] != 0 ? roles : NULL, &made);
    if (status == CT_OK) kept = made;
    return push_status(L, status);
}

static int free_query(lua_State *L) {
    (void)L;
    api->query_free(kept);
    kept = NULL;
    api->query_free(kept);
    return 0;
}

// probe.runs([world, e]) -> status, matches, last step, runs: { count, row of each manager ... }.
// Destroys 'e' after the first run.
static int runs(lua_State *L) {
    ct_query_run run = {0};
    ct_query_step step;
    uint32_t matches;
    lua_settop(L, 2);
    lua_pushnumber(L, api->query_refresh(kept, &matches));
    lua_pushnumber(L, matches);
    lua_newtable(L);
    while ((step = api->query_run(kept, &run)) == CT_QUERY_ROW) {
        lua_newtable(L);
        lua_pushnumber(L, run.count);
        lua_rawseti(L, -2, 1);
        for (int i = 0; i < 3; ++i) {
            lua_pushnumber(L, run.rows[i].i == CT_NO_ROW ? -1 : (double)run.rows[i].i);
            lua_rawseti(L, -2, i + 2);
        }
        lua_rawseti(L, -2, (int)lua_objlen(L, -2) + 1);
        if (lua_isnil(L, 2)) continue;
        ct_entity *dying = (ct_entity *)lua_newuserdata(L, sizeof *dying);
        *dying = api->check_entity(L, 2);
        api->destroy(L, 1, 1, dying);
        lua_settop(L, 5);
    }
    lua_pushnumber(L, step);
    lua_insert(L, -2);
    return 4;
}

// ---------------------------------------------------------------- spaces

// Pushes the entities of an answer as a table.
static void push_answer(lua_State *L, ct_status status, const ct_space_answer *found) {
    lua_newtable(L);
    for (uint32_t i = 0; i < found->count; ++i) {
        api->push_entity(L, found->entities[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_pushnumber(L, status);
}

// probe.space_near(space, x, y, reach, except) -> entries; entities within, status; in a box,
// status; pairs, status
static int space_near(lua_State *L) {
    const double at[3] = {luaL_checknumber(L, 2), luaL_checknumber(L, 3), 0};
    const double reach = luaL_checknumber(L, 4);
    const double low[3] = {at[0] - reach, at[1] - reach, 0};
    const double high[3] = {at[0] + reach, at[1] + reach, 0};
    const ct_space_filter filter = {api->check_entity(L, 5), false, 0};
    ct_space_answer found;
    lua_pushnumber(L, api->refresh_space(L, 1));
    ct_space *space = api->check_space(L, 1);
    push_answer(L, api->space_within(space, at, reach, &filter, &found), &found);
    push_answer(L, api->space_box(space, low, high, NULL, &found), &found);
    push_answer(L, api->space_pairs(space, reach, NULL, &found), &found);
    return 7;
}

// probe.space_nearest(space, x, y, max, except) -> entity, distance, number of nearest_many,
// entity that a ray from there along x touches, fraction
static int space_nearest(lua_State *L) {
    const double at[3] = {luaL_checknumber(L, 2), luaL_checknumber(L, 3), 0};
    const double to[3] = {at[0] + 1000, at[1], 0};
    const double max = luaL_checknumber(L, 4);
    const ct_space_filter filter = {api->check_entity(L, 5), false, 0};
    ct_space *space = api->check_space(L, 1);
    ct_space_near near;
    const ct_space_near *many;
    uint32_t count;
    ct_space_hit hit;
    api->check_status(L, api->space_nearest(space, at, max, &filter, &near), "space");
    api->check_status(L, api->space_nearest_many(space, 100, at, max, NULL, &many, &count),
                      "space");
    api->check_status(L, api->space_ray(space, at, to, 0, &filter, &hit), "space");
    api->push_entity(L, near.entity);
    lua_pushnumber(L, near.distance);
    lua_pushnumber(L, count);
    api->push_entity(L, hit.entity);
    lua_pushnumber(L, hit.fraction);
    return 5;
}

static ct_space *made_space;

// probe.make_space(world, roles, { dimensions =, cell =, radius =, size = } , radius_of,
// radius_field, mask_of, mask_field, name, ...) -> status. 'roles' as for probe.query; manager
// names may be nil.
static int make_space(lua_State *L) {
    enum { OPTIONS = 3, RADIUS_OF, RADIUS_FIELD, MASK_OF, MASK_FIELD, NAMES };
    ct_manager *managers[CT_MAX_JOINED + 1];
    ct_query_role roles[CT_MAX_JOINED + 1];
    const char *marks = luaL_checkstring(L, 2);
    uint32_t count = (uint32_t)lua_gettop(L) + 1 - NAMES;
    ct_space_options options = {.size = sizeof options};
    ct_space *made;
    for (uint32_t i = 0; i < count; ++i) {
        managers[i] = named(L, (int)i + NAMES);
        roles[i] = marks[i] == '!'   ? CT_QUERY_EXCLUDED
                   : marks[i] == '?' ? CT_QUERY_OPTIONAL
                                     : CT_QUERY_REQUIRED;
    }
    lua_getfield(L, OPTIONS, "dimensions");
    lua_getfield(L, OPTIONS, "cell");
    lua_getfield(L, OPTIONS, "radius");
    options.dimensions = (uint32_t)lua_tonumber(L, -3);
    options.cell = lua_tonumber(L, -2);
    options.radius = lua_tonumber(L, -1);
    if (!lua_isnil(L, RADIUS_OF)) options.radius_of = named(L, RADIUS_OF);
    if (!lua_isnil(L, MASK_OF)) options.mask_of = named(L, MASK_OF);
    options.radius_field = (uint32_t)lua_tonumber(L, RADIUS_FIELD);
    options.mask_field = (uint32_t)lua_tonumber(L, MASK_FIELD);
    ct_status status = api->space(api->check_world(L, 1), count, managers, roles, &options, &made);
    if (status == CT_OK) made_space = made;
    return push_status(L, status);
}

// probe.ask_space(x, y, reach, mask) -> status of the update, entries; entities within, status
static int ask_space(lua_State *L) {
    const double at[3] = {luaL_checknumber(L, 1), luaL_checknumber(L, 2), 0};
    const ct_space_filter filter = {
        {CT_NOBODY}, !lua_isnoneornil(L, 4), (uint32_t)luaL_optnumber(L, 4, 0)};
    ct_space_answer found;
    uint32_t count;
    lua_pushnumber(L, api->space_refresh(made_space, &count));
    lua_pushnumber(L, count);
    push_answer(L, api->space_within(made_space, at, luaL_checknumber(L, 3), &filter, &found),
                &found);
    return 4;
}

// probe.free_space([space of a script]) -> status of an update of that space
static int free_space(lua_State *L) {
    uint32_t count;
    if (!lua_isnoneornil(L, 1)) {
        ct_space *space = api->check_space(L, 1);
        api->space_free(space);
        return push_status(L, api->space_refresh(space, &count));
    }
    api->space_free(made_space);
    made_space = NULL;
    api->space_free(made_space);
    return 0;
}

// ---------------------------------------------------------------- world poses, children

// Reads numbers from argument 'arg' on.
static void numbers(lua_State *L, int arg, float *out, int count) {
    for (int i = 0; i < count; ++i)
        out[i] = (float)luaL_checknumber(L, arg + i);
}

// The row of argument 2, which is an entity or a row number.
static ct_row row_of(lua_State *L, const ct_manager *manager) {
    ct_entity e;
    if (api->to_entity(L, 2, &e)) return api->find(manager, e);
    const ct_row row = {(uint32_t)luaL_checknumber(L, 2)};
    return row;
}

static int set_position(lua_State *L) {
    float to[3];
    ct_manager *t = find(L, "transform");
    numbers(L, 3, to, 3);
    return push_status(L, api->set_world_position(t, row_of(L, t), to));
}

static int set_rotation(lua_State *L) {
    float to[4];
    ct_manager *t = find(L, "transform");
    numbers(L, 3, to, 4);
    return push_status(L, api->set_world_rotation(t, row_of(L, t), to));
}

static int set_pose(lua_State *L) {
    ct_pose pose;
    ct_manager *t = find(L, "transform");
    numbers(L, 3, pose.position, 3);
    numbers(L, 6, pose.rotation, 4);
    numbers(L, 10, pose.scale, 3);
    return push_status(L, api->set_world_pose(t, row_of(L, t), &pose));
}

// probe.set_many(world, kind, entities, numbers [, one [, row]]) -> status, refused. 'one': the
// first item is used for all rows; 'row': replaces the last row.
static int set_many(lua_State *L) {
    static const char *const names[] = {"local_pose", "position", "rotation", "pose", NULL};
    static const uint32_t floats[] = {10, 3, 4, 10};
    int kind = luaL_checkoption(L, 2, NULL, names);
    lua_settop(L, 6);
    uint32_t count, width = floats[kind], refused = 7;
    const ct_entity *list = api->check_entities(L, 3, &count);
    uint32_t given = (uint32_t)lua_objlen(L, 4);
    ct_row *rows = lua_newuserdata(L, count * sizeof *rows + 1);
    float *items = lua_newuserdata(L, given * sizeof *items + 1);
    for (uint32_t i = 0; i < given; ++i) {
        lua_rawgeti(L, 4, (int)i + 1);
        items[i] = (float)lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    uint32_t bytes = width * (uint32_t)sizeof *items;
    const ct_values values = {given > 0 ? items : NULL, lua_toboolean(L, 5) ? 0 : bytes};
    ct_manager *t = find(L, "transform");
    api->find_many(t, count, list, rows);
    if (lua_isnumber(L, 6)) rows[count - 1].i = (uint32_t)lua_tonumber(L, 6);
    ct_status status = CT_OK;
    switch (kind) {
    case 0: status = api->set_local_poses(t, count, rows, &values); break;
    case 1: status = api->set_world_positions(t, count, rows, &values, &refused); break;
    case 2: status = api->set_world_rotations(t, count, rows, &values, &refused); break;
    default: status = api->set_world_poses(t, count, rows, &values, &refused); break;
    }
    lua_pushnumber(L, status);
    lua_pushnumber(L, refused);
    return 2;
}

// probe.pose(world, e) -> ten numbers, or the status
static int world_pose(lua_State *L) {
    ct_pose pose;
    ct_manager *t = find(L, "transform");
    ct_status status = api->world_pose(t, row_of(L, t), &pose);
    if (status != CT_OK) return push_status(L, status);
    const float *parts[] = {pose.position, pose.rotation, pose.scale};
    for (int i = 0; i < 10; ++i)
        lua_pushnumber(L, i < 3 ? parts[0][i] : i < 7 ? parts[1][i - 3] : parts[2][i - 7]);
    return 10;
}

// probe.children(world, e) -> list of children, and their count
static int children(lua_State *L) {
    lua_newtable(L);
    ct_manager *t = find(L, "transform");
    ct_row row = row_of(L, t);
    int place = 0;
    for (ct_row c = api->first_child(t, row); c.i != CT_NO_ROW; c = api->next_sibling(t, c)) {
        api->push_entity(L, api->owners(t)[c.i]);
        lua_rawseti(L, -2, ++place);
    }
    lua_pushnumber(L, api->child_count(t, row));
    return 2;
}

// probe.link(world, child, parent) -> status
static int link(lua_State *L) {
    ct_manager *t = find(L, "transform");
    const ct_row parent = {(uint32_t)luaL_checknumber(L, 3)};
    return push_status(L, api->link(t, row_of(L, t), parent, false));
}

// ---------------------------------------------------------------- grids

// probe.cells(world, e) -> list of numbers, width, height, cell_width, cell_height; a boolean
// without cells
static int cells(lua_State *L) {
    ct_grid_size size;
    lua_newtable(L);
    const ct_manager *grids = find(L, "grid");
    const uint32_t *all = api->grid_cells(grids, row_of(L, grids), &size);
    if (all == NULL) {
        lua_pushboolean(L, size.width == 0 && size.height == 0);
        return 1;
    }
    for (uint32_t i = 0; i < size.width * size.height; ++i) {
        lua_pushnumber(L, all[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_pushnumber(L, size.width);
    lua_pushnumber(L, size.height);
    lua_pushnumber(L, size.cell_width);
    lua_pushnumber(L, size.cell_height);
    return 5;
}

// probe.cell(world, e, x, y) -> its number, and whether it is solid
static int cell(lua_State *L) {
    const ct_manager *grids = find(L, "grid");
    ct_row row = row_of(L, grids);
    uint32_t value = api->grid_cell(grids, row, (uint32_t)luaL_checknumber(L, 3),
                                    (uint32_t)luaL_checknumber(L, 4));
    lua_pushnumber(L, value);
    lua_pushboolean(L, api->grid_solid(grids, row, value));
    return 2;
}

// probe.set_cells(world, e, x, y, ...) -> status
static int set_cells(lua_State *L) {
    uint32_t values[16], count = 0;
    for (int arg = 5; arg <= lua_gettop(L) && count < 16; ++arg)
        values[count++] = (uint32_t)luaL_checknumber(L, arg);
    ct_manager *grids = find(L, "grid");
    return push_status(L, api->set_grid_cells(grids, row_of(L, grids),
                                              (uint32_t)luaL_checknumber(L, 3),
                                              (uint32_t)luaL_checknumber(L, 4), count, values));
}

static int push_cell(lua_State *L, uint32_t x, uint32_t y, uint32_t value) {
    lua_pushnumber(L, x);
    lua_pushnumber(L, y);
    lua_pushnumber(L, value);
    return 3;
}

// probe.cell_at(world, e, x, y) -> cell, or nothing
static int cell_at(lua_State *L) {
    uint32_t x, y;
    const ct_manager *grids = find(L, "grid");
    ct_row row = row_of(L, grids);
    if (!api->grid_cell_at(api->check_world(L, 1), row, luaL_checknumber(L, 3),
                           luaL_checknumber(L, 4), &x, &y))
        return 0;
    return push_cell(L, x, y, api->grid_cell(grids, row, x, y));
}

// probe.box(world, e, x1, y1, x2, y2, capacity) -> count, flat list of written cells
static int box(lua_State *L) {
    ct_grid_cell found[16];
    double corners[4];
    for (int i = 0; i < 4; ++i)
        corners[i] = luaL_checknumber(L, 3 + i);
    uint32_t capacity = (uint32_t)luaL_checknumber(L, 7);
    ct_row row = row_of(L, find(L, "grid"));
    uint32_t count = api->grid_box(api->check_world(L, 1), row, corners, capacity, found);
    lua_pushnumber(L, count);
    lua_newtable(L);
    for (uint32_t i = 0; i < count && i < capacity; ++i) {
        const uint32_t parts[] = {found[i].x, found[i].y, found[i].value};
        for (int part = 0; part < 3; ++part) {
            lua_pushnumber(L, parts[part]);
            lua_rawseti(L, -2, 3 * (int)i + part + 1);
        }
    }
    return 2;
}

// probe.ray(world, e, x1, y1, x2, y2) -> cell and entry point, or nothing
static int ray(lua_State *L) {
    ct_grid_hit hit;
    double ends[4];
    for (int i = 0; i < 4; ++i)
        ends[i] = luaL_checknumber(L, 3 + i);
    ct_row row = row_of(L, find(L, "grid"));
    if (!api->grid_ray(api->check_world(L, 1), row, ends, &hit)) return 0;
    push_cell(L, hit.x, hit.y, hit.value);
    lua_pushnumber(L, hit.px);
    lua_pushnumber(L, hit.py);
    return 5;
}

// Only cells with a number of at least *least are solid.
static bool at_least(void *least, uint32_t value, int nx, int ny) {
    (void)nx;
    (void)ny;
    return value >= *(const uint32_t *)least;
}

// probe.move(world, e, least, x, y, half_w, half_h, dx, dy) -> x, y, hit_x, hit_y; or nothing
static int move(lua_State *L) {
    double number[6];
    uint32_t least = (uint32_t)luaL_checknumber(L, 3);
    ct_grid_stop end;
    for (int i = 0; i < 6; ++i)
        number[i] = luaL_checknumber(L, 4 + i);
    ct_row row = row_of(L, find(L, "grid"));
    if (!api->grid_move(api->check_world(L, 1), row, number, number + 4,
                        least > 0 ? at_least : NULL, &least, &end))
        return 0;
    lua_pushnumber(L, end.x);
    lua_pushnumber(L, end.y);
    lua_pushnumber(L, end.hit_x);
    lua_pushnumber(L, end.hit_y);
    return 4;
}

// probe.colliders(world, e, least, capacity) -> status, count, flat list
static int colliders(lua_State *L) {
    ct_grid_rectangle found[8];
    uint32_t least = (uint32_t)luaL_checknumber(L, 3), count;
    uint32_t capacity = (uint32_t)luaL_checknumber(L, 4);
    const ct_manager *grids = find(L, "grid");
    push_status(L, api->grid_colliders(grids, row_of(L, grids), least > 0 ? at_least : NULL, &least,
                                       capacity, found, &count));
    lua_pushnumber(L, count);
    lua_newtable(L);
    for (uint32_t i = 0; i < count && i < capacity; ++i) {
        const uint32_t parts[] = {found[i].x, found[i].y, found[i].width, found[i].height};
        for (int part = 0; part < 4; ++part) {
            lua_pushnumber(L, parts[part]);
            lua_rawseti(L, -2, 4 * (int)i + part + 1);
        }
    }
    return 3;
}

// probe.outlines(world, e, least, capacity) -> status, count, flat list of x, y, outline
static int outlines(lua_State *L) {
    ct_grid_corner found[16];
    uint32_t least = (uint32_t)luaL_checknumber(L, 3), count;
    uint32_t capacity = (uint32_t)luaL_checknumber(L, 4);
    const ct_manager *grids = find(L, "grid");
    push_status(L, api->grid_outlines(grids, row_of(L, grids), least > 0 ? at_least : NULL, &least,
                                      capacity, found, &count));
    lua_pushnumber(L, count);
    lua_newtable(L);
    for (uint32_t i = 0; i < count && i < capacity; ++i) {
        const uint32_t parts[] = {found[i].x, found[i].y, found[i].outline};
        for (int part = 0; part < 3; ++part) {
            lua_pushnumber(L, parts[part]);
            lua_rawseti(L, -2, 3 * (int)i + part + 1);
        }
    }
    return 3;
}

// probe.fill(world, e, x, y, width, height, value) -> status
static int fill(lua_State *L) {
    uint32_t number[5];
    for (int i = 0; i < 5; ++i)
        number[i] = (uint32_t)luaL_checknumber(L, 3 + i);
    ct_manager *grids = find(L, "grid");
    return push_status(L, api->fill_grid(grids, row_of(L, grids), number[0], number[1], number[2],
                                         number[3], number[4]));
}

// probe.flips(world, e, x, y) -> bits
static int flips(lua_State *L) {
    const ct_manager *grids = find(L, "grid");
    lua_pushnumber(L, api->grid_flips(grids, row_of(L, grids), (uint32_t)luaL_checknumber(L, 3),
                                      (uint32_t)luaL_checknumber(L, 4)));
    return 1;
}

// probe.set_flips(world, e, x, y, bits) -> status
static int set_flips(lua_State *L) {
    ct_manager *grids = find(L, "grid");
    return push_status(
        L, api->set_grid_flips(grids, row_of(L, grids), (uint32_t)luaL_checknumber(L, 3),
                               (uint32_t)luaL_checknumber(L, 4), (uint32_t)luaL_checknumber(L, 5)));
}

// ---------------------------------------------------------------- fields of other components

// probe.field_types(world, manager) -> the type of each field, and of a missing one
static int field_types(lua_State *L) {
    const ct_manager *manager = named(L, 2);
    uint32_t fields = api->field_count(manager);
    luaL_checkstack(L, (int)fields + 1, "fields");
    for (uint32_t field = 0; field <= fields; ++field)
        lua_pushnumber(L, api->field_type(manager, field));
    return (int)fields + 1;
}

// probe.add(world, manager, e[, number]) -> status; without a number, values is NULL
static int add(lua_State *L) {
    ct_entity e = api->check_entity(L, 3);
    const float number = (float)luaL_optnumber(L, 4, 0);
    const ct_values values[8] = {{&number, 0}};
    ct_row first;
    return push_status(L,
                       api->add(named(L, 2), 1, &e, lua_isnoneornil(L, 4) ? NULL : values, &first));
}

// probe.add_values(world, manager, e, value_count, number) -> status; the number is the first
// value
static int add_values(lua_State *L) {
    ct_entity e = api->check_entity(L, 3);
    uint32_t value_count = (uint32_t)luaL_checknumber(L, 4);
    const float number = (float)luaL_checknumber(L, 5);
    ct_values *values = lua_newuserdata(L, (value_count + 1) * sizeof *values);
    ct_row first;
    memset(values, 0, value_count * sizeof *values);
    if (value_count > 0) values[0].items = &number;
    return push_status(L, api->add_values(named(L, 2), 1, &e, value_count,
                                          value_count > 0 ? values : NULL, &first));
}

// ---------------------------------------------------------------- a component with forbidden
// calls

static uint32_t refused, allowed;

static void count(ct_status status) {
    refused += status == CT_ERR_DATA;
    allowed += status != CT_ERR_DATA;
}

// All calls that would change the manager, made from its callbacks.
static void meddle(ct_manager *manager) {
    const ct_row row = {0};
    const float number = 1;
    ct_entity e;
    ct_entity_manager *entities = api->entities(manager);
    count(api->create(entities, 1, &e));
    if (api->count(manager) == 0) return;
    e = api->owners(manager)[0];
    count(api->add(manager, 1, &e, NULL, NULL));
    count(api->add_values(manager, 1, &e, 0, NULL, NULL));
    count(api->write(manager, 0, row, &number));
    count(api->remove(manager, row));
    api->gc(manager, true);
}

static bool opened(void *own, ct_manager *manager) {
    (void)own;
    meddle(manager);
    return true;
}

static void closed(void *own, ct_manager *manager) {
    (void)own;
    meddle(manager);
}

static bool created(void *own, ct_manager *manager, ct_row first, uint32_t rows) {
    (void)own, (void)first, (void)rows;
    meddle(manager);
    return true;
}

static void removing(void *own, ct_manager *manager, ct_row row) {
    (void)own, (void)row;
    meddle(manager);
}

static void moved(void *own, ct_manager *manager, ct_row to, ct_row from) {
    (void)own, (void)to, (void)from;
    meddle(manager);
}

static void written(void *own, ct_manager *manager, ct_row row, uint32_t field) {
    (void)own, (void)row, (void)field;
    meddle(manager);
}

// These callbacks have a const manager, but a plugin could have kept a pointer.
static void meddle_anyway(const ct_manager *manager) { meddle((ct_manager *)(uintptr_t)manager); }

static size_t bytes(const void *own, const ct_manager *manager) {
    (void)own;
    meddle_anyway(manager);
    return 0;
}

static bool validate(const void *own, const ct_manager *manager, char *message, size_t size) {
    (void)own, (void)size;
    meddle_anyway(manager);
    message[0] = '\0';
    return true;
}

static size_t save(const void *own, const ct_manager *manager, void *block, size_t size) {
    (void)own, (void)block, (void)size;
    meddle_anyway(manager);
    return 0;
}

static bool restore(void *own, ct_manager *manager, const void *block, size_t size, bool commit) {
    (void)own, (void)block, (void)size, (void)commit;
    meddle(manager);
    return true;
}

static size_t to_bytes(const void *own, const ct_manager *manager, const ct_row *rows,
                       uint32_t row_count, void *block, size_t size) {
    (void)own, (void)rows, (void)row_count, (void)size;
    meddle_anyway(manager);
    if (block != NULL) *(char *)block = 0;
    return 1;
}

static bool from_bytes(void *own, ct_manager *manager, const void *block, size_t size,
                       char *message, size_t room) {
    (void)own, (void)block, (void)size, (void)room;
    meddle(manager);
    message[0] = '\0';
    return true;
}

// Fields that ct_component_make and ct_field_make do not set are set below.
static ct_component_field fields[1];
static ct_component meddler;

// probe.define(world) -> manager
static int define(lua_State *L) {
    if (meddler.size == 0) {
        fields[0] = ct_field_make("number", CT_FIELD_FLOAT, NULL);
        meddler = ct_component_make("meddler", fields, 1);
        meddler.opened = opened;
        meddler.closed = closed;
        meddler.created = created;
        meddler.removing = removing;
        meddler.moved = moved;
        meddler.written = written;
        meddler.own_bytes = 1;
        meddler.bytes = bytes;
        meddler.validate = validate;
        meddler.save = save;
        meddler.restore = restore;
        meddler.to_bytes = to_bytes;
        meddler.from_bytes = from_bytes;
    }
    api->define(L, 1, &meddler);
    return 1;
}

// probe.meddled() -> the number of refused and of allowed changes from callbacks since the last
// call
static int meddled(lua_State *L) {
    lua_pushnumber(L, refused);
    lua_pushnumber(L, allowed);
    refused = allowed = 0;
    return 2;
}

LUALIB_API int luaopen_probe_world(lua_State *L);

LUALIB_API int luaopen_probe_world(lua_State *L) {
    static const luaL_Reg functions[] = {{"watch", watch},
                                         {"unwatch", unwatch},
                                         {"space_near", space_near},
                                         {"space_nearest", space_nearest},
                                         {"make_space", make_space},
                                         {"ask_space", ask_space},
                                         {"free_space", free_space},
                                         {"changed", changed},
                                         {"query", new_query},
                                         {"free_query", free_query},
                                         {"runs", runs},
                                         {"set_position", set_position},
                                         {"set_rotation", set_rotation},
                                         {"set_pose", set_pose},
                                         {"set_many", set_many},
                                         {"pose", world_pose},
                                         {"children", children},
                                         {"link", link},
                                         {"cells", cells},
                                         {"cell", cell},
                                         {"set_cells", set_cells},
                                         {"cell_at", cell_at},
                                         {"box", box},
                                         {"move", move},
                                         {"colliders", colliders},
                                         {"outlines", outlines},
                                         {"fill", fill},
                                         {"flips", flips},
                                         {"set_flips", set_flips},
                                         {"ray", ray},
                                         {"field_types", field_types},
                                         {"add", add},
                                         {"add_values", add_values},
                                         {"define", define},
                                         {"meddled", meddled},
                                         {NULL, NULL}};
    ct_api_keep(L, &api);
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    return 1;
}
