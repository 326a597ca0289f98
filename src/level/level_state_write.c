// Writing of states of levels: compares a level with its resource, which is spawned in a shadow
// world.
#include "level/level_state_write.h"
#include "level/level_internal.h"

#include "base/hash.h"
#include "base/message.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- ids

static void write_id(ct_writer *out, ct_text text, uint32_t number) {
    ct_writer_u8(out, text.bytes != NULL ? CT_STATE_TEXT : CT_STATE_NUMBER);
    if (text.bytes != NULL)
        ct_writer_text(out, text);
    else
        ct_writer_u32(out, number);
}

// Writes the id of a component that the spawn does not create. Its number may belong to another
// component after the next spawn; then a new one is issued.
static void write_added_id(ct_state_writing *w, ct_row here) {
    uint32_t id = ct_store_id(&w->manager->store, here);
    if ((id & CT_ID_IS_STRING) != 0) {
        const ct_string string = ct_manager_id_string(w->manager, here);
        write_id(w->out, ct_string_pool_text(w->manager->strings, string), 0);
        return;
    }
    ct_writer_u8(w->out, CT_STATE_ADDED);
    ct_writer_u32(w->out, ct_patch_is_issued(id) ? 0 : id);
    ct_writer_u32(w->out, w->order);
}

// Writes the id of a component of the spawn: the given one, or its order among those without one.
static void write_spawned_id(ct_state_writing *w, ct_row row) {
    const ct_component_id given = ct_patch_given_id(w->patch.shadowed, row);
    if (given.text.bytes != NULL || given.number != 0) {
        write_id(w->out, given.text, given.number);
        return;
    }
    ct_writer_u8(w->out, CT_STATE_ORDER);
    ct_writer_u32(w->out, w->issued);
}

// ---------------------------------------------------------------- steps

static void write_table(ct_state_writing *w) {
    const ct_manager *manager = w->manager;
    uint32_t count = ct_manager_all_inputs(manager);
    if (w->table == manager) return;
    w->table = manager;
    ct_writer_u8(w->out, CT_STATE_TABLE);
    ct_writer_name(w->out, manager->name);
    ct_writer_u8(w->out, manager->store.multiple);
    ct_writer_u8(w->out, count);
    for (uint32_t i = 0; i < count; ++i) {
        const ct_field *input = &manager->inputs[i];
        ct_writer_name(w->out, input->name);
        ct_writer_name(w->out, input->cells ? "cells" : ct_field_info_of(input->type)->name);
    }
}

static void begin_record(ct_state_writing *w, ct_state_kind kind, uint32_t entity) {
    w->marks[entity] = true;
    w->step_count++;
    ct_writer_u8(w->out, kind);
    ct_writer_u32(w->out, w->copy * w->level->resource->num_entities + entity);
}

// Begins a step for a component. Returns the offset of the number of values.
static uint32_t begin_step(ct_state_writing *w, ct_state_kind kind, const ct_state_rows *rows) {
    write_table(w);
    begin_record(w, kind, rows->entity);
    if (w->manager->store.multiple) {
        if (rows->spawned.i == CT_NO_ROW)
            write_added_id(w, rows->here);
        else
            write_spawned_id(w, rows->spawned);
    }
    ct_writer_u8(w->out, 0);
    return w->out->count - 1;
}

// ---------------------------------------------------------------- components

// Writes the parent and the late inputs if they differ. Returns whether they do.
static bool save_link(ct_state_writing *w, const ct_state_rows *rows) {
    uint32_t input = w->hierarchy;
    if (input == w->manager->input_count || ct_state_has_same_link(w, rows)) return false;
    ct_entity parent = ct_state_parent_here(w, rows->here);
    uint32_t step = begin_step(w, CT_STATE_LINK, rows);
    ct_state_begin_value(w, step, input);
    ct_state_write_item(w, input, &parent);
    ct_state_rows given = *rows;
    given.spawned.i = CT_NO_ROW;
    for (uint32_t n = w->manager->input_count; n < ct_manager_all_inputs(w->manager); ++n)
        ct_state_write_value(w, step, n, &given);
    return true;
}

