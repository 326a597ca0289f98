// Additions of a patch: creates components and the host's objects from opaque data, and runs
// hooks.
#include "level/patch_internal.h"

#include "base/message.h"
#include "storage/manager_access.h"
#include "world/create.h"
#include "world/host.h"

#include <string.h>

// ---------------------------------------------------------------- components

static ct_status explain(const ct_patch *patch, const ct_manager *manager, ct_status status) {
    if (status == CT_ERR_MEMORY) return ct_message_out_of_memory(patch->message);
    if (status == CT_ERR_FULL)
        ct_manager_full_message(manager, patch->message);
    else
        ct_message_set(patch->message, "%s: invalid values", manager->name);
    return status == CT_ERR_FULL ? status : CT_ERR_DATA;
}

// Replaces a parent that does not have the component by no parent.
static void check_parent(const ct_manager *manager, ct_values *values) {
    static const ct_entity no_entity = {CT_NOBODY};
    uint32_t input = ct_manager_hierarchy(manager);
    ct_entity e;
    if (input == manager->input_count || values[input].items == NULL) return;
    memcpy(&e, values[input].items, sizeof e);
    if (ct_store_find(&manager->store, e).i == CT_NO_ROW) values[input].items = &no_entity;
}

static ct_status add(ct_patch *patch, ct_patch_step *step) {
    ct_manager *manager = step->manager;
    ct_values values[CT_MAX_COLUMNS];
    ct_text texts[CT_MAX_COLUMNS];
    ct_row row;
    (void)ct_patch_new_items(patch, step, false, values, texts);
    check_parent(manager, values);
    const ct_component_id *id = manager->store.multiple ? &step->given : NULL;
    ct_status status = ct_manager_create(manager, &step->entity, 1, values, id, &row);
    if (status == CT_ERR_EXISTS) return CT_OK; // the entity already has the component
    if (status != CT_OK) return explain(patch, manager, status);
    step->id = ct_store_id(&manager->store, row);
    step->done = ct_additions_note(&patch->additions, manager, 1) == CT_OK;
    if (step->done) return CT_OK;
    ct_manager_rollback(manager, 1); // without calling hooks
    return ct_message_out_of_memory(patch->message);
}

// Writes late inputs, when all components exist. Inputs that cannot be written are left out.
static ct_status add_late(const ct_patch *patch, const ct_patch_step *step) {
    ct_manager *manager = step->manager;
    ct_values values[CT_MAX_COLUMNS];
    ct_text texts[CT_MAX_COLUMNS];
    ct_message unread;
    if (!ct_patch_new_items(patch, step, true, values, texts)) return CT_OK;
    ct_row row = ct_patch_row(step);
    if (!ct_manager_check_assign(manager, row, values, &unread)) return CT_OK;
    ct_status status = ct_manager_assign_late(manager, row, values);
    return status == CT_ERR_MEMORY ? ct_message_out_of_memory(patch->message) : CT_OK;
}

static ct_status add_all(ct_patch *patch) {
    ct_status status = CT_OK;
    for (uint32_t s = 0; s < patch->step_count && status == CT_OK; ++s) {
        if (patch->steps[s].kind == CT_PATCH_ADD) status = add(patch, &patch->steps[s]);
    }
    for (uint32_t s = 0; s < patch->step_count && status == CT_OK; ++s) {
        const ct_patch_step *step = &patch->steps[s];
        if (step->kind == CT_PATCH_ADD && step->done && step->manager->shape->late_count > 0)
            status = add_late(patch, step);
    }
    return status;
}

// ---------------------------------------------------------------- opaque data

// Computes the offset of the data of each entity, and the end of the last one.
static void find_starts(const ct_section *section, uint32_t entities, uint32_t *start) {
    uint32_t next = 0, at = 0;
    for (uint32_t e = 0; e <= entities; ++e) {
        for (; next < section->num_instances; ++next) {
            uint32_t size;
            if (section->entity_index[next] >= e) break;
            memcpy(&size, section->data + at, sizeof size);
            at += (uint32_t)sizeof size + size;
        }
        start[e] = at;
    }
}

static bool is_any_alive(const ct_patch *patch, uint32_t entity) {
    for (uint32_t copy = 0; copy < patch->copies; ++copy) {
        size_t place = (size_t)copy * patch->next->num_entities + entity;
        if (ct_entity_manager_alive(patch->world->entities, patch->entities[place])) return true;
    }
    return false;
}

