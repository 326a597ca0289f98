// Bench of hierarchies of transforms, compared with a plain loop over as many nodes of the same
// shape. Every run checks every world position.
// Longer than 400 lines: all cases share one grove, its limit and its check.
//
// usage: hierarchy_bench [--quick] [--rounds N]     --quick: small sizes, checks results only
//
// The limit is world[i] = world[parent[i]] x local[i] over plain arrays in the order of the
// hierarchy, after the moved positions were written. Runs of the limit and of the case alternate.

#include "base/math.h"
#include "component/transform.h"

#include "harness.h"

// ---------------------------------------------------------------- shapes

// Trees of 'family' nodes, one after another. In a tree, all nodes are children of the first, or
// each is the child of the previous one.
typedef struct shape {
    uint32_t count, family;
    bool chain;
} shape;

static uint32_t parent_of(const shape *s, uint32_t node) {
    if (node % s->family == 0) return CT_NO_ROW;
    return s->chain ? node - 1 : node - node % s->family;
}

// Small whole numbers, so that the sums of a chain of a million are exact.
static void place_of(uint32_t node, float z, float *place) {
    place[0] = (float)(node % 8);
    place[1] = 1;
    place[2] = z;
}

static float z_of(uint32_t frame) { return (float)(frame % 2); }

static void shuffle(uint32_t *items, uint32_t count) {
    ct_random random;
    ct_random_seed(&random, 1);
    for (uint32_t i = count; i-- > 1;) {
        uint32_t j = ct_random_below(&random, i + 1), other = items[i];
        items[i] = items[j];
        items[j] = other;
    }
}

// ---------------------------------------------------------------- the limit

typedef struct bare {
    ct_columns columns;
    shape shape;
    bool all; // every node is set, not only roots
} bare;

static float (*bare_matrices(const bare *b, uint32_t column))[16] {
    return (float(*)[16])(void *)b->columns.at[column];
}

static void open_bare(bare *b, shape s, bool all) {
    static const float unturned[4] = {0, 0, 0, 1}, one[3] = {1, 1, 1};
    static const uint16_t widths[] = {64, 64, 4};
    ct_columns_init(&b->columns, NULL, widths, 3);
    b->shape = s;
    b->all = all;
    require(ct_columns_reserve(&b->columns, &ct_allocator_malloc, s.count, s.count) == CT_OK,
            "memory");
    uint32_t *parent = (uint32_t *)(void *)b->columns.at[2];
    for (uint32_t i = 0; i < s.count; ++i) {
        float place[3];
        place_of(i, 0, place);
        parent[i] = parent_of(&s, i);
        ct_mat4_compose(place, unturned, one, bare_matrices(b, 0)[i]);
    }
}

static void run_bare(bare *b, uint32_t frame) {
    float(*restrict local)[16] = bare_matrices(b, 0);
    float(*restrict world)[16] = bare_matrices(b, 1);
    const uint32_t *restrict parent = (const uint32_t *)(const void *)b->columns.at[2];
    uint32_t step = b->all ? 1 : b->shape.family;
    for (uint32_t i = 0; i < b->shape.count; i += step)
        place_of(i, z_of(frame), local[i] + 12);
    for (uint32_t i = 0; i < b->shape.count; ++i) {
        if (parent[i] == CT_NO_ROW)
            memcpy(world[i], local[i], sizeof world[i]);
        else
            ct_mat4_product(world[parent[i]], local[i], world[i]);
    }
}

// ---------------------------------------------------------------- the grove

typedef struct grove {
    ct_entity_manager entities;
    ct_string_pool strings;
    ct_manager *transforms;
    uint32_t epochs;
    shape shape;
    uint32_t *order;    // of creating and unlinking nodes
    ct_entity *ids;     // of nodes
    ct_row *rows;       // of nodes, valid until rows move
    float *z;           // of nodes: the value that was set last
    uint32_t *movers;   // nodes that are set
    ct_row *mover_rows; // their rows, valid until rows move
    uint32_t mover_count;
    uint32_t root_count; // nodes in 'movers', of which the first move, or others each frame
} grove;

