// What a patch is to do: what spawns would write from the old resource and from the new one is
// compared, component by component. Knows nothing of how it is done.
#include "level/patch_internal.h"

#include "base/message.h"
#include "resource/differ.h"
#include "storage/manager_check.h"

#include <string.h>

// ---------------------------------------------------------------- who is who

// Matched ones are who they were; new ones come, unless who is above has gone: then they have its
// place among the dead.
static void identify(const ct_patch_copy *p) {
    ct_patch *patch = p->patch;
    const ct_resource *fresh = patch->fresh;
    for (uint32_t j = 0; j < fresh->num_entities; ++j) {
        uint32_t place = p->fresh_from + j, i = patch->match.old_of[j];
        uint32_t above = fresh->parent_index[j];
        bool stands = above == CT_RESOURCE_NO_PARENT || patch->made[p->fresh_from + above] ||
                      ct_patch_lives(p, ct_patch_fresh_entity(p, above));
        patch->made[place] = i == CT_MATCH_NONE && stands;
        if (patch->made[place])
            patch->newcomer_count++;
        else if (i != CT_MATCH_NONE)
            patch->entities[place] = ct_patch_old_entity(p, i);
        else
            patch->entities[place].id = patch->entities[p->fresh_from + above].id | 0x80000000u;
    }
}

static void find_leavers(const ct_patch_copy *p) {
    ct_patch *patch = p->patch;
    for (uint32_t i = 0; patch->level->count > 0 && i < patch->old->num_entities; ++i) {
        if (patch->match.fresh_of[i] == CT_MATCH_NONE &&
            ct_patch_lives(p, ct_patch_old_entity(p, i)))
            patch->leavers[patch->leaver_count++] = ct_patch_old_entity(p, i);
    }
}

static ct_patch_copy copy_of(ct_patch *patch, uint32_t copy) {
    return (ct_patch_copy){patch, copy * patch->old->num_entities,
                           copy * patch->fresh->num_entities};
}

static ct_status make_newcomers(ct_patch *patch) {
    ct_entity_manager *entities = patch->world->entities;
    uint32_t all = patch->copies * patch->fresh->num_entities, next = 0;
    ct_status status = ct_entity_manager_create(entities, patch->newcomer_count, patch->newcomers);
    if (status != CT_OK) {
        patch->newcomer_count = 0;
        if (status == CT_ERR_MEMORY) return ct_patch_fail_memory(patch);
        ct_message_set(patch->message, "entity manager is full (%u alive)",
                       ct_entity_manager_count(entities));
        return status;
    }
    for (uint32_t place = 0; place < all; ++place) {
        if (patch->made[place]) patch->entities[place] = patch->newcomers[next++];
    }
    return CT_OK;
}

// ---------------------------------------------------------------- components

static bool is_issued(const ct_trial *trial, const ct_manager *manager, uint32_t id) {
    uint32_t m = 0;
    while (trial->world->managers[m] != manager)
        m++;
    return (id & CT_ID_IS_STRING) == 0 && id > trial->above[m];
}

// The next row with an issued id, from '*at' on, which goes on behind it.
static ct_row next_issued(const ct_trial *trial, const ct_manager *manager, ct_row *at) {
    ct_row row = *at;
    while (row.i != CT_NO_ROW && !is_issued(trial, manager, ct_store_id(&manager->store, row)))
        row = ct_store_next(&manager->store, row);
    *at = row.i != CT_NO_ROW ? ct_store_next(&manager->store, row) : row;
    return row;
}

// The row of an entity of a trial with an id that was given.
static ct_row row_of_id(const ct_trial *trial, ct_manager *manager, ct_entity e, uint32_t id) {
    if (is_issued(trial, manager, id)) return (ct_row){CT_NO_ROW};
    return ct_store_find_id(&manager->store, e, id);
}

