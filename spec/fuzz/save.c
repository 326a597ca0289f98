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

static ct_status read_save(scene *s, const void *bytes, size_t count, ct_snapshot *snapshot) {
    ct_writer notes;
    ct_message message;
    ct_save_writer(&notes, &s->allocator);
    ct_status status = ct_save_read(bytes, count, &s->worlds, snapshot, &notes, &message);
    ct_writer_free(&notes);
    if (status == CT_OK) status = ct_snapshot_restore(snapshot, &s->worlds, &message);
    scene_validate(s);
    return status;
}

// The restored worlds are usable, and a save of them has the same contents.
static void check_restored(scene *s, ct_snapshot *snapshot) {
    ct_writer first, second;
    uint64_t hash = scene_hash(s);
    REQUIRE(write_save(s, snapshot, &first) == CT_OK);
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
    scene_close(&s);
    return 0;
}