// Writes the values of a component. With another parent its pose has another meaning, so all
// values are written.
static ct_status save_values(ct_state_writing *w, ct_state_kind kind, bool linked,
                             const ct_state_rows *rows) {
    bool marked = w->marks[rows->entity];
    const ct_manager *table = w->table;
    ct_state_rows given = *rows;
    uint32_t start = w->out->count, step = begin_step(w, kind, rows);
    ct_status status = CT_OK;
    if (linked) given.spawned.i = CT_NO_ROW;
    for (uint32_t input = 0; input < w->manager->input_count && status == CT_OK; ++input)
        if (input != w->hierarchy) status = ct_state_write_value(w, step, input, &given);
    bool empty = w->out->status == CT_OK && w->out->bytes[step] == 0;
    if (status != CT_OK || kind == CT_STATE_ADD || !empty) return status;
    w->out->count = start; // nothing differs
    w->table = table;
    w->step_count--;
    w->marks[rows->entity] = marked;
    return CT_OK;
}

static ct_status save_component(ct_state_writing *w, const ct_state_rows *rows) {
    if (rows->here.i == CT_NO_ROW) {
        begin_step(w, CT_STATE_REMOVE, rows);
        return CT_OK;
    }
    if (rows->spawned.i != CT_NO_ROW) {
        bool linked = save_link(w, rows);
        if (!linked && ct_state_has_same_fields(w, rows)) return CT_OK;
        return save_values(w, CT_STATE_SET, linked, rows);
    }
    ct_status status = save_values(w, CT_STATE_ADD, false, rows);
    if (status == CT_OK) save_link(w, rows);
    return status;
}

// Returns true if an entity has one component in a 'multiple' manager, in the level and in the
// shadow, without a given id.
static bool has_one(const ct_state_writing *w, const ct_state_rows *rows) {
    const ct_store *store = &w->manager->store, *shadow = &w->patch.shadowed->store;
    return rows->here.i != CT_NO_ROW && rows->spawned.i != CT_NO_ROW &&
           ct_store_next(store, rows->here).i == CT_NO_ROW &&
           ct_store_next(shadow, rows->spawned).i == CT_NO_ROW &&
           (ct_store_id(store, rows->here) & CT_ID_IS_STRING) == 0 &&
           ct_patch_is_issued(ct_store_id(shadow, rows->spawned));
}

// Writes the steps of an entity in a 'multiple' manager: first for the components of the spawn,
// then for those that were added.
static ct_status save_several(ct_state_writing *w, ct_state_rows *rows) {
    ct_store *store = &w->manager->store, *shadow = &w->patch.shadowed->store;
    ct_row first = rows->spawned, at = rows->here;
    uint32_t count = 0;
    ct_status status = CT_OK;
    w->order = 0;
    for (ct_row row = first; row.i != CT_NO_ROW; row = ct_store_next(shadow, row), ++count)
        w->order += (ct_store_id(shadow, row) & CT_ID_IS_STRING) == 0;
    uint32_t *ids = ct_arena_take(&w->patch.arena, (count + (size_t)1) * sizeof *ids);
    if (ids == NULL) return CT_ERR_MEMORY;
    ct_row here = rows->here;
    ct_entity in_before = w->patch.before.entities[rows->entity];
    count = 0;
    for (ct_row row = first; row.i != CT_NO_ROW && status == CT_OK;
         row = ct_store_next(shadow, row)) {
        uint32_t id = ct_patch_id_here(w->manager, w->patch.shadowed, in_before, row, &at);
        rows->spawned = row;
        rows->here.i = CT_NO_ROW;
        if (id != 0) rows->here = ct_store_find_id(store, rows->owner, id);
        if (rows->here.i != CT_NO_ROW) ids[count++] = id;
        status = save_component(w, rows);
        w->issued += ct_patch_is_issued(ct_store_id(shadow, row));
    }
    if (count > 1) qsort(ids, count, sizeof *ids, ct_u32_compare);
    rows->spawned.i = CT_NO_ROW;
    for (; here.i != CT_NO_ROW && status == CT_OK; here = ct_store_next(store, here)) {
        uint32_t id = ct_store_id(store, here);
        rows->here = here;
        if (bsearch(&id, ids, count, sizeof id, ct_u32_compare) != NULL) continue;
        status = save_component(w, rows);
        w->order += (id & CT_ID_IS_STRING) == 0;
    }
    return status;
}

