// A program without Lua: it throws stones, spawns a compiled level and tells where things stand.
// Knows nothing of scripts. `make embed` builds and runs it.
//
// usage: embed LEVEL          a level that `cuttle compile` made

#include "component/debug_name.h"
#include "component/point_mass.h"
#include "component/transform.h"
#include "resource/path.h"
#include "resource/spawner.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

#define STONES 3
#define STEPS 60
#define DT (1.0f / 60.0f)

static void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "embed: %s\n", what);
    exit(1);
}

// What a game has one of. The counter of epochs is shared by all worlds of an entity manager.
typedef struct game {
    ct_entity_manager entities;
    ct_world world;
    uint32_t epochs;
} game;

static void open_game(game *g) {
    g->epochs = 0;
    ct_entity_manager_init(&g->entities, &ct_allocator_malloc, CT_MINIMUM_FREE_INDICES);
    require(ct_world_init(&g->world, &ct_allocator_malloc, &g->entities, &g->epochs, 1) == CT_OK,
            "out of memory");
}

static void close_game(game *g) {
    ct_world_free(&g->world);
    ct_entity_manager_free(&g->entities);
}

// ---------------------------------------------------------------- stones

// Entities, and a component for each: one call for all of them.
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
            "no room for stones");
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

// The file's bytes, checked. The layouts are those of the built-in components.
static void load(const char *path, ct_resource *resource) {
    FILE *file = fopen(path, "rb");
    require(file != NULL, "the level cannot be opened");
    require(fseek(file, 0, SEEK_END) == 0, "the level cannot be read");
    long bytes = ftell(file);
    require(bytes > 0 && bytes <= INT32_MAX, "the level is empty, or none");
    rewind(file);
    require(ct_resource_init(resource, &ct_allocator_malloc, (uint32_t)bytes) == CT_OK,
            "out of memory");
    size_t got = fread(resource->blob, 1, (size_t)bytes, file);
    fclose(file);
    require(got == (size_t)bytes, "the level cannot be read");

    ct_known_layout layouts[CT_MAX_BUILTINS + 1];
    ct_message message;
    ct_spawner_builtin_layouts(layouts);
    if (ct_resource_check(resource, layouts, &message) != CT_OK) require(false, message.text);
}

// Parents before children, as the level has them.
static void tell(game *g, const ct_entity *spawned, uint32_t count) {
    const ct_manager *names = ct_world_find(&g->world, CT_DEBUG_NAME);
    ct_manager *transforms = ct_world_find(&g->world, CT_TRANSFORM);
    for (uint32_t i = 0; i < count; ++i) {
        ct_row row = ct_store_find(&transforms->store, spawned[i]);
        if (row.i == CT_NO_ROW) continue;
        ct_text name = ct_debug_name_of(names, spawned[i]);
        ct_pose pose;
        ct_transform_world_pose(transforms, row, &pose);
        printf("%*s%.*s: %.2f %.2f %.2f\n", 2 * (int)ct_transform_depth(transforms, row), "",
               (int)name.length, name.bytes == NULL ? "" : name.bytes, pose.position[0],
               pose.position[1], pose.position[2]);
    }
}

// Turns the crane to the other side: what hangs on it follows.
static void turn(game *g, ct_resource *resource, const ct_entity *spawned) {
    static const ct_text path = {"crane", 5};
    static const float half_turn[4] = {0, 0, 1, 0};
    require(ct_path_index(resource, path) == CT_OK, "out of memory");
    uint32_t crane = ct_path_find(resource, path, CT_PATH_NONE);
    if (crane == CT_PATH_NONE) return;
    ct_manager *transforms = ct_world_find(&g->world, CT_TRANSFORM);
    ct_row row = ct_store_find(&transforms->store, spawned[crane]);
    if (row.i == CT_NO_ROW) return;
    ct_transform_set_local_rotation(transforms, row, half_turn);
    printf("the crane turns\n");
}

static void play_level(game *g, const char *path) {
    ct_resource resource;
    load(path, &resource);
    ct_message message;
    const ct_spawn_options options = {.parent = {CT_NOBODY}};
    ct_entity *spawned = malloc((resource.num_entities + 1) * sizeof *spawned);
    require(spawned != NULL, "out of memory");
    if (ct_spawner_spawn(&g->world, &resource, &options, spawned, &message) != CT_OK)
        require(false, message.text);

    printf("%u entities spawned\n", resource.num_entities);
    tell(g, spawned, resource.num_entities);
    turn(g, &resource, spawned);
    tell(g, spawned, resource.num_entities);
    if (!ct_world_validate(&g->world, &message)) require(false, message.text);

    uint32_t died = ct_entity_manager_destroy(&g->entities, resource.num_entities, spawned, NULL);
    printf("%u entities destroyed\n", died);
    free(spawned);
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