// The components of one entity in a manager, in both trials and here. Of rows with issued ids the
// first in one trial is the same component as the first in the other, and the first here of those
// with numbers that were not given, and so on: 'at' is where the next ones are looked for.
typedef struct likeness {
    ct_manager *manager;
    const ct_trial *trial; // whose rows are gone through
    const ct_trial *other;
    const ct_trial *before; // one of them
    ct_entity in_other, in_before, here;
    ct_row first_in_other, at_in_other, at_here;
} likeness;

static likeness likeness_of(const ct_patch_copy *p, ct_manager *manager, bool forward, uint32_t i,
                            uint32_t j) {
    const ct_patch *patch = p->patch;
    likeness l = {.manager = manager, .before = &patch->before};
    l.trial = forward ? &patch->after : &patch->before;
    l.other = forward ? &patch->before : &patch->after;
    l.in_before = patch->before.lookup[i];
    l.in_other = forward ? l.in_before : patch->after.lookup[j];
    l.here = ct_patch_fresh_entity(p, j);
    l.first_in_other = l.at_in_other = ct_store_find(&manager->store, l.in_other);
    l.at_here = ct_store_find(&manager->store, l.here);
    return l;
}

// The row of the other trial that is the same component. For each row in its order, once.
static ct_row other_row(likeness *l, ct_row row) {
    if (l->first_in_other.i == CT_NO_ROW || !l->manager->store.multiple) return l->first_in_other;
    uint32_t id = ct_store_id(&l->manager->store, row);
    if (is_issued(l->trial, l->manager, id))
        return next_issued(l->other, l->manager, &l->at_in_other);
    return row_of_id(l->other, l->manager, l->in_other, id);
}

// The id, here, of the component that a row of the trial before stands for: its own, or that of
// the next one here. 0: it has gone. For each such row in its order, once.
static uint32_t id_here(likeness *l, ct_row row) {
    const ct_store *store = &l->manager->store;
    uint32_t id = ct_store_id(store, row);
    if (!store->multiple || !is_issued(l->before, l->manager, id)) return id;
    while (l->at_here.i != CT_NO_ROW) {
        uint32_t number = ct_store_id(store, l->at_here);
        l->at_here = ct_store_next(store, l->at_here);
        if ((number & CT_ID_IS_STRING) == 0 &&
            row_of_id(l->before, l->manager, l->in_before, number).i == CT_NO_ROW)
            return number;
    }
    return 0;
}

static void hold_id(ct_patch *patch, ct_patch_step *step, uint32_t id) {
    if ((id & CT_ID_IS_STRING) == 0) return;
    step->held.ref = id & ~CT_ID_IS_STRING;
    ct_string_pool_pin(&patch->world->strings, step->held);
}

static ct_status plan_add(const ct_patch_copy *p, ct_manager *manager, uint32_t j, ct_row after) {
    ct_patch *patch = p->patch;
    ct_patch_step *step = ct_patch_add_step(patch, CT_PATCH_ADD, manager, p->fresh_from + j);
    if (step == NULL) return CT_ERR_MEMORY;
    step->newcomer = patch->made[p->fresh_from + j];
    uint32_t id = ct_store_id(&manager->store, after);
    hold_id(patch, step, id);
    if (step->held.ref != 0 || id == CT_ID_IS_STRING)
        step->given.text = ct_string_pool_text(&patch->world->strings, step->held);
    else if (manager->store.multiple && !is_issued(&patch->after, manager, id))
        step->given.number = id;
    ct_status status = ct_patch_read_values(patch, step, 0, ct_manager_all_inputs(manager),
                                            (ct_row){CT_NO_ROW}, after);
    return status == CT_OK ? ct_patch_name_parents(p, step, CT_MATCH_NONE, j) : status;
}

