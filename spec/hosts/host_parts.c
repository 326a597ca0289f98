// A program without Lua with models, grids, states of levels, captured entities, ids and names.
//
// usage: host_parts LEVEL
#include "host_check.h"

#include <math.h>

static unsigned char level_bytes[65536];
static size_t level_size;

typedef struct game {
    budget memory;
    ct_host_entities *host;
    ct_host_world world;
    ct_host_component transform, model, grid, name, mesh;
    ct_entity e[2];
} game;

static const ct_host_world no_world = {0};
static const ct_host_level no_level = {0};
static const ct_pose rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
static const ct_pose right = {{2, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

static ct_status open_game(game *g, size_t left) {
    memset(g, 0, sizeof *g);
    g->host = open_host(&g->memory, left);
    if (g->host == NULL) return CT_ERR_MEMORY;
    TRY(ct_host_world_new(g->host, NULL, &g->world));
    TRY(ct_host_find_component(g->host, g->world, "transform", &g->transform));
    TRY(ct_host_find_component(g->host, g->world, "model", &g->model));
    TRY(ct_host_find_component(g->host, g->world, "grid", &g->grid));
    TRY(ct_host_find_component(g->host, g->world, "mesh", &g->mesh));
    TRY(ct_host_find_component(g->host, g->world, "debug_name", &g->name));
    TRY(ct_host_create(g->host, 2, g->e));
    return ct_host_add(g->host, g->transform, 2, g->e, 0, NULL, NULL);
}

// ---------------------------------------------------------------- models

static ct_status define_crane(game *g, uint32_t count) {
    const ct_host_node nodes[] = {
        {"base", CT_HOST_NO_NODE, rest}, {"arm", 0, right}, {NULL, 1, right}};
    return ct_host_define_model(g->host, g->world, "crane", count, nodes);
}

static void check_definitions(game *g) {
    const ct_host_node late[] = {{"arm", 0, rest}};
    const ct_host_node later[] = {
        {"base", CT_HOST_NO_NODE, rest}, {"arm", 0, right}, {NULL, 2, right}};
    const ct_host_node twice[] = {{"arm", CT_HOST_NO_NODE, rest}, {"arm", 0, right}};
    const ct_text crane = {"crane", 5};
    const ct_host_value resource = {"resource", &crane, 0};
    ct_host_entities *host = g->host;
    REFUSED(host, CT_ERR_DATA, ct_host_add(host, g->model, 1, g->e, 1, &resource, NULL),
            "model: resource: unknown model resource 'crane'");
    REFUSED(host, CT_ERR_DATA, ct_host_define_model(host, g->world, "crane", 1, late),
            "model 'crane': nodes[0].parent: the first node has no earlier node");
    REFUSED(host, CT_ERR_DATA, ct_host_define_model(host, g->world, "crane", 3, later),
            "model 'crane': nodes[2].parent: expected the number of an earlier node, 0 to 1");
    REFUSED(host, CT_ERR_DATA, ct_host_define_model(host, g->world, "crane", 2, twice),
            "model 'crane': nodes[1].name: nodes[0] is called 'arm' already");
    REFUSED(host, CT_ERR_DATA, ct_host_define_model(host, g->world, "", 1, late),
            "a name expected");
    REFUSED(host, CT_ERR_DATA, ct_host_define_model(host, g->world, NULL, 1, late), "a name");
    REFUSED(host, CT_ERR_DATA, define_crane(g, 0), "model 'crane': ");
    REFUSED(host, CT_ERR_DATA, ct_host_define_model(host, no_world, "crane", 1, late),
            "the handle is 0");
    DONE(host, define_crane(g, 3));
    DONE(host, ct_host_add(host, g->model, 1, g->e, 1, &resource, NULL));
    DONE(host, define_crane(g, 3));
    REFUSED(host, CT_ERR_EXISTS, define_crane(g, 2), "model 'crane': ");
}

static void check_nodes(game *g) {
    ct_host_entities *host = g->host;
    ct_host_nodes nodes;
    ct_pose pose;
    float matrix[16];
    uint32_t node = 9;
    nodes.size = sizeof nodes;
    DONE(host, ct_host_nodes_of(host, g->world, g->e[0], &nodes));
    CHECK(nodes.count == 3 && nodes.matrices[2 * 16 + 12] == 4);
    REFUSED(host, CT_ERR_DATA, ct_host_nodes_of(host, g->world, g->e[1], &nodes),
            "entity(1:0) has no model");
    DONE(host, ct_host_find_node(host, g->world, g->e[0], "arm", &node));
    CHECK(node == 1);
    REFUSED(host, CT_ERR_DATA, ct_host_find_node(host, g->world, g->e[0], "arms", &node),
            "crane has no node 'arms' (did you mean 'arm'?)");
    DONE(host, ct_host_set_node_pose(host, g->world, g->e[0], 1, &rest));
    REFUSED(host, CT_ERR_DATA, ct_host_set_node_pose(host, g->world, g->e[0], 3, &rest),
            "the model has 3 nodes, got node 3");
    DONE(host, ct_host_node_pose(host, g->world, g->e[0], 1, &pose));
    CHECK(pose.position[0] == 0);
    DONE(host, ct_host_set_node_pose(host, g->world, g->e[0], 1, &rest));
    DONE(host, ct_host_link_node(host, g->world, g->e[1], g->e[0], 2, false));
    DONE(host, ct_host_evaluate(host, g->world));
    DONE(host, ct_host_node_matrix(host, g->world, g->e[0], 2, matrix));
    CHECK(matrix[12] == 2);
    DONE(host, ct_host_poses(host, g->world, CT_HOST_WORLD, 1, &g->e[1], &pose));
    CHECK(pose.position[0] == 2);
    REFUSED(host, CT_ERR_DATA, ct_host_link_node(host, g->world, g->e[1], g->e[0], 3, false),
            "the model has 3 nodes");
    REFUSED(host, CT_ERR_DATA, ct_host_link_node(host, g->world, g->e[0], g->e[1], 0, false),
            "has no model");
    REFUSED(host, CT_ERR_DATA, ct_host_evaluate(host, no_world), "the handle is 0");
    DONE(host, ct_host_link(host, g->world, g->e[1], g->e[0], false));
    DONE(host, ct_host_destroy_components(host, g->transform, 1, g->e, NULL));
    REFUSED(host, CT_ERR_DATA, ct_host_node_matrix(host, g->world, g->e[0], 2, matrix),
            "entity(0:0) has no transform");
    DONE(host, ct_host_add(host, g->transform, 1, g->e, 0, NULL, NULL));
}

// ---------------------------------------------------------------- grids

static bool is_wall(void *user, uint32_t value, int nx, int ny) {
    game *g = (game *)user;
    ct_entity e;
    (void)nx;
    (void)ny;
    REFUSED(g->host, CT_ERR_DATA, ct_host_create(g->host, 1, &e), "may change nothing");
    return value == 7;
}

static void fill_grid(game *g) {
    static const uint32_t width = 4, height = 3, row[] = {1, 7, 0};
    static const float cell_size[] = {10, 10};
    static const ct_text stone = {"stone", 5};
    const ct_host_value values[] = {{"width", &width, 0},
                                    {"height", &height, 0},
                                    {"cell_size", cell_size, 0},
                                    {"tiles", &stone, 0}};
    ct_host_entities *host = g->host;
    DONE(host, ct_host_add(host, g->grid, 1, g->e, 4, values, NULL));
    DONE(host, ct_host_define_tiles(host, g->world, "stone", 1, &row[1]));
    REFUSED(host, CT_ERR_DATA, ct_host_define_tiles(host, g->world, "", 1, row), "a name expected");
    DONE(host, ct_host_set_cells(host, g->world, g->e[0], 1, 0, 3, row));
    REFUSED(host, CT_ERR_DATA, ct_host_set_cells(host, g->world, g->e[0], 2, 0, 3, row),
            "a cell is outside");
    DONE(host, ct_host_fill_cells(host, g->world, g->e[0], 0, 2, 4, 1, 7));
    REFUSED(host, CT_ERR_DATA, ct_host_fill_cells(host, g->world, g->e[0], 0, 2, 4, 2, 7),
            "a cell is outside");
    DONE(host, ct_host_set_flips(host, g->world, g->e[0], 1, 0, 5));
    REFUSED(host, CT_ERR_DATA, ct_host_set_flips(host, g->world, g->e[0], 1, 0, 8),
            "grid: flips from 0 to 7 expected, got 8");
    REFUSED(host, CT_ERR_DATA, ct_host_set_flips(host, g->world, g->e[1], 1, 0, 8),
            "entity(1:0) has no grid");
}

static void ask_grid(game *g) {
    static const double point[] = {15, 5}, box[] = {12, 1, 25, 9}, ray[] = {1, 15, 39, 15};
    static const double down[] = {5, 1, 5, 35}, step[] = {0, 100}, body[] = {5, 5, 4, 4};
    static const double away[] = {-1, -1}, bad[] = {0, 1e308 * 10};
    ct_host_entities *host = g->host;
    ct_host_grid grid;
    ct_grid_cell cells[4];
    ct_grid_hit hit;
    ct_grid_stop stop;
    ct_grid_rectangle rectangles[4];
    ct_grid_corner corners[16];
    uint32_t count = 0;
    bool found = false;
    grid.size = sizeof grid;
    DONE(host, ct_host_grid_of(host, g->world, g->e[0], &grid));
    CHECK(grid.width == 4 && grid.height == 3 && grid.cell_width == 10);
    CHECK(grid.cells[2] == 7 && grid.flips[1] == 5 && grid.flips[2] == 0);
    DONE(host, ct_host_cell_at(host, g->world, g->e[0], point, cells, &found));
    CHECK(found && cells[0].x == 1 && cells[0].y == 0 && cells[0].value == 1);
    DONE(host, ct_host_cell_at(host, g->world, g->e[0], away, cells, &found));
    CHECK(!found);
    DONE(host, ct_host_cells_in(host, g->world, g->e[0], box, 4, cells, &count));
    CHECK(count == 2 && cells[1].value == 7);
    DONE(host, ct_host_grid_ray(host, g->world, g->e[0], ray, &hit, &found));
    CHECK(!found);
    DONE(host, ct_host_grid_ray(host, g->world, g->e[0], down, &hit, &found));
    CHECK(found && hit.y == 2 && hit.py == 20);
    DONE(host, ct_host_grid_move(host, g->world, g->e[0], body, step, NULL, NULL, &stop));
    CHECK(stop.y == 16 && stop.hit_y == 1 && stop.hit_x == 0);
    DONE(host, ct_host_grid_move(host, g->world, g->e[0], body, step, is_wall, g, &stop));
    CHECK(stop.y == 16);
    REFUSED(host, CT_ERR_DATA,
            ct_host_grid_move(host, g->world, g->e[0], body, bad, NULL, NULL, &stop), "not finite");
    DONE(host, ct_host_colliders(host, g->world, g->e[0], NULL, NULL, 4, rectangles, &count));
    CHECK(count == 2 && rectangles[1].width == 4);
    DONE(host, ct_host_outlines(host, g->world, g->e[0], is_wall, g, 16, corners, &count));
    CHECK(count == 8 && corners[7].outline == 1);
    REFUSED(host, CT_ERR_DATA,
            ct_host_outlines(host, g->world, g->e[1], is_wall, g, 16, corners, &count),
            "has no grid");
    REFUSED(host, CT_ERR_DATA,
            ct_host_colliders(host, g->world, g->e[1], is_wall, g, 4, rectangles, &count),
            "has no grid");
    REFUSED(host, CT_ERR_DATA, ct_host_cell_at(host, g->world, g->e[1], point, cells, &found),
            "has no grid");
}

// ---------------------------------------------------------------- levels

static void check_states(game *g) {
    ct_host_entities *host = g->host;
    ct_host_spawn_options options;
    ct_host_resource resource;
    ct_host_level level, again;
    ct_host_level_info info;
    ct_entity hook, list[8];
    ct_pose pose;
    const ct_values moved = {&right, 0};
    const void *bytes, *texts;
    size_t size, left = 9;
    uint32_t count;
    info.size = sizeof info;
    ct_host_spawn_options_init(&options, sizeof options);
    CHECK(options.name == NULL && options.state == NULL && options.parent_node == NULL);
    options.name = "west";
    DONE(host, ct_host_load(host, level_bytes, level_size, "yard", &resource));
    DONE(host, ct_host_spawn(host, g->world, resource, &options, &level));
    DONE(host, ct_host_level_info_of(host, level, &info));
    CHECK(info.count == 4 && info.alive == 4 && info.copies == 1);
    CHECK(info.name.length == 4 && memcmp(info.name.bytes, "west", 4) == 0);
    DONE(host, ct_host_level_find(host, level, "jib/hook", &hook));
    DONE(host, ct_host_set_poses(host, g->world, CT_HOST_LOCAL, 1, &hook, &moved, NULL));
    DONE(host, ct_host_level_save(host, level, &bytes, &size));
    options.state = bytes;
    options.state_bytes = (uint32_t)size;
    DONE(host, ct_host_spawn(host, g->world, resource, &options, &again));
    DONE(host, ct_host_level_find(host, again, "jib/hook", &hook));
    DONE(host, ct_host_poses(host, g->world, CT_HOST_LOCAL, 1, &hook, &pose));
    CHECK(pose.position[0] == 2);
    DONE(host, ct_host_level_left(host, again, &texts, &left));
    CHECK(left == 0);
    options.state = "garbage";
    options.state_bytes = 7;
    REFUSED(host, CT_ERR_DATA, ct_host_spawn(host, g->world, resource, &options, &again),
            "state: ");
    REFUSED(host, CT_ERR_DATA, ct_host_level_leave(host, level, g->e[0]), "level");
    DONE(host, ct_host_level_find(host, level, "jib/hook", &hook));
    DONE(host, ct_host_level_leave(host, level, hook));
    DONE(host, ct_host_unload(host, level, &count));
    CHECK(count == 3 && ct_host_alive(host, hook));
    REFUSED(host, CT_ERR_DATA, ct_host_level_save(host, level, &bytes, &size), "unloaded");
    REFUSED(host, CT_ERR_DATA, ct_host_level_save(host, no_level, &bytes, &size), "is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_level_left(host, no_level, &texts, &left), "is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_level_leave(host, no_level, hook), "is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_level_info_of(host, no_level, &info), "is 0");
    DONE(host, ct_host_living(host, 8, list, &count));
    CHECK(count == ct_host_count(host) && count > 2 && list[0].id == g->e[0].id);
    options.state = NULL;
    options.parent = g->e[0];
    options.parent_node = "arm";
    DONE(host, ct_host_spawn(host, g->world, resource, &options, &again));
    options.parent_node = "leg";
    REFUSED(host, CT_ERR_DATA, ct_host_spawn(host, g->world, resource, &options, &again),
            "parent_node: crane has no node 'leg'");
}

static void check_captures(game *g) {
    ct_host_entities *host = g->host;
    ct_host_resource resource;
    ct_host_level level;
    ct_entity dead, copies[2];
    const void *bytes;
    size_t size;
    uint32_t count = 0;
    DONE(host, ct_host_create(host, 1, &dead));
    DONE(host, ct_host_destroy(host, 1, &dead, NULL));
    REFUSED(host, CT_ERR_DATA, ct_host_capture(host, g->world, 1, &dead, false, &bytes, &size),
            "is dead");
    REFUSED(host, CT_ERR_DATA, ct_host_capture(host, no_world, 1, g->e, false, &bytes, &size),
            "is 0");
    DONE(host, ct_host_capture(host, g->world, 2, g->e, false, &bytes, &size));
    DONE(host, ct_host_load(host, bytes, size, NULL, &resource));
    DONE(host, ct_host_spawn(host, g->world, resource, NULL, &level));
    DONE(host, ct_host_level_entities(host, level, 2, copies, &count));
    CHECK(count == 2);
}

// ---------------------------------------------------------------- names, ids, labels, numbers

static void refuse_override(game *g, ct_host_resource resource, const ct_override *override,
                            const char *reason) {
    ct_host_spawn_options options;
    ct_host_level level;
    ct_host_spawn_options_init(&options, sizeof options);
    options.overrides = override;
    options.override_count = 1;
    REFUSED(g->host, CT_ERR_DATA, ct_host_spawn(g->host, g->world, resource, &options, &level),
            reason);
}

static void refuse_value(game *g, ct_host_resource resource, ct_field_type type, const void *item) {
    const ct_override_value value = {"on", type, item};
    const ct_override override = {{"lamp", 4}, "lamp", 0, {0, {NULL, 0}}, &value, 1};
    refuse_override(g, resource, &override, "on: ");
}

// The field of a value has bytes, and neither a column nor items.
static void check_values(game *g) {
    static const ct_component_field fields[] = {{"v", CT_FIELD_VALUE, false, false, NULL}};
    ct_host_component_options options;
    ct_host_component note;
    ct_host_column column;
    ct_entity e;
    ct_text text = {NULL, 1};
    uint32_t row, item;
    column.size = sizeof column;
    ct_host_component_options_init(&options, sizeof options);
    options.name = "note";
    options.fields = fields;
    options.field_count = 1;
    DONE(g->host, ct_host_define(g->host, g->world, &options, &note));
    DONE(g->host, ct_host_create(g->host, 1, &e));
    DONE(g->host, ct_host_add(g->host, note, 1, &e, 0, NULL, &row));
    DONE(g->host, ct_host_text(g->host, note, 0, row, &text));
    CHECK(text.length == 0 && text.bytes != NULL && text.bytes[0] == 0);
    REFUSED(g->host, CT_ERR_DATA, ct_host_read(g->host, note, 0, row, &item, sizeof item),
            "note.v has no item: use ct_host_text");
    REFUSED(g->host, CT_ERR_DATA, ct_host_column_of(g->host, note, 0, &column),
            "note.v has no column: use ct_host_text");
    DONE(g->host, ct_host_destroy(g->host, 1, &e, NULL));
    DONE(g->host, ct_host_gc(g->host, g->world, true, NULL));
}

// Refuses an override with these texts, which may be empty.
static void refuse_texts(game *g, ct_host_resource resource, ct_text path, const char *component,
                         const char *reason) {
    const ct_override override = {path, component, 0, {0, {"", 0}}, NULL, 0};
    refuse_override(g, resource, &override, reason);
}

// Overrides have values that their fields can hold.
static void check_overrides(game *g) {
    static const ct_component_field fields[] = {{"on", CT_FIELD_BOOL, false, false, NULL}};
    static const unsigned char two = 2;
    static const float half = 0.5f;
    const ct_text called = {"lamp", 4}, empty = {"", 0}, none = {NULL, 0};
    const ct_host_value name = {"name", &called, 0};
    ct_host_component_options options;
    ct_host_resource resource;
    ct_host_component lamp;
    ct_entity e;
    const void *bytes;
    size_t size;
    ct_host_component_options_init(&options, sizeof options);
    options.name = "lamp";
    options.fields = fields;
    options.field_count = 1;
    DONE(g->host, ct_host_define(g->host, g->world, &options, &lamp));
    const ct_host_part parts[] = {{lamp, NULL, 0}, {g->name, &name, 1}};
    DONE(g->host, ct_host_create_with(g->host, g->world, 1, 2, parts, &e));
    DONE(g->host, ct_host_capture(g->host, g->world, 1, &e, true, &bytes, &size));
    DONE(g->host, ct_host_load(g->host, bytes, size, "lamp", &resource));
    refuse_value(g, resource, CT_FIELD_BOOL, &two);
    refuse_value(g, resource, CT_FIELD_BOOL, NULL);
    refuse_value(g, resource, CT_FIELD_FLOAT, &half);
    refuse_value(g, resource, (ct_field_type)99, &two);
    refuse_texts(g, resource, empty, NULL, "overrides: : no entity of the resource has this path");
    refuse_texts(g, resource, none, NULL, "overrides: : no entity of the resource has this path");
    refuse_texts(g, resource, called, "", "overrides: lamp: : unknown component");
    DONE(g->host, ct_host_release(g->host, resource.id));
    DONE(g->host, ct_host_destroy(g->host, 1, &e, NULL));
    DONE(g->host, ct_host_gc(g->host, g->world, true, NULL));
}

static void check_names(game *g) {
    static const ct_text boss = {"boss", 4}, tree = {"tree", 4};
    const ct_host_value name = {"name", &boss, 0}, resource = {"resource", &tree, 0};
    ct_host_entities *host = g->host;
    ct_component_id id, other = {99, {NULL, 0}};
    ct_entity found;
    uint32_t first, row;
    DONE(host, ct_host_add(host, g->name, 1, &g->e[1], 1, &name, NULL));
    DONE(host, ct_host_find_name(host, g->world, "boss", &found));
    CHECK(found.id == g->e[1].id);
    DONE(host, ct_host_find_name(host, g->world, "minion", &found));
    CHECK(found.id == CT_NOBODY);
    REFUSED(host, CT_ERR_DATA, ct_host_find_name(host, g->world, NULL, &found), "got NULL");
    DONE(host, ct_host_mesh(host, g->world, "tree"));
    DONE(host, ct_host_reserve(host, g->mesh, 100));
    REFUSED(host, CT_ERR_FULL, ct_host_reserve(host, g->mesh, CT_MAX_ROWS + 1), "mesh is full");
    DONE(host, ct_host_add(host, g->mesh, 1, g->e, 1, &resource, &first));
    DONE(host, ct_host_add(host, g->mesh, 1, g->e, 1, &resource, &row));
    DONE(host, ct_host_id_of(host, g->mesh, row, &id));
    CHECK(id.number > 0 && id.text.bytes == NULL);
    DONE(host, ct_host_find_id(host, g->mesh, g->e[0], &id, &first));
    CHECK(first == row);
    DONE(host, ct_host_find_id(host, g->mesh, g->e[0], &other, &first));
    CHECK(first == CT_NO_ROW);
    REFUSED(host, CT_ERR_DATA, ct_host_id_of(host, g->mesh, 7, &id), "row 7");
}

static void check_numbers(game *g) {
    static const ct_enum kinds = {"orc\0elf\0", 1};
    static const ct_component_field field = {"kind", CT_FIELD_ENUM, false, false, &kinds};
    ct_host_entities *host = g->host;
    ct_host_component_options options;
    ct_host_component unit;
    ct_host_world one, other;
    ct_host_world_options seeded;
    ct_text label;
    double a = 0, b = 1, c = 1;
    size_t bytes = 0;
    ct_host_component_options_init(&options, sizeof options);
    options.name = "unit";
    options.fields = &field;
    options.field_count = 1;
    DONE(host, ct_host_define(host, g->world, &options, &unit));
    DONE(host, ct_host_label(host, unit, 0, 1, &label));
    CHECK(strcmp(label.bytes, "elf") == 0);
    REFUSED(host, CT_ERR_DATA, ct_host_label(host, unit, 0, 2, &label), "has 2 labels, got number");
    REFUSED(host, CT_ERR_DATA, ct_host_label(host, unit, 1, 0, &label), "field 1 does not exist");
    REFUSED(host, CT_ERR_DATA, ct_host_label(host, g->grid, 0, 0, &label), "has 0 labels");
    ct_host_world_options_init(&seeded, sizeof seeded);
    seeded.seed = 7;
    DONE(host, ct_host_world_new(host, &seeded, &one));
    DONE(host, ct_host_world_new(host, &seeded, &other));
    DONE(host, ct_host_random(host, one, &a));
    DONE(host, ct_host_random(host, other, &b));
    DONE(host, ct_host_random(host, other, &c));
    CHECK(a == b && a != c && a >= 0 && a < 1);
    REFUSED(host, CT_ERR_DATA, ct_host_random(host, no_world, &a), "the handle is 0");
    DONE(host, ct_host_memory(host, g->world, &bytes));
    CHECK(bytes > 1000);
    REFUSED(host, CT_ERR_DATA, ct_host_memory(host, no_world, &bytes), "the handle is 0");
}

static void check_spaces(game *g) {
    const ct_host_term terms[] = {{g->transform, CT_QUERY_REQUIRED}};
    static const double origin[] = {0, 0, 0}, flat[] = {0, 0, HUGE_VAL}; // z is ignored
    static const ct_host_space none = {0};
    ct_host_entities *host = g->host;
    ct_host_query query;
    ct_host_space spaces[2];
    ct_host_space_options options;
    ct_space_answer answer;
    const ct_space_near *near_ones;
    uint32_t count = 0;
    ct_host_space_options_init(&options, sizeof options);
    options.cell = 10;
    DONE(host, ct_host_query_new(host, g->world, 1, terms, &query));
    for (int i = 0; i < 2; ++i) {
        DONE(host, ct_host_space_new(host, query, &options, &spaces[i]));
        DONE(host, ct_host_space_refresh(host, spaces[i], NULL));
    }
    DONE(host, ct_host_nearest_many(host, spaces[0], 2, origin, 1000, NULL, &near_ones, &count));
    CHECK(count == 2 && near_ones[0].distance <= near_ones[1].distance);
    DONE(host, ct_host_nearest_many(host, spaces[0], 2, flat, 1000, NULL, &near_ones, &count));
    CHECK(count == 2);
    DONE(host, ct_host_pairs(host, spaces[0], 1, spaces[1], &answer));
    CHECK(answer.count > 0);
    REFUSED(host, CT_ERR_DATA, ct_host_pairs(host, spaces[0], 1, spaces[0], &answer),
            "another space of the same world");
    DONE(host, ct_host_release(host, spaces[1].id));
    REFUSED(host, CT_ERR_DATA, ct_host_pairs(host, spaces[0], 1, spaces[1], &answer), "stale");
    REFUSED(host, CT_ERR_DATA, ct_host_pairs(host, none, 1, none, &answer), "is 0");
}

// ---------------------------------------------------------------- memory

static ct_status play(game *g) {
    static const uint32_t size = 2;
    static const ct_text crane = {"crane", 5};
    const ct_host_value resource = {"resource", &crane, 0};
    const ct_host_value sizes[] = {{"width", &size, 0}, {"height", &size, 0}};
    ct_host_resource yard;
    ct_host_level level;
    const void *bytes;
    size_t count;
    ct_grid_rectangle rectangle;
    uint32_t found;
    TRY(define_crane(g, 3));
    TRY(ct_host_define_tiles(g->host, g->world, "stone", 1, &size));
    TRY(ct_host_add(g->host, g->model, 1, g->e, 1, &resource, NULL));
    TRY(ct_host_add(g->host, g->grid, 1, g->e, 2, sizes, NULL));
    TRY(ct_host_set_flips(g->host, g->world, g->e[0], 1, 1, 1));
    TRY(ct_host_link_node(g->host, g->world, g->e[1], g->e[0], 1, false));
    TRY(ct_host_colliders(g->host, g->world, g->e[0], NULL, NULL, 1, &rectangle, &found));
    TRY(ct_host_reserve(g->host, g->mesh, 100));
    TRY(ct_host_load(g->host, level_bytes, level_size, "yard", &yard));
    TRY(ct_host_spawn(g->host, g->world, yard, NULL, &level));
    TRY(ct_host_level_save(g->host, level, &bytes, &count));
    return ct_host_capture(g->host, g->world, 2, g->e, false, &bytes, &count);
}

static ct_status play_limited(size_t left) {
    static game g;
    ct_status status = open_game(&g, left);
    if (status == CT_OK) status = play(&g);
    return end_limited(g.host, &g.memory, g.world, status);
}

int main(int argc, char **argv) {
    static game g;
    if (argc != 2) return 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    level_size = read_file(argv[1], level_bytes, sizeof level_bytes);
    CHECK(open_game(&g, SIZE_MAX) == CT_OK);
    check_definitions(&g);
    check_nodes(&g);
    fill_grid(&g);
    ask_grid(&g);
    check_states(&g);
    check_captures(&g);
    check_overrides(&g);
    check_values(&g);
    check_names(&g);
    check_numbers(&g);
    check_spaces(&g);
    DONE(g.host, ct_host_validate(g.host, g.world));
    CHECK(ct_host_free(g.host) == CT_OK && g.memory.blocks == 0);
    check_memory(play_limited);
    printf("%u mistakes\n", mistakes);
    return mistakes > 0;
}
