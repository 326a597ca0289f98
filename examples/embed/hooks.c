// Hooks in a program without Lua: a body outside of cuttle for each component that is added.
#include "cuttle_host.h"

#include <stdio.h>
#include <stdlib.h>

static ct_host_entities *host;

static void check(ct_status status) {
    if (status == CT_OK) return;
    fprintf(stderr, "%s: %s\n", ct_host_status_text(status), ct_host_message(host));
    exit(1);
}

// Stands for a physics library that has room for three bodies.
typedef struct physics {
    uint32_t bodies[3];
    uint32_t count;
} physics;

static bool physics_add(physics *p, uint32_t id) {
    if (p->count == sizeof p->bodies / sizeof *p->bodies) return false;
    p->bodies[p->count++] = id;
    return true;
}

static void physics_remove(physics *p, uint32_t id) {
    for (uint32_t i = 0; i < p->count; ++i) {
        if (p->bodies[i] == id) p->bodies[i] = p->bodies[--p->count];
    }
}

static bool make_body(void *user, const ct_host_event *event) {
    return physics_add((physics *)user, event->entity.id); // false: the whole call is undone
}

static bool free_body(void *user, const ct_host_event *event) {
    physics_remove((physics *)user, event->entity.id);
    return true; // without effect here
}

int main(void) {
    static physics world_of_bodies;
    ct_host_world world;
    ct_host_component mass;
    ct_host_hook hook;
    ct_entity balls[4];
    check(ct_host_new(NULL, &host));
    check(ct_host_world_new(host, NULL, &world));
    check(ct_host_find_component(host, world, "point_mass", &mass));
    check(ct_host_on_add(host, mass, make_body, &world_of_bodies, &hook));
    check(ct_host_on_remove(host, mass, free_body, &world_of_bodies, &hook));
    const ct_host_part part = {mass, NULL, 0};
    check(ct_host_create_with(host, world, 2, 1, &part, balls));
    printf("%u bodies\n", (unsigned)world_of_bodies.count);
    if (ct_host_create_with(host, world, 2, 1, &part, balls + 2) != CT_OK)
        printf("%s\n", ct_host_message(host));
    printf("%u bodies\n", (unsigned)world_of_bodies.count);
    check(ct_host_destroy(host, 1, balls, NULL));
    printf("%u body\n", (unsigned)world_of_bodies.count);
    check(ct_host_free(host));
    printf("%u bodies\n", (unsigned)world_of_bodies.count);
    return 0;
}
