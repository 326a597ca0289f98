// Methods of the grid manager: cells, tiles, and queries in the world.
#include "bind/component/components.h"

#include "world/placement.h"

// ---------------------------------------------------------------- tiles

// Checks the key and the tile on top. Keys that are not numbers are not checked.
static void check_tile(lua_State *L) {
    double key;
    if (lua_type(L, -2) != LUA_TNUMBER) return;
    if (!ct_bind_to_whole(L, -2, 0, UINT32_MAX, &key))
        ct_bind_raise_arg(L, 3, "[%f]: integer in [0, 4294967295] expected", lua_tonumber(L, -2));
    if (lua_type(L, -1) != LUA_TTABLE)
        ct_bind_raise_arg(L, 3, "[%f]: table expected, got %s", key, ct_bind_type_name(L, -1));
}

// Returns whether the value on top is a solid tile, and its number. Does not raise.
static bool read_tile(lua_State *L, uint32_t *number) {
    double key;
    if (!ct_bind_to_whole(L, -2, 0, UINT32_MAX, &key) || lua_type(L, -1) != LUA_TTABLE)
        return false;
    *number = (uint32_t)key;
    lua_pushliteral(L, "solid");
    lua_rawget(L, -2);
    bool solid = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return solid;
}

// grids:define_resource(name, tiles): keeps the table 'tiles', which replaces an earlier one
static int define_resource(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_changing(L);
    ct_text name = ct_bind_check_resource_name(L, 2);
    uint32_t count = 0, room = 0, number;
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    for (lua_pushnil(L); lua_next(L, 3) != 0; lua_pop(L, 1)) {
        check_tile(L);
        room += read_tile(L, &number);
    }
    uint32_t *solid = lua_newuserdata(L, room * sizeof *solid + 1);
    ct_bind_keep_resource(L);
    // No finalizer runs from here on. An earlier one may have changed the tiles.
    for (lua_pushnil(L); lua_next(L, 3) != 0; lua_pop(L, 1))
        if (read_tile(L, &number) && count < room) solid[count++] = number;
    ct_status status = ct_grid_define_tiles(manager->core, name, solid, count);
    return ct_bind_finish_resource(L, status, CT_GRID);
}

// grids:tile(target, value) -> the defined table for a number, or nil
static int tile(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    ct_bind_check_whole(L, 3, 0, UINT32_MAX);
    const ct_field *tiles = &t.core->fields[ct_manager_find_field(t.core, "tiles")];
    ct_bind_push_item(L, t.core, tiles, ct_manager_item(t.core, tiles, t.row));
    lua_insert(L, 4);
    lua_settop(L, 4);
    ct_bind_push_resources(L);
    ct_bind_push_raw(L, -1, 4);
    if (lua_isnil(L, -1)) return 1;
    ct_bind_push_raw(L, -1, 3);
    return 1;
}

// ---------------------------------------------------------------- cells

// Checks argument 'arg', an integer; returns false if it is outside 0 .. limit - 1.
static bool check_place(lua_State *L, int arg, uint32_t limit, uint32_t *out) {
    double place = ct_bind_check_number(L, arg), whole = 0;
    if (ct_bind_to_whole(L, arg, 0, limit - 1.0, &whole)) {
        *out = (uint32_t)whole;
        return true;
    }
    if (place != place || (place > -1 && place < limit))
        ct_bind_raise_arg(L, arg, "integer expected, got %f", place);
    return false;
}

// Reads arguments 3 and 4 as a cell; returns false if they are outside the grid.
static bool check_cell(lua_State *L, const ct_cells *cells, uint32_t *x, uint32_t *y) {
    bool column = check_place(L, 3, cells->width, x);
    return check_place(L, 4, cells->height, y) && column;
}

static const ct_cells *target_cells(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    return ct_grid_cells(t.core, t.row);
}

// grids:size(target) -> width, height
static int size(lua_State *L) {
    const ct_cells *cells = target_cells(L);
    ct_bind_push_whole(L, cells->width);
    ct_bind_push_whole(L, cells->height);
    return 2;
}

// grids:cell(target, x, y) -> its number; nil outside the grid
static int cell(lua_State *L) {
    const ct_cells *cells = target_cells(L);
    uint32_t x, y;
    if (!check_cell(L, cells, &x, &y)) return ct_bind_return_nil(L);
    return ct_bind_return_whole(L, cells->at[(size_t)y * cells->width + x]);
}

