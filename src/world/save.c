// A world as a save has it: its strings, and its managers one after another.
#include "world/save.h"

//     u32 with which manager gc goes on
//     u32 bytes of the managers; u32 managers; each: see storage/manager_save.c
//     u32 strings, the empty one apart; a text each

static ct_status write_managers(ct_world *world, ct_save_out *out, ct_message *message) {
    uint32_t at = out->writer->count;
    ct_status status = CT_OK;
    ct_writer_u32(out->writer, 0);
    ct_writer_u32(out->writer, world->manager_count);
    for (uint32_t i = 0; i < world->manager_count && status == CT_OK; ++i)
        status = ct_manager_write_save(world->managers[i], out, message);
    ct_writer_patch_u32(out->writer, at, out->writer->count - at - 4);
    return status;
}

static void write_strings(const ct_world *world, const ct_save_out *out) {
    ct_writer_u32(out->writer, out->string_count - 1);
    for (uint32_t i = 1; i < out->string_count; ++i)
        ct_writer_text(out->writer,
                       ct_string_pool_text(&world->strings, (ct_string){out->strings[i]}));
}

ct_status ct_world_write_save(ct_world *world, const char *name, const ct_save_values *values,
                              ct_writer *out, ct_message *message) {
    size_t count = (size_t)world->strings.entry_count + 1, bytes = 2 * count * sizeof(uint32_t);
    ct_arena arena;
    uint32_t *numbers = ct_alloc_zero(world->allocator, bytes);
    if (numbers == NULL) return CT_ERR_MEMORY;
    ct_save_out save = {out, &arena, numbers, numbers + count, 1, name, values};
    ct_arena_init(&arena, world->allocator);
    ct_writer_u32(out, world->gc_next);
    ct_status status = write_managers(world, &save, message);
    if (status == CT_OK) write_strings(world, &save);
    ct_arena_reset(&arena);
    ct_free(world->allocator, numbers, bytes);
    return status == CT_OK ? out->status : status;
}

// Room for one item more than there are; NULL when memory runs out.
static void *take(ct_arena *arena, uint32_t count, size_t width) {
    size_t bytes;
    return ct_size_mul_add(count, width, width, &bytes) ? ct_arena_take(arena, bytes) : NULL;
}

static ct_status read_strings(ct_save_in *in, ct_reader *reader, ct_arena *arena) {
    uint32_t count = ct_reader_u32(reader);
    if (reader->damaged || count > (uint64_t)(reader->end - reader->at) / 5)
        return ct_save_refuse(in->message);
    ct_text *texts = take(arena, count, sizeof *texts);
    if (texts == NULL) return CT_ERR_MEMORY;
    texts[0] = (ct_text){"", 0};
    for (uint32_t i = 1; i <= count; ++i)
        texts[i] = ct_reader_text(reader);
    in->strings = texts;
    in->string_count = count + 1;
    return reader->damaged ? ct_save_refuse(in->message) : CT_OK;
}

// The bytes of one manager would be read into what another's have made.
static bool stands_twice(const ct_save_rest *rests, uint32_t last) {
    uint32_t i = 0;
    while (i < last && rests[i].manager != rests[last].manager)
        i++;
    return i < last && rests[last].manager != NULL;
}

// What types keep beside their fields comes last, and may refer to types that are spawned later.
static ct_status read_managers(ct_world *world, ct_save_in *in, ct_arena *arena) {
    uint32_t count = ct_reader_u32(&in->reader);
    if (in->reader.damaged || count > (uint64_t)(in->reader.end - in->reader.at))
        return ct_save_refuse(in->message);
    ct_save_rest *rests = take(arena, count, sizeof *rests);
    ct_status status = rests != NULL ? CT_OK : CT_ERR_MEMORY;
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        status = ct_manager_read_save(world->managers, world->manager_count, in, &rests[i]);
        if (status == CT_OK && stands_twice(rests, i)) return ct_save_refuse(in->message);
    }
    if (status == CT_OK && in->reader.at != in->reader.end) return ct_save_refuse(in->message);
    for (uint32_t i = count; i-- > 0 && status == CT_OK;)
        status = ct_manager_read_rest(&rests[i], in);
    return status;
}

ct_status ct_world_read_save(ct_world *world, const char *name, ct_reader *in, ct_writer *notes,
                             ct_message *message) {
    ct_arena strings, rows;
    ct_arena_init(&strings, world->allocator);
    ct_arena_init(&rows, world->allocator);
    world->gc_next = ct_reader_u32(in);
    ct_save_in save = {.reader = ct_reader_part(in, ct_reader_u32(in)),
                       .arena = &rows,
                       .world = name,
                       .notes = notes,
                       .message = message};
    ct_status status = read_strings(&save, in, &strings);
    if (status == CT_OK)
        status = ct_string_pool_learn(&world->strings, save.strings, save.string_count, &strings);
    if (status == CT_OK) status = read_managers(world, &save, &strings);
    ct_string_pool_unlearn(&world->strings);
    ct_arena_reset(&rows);
    ct_arena_reset(&strings);
    return status;
}