typedef enum order { IN_ORDER, SHUFFLED, SORTED } order;

typedef struct bench {
    const char *name;
    uint32_t count;
    uint32_t family; // 0: one tree of all
    bool chain;
    order built;
    uint32_t part;   // one node in so many moves; 0: all do
    uint32_t moving; // nodes that move, set themselves or below a root that is set
    bool all;        // every moving node is set
    bool another;    // others move each frame, and 'run' says where they are
    bool once;       // needs a new grove for every run
    bool idle;       // the time is that of one call
    void (*prepare)(grove *g);
    void (*run)(grove *g, uint32_t frame);
} bench;

static void find_rows(grove *g) {
    for (uint32_t i = 0; i < g->shape.count; ++i)
        g->rows[i] = ct_store_find(&g->transforms->store, g->ids[i]);
}

// Roots are rotated by half a turn, so that their descendants have the opposite direction.
static void place_nodes(grove *g) {
    for (uint32_t i = 0; i < g->shape.count; ++i) {
        ct_pose pose = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
        if (parent_of(&g->shape, i) == CT_NO_ROW) pose.rotation[2] = 1, pose.rotation[3] = 0;
        place_of(i, 0, pose.position);
        g->z[i] = 0;
        ct_transform_set_local_pose(g->transforms, g->rows[i], &pose);
    }
}

static void link_nodes(grove *g) {
    for (uint32_t i = 0; i < g->shape.count; ++i) {
        uint32_t parent = parent_of(&g->shape, i);
        if (parent == CT_NO_ROW) continue;
        require(ct_transform_link(g->transforms, g->rows[i], g->rows[parent], false) == CT_OK,
                "link");
    }
}

// Movers are in the order of their rows. If only some nodes move, they are chosen at random.
static void choose_movers(grove *g, const bench *b) {
    const ct_entity *owners = ct_store_owners(&g->transforms->store);
    for (uint32_t row = 0; row < b->count; ++row) {
        uint32_t node = ct_entity_index(owners[row]);
        if (b->all || node % b->family == 0) g->movers[g->mover_count++] = node;
    }
    g->root_count = g->mover_count;
    if (b->moving < b->count) {
        shuffle(g->movers, g->mover_count);
        g->mover_count = b->moving / b->family;
    }
    for (uint32_t i = 0; i < g->root_count; ++i)
        g->mover_rows[i] = g->rows[g->movers[i]];
}

static void plant(grove *g, const bench *b) {
    memset(g, 0, sizeof *g);
    g->shape = (shape){b->count, b->family, b->chain};
    ct_entity_manager_init(&g->entities, &ct_allocator_malloc, 1024);
    ct_string_pool_init(&g->strings, &ct_allocator_malloc);
    const ct_manager_setup setup = {.allocator = &ct_allocator_malloc,
                                    .entities = &g->entities,
                                    .epochs = &g->epochs,
                                    .strings = &g->strings,
                                    .map = CT_MAP_ARRAY};
    g->transforms = ct_manager_new(&setup, &ct_transform_type);
    g->order = malloc(b->count * sizeof *g->order);
    g->ids = malloc(b->count * sizeof *g->ids);
    g->rows = malloc(b->count * sizeof *g->rows);
    g->z = malloc(b->count * sizeof *g->z);
    g->movers = malloc(b->count * sizeof *g->movers);
    g->mover_rows = malloc(b->count * sizeof *g->mover_rows);
    require(g->transforms != NULL && g->order != NULL && g->ids != NULL && g->rows != NULL &&
                g->z != NULL && g->movers != NULL && g->mover_rows != NULL,
            "memory");
    require(ct_entity_manager_create(&g->entities, b->count, g->ids) == CT_OK, "entities");
    for (uint32_t i = 0; i < b->count; ++i)
        g->order[i] = i;
    if (b->built != IN_ORDER) shuffle(g->order, b->count);
    for (uint32_t i = 0; i < b->count; ++i) {
        ct_row row;
        const ct_entity *owner = &g->ids[g->order[i]];
        require(ct_manager_create(g->transforms, owner, 1, NULL, NULL, &row) == CT_OK, "rows");
    }
    find_rows(g);
    place_nodes(g);
    link_nodes(g);
    if (b->built == SORTED) require(ct_transform_sort(g->transforms) == CT_OK, "sort");
    find_rows(g);
    choose_movers(g, b);
    if (b->prepare != NULL) b->prepare(g);
}