// Lists each living entity with changed data in a section.
static ct_status name_left(ct_patch *patch, const ct_section *old, const ct_section *next,
                           uint32_t number) {
    uint32_t before = patch->old->num_entities, now = patch->next->num_entities;
    uint32_t *a = ct_arena_take(&patch->arena, ((size_t)before + now + 2) * sizeof *a);
    ct_patch_result *result = patch->result;
    ct_status status = CT_OK;
    if (a == NULL) return CT_ERR_MEMORY;
    uint32_t *b = a + before + 1;
    find_starts(old, before, a);
    find_starts(next, now, b);
    for (uint32_t j = 0; j < now && status == CT_OK; ++j) {
        uint32_t i = patch->match.old_of[j];
        if (i == CT_MATCH_NONE) continue;
        uint32_t length = a[i + 1] - a[i];
        bool same = length == b[j + 1] - b[j] &&
                    (length == 0 || memcmp(old->data + a[i], next->data + b[j], length) == 0);
        if (same || !is_any_alive(patch, j)) continue;
        status = ct_array_reserve(patch->allocator, (void **)&result->left, &result->left_capacity,
                                  result->left_count + 1, sizeof *result->left);
        if (status == CT_OK) result->left[result->left_count++] = (ct_patch_left){number, j};
    }
    return status;
}

// Finds the sections that the host spawns, and the entities with changed opaque data, which only a
// new spawn applies.
static ct_status find_left(ct_patch *patch) {
    static const ct_section nothing = {.data = (const unsigned char *)""};
    const ct_resource *old = patch->old, *next = patch->next;
    ct_status status = CT_OK;
    for (uint32_t s = 0; s < next->num_component_types && status == CT_OK; ++s) {
        const ct_section *section = &next->sections[s];
        patch->spawned_opaque[s] =
            section->schema == 0 && !ct_spawner_skips(patch->world, section, patch->context);
        if (!patch->spawned_opaque[s]) continue;
        const ct_section *before = ct_patch_section(old, section->name);
        if (before == NULL || before->schema != 0) before = &nothing;
        status = name_left(patch, before, section, s);
    }
    for (uint32_t s = 0; s < old->num_component_types && status == CT_OK; ++s) {
        const ct_section *section = &old->sections[s];
        if (section->schema == 0 && !patch->level->skipped[s] &&
            ct_patch_section(next, section->name) == NULL)
            status = name_left(patch, section, &nothing, s | CT_PATCH_LEFT_OLD);
    }
    return status == CT_OK ? CT_OK : ct_message_out_of_memory(patch->message);
}

// Copies the instances of a section that belong to created entities of a copy to the arena. Opaque
// data: each instance follows its size.
static ct_status pick_instances(ct_patch *patch, const ct_section *from, const bool *made,
                                ct_section *to) {
    uint32_t *index = ct_arena_take(&patch->arena, from->num_instances * sizeof *index);
    unsigned char *data = ct_arena_take(&patch->arena, from->size);
    *to = *from;
    to->entity_index = index;
    to->data = data;
    to->num_instances = to->size = 0;
    if (index == NULL || data == NULL) return ct_message_out_of_memory(patch->message);
    const unsigned char *at = from->data;
    for (uint32_t i = 0; i < from->num_instances; ++i) {
        uint32_t size;
        memcpy(&size, at, sizeof size);
        size += (uint32_t)sizeof size;
        if (made[from->entity_index[i]]) {
            memcpy(data + to->size, at, size);
            to->size += size;
            index[to->num_instances++] = from->entity_index[i];
        }
        at += size;
    }
    return CT_OK;
}

static ct_status spawn_opaque(ct_patch *patch, uint32_t s, uint32_t copy) {
    const ct_host *host = patch->world->host;
    uint32_t count = patch->next->num_entities;
    ct_section section;
    ct_status status = pick_instances(patch, &patch->next->sections[s],
                                      patch->made + (size_t)copy * count, &section);
    if (status != CT_OK || section.num_instances == 0) return status;
    patch->host_ran = true;
    patch->message->text[0] = '\0';
    bool fine = host->spawn != NULL && host->spawn(patch->context, &section, 1, count,
                                                   patch->entities + (size_t)copy * count);
    return fine ? CT_OK : CT_ERR_DATA;
}

static ct_status spawn_all_opaque(ct_patch *patch) {
    ct_status status = CT_OK;
    for (uint32_t s = 0; s < patch->next->num_component_types && status == CT_OK; ++s) {
        for (uint32_t c = 0; c < patch->copies && patch->spawned_opaque[s] && status == CT_OK; ++c)
            status = spawn_opaque(patch, s, c);
    }
    return status;
}

