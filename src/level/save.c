// Saves: conversion of snapshots to bytes and back.
#include "level/save.h"

#include "base/hash.h"
#include "base/message.h"
#include "entity/entity_manager.h"
#include "level/shadow_worlds.h"
#include "world/save.h"

// Format; all numbers are little-endian:
//
//     "CTSV", u32 version, u32 size in bytes, u32 CRC-32 of the bytes after it
//     the entity manager: see entity/entity_save.c
//     u32 number of worlds; for each: text name, contents as in world/save.c,
//         from version 2 on u64 state of the random numbers
//     levels: see level/save_levels.c; version 1 has none

#define MAGIC 0x56535443u
#define VERSION 2u

enum { HEAD_BYTES = 16, AT_SIZE = 8, AT_CHECKSUM = 12 };
enum { FIRST_WITH_LEVELS = 2, FIRST_WITH_RANDOM = 2 }; // versions

void ct_save_writer(ct_writer *writer, const ct_allocator *allocator) {
    ct_writer_init(writer, allocator, false);
}

static ct_status write_all(const ct_snapshot_worlds *worlds, const ct_save_values *values,
                           ct_writer *out, ct_message *message) {
    ct_status status = CT_OK;
    uint32_t start = out->count;
    ct_writer_u32(out, MAGIC);
    ct_writer_u32(out, VERSION);
    ct_writer_u32(out, 0);
    ct_writer_u32(out, 0);
    ct_entity_manager_write(worlds->entities, out);
    ct_writer_u32(out, worlds->count);
    for (uint32_t i = 0; i < worlds->count && status == CT_OK; ++i) {
        const char *name = worlds->items[i].name;
        ct_writer_name(out, name);
        status = ct_world_write_save(worlds->items[i].world, name,
                                     values != NULL ? &values[i] : NULL, out, message);
        ct_writer_numbers(out, &worlds->items[i].world->random.state, 8, 1);
    }
    if (status == CT_OK) status = ct_save_write_levels(worlds, out, message);
    if (status != CT_OK) return status;
    uint32_t size = out->count - start;
    ct_writer_patch_u32(out, start + AT_SIZE, size);
    ct_writer_patch_u32(out, start + AT_CHECKSUM,
                        ct_hash_crc32(0, out->bytes + start + HEAD_BYTES, size - HEAD_BYTES));
    return CT_OK;
}

ct_status ct_save_write(const ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                        const ct_save_values *values, ct_writer *out, ct_message *message) {
    ct_shadow_worlds shadows;
    ct_shadow_worlds_init(&shadows, snapshot->allocator);
    ct_status status = ct_shadow_worlds_copy(&shadows, worlds);
    for (uint32_t i = 0; i < worlds->count && status == CT_OK; ++i)
        shadows.levels[i].records_levels = true;
    if (status == CT_OK) status = ct_snapshot_restore(snapshot, &shadows.core, message);
    if (status == CT_OK) status = write_all(&shadows.core, values, out, message);
    ct_shadow_worlds_free(&shadows);
    return status;
}

bool ct_save_check(const void *bytes, size_t count, ct_message *message) {
    ct_reader in = ct_reader_of(bytes, count);
    uint32_t magic = ct_reader_u32(&in), version = ct_reader_u32(&in);
    uint32_t size = ct_reader_u32(&in), checksum = ct_reader_u32(&in);
    if (in.damaged || magic != MAGIC) return ct_message_set(message, "not a save");
    if (version < 1 || version > VERSION)
        return ct_message_set(message, "the save has version %u, this is version %u", version,
                              VERSION);
    if (size != count)
        return ct_message_set(message, "the save is truncated, or has bytes behind its end");
    if (ct_hash_crc32(0, in.at, count - HEAD_BYTES) != checksum)
        return ct_message_set(message, "the save is damaged: its checksum differs");
    return true;
}

