// Creation of entities with components of several types in one call, all or nothing.
#include "world/create.h"

#include "base/message.h"
#include "base/packed.h"
#include "base/text.h"
#include "component/debug_name.h"
#include "storage/death_trace.h"
#include "storage/manager_access.h"
#include "storage/manager_one.h"

#include <string.h>

// Reverts a create without a trace. Cannot fail.
static void rollback(ct_world *world, uint32_t count, const ct_component_batch *batches,
                     uint32_t batch_count, const ct_entity *entities) {
    // The last batch first: its rows are the last ones of their manager, so no other row moves.
    while (batch_count-- > 0)
        ct_manager_rollback(batches[batch_count].manager, count);
    ct_entity_manager_rollback(world->entities, count, entities);
}

static ct_status create(ct_world *world, uint32_t count, const ct_component_batch *batches,
                        uint32_t batch_count, ct_entity *out, ct_additions *additions,
                        uint32_t *failed) {
    *failed = batch_count;
    if (world->destroyed) return CT_ERR_OVER;
    ct_status status = ct_entity_manager_create(world->entities, count, out);
    for (uint32_t i = 0; i < batch_count; ++i)
        ct_store_keep_number(&batches[i].manager->store);
    for (uint32_t i = 0; i < batch_count && status == CT_OK; ++i)
        if (batches[i].ids != NULL) ct_manager_note_ids(batches[i].manager, batches[i].ids, count);
    for (uint32_t i = 0; i < batch_count && status == CT_OK; ++i) {
        const ct_component_batch *batch = &batches[i];
        ct_row first;
        if (count != 1 || !ct_manager_create_one(batch->manager, *out, batch->values, &first))
            status = ct_manager_create_whole(batch->manager, out, count, batch->values, batch->ids,
                                             &first);
        uint32_t made = i + (status == CT_OK);
        if (status == CT_OK && additions != NULL)
            status = ct_additions_note(additions, batch->manager, count);
        if (status == CT_OK) continue;
        *failed = i;
        rollback(world, count, batches, made, out);
        for (uint32_t b = 0; b < batch_count; ++b)
            ct_store_restore_number(&batches[b].manager->store);
    }
    return status;
}

ct_status ct_world_create(ct_world *world, uint32_t count, const ct_component_batch *batches,
                          uint32_t batch_count, ct_entity *out, ct_additions *additions,
                          uint32_t *failed) {
    uint64_t begun = ct_work_begin(&world->timings);
    if (additions != NULL) additions->world = NULL;
    if (additions != NULL && world->hook_count == 0) additions = NULL;
    if (additions != NULL) ct_additions_begin(additions, world, CT_REASON_CREATE);
    ct_status status = create(world, count, batches, batch_count, out, additions, failed);
    if (status != CT_OK && additions != NULL) {
        ct_additions_end(additions);
        additions->world = NULL;
    }
    ct_work_end(&world->timings, CT_WORK_CREATE, begun);
    return status;
}

void ct_world_remove_entities(ct_world *world, uint32_t count, const ct_entity *entities) {
    for (uint32_t m = 0; m < world->manager_count; ++m)
        ct_manager_remove_entities(world->managers[m], count, entities);
}

static bool has_id(const ct_component_batch *batch) {
    return batch->ids != NULL && (batch->ids->number != 0 || batch->ids->text.bytes != NULL);
}

static void put_value(ct_packed *p, ct_field_type type, ct_values *value) {
    if (value->items == NULL) return;
    void *item = ct_packed_put(p, value->items, ct_field_value_bytes(type));
    if (ct_field_is_text(type)) ct_packed_put_text(p, *(const ct_text *)value->items, item);
    *value = (ct_values){item, 0};
}

static ct_values *put_values(ct_packed *p, const ct_component_batch *from) {
    const ct_manager *manager = from->manager;
    ct_values values[CT_MAX_COLUMNS];
    uint32_t count = ct_manager_all_inputs(manager);
    memcpy(values, from->values, count * sizeof *values);
    for (uint32_t i = 0; i < count; ++i)
        put_value(p, manager->inputs[i].type, &values[i]);
    return ct_packed_put(p, values, count * sizeof *values);
}

static ct_component_id *put_id(ct_packed *p, const ct_component_id *from) {
    ct_component_id *id = ct_packed_put(p, from, sizeof *from);
    ct_packed_put_text(p, from->text, id != NULL ? &id->text : NULL);
    return id;
}

