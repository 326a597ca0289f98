// A program without Lua: it simulates thrown stones, then spawns a compiled level with a pose and
// an override, finds, rotates and joins its entities, restarts and unloads it. `make embed` builds
// and runs it.
//
// usage: embed LEVEL          a level that `cuttle compile` has written

#include "component/debug_name.h"
#include "component/mesh.h"
#include "component/point_mass.h"
#include "component/transform.h"
#include "level/end.h"
#include "storage/loop.h"

#include <stdio.h>
#include <stdlib.h>

#define STONES 3
#define STEPS 60
#define DT (1.0f / 60.0f)

static void require(bool condition, const char *message) {
    if (condition) return;
    fprintf(stderr, "embed: %s\n", message);
    exit(1);
}

// The state of the game. All worlds of an entity manager share the counter of epochs.
typedef struct game {
    ct_entity_manager entities;
    ct_world world;
    ct_levels levels;
    uint32_t epochs;
} game;

static void open_game(game *g) {
    g->epochs = 0;
    ct_entity_manager_init(&g->entities, &ct_allocator_malloc, CT_MINIMUM_FREE_INDICES);
    require(ct_world_init(&g->world, &ct_allocator_malloc, &g->entities, &g->epochs, 1) == CT_OK,
            "out of memory");
    ct_levels_init(&g->levels, &g->world);
}

static void close_game(game *g) {
    static const ct_owners no_owners = {NULL, 0}; // the entity manager destroys the entities
    require(ct_world_end(&g->levels, &no_owners, NULL), "the world was not destroyed");
    ct_entity_manager_free(&g->entities);
}

// ---------------------------------------------------------------- stones

// Creates the entities, and a component for each, with one call for all.
static void create_stones(game *g, ct_entity *stones) {
    static const float gravity[3] = {0, 0, -10};
    static const float masses[STONES] = {1, 2, 4};
    static const float velocities[STONES][3] = {{1, 0, 10}, {2, 0, 10}, {3, 0, 10}};
    ct_manager *point_mass = ct_world_find(&g->world, CT_POINT_MASS);
    ct_values values[4] = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}}; // NULL: the defaults
    ct_row first;
    values[ct_manager_find_input(point_mass, "mass")] = (ct_values){masses, sizeof masses[0]};
    values[ct_manager_find_input(point_mass, "velocity")] =
        (ct_values){velocities, sizeof velocities[0]};
    values[ct_manager_find_input(point_mass, "acceleration")] = (ct_values){gravity, 0};
    require(ct_entity_manager_create(&g->entities, STONES, stones) == CT_OK, "no entities left");
    require(ct_manager_create(point_mass, stones, STONES, values, NULL, &first) == CT_OK,
            "out of memory");
}

static void throw_stones(game *g) {
    ct_entity stones[STONES];
    create_stones(g, stones);
    ct_manager *point_mass = ct_world_find(&g->world, CT_POINT_MASS);
    for (int step = 0; step < STEPS; ++step)
        ct_point_mass_simulate(point_mass, DT);

    uint32_t position = ct_manager_find_field(point_mass, "position");
    for (int i = 0; i < STONES; ++i) {
        ct_row row = ct_store_find(&point_mass->store, stones[i]);
        const float *at = ct_manager_read(point_mass, position, row);
        printf("stone %d: %.2f %.2f %.2f\n", i + 1, at[0], at[1], at[2]);
    }
    ct_entity_manager_destroy(&g->entities, STONES, stones, NULL);
    uint32_t collected = ct_world_gc(&g->world);
    printf("%u stones collected, %u entities alive\n", collected,
           ct_entity_manager_count(&g->entities));
}

// ---------------------------------------------------------------- a level

// Reads and checks a file. The layouts are those of the built-in components.
static void load(const char *path, ct_resource *resource) {
    FILE *file = fopen(path, "rb");
    require(file != NULL, "the level cannot be opened");
    require(fseek(file, 0, SEEK_END) == 0, "the level cannot be read");
    long bytes = ftell(file);
    require(bytes > 0 && bytes <= INT32_MAX, "the level is empty or too large");
    rewind(file);
    require(ct_resource_init(resource, &ct_allocator_malloc, (uint32_t)bytes) == CT_OK,
            "out of memory");
    size_t got = fread(resource->blob, 1, (size_t)bytes, file);
    fclose(file);
    require(got == (size_t)bytes, "the level cannot be read");

    ct_builtin_layout layouts[CT_MAX_BUILTINS + 1];
    ct_message message;
    ct_spawner_builtin_layouts(layouts);
    if (ct_resource_check(resource, layouts, &message) != CT_OK) require(false, message.text);
}

