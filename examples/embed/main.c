// A program without Lua: it simulates thrown stones, then spawns a compiled level with a pose and
// an override, finds, rotates and queries its entities, restarts and unloads it. `make embed`
// builds and runs it.
//
// usage: embed LEVEL          a level that `cuttle compile` has written

#include "cuttle_host.h"

#include <stdio.h>
#include <stdlib.h>

#define STONES 3
#define STEPS 60
#define DT (1.0f / 60.0f)

// The state of the game.
typedef struct game {
    ct_host_entities *host;
    ct_host_world world;
    ct_host_component transform, point_mass, mesh;
    uint32_t mass, position; // fields of point_mass
} game;

// Ends the program with the reason if a call failed.
static void check(const game *g, ct_status status) {
    if (status == CT_OK) return;
    fprintf(stderr, "embed: %s\n", ct_host_message(g->host));
    exit(1);
}

static void open_game(game *g) {
    check(g, ct_host_new(NULL, &g->host));
    check(g, ct_host_world_new(g->host, NULL, &g->world));
    check(g, ct_host_find_component(g->host, g->world, "transform", &g->transform));
    check(g, ct_host_find_component(g->host, g->world, "point_mass", &g->point_mass));
    check(g, ct_host_find_component(g->host, g->world, "mesh", &g->mesh));
    check(g, ct_host_find_field(g->host, g->point_mass, "mass", &g->mass));
    check(g, ct_host_find_field(g->host, g->point_mass, "position", &g->position));
}

// ---------------------------------------------------------------- stones

// Creates the entities, and a component for each, in one call.
static void create_stones(const game *g, ct_entity *stones) {
    static const float gravity[3] = {0, 0, -10};
    static const float masses[STONES] = {1, 2, 4};
    static const float velocities[STONES][3] = {{1, 0, 10}, {2, 0, 10}, {3, 0, 10}};
    const ct_host_value values[] = {
        {"mass", masses, sizeof masses[0]},
        {"velocity", velocities, sizeof velocities[0]},
        {"acceleration", gravity, 0}, // the same for all
    };
    const ct_host_part part = {g->point_mass, values, 3};
    check(g, ct_host_create_with(g->host, g->world, STONES, 1, &part, stones));
}

static void throw_stones(const game *g) {
    ct_entity stones[STONES];
    uint32_t rows[STONES], collected;
    create_stones(g, stones);
    for (int step = 0; step < STEPS; ++step)
        check(g, ct_host_simulate(g->host, g->world, DT));

    check(g, ct_host_find(g->host, g->point_mass, STONES, stones, rows));
    for (int i = 0; i < STONES; ++i) {
        float at[3];
        check(g, ct_host_read(g->host, g->point_mass, g->position, rows[i], at, sizeof at));
        printf("stone %d: %.2f %.2f %.2f\n", i + 1, at[0], at[1], at[2]);
    }
    check(g, ct_host_destroy(g->host, STONES, stones, NULL));
    check(g, ct_host_gc(g->host, g->world, false, &collected));
    printf("%u stones collected, %u entities alive\n", (unsigned)collected,
           (unsigned)ct_host_count(g->host));
}

// ---------------------------------------------------------------- a level

static ct_host_resource load(const game *g, const char *path) {
    static unsigned char bytes[65536];
    ct_host_resource resource;
    FILE *file = fopen(path, "rb");
    size_t count = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL) fclose(file);
    check(g, ct_host_load(g->host, bytes, count, path, &resource));
    return resource;
}

// Spawns the level 100 to the right, with a heavier load on its hook.
static ct_host_level spawn(const game *g, ct_host_resource resource) {
    static const ct_pose pose = {{100, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    static const float heavy = 500;
    const ct_override_value mass = {"mass", CT_FIELD_FLOAT, &heavy};
    const ct_override hook = {
        .path = {"jib/hook", 8}, .component = "point_mass", .values = &mass, .value_count = 1};
    ct_host_spawn_options options;
    ct_host_level level;
    ct_host_spawn_options_init(&options, sizeof options);
    options.pose = &pose;
    options.overrides = &hook;
    options.override_count = 1;
    check(g, ct_host_spawn(g->host, g->world, resource, &options, &level));
    return level;
}

// Prints the entities of the level.
static void print_level(const game *g, ct_host_level level) {
    ct_entity list[16];
    ct_pose poses[16];
    uint32_t count;
    check(g, ct_host_level_entities(g->host, level, 16, list, &count));
    check(g, ct_host_poses(g->host, g->world, CT_HOST_WORLD, count, list, poses));
    for (uint32_t i = 0; i < count; ++i) {
        const float *at = poses[i].position;
        printf("%u: %.2f %.2f %.2f\n", (unsigned)i, at[0], at[1], at[2]);
    }
}

// Turns the crane to the other side. Its children follow.
static void turn(const game *g, ct_host_level level) {
    static const float half_turn[4] = {0, 0, 1, 0};
    ct_entity crane;
    ct_pose pose;
    check(g, ct_host_level_find(g->host, level, "crane", &crane));
    check(g, ct_host_poses(g->host, g->world, CT_HOST_LOCAL, 1, &crane, &pose));
    for (int i = 0; i < 4; ++i)
        pose.rotation[i] = half_turn[i];
    const ct_values poses = {&pose, 0};
    check(g, ct_host_set_poses(g->host, g->world, CT_HOST_LOCAL, 1, &crane, &poses, NULL));
    printf("the crane turns\n");
}

// Prints all entities with a mass and a transform, but without a mesh.
static void weigh(const game *g, ct_host_query query) {
    ct_query_run run = {0, 0, {{0}}};
    ct_host_column masses = {.size = sizeof masses};
    check(g, ct_host_refresh(g->host, query, NULL));
    check(g, ct_host_column_of(g->host, g->point_mass, g->mass, &masses));
    while (ct_host_run(g->host, query, &run) == CT_OK && run.count > 0) {
        for (uint32_t row = run.rows[0].i; row < run.rows[0].i + run.count; ++row) {
            ct_pose pose;
            const ct_entity *owner = &masses.owners[row];
            check(g, ct_host_poses(g->host, g->world, CT_HOST_WORLD, 1, owner, &pose));
            printf("%.0f kg at %.2f %.2f %.2f\n", ((const float *)masses.items)[row],
                   pose.position[0], pose.position[1], pose.position[2]);
        }
    }
}

static void play_level(const game *g, const char *path) {
    const ct_host_term terms[] = {{g->point_mass, CT_QUERY_REQUIRED},
                                  {g->transform, CT_QUERY_REQUIRED},
                                  {g->mesh, CT_QUERY_EXCLUDED}};
    ct_host_query heavy;
    uint32_t destroyed;
    check(g, ct_host_query_new(g->host, g->world, 3, terms, &heavy));
    ct_host_level level = spawn(g, load(g, path));
    printf("%u entities spawned\n", (unsigned)ct_host_count(g->host));
    print_level(g, level);
    turn(g, level);
    print_level(g, level);
    weigh(g, heavy);

    check(g, ct_host_restart(g->host, level));
    printf("restarted\n");
    weigh(g, heavy);
    check(g, ct_host_validate(g->host, g->world));

    check(g, ct_host_unload(g->host, level, &destroyed));
    printf("%u entities destroyed\n", (unsigned)destroyed);
}

int main(int argc, char **argv) {
    game g = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: embed LEVEL\n");
        return 1;
    }
    open_game(&g);
    throw_stones(&g);
    play_level(&g, argv[1]);
    return ct_host_free(g.host) == CT_OK ? 0 : 1;
}
