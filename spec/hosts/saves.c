// A program without Lua that reads a save, restores it, and writes another, with limited memory.
#include "level/save.h"
#include "world/define.h"

#include "host.h"

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_snapshot_world item;
    ct_snapshot_worlds worlds;
    ct_snapshot snapshot;
    ct_writer text, notes;
    uint32_t epochs;
    budget memory; // for the snapshot and its text
    ct_allocator allocator;
} scene;

// Compared with the save, one field is new and one is missing.
static const float seven = 7;
static const ct_component_field fields[] = {
    {.name = "hp", .type = CT_FIELD_FLOAT},
    {.name = "mana", .type = CT_FIELD_FLOAT, .preset = &seven},
    {.name = "bag", .type = CT_FIELD_VALUE}};
static const ct_component health = {
    .size = sizeof health, .name = "health", .fields = fields, .field_count = 3};

static bool open_scene(scene *s) {
    ct_definition made;
    ct_message message;
    s->allocator = (ct_allocator){reallocate_within, &s->memory};
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&s->world, &ct_allocator_malloc, &s->entities, &s->epochs, 1) != CT_OK ||
        ct_world_define(&s->world, &health, false, false, &made, &message) != CT_OK)
        return false;
    s->item = (ct_snapshot_world){"game", &s->world, NULL, NULL};
    s->worlds = (ct_snapshot_worlds){&s->entities, &s->item, 1};
    ct_snapshot_init(&s->snapshot, &s->allocator);
    ct_save_writer(&s->text, &s->allocator);
    ct_save_writer(&s->notes, &ct_allocator_malloc);
    return true;
}

// Reads with one more allocation each time until it succeeds. Returns the last status.
static ct_status read_save(scene *s, const void *bytes, size_t count, ct_message *message) {
    ct_status status = CT_ERR_MEMORY;
    for (size_t allowed = 0; status == CT_ERR_MEMORY && allowed < 10000; ++allowed) {
        s->memory.left = allowed;
        s->notes.count = 0;
        status = ct_save_read(bytes, count, &s->worlds, &s->snapshot, NULL, &s->notes, message);
    }
    s->memory.left = SIZE_MAX;
    return status;
}

static ct_status write_save(scene *s, ct_message *message) {
    ct_status status = CT_ERR_MEMORY;
    for (size_t allowed = 0; status == CT_ERR_MEMORY && allowed < 10000; ++allowed) {
        s->memory.left = allowed;
        ct_writer_free(&s->text);
        ct_save_writer(&s->text, &s->allocator);
        status = ct_save_write(&s->snapshot, &s->worlds, NULL, &s->text, message);
    }
    s->memory.left = SIZE_MAX;
    return status;
}

static bool write_file(const char *path, const ct_writer *text) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return false;
    bool whole = fwrite(text->bytes, 1, text->count, file) == text->count;
    return fclose(file) == 0 && whole;
}

// Reads and restores a save, and writes another to the other file.
static bool resume(scene *s, const unsigned char *bytes, size_t count, const char *out) {
    ct_message message;
    if (read_save(s, bytes, count, &message) != CT_OK ||
        ct_snapshot_restore(&s->snapshot, &s->worlds, &message) != CT_OK ||
        !ct_world_validate(&s->world, &message)) {
        printf("%s\n", message.text);
        return false;
    }
    for (const char *note = (const char *)s->notes.bytes, *end = note + s->notes.count; note < end;
         note += strlen(note) + 1)
        printf("%s\n", note);
    uint64_t hash = ct_snapshot_hash(&s->worlds);
    printf("%u alive, %08x%08x\n", (unsigned)ct_entity_manager_count(&s->entities),
           (unsigned)(hash >> 32), (unsigned)hash);
    return ct_snapshot_take(&s->snapshot, &s->worlds, &message) == CT_OK &&
           write_save(s, &message) == CT_OK && write_file(out, &s->text);
}

int main(int argc, char **argv) {
    static scene s;
    static unsigned char bytes[65536];
    ct_message message;
    if (argc != 3 || !open_scene(&s)) return 1;
    size_t count = read_file(argv[1], bytes, sizeof bytes);
    printf("%s\n", ct_save_check(bytes, count - 1, &message) ? "whole" : message.text);
    bool done = resume(&s, bytes, count, argv[2]);
    ct_snapshot_free(&s.snapshot);
    ct_writer_free(&s.text);
    ct_writer_free(&s.notes);
    printf("%u blocks left\n", (unsigned)s.memory.blocks);
    ct_world_free(&s.world);
    ct_entity_manager_free(&s.entities);
    return done ? 0 : 1;
}
