// Grid functions for plugins, with checked arguments.
#include "world/checked/checked.h"
#include "world/checked/explained.h"

#include "world/placement.h"

#include <math.h>
#include <string.h>

const uint32_t *ct_checked_grid_cells(const ct_manager *grids, ct_row row, ct_grid_size *size) {
    memset(size, 0, sizeof *size);
    if (!ct_checked_is(grids, &ct_grid_type, row)) return NULL;
    float cell[2];
    const ct_cells *cells = ct_grid_cells(grids, row);
    ct_grid_cell_size(grids, row, cell);
    *size = (ct_grid_size){cells->width, cells->height, cell[0], cell[1]};
    return cells->at;
}

uint32_t ct_checked_grid_cell(const ct_manager *grids, ct_row row, uint32_t x, uint32_t y) {
    if (!ct_checked_is(grids, &ct_grid_type, row)) return 0;
    const ct_cells *cells = ct_grid_cells(grids, row);
    if (x >= cells->width || y >= cells->height) return 0;
    return cells->at[(size_t)y * cells->width + x];
}

ct_status ct_checked_set_grid_cells(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                                    uint32_t count, const uint32_t *values) {
    if (!ct_checked_is(grids, &ct_grid_type, row) || !ct_checked_may_change(grids->store.entities))
        return CT_ERR_DATA;
    const ct_cells *cells = ct_grid_cells(grids, row);
    if (x > cells->width || count > cells->width - x || y >= cells->height) return CT_ERR_DATA;
    // Only the first write can fail: it copies the cells if they are shared.
    for (uint32_t i = 0; i < count; ++i) {
        ct_status status = ct_grid_set_cell(grids, row, x + i, y, values[i]);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

uint32_t ct_checked_grid_flips(const ct_manager *grids, ct_row row, uint32_t x, uint32_t y) {
    if (!ct_checked_is(grids, &ct_grid_type, row)) return 0;
    const ct_cells *cells = ct_grid_cells(grids, row);
    if (x >= cells->width || y >= cells->height) return 0;
    return ct_cells_flips(cells, y * cells->width + x);
}

ct_status ct_checked_set_grid_flips(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                                    uint32_t flips) {
    if (!ct_checked_is(grids, &ct_grid_type, row) || !ct_checked_may_change(grids->store.entities))
        return CT_ERR_DATA;
    const ct_cells *cells = ct_grid_cells(grids, row);
    if (x >= cells->width || y >= cells->height || flips > CT_FLIP_ALL) return CT_ERR_DATA;
    return ct_grid_set_flips(grids, row, x, y, flips);
}

bool ct_checked_grid_solid(const ct_manager *grids, ct_row row, uint32_t value) {
    if (!ct_checked_is(grids, &ct_grid_type, row)) return false;
    const ct_grid_tiles tiles = ct_grid_tiles_of(grids, row);
    return ct_grid_is_solid(&tiles, value);
}

static bool view_of(const ct_world *world, ct_row row, ct_grid_view *out) {
    return ct_checked_is(ct_world_find(world, CT_GRID), &ct_grid_type, row) &&
           ct_grid_world_view(world, row, out);
}

bool ct_checked_grid_cell_at(const ct_world *world, ct_row row, double px, double py, uint32_t *x,
                             uint32_t *y) {
    ct_grid_view view;
    return view_of(world, row, &view) && ct_grid_view_cell(&view, px, py, x, y);
}

uint32_t ct_checked_grid_box(const ct_world *world, ct_row row, const double *box,
                             uint32_t capacity, ct_grid_cell *out) {
    ct_grid_view view;
    ct_grid_cell found;
    uint32_t count = 0;
    if (!view_of(world, row, &view)) return 0;
    ct_grid_walk walk = ct_grid_walk_begin(&view, box[0], box[1], box[2], box[3]);
    for (; ct_grid_walk_next(&walk, &found.x, &found.y, &found.value); ++count) {
        if (count < capacity) out[count] = found;
    }
    return count;
}

bool ct_checked_grid_ray(const ct_world *world, ct_row row, const double *ray, ct_grid_hit *hit) {
    ct_grid_view view;
    return view_of(world, row, &view) && ct_grid_ray(&view, ray[0], ray[1], ray[2], ray[3], hit);
}

// ---------------------------------------------------------------- solid cells

static bool are_finite(const double *numbers, int count) {
    for (int i = 0; i < count; ++i)
        if (!(fabs(numbers[i]) <= DBL_MAX)) return false;
    return true;
}

bool ct_checked_grid_move(const ct_world *world, ct_row row, const double *box, const double *step,
                          ct_grid_where where, void *user, ct_grid_stop *out) {
    const ct_manager *grids = ct_world_find(world, CT_GRID);
    ct_grid_plane plane;
    memset(out, 0, sizeof *out);
    if (!ct_checked_is(grids, &ct_grid_type, row) || !are_finite(box, 4) || !are_finite(step, 2) ||
        box[2] < 0 || box[3] < 0 || !ct_grid_world_plane(world, row, &plane))
        return false;
    const ct_grid_tiles tiles = ct_grid_tiles_of(grids, row);
    const ct_grid_solid solid = {&tiles, where, user};
    *out = ct_grid_move(ct_grid_cells(grids, row), &solid, &plane, box, step);
    return true;
}

// Marks the solid cells in memory of the allocator, to be freed by the caller.
static ct_status mark(const ct_manager *grids, ct_row row, ct_grid_where where, void *user,
                      ct_grid_marks *out) {
    if (!ct_checked_is(grids, &ct_grid_type, row)) return CT_ERR_DATA;
    const ct_cells *cells = ct_grid_cells(grids, row);
    const ct_grid_tiles tiles = ct_grid_tiles_of(grids, row);
    const ct_grid_solid solid = {&tiles, where, user};
    unsigned char *bytes = ct_alloc(grids->store.allocator, ct_cells_count(cells));
    if (bytes == NULL) return ct_out_of_memory(grids->store.allocator);
    *out = ct_grid_mark(cells, &solid, bytes);
    return CT_OK;
}

static void free_marks(const ct_manager *grids, const ct_grid_marks *marks) {
    ct_free(grids->store.allocator, marks->at, (size_t)marks->width * marks->height);
}

ct_status ct_checked_grid_colliders(const ct_manager *grids, ct_row row, ct_grid_where where,
                                    void *user, uint32_t capacity, ct_grid_rectangle *out,
                                    uint32_t *count) {
    ct_grid_marks marks;
    ct_grid_rectangle found;
    *count = 0;
    ct_status status = mark(grids, row, where, user, &marks);
    if (status != CT_OK) return status;
    for (; ct_grid_next_rectangle(&marks, &found); ++*count) {
        if (*count < capacity) out[*count] = found;
    }
    free_marks(grids, &marks);
    return CT_OK;
}

ct_status ct_checked_grid_outlines(const ct_manager *grids, ct_row row, ct_grid_where where,
                                   void *user, uint32_t capacity, ct_grid_corner *out,
                                   uint32_t *count) {
    ct_grid_marks marks;
    ct_grid_corner found = {0, 0, 0};
    *count = 0;
    ct_status status = mark(grids, row, where, user, &marks);
    if (status != CT_OK) return status;
    for (; ct_grid_next_outline(&marks); ++found.outline) {
        for (; ct_grid_next_corner(&marks, &found.x, &found.y); ++*count) {
            if (*count < capacity) out[*count] = found;
        }
    }
    free_marks(grids, &marks);
    return CT_OK;
}

ct_status ct_checked_fill_grid(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                               uint32_t width, uint32_t height, uint32_t value) {
    if (!ct_checked_is(grids, &ct_grid_type, row) || !ct_checked_may_change(grids->store.entities))
        return CT_ERR_DATA;
    const ct_cells *cells = ct_grid_cells(grids, row);
    uint64_t filled;
    if (x > cells->width || width > cells->width - x || y > cells->height ||
        height > cells->height - y)
        return CT_ERR_DATA;
    if (width == 0 || height == 0) return CT_OK;
    return ct_grid_fill(grids, row, x, y, (int64_t)x + width - 1, (int64_t)y + height - 1, value,
                        &filled);
}