static ct_status refuse_world(ct_message *message, const char *name, const char *why) {
    ct_message_set(message, "world '%s' %s", name, why);
    return CT_ERR_DATA;
}

static ct_status read_world(ct_shadow_worlds *shadows, uint32_t version, ct_reader *in, bool *seen,
                            ct_writer *notes, ct_message *message) {
    const char *name = ct_reader_text(in).bytes;
    uint32_t i = 0;
    if (in->damaged) return ct_save_refuse(message);
    while (i < shadows->core.count && strcmp(shadows->items[i].name, name) != 0)
        i++;
    if (i == shadows->core.count) return refuse_world(message, name, "is only in the save");
    if (seen[i]) return ct_save_refuse(message);
    seen[i] = true;
    ct_status status = ct_world_read_save(&shadows->worlds[i], name, in, notes, message);
    if (status == CT_OK && version >= FIRST_WITH_RANDOM)
        ct_reader_numbers(in, 8, 1, &shadows->worlds[i].random.state);
    return status;
}

static ct_status read_worlds(ct_shadow_worlds *shadows, uint32_t version, ct_reader *in, bool *seen,
                             ct_writer *notes, ct_message *message) {
    uint32_t count = ct_reader_u32(in);
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < count && status == CT_OK; ++i)
        status = read_world(shadows, version, in, seen, notes, message);
    if (status == CT_OK && in->damaged) return ct_save_refuse(message);
    for (uint32_t i = 0; i < shadows->core.count && status == CT_OK; ++i) {
        if (!seen[i]) status = refuse_world(message, shadows->items[i].name, "is not in the save");
    }
    return status;
}

// Reads the entity manager first, because the worlds are created over it.
static ct_status build(ct_shadow_worlds *shadows, const ct_snapshot_worlds *worlds,
                       uint32_t version, ct_reader *in, ct_saved_levels *levels, ct_writer *notes,
                       ct_message *message) {
    ct_status status = ct_entity_manager_read(&shadows->entities, in);
    if (status == CT_ERR_DATA) return ct_save_refuse(message);
    if (status == CT_OK) status = ct_shadow_worlds_copy(shadows, worlds);
    if (status != CT_OK) return status;
    bool *seen = ct_alloc_zero(shadows->allocator, worlds->count + (size_t)1);
    if (seen == NULL) return CT_ERR_MEMORY;
    status = read_worlds(shadows, version, in, seen, notes, message);
    if (status == CT_OK && version >= FIRST_WITH_LEVELS)
        status = ct_save_read_levels(in, worlds, levels, message);
    if (status == CT_OK && (in->damaged || in->at != in->end)) status = ct_save_refuse(message);
    ct_free(shadows->allocator, seen, worlds->count + (size_t)1);
    return status;
}

ct_status ct_save_read(const void *bytes, size_t count, const ct_snapshot_worlds *worlds,
                       ct_snapshot *snapshot, ct_saved_levels *levels, ct_writer *notes,
                       ct_message *message) {
    ct_shadow_worlds shadows;
    ct_saved_levels unused;
    if (!ct_save_check(bytes, count, message)) return CT_ERR_DATA;
    ct_reader in = ct_reader_of(bytes, count);
    ct_reader_u32(&in);
    uint32_t version = ct_reader_u32(&in);
    ct_reader_bytes(&in, HEAD_BYTES - AT_SIZE);
    ct_shadow_worlds_init(&shadows, snapshot->allocator);
    ct_saved_levels_init(&unused, snapshot->allocator);
    if (levels == NULL) levels = &unused;
    ct_status status = build(&shadows, worlds, version, &in, levels, notes, message);
    if (status == CT_OK) status = notes->status;
    if (status == CT_OK) status = ct_snapshot_take(snapshot, &shadows.core, message);
    if (status != CT_OK) ct_saved_levels_free(levels);
    ct_saved_levels_free(&unused);
    ct_shadow_worlds_free(&shadows);
    return status;
}