// Prints the entities of the level, parents before children.
static void print_level(game *g, const ct_level *level) {
    const ct_manager *names = ct_world_find(&g->world, CT_DEBUG_NAME);
    ct_manager *transforms = ct_world_find(&g->world, CT_TRANSFORM);
    for (uint32_t i = 0; i < level->count; ++i) {
        ct_entity e = ct_level_entity(level, i);
        ct_row row = ct_store_find(&transforms->store, e);
        if (row.i == CT_NO_ROW) continue;
        ct_text name = ct_debug_name_of(names, e);
        ct_pose pose;
        ct_transform_world_pose(transforms, row, &pose);
        printf("%*s%.*s: %.2f %.2f %.2f\n", 2 * (int)ct_transform_depth(transforms, row), "",
               (int)name.length, name.bytes == NULL ? "" : name.bytes, pose.position[0],
               pose.position[1], pose.position[2]);
    }
}

// Turns the crane to the other side. Its children follow.
static void turn(game *g, const ct_level *level) {
    static const ct_text path = {"crane", 5};
    static const float half_turn[4] = {0, 0, 1, 0};
    ct_entity crane;
    require(ct_level_find(level, path, &crane) == CT_OK, "out of memory");
    ct_manager *transforms = ct_world_find(&g->world, CT_TRANSFORM);
    ct_row row = ct_store_find(&transforms->store, crane);
    if (row.i == CT_NO_ROW) return;
    ct_transform_set_local_rotation(transforms, row, half_turn);
    printf("the crane turns\n");
}

// Prints all entities with a transform and a mass, but without a mesh.
static void weigh(game *g) {
    ct_manager *managers[] = {ct_world_find(&g->world, CT_POINT_MASS),
                              ct_world_find(&g->world, CT_TRANSFORM),
                              ct_world_find(&g->world, CT_MESH)};
    static const ct_query_role roles[] = {CT_QUERY_REQUIRED, CT_QUERY_REQUIRED, CT_QUERY_EXCLUDED};
    uint32_t mass = ct_manager_find_field(managers[0], "mass"), fault;
    ct_loop loop;
    ct_loop_begin(&loop, 3, managers, roles);
    while (ct_loop_next(&loop, &fault) == CT_QUERY_ROW) {
        ct_pose pose;
        ct_transform_world_pose(managers[1], ct_loop_row(&loop, 1), &pose);
        const float *kg = ct_manager_read(managers[0], mass, ct_loop_row(&loop, 0));
        printf("%.0f kg at %.2f %.2f %.2f\n", *kg, pose.position[0], pose.position[1],
               pose.position[2]);
    }
}

// Spawns the resource again, 100 to the right, with a heavier load on its hook.
static ct_level *place_level(ct_levels *levels, ct_resource *resource) {
    static const ct_pose pose = {{100, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    static const float heavy = 500;
    const ct_override_value mass = {"mass", CT_FIELD_FLOAT, &heavy};
    const ct_override load = {
        .path = {"jib/hook", 8}, .component = CT_POINT_MASS, .values = &mass, .value_count = 1};
    const ct_spawn_options options = {
        .pose = &pose, .parent = {CT_NOBODY}, .overrides = &load, .override_count = 1};
    ct_level *level;
    ct_message message;
    if (ct_level_new(levels, resource, &options, &level, &message) != CT_OK)
        require(false, message.text);
    return level;
}

static void play_level(game *g, const char *path) {
    ct_resource resource;
    ct_message message;
    uint32_t died;
    load(path, &resource);
    ct_level *level = place_level(&g->levels, &resource);
    if (ct_level_spawn(level, NULL, &message) != CT_OK) require(false, message.text);
    printf("%u entities spawned\n", level->count);
    print_level(g, level);
    turn(g, level);
    print_level(g, level);
    weigh(g);

    if (ct_level_restart(level, NULL, &message) != CT_OK) require(false, message.text);
    printf("restarted\n");
    weigh(g);
    if (!ct_world_validate(&g->world, &message)) require(false, message.text);

    require(ct_level_unload(level, NULL, &died) == CT_OK, "the level was not unloaded");
    printf("%u entities destroyed\n", died);
    ct_level_release(level);
    ct_resource_free(&resource);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: embed LEVEL");
    game g;
    open_game(&g);
    throw_stones(&g);
    play_level(&g, argv[1]);
    close_game(&g);
    return 0;
}
