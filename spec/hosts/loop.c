// A program without Lua that iterates over joined managers: by rows, by runs, with roles, and with
// removals. It also iterates over children and living entities while both change.
#include "storage/loop.h"
#include "component/point_mass.h"
#include "component/transform.h"
#include "world/world.h"

#include <stdio.h>

#define COUNT 1000

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_entity list[COUNT];
    ct_manager *both[2]; // every entity has the first, two of three have the second
    uint32_t epochs;
} scene;

static void add(ct_manager *manager, ct_entity e) {
    ct_values none[8] = {{NULL, 0}};
    ct_row row;
    if (ct_manager_create(manager, &e, 1, none, NULL, &row) != CT_OK) printf("no room\n");
}

static bool open_scene(scene *s) {
    s->epochs = 0;
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&s->world, &ct_allocator_malloc, &s->entities, &s->epochs, 1) != CT_OK ||
        ct_entity_manager_create(&s->entities, COUNT, s->list) != CT_OK)
        return false;
    s->both[0] = ct_world_find(&s->world, CT_TRANSFORM);
    s->both[1] = ct_world_find(&s->world, CT_POINT_MASS);
    for (uint32_t i = 0; i < COUNT; ++i) {
        add(s->both[0], s->list[i]);
        if (i >= COUNT / 3) add(s->both[1], s->list[i]);
    }
    return true;
}

// Counts the rows of a join, and the rows of a wrong entity.
static void count_rows(const scene *s, ct_query_role role, const char *name) {
    const ct_query_role roles[] = {CT_QUERY_REQUIRED, role};
    uint32_t rows = 0, wrong = 0, fault;
    ct_loop loop;
    ct_loop_begin(&loop, 2, s->both, roles);
    for (; ct_loop_next(&loop, &fault) == CT_QUERY_ROW; ++rows) {
        ct_entity e = ct_store_owners(&s->both[0]->store)[ct_loop_row(&loop, 0).i];
        ct_row other = ct_store_find(&s->both[1]->store, e);
        wrong +=
            role == CT_QUERY_EXCLUDED ? other.i != CT_NO_ROW : other.i != ct_loop_row(&loop, 1).i;
    }
    printf("%s: %u rows, %u wrong\n", name, rows, wrong);
}

static void count_runs(const scene *s) {
    uint32_t rows = 0, wrong = 0, runs = 0, fault;
    ct_loop loop;
    ct_loop_begin(&loop, 2, s->both, NULL);
    const ct_entity *a = ct_store_owners(&s->both[0]->store);
    const ct_entity *b = ct_store_owners(&s->both[1]->store);
    for (uint32_t last = CT_NO_ROW; ct_loop_next_run(&loop, last, &fault) == CT_QUERY_ROW;
         last = loop.stop - 1) {
        for (uint32_t row = loop.first; row < loop.stop; ++row)
            wrong += a[row].id != b[row + loop.parts[1].offset].id;
        rows += loop.stop - loop.first;
        runs++;
    }
    printf("by runs: %u rows, %u wrong, %s\n", rows, wrong, runs < 20 ? "in few" : "in many");
}

// Removes every third row of the second manager inside the loop, then a row that was not visited.
static void remove_inside(const scene *s) {
    uint32_t rows = 0, fault = 9;
    ct_loop loop;
    ct_loop_begin(&loop, 2, s->both, NULL);
    while (ct_loop_next(&loop, &fault) == CT_QUERY_ROW) {
        if (++rows % 3 == 0) ct_store_remove(&s->both[1]->store, ct_loop_row(&loop, 1));
    }
    printf("with removals: %u rows, %u left\n", rows, ct_store_count(&s->both[1]->store));
    ct_loop_begin(&loop, 2, s->both, NULL);
    ct_loop_next(&loop, &fault);
    ct_store_remove(&s->both[1]->store, (ct_row){ct_loop_row(&loop, 1).i + 5});
    ct_query_step step = ct_loop_next(&loop, &fault);
    printf("%s of manager %u\n", step == CT_QUERY_MOVED ? "rows moved" : "?", fault);
}

// Destroys every third entity inside a loop over living entities, and creates a new one each time.
static void walk_living(scene *s) {
    static uint16_t room[2 * COUNT];
    uint32_t visited = 0, alive = ct_entity_manager_count(&s->entities);
    ct_entity_iterator loop;
    ct_entity created;
    ct_entity_iterator_begin(&loop, &s->entities, room, 2 * COUNT);
    for (ct_entity e; (e = ct_entity_iterator_next(&loop, &s->entities)).id != CT_NOBODY;) {
        if (++visited % 3 != 0) continue;
        ct_entity_manager_destroy(&s->entities, 1, &e, NULL);
        if (ct_entity_manager_create(&s->entities, 1, &created) != CT_OK) printf("no room\n");
    }
    printf("%u living visited of %u\n", visited, alive);
}

// Unlinks each visited child and the next one, of ten children.
static void walk_children(scene *s) {
    ct_manager *transforms = s->both[0];
    ct_entity room[10], child;
    ct_row parent = ct_store_find(&transforms->store, s->list[0]);
    ct_children loop;
    uint32_t visited = 0;
    for (uint32_t i = 1; i <= 10; ++i)
        (void)ct_transform_link(transforms, ct_store_find(&transforms->store, s->list[i]), parent,
                                false);
    printf("room for %u: %s\n", 9u,
           ct_children_begin(&loop, transforms, parent, room, 9) ? "enough" : "too little");
    if (!ct_children_begin(&loop, transforms, parent, room, 10)) return;
    while (ct_children_next(&loop, &child) == CT_QUERY_ROW) {
        visited++;
        ct_transform_unlink(transforms, loop.rows.returned, false);
        ct_row next = ct_transform_first_child(transforms, parent);
        if (next.i != CT_NO_ROW) ct_transform_unlink(transforms, next, false);
    }
    printf("%u children visited of 10, %u left\n", visited,
           ct_transform_child_count(transforms, parent));
}

int main(void) {
    static scene s;
    if (!open_scene(&s)) return 1;
    count_rows(&s, CT_QUERY_REQUIRED, "required");
    count_rows(&s, CT_QUERY_EXCLUDED, "excluded");
    count_rows(&s, CT_QUERY_OPTIONAL, "optional");
    count_runs(&s);
    remove_inside(&s);
    walk_children(&s);
    walk_living(&s);
    ct_world_free(&s.world);
    ct_entity_manager_free(&s.entities);
    return 0;
}