static bool is_entity(const ct_component_batch *batch, uint32_t input) {
    return batch->manager->inputs[input].type == CT_FIELD_ENTITY &&
           batch->values[input].items != NULL;
}

static bool names_entity(const ct_component_batch *batch) {
    uint32_t i = 0;
    while (i < batch->manager->input_count && !is_entity(batch, i))
        i++;
    return i < batch->manager->input_count;
}

static ct_template *put_template(ct_packed *p, ct_world *world, const ct_component_batch *batches,
                                 uint32_t batch_count) {
    const ct_template empty = {.world = world, .batch_count = batch_count};
    ct_template *t = ct_packed_put(p, &empty, sizeof empty);
    ct_component_batch *copies = ct_packed_put(p, batches, batch_count * sizeof *batches);
    for (uint32_t i = 0; i < batch_count; ++i) {
        ct_component_batch copy = {batches[i].manager, put_values(p, &batches[i]), NULL};
        if (has_id(&batches[i])) copy.ids = put_id(p, batches[i].ids);
        if (t == NULL) continue;
        t->id_count += copy.ids != NULL;
        t->names_entities = t->names_entities || names_entity(&copy);
        copies[i] = copy;
    }
    if (t != NULL) t->batches = copies;
    return t;
}

size_t ct_template_bytes(const ct_component_batch *batches, uint32_t batch_count) {
    ct_packed p = {NULL, 0};
    put_template(&p, NULL, batches, batch_count);
    return p.used;
}

ct_template *ct_template_init(void *block, ct_world *world, const ct_component_batch *batches,
                              uint32_t batch_count) {
    ct_packed p = {block, 0};
    return put_template(&p, world, batches, batch_count);
}

bool ct_template_has_hooks(const ct_template *t) {
    uint32_t i = 0;
    while (i < t->batch_count && t->batches[i].manager->hooks == NULL)
        i++;
    return i < t->batch_count && t->world->hook_count > 0;
}

bool ct_template_has(const ct_template *t, const ct_manager *manager) {
    uint32_t i = 0;
    while (i < t->batch_count && t->batches[i].manager != manager)
        i++;
    return i < t->batch_count;
}

ct_text *ct_template_next_value(const ct_template *t, uint32_t *batch, uint32_t *input) {
    for (; *batch < t->batch_count; ++*batch, *input = 0) {
        const ct_component_batch *b = &t->batches[*batch];
        while (*input < b->manager->input_count) {
            uint32_t i = (*input)++;
            if (b->manager->inputs[i].type == CT_FIELD_VALUE && b->values[i].items != NULL)
                return (ct_text *)(uintptr_t)b->values[i].items; // in the block, so writable
        }
    }
    return NULL;
}

// Checks that the entity in an input, if there is one, is alive.
static bool check_entity(const ct_template *t, const ct_field *input, const ct_values *value,
                         ct_message *message) {
    const ct_entity_manager *entities = t->world->entities;
    ct_message why;
    ct_entity e;
    memcpy(&e, value->items, sizeof e);
    if (e.id == CT_NOBODY || ct_entity_manager_alive(entities, e)) return true;
    ct_dead_message(ct_world_find(t->world, CT_DEBUG_NAME), entities, e, &why);
    return ct_message_set(message, "%s: %s", input->name, why.text);
}

// Checks the entities in the values. The other values were checked by the template.
static bool check_entities(const ct_template *t, const ct_component_batch *batch,
                           ct_message *message) {
    const ct_manager *manager = batch->manager;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (is_entity(batch, i) &&
            !check_entity(t, &manager->inputs[i], &batch->values[i], message))
            return false;
    }
    return ct_manager_check_values(manager, batch->values, 1, true, message);
}

// Copies the id of a batch 'count' times to *ids, and advances *ids.
static void repeat_ids(ct_component_batch *batch, uint32_t count, ct_component_id **ids) {
    if (batch->ids == NULL) return;
    for (uint32_t i = 0; i < count; ++i)
        (*ids)[i] = *batch->ids;
    batch->ids = *ids;
    *ids += count;
}

