// Bench of the C core without Lua: entities, and components of 40 bytes with both maps, from 1,000
// to 4,000,000. Every case checks its result.
//
// usage: core_bench [--quick] [--rounds N]     --quick: small sizes, checks results only

#include "component/record.h"
#include "world/world.h"

#include "harness.h"

static uint32_t item_count;

// ---------------------------------------------------------------- the harness

// The state of a case. Each case uses some of the members.
typedef struct state {
    ct_entity_manager entities;
    ct_string_pool strings;
    uint32_t epochs;
    ct_manager *mass; // a component of 40 bytes: float, vec3, vec3, vec3
    ct_entity *ids;   // in order of creation
    ct_entity *random;
    uint32_t *column; // for limits: bare arrays
    ct_random generator;
} state;

typedef struct bench {
    const char *name;
    void (*set_up)(state *s);
    uint64_t (*run)(state *s);
    const char *limit; // name of an earlier case
    bool cold;
} bench;

static ct_map_kind map_kind;

static void shuffle(state *s) {
    memcpy(s->random, s->ids, item_count * sizeof *s->random);
    for (uint32_t i = item_count; i-- > 1;) {
        uint32_t j = ct_random_below(&s->generator, i + 1);
        ct_entity other = s->random[i];
        s->random[i] = s->random[j];
        s->random[j] = other;
    }
}

static void open_state(state *s) {
    static const ct_component_field fields[] = {{.name = "mass", .type = CT_FIELD_FLOAT},
                                                {.name = "position", .type = CT_FIELD_VEC3},
                                                {.name = "velocity", .type = CT_FIELD_VEC3},
                                                {.name = "acceleration", .type = CT_FIELD_VEC3}};
    memset(s, 0, sizeof *s);
    ct_random_seed(&s->generator, 1);
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 1024);
    ct_string_pool_init(&s->strings, &ct_allocator_malloc);
    s->ids = malloc(item_count * sizeof *s->ids);
    s->random = malloc(item_count * sizeof *s->random);
    s->column = malloc(item_count * sizeof *s->column);
    ct_manager_setup setup = {.allocator = &ct_allocator_malloc,
                              .entities = &s->entities,
                              .epochs = &s->epochs,
                              .strings = &s->strings,
                              .seed = 1,
                              .map = map_kind};
    s->mass = ct_record_create(&setup, "mass", fields, 4);
    require(s->ids != NULL && s->random != NULL && s->column != NULL && s->mass != NULL, "memory");
}

static void close_state(state *s) {
    ct_manager_destroy(s->mass);
    ct_string_pool_free(&s->strings);
    ct_entity_manager_free(&s->entities);
    free(s->ids);
    free(s->random);
    free(s->column);
}

static double bytes_held(const state *s) {
    return (double)(ct_entity_manager_bytes(&s->entities) + ct_manager_bytes(s->mass)) / item_count;
}

static void measure(const bench *b) {
    double times[MAX_ROUNDS];
    result r = {
        .name = b->name, .cold = b->cold, .items = item_count, .times = times, .limit = b->limit};
    r.rounds = rounds_for(item_count);
    for (int i = 0; i < r.rounds; ++i) {
        state s;
        open_state(&s);
        b->set_up(&s);
        double start = now();
        uint64_t answer = b->run(&s);
        times[i] = (now() - start) * 1e9 / item_count;
        require(answer == item_count, b->name);
        ct_message message;
        require(ct_entity_manager_validate(&s.entities, &message) &&
                    ct_manager_validate(s.mass, &message),
                b->name);
        r.bytes = bytes_held(&s);
        close_state(&s);
    }
    report(&r);
}

// ---------------------------------------------------------------- entities

static void nothing(state *s) { (void)s; }

// Memory is warm: as many entities were created and destroyed before.
static void with_dead(state *s) {
    require(ct_entity_manager_create(&s->entities, item_count, s->ids) == CT_OK, "create");
    ct_entity_manager_destroy(&s->entities, item_count, s->ids, NULL);
}

static void with_room(state *s) {
    require(ct_entity_manager_create(&s->entities, item_count, s->ids) == CT_OK, "create");
    ct_entity_manager_destroy(&s->entities, item_count, s->ids, NULL);
    // From here on indices are new, in memory that was written before.
    s->entities.used = 0;
    s->entities.head = s->entities.tail = 0;
}

static void with_living(state *s) {
    require(ct_entity_manager_create(&s->entities, item_count, s->ids) == CT_OK, "create");
    shuffle(s);
    for (uint32_t i = 0; i < item_count; ++i)
        s->column[i] = 0;
}