static ct_status save_entities(ct_state_writing *w) {
    uint32_t count = w->level->resource->num_entities;
    const ct_entity *entities = w->level->entities + (size_t)w->copy * count;
    ct_status status = CT_OK;
    ct_state_pairs pairs;
    ct_state_begin_rows(w);
    for (uint32_t from = 0; from < count && status == CT_OK; from += CT_STATE_BLOCK) {
        bool last = count - from <= CT_STATE_BLOCK;
        ct_state_compare(w, from, last ? count : from + CT_STATE_BLOCK, &pairs);
        for (uint32_t k = 0; k < pairs.count && status == CT_OK; ++k) {
            if (!pairs.differs[k]) continue;
            uint32_t i = pairs.entity[k];
            ct_state_rows rows = {i, entities[i], {pairs.spawned[k]}, {pairs.here[k]}};
            w->issued = 0;
            bool several = w->manager->store.multiple && !has_one(w, &rows);
            status = several ? save_several(w, &rows) : save_component(w, &rows);
        }
    }
    return status;
}

static ct_status save_components(ct_state_writing *w) {
    const ct_world *world = w->patch.world;
    ct_status status = CT_OK;
    for (uint32_t m = 0; m < world->manager_count && status == CT_OK; ++m) {
        w->manager = world->managers[m];
        w->patch.shadowed = ct_world_find(w->patch.shadow, w->manager->name);
        if (ct_store_count(&w->manager->store) + ct_store_count(&w->patch.shadowed->store) == 0)
            continue;
        ct_manager_flush_deaths(w->manager);
        w->hierarchy = ct_manager_hierarchy(w->manager);
        memset(w->pairs, 0, sizeof w->pairs);
        status = save_entities(w);
    }
    return status;
}

// ---------------------------------------------------------------- entities

// Writes the dead entities of a copy. The living ones below them are named, so that entities of
// other versions that are new below them can be recognized.
static void save_dead(ct_state_writing *w) {
    const ct_resource *resource = w->level->resource;
    const ct_entity_manager *manager = w->patch.world->entities;
    const ct_entity *entities = w->level->entities + (size_t)w->copy * resource->num_entities;
    uint32_t present = 0, i;
    for (i = 0; i < resource->num_entities; ++i)
        present +=
            (entities[i].id & CT_LEVEL_LOST) == 0 && ct_entity_manager_alive(manager, entities[i]);
    w->whole = present == resource->num_entities;
    for (i = 0; i < resource->num_entities && !w->whole; ++i) {
        uint32_t above = resource->parent_index[i];
        bool alive = ct_entity_manager_alive(manager, entities[i]);
        if (!alive)
            begin_record(w, CT_STATE_DEAD, i);
        else if (above != CT_RESOURCE_NO_PARENT &&
                 !ct_entity_manager_alive(manager, entities[above]))
            w->marks[i] = true;
    }
}

static ct_status save_copy(ct_state_writing *w, uint32_t copy) {
    ct_patch *patch = &w->patch;
    w->copy = copy;
    for (uint32_t i = 0; i < patch->old->num_entities; ++i)
        patch->before.meant[i] = ct_level_entity(w->level, copy * patch->old->num_entities + i);
    ct_status status = ct_patch_shadow_spawn(patch, copy);
    if (status != CT_OK) return status;
    save_dead(w);
    status = save_components(w);
    return status == CT_ERR_MEMORY ? ct_message_out_of_memory(patch->message) : status;
}

// Writes the entities that a state names, with what another version needs to match them.
static ct_status save_keys(ct_state_writing *w) {
    const ct_resource *resource = w->level->resource;
    uint32_t count = resource->num_entities, at = w->out->count, written = 0;
    ct_match_key *keys = ct_arena_take(&w->patch.arena, (count + (size_t)1) * sizeof *keys);
    ct_writer_u32(w->out, 0);
    if (memchr(w->marks, 1, count) == NULL) return CT_OK;
    if (keys == NULL) return ct_message_out_of_memory(w->patch.message);
    ct_match_keys(resource, keys);
    if (ct_match_complete(keys, count, w->marks, w->patch.allocator) != CT_OK)
        return ct_message_out_of_memory(w->patch.message);
    for (uint32_t i = 0; i < count; ++i) {
        if (!w->marks[i]) continue;
        written++;
        ct_writer_u32(w->out, i);
        ct_writer_u32(w->out, keys[i].under);
        bool named = keys[i].text.bytes != NULL;
        ct_writer_u8(w->out, keys[i].id ? CT_STATE_SOURCE_ID
                             : named    ? CT_STATE_NAME
                                        : CT_STATE_UNNAMED);
        if (named) ct_writer_text(w->out, keys[i].text);
    }
    ct_writer_patch_u32(w->out, at, written);
    return CT_OK;
}

