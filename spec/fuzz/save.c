// Fuzz target: any bytes as a save, which is read, restored and written again with limited memory.
// An input: two bytes of options, then the save.
#include "scene.h"

#include "level/save.h"

// Writes the worlds as a save. The caller frees the writer.
static ct_status write_save(scene *s, ct_snapshot *snapshot, ct_writer *out) {
    ct_message message;
    ct_save_writer(out, &s->allocator);
    ct_status status = ct_snapshot_take(snapshot, &s->worlds, &message);
    return status == CT_OK ? ct_save_write(snapshot, &s->worlds, NULL, out, &message) : status;
}

// Resources of the levels of the last save that was read: made of its names, and other versions.
enum { MOST = 64 };
static ct_resource names[MOST], others[MOST];
static uint32_t resource_count;

static void free_resources(void) {
    for (uint32_t i = 0; i < resource_count; ++i) {
        ct_resource_free(&names[i]);
        ct_resource_free(&others[i]);
    }
    resource_count = 0;
}

static ct_status make_resources(scene *s, const ct_saved_levels *levels) {
    static const uint32_t parents[3] = {CT_RESOURCE_NO_PARENT, 0, CT_RESOURCE_NO_PARENT};
    static const ct_text called[3] = {{"a", 1}, {"b", 1}, {NULL, 0}};
    static const ct_saved_resource version = {{"v", 1}, 1, 3, parents, called};
    ct_status status = levels->resource_count <= MOST ? CT_OK : CT_ERR_FULL;
    ct_message message;
    for (uint32_t i = 0; i < levels->resource_count && status == CT_OK; ++i) {
        status = ct_saved_resource_make(&levels->resources[i], &s->allocator, &names[i], &message);
        if (status != CT_OK) return status;
        status = ct_saved_resource_make(&version, &s->allocator, &others[i], &message);
        if (status != CT_OK)
            ct_resource_free(&names[i]);
        else
            resource_count++;
        others[i].names_only = false;
    }
    return status;
}

// Creates the levels. After a failure those that exist are released.
static ct_status make_levels(scene *s, ct_saved_levels *levels) {
    ct_status status = make_resources(s, levels);
    for (uint32_t i = 0; i < levels->count && status == CT_OK; ++i) {
        ct_saved_level *item = &levels->items[i];
        ct_resource *other = i % 2 == 0 ? &others[item->resource] : NULL;
        if (ct_saved_level_new(item, &s->levels, &names[item->resource], other) == NULL)
            status = CT_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < levels->count && status != CT_OK; ++i)
        ct_level_release(levels->items[i].level);
    return status;
}

// Uses the levels in every way, and unloads some.
static void use_levels(scene *s) {
    static const ct_text path = {"a/b", 3};
    ct_message message;
    ct_entity found;
    for (ct_level *level = ct_levels_next(&s->levels, NULL), *next; level != NULL; level = next) {
        next = ct_levels_next(&s->levels, level);
        REQUIRE(ct_level_find(level, path, &found) == CT_OK);
        bool can = ct_level_source(level) != NULL;
        ct_status status = ct_level_restart(level, NULL, &message);
        REQUIRE(can ? status != CT_ERR_OVER : status == CT_ERR_OVER);
        if (status == CT_OK) ct_level_unload(level, NULL, NULL);
        scene_validate(s);
    }
}

static ct_status restore(scene *s, ct_snapshot *snapshot, ct_saved_levels *levels) {
    ct_message message;
    ct_status status = make_levels(s, levels);
    if (status != CT_OK) return status;
    status = ct_snapshot_restore(snapshot, &s->worlds, &message);
    if (status == CT_OK) ct_saved_levels_enter(levels);
    for (uint32_t i = 0; i < levels->count; ++i)
        ct_level_release(levels->items[i].level);
    return status;
}

static ct_status read_save(scene *s, const void *bytes, size_t count, ct_snapshot *snapshot) {
    ct_writer notes;
    ct_message message;
    ct_saved_levels levels;
    ct_save_writer(&notes, &s->allocator);
    ct_saved_levels_init(&levels, &s->allocator);
    ct_status status = ct_save_read(bytes, count, &s->worlds, snapshot, &levels, &notes, &message);
    ct_writer_free(&notes);
    if (status == CT_OK) status = restore(s, snapshot, &levels);
    ct_saved_levels_free(&levels);
    scene_validate(s);
    return status;
}

// The restored worlds are usable, and a save of them has the same contents.
static void check_restored(scene *s, ct_snapshot *snapshot) {
    ct_writer first, second;
    uint64_t hash = scene_hash(s);
    REQUIRE(write_save(s, snapshot, &first) == CT_OK);
    ct_levels_unload(&s->levels, CT_REASON_UNLOAD, NULL);
    free_resources();
    REQUIRE(read_save(s, first.bytes, first.count, snapshot) == CT_OK);
    REQUIRE(scene_hash(s) == hash);
    REQUIRE(write_save(s, snapshot, &second) == CT_OK);
    REQUIRE(first.count == second.count && memcmp(first.bytes, second.bytes, first.count) == 0);
    ct_writer_free(&first);
    ct_writer_free(&second);
    ct_entity made = scene_create(s, 9, ct_entity_manager_at(&s->entities, 1));
    ct_entity_manager_destroy(&s->entities, 1, &made, NULL);
    ct_world_gc(&s->world);
    scene_validate(s);
    use_levels(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static scene s;
    ct_snapshot snapshot;
    if (count < 2) return 0;
    scene_open(&s);
    ct_entity one = scene_create(&s, 1, (ct_entity){CT_NOBODY});
    if ((bytes[0] & 1) != 0) scene_create(&s, 2, one);
    uint64_t before = scene_hash(&s);
    unsigned char *save = malloc(count);
    REQUIRE(save != NULL);
    memcpy(save, bytes + 2, count - 2);
    seal_save(save, count - 2);
    ct_snapshot_init(&snapshot, &s.allocator);
    scene_limit(&s, bytes[1]);
    ct_status status = read_save(&s, save, count - 2, &snapshot);
    s.memory.left = SIZE_MAX;
    if (status == CT_OK)
        check_restored(&s, &snapshot);
    else
        REQUIRE(scene_hash(&s) == before);
    free(save);
    ct_snapshot_free(&snapshot);
    ct_levels_unload(&s.levels, CT_REASON_UNLOAD, NULL);
    free_resources();
    scene_close(&s);
    return 0;
}
