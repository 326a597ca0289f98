// Solid cell numbers, by the names of tiles.
#include "component/grid_internal.h"

#include "base/runs.h"

#include <stdlib.h>
#include <string.h>

static void free_solid(const ct_grids *g, ct_grid_definition *definition) {
    ct_free(g->base.store.allocator, definition->solid,
            definition->count * sizeof *definition->solid);
}

ct_status ct_grid_define_tiles(ct_manager *grids, ct_text name, const uint32_t *solid,
                               uint32_t count) {
    ct_grids *g = ct_grids_of(grids);
    const ct_allocator *allocator = grids->store.allocator;
    ct_grid_definition next = {NULL, count};
    uint32_t number = ct_resource_names_find(grids, name);
    ct_status status = CT_OK;
    if (number == 0) {
        number = g->definition_count + 1;
        status = ct_array_reserve(allocator, (void **)&g->definitions, &g->definition_capacity,
                                  number, sizeof *g->definitions);
        if (status != CT_OK) return status;
    }
    if (count > 0) {
        next.solid = ct_alloc(allocator, count * sizeof *solid);
        if (next.solid == NULL) return ct_out_of_memory(allocator);
        memcpy(next.solid, solid, count * sizeof *solid);
        qsort(next.solid, count, sizeof *solid, ct_u32_compare);
    }
    status = ct_resource_names_add(grids, name, number);
    if (status != CT_OK) {
        free_solid(g, &next);
        return status;
    }
    if (number > g->definition_count)
        g->definition_count = number;
    else
        free_solid(g, &g->definitions[number - 1]);
    g->definitions[number - 1] = next;
    return CT_OK;
}

ct_grid_tiles ct_grid_tiles_of(const ct_manager *grids, ct_row row) {
    const ct_grids *g = ct_grids_of(grids);
    ct_string name = {ct_store_u32(&grids->store, CT_GRID_TILES)[row.i]};
    uint32_t number = ct_resource_names_number(grids, name);
    if (number == 0) return (ct_grid_tiles){NULL, 0, false};
    const ct_grid_definition *definition = &g->definitions[number - 1];
    return (ct_grid_tiles){definition->solid, definition->count, true};
}

bool ct_grid_is_solid(const ct_grid_tiles *tiles, uint32_t value) {
    if (value == 0 || !tiles->defined) return value != 0;
    uint32_t place = ct_u32_first_from(tiles->solid, tiles->count, value);
    return place < tiles->count && tiles->solid[place] == value;
}

size_t ct_grid_tiles_memory(ct_grids *g, ct_memory_task task) {
    size_t bytes = ct_resource_names_memory(&g->base, task);
    for (uint32_t i = 0; i < g->definition_count; ++i) {
        bytes += g->definitions[i].count * sizeof(uint32_t);
        if (task == CT_MEMORY_FREE) free_solid(g, &g->definitions[i]);
    }
    if (task != CT_MEMORY_FREE) return bytes + g->definition_capacity * sizeof *g->definitions;
    g->definition_count = 0;
    ct_array_trim(g->base.store.allocator, (void **)&g->definitions, &g->definition_capacity, 0,
                  sizeof *g->definitions);
    return 0;
}
