// Measures saves: writing one of a snapshot, checking its bytes, reading it back, beside memcpy of
// the bytes of the columns. Knows nothing of scripts; what was read must have the hash of before.
//
// usage: save_bench [--quick] [--rounds N]     --quick: small sizes, answers only

#include "component/debug_name.h"
#include "component/mesh.h"
#include "component/point_mass.h"
#include "component/transform.h"
#include "level/save.h"
#include "world/create.h"

#include "harness.h"

// A save may take that much of the bytes of its columns.
#define MOST_OF_COLUMNS 1.3

// Entities with transform, mesh, point mass and a name, families of ten.
typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    uint32_t epochs, count;
    ct_snapshot_world item;
    ct_snapshot_worlds worlds;
    ct_snapshot snapshot, read;
    ct_writer save, notes;
    uint64_t hash;
    size_t column_bytes;
    unsigned char *from, *to; // as many
} scene;

static void create(scene *s, const ct_entity *list) {
    static const ct_text resource = {"crate", 5}, name = {"a crate", 7};
    ct_values mesh[16] = {{&resource, 0}}, named[16] = {{&name, 0}};
    static const ct_values defaults[16];
    ct_manager *transforms = ct_world_find(&s->world, CT_TRANSFORM);
    ct_manager *meshes = ct_world_find(&s->world, CT_MESH);
    ct_row first;
    require(ct_mesh_add_name(meshes, resource) == CT_OK, "resource");
    require(ct_manager_create(transforms, list, s->count, defaults, NULL, &first) == CT_OK, "move");
    require(ct_manager_create(meshes, list, s->count, mesh, NULL, &first) == CT_OK, "mesh");
    require(ct_manager_create(ct_world_find(&s->world, CT_POINT_MASS), list, s->count, defaults,
                              NULL, &first) == CT_OK,
            "mass");
    require(ct_manager_create(ct_world_find(&s->world, CT_DEBUG_NAME), list, s->count, named, NULL,
                              &first) == CT_OK,
            "name");
    for (uint32_t i = 0; i < s->count; ++i) {
        const float position[3] = {(float)i, 1, 2};
        ct_transform_set_local_position(transforms, (ct_row){i}, position);
        if (i % 10 != 0) ct_transform_link(transforms, (ct_row){i}, (ct_row){i - i % 10}, false);
    }
}

static size_t column_bytes(const ct_world *world) {
    size_t sum = 0;
    for (uint32_t m = 0; m < world->manager_count; ++m) {
        const ct_columns *columns = &world->managers[m]->store.columns;
        for (uint32_t c = 0; c < columns->column_count; ++c)
            sum += (size_t)columns->count * columns->width[c];
    }
    return sum;
}

static void write_save(scene *s) {
    ct_message message;
    s->save.count = 0;
    require(ct_save_write(&s->snapshot, &s->worlds, NULL, &s->save, &message) == CT_OK, "write");
}

static void check_save(scene *s) {
    ct_message message;
    require(ct_save_check(s->save.bytes, s->save.count, &message), "check");
}

static void read_save(scene *s) {
    ct_message message;
    require(ct_save_read(s->save.bytes, s->save.count, &s->worlds, &s->read, &s->notes, &message) ==
                CT_OK,
            "read");
}

static void copy(scene *s) { memcpy(s->to, s->from, s->column_bytes); }

static void open_scene(scene *s, uint32_t count) {
    ct_message message;
    *s = (scene){.count = count};
    ct_entity *list = malloc(count * sizeof *list);
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 1024);
    require(list != NULL, "memory");
    require(ct_world_init(&s->world, &ct_allocator_malloc, &s->entities, &s->epochs, 1) == CT_OK,
            "world");
    require(ct_entity_manager_create(&s->entities, count, list) == CT_OK, "entities");
    create(s, list);
    free(list);
    s->item = (ct_snapshot_world){"default", &s->world, NULL, NULL};
    s->worlds = (ct_snapshot_worlds){&s->entities, &s->item, 1};
    ct_snapshot_init(&s->snapshot, &ct_allocator_malloc);
    ct_snapshot_init(&s->read, &ct_allocator_malloc);
    ct_save_writer(&s->save, &ct_allocator_malloc);
    ct_save_writer(&s->notes, &ct_allocator_malloc);
    require(ct_snapshot_take(&s->snapshot, &s->worlds, &message) == CT_OK, "take");
    s->hash = ct_snapshot_hash(&s->worlds);
    s->column_bytes = column_bytes(&s->world);
    s->from = calloc(1, s->column_bytes);
    s->to = calloc(1, s->column_bytes);
    require(s->from != NULL && s->to != NULL, "memory");
    write_save(s);
    require(s->save.count <= MOST_OF_COLUMNS * (double)s->column_bytes, "the save is too large");
}

static void close_scene(scene *s) {
    free(s->from);
    free(s->to);
    ct_writer_free(&s->save);
    ct_writer_free(&s->notes);
    ct_snapshot_free(&s->read);
    ct_snapshot_free(&s->snapshot);
    ct_world_free(&s->world);
    ct_entity_manager_free(&s->entities);
}

// ---------------------------------------------------------------- cases

typedef struct bench {
    const char *name;
    void (*run)(scene *s);
} bench;

static const bench benches[] = {
    {"write a save of a snapshot", write_save},
    {"check the bytes of a save", check_save},
    {"read a save into a snapshot", read_save},
};

static double time_of(scene *s, void (*run)(scene *s), uint32_t steps) {
    double start = now();
    for (uint32_t step = 0; step < steps; ++step)
        run(s);
    return (now() - start) / steps / s->count * 1e9;
}

static void measure(scene *s, const bench *b) {
    double times[MAX_ROUNDS], limits[MAX_ROUNDS];
    uint32_t steps = the_bench.quick ? 1 : 20000 / s->count + 1;
    result r = {.name = b->name,
                .items = s->count,
                .times = times,
                .rounds = rounds_for(1),
                .limit = "memcpy of the bytes of its columns",
                .limit_times = limits,
                .bytes = (double)s->save.count / s->count};
    for (int i = 0; i < r.rounds; ++i) {
        limits[i] = time_of(s, copy, steps);
        times[i] = time_of(s, b->run, steps);
    }
    report(&r);
}

static void check_answer(scene *s) {
    ct_message message;
    read_save(s);
    require(ct_snapshot_restore(&s->read, &s->worlds, &message) == CT_OK, "restore");
    require(ct_snapshot_hash(&s->worlds) == s->hash, "the hash is another one");
    require(ct_world_validate(&s->world, &message), "the world is not valid");
    require(s->notes.count == 0, "something did not fit");
}

int main(int argc, char **argv) {
    static const uint32_t sizes[] = {100, 15000, 100000};
    open_bench("save", argc, argv);
    for (size_t i = 0; i < (the_bench.quick ? 1 : sizeof sizes / sizeof *sizes); ++i) {
        scene s;
        open_scene(&s, sizes[i]);
        for (size_t b = 0; b < sizeof benches / sizeof *benches; ++b)
            measure(&s, &benches[b]);
        check_answer(&s);
        close_scene(&s);
    }
    return 0;
}
