// Bench of saves: writing a save of a snapshot, checking its bytes and reading it, compared with a
// memcpy of the bytes of the columns. The state that was read must have the original hash.
//
// usage: save_bench [--quick] [--rounds N]     --quick: small sizes, checks results only

#include "component/debug_name.h"
#include "component/mesh.h"
#include "component/point_mass.h"
#include "level/save.h"

#include "scene.h"

// The maximum size of a save, divided by the bytes of its columns.
#define MOST_OF_COLUMNS 1.3

// Entities with transform, mesh, point mass and a name, in families of ten.
typedef struct scene {
    stage stage;
    ct_snapshot read;
    ct_writer save, notes;
    size_t column_bytes;
} scene;

static void create(stage *s) {
    static const char *const components[] = {CT_TRANSFORM, CT_POINT_MASS};
    static const ct_text resource = {"crate", 5}, name = {"a crate", 7};
    ct_values mesh[16] = {{&resource, 0}}, named[16] = {{&name, 0}};
    ct_manager *transforms = ct_world_find(&s->world, CT_TRANSFORM);
    ct_manager *meshes = ct_world_find(&s->world, CT_MESH);
    ct_row first;
    add_entities(s, s->count, components, 2);
    const ct_entity *list = ct_store_owners(&transforms->store);
    require(ct_mesh_add_name(meshes, resource) == CT_OK, "resource");
    require(ct_manager_create(meshes, list, s->count, mesh, NULL, &first) == CT_OK, "mesh");
    require(ct_manager_create(ct_world_find(&s->world, CT_DEBUG_NAME), list, s->count, named, NULL,
                              &first) == CT_OK,
            "name");
    for (uint32_t i = 0; i < s->count; ++i) {
        move_entity(s, i, (float)i);
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
    require(ct_save_write(&s->stage.snapshot, &s->stage.worlds, NULL, &s->save, &message) == CT_OK,
            "write");
}

static void check_save(scene *s) {
    ct_message message;
    require(ct_save_check(s->save.bytes, s->save.count, &message), "check");
}

static void read_save(scene *s) {
    ct_message message;
    require(ct_save_read(s->save.bytes, s->save.count, &s->stage.worlds, &s->read, NULL, &s->notes,
                         &message) == CT_OK,
            "read");
}

static void copy(scene *s) { memcpy(s->stage.to, s->stage.from, s->column_bytes); }

static void open_scene(scene *s, uint32_t count) {
    open_stage(&s->stage, count);
    create(&s->stage);
    ct_snapshot_init(&s->read, &ct_allocator_malloc);
    ct_save_writer(&s->save, &ct_allocator_malloc);
    ct_save_writer(&s->notes, &ct_allocator_malloc);
    take_stage(&s->stage);
    s->column_bytes = column_bytes(&s->stage.world);
    allocate_blocks(&s->stage, s->column_bytes);
    write_save(s);
    require(s->save.count <= MOST_OF_COLUMNS * (double)s->column_bytes, "the save is too large");
}

static void close_scene(scene *s) {
    ct_writer_free(&s->save);
    ct_writer_free(&s->notes);
    ct_snapshot_free(&s->read);
    close_stage(&s->stage);
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
    return (now() - start) / steps / s->stage.count * 1e9;
}

static void measure(scene *s, const bench *b) {
    double times[MAX_ROUNDS], limits[MAX_ROUNDS];
    uint32_t steps = the_bench.quick ? 1 : 20000 / s->stage.count + 1;
    result r = {.name = b->name,
                .items = s->stage.count,
                .times = times,
                .rounds = rounds_for(1),
                .limit = "memcpy of the bytes of its columns",
                .limit_times = limits,
                .bytes = (double)s->save.count / s->stage.count};
    for (int i = 0; i < r.rounds; ++i) {
        limits[i] = time_of(s, copy, steps);
        times[i] = time_of(s, b->run, steps);
    }
    report(&r);
}

static void check_answer(scene *s) {
    ct_message message;
    read_save(s);
    restore_stage(&s->stage, &s->read);
    check_stage(&s->stage);
    require(ct_world_validate(&s->stage.world, &message), "the world is not valid");
    require(s->notes.count == 0, "the save has differences");
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
