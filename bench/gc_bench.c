// Bench of garbage collection: the share of rows with dead owners in a steady state in which some
// entities die every frame, with random probing alone and with the log of deaths. Also the time if
// all die at once, or all but one, and the cost of removals in wide hierarchies.
//
// usage: gc_bench [--quick] [--rounds N]     --quick: fewer frames, checks results only

#include "component/record.h"
#include "component/transform.h"

#include "harness.h"

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

// The gc of Bitsquid part 2: probes random rows until it finds four living owners in a row.
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

// Destroys 'deaths' entities per frame and creates as many. Returns the mean share of dead rows
// after gc in the second half.
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

// Measures frames with 'deaths' destructions. The frames are one long run, so each way is measured
// once.
static void measure_at_rest(const char *name, uint32_t deaths, uint32_t frames) {
    double probing_time, log_time;
    double probing = share_at_rest(deaths, frames, false, &probing_time);
    double log = share_at_rest(deaths, frames, true, &log_time);
    require(log < 0.001, "the log leaves dead rows behind");
    result r = {.name = name, .items = deaths, .times = &log_time, .rounds = 1};
    r.limit = "probing alone, which leaves dead rows", r.limit_times = &probing_time;
    report(&r);
    if (!the_bench.quick)
        printf("# dead rows of 10,000 with %u deaths a frame: %.1f %% with probing alone, %.1f "
               "%% with the log\n",
               deaths, probing * 100, log * 100);
}

// Destroys all entities at once, as with a level, or all except the one in the first row.
// Nanoseconds per destruction.
static void measure_end(const char *name, bool but_one) {
    double destroys[MAX_ROUNDS], gcs[MAX_ROUNDS];
    result r = {.name = name, .items = LIVING, .times = gcs, .rounds = rounds_for(LIVING)};
    r.limit = "their destruction", r.limit_times = destroys;
    for (int i = 0; i < r.rounds; ++i) {
        scene s;
        open_scene(&s);
        double start = now();
        ct_entity_manager_destroy(&s.entities, LIVING - but_one, s.ids + but_one, NULL);
        double middle = now();
        uint32_t gone = ct_store_gc(&s.rows->store);
        gcs[i] = (now() - middle) * 1e9 / LIVING;
        destroys[i] = (middle - start) * 1e9 / LIVING;
        r.bytes = (double)ct_manager_bytes(s.rows) / LIVING;
        ct_message message;
        require(gone == LIVING - but_one, "gc leaves dead rows behind");
        require(ct_manager_validate(s.rows, &message), message.text);
        close_scene(&s);
    }
    report(&r);
}

enum { TENTHS = 10 };

// Creates 'count' children (or roots, if not 'linked') and their parent in the last row. Measures,
// in ten parts, nanoseconds per removal of the last of these children, each of which moves the
// parent. Stores the time of the parent's removal, per child, in *freed.
static void remove_beside(uint32_t count, bool linked, double *times, double *freed) {
    scene s;
    ct_row row;
    uint32_t some = count / 2 / TENTHS, left = count;
    memset(&s, 0, sizeof s);
    ct_entity_manager_init(&s.entities, &ct_allocator_malloc, 1024);
    ct_string_pool_init(&s.strings, &ct_allocator_malloc);
    const ct_manager_setup setup = {.allocator = &ct_allocator_malloc,
                                    .entities = &s.entities,
                                    .epochs = &s.epochs,
                                    .strings = &s.strings,
                                    .map = CT_MAP_ARRAY};
    s.rows = ct_manager_new(&setup, &ct_transform_type);
    s.ids = malloc((count + 1) * sizeof *s.ids);
    require(s.rows != NULL && s.ids != NULL, "memory");
    require(ct_entity_manager_create(&s.entities, count + 1, s.ids) == CT_OK, "entities");
    require(ct_manager_create(s.rows, s.ids, count + 1, NULL, NULL, &row) == CT_OK, "rows");
    for (uint32_t i = 0; i < count && linked; ++i)
        require(ct_transform_link(s.rows, (ct_row){i}, (ct_row){count}, false) == CT_OK, "link");
    for (int i = 0; i < TENTHS; ++i) {
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
}

static void measure_wide(void) {
    for (uint32_t count = 10000; count <= (the_bench.quick ? 10000 : 1000000); count *= 10) {
        double alone[TENTHS], wide[TENTHS], freed, unused;
        remove_beside(count, false, alone, &unused);
        remove_beside(count, true, wide, &freed);
        result r = {
            .name = "remove a child, its parent in the last row", .items = count, .rounds = TENTHS};
        r.times = wide, r.limit = "remove a root", r.limit_times = alone;
        report(&r);
        report(&(result){
            .name = "remove a wide parent, a child", .items = count, .rounds = 1, .times = &freed});
    }
}

int main(int argc, char **argv) {
    open_bench("gc", argc, argv);
    bool quick = the_bench.quick;
    measure_at_rest("gc, 1 of 10,000 die a frame", 1, quick ? 200 : 40000);
    if (!quick) {
        measure_at_rest("gc, 10 of 10,000 die a frame", 10, 20000);
        measure_at_rest("gc, 100 of 10,000 die a frame", 100, 6000);
        measure_at_rest("gc, 1,000 of 10,000 die a frame", 1000, 2000);
    }
    measure_end("gc, all die at once", false);
    measure_end("gc, all but the first die at once", true);
    measure_wide();
    return 0;
}