// grids:flips(target, x, y) -> horizontal, vertical, diagonal; nil outside the grid
static int flips(lua_State *L) {
    const ct_cells *cells = target_cells(L);
    uint32_t x, y;
    if (!check_cell(L, cells, &x, &y)) return ct_bind_return_nil(L);
    uint32_t found = ct_cells_flips(cells, y * cells->width + x);
    lua_pushboolean(L, (found & CT_FLIP_HORIZONTAL) != 0);
    lua_pushboolean(L, (found & CT_FLIP_VERTICAL) != 0);
    lua_pushboolean(L, (found & CT_FLIP_DIAGONAL) != 0);
    return 3;
}

// Raises for the cell at arguments 3 and 4 if it is outside the grid.
static void check_inside(lua_State *L, const ct_cells *cells, uint32_t *x, uint32_t *y) {
    if (!check_cell(L, cells, x, y))
        ct_bind_raise_arg(L, 3, "cell %f, %f is outside of %f x %f", lua_tonumber(L, 3),
                          lua_tonumber(L, 4), (double)cells->width, (double)cells->height);
}

// grids:set_cell(target, x, y, value)
static int set_cell(lua_State *L) {
    const ct_bind_target t = ct_bind_own_live_target(L);
    uint32_t x, y, value = (uint32_t)ct_bind_check_whole(L, 5, 0, UINT32_MAX);
    check_inside(L, ct_grid_cells(t.core, t.row), &x, &y);
    return ct_bind_manager_finish(L, t.manager, ct_grid_set_cell(t.core, t.row, x, y, value));
}

// grids:set_flips(target, x, y, horizontal, vertical, diagonal)
static int set_flips(lua_State *L) {
    const ct_bind_target t = ct_bind_own_live_target(L);
    uint32_t x, y, wanted = 0;
    for (int i = 0; i < 3; ++i) {
        luaL_checktype(L, 5 + i, LUA_TBOOLEAN);
        if (lua_toboolean(L, 5 + i)) wanted |= 1u << i;
    }
    check_inside(L, ct_grid_cells(t.core, t.row), &x, &y);
    return ct_bind_manager_finish(L, t.manager, ct_grid_set_flips(t.core, t.row, x, y, wanted));
}

// grids:fill(target, x1, y1, x2, y2, value) -> the number of cells of the block, inside the grid
static int fill(lua_State *L) {
    const ct_bind_target t = ct_bind_own_live_target(L);
    uint32_t value = (uint32_t)ct_bind_check_whole(L, 7, 0, UINT32_MAX);
    int64_t corner[4];
    uint64_t count;
    for (int i = 0; i < 4; ++i)
        corner[i] = (int64_t)ct_bind_check_whole(L, 3 + i, -0x1p53, 0x1p53);
    ct_status status =
        ct_grid_fill(t.core, t.row, corner[0], corner[1], corner[2], corner[3], value, &count);
    if (status != CT_OK) return ct_bind_manager_fail(L, t.manager, status);
    return ct_bind_return_whole(L, count);
}

// Upvalues of the step over cells.
enum { MANAGER = 1, OWNER, NEXT, WIDTH, HEIGHT };

static double upvalue(lua_State *L, int number) {
    return lua_tonumber(L, lua_upvalueindex(number));
}

static int next_cell(lua_State *L) {
    const ct_bind_manager *manager =
        ct_bind_check_handle(L, lua_upvalueindex(MANAGER), &ct_bind_manager_kind);
    ct_entity owner = {CT_NOBODY};
    if (manager->destroyed != NULL) return ct_bind_raise_destroyed(L, manager);
    ct_bind_to_entity(L, lua_upvalueindex(OWNER), &owner);
    const ct_store *store = &manager->core->store;
    ct_row row = ct_store_find(store, owner);
    if (row.i == CT_NO_ROW || !ct_entity_manager_alive_or_dying(store->entities, owner))
        return luaL_error(L, "grid: the component was removed during the loop");
    const ct_cells *cells = ct_grid_cells(manager->core, row);
    if (cells->width != upvalue(L, WIDTH) || cells->height != upvalue(L, HEIGHT))
        return luaL_error(L, "grid: the size changed during the loop");
    uint32_t i = (uint32_t)upvalue(L, NEXT), count = ct_cells_count(cells);
    while (i < count && cells->at[i] == 0)
        i++;
    if (i == count) return 0;
    uint32_t x = i % cells->width, y = i / cells->width;
    ct_bind_push_whole(L, x);
    ct_bind_push_whole(L, y);
    ct_bind_push_whole(L, cells->at[i]);
    ct_bind_push_whole(L, i + 1.0);
    lua_replace(L, lua_upvalueindex(NEXT));
    return 3;
}