static void fell(grove *g) {
    ct_manager_destroy(g->transforms);
    ct_string_pool_free(&g->strings);
    ct_entity_manager_free(&g->entities);
    free(g->order);
    free(g->ids);
    free(g->rows);
    free(g->z);
    free(g->movers);
    free(g->mover_rows);
}

// Checks that every node has the position of the sums. z shows that all nodes got the last move.
static void check(const grove *g, const char *name) {
    float(*expected)[3] = malloc(g->shape.count * sizeof *expected);
    require(expected != NULL, "memory");
    for (uint32_t i = 0; i < g->shape.count; ++i) {
        uint32_t parent = parent_of(&g->shape, i);
        ct_row row = ct_store_find(&g->transforms->store, g->ids[i]);
        place_of(i, g->z[i], expected[i]);
        for (int k = 0; k < 3 && parent != CT_NO_ROW; ++k)
            expected[i][k] = expected[parent][k] + (k < 2 ? -expected[i][k] : expected[i][k]);
        const float *world = ct_transform_world_matrix(g->transforms, row);
        require(memcmp(world + 12, expected[i], sizeof expected[i]) == 0, name);
    }
    free(expected);
    ct_message message;
    require(ct_manager_validate(g->transforms, &message), message.text);
}

// ---------------------------------------------------------------- cases

static void set_movers(grove *g, uint32_t frame) {
    float place[3];
    for (uint32_t i = 0; i < g->mover_count; ++i) {
        place_of(g->movers[i], z_of(frame), place);
        ct_transform_set_local_position(g->transforms, g->mover_rows[i], place);
    }
}

static void set_in_batch(grove *g, uint32_t frame) {
    require(ct_transform_begin_batch(g->transforms) == CT_OK, "batch");
    set_movers(g, frame);
    ct_transform_end_batch(g->transforms);
}

// Sets poses like a script, which keeps entities and not rows.
static void set_deferred(grove *g, uint32_t frame) {
    float place[3];
    for (uint32_t i = 0; i < g->mover_count; ++i) {
        uint32_t node = g->movers[i];
        place_of(node, z_of(frame), place);
        ct_row row = ct_store_find(&g->transforms->store, g->ids[node]);
        ct_transform_set_local_position(g->transforms, row, place);
    }
    ct_transform_propagate(g->transforms);
}

static void set_others(grove *g, uint32_t frame) {
    uint32_t first = frame % (g->root_count / g->mover_count) * g->mover_count;
    for (uint32_t i = first; i < first + g->mover_count; ++i) {
        float place[3];
        uint32_t node = g->movers[i];
        g->z[node] = z_of(frame);
        place_of(node, z_of(frame), place);
        ct_transform_set_local_position(g->transforms, g->mover_rows[i], place);
    }
}

static void defer_others(grove *g, uint32_t frame) {
    set_others(g, frame);
    ct_transform_propagate(g->transforms);
}

static void defer(grove *g) {
    require(ct_transform_set_deferred(g->transforms) == CT_OK, "deferred mode");
    ct_transform_propagate(g->transforms);
}

static void stay(grove *g) { g->mover_count = 0; }

static void defer_nothing(grove *g) {
    defer(g);
    stay(g);
}

static void propagate_idle(grove *g, uint32_t frame) {
    (void)frame;
    ct_transform_propagate(g->transforms);
}

static void leave_in_batch(grove *g) {
    require(ct_transform_begin_batch(g->transforms) == CT_OK, "batch");
    set_movers(g, 1);
    for (uint32_t i = 0; i < g->mover_count; ++i)
        g->z[g->movers[i]] = z_of(1);
    stay(g);
}

static void get_in_batch(grove *g, uint32_t frame) {
    float sum = 0;
    (void)frame;
    for (uint32_t i = 0; i < g->shape.count; ++i)
        sum += ct_transform_world_matrix(g->transforms, g->rows[i])[14];
    require(sum == (float)g->shape.count, "a world position in a batch");
}