static ct_status plan_set(const ct_patch_copy *p, ct_manager *manager, uint32_t j, uint32_t id,
                          ct_row before, ct_row after) {
    ct_patch *patch = p->patch;
    uint32_t parent = ct_patch_hierarchy(manager), count = patch->step_count;
    ct_patch_step *step = ct_patch_add_step(patch, CT_PATCH_SET, manager, p->fresh_from + j);
    if (step == NULL) return CT_ERR_MEMORY;
    step->id = id;
    hold_id(patch, step, id);
    ct_status status = ct_patch_read_values(patch, step, 0, parent, before, after);
    if (status == CT_OK && parent < manager->input_count)
        status = ct_patch_read_values(patch, step, parent + 1, manager->input_count, before, after);
    if (status != CT_OK || step->value_count > 0) return status;
    if (step->held.ref != 0) ct_string_pool_unpin(&patch->world->strings, step->held);
    patch->step_count = count;
    return CT_OK;
}

static ct_status plan_remove(const ct_patch_copy *p, ct_manager *manager, uint32_t j, uint32_t id) {
    ct_patch_step *step = ct_patch_add_step(p->patch, CT_PATCH_REMOVE, manager, p->fresh_from + j);
    if (step == NULL) return CT_ERR_MEMORY;
    step->id = id;
    hold_id(p->patch, step, id);
    return CT_OK;
}

// Whether the entity has a component like that of a row of the trial after: a script added it.
static bool has_like(const ct_trial *after, ct_manager *manager, ct_entity e, ct_row row) {
    ct_store *store = &manager->store;
    uint32_t id = ct_store_id(store, row);
    if (!store->multiple) return ct_store_find(store, e).i != CT_NO_ROW;
    return !is_issued(after, manager, id) && ct_store_find_id(store, e, id).i != CT_NO_ROW;
}

// All components of an entity that has been there, in a manager.
static ct_status plan_matched(const ct_patch_copy *p, ct_manager *manager, uint32_t i, uint32_t j) {
    const ct_patch *patch = p->patch;
    const ct_store *store = &manager->store;
    ct_entity e = ct_patch_fresh_entity(p, j);
    ct_status status = CT_OK;
    likeness l = likeness_of(p, manager, true, i, j);
    for (ct_row row = ct_store_find(store, patch->after.lookup[j]);
         row.i != CT_NO_ROW && status == CT_OK; row = ct_store_next(store, row)) {
        ct_row before = other_row(&l, row);
        if (before.i == CT_NO_ROW) {
            if (!has_like(&patch->after, manager, e, row)) status = plan_add(p, manager, j, row);
            continue;
        }
        uint32_t id = id_here(&l, before);
        status = plan_set(p, manager, j, id, before, row);
        if (status == CT_OK) status = ct_patch_plan_link(p, manager, i, j, before, row);
    }
    l = likeness_of(p, manager, false, i, j);
    for (ct_row row = ct_store_find(store, patch->before.lookup[i]);
         row.i != CT_NO_ROW && status == CT_OK; row = ct_store_next(store, row)) {
        uint32_t id = id_here(&l, row);
        if (other_row(&l, row).i == CT_NO_ROW) status = plan_remove(p, manager, j, id);
    }
    return status;
}

static ct_status plan_entity(const ct_patch_copy *p, ct_manager *manager, uint32_t j) {
    const ct_patch *patch = p->patch;
    const ct_store *store = &manager->store;
    uint32_t i = patch->match.old_of[j];
    if (!ct_patch_lives(p, ct_patch_fresh_entity(p, j))) return CT_OK;
    if (i != CT_MATCH_NONE) return plan_matched(p, manager, i, j);
    ct_status status = CT_OK;
    for (ct_row row = ct_store_find(store, patch->after.lookup[j]);
         row.i != CT_NO_ROW && status == CT_OK; row = ct_store_next(store, row))
        status = plan_add(p, manager, j, row);
    return status;
}

