// Grids of a host, by entity.
#include "component/grid.h"

#include "host/host_internal.h"
#include "world/checked/checked.h"

// Returns the grid of an entity, or NULL.
static ct_manager *grid_at(ct_host_entities *host, ct_host_world world, ct_entity e, ct_row *row) {
    return ct_slot_builtin_row(host, world, CT_GRID, e, row);
}

// Returns the grid of an entity for a function that writes it, or NULL.
static ct_manager *writable(ct_host_entities *host, ct_host_world world, ct_entity e, ct_row *row) {
    return ct_slots_may_edit(host) ? grid_at(host, world, e, row) : NULL;
}

// Returns the status of a function that writes cells, with its reason. 'flips' are 0 unless the
// function writes them.
static ct_status written(ct_host_entities *host, ct_status status, const ct_manager *grids,
                         ct_row row, uint32_t flips) {
    const ct_cells *cells = ct_grid_cells(grids, row);
    if (status == CT_ERR_DATA && flips > 7)
        ct_message_set(&host->message, "grid: flips from 0 to 7 expected, got %u", flips);
    else if (status == CT_ERR_DATA)
        ct_message_set(&host->message, "grid: a cell is outside (%u x %u cells)", cells->width,
                       cells->height);
    return ct_slot_status(host, status);
}

ct_status ct_host_define_tiles(ct_host_entities *host, ct_host_world world, const char *name,
                               uint32_t count, const uint32_t *solid) {
    ct_manager *grids = ct_slot_named(host, world, CT_GRID, name);
    if (grids == NULL) return CT_ERR_DATA;
    ct_status status = ct_grid_define_tiles(grids, ct_slot_text(name), solid, count);
    if (status == CT_ERR_FULL) ct_message_set(&host->message, "tiles: too many names");
    return ct_slot_status(host, status);
}

ct_status ct_host_grid_of(ct_host_entities *host, ct_host_world world, ct_entity e,
                          ct_host_grid *out) {
    ct_row row;
    float cell[2];
    const ct_manager *grids = grid_at(host, world, e, &row);
    if (grids == NULL) return CT_ERR_DATA;
    const ct_cells *cells = ct_grid_cells(grids, row);
    ct_grid_cell_size(grids, row, cell);
    const ct_host_grid result = {.width = cells->width,
                                 .height = cells->height,
                                 .cell_width = cell[0],
                                 .cell_height = cell[1],
                                 .cells = cells->at,
                                 .flips = cells->flips};
    return ct_slot_result(host, out, &result, sizeof result);
}

// ---------------------------------------------------------------- writing

ct_status ct_host_set_cells(ct_host_entities *host, ct_host_world world, ct_entity e, uint32_t x,
                            uint32_t y, uint32_t count, const uint32_t *values) {
    ct_row row;
    ct_manager *grids = writable(host, world, e, &row);
    if (grids == NULL) return CT_ERR_DATA;
    return written(host, ct_checked_set_grid_cells(grids, row, x, y, count, values), grids, row, 0);
}

ct_status ct_host_fill_cells(ct_host_entities *host, ct_host_world world, ct_entity e, uint32_t x,
                             uint32_t y, uint32_t width, uint32_t height, uint32_t value) {
    ct_row row;
    ct_manager *grids = writable(host, world, e, &row);
    if (grids == NULL) return CT_ERR_DATA;
    return written(host, ct_checked_fill_grid(grids, row, x, y, width, height, value), grids, row,
                   0);
}

ct_status ct_host_set_flips(ct_host_entities *host, ct_host_world world, ct_entity e, uint32_t x,
                            uint32_t y, uint32_t flips) {
    ct_row row;
    ct_manager *grids = writable(host, world, e, &row);
    if (grids == NULL) return CT_ERR_DATA;
    return written(host, ct_checked_set_grid_flips(grids, row, x, y, flips), grids, row, flips);
}

// ---------------------------------------------------------------- questions

// Returns the world of a grid.
static const ct_world *placed(ct_host_entities *host, ct_host_world world, ct_entity e,
                              ct_row *row) {
    return grid_at(host, world, e, row) != NULL ? &ct_slot_world_of(host, world)->core : NULL;
}

ct_status ct_host_cell_at(ct_host_entities *host, ct_host_world world, ct_entity e,
                          const double *point, ct_grid_cell *out, bool *inside) {
    ct_row row;
    const ct_world *core = placed(host, world, e, &row);
    if (core == NULL) return CT_ERR_DATA;
    ct_grid_cell cell = {0, 0, 0};
    *inside = ct_checked_grid_cell_at(core, row, point[0], point[1], &cell.x, &cell.y);
    if (*inside)
        cell.value = ct_checked_grid_cell(ct_world_find(core, CT_GRID), row, cell.x, cell.y);
    *out = cell;
    return CT_OK;
}

ct_status ct_host_cells_in(ct_host_entities *host, ct_host_world world, ct_entity e,
                           const double *box, uint32_t capacity, ct_grid_cell *out,
                           uint32_t *count) {
    ct_row row;
    const ct_world *core = placed(host, world, e, &row);
    if (core == NULL) return CT_ERR_DATA;
    *count = ct_checked_grid_box(core, row, box, capacity, out);
    return CT_OK;
}

ct_status ct_host_grid_ray(ct_host_entities *host, ct_host_world world, ct_entity e,
                           const double *ray, ct_grid_hit *hit, bool *found) {
    ct_row row;
    const ct_world *core = placed(host, world, e, &row);
    if (core == NULL) return CT_ERR_DATA;
    *found = ct_checked_grid_ray(core, row, ray, hit);
    return CT_OK;
}

ct_status ct_host_grid_move(ct_host_entities *host, ct_host_world world, ct_entity e,
                            const double *box, const double *step, ct_grid_where where, void *user,
                            ct_grid_stop *out) {
    ct_row row;
    const ct_world *core = placed(host, world, e, &row);
    if (core == NULL) return CT_ERR_DATA;
    host->reading++;
    bool ok = ct_checked_grid_move(core, row, box, step, where, user, out);
    host->reading--;
    if (ok) return CT_OK;
    return ct_slot_fail(host, "grid: it is rotated, mirrored or scaled, a number is not "
                              "finite, or a half size is negative");
}

ct_status ct_host_colliders(ct_host_entities *host, ct_host_world world, ct_entity e,
                            ct_grid_where where, void *user, uint32_t capacity,
                            ct_grid_rectangle *out, uint32_t *count) {
    ct_row row;
    const ct_manager *grids = grid_at(host, world, e, &row);
    if (grids == NULL) return CT_ERR_DATA;
    host->reading++;
    ct_status status = ct_checked_grid_colliders(grids, row, where, user, capacity, out, count);
    host->reading--;
    return ct_slot_status(host, status);
}

ct_status ct_host_outlines(ct_host_entities *host, ct_host_world world, ct_entity e,
                           ct_grid_where where, void *user, uint32_t capacity, ct_grid_corner *out,
                           uint32_t *count) {
    ct_row row;
    const ct_manager *grids = grid_at(host, world, e, &row);
    if (grids == NULL) return CT_ERR_DATA;
    host->reading++;
    ct_status status = ct_checked_grid_outlines(grids, row, where, user, capacity, out, count);
    host->reading--;
    return ct_slot_status(host, status);
}