// ---------------------------------------------------------------- the whole state

static void write_header(const ct_state_writing *w) {
    ct_writer_u32(w->out, CT_STATE_MAGIC);
    ct_writer_u32(w->out, CT_STATE_VERSION);
    ct_writer_u32(w->out, 0);
    ct_writer_u32(w->out, 0);
    ct_writer_u32(w->out, w->level->resource->checksum);
    ct_writer_u32(w->out, w->level->resource->num_entities);
    ct_writer_u32(w->out, w->patch.copies);
    ct_writer_u32(w->out, 0);
    ct_writer_u32(w->out, 0);
}

static ct_status save_all(ct_state_writing *w) {
    uint32_t count = w->level->resource->num_entities;
    w->marks = ct_arena_take(&w->patch.arena, count + (size_t)1);
    w->linked = ct_arena_take(&w->patch.arena, (count + (size_t)1) * sizeof *w->linked);
    if (w->marks == NULL || w->linked == NULL || ct_patch_shadow_init(&w->patch) != CT_OK)
        return ct_message_out_of_memory(w->patch.message);
    memset(w->marks, 0, count);
    write_header(w);
    ct_status status = CT_OK;
    for (uint32_t copy = 0; copy < w->patch.copies && status == CT_OK; ++copy)
        status = save_copy(w, copy);
    ct_writer *out = w->out;
    if (status == CT_OK && out->status == CT_OK) {
        ct_writer_patch_u32(out, CT_STATE_AT_STEPS, w->step_count);
        ct_writer_patch_u32(out, CT_STATE_AT_RECORDS, out->count - CT_STATE_RECORDS);
        status = save_keys(w);
    }
    if (status == CT_OK && out->status == CT_OK) {
        ct_writer_patch_u32(out, CT_STATE_AT_SIZE, out->count);
        ct_writer_patch_u32(
            out, CT_STATE_AT_CHECKSUM,
            ct_hash_crc32(0, out->bytes + CT_STATE_HEAD_BYTES, out->count - CT_STATE_HEAD_BYTES));
    }
    return status != CT_OK ? status : out->status;
}

ct_status ct_level_save(ct_level *level, void *context, ct_writer *out, ct_message *message) {
    ct_status status = ct_level_check_state(level, message);
    if (status == CT_OK) status = ct_level_check_spawned(level, message);
    if (status != CT_OK) return status;
    ct_world *world = level->levels->world;
    ct_entity_manager *entities = world->entities;
    ct_state_writing w = {.level = level, .out = out};
    w.patch = (ct_patch){.level = level,
                         .world = world,
                         .allocator = world->allocator,
                         .old = level->resource,
                         .context = context,
                         .message = message,
                         .options = level->options,
                         .copies = ct_level_copies(level)};
    w.patch.options.copies = NULL;
    ct_arena_init(&w.patch.arena, world->allocator);
    // Finalizers that the host runs must not move rows.
    ct_entity_manager_freeze(entities, true);
    entities->callbacks++;
    world->busy++;
    level->patching = true;
    status = save_all(&w);
    level->patching = false;
    world->busy--;
    entities->callbacks--;
    ct_entity_manager_freeze(entities, false);
    if (w.patch.shadows.allocator != NULL) ct_patch_shadow_free(&w.patch);
    ct_arena_reset(&w.patch.arena);
    if (status == CT_ERR_FULL) ct_message_set(message, "the state has more than 2^32 - 1 bytes");
    if (status == CT_ERR_MEMORY) ct_message_out_of_memory(w.patch.message);
    return status;
}
