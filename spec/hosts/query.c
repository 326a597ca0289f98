// A program without Lua that keeps queries between frames: runs of rows, rows in different orders,
// changes of components, and the ends of managers and worlds.
#include "storage/query.h"
#include "component/point_mass.h"
#include "component/transform.h"
#include "world/checked/checked.h"

#include <stdio.h>

#define COUNT 1000

static ct_entity_manager entities;
static ct_world world;
static ct_manager *both[2];
static ct_entity list[COUNT];

static void add(ct_manager *manager, ct_entity e) {
    ct_row row;
    if (ct_manager_create(manager, &e, 1, NULL, NULL, &row) != CT_OK) printf("no room\n");
}

// Prints the number of matches, of wrong rows, and of runs of a query, and whether it uses memory.
static void show(const char *name, ct_query *query) {
    ct_query_run run = {0};
    ct_query_step step;
    uint32_t wrong = 0, runs = 0, rows = 0;
    ct_status status = ct_query_refresh(query);
    while ((step = ct_query_next_run(query, &run)) == CT_QUERY_ROW) {
        const ct_entity *a = ct_store_owners(&both[0]->store);
        const ct_entity *b = ct_store_owners(&both[1]->store);
        for (uint32_t i = 0; i < run.count; ++i) {
            ct_row first = ct_query_row(query, 0, run.match + i);
            wrong += first.i != run.rows[0].i + i;
            wrong += a[first.i].id != b[run.rows[1].i + i].id;
        }
        rows += run.count;
        runs++;
    }
    printf("%s: status %d, %u matches, %u rows, %u wrong, %s, %s\n", name, (int)status,
           query->count, rows, wrong,
           runs == 0  ? "none"
           : runs < 3 ? "in few runs"
                      : "in many",
           ct_query_bytes(query) > 0 ? "listed" : "not listed");
}

int main(void) {
    uint32_t epochs = 0, count;
    ct_query query, *other;
    ct_query_run run = {0};
    ct_entity_manager_init(&entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&world, &ct_allocator_malloc, &entities, &epochs, 1) != CT_OK ||
        ct_entity_manager_create(&entities, COUNT, list) != CT_OK)
        return 1;
    both[0] = ct_world_find(&world, CT_TRANSFORM);
    both[1] = ct_world_find(&world, CT_POINT_MASS);
    for (uint32_t i = 0; i < COUNT; ++i) {
        add(both[0], list[i]);
        add(both[1], list[i]);
    }
    ct_query_init(&query, &ct_allocator_malloc, &world.queries, 2, both, NULL);
    printf("first: %d\n", ct_query_first(&query).id == list[0].id);
    show("in one order", &query);
    for (uint32_t i = 0; i < COUNT; i += 2) {
        ct_manager_remove(both[1], ct_store_find(&both[1]->store, list[i]));
        add(both[1], list[i]);
    }
    printf("stale: %d\n", ct_query_next_run(&query, &run) == CT_QUERY_MOVED);
    show("in different orders", &query);
    printf("trimmed: %d\n", ct_world_trim(&world) > 0 && ct_query_bytes(&query) == 0);
    ct_entity_manager_destroy(&entities, COUNT / 2, list, NULL);
    printf("first: %d\n", ct_query_first(&query).id == list[COUNT / 2].id);
    show("after deaths", &query);
    printf("kept: %d\n", ct_checked_query(&world, 2, both, NULL, &other) == CT_OK &&
                             ct_checked_query_refresh(other, &count) == CT_OK &&
                             count == COUNT / 2);
    ct_query_free(&query);
    ct_query_free(&query); // does nothing
    ct_world_free(&world); // frees 'other'
    printf("over: %d\n", ct_checked_query(&world, 2, both, NULL, &other) == CT_ERR_OVER);
    ct_entity_manager_free(&entities);
    return 0;
}
