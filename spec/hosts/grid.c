// A program without Lua that uses a grid: creates it, changes cells, restores a snapshot, moves it,
// queries it.
#include "component/grid.h"
#include "component/transform.h"
#include "level/snapshot.h"
#include "world/checked/checked.h"

#include "host.h"

enum { WIDTH = 4, HEIGHT = 3 };

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_manager *grids, *transforms;
    ct_entity map;
    uint32_t epochs;
} scene;

static ct_row row_of(const scene *s) { return ct_checked_find(s->grids, s->map); }

// The grid is created empty, and its cells are written row by row.
static bool make(scene *s) {
    static const uint32_t rows[HEIGHT][WIDTH] = {{0, 1, 0, 0}, {0, 1, 2, 0}, {0, 0, 2, 1}};
    static const uint32_t size[] = {WIDTH, HEIGHT}, water[] = {2};
    static const float cell_size[] = {16, 8}, position[] = {100, 0, 0};
    const ct_text tiles = {"ground", 6};
    ct_values values[CT_MAX_JOINED] = {{NULL, 0}}, place[CT_MAX_JOINED] = {{NULL, 0}};
    ct_row row;
    values[ct_manager_find_input(s->grids, "width")].items = &size[0];
    values[ct_manager_find_input(s->grids, "height")].items = &size[1];
    values[ct_manager_find_input(s->grids, "cell_size")].items = cell_size;
    values[ct_manager_find_input(s->grids, "tiles")].items = &tiles;
    place[CT_TRANSFORM_IN_POSITION].items = position;
    if (ct_entity_manager_create(&s->entities, 1, &s->map) != CT_OK ||
        ct_checked_add(s->grids, 1, &s->map, values, &row) != CT_OK ||
        ct_checked_add(s->transforms, 1, &s->map, place, &row) != CT_OK ||
        ct_grid_define_tiles(s->grids, tiles, water, 1) != CT_OK)
        return false;
    for (uint32_t y = 0; y < HEIGHT; ++y) {
        if (ct_checked_set_grid_cells(s->grids, row_of(s), 0, y, WIDTH, rows[y]) != CT_OK)
            return false;
    }
    return true;
}

static void show(const scene *s, const char *when) {
    ct_grid_size size;
    const uint32_t *cells = ct_checked_grid_cells(s->grids, row_of(s), &size);
    printf("%s:", when);
    for (uint32_t y = 0; y < size.height; ++y) {
        printf(" ");
        for (uint32_t x = 0; x < size.width; ++x)
            printf("%u", (unsigned)cells[y * size.width + x]);
    }
    printf(", cells of %g x %g\n", (double)size.cell_width, (double)size.cell_height);
}

static void query(const scene *s, const char *when) {
    static const double ray[] = {90, 12, 300, 12}, box[] = {100, 0, 140, 10};
    ct_grid_hit hit;
    ct_grid_cell found[2];
    uint32_t x = 0, y = 0;
    bool inside = ct_checked_grid_cell_at(&s->world, row_of(s), 120, 9, &x, &y);
    uint32_t count = ct_checked_grid_box(&s->world, row_of(s), box, 2, found);
    printf("%s: point in %d (%u, %u), %u in the box, ", when, inside, (unsigned)x, (unsigned)y,
           (unsigned)count);
    if (ct_checked_grid_ray(&s->world, row_of(s), ray, &hit))
        printf("ray stopped by %u at %g, %g\n", (unsigned)hit.value, hit.px, hit.py);
    else
        printf("nothing stops the ray\n");
}

static bool restore(scene *s) {
    static const uint32_t dug[] = {7, 8, 9};
    ct_snapshot_world item = {"field", &s->world, NULL, NULL};
    const ct_snapshot_worlds worlds = {&s->entities, &item, 1};
    ct_snapshot snapshot;
    ct_message message;
    ct_snapshot_init(&snapshot, &ct_allocator_malloc);
    if (ct_snapshot_take(&snapshot, &worlds, &message) != CT_OK) return false;
    if (ct_checked_set_grid_cells(s->grids, row_of(s), 1, 2, 3, dug) != CT_OK) return false;
    show(s, "dug");
    bool restored = ct_snapshot_restore(&snapshot, &worlds, &message) == CT_OK;
    ct_snapshot_free(&snapshot);
    show(s, "restored");
    return restored;
}

static uint32_t count_refused(const scene *s) {
    static const double four[4] = {0};
    const ct_row none = {1}, row = row_of(s);
    const uint32_t value = 1;
    ct_grid_size size;
    ct_grid_hit hit;
    uint32_t x, y;
    return (ct_checked_grid_cells(s->grids, none, &size) == NULL) +
           (ct_checked_grid_cells(s->transforms, row, &size) == NULL) +
           (ct_checked_grid_cell(s->grids, row, WIDTH, 0) == 0) +
           (ct_checked_set_grid_cells(s->grids, row, WIDTH, 0, 1, &value) == CT_ERR_DATA) +
           (ct_checked_set_grid_cells(s->grids, row, 0, HEIGHT, 1, &value) == CT_ERR_DATA) +
           (ct_checked_set_grid_cells(s->grids, row, 1, 0, 0xFFFFFFFFu, &value) == CT_ERR_DATA) +
           (ct_checked_set_grid_cells(s->transforms, row, 0, 0, 1, &value) == CT_ERR_DATA) +
           !ct_checked_grid_cell_at(&s->world, none, 0, 0, &x, &y) +
           !ct_checked_grid_ray(&s->world, none, four, &hit) +
           (ct_checked_grid_box(&s->world, none, four, 0, NULL) == 0) +
           !ct_checked_grid_solid(s->transforms, row, 2);
}

static bool run(scene *s) {
    static const ct_pose small = {{100, 0, 0}, {0, 0, 0, 1}, {0.5f, 0.5f, 1}};
    ct_message message;
    if (!make(s)) return false;
    show(s, "made");
    query(s, "here");
    if (!restore(s)) return false;
    printf("%d is solid, %d is not\n", ct_checked_grid_solid(s->grids, row_of(s), 2),
           ct_checked_grid_solid(s->grids, row_of(s), 1));
    ct_row place = ct_checked_find(s->transforms, s->map);
    if (ct_checked_set_world_pose(s->transforms, place, &small) != CT_OK) return false;
    query(s, "of half the size");
    printf("%u of 11 wrong calls refused\n", (unsigned)count_refused(s));
    return ct_world_validate(&s->world, &message);
}

int main(void) {
    static scene s;
    ct_entity_manager_init(&s.entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&s.world, &ct_allocator_malloc, &s.entities, &s.epochs, 1) != CT_OK) return 1;
    s.grids = ct_world_find(&s.world, CT_GRID);
    s.transforms = ct_world_find(&s.world, CT_TRANSFORM);
    bool ok = run(&s);
    ct_world_free(&s.world);
    ct_entity_manager_free(&s.entities);
    return ok ? 0 : 1;
}
