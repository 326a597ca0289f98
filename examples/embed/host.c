// A program without Lua, step by step: docs/hosts.md explains it. It compiles as C99 and as C++17.
//
// usage: host [LEVEL]         a level that `cuttle compile` has written

#include "cuttle_host.h"

#include <stdio.h>
#include <stdlib.h>

static ct_host_entities *host;

// Every function that can fail returns a status. The entity manager has the reason.
static void check(ct_status status) {
    if (status == CT_OK) return;
    fprintf(stderr, "%s: %s\n", ct_host_status_text(status), ct_host_message(host));
    exit(1);
}

// A component type of the game: two fields, the second with a default.
static const float full = 1;
static const ct_component_field wheel_fields[] = {
    {"speed", CT_FIELD_FLOAT, false, false, NULL},
    {"tread", CT_FIELD_FLOAT, false, false, &full},
};

static ct_host_component define_wheel(ct_host_world world) {
    ct_host_component_options options;
    ct_host_component wheel;
    ct_host_component_options_init(&options, sizeof options);
    options.name = "wheel";
    options.fields = wheel_fields;
    options.field_count = 2;
    check(ct_host_define(host, world, &options, &wheel));
    return wheel;
}

// Parents first: the cart has a transform before its wheels name it as their parent.
static ct_entity create_cart(ct_host_world world, ct_host_component transform,
                             ct_host_component wheel) {
    static const float at[3] = {10, 0, 0}, left_right[2][3] = {{0, -1, 0}, {0, 1, 0}};
    static const float speeds[2] = {1, 2};
    ct_entity cart, wheels[2];
    const ct_host_value cart_values[] = {{"position", at, 0}}; // 0: the same item for all
    const ct_host_value wheel_places[] = {{"position", left_right, sizeof left_right[0]},
                                          {"parent", &cart, 0}};
    const ct_host_value wheel_values[] = {{"speed", speeds, sizeof speeds[0]}};
    const ct_host_part cart_parts[] = {{transform, cart_values, 1}};
    const ct_host_part wheel_parts[] = {{transform, wheel_places, 2}, {wheel, wheel_values, 1}};
    check(ct_host_create_with(host, world, 1, 1, cart_parts, &cart));
    check(ct_host_create_with(host, world, 2, 2, wheel_parts, wheels));
    return cart;
}

// A system: one loop over columns for each run of consecutive rows.
static void wear(ct_host_query wheels, ct_host_component wheel, float dt) {
    ct_host_column speed, tread;
    ct_query_run run = {0, 0, {{0}}};
    speed.size = tread.size = sizeof speed;
    check(ct_host_column_of(host, wheel, 0, &speed));
    check(ct_host_column_of(host, wheel, 1, &tread));
    check(ct_host_refresh(host, wheels, NULL));
    while (ct_host_run(host, wheels, &run) == CT_OK && run.count > 0)
        for (uint32_t i = run.rows[0].i; i < run.rows[0].i + run.count; ++i)
            ((float *)tread.items)[i] -= ((const float *)speed.items)[i] * dt;
    for (uint32_t i = 0; i < tread.count; ++i)
        printf("wheel %u: tread %.2f\n", (unsigned)i, ((const float *)tread.items)[i]);
}

// Moves the cart; its wheels follow.
static void drive(ct_host_world world, ct_entity cart) {
    ct_pose pose;
    ct_entity wheels[2];
    uint32_t count;
    const ct_values moved = {&pose, 0};
    check(ct_host_poses(host, world, CT_HOST_LOCAL, 1, &cart, &pose));
    pose.position[0] += 5;
    check(ct_host_set_poses(host, world, CT_HOST_LOCAL, 1, &cart, &moved, NULL));
    check(ct_host_children(host, world, cart, 2, wheels, &count));
    check(ct_host_poses(host, world, CT_HOST_WORLD, 1, &wheels[1], &pose));
    printf("wheel at %.0f %.0f\n", pose.position[0], pose.position[1]);
}

// Spawns a level 100 to the right of where it is in the file.
static void build_yard(ct_host_world world, const char *path) {
    static unsigned char bytes[65536];
    static const ct_pose pose = {{100, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    ct_host_resource resource;
    ct_host_level level;
    ct_host_spawn_options options;
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL) fclose(file);
    check(ct_host_load(host, bytes, size, "yard", &resource));
    ct_host_spawn_options_init(&options, sizeof options); // the parent is CT_NOBODY
    options.pose = &pose;
    check(ct_host_spawn(host, world, resource, &options, &level));
    printf("%u entities with the yard\n", (unsigned)ct_host_count(host));
}

int main(int argc, char **argv) {
    ct_host_world world;
    ct_host_component transform;
    ct_host_query wheels;
    ct_pose pose;
    ct_host_snapshot before = {0};   // 0: make a new one
    check(ct_host_new(NULL, &host)); // NULL: default options
    check(ct_host_world_new(host, NULL, &world));
    check(ct_host_find_component(host, world, "transform", &transform));
    const ct_host_component wheel = define_wheel(world);
    const ct_entity cart = create_cart(world, transform, wheel);
    const ct_host_term terms[] = {{wheel, CT_QUERY_REQUIRED}, {transform, CT_QUERY_REQUIRED}};
    check(ct_host_query_new(host, world, 2, terms, &wheels));

    check(ct_host_take(host, &before));
    wear(wheels, wheel, 0.25f);
    drive(world, cart);
    if (argc > 1) build_yard(world, argv[1]);
    check(ct_host_restore(host, before));
    printf("%u entities after the rewind\n", (unsigned)ct_host_count(host));
    wear(wheels, wheel, 0);

    check(ct_host_destroy(host, 1, &cart, NULL)); // its wheels become roots
    check(ct_host_gc(host, world, false, NULL));  // once in each frame
    if (ct_host_poses(host, world, CT_HOST_WORLD, 1, &cart, &pose) != CT_OK)
        printf("%s\n", ct_host_message(host));
    return ct_host_free(host) == CT_OK ? 0 : 1;
}
