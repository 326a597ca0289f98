// Fuzz target: grids of any cells, written, read and queried in any way, and models of any nodes.
// An input: a sequence of operations.
#include "scene.h"

#include "component/grid_internal.h"
#include "component/model.h"
#include "component/transform.h"
#include "storage/manager_access.h"
#include "world/checked/checked.h"
#include "world/placement.h"

enum { ENTITIES = 4 };

typedef struct play {
    scene s;
    ct_manager *grids;
    ct_entity entities[ENTITIES];
    feed in;
} play;

static ct_row grid_of(play *p) {
    return ct_checked_find(p->grids, p->entities[feed_byte(&p->in) % ENTITIES]);
}

// The values of a grid, each of which may be missing.
typedef struct description {
    uint32_t width, height;
    float cell_size[2];
    ct_text tiles, cells, flips;
    ct_values values[CT_GRID_INPUTS];
} description;

static void describe(play *p, description *d) {
    uint8_t given = feed_byte(&p->in);
    d->width = feed_byte(&p->in);
    d->height = feed_byte(&p->in);
    if ((given & 128) != 0) d->height <<= feed_byte(&p->in) % 32;
    d->cell_size[0] = ct_float_clean(feed_float(&p->in));
    d->cell_size[1] = ct_float_clean(feed_float(&p->in));
    d->tiles = feed_text(&p->in);
    d->cells = feed_text(&p->in);
    d->flips = feed_text(&p->in);
    const void *const items[CT_GRID_INPUTS] = {
        [CT_GRID_IN_WIDTH] = &d->width,        [CT_GRID_IN_HEIGHT] = &d->height,
        [CT_GRID_IN_CELL_SIZE] = d->cell_size, [CT_GRID_IN_TILES] = &d->tiles,
        [CT_GRID_IN_CELLS] = &d->cells,        [CT_GRID_IN_FLIPS] = &d->flips,
    };
    for (int i = 0; i < CT_GRID_INPUTS; ++i)
        d->values[i] = (ct_values){(given >> i & 1) != 0 ? items[i] : NULL, 0};
}

static void create(play *p) {
    description d;
    ct_row row;
    uint32_t i = feed_byte(&p->in) % ENTITIES;
    describe(p, &d);
    if (!ct_entity_manager_alive(&p->s.entities, p->entities[i]))
        p->entities[i] = scene_create(&p->s, 1, (ct_entity){CT_NOBODY});
    ct_row old = ct_checked_find(p->grids, p->entities[i]);
    if (old.i != CT_NO_ROW) ct_checked_remove(p->grids, old);
    (void)ct_checked_add(p->grids, 1, &p->entities[i], d.values, &row);
}

static void assign(play *p) {
    description d;
    ct_message message;
    ct_row row = grid_of(p);
    describe(p, &d);
    if (row.i == CT_NO_ROW) return;
    for (uint32_t i = 0; i < CT_GRID_INPUTS; ++i) {
        if (!ct_field_items_valid(&p->grids->inputs[i], &d.values[i], 1)) return;
    }
    if (ct_manager_check_values(p->grids, d.values, 1, false, &message) &&
        ct_manager_check_assign(p->grids, row, d.values, &message))
        REQUIRE(ct_manager_assign(p->grids, row, d.values) == CT_OK);
}

static void set_cell(play *p) {
    ct_row row = grid_of(p);
    uint32_t x = feed_byte(&p->in), y = feed_byte(&p->in), value = feed_number(&p->in, 65536);
    if (row.i == CT_NO_ROW) return;
    const ct_cells *cells = ct_grid_cells(p->grids, row);
    if (x >= cells->width || y >= cells->height) return;
    REQUIRE(ct_grid_set_cell(p->grids, row, x, y, value) == CT_OK);
    REQUIRE(ct_grid_cells(p->grids, row)->at[y * ct_grid_cells(p->grids, row)->width + x] == value);
}

static void write_field(play *p) {
    uint64_t item[2];
    const ct_text text = feed_text(&p->in);
    uint32_t field = feed_byte(&p->in) % CT_GRID_INPUTS;
    feed_take(&p->in, item, sizeof item);
    (void)ct_checked_write(p->grids, field, grid_of(p),
                           field == CT_GRID_IN_TILES ? (const void *)&text : item);
}

static void move(play *p) {
    ct_manager *transforms = scene_manager(&p->s, CT_TRANSFORM);
    ct_pose pose;
    for (int i = 0; i < 3; ++i) {
        pose.position[i] = ct_float_clean(feed_float(&p->in));
        pose.scale[i] = ct_float_clean(feed_float(&p->in));
    }
    for (int i = 0; i < 4; ++i)
        pose.rotation[i] = ct_float_clean(feed_float(&p->in));
    ct_row row = ct_checked_find(transforms, p->entities[feed_byte(&p->in) % ENTITIES]);
    (void)ct_checked_set_local_pose(transforms, row, &pose);
}