static void unlink_roots(grove *g) {
    for (uint32_t i = 0; i < g->shape.count; ++i)
        ct_transform_unlink(g->transforms, g->rows[i], false);
    stay(g);
}

static void link_all(grove *g, uint32_t frame) {
    (void)frame;
    link_nodes(g);
}

static void prepare_unlink(grove *g) {
    shuffle(g->order, g->shape.count);
    stay(g);
}

static void unlink_all(grove *g, uint32_t frame) {
    (void)frame;
    for (uint32_t i = 0; i < g->shape.count; ++i)
        ct_transform_unlink(g->transforms, g->rows[g->order[i]], false);
    g->shape.family = 1;
}

static void sort(grove *g, uint32_t frame) {
    (void)frame;
    require(ct_transform_sort(g->transforms) == CT_OK, "sort");
}

// ---------------------------------------------------------------- measuring

static double time_of_bare(bare *b, uint32_t steps, uint32_t frame) {
    double start = now();
    for (uint32_t i = 0; i < steps; ++i)
        run_bare(b, frame + i);
    return (now() - start) / steps;
}

static double time_of(const bench *b, grove *g, uint32_t steps, uint32_t frame) {
    double start = now();
    for (uint32_t i = 0; i < steps; ++i)
        b->run(g, frame + i);
    double time = (now() - start) / steps;
    for (uint32_t i = 0; i < g->mover_count && !b->another; ++i)
        g->z[g->movers[i]] = z_of(frame + steps - 1);
    check(g, b->name);
    return time;
}

// Bytes are those held for a node, with map, marks and spare capacity. A row has 186 bytes, one of
// the limit 132.
static void measure(bench b) {
    double limits[MAX_ROUNDS], times[MAX_ROUNDS];
    if (the_bench.quick) b.count = 20000;
    if (b.family == 0) b.family = b.count;
    b.moving = b.part == 0 ? b.count : b.count / b.part;
    uint32_t items = b.idle ? 1 : b.moving;
    uint32_t steps = b.once || the_bench.quick ? 1 : 1 + 400000 / items;
    result r = {.name = b.name, .items = items, .times = times};
    if (!b.idle) r.limit = "the loop in C", r.limit_times = limits;
    r.rounds = rounds_for(b.count);
    grove g;
    bare limit;
    open_bare(&limit, (shape){b.moving, b.family, b.chain}, b.all);
    run_bare(&limit, 0);
    plant(&g, &b);
    if (!b.once) b.run(&g, 0);
    for (uint32_t i = 0; i < (uint32_t)r.rounds; ++i) {
        if (b.once && i > 0) {
            fell(&g);
            plant(&g, &b);
        }
        limits[i] = b.idle ? 0 : time_of_bare(&limit, steps, i * steps + 1) * 1e9 / b.moving;
        times[i] = time_of(&b, &g, steps, i * steps + 1) * 1e9 / items;
    }
    r.bytes = (double)ct_manager_bytes(g.transforms) / b.count;
    report(&r);
    fell(&g);
    ct_columns_free(&limit.columns, &ct_allocator_malloc);
}

// ---------------------------------------------------------------- list of cases

#define K 1000u

