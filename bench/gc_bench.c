// Shows what garbage collection leaves behind: the share of rows whose owners are dead, at rest,
// when some die every frame. The seed's probing alone, against the log of deaths. And what it takes
// when all die at once, or all but one; and what removals cost in wide hierarchies.
// Knows nothing of scripts.
//
// usage: gc_bench [--quick]     --quick: fewer frames, answers only

#include "component/record.h"
#include "component/transform.h"

#include "harness.h"

#include <string.h>

#define LIVING 10000u

typedef struct scene {
    ct_entity_manager entities;
    ct_string_pool strings;
    ct_manager *rows;
    ct_entity *ids;
    uint32_t epochs;
    ct_random random;
} scene;

static void open_scene(scene *s) {
    static const ct_component_field fields[] = {{.name = "hp", .type = CT_FIELD_FLOAT}};
    ct_row first;
    memset(s, 0, sizeof *s);
    ct_random_seed(&s->random, 1);
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 1024);
    ct_string_pool_init(&s->strings, &ct_allocator_malloc);
    const ct_manager_setup setup = {.allocator = &ct_allocator_malloc,
                                    .entities = &s->entities,
                                    .epochs = &s->epochs,
                                    .strings = &s->strings,
                                    .map = CT_MAP_ARRAY};
    s->rows = ct_record_create(&setup, "health", fields, 1);
    s->ids = malloc(LIVING * sizeof *s->ids);
    require(s->rows != NULL && s->ids != NULL, "memory");
    require(ct_entity_manager_create(&s->entities, LIVING, s->ids) == CT_OK, "entities");
    require(ct_manager_create(s->rows, s->ids, LIVING, NULL, NULL, &first) == CT_OK, "rows");
}

static void close_scene(scene *s) {
    ct_manager_destroy(s->rows);
    ct_string_pool_free(&s->strings);
    ct_entity_manager_free(&s->entities);
    free(s->ids);
}

// The seed's gc (part 2), as it stands there: random rows, until four living ones in a row.
static void probe(scene *s) {
    ct_store *store = &s->rows->store;
    for (uint32_t living = 0; ct_store_count(store) > 0 && living < 4;) {
        uint32_t row = ct_random_below(&s->random, ct_store_count(store));
        if (ct_entity_manager_alive(&s->entities, ct_store_owners(store)[row])) {
            living++;
        } else {
            ct_store_remove(store, (ct_row){row});
            living = 0;
        }
    }
}

// 'deaths' die a frame and as many are born. The mean share of dead rows after gc, in the second
// half.
static double share_at_rest(uint32_t deaths, uint32_t frames, bool log, double *nanoseconds) {
    scene s;
    double dead = 0, rows = 0, seconds = 0;
    open_scene(&s);
    for (uint32_t frame = 0; frame < frames; ++frame) {
        for (uint32_t i = 0; i < deaths; ++i) {
            ct_entity *e = &s.ids[ct_random_below(&s.random, LIVING)];
            ct_row first;
            ct_entity_manager_destroy(&s.entities, 1, e, NULL);
            require(ct_entity_manager_create(&s.entities, 1, e) == CT_OK, "entities");
            require(ct_manager_create(s.rows, e, 1, NULL, NULL, &first) == CT_OK, "rows");
        }
        double start = now();
        if (log)
            ct_store_gc(&s.rows->store);
        else
            probe(&s);
        if (frame < frames / 2) continue;
        seconds += now() - start;
        rows += ct_store_count(&s.rows->store);
        dead += ct_store_count(&s.rows->store) - LIVING;
    }
    ct_message message;
    require(ct_manager_validate(s.rows, &message), message.text);
    close_scene(&s);
    *nanoseconds = seconds * 1e9 / (frames - frames / 2) / deaths;
    return dead / rows;
}

// All die at once, as with a level, or all but the one in the first row. Nanoseconds a death, of gc
// in *collecting.
static double all_die(bool but_one, double *collecting) {
    enum { ROUNDS = 15 };
    double destroys[ROUNDS], gcs[ROUNDS];
    for (int i = 0; i < ROUNDS; ++i) {
        scene s;
        open_scene(&s);
        double start = now();
        ct_entity_manager_destroy(&s.entities, LIVING - but_one, s.ids + but_one, NULL);
        double middle = now();
        uint32_t gone = ct_store_gc(&s.rows->store);
        gcs[i] = (now() - middle) * 1e9 / LIVING;
        destroys[i] = (middle - start) * 1e9 / LIVING;
        ct_message message;
        require(gone == LIVING - but_one, "gc leaves dead rows behind");
        require(ct_manager_validate(s.rows, &message), message.text);
        close_scene(&s);
    }
    *collecting = median_of(gcs, ROUNDS);
    return median_of(destroys, ROUNDS);
}

