// Bench of models: 1,000 entities with a skeleton of 100 nodes, compared with a plain loop over
// arrays. Both run in turns, and must compute the same bits.
//
// usage: model_bench [--quick] [--rounds N]     --quick: fewer entities, checks results only

#include "base/math.h"
#include "component/model.h"

#include "harness.h"

#define NODES 100u

// The limit: world = parent's world x local, node after node.
static void bare(const uint32_t *restrict parent, float (*restrict local)[16],
                 float (*restrict world)[16], uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (parent[i] == CT_MODEL_NO_NODE)
            memcpy(world[i], local[i], sizeof world[i]);
        else
            ct_mat4_product(world[parent[i]], local[i], world[i]);
    }
}

typedef struct stage {
    ct_manager *models;
    ct_entity_manager *entities;
    ct_random random;
    uint32_t count; // of instances
    uint32_t steps; // of one timing
    uint32_t parent[NODES];
    uint32_t *parents; // of the limit, for all nodes
    float (*local)[16];
    float (*world)[16];
} stage;

static float number(stage *s) { return (float)ct_random_below(&s->random, 2001) / 1000.0f - 1.0f; }

static ct_pose pose_of(stage *s) {
    ct_pose pose = {{number(s), number(s), number(s)},
                    {number(s), number(s), number(s), 2},
                    {1, 1 + number(s) / 16, 1}};
    return pose;
}

// Limbs: most nodes are children of the previous node, the others of a node a few before.
static void describe(stage *s, ct_model_node *nodes) {
    for (uint32_t i = 0; i < NODES; ++i) {
        uint32_t back = ct_random_below(&s->random, 4) > 0 ? 1 : 1 + ct_random_below(&s->random, 8);
        uint32_t parent = i == 0 ? CT_MODEL_NO_NODE : back > i ? 0 : i - back;
        nodes[i] = (ct_model_node){{NULL, 0}, parent, pose_of(s)};
        s->parent[i] = parent;
    }
}

static void fill_limit(stage *s) {
    size_t count = (size_t)s->count * NODES;
    s->parents = malloc(count * sizeof *s->parents);
    s->local = malloc(count * sizeof *s->local);
    s->world = malloc(count * sizeof *s->world);
    require(s->parents != NULL && s->local != NULL && s->world != NULL, "memory");
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t above = s->parent[i % NODES];
        s->parents[i] = above == CT_MODEL_NO_NODE ? above : i - i % NODES + above;
    }
}

// Sets another pose for every node, in the models and in the limit.
static void pose_all(stage *s) {
    for (uint32_t i = 0; i < s->count * NODES; ++i) {
        ct_pose pose = pose_of(s);
        ct_model_set_node_pose(s->models, (ct_row){i / NODES}, i % NODES, &pose);
        ct_model_node_pose(s->models, (ct_row){i / NODES}, i % NODES, &pose);
        ct_mat4_compose(pose.position, pose.rotation, pose.scale, s->local[i]);
    }
}

static void open_stage(stage *s, const ct_manager_setup *setup, uint32_t count) {
    static const ct_text name = {"skeleton", 8};
    const ct_values values = {&name, 0};
    ct_model_node nodes[NODES];
    ct_entity *owners = malloc(count * sizeof *owners);
    ct_row first;
    ct_random_seed(&s->random, 1);
    s->count = count;
    s->models = ct_manager_new(setup, &ct_model_type);
    require(owners != NULL && s->models != NULL, "memory");
    describe(s, nodes);
    require(ct_model_define(s->models, name, nodes, NODES, 1, NULL) == CT_OK, "resource");
    require(ct_entity_manager_create(setup->entities, count, owners) == CT_OK, "entities");
    require(ct_manager_create(s->models, owners, count, &values, NULL, &first) == CT_OK, "rows");
    free(owners);
    fill_limit(s);
    pose_all(s);
}

