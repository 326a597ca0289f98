// Methods of the grid manager for solid cells: boxes that move, rectangles, outlines.
#include "component/grid_shape.h"

#include "bind/component/components.h"
#include "world/placement.h"

// Function 'where' of a script. Its error is kept on top of the stack.
typedef struct script_where {
    lua_State *L;
    int arg;
    bool failed;
} script_where;

// After an error every cell is solid, which ends the work of the core soon.
static bool ask(void *user, uint32_t value, int nx, int ny) {
    script_where *where = user;
    lua_State *L = where->L;
    if (where->failed) return true;
    lua_pushvalue(L, where->arg);
    ct_bind_push_whole(L, value);
    ct_bind_push_whole(L, nx);
    ct_bind_push_whole(L, ny);
    where->failed = ct_bind_call_nested(L, NULL, 3, 1) != 0;
    if (where->failed) return true;
    bool solid = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return solid;
}

// Cells of a target and their solid numbers, for one call of the core. A script may destroy the
// grid in 'where', so the cells are retained: writing retained cells copies them.
typedef struct solid_cells {
    script_where where;
    ct_grid_tiles tiles;
    ct_grid_solid solid;
    ct_cells *cells;
} solid_cells;

static void check_where(lua_State *L, int arg) {
    if (!lua_isnoneornil(L, arg)) luaL_checktype(L, arg, LUA_TFUNCTION);
    lua_settop(L, arg);
    ct_bind_check_nesting(L);
    luaL_checkstack(L, LUA_MINSTACK, "solid cells");
}

// Nothing may raise until 'release'.
static void retain(lua_State *L, int arg, ct_bind_target t, solid_cells *s) {
    s->where = (script_where){L, arg, false};
    s->tiles = ct_grid_tiles_of(t.core, t.row);
    s->solid = (ct_grid_solid){&s->tiles, lua_isnil(L, arg) ? NULL : ask, &s->where};
    s->cells = ct_cells_retain(ct_grid_cells(t.core, t.row));
}

static void release(lua_State *L, const solid_cells *s) {
    ct_cells_release(s->cells);
    if (s->where.failed) lua_error(L);
}

// grids:move(target, x, y, half_w, half_h, dx, dy [, where]) -> x, y, hit_x, hit_y
static int move(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    double number[6];
    for (int i = 0; i < 6; ++i) {
        number[i] = ct_bind_check_number(L, 3 + i);
        if (number[i] - number[i] != 0) // NaN or infinite
            return ct_bind_raise_arg(L, 3 + i, "finite number expected, got %f", number[i]);
        if ((i == 2 || i == 3) && number[i] < 0)
            return ct_bind_raise_arg(L, 3 + i, "number from 0 on expected, got %f", number[i]);
    }
    check_where(L, 9);
    ct_grid_plane plane;
    if (!ct_grid_world_plane(t.manager->world, t.row, &plane))
        return ct_bind_raise_arg(
            L, 2, "the grid is rotated, mirrored or scaled, or its position is not finite");
    solid_cells s;
    retain(L, 9, t, &s);
    const ct_grid_stop end = ct_grid_move(s.cells, &s.solid, &plane, number, number + 4);
    release(L, &s);
    lua_pushnumber(L, end.x);
    lua_pushnumber(L, end.y);
    ct_bind_push_whole(L, end.hit_x);
    ct_bind_push_whole(L, end.hit_y);
    return 4;
}

// Marks the solid cells of the target at argument 2 in a userdata, which is pushed.
static ct_grid_marks mark(lua_State *L) {
    ct_bind_target t = ct_bind_own_target(L);
    check_where(L, 3);
    unsigned char *bytes = NULL;
    uint32_t room = 0, count = ct_cells_count(ct_grid_cells(t.core, t.row));
    while (room < count) { // a finalizer may have changed the grid
        room = count;
        lua_settop(L, 3);
        bytes = lua_newuserdata(L, room);
        t = ct_bind_own_target(L);
        count = ct_cells_count(ct_grid_cells(t.core, t.row));
    }
    solid_cells s;
    retain(L, 3, t, &s);
    const ct_grid_marks marks = ct_grid_mark(s.cells, &s.solid, bytes);
    release(L, &s);
    return marks;
}

// grids:colliders(target [, where]) -> flat x, y, width, height in cells
static int colliders(lua_State *L) {
    ct_grid_marks marks = mark(L);
    ct_grid_rectangle found;
    int count = 0;
    lua_newtable(L);
    while (ct_grid_next_rectangle(&marks, &found)) {
        ct_bind_store_whole(L, -1, ++count, found.x);
        ct_bind_store_whole(L, -1, ++count, found.y);
        ct_bind_store_whole(L, -1, ++count, found.width);
        ct_bind_store_whole(L, -1, ++count, found.height);
    }
    return 1;
}

// grids:outlines(target [, where]) -> loops {x1, y1, x2, y2, ...} in cells
static int outlines(lua_State *L) {
    ct_grid_marks marks = mark(L);
    lua_newtable(L);
    for (int loop = 1; ct_grid_next_outline(&marks); ++loop) {
        int count = 0;
        uint32_t x, y;
        lua_newtable(L);
        while (ct_grid_next_corner(&marks, &x, &y)) {
            ct_bind_store_whole(L, -1, ++count, x);
            ct_bind_store_whole(L, -1, ++count, y);
        }
        lua_rawseti(L, -2, loop);
    }
    return 1;
}

const ct_bind_method ct_bind_grid_shape_methods[] = {
    {"move", move, NULL},
    {"colliders", colliders, NULL},
    {"outlines", outlines, NULL},
    {NULL, NULL, NULL},
};