// A parent in the last row, 'count' children before it (or roots, if not 'linked'). Nanoseconds a
// removal of the last ones of these, each of which moves the parent, best of ten; and, in *freed, a
// child of the removal of the parent.
static double remove_beside(uint32_t count, bool linked, double *freed) {
    enum { ROUNDS = 10 };
    scene s;
    ct_row row;
    double times[ROUNDS];
    uint32_t some = count / 2 / ROUNDS, left = count;
    memset(&s, 0, sizeof s);
    ct_entity_manager_init(&s.entities, &ct_allocator_malloc, 1024);
    ct_string_pool_init(&s.strings, &ct_allocator_malloc);
    const ct_manager_setup setup = {.allocator = &ct_allocator_malloc,
                                    .entities = &s.entities,
                                    .epochs = &s.epochs,
                                    .strings = &s.strings,
                                    .map = CT_MAP_ARRAY};
    s.rows = ct_transform_create(&setup);
    s.ids = malloc((count + 1) * sizeof *s.ids);
    require(s.rows != NULL && s.ids != NULL, "memory");
    require(ct_entity_manager_create(&s.entities, count + 1, s.ids) == CT_OK, "entities");
    require(ct_manager_create(s.rows, s.ids, count + 1, NULL, NULL, &row) == CT_OK, "rows");
    for (uint32_t i = 0; i < count && linked; ++i)
        require(ct_transform_link(s.rows, (ct_row){i}, (ct_row){count}, false) == CT_OK, "link");
    for (int i = 0; i < ROUNDS; ++i) {
        double start = now();
        for (uint32_t k = 0; k < some; ++k)
            ct_store_remove_all(&s.rows->store, s.ids[--left]);
        times[i] = (now() - start) * 1e9 / some;
    }
    double start = now();
    ct_store_remove_all(&s.rows->store, s.ids[count]);
    *freed = (now() - start) * 1e9 / left;
    ct_message message;
    require(ct_store_count(&s.rows->store) == left, "removal of transforms");
    require(ct_manager_validate(s.rows, &message), message.text);
    close_scene(&s);
    median_of(times, ROUNDS);
    return times[0];
}

static void measure_wide(bool quick) {
    for (uint32_t count = 10000; count <= (quick ? 10000 : 1000000); count *= 10) {
        double freed, unused, alone = remove_beside(count, false, &unused);
        double wide = remove_beside(count, true, &freed);
        if (!quick)
            printf("%7u children, their parent in the last row: remove one %6.1f ns, %4.2f x a "
                   "root; the parent, a child %5.1f ns\n",
                   count, wide, wide / alone, freed);
    }
}

int main(int argc, char **argv) {
    static const uint32_t deaths[] = {1, 10, 100, 1000};
    static const uint32_t frames[] = {40000, 20000, 6000, 2000};
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (!quick)
        printf("%-40s %14s %10s %14s %10s\n", "C core: gc, 10,000 living, dead at rest",
               "probing alone", "ns a death", "with the log", "ns a death");
    for (int i = 0; i < (quick ? 1 : 4); ++i) {
        double probing_time, log_time;
        uint32_t count = quick ? 200 : frames[i];
        double probing = share_at_rest(deaths[i], count, false, &probing_time);
        double log = share_at_rest(deaths[i], count, true, &log_time);
        require(log < 0.001, "the log leaves dead rows behind");
        if (quick)
            printf("right  gc\n");
        else
            printf("%4u deaths a frame %35.1f %% %10.0f %13.1f %% %10.0f\n", deaths[i],
                   probing * 100, probing_time, log * 100, log_time);
    }
    for (int one = 0; one < 2; ++one) {
        double collecting, dying = all_die(one != 0, &collecting);
        if (!quick)
            printf("%-40s %14s %10.2f %14s %10.2f %8.2f x\n",
                   one ? "all but the first die: destroy, gc" : "all die at once: destroy, gc", "",
                   dying, "", collecting, collecting / dying);
    }
    measure_wide(quick);
    return 0;
}