static const bench benches[] = {
    {"link to one parent", 100 * K, .run = link_all, .prepare = unlink_roots, .once = true},
    {"unlink, random order", 100 * K, .run = unlink_all, .prepare = prepare_unlink, .once = true},
    {"a root moves, all others are its children", 1 * K, .run = set_movers},
    {"a root moves, all others are its children", 10 * K, .run = set_movers},
    {"a root moves, all others are its children", 100 * K, .run = set_movers},
    {"a root moves, all others are its children", 1000 * K, .run = set_movers},
    {"the root of a chain moves", 1000 * K, 0, true, .run = set_movers},
    {"roots of families of 10 move", 1 * K, 10, .run = set_movers},
    {"roots of families of 10 move", 10 * K, 10, .run = set_movers},
    {"roots of families of 10 move", 100 * K, 10, .run = set_movers},
    {"roots of families of 10 move", 1000 * K, 10, .run = set_movers},
    {"families of 10, built in random order", 100 * K, 10, false, SHUFFLED, .run = set_movers},
    {"families of 10, built so, then sorted", 100 * K, 10, false, SORTED, .run = set_movers},
    {"roots of chains of 5 move", 1 * K, 5, true, .run = set_movers},
    {"roots of chains of 5 move", 10 * K, 5, true, .run = set_movers},
    {"roots of chains of 5 move", 100 * K, 5, true, .run = set_movers},
    {"roots of chains of 5 move", 1000 * K, 5, true, .run = set_movers},
    {"chains of 5, built in random order", 100 * K, 5, true, SHUFFLED, .run = set_movers},
    {"chains of 5, built so, then sorted", 100 * K, 5, true, SORTED, .run = set_movers},
    {"roots without children move", 100 * K, 1, .run = set_movers},
    {"a chain, each node set, in a batch", 100 * K, 0, true, .all = true, .run = set_in_batch},
    {"a chain, each node set, in a batch", 1000 * K, 0, true, .all = true, .run = set_in_batch},
    {"families of 10, roots set, in a batch", 100 * K, 10, .run = set_in_batch},
    {"families of 10, world matrices read in a batch", 100 * K, 10, .run = get_in_batch,
     .prepare = leave_in_batch},
    {"chains of 5, world matrices read in a batch", 100 * K, 5, true, .run = get_in_batch,
     .prepare = leave_in_batch},
    {"sort families of 10, built in random order", 100 * K, 10, false, SHUFFLED, .run = sort,
     .prepare = stay, .once = true},
};

#define ROOTS(part, share)                                                                         \
    {                                                                                              \
        "deferred: " share " of 100,000 roots", 100 * K, 1, false, IN_ORDER, part,                 \
            .run = set_deferred, .prepare = defer                                                  \
    }
#define FAMILIES(part, share)                                                                      \
    {                                                                                              \
        "deferred: " share " of 10,000 families of 10", 100 * K, 10, false, IN_ORDER, part,        \
            .run = set_deferred, .prepare = defer                                                  \
    }
#define OTHERS(name, size, family, chain)                                                          \
    {"immediate: another 1 % of " name,                                                            \
     size,                                                                                         \
     family,                                                                                       \
     chain,                                                                                        \
     IN_ORDER,                                                                                     \
     100,                                                                                          \
     .run = set_others,                                                                            \
     .another = true},                                                                             \
    {                                                                                              \
        "deferred: another 1 % of " name, size, family, chain, IN_ORDER, 100,                      \
            .run = defer_others, .prepare = defer, .another = true                                 \
    }

static const bench deferred_benches[] = {
    ROOTS(1000, "0.1 %"),
    ROOTS(100, "1 %"),
    ROOTS(10, "10 %"),
    ROOTS(0, "all"),
    FAMILIES(1000, "0.1 %"),
    FAMILIES(100, "1 %"),
    FAMILIES(10, "10 %"),
    FAMILIES(0, "all"),
    OTHERS("all roots", 10 * K, 1, false),
    OTHERS("all roots", 100 * K, 1, false),
    OTHERS("all roots", 1000 * K, 1, false),
    OTHERS("families of 10", 10 * K, 10, false),
    OTHERS("families of 10", 100 * K, 10, false),
    OTHERS("families of 10", 1000 * K, 10, false),
    OTHERS("chains of 5", 100 * K, 5, true),
    OTHERS("chains of 5", 1000 * K, 5, true),
    {"deferred: propagate when nothing moves, ns a call", 100 * K, 10, .run = propagate_idle,
     .prepare = defer_nothing, .idle = true},
};

int main(int argc, char **argv) {
    open_bench("hierarchy", argc, argv);
    for (size_t i = 0; i < sizeof benches / sizeof *benches; ++i)
        measure(benches[i]);
    for (size_t i = 0; i < sizeof deferred_benches / sizeof *deferred_benches; ++i)
        measure(deferred_benches[i]);
    return 0;
}