// Creates from copies of the template's batches, with ids for all entities.
static ct_status create_with_ids(const ct_template *t, uint32_t count, ct_entity *out,
                                 ct_additions *additions, uint32_t *failed) {
    const ct_allocator *allocator = t->world->allocator;
    size_t first = ct_padded(t->batch_count * sizeof *t->batches), bytes;
    if (!ct_size_mul_add((size_t)t->id_count * count, sizeof(ct_component_id), first, &bytes))
        return CT_ERR_MEMORY;
    unsigned char *block = ct_alloc(allocator, bytes);
    if (block == NULL) return ct_out_of_memory(allocator);
    ct_component_batch *batches = (ct_component_batch *)(void *)block;
    ct_component_id *ids = (ct_component_id *)(void *)(block + first);
    memcpy(batches, t->batches, t->batch_count * sizeof *batches);
    for (uint32_t i = 0; i < t->batch_count; ++i)
        repeat_ids(&batches[i], count, &ids);
    ct_status status =
        ct_world_create(t->world, count, batches, t->batch_count, out, additions, failed);
    ct_free(allocator, block, bytes);
    return status;
}

ct_status ct_template_create(const ct_template *t, uint32_t count, ct_entity *out,
                             ct_additions *additions, uint32_t *failed, ct_message *message) {
    *failed = t->batch_count;
    if (t->world->destroyed) return CT_ERR_OVER;
    for (uint32_t i = 0; (t->names_entities || t->merged) && i < t->batch_count; ++i) {
        if (!t->merged && !names_entity(&t->batches[i])) continue;
        if (check_entities(t, &t->batches[i], message)) continue;
        *failed = i;
        return CT_ERR_DATA;
    }
    if (t->id_count > 0 && count > 1) return create_with_ids(t, count, out, additions, failed);
    return ct_world_create(t->world, count, t->batches, t->batch_count, out, additions, failed);
}

// ---------------------------------------------------------------- changes of a template

// Returns whether a given value cannot be combined with a value of this input.
static bool is_excluded(const ct_manager *manager, const ct_values *given, uint32_t input) {
    const ct_field *inputs = manager->inputs;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < ct_manager_all_inputs(manager); ++i) {
        if (given[i].items == NULL) continue;
        if (inputs[i].excludes != 0) bits |= inputs[i].excludes >> input;
        if (inputs[input].excludes != 0) bits |= inputs[input].excludes >> i;
    }
    return (bits & 1) != 0;
}

static const ct_values *merge_values(const ct_component_batch *own, const ct_values *given,
                                     ct_arena *arena) {
    uint32_t count = ct_manager_all_inputs(own->manager);
    ct_values *values = ct_arena_take(arena, count * sizeof *values);
    for (uint32_t i = 0; values != NULL && i < count; ++i) {
        bool keeps = given[i].items == NULL && !is_excluded(own->manager, given, i);
        values[i] = keeps ? own->values[i] : given[i];
    }
    return values;
}

static bool have_one_id(const ct_component_batch *one, const ct_component_batch *other) {
    return has_id(one) && has_id(other) && one->ids->number == other->ids->number &&
           ct_text_equal(one->ids->text, other->ids->text);
}

// Applies a change to the first 'count' batches, which are those of the template. Returns whether
// one of them is the changed component.
static bool change_batch(const ct_template *t, const ct_component_batch *change,
                         ct_component_batch *batches, ct_arena *arena) {
    bool multiple = change->manager->store.multiple;
    for (uint32_t i = 0; i < t->batch_count; ++i) {
        const ct_component_batch *own = &t->batches[i];
        if (own->manager != change->manager || (multiple && !have_one_id(own, change))) continue;
        batches[i] = *change;
        if (!multiple) batches[i].values = merge_values(own, change->values, arena);
        return true;
    }
    return false;
}

ct_status ct_template_merge(const ct_template *t, const ct_component_batch *changes, uint32_t count,
                            ct_arena *arena, ct_template *merged) {
    ct_component_batch *batches =
        ct_arena_take(arena, ((size_t)t->batch_count + count) * sizeof *batches);
    if (batches == NULL) return CT_ERR_MEMORY;
    *merged = *t;
    merged->merged = true;
    merged->batches = batches;
    memcpy(batches, t->batches, t->batch_count * sizeof *batches);
    for (uint32_t i = 0; i < count; ++i)
        if (!change_batch(t, &changes[i], batches, arena))
            batches[merged->batch_count++] = changes[i];
    for (uint32_t i = t->batch_count; i < merged->batch_count;)
        ct_component_batch_insert(batches, &i, batches[i]);
    for (uint32_t i = 0; i < merged->batch_count; ++i)
        if (batches[i].values == NULL) return CT_ERR_MEMORY;
    return CT_OK;
}
