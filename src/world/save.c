// Snapshots and saves of a world.
#include "world/save.h"

#include "base/message.h"
#include "component/record.h"

// Format of a save:
//
//     u32 index of the manager with which gc continues
//     u32 bytes of the managers; u32 number of managers; each: see storage/manager_save.c
//     u32 number of strings, without the empty one; each: a text

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

// Allocates one item more than 'count'. Returns NULL when memory runs out.
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

// Returns whether a manager occurs twice: its data would be read into rows of the first.
static bool is_duplicate(const ct_save_rest *rests, uint32_t last) {
    uint32_t i = 0;
    while (i < last && rests[i].manager != rests[last].manager)
        i++;
    return i < last && rests[last].manager != NULL;
}

// Data besides the fields is read last, because it may refer to types that are spawned later.
static ct_status read_managers(ct_world *world, ct_save_in *in, ct_arena *arena) {
    uint32_t count = ct_reader_u32(&in->reader);
    if (in->reader.damaged || count > (uint64_t)(in->reader.end - in->reader.at))
        return ct_save_refuse(in->message);
    ct_save_rest *rests = take(arena, count, sizeof *rests);
    ct_status status = rests != NULL ? CT_OK : CT_ERR_MEMORY;
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        status = ct_manager_read_save(world->managers, world->manager_count, in, &rests[i]);
        if (status == CT_OK && is_duplicate(rests, i)) return ct_save_refuse(in->message);
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
        status =
            ct_string_pool_cache_texts(&world->strings, save.strings, save.string_count, &strings);
    if (status == CT_OK) status = read_managers(world, &save, &strings);
    ct_string_pool_forget_texts(&world->strings);
    ct_arena_reset(&rows);
    ct_arena_reset(&strings);
    return status;
}

// Identification of a component in a snapshot.
typedef struct header {
    const ct_component *keeper; // type of a plugin that keeps data of its own, or NULL
    uint32_t identifier, fields, columns, name_bytes;
} header;

static uint32_t hash_text(uint32_t hash, const char *text) {
    return ct_hash_fnv1a(hash, text, strlen(text) + 1);
}

// Hashes names, types and labels of the fields, in order.
static uint32_t hash_fields(const ct_manager *manager) {
    uint32_t hash = hash_text(CT_FNV1A_START, manager->store.multiple ? "multiple" : "");
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const ct_field *field = &manager->fields[f];
        hash = hash_text(hash, field->name);
        hash = hash_text(hash, ct_field_info_of(field->type)->name);
        hash = ct_hash_fnv1a(hash, &field->label_count, sizeof field->label_count);
        for (uint32_t i = 0; i < field->label_count; ++i)
            hash = hash_text(hash, field->labels[i].bytes);
    }
    return hash;
}

static header header_of(const ct_manager *manager) {
    const ct_component *type = ct_plugin_description(manager);
    return (header){type != NULL && ct_plugin_component(manager)->own_bytes > 0 ? type : NULL,
                    manager->identifier, hash_fields(manager), manager->store.columns.column_count,
                    (uint32_t)strlen(manager->name) + 1};
}

static void refuse(ct_state *state, const char *component, const char *world, const char *why) {
    if (!ct_state_require(state, CT_ERR_DATA))
        ct_message_set(state->message, "component '%s' of world '%s' %s", component, world, why);
}

// Returns the manager at an index, or the one that was saved there. Returns NULL if the world does
// not have it with the saved fields and type.
static ct_manager *walk_manager(const ct_world *world, const char *world_name, uint32_t place,
                                ct_state *state) {
    bool restores = ct_state_restores(state);
    ct_manager *manager = restores ? NULL : world->managers[place];
    header h = {0};
    if (manager != NULL) h = header_of(manager);
    ct_state_values(state, &h, sizeof h);
    char *name = ct_state_piece(state, h.name_bytes);
    if (manager != NULL && name != NULL) memcpy(name, manager->name, h.name_bytes);
    if (!restores || name == NULL) return manager;
    manager = ct_world_find(world, name);
    if (state->pass == CT_STATE_COMMIT) return manager;
    header now = h;
    if (manager != NULL) now = header_of(manager);
    if (manager == NULL)
        refuse(state, name, world_name, "is not defined");
    else if (now.fields != h.fields || now.columns != h.columns)
        refuse(state, name, world_name, "was defined with other fields");
    else if (now.keeper != h.keeper) // only this type can read its data
        refuse(state, name, world_name, "was defined by a script or another plugin");
    return state->status == CT_OK ? manager : NULL;
}

// Fails because the world has a manager that was not saved.
static void refuse_newer(const ct_world *world, const char *name, ct_state *state) {
    refuse(state, world->managers[world->manager_count - 1]->name, name,
           "was not defined when the snapshot was taken");
}

void ct_world_state(ct_world *world, const char *name, ct_string_numbers *strings,
                    ct_state *state) {
    ct_state_block(state, &world->gc_next, sizeof world->gc_next);
    ct_state_block(state, &world->random, sizeof world->random);
    ct_string_pool_state(&world->strings, state, strings);
    uint32_t count = ct_state_number(state, world->manager_count);
    for (uint32_t i = 0; i < count && state->status == CT_OK; ++i) {
        ct_manager *manager = walk_manager(world, name, i, state);
        if (manager != NULL) ct_manager_state(manager, state);
    }
    if (state->status == CT_OK) ct_value_pool_state(&world->values, state);
    if (state->status == CT_OK && count < world->manager_count) refuse_newer(world, name, state);
}
