// Readers of grids: r[y * width + x], the fastest access to cells.
#include "bind/component/components.h"

#include "bind/value/compiled.h"
#include "component/grid.h"

// Cached data of a grid is valid until one of two counters changes: changes of the block of a row's
// cells, and deaths. lua/cuttle/grid_readers.lua declares the first members, too.
typedef struct reader {
    ct_bind_header header;
    const uint32_t *changes, *deaths;
    const uint32_t *cells;
    uint32_t changes_seen, deaths_seen;
    uint32_t count;
    ct_entity owner;
    const ct_bind_manager *manager; // in a block that the reader keeps alive
} reader;

static const ct_bind_kind reader_class = {"GridReader"};

static int raise_removed(lua_State *L, const reader *r) {
    ct_bind_push_entity_name(L, r->owner);
    bool dead = !ct_entity_manager_alive(r->manager->core->store.entities, r->owner);
    return luaL_error(L, dead ? "%s is dead: its grid cannot be read" : "%s has no grid any more",
                      lua_tostring(L, -1));
}

// Finds the cells. For a dying owner this is repeated at each access, because it may be dead at the
// next.
static void find_cells(lua_State *L, reader *r) {
    const ct_manager *core = r->manager->core;
    if (r->manager->destroyed != NULL) ct_bind_raise_destroyed(L, r->manager);
    ct_row row = ct_store_find(&core->store, r->owner);
    if (row.i == CT_NO_ROW || !ct_entity_manager_alive_or_dying(core->store.entities, r->owner))
        raise_removed(L, r);
    const ct_cells *cells = ct_grid_cells(core, row);
    bool alive = ct_entity_manager_alive(core->store.entities, r->owner);
    r->cells = cells->at;
    r->count = ct_cells_count(cells);
    r->changes_seen = alive ? *r->changes : *r->changes - 1;
    r->deaths_seen = *r->deaths;
}

// reader[i] -> the number of cell i, counted by rows from 0; nil outside the grid
static int reader_index(lua_State *L) {
    reader *r = ct_bind_self(L, &reader_class);
    double place;
    if (r->changes_seen != *r->changes || r->deaths_seen != *r->deaths) find_cells(L, r);
    if (ct_bind_to_whole(L, 2, 0, r->count - 1.0, &place))
        return ct_bind_return_whole(L, r->cells[(uint32_t)place]);
    return ct_bind_return_nil(L);
}

static int reader_newindex(lua_State *L) {
    return luaL_error(L, "a reader of cells cannot write them: call set_cell");
}

static int reader_tostring(lua_State *L) {
    const reader *r = ct_bind_self(L, &reader_class);
    ct_bind_push_entity_name(L, r->owner);
    return ct_bind_return_format(L, "GridReader of %s", lua_tostring(L, -1));
}

// grids:reader(target) -> a reader of its cells; FFI data while the compiler is on
static int new_reader(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    const ct_manager *core = t.core;
    ct_entity owner = ct_store_owners(&core->store)[t.row.i];
    bool compiles = ct_bind_push_maker(L, "grid_reader");
    reader *r = ct_bind_object_over(L, &reader_class, sizeof *r, 1, "manager");
    *r = (reader){.header = r->header,
                  .changes = ct_grid_changes(core),
                  .deaths = &core->store.entities->deaths,
                  .changes_seen = *ct_grid_changes(core) - 1,
                  .owner = owner,
                  .manager = t.manager};
    if (compiles) lua_call(L, 1, 1);
    return 1;
}

const ct_bind_method ct_bind_grid_reader_methods[] = {
    {"reader", new_reader, NULL},
    {NULL, NULL, NULL},
};

void ct_bind_open_grids(lua_State *L) {
    int readers = lua_gettop(L) + 1;
    ct_bind_class_new(L, &reader_class, NULL, NULL, reader_tostring);
    ct_bind_push_registered(L, &reader_class);
    ct_bind_set_event(L, readers, "__index", reader_index, "grid_reader_index");
    ct_bind_set_event(L, readers, "__newindex", reader_newindex, NULL);
    lua_pop(L, 1);
}