// grids:cells(target) -> iterator of x, y, value of non-empty cells, row by row
static int cells(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    const ct_cells *all = ct_grid_cells(t.core, t.row);
    double width = all->width, height = all->height;
    lua_pushvalue(L, 1);
    ct_bind_push_entity(L, ct_store_owners(&t.core->store)[t.row.i]);
    ct_bind_push_whole(L, 0);
    ct_bind_push_whole(L, width);
    ct_bind_push_whole(L, height);
    lua_pushcclosure(L, next_cell, HEIGHT);
    return 1;
}

// ---------------------------------------------------------------- in the world

// Reads the four numbers of two points.
static void check_points(lua_State *L, double *numbers) {
    for (int i = 0; i < 4; ++i)
        numbers[i] = ct_bind_check_number(L, 3 + i);
}

// Stores the world view of the target's grid; returns false if it has none.
static bool view_of(lua_State *L, const ct_bind_manager *manager, ct_grid_view *out) {
    return ct_grid_world_view(manager->world, ct_bind_check_target(L, 2, manager), out);
}

// grids:cell_at(target, x, y) -> x, y, value of the cell at a point in the world; nil outside
static int cell_at(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_own_self(L);
    double px = ct_bind_check_number(L, 3), py = ct_bind_check_number(L, 4);
    ct_grid_view view;
    uint32_t x, y;
    if (!view_of(L, manager, &view) || !ct_grid_view_cell(&view, px, py, &x, &y))
        return ct_bind_return_nil(L);
    ct_bind_push_whole(L, x);
    ct_bind_push_whole(L, y);
    ct_bind_push_whole(L, view.cells->at[(size_t)y * view.cells->width + x]);
    return 3;
}

// grids:rectangle(target, x1, y1, x2, y2 [, out]) -> flat x, y, value of the non-empty cells that a
// box in the world touches, and the number of cells
static int rectangle(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_own_self(L);
    double corner[4];
    check_points(L, corner);
    ct_bind_check_target(L, 2, manager);
    lua_settop(L, 7);
    ct_bind_prepare_table(L, 7, 0);
    // A finalizer may have run. Only table growth from here on, so no finalizer can run.
    ct_grid_view view;
    uint32_t found[3];
    int count = 0;
    if (view_of(L, manager, &view)) {
        ct_grid_walk walk = ct_grid_walk_begin(&view, corner[0], corner[1], corner[2], corner[3]);
        while (ct_grid_walk_next(&walk, &found[0], &found[1], &found[2])) {
            for (int i = 0; i < 3; ++i)
                ct_bind_store_whole(L, 7, 3 * count + i + 1, found[i]);
            count++;
        }
    }
    ct_bind_push_whole(L, count);
    return 2;
}

// grids:ray(target, x1, y1, x2, y2) -> x, y, value, hit_x, hit_y of the first solid cell, or nil
static int ray(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_own_self(L);
    double end[4];
    check_points(L, end);
    ct_grid_view view;
    ct_grid_hit hit;
    if (!view_of(L, manager, &view) || !ct_grid_ray(&view, end[0], end[1], end[2], end[3], &hit))
        return ct_bind_return_nil(L);
    ct_bind_push_whole(L, hit.x);
    ct_bind_push_whole(L, hit.y);
    ct_bind_push_whole(L, hit.value);
    lua_pushnumber(L, hit.px);
    lua_pushnumber(L, hit.py);
    return 5;
}

const ct_bind_method ct_bind_grid_methods[] = {
    {"width", ct_bind_get_field, "width"},
    {"height", ct_bind_get_field, "height"},
    CT_BIND_FIELD("cell_size", "set_cell_size"),
    CT_BIND_FIELD("tiles", "set_tiles"),
    {"define_resource", define_resource, NULL},
    {"tile", tile, NULL},
    {"size", size, NULL},
    {"cell", cell, NULL},
    {"set_cell", set_cell, NULL},
    {"fill", fill, NULL},
    {"flips", flips, NULL},
    {"set_flips", set_flips, NULL},
    {"cells", cells, NULL},
    {"cell_at", cell_at, NULL},
    {"rectangle", rectangle, NULL},
    {"ray", ray, NULL},
    {NULL, NULL, NULL},
};