static uint64_t create_each(state *s) {
    uint64_t created = 0;
    for (uint32_t i = 0; i < item_count; ++i)
        created += ct_entity_manager_create(&s->entities, 1, &s->ids[i]) == CT_OK;
    return created;
}

static uint64_t create_bulk(state *s) {
    return ct_entity_manager_create(&s->entities, item_count, s->ids) == CT_OK ? item_count : 0;
}

// The limit of alive: the same loads without the bounds check.
static uint64_t alive_bare(state *s) {
    uint64_t living = 0;
    const uint16_t *slots = s->entities.slots;
    for (uint32_t i = 0; i < item_count; ++i)
        living += slots[ct_entity_index(s->random[i])] == ct_entity_generation(s->random[i]);
    return living;
}

static uint64_t alive(state *s) {
    uint64_t living = 0;
    for (uint32_t i = 0; i < item_count; ++i)
        living += ct_entity_manager_alive(&s->entities, s->random[i]);
    return living;
}

static uint64_t destroy_each(state *s) {
    uint64_t died = 0;
    for (uint32_t i = 0; i < item_count; ++i)
        died += ct_entity_manager_destroy(&s->entities, 1, &s->random[i], NULL);
    return died;
}

static uint64_t destroy_bulk(state *s) {
    return ct_entity_manager_destroy(&s->entities, item_count, s->random, NULL);
}

// ---------------------------------------------------------------- components

static uint64_t store_rows(const state *s) { return ct_store_count(&s->mass->store); }

// All entities have had the component once, so memory and map have their final sizes.
static void with_warm_store(state *s) {
    ct_row first;
    with_living(s);
    require(ct_manager_create(s->mass, s->ids, item_count, NULL, NULL, &first) == CT_OK, "add");
    ct_store_clear(&s->mass->store);
}

static void with_components(state *s) {
    ct_row first;
    with_living(s);
    require(ct_manager_create(s->mass, s->ids, item_count, NULL, NULL, &first) == CT_OK, "add");
    float *mass = ct_manager_item(s->mass, &s->mass->fields[0], (ct_row){0});
    for (uint32_t i = 0; i < item_count; ++i)
        mass[i] = 1;
}

static const float values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const ct_values inputs[] = {{values, 0}, {values + 1, 0}, {values + 4, 0}, {values + 7, 0}};

static uint64_t add_each(state *s) {
    ct_row row;
    for (uint32_t i = 0; i < item_count; ++i)
        ct_manager_create(s->mass, &s->random[i], 1, inputs, NULL, &row);
    return store_rows(s);
}

static uint64_t add_bulk(state *s) {
    ct_row first;
    ct_manager_create(s->mass, s->random, item_count, inputs, NULL, &first);
    return store_rows(s);
}

static uint64_t add_bulk_in_order(state *s) {
    ct_row first;
    ct_manager_create(s->mass, s->ids, item_count, inputs, NULL, &first);
    return store_rows(s);
}

// The limit of a lookup: the row is known.
static uint64_t gather(state *s) {
    uint64_t sum = 0;
    const float *mass = ct_manager_item(s->mass, &s->mass->fields[0], (ct_row){0});
    for (uint32_t i = 0; i < item_count; ++i)
        sum += (uint64_t)mass[ct_entity_index(s->random[i])];
    return sum;
}

static uint64_t look_up(state *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < item_count; ++i) {
        ct_row row = ct_store_find(&s->mass->store, s->random[i]);
        sum += (uint64_t) * (float *)ct_manager_item(s->mass, &s->mass->fields[0], row);
    }
    return sum;
}

static uint64_t remove_each(state *s) {
    uint64_t removed = 0;
    for (uint32_t i = 0; i < item_count; ++i)
        removed += ct_store_remove_all(&s->mass->store, s->random[i]);
    return removed;
}

// The limit of adding, removing and churn: copies the 40 bytes of a row to a random row.
static uint64_t churn_bare(state *s) {
    unsigned char *items[4];
    for (uint32_t f = 0; f < 4; ++f)
        items[f] = ct_manager_item(s->mass, &s->mass->fields[f], (ct_row){0});
    for (uint32_t i = 0; i < item_count; ++i) {
        size_t to = ct_entity_index(s->random[i]), from = i;
        memcpy(items[0] + to * 4, items[0] + from * 4, 4);
        memcpy(items[1] + to * 12, items[1] + from * 12, 12);
        memcpy(items[2] + to * 12, items[2] + from * 12, 12);
        memcpy(items[3] + to * 12, items[3] + from * 12, 12);
    }
    return store_rows(s);
}

