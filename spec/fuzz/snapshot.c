// Fuzz target: creates, changes and destroys entities and components in any order, takes and
// restores snapshots, and compares hashes. An input: a sequence of operations.
#include "scene.h"

#include "component/model.h"
#include "component/point_mass.h"
#include "component/transform.h"
#include "level/save.h"
#include "world/checked/checked.h"

enum { ENTITIES = 8, SNAPSHOTS = 3 };

typedef struct play {
    scene s;
    feed in;
    ct_entity entities[ENTITIES];
    ct_snapshot snapshots[SNAPSHOTS];
    uint64_t hashes[SNAPSHOTS];
    bool taken[SNAPSHOTS];
} play;

static ct_entity any(play *p) { return p->entities[feed_byte(&p->in) % ENTITIES]; }

// A random manager of the world.
static ct_manager *any_manager(play *p) {
    return p->s.world.managers[feed_byte(&p->in) % p->s.world.manager_count];
}

static void create(play *p) {
    uint32_t i = feed_byte(&p->in) % ENTITIES;
    p->entities[i] = scene_create(&p->s, (float)i, any(p));
}

static void create_bare(play *p) {
    ct_entity many[5];
    uint32_t count = 1 + feed_byte(&p->in) % 5, i = feed_byte(&p->in) % ENTITIES;
    REQUIRE(ct_entity_manager_create(&p->s.entities, count, many) == CT_OK);
    p->entities[i] = many[count - 1];
}

static void destroy(play *p) {
    ct_entity e = any(p);
    ct_entity_manager_destroy(&p->s.entities, 1, &e, NULL);
}

static void destroy_tree(play *p) {
    ct_manager *transforms = scene_manager(&p->s, CT_TRANSFORM);
    ct_entity below[ENTITIES * 2];
    ct_row row = ct_checked_find(transforms, any(p));
    if (row.i == CT_NO_ROW) return;
    uint32_t count = ct_transform_subtree(transforms, row, ENTITIES * 2, below);
    ct_entity_manager_destroy(&p->s.entities, count < ENTITIES * 2 ? count : ENTITIES * 2, below,
                              NULL);
}

// Adds a component with its defaults to a random entity.
static void add(play *p) {
    static const ct_text box = {"box", 3}, leg = {"leg", 3};
    ct_values values[CT_MAX_COLUMNS] = {{NULL, 0}};
    ct_manager *manager = any_manager(p);
    ct_entity e = any(p);
    ct_row row;
    if (strcmp(manager->name, "mesh") == 0) values[0].items = &box;
    if (strcmp(manager->name, CT_MODEL) == 0) values[0].items = &leg;
    (void)ct_checked_add_values(manager, 1, &e, manager->input_count, values, &row);
}

static void remove_one(play *p) {
    ct_manager *manager = any_manager(p);
    (void)ct_checked_remove(manager, ct_checked_find(manager, any(p)));
}

static void write_field(play *p) {
    union {
        unsigned char bytes[64];
        ct_text text;
        ct_entity entity;
    } item;
    ct_manager *manager = any_manager(p);
    uint32_t field = feed_byte(&p->in) % 16;
    ct_row row = ct_checked_find(manager, any(p));
    if (field >= manager->field_count) return;
    ct_field_type type = manager->fields[field].type;
    if (ct_field_is_text(type))
        item.text = feed_text(&p->in);
    else if (type == CT_FIELD_ENTITY)
        item.entity = any(p);
    else
        feed_take(&p->in, item.bytes, sizeof item.bytes);
    if (type == CT_FIELD_VALUE && item.text.bytes == NULL) return;
    (void)ct_checked_write(manager, field, row, &item);
}

static void link_to(play *p) {
    ct_manager *transforms = scene_manager(&p->s, CT_TRANSFORM);
    ct_row child = ct_checked_find(transforms, any(p)),
           parent = ct_checked_find(transforms, any(p));
    uint8_t how = feed_byte(&p->in);
    if (how % 4 < 2)
        (void)ct_checked_link(transforms, child, parent, how % 2 == 1);
    else
        (void)ct_checked_link_node(transforms, child, parent, how / 4 % 4, how % 2 == 1);
}

static void pose(play *p) {
    ct_manager *transforms = scene_manager(&p->s, CT_TRANSFORM);
    ct_manager *models = scene_manager(&p->s, CT_MODEL);
    float numbers[10];
    ct_pose pose;
    for (int i = 0; i < 10; ++i)
        numbers[i] = ct_float_clean(feed_float(&p->in));
    memcpy(&pose, numbers, sizeof pose);
    ct_entity e = any(p);
    (void)ct_checked_set_local_pose(transforms, ct_checked_find(transforms, e), &pose);
    ct_row row = ct_checked_find(models, e);
    if (row.i == CT_NO_ROW) return;
    ct_model_set_node_pose(models, row, ct_model_node_count(models, row) - 1, &pose);
}