// ---------------------------------------------------------------- all additions

// Makes the host create its data for added components, type by type.
static ct_status notify_host(ct_patch *patch) {
    const ct_host *host = patch->world->host;
    ct_entity *owners = NULL;
    uint32_t count = 0;
    ct_manager *manager = NULL;
    for (uint32_t s = 0; host != NULL && host->added != NULL && s < patch->step_count; ++s) {
        const ct_patch_step *step = &patch->steps[s];
        if (step->kind != CT_PATCH_ADD || !step->done || step->manager->shape->hosted == NULL)
            continue;
        if (owners == NULL)
            owners = ct_arena_take(&patch->arena, patch->step_count * sizeof *owners);
        if (owners == NULL) return ct_message_out_of_memory(patch->message);
        manager = step->manager; // only one type has 'hosted'
        owners[count++] = step->entity;
    }
    if (count == 0) return CT_OK;
    patch->host_ran = true;
    patch->message->text[0] = '\0';
    return host->added(patch->context, manager, count, owners) ? CT_OK : CT_ERR_DATA;
}

// Reserves what the batches of ct_patch_write need for the added rows: a failure after the host ran
// could not give back ids.
static ct_status reserve_batches(ct_patch *patch) {
    for (uint32_t m = 0; m < patch->world->manager_count; ++m) {
        ct_manager *manager = patch->world->managers[m];
        if (ct_manager_begin_batch(manager) != CT_OK)
            return ct_message_out_of_memory(patch->message);
        (void)ct_manager_end_batch(manager, NULL);
    }
    return CT_OK;
}

static ct_status keep_numbers(ct_patch *patch) {
    const ct_world *world = patch->world;
    patch->numbers = ct_arena_take(&patch->arena, world->manager_count * sizeof *patch->numbers);
    if (patch->numbers == NULL) return ct_message_out_of_memory(patch->message);
    for (uint32_t m = 0; m < world->manager_count; ++m)
        patch->numbers[m] = world->managers[m]->store.last_number;
    return CT_OK;
}

// Rolls back the ids of the additions, which no callback has seen, so that they are issued again.
static void return_ids(const ct_patch *patch) {
    const ct_world *world = patch->world;
    ct_entity_manager_rollback(world->entities, patch->created_count, patch->created);
    for (uint32_t m = 0; patch->numbers != NULL && m < world->manager_count; ++m)
        world->managers[m]->store.last_number = patch->numbers[m];
}

void ct_patch_unmake(ct_patch *patch) {
    ct_world *world = patch->world;
    ct_additions_undo(&patch->additions, patch->context);
    for (uint32_t s = patch->step_count; s-- > 0;) {
        const ct_patch_step *step = &patch->steps[s];
        if (step->kind != CT_PATCH_ADD || !step->done || world->destroyed) continue;
        if (step->is_created && patch->host_ran) continue; // removed with its entity
        ct_row row = ct_patch_row(step);
        if (row.i != CT_NO_ROW)
            ct_hooks_remove(world, step->manager, row, CT_REASON_UNDO, patch->context, NULL);
    }
    if (patch->host_ran)
        ct_spawner_undo(world, patch->context, patch->created_count, patch->created);
    else
        return_ids(patch);
    ct_additions_end(&patch->additions);
}

ct_status ct_patch_make(ct_patch *patch) {
    ct_additions_begin(&patch->additions, patch->world, patch->reason);
    ct_status status = keep_numbers(patch);
    if (status == CT_OK && patch->next != NULL) status = find_left(patch);
    if (status == CT_OK) status = add_all(patch);
    if (status == CT_OK) status = reserve_batches(patch);
    if (status == CT_OK && patch->next != NULL) status = spawn_all_opaque(patch);
    if (status == CT_OK) status = notify_host(patch);
    if (status == CT_OK) {
        patch->host_ran = patch->host_ran || patch->additions.count > 0;
        patch->message->text[0] = '\0';
        if (!ct_additions_notify(&patch->additions, patch->context)) status = CT_ERR_DATA;
    }
    if (status == CT_OK && patch->world->destroyed) {
        ct_message_set(patch->message, "world is destroyed");
        status = CT_ERR_OVER;
    }
    if (status != CT_OK) ct_patch_unmake(patch);
    return status;
}