static double time_of_limit(const stage *s) {
    double start = now();
    for (uint32_t step = 0; step < s->steps; ++step)
        bare(s->parents, s->local, s->world, s->count * NODES);
    return (now() - start) / s->steps;
}

// If 'posed', one node of every instance is set before each step; this is not measured.
static double time_of_ours(const stage *s, bool posed) {
    double time = 0;
    for (uint32_t step = 0; step < s->steps; ++step) {
        for (uint32_t row = 0; posed && row < s->count; ++row) {
            ct_pose pose;
            ct_model_node_pose(s->models, (ct_row){row}, 0, &pose);
            ct_model_set_node_pose(s->models, (ct_row){row}, 0, &pose);
        }
        double start = now();
        ct_model_evaluate(s->models);
        time += now() - start;
    }
    return time / s->steps;
}

static double time_of_posing(const stage *s) {
    const ct_pose pose = {{1, 2, 3}, {0.5f, 0.5f, 0.5f, 0.5f}, {1, 1, 1}};
    double start = now();
    for (uint32_t node = 0; node < s->count * NODES; ++node)
        ct_model_set_node_pose(s->models, (ct_row){node / NODES}, node % NODES, &pose);
    return now() - start;
}

static void check(const stage *s) {
    for (uint32_t row = 0; row < s->count; ++row)
        require(memcmp(ct_model_node_matrix(s->models, (ct_row){row}, 0), s->world[row * NODES],
                       NODES * sizeof *s->world) == 0,
                "the two loops differ");
}

static void measure(stage *s) {
    double limits[MAX_ROUNDS], posed[MAX_ROUNDS], still[MAX_ROUNDS], posing[MAX_ROUNDS];
    uint32_t nodes = s->count * NODES;
    s->steps = the_bench.quick ? 1 : 1000000 / nodes + 1;
    result all = {.name = "evaluate, every instance posed: nodes",
                  .items = nodes,
                  .times = posed,
                  .limit = "the loop in C",
                  .limit_times = limits,
                  .bytes = (double)ct_manager_bytes(s->models) / nodes};
    all.rounds = rounds_for(nodes);
    for (int i = 0; i < all.rounds; ++i) {
        limits[i] = time_of_limit(s) / nodes * 1e9;
        posed[i] = time_of_ours(s, true) / nodes * 1e9;
        check(s);
        still[i] = time_of_ours(s, false) / s->count * 1e9;
        check(s);
    }
    for (int i = 0; i < all.rounds; ++i)
        posing[i] = time_of_posing(s) / nodes * 1e9;
    report(&all);
    result rest = all;
    rest.name = "evaluate, none posed: instances";
    rest.items = s->count, rest.times = still, rest.limit = NULL, rest.limit_times = NULL;
    rest.bytes = all.bytes * NODES;
    report(&rest);
    rest.name = "set_node_pose: nodes";
    rest.items = nodes, rest.times = posing, rest.bytes = all.bytes;
    report(&rest);
}

int main(int argc, char **argv) {
    static const uint32_t counts[] = {10, 100, 1000, 10000};
    open_bench("model", argc, argv);
    uint32_t epochs = 0;
    ct_entity_manager entities;
    ct_string_pool strings;
    ct_entity_manager_init(&entities, &ct_allocator_malloc, 1024);
    ct_string_pool_init(&strings, &ct_allocator_malloc);
    const ct_manager_setup setup = {.allocator = &ct_allocator_malloc,
                                    .entities = &entities,
                                    .epochs = &epochs,
                                    .strings = &strings,
                                    .map = CT_MAP_HASH};
    for (size_t i = 0; i < (the_bench.quick ? 1 : sizeof counts / sizeof *counts); ++i) {
        stage s;
        open_stage(&s, &setup, counts[i]);
        measure(&s);
        ct_manager_destroy(s.models);
        free(s.parents);
        free(s.local);
        free(s.world);
    }
    ct_string_pool_free(&strings);
    ct_entity_manager_free(&entities);
    return 0;
}