static void advance(play *p) {
    ct_manager *transforms = scene_manager(&p->s, CT_TRANSFORM);
    switch (feed_byte(&p->in) % 8) {
    case 0: ct_world_gc(&p->s.world); break;
    case 1: ct_world_sweep(&p->s.world); break;
    case 2: ct_world_gc_some(&p->s.world, feed_byte(&p->in)); break;
    case 3: ct_world_trim(&p->s.world); break;
    case 4: ct_model_evaluate(scene_manager(&p->s, CT_MODEL)); break;
    case 5: ct_point_mass_simulate(scene_manager(&p->s, CT_POINT_MASS), 0.25F); break;
    case 6: (void)ct_transform_set_deferred(transforms); break;
    default:
        ct_transform_propagate(transforms);
        if (feed_byte(&p->in) % 2 == 1) ct_transform_set_immediate(transforms);
    }
}

static void sort(play *p) {
    uint64_t hash = scene_hash(&p->s);
    REQUIRE(ct_transform_sort(scene_manager(&p->s, CT_TRANSFORM)) == CT_OK);
    REQUIRE(scene_hash(&p->s) == hash);
}

static void take(play *p) {
    uint32_t i = feed_byte(&p->in) % SNAPSHOTS;
    ct_message message;
    REQUIRE(ct_snapshot_take(&p->snapshots[i], &p->s.worlds, &message) == CT_OK);
    p->hashes[i] = scene_hash(&p->s);
    p->taken[i] = true;
}

// Memory may run out, and then nothing has changed.
static void restore(play *p) {
    uint32_t i = feed_byte(&p->in) % SNAPSHOTS;
    ct_message message;
    if (!p->taken[i]) return;
    uint64_t before = scene_hash(&p->s);
    scene_limit(&p->s, feed_byte(&p->in));
    ct_status status = ct_snapshot_restore(&p->snapshots[i], &p->s.worlds, &message);
    p->s.memory.left = SIZE_MAX;
    REQUIRE(scene_hash(&p->s) == (status == CT_OK ? p->hashes[i] : before));
    scene_validate(&p->s);
}

// Writes a save and reads it again, with the same result.
static void save(play *p) {
    ct_writer text, notes;
    ct_snapshot snapshot;
    ct_message message;
    uint64_t hash = scene_hash(&p->s);
    ct_snapshot_init(&snapshot, &p->s.allocator);
    ct_save_writer(&text, &p->s.allocator);
    ct_save_writer(&notes, &p->s.allocator);
    REQUIRE(ct_snapshot_take(&snapshot, &p->s.worlds, &message) == CT_OK);
    REQUIRE(ct_save_write(&snapshot, &p->s.worlds, NULL, &text, &message) == CT_OK);
    REQUIRE(ct_save_read(text.bytes, text.count, &p->s.worlds, &snapshot, NULL, &notes, &message) ==
            CT_OK);
    REQUIRE(ct_snapshot_restore(&snapshot, &p->s.worlds, &message) == CT_OK);
    REQUIRE(notes.count == 0 && scene_hash(&p->s) == hash);
    ct_writer_free(&text);
    ct_writer_free(&notes);
    ct_snapshot_free(&snapshot);
}

static void validate(play *p) { scene_validate(&p->s); }

static void (*const operations[])(play *) = {
    create, create_bare, destroy, destroy_tree, add,     remove_one, write_field, link_to,
    pose,   advance,     sort,    take,         restore, save,       validate,    add};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static play p;
    p.in = (feed){bytes, bytes + count};
    scene_open(&p.s);
    for (int i = 0; i < SNAPSHOTS; ++i) {
        ct_snapshot_init(&p.snapshots[i], &p.s.allocator);
        p.taken[i] = false;
    }
    for (int i = 0; i < ENTITIES; ++i)
        p.entities[i] = (ct_entity){CT_NOBODY};
    for (int i = 0; i < 96 && feed_left(&p.in) > 0; ++i)
        operations[feed_byte(&p.in) % (sizeof operations / sizeof *operations)](&p);
    scene_validate(&p.s);
    for (int i = 0; i < SNAPSHOTS; ++i)
        ct_snapshot_free(&p.snapshots[i]);
    scene_close(&p.s);
    return 0;
}