static ct_status compare(const ct_patch_copy *p) {
    const ct_patch *patch = p->patch;
    const ct_world *world = patch->world;
    ct_status status = CT_OK;
    for (uint32_t m = 0; m < world->manager_count && status == CT_OK; ++m) {
        ct_manager *manager = world->managers[m];
        ct_manager_flush_deaths(manager);
        for (uint32_t k = 0; k < patch->differing_count && status == CT_OK; ++k)
            status = plan_entity(p, manager, patch->differing[k]);
    }
    return status == CT_OK ? CT_OK : ct_patch_fail_memory(patch);
}

// ---------------------------------------------------------------- trials

// Whom references mean.
static void name_meant(const ct_patch_copy *p) {
    ct_patch *patch = p->patch;
    uint32_t old = patch->old->num_entities, fresh = patch->fresh->num_entities;
    for (uint32_t i = 0; i < old; ++i) {
        ct_entity e = ct_patch_old_entity(p, i);
        if (e.id != CT_NOBODY) e.id &= 0x7FFFFFFFu;
        patch->before.lookup[old + i] = e;
    }
    for (uint32_t j = 0; j < fresh; ++j)
        patch->after.lookup[fresh + j] = ct_patch_fresh_entity(p, j);
}

static ct_status plan_copy(ct_patch *patch, uint32_t copy) {
    const ct_patch_copy p = copy_of(patch, copy);
    if (patch->before.count == 0 && patch->after.count == 0) return CT_OK;
    if (patch->level->options.copies != NULL && patch->level->options.copies->poses != NULL)
        patch->options.pose = &patch->level->options.copies->poses[copy];
    name_meant(&p);
    ct_status status = ct_trial_begin(&patch->before, patch->message);
    if (status != CT_OK) return status;
    status = ct_trial_begin(&patch->after, patch->message);
    if (status == CT_OK) {
        status = compare(&p);
        ct_trial_end(&patch->after);
    }
    ct_trial_end(&patch->before);
    return status;
}

static ct_status find_differences(ct_patch *patch) {
    const ct_differ differ = {patch->world, &patch->match, patch->level->skipped,
                              patch->options.overrides, patch->options.override_count};
    if (ct_differ_mark(&differ, patch->fresh_marks, patch->old_marks) != CT_OK)
        return CT_ERR_MEMORY;
    uint32_t count = patch->fresh->num_entities;
    patch->differing = ct_arena_take(&patch->arena, count * sizeof *patch->differing);
    if (patch->differing == NULL) return CT_ERR_MEMORY;
    for (uint32_t j = 0; j < count; ++j) {
        if (patch->fresh_marks[j]) patch->differing[patch->differing_count++] = j;
    }
    patch->before = (ct_trial){.world = patch->world,
                               .resource = patch->old,
                               .options = &patch->options,
                               .members = patch->old_marks,
                               .skipped = patch->level->skipped};
    patch->after = (ct_trial){.world = patch->world,
                              .resource = patch->fresh,
                              .options = &patch->options,
                              .members = patch->fresh_marks};
    ct_status status = ct_trial_init(&patch->before);
    return status == CT_OK ? ct_trial_init(&patch->after) : status;
}

ct_status ct_patch_plan(ct_patch *patch) {
    for (uint32_t copy = 0; copy < patch->copies; ++copy) {
        const ct_patch_copy p = copy_of(patch, copy);
        identify(&p);
        find_leavers(&p);
    }
    ct_status status = make_newcomers(patch);
    if (status != CT_OK) return status;
    status = find_differences(patch);
    if (status != CT_OK) status = ct_patch_fail_memory(patch);
    for (uint32_t copy = 0; copy < patch->copies && status == CT_OK; ++copy)
        status = plan_copy(patch, copy);
    if (patch->before.world != NULL) ct_trial_free(&patch->before);
    if (patch->after.world != NULL) ct_trial_free(&patch->after);
    if (status == CT_OK) return CT_OK;
    ct_entity_manager_rollback(patch->world->entities, patch->newcomer_count, patch->newcomers);
    patch->newcomer_count = 0;
    return status;
}