// Repeatedly destroys a thousand entities, creates a thousand, and collects garbage.
static uint64_t churn(state *s) {
    uint64_t born = 0;
    ct_row first;
    uint32_t batch = item_count < 1000 ? item_count : 1000;
    for (uint32_t i = 0; i < item_count; i += batch) {
        uint32_t count = item_count - i < batch ? item_count - i : batch;
        ct_entity_manager_destroy(&s->entities, count, s->random + i, NULL);
        ct_store_gc(&s->mass->store);
        ct_entity_manager_create(&s->entities, count, s->random + i);
        ct_manager_create(s->mass, s->random + i, count, inputs, NULL, &first);
        born += count;
    }
    return born == store_rows(s) ? born : 0;
}

// ---------------------------------------------------------------- list of cases

#define BARE_ALIVE "limit: alive without its bound, random order"

static const bench entity_benches[] = {
    {"create, one by one", nothing, create_each, NULL, true},
    {"create, one by one", with_room, create_each, NULL, false},
    {"create, one by one, recycled", with_dead, create_each, NULL, false},
    {"create, in bulk", nothing, create_bulk, NULL, true},
    {"create, in bulk, recycled", with_dead, create_bulk, NULL, false},
    {BARE_ALIVE, with_living, alive_bare, NULL, false},
    {"alive, random order", with_living, alive, BARE_ALIVE, false},
    {"destroy, one by one, random order", with_living, destroy_each, NULL, false},
    {"destroy, in bulk, random order", with_living, destroy_bulk, NULL, false},
};

// The cases of both maps. Each map has its own limits.
#define COPY "limit: copy 40 bytes to a random row, "
#define GATHER "limit: read a field of a known row, random order, "
#define COMPONENT_BENCHES(map)                                                                     \
    {                                                                                              \
        {COPY map, with_components, churn_bare, NULL, false},                                      \
            {"add 40 bytes, one by one, random order, " map, with_living, add_each, COPY map,      \
             true},                                                                                \
            {"add 40 bytes, one by one, random order, " map, with_warm_store, add_each, COPY map,  \
             false},                                                                               \
            {"add 40 bytes, in bulk, random order, " map, with_warm_store, add_bulk, COPY map,     \
             false},                                                                               \
            {"add 40 bytes, in bulk, in order, " map, with_warm_store, add_bulk_in_order,          \
             COPY map, false},                                                                     \
            {GATHER map, with_components, gather, NULL, false},                                    \
            {"look up one field, random order, " map, with_components, look_up, GATHER map,        \
             false},                                                                               \
            {"remove, random order, " map, with_components, remove_each, COPY map, false},         \
            {"churn: destroy, gc, create with a component, " map, with_components, churn,          \
             COPY map, false},                                                                     \
    }

static const bench array_benches[] = COMPONENT_BENCHES("array map");
static const bench hash_benches[] = COMPONENT_BENCHES("hash map");

static void measure_all(const bench *benches, size_t count) {
    for (size_t i = 0; i < count; ++i)
        measure(&benches[i]);
}

// Prints the bytes held for a component that was created in bulk, with its map, and those of its
// row.
static void tell_memory(void) {
    state s;
    open_state(&s);
    with_components(&s);
    double held = (double)ct_manager_bytes(s.mass) / item_count;
    require(held < 1.5 * s.mass->store.columns.row_bytes, "memory");
    if (!the_bench.quick)
        printf("# %.1f bytes held a component of %u, map included: %.2f x its row\n", held,
               item_count, held / s.mass->store.columns.row_bytes);
    close_state(&s);
}

int main(int argc, char **argv) {
    static const uint32_t sizes[] = {1000, 10000, 100000, 1000000, 4000000};
    open_bench("core", argc, argv);
    for (size_t i = 0; i < (the_bench.quick ? 1 : sizeof sizes / sizeof *sizes); ++i) {
        item_count = the_bench.quick ? 1500 : sizes[i];
        measure_all(entity_benches, sizeof entity_benches / sizeof *entity_benches);
        map_kind = CT_MAP_ARRAY;
        measure_all(array_benches, sizeof array_benches / sizeof *array_benches);
        tell_memory();
        if (item_count > 1000000) break; // the largest size is measured with one map only
        map_kind = CT_MAP_HASH;
        measure_all(hash_benches, sizeof hash_benches / sizeof *hash_benches);
        tell_memory();
    }
    return 0;
}