// Queries a point, a box and a ray.
static void query(play *p) {
    ct_row row = grid_of(p);
    ct_grid_view view;
    ct_grid_hit hit;
    double at[4];
    uint32_t x, y, value, touched = 0;
    for (int i = 0; i < 4; ++i)
        at[i] = (double)ct_float_clean(feed_float(&p->in));
    if (row.i == CT_NO_ROW || !ct_grid_world_view(&p->s.world, row, &view)) return;
    const ct_cells *cells = view.cells;
    if (ct_grid_view_cell(&view, at[0], at[1], &x, &y))
        REQUIRE(x < cells->width && y < cells->height);
    ct_grid_walk walk = ct_grid_walk_begin(&view, at[0], at[1], at[2], at[3]);
    for (; ct_grid_walk_next(&walk, &x, &y, &value); ++touched) {
        REQUIRE(x < cells->width && y < cells->height && value != 0);
        REQUIRE(cells->at[y * cells->width + x] == value);
    }
    REQUIRE(touched <= ct_cells_count(cells));
    if (ct_grid_ray(&view, at[0], at[1], at[2], at[3], &hit)) {
        REQUIRE(hit.x < cells->width && hit.y < cells->height);
        REQUIRE(cells->at[hit.y * cells->width + hit.x] == hit.value);
        REQUIRE(ct_grid_is_solid(&view.tiles, hit.value));
    }
}

static void define_tiles(play *p) {
    uint32_t solid[16], count = feed_byte(&p->in) % 17;
    ct_text name = feed_text(&p->in);
    feed_take(&p->in, solid, sizeof solid);
    if (name.length > 0) REQUIRE(ct_grid_define_tiles(p->grids, name, solid, count) == CT_OK);
}

static void define_model(play *p) {
    ct_model_node nodes[8];
    ct_message message;
    ct_manager *models = scene_manager(&p->s, CT_MODEL);
    uint32_t count = feed_byte(&p->in) % 9;
    ct_text name = {"leg", 3};
    if (feed_byte(&p->in) % 2 == 1) name = feed_text(&p->in);
    for (uint32_t i = 0; i < count; ++i) {
        nodes[i].name = feed_text(&p->in);
        nodes[i].parent = feed_byte(&p->in);
        if (nodes[i].parent > 250) nodes[i].parent = CT_MODEL_NO_NODE;
        nodes[i].pose = (ct_pose){{1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
        nodes[i].pose.rotation[0] = ct_float_clean(feed_float(&p->in));
    }
    if (name.length == 0) return;
    (void)ct_model_define(models, name, nodes, count, 1, &message);
    ct_row row = ct_checked_find(models, p->entities[feed_byte(&p->in) % ENTITIES]);
    if (row.i != CT_NO_ROW) (void)ct_checked_write(models, 0, row, &name);
    ct_model_evaluate(models);
}

static void read_text(play *p) {
    ct_text text = feed_text(&p->in);
    ct_message message;
    uint32_t width = feed_byte(&p->in), height = feed_byte(&p->in);
    if (!ct_cells_check_text(width, height, text, &message)) return;
    ct_cells *cells = ct_cells_new(&ct_allocator_malloc, width, height, text);
    unsigned char *bytes = malloc(CT_CELLS_TEXT_HEAD + (size_t)4 * ct_cells_count(cells));
    REQUIRE(cells != NULL && bytes != NULL);
    ct_cells *again =
        ct_cells_new(&ct_allocator_malloc, width, height, ct_cells_write(cells, bytes));
    REQUIRE(ct_cells_equal(cells, again) && ct_cells_hash(cells) == ct_cells_hash(again));
    free(bytes);
    ct_cells_release(cells);
    ct_cells_release(again);
}

static void destroy(play *p) {
    ct_entity_manager_destroy(&p->s.entities, 1, &p->entities[feed_byte(&p->in) % ENTITIES], NULL);
    if (feed_byte(&p->in) % 2 == 1) ct_world_gc(&p->s.world);
}

// Snapshots share cells with grids.
static void restore(play *p) {
    ct_snapshot snapshot;
    ct_message message;
    ct_snapshot_init(&snapshot, &p->s.allocator);
    REQUIRE(ct_snapshot_take(&snapshot, &p->s.worlds, &message) == CT_OK);
    uint64_t hash = scene_hash(&p->s);
    set_cell(p);
    assign(p);
    REQUIRE(ct_snapshot_restore(&snapshot, &p->s.worlds, &message) == CT_OK);
    REQUIRE(scene_hash(&p->s) == hash);
    ct_snapshot_free(&snapshot);
}

static void (*const operations[])(play *) = {create,       assign,    set_cell, write_field,
                                             move,         query,     query,    define_tiles,
                                             define_model, read_text, destroy,  restore};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static play p;
    p.in = (feed){bytes, bytes + count};
    scene_open(&p.s);
    p.grids = scene_manager(&p.s, CT_GRID);
    for (int i = 0; i < ENTITIES; ++i)
        p.entities[i] = scene_create(&p.s, (float)i, p.entities[0]);
    for (int i = 0; i < 64 && feed_left(&p.in) > 0; ++i)
        operations[feed_byte(&p.in) % (sizeof operations / sizeof *operations)](&p);
    scene_validate(&p.s);
    scene_close(&p.s);
    return 0;
}
