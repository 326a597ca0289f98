// Plan of a patch: compares the components that a spawn creates from the old and the new resource,
// one by one.
#include "level/patch_internal.h"

#include "base/message.h"
#include "storage/manager_access.h"

#include <string.h>

// ---------------------------------------------------------------- matched entities

// Matched entities keep their identity. Unmatched entities are created, unless their parent was
// destroyed.
static void identify(const ct_patch_copy *p) {
    ct_patch *patch = p->patch;
    const ct_resource *next = patch->next;
    for (uint32_t j = 0; j < next->num_entities; ++j) {
        uint32_t place = p->next_from + j, i = patch->match.old_of[j];
        uint32_t above = next->parent_index[j];
        bool stands = above == CT_RESOURCE_NO_PARENT || patch->made[p->next_from + above] ||
                      ct_patch_is_alive(p, ct_patch_next_entity(p, above));
        patch->made[place] = i == CT_MATCH_NONE && stands;
        if (patch->made[place])
            patch->created_count++;
        else if (i != CT_MATCH_NONE)
            patch->entities[place] = ct_patch_old_entity(p, i);
        else
            patch->entities[place].id = patch->entities[p->next_from + above].id | 0x80000000u;
    }
}

static void find_removed(const ct_patch_copy *p) {
    ct_patch *patch = p->patch;
    for (uint32_t i = 0; patch->level->count > 0 && i < patch->old->num_entities; ++i) {
        if (patch->match.next_of[i] == CT_MATCH_NONE &&
            ct_patch_is_alive(p, ct_patch_old_entity(p, i)))
            patch->removed[patch->removed_count++] = ct_patch_old_entity(p, i);
    }
}

static ct_patch_copy copy_of(ct_patch *patch, uint32_t copy) {
    return (ct_patch_copy){patch, copy * patch->old->num_entities,
                           copy * patch->next->num_entities};
}

static ct_status create_entities(ct_patch *patch) {
    uint32_t all = patch->copies * patch->next->num_entities, next = 0;
    ct_status status = ct_patch_create_entities(patch, patch->created_count);
    for (uint32_t place = 0; place < all && status == CT_OK; ++place) {
        if (patch->made[place]) patch->entities[place] = patch->created[next++];
    }
    return status;
}

// ---------------------------------------------------------------- components

// Returns the next shadow row with an issued id from '*at' on, and moves '*at' to the row after it.
static ct_row next_issued(const ct_store *store, ct_row *at) {
    ct_row row = *at;
    while (row.i != CT_NO_ROW && !ct_patch_is_issued(ct_store_id(store, row)))
        row = ct_store_next(store, row);
    *at = row.i != CT_NO_ROW ? ct_store_next(store, row) : row;
    return row;
}

// The components of one entity in a manager: in both versions and in the level. Rows with issued
// ids are matched by order: the first of one version with the first of the other and with the
// first in the level that has no given number, and so on. 'at_other' and 'at_here' are the next
// candidates.
typedef struct component_match {
    ct_manager *manager;
    ct_manager *shadowed;
    ct_entity in_before, in_after, here;
    ct_row before, after; // the first rows
    ct_row at_other, at_here;
} component_match;

static component_match match_of(const ct_patch_copy *p, ct_manager *manager, uint32_t i,
                                uint32_t j) {
    const ct_patch *patch = p->patch;
    component_match l = {.manager = manager, .shadowed = patch->shadowed};
    l.in_before = patch->before.entities[i];
    l.in_after = patch->after.entities[j];
    l.here = ct_patch_next_entity(p, j);
    l.before = ct_store_find(&l.shadowed->store, l.in_before);
    l.after = ct_store_find(&l.shadowed->store, l.in_after);
    return l;
}

// Starts the iteration over the rows of one version, and returns its first row.
static ct_row begin_rows(component_match *l, bool after) {
    l->at_other = after ? l->before : l->after;
    if (l->manager->store.multiple) l->at_here = ct_store_find(&l->manager->store, l->here);
    return after ? l->after : l->before;
}

// Returns the row of the same component in the other version. Must be called once for each row, in
// order.
static ct_row other_row(component_match *l, ct_row row, bool after) {
    ct_store *store = &l->shadowed->store;
    ct_row first = after ? l->before : l->after;
    if (first.i == CT_NO_ROW || !store->multiple) return first;
    uint32_t id = ct_store_id(store, row);
    if (ct_patch_is_issued(id)) return next_issued(store, &l->at_other);
    return ct_store_find_id(store, after ? l->in_before : l->in_after, id);
}

static ct_status plan_add(const ct_patch_copy *p, ct_manager *manager, uint32_t j, ct_row after) {
    ct_patch *patch = p->patch;
    ct_patch_step *step = ct_patch_add_step(patch, CT_PATCH_ADD, manager, p->next_from + j);
    if (step == NULL) return CT_ERR_MEMORY;
    step->is_created = patch->made[p->next_from + j];
    ct_status status = ct_patch_give_id(patch, step, ct_patch_given_id(patch->shadowed, after));
    if (status != CT_OK) return status;
    status = ct_patch_read_values(patch, step, 0, ct_manager_all_inputs(manager),
                                  (ct_row){CT_NO_ROW}, after);
    return status == CT_OK ? ct_patch_name_parents(p, step, CT_MATCH_NONE, j) : status;
}

static ct_status plan_set(const ct_patch_copy *p, ct_manager *manager, uint32_t j, uint32_t id,
                          ct_row before, ct_row after) {
    ct_patch *patch = p->patch;
    uint32_t parent = ct_manager_hierarchy(manager), count = patch->step_count;
    ct_patch_step *step = ct_patch_add_step(patch, CT_PATCH_SET, manager, p->next_from + j);
    if (step == NULL) return CT_ERR_MEMORY;
    ct_status status = ct_patch_read_values(patch, step, 0, parent, before, after);
    if (status == CT_OK && parent < manager->input_count)
        status = ct_patch_read_values(patch, step, parent + 1, manager->input_count, before, after);
    if (step->value_count > 0 || status != CT_OK)
        ct_patch_set_id(patch, step, id);
    else
        patch->step_count = count;
    return status;
}

static ct_status plan_remove(const ct_patch_copy *p, ct_manager *manager, uint32_t j, uint32_t id) {
    ct_patch_step *step = ct_patch_add_step(p->patch, CT_PATCH_REMOVE, manager, p->next_from + j);
    if (step == NULL) return CT_ERR_MEMORY;
    ct_patch_set_id(p->patch, step, id);
    return CT_OK;
}

// Returns true if the entity already has the component of a row of the new version, because a
// script added it.
static bool has_like(const component_match *l, ct_row row) {
    ct_store *store = &l->manager->store;
    if (!store->multiple) return ct_store_find(store, l->here).i != CT_NO_ROW;
    const ct_component_id given = ct_patch_given_id(l->shadowed, row);
    uint32_t id = ct_manager_find_id(l->manager, &given);
    return id != 0 && ct_store_find_id(store, l->here, id).i != CT_NO_ROW;
}

// Plans all components of a matched entity in a manager.
static ct_status plan_matched(const ct_patch_copy *p, ct_manager *manager, uint32_t i, uint32_t j) {
    component_match l = match_of(p, manager, i, j);
    const ct_store *store = &l.shadowed->store;
    ct_status status = CT_OK;
    for (ct_row row = begin_rows(&l, true); row.i != CT_NO_ROW && status == CT_OK;
         row = ct_store_next(store, row)) {
        ct_row before = other_row(&l, row, true);
        if (before.i == CT_NO_ROW) {
            if (!has_like(&l, row)) status = plan_add(p, manager, j, row);
            continue;
        }
        uint32_t id = ct_patch_id_here(l.manager, l.shadowed, l.in_before, before, &l.at_here);
        status = plan_set(p, manager, j, id, before, row);
        if (status == CT_OK) status = ct_patch_plan_link(p, manager, i, j, before, row);
    }
    for (ct_row row = begin_rows(&l, false); row.i != CT_NO_ROW && status == CT_OK;
         row = ct_store_next(store, row)) {
        uint32_t id = ct_patch_id_here(l.manager, l.shadowed, l.in_before, row, &l.at_here);
        if (other_row(&l, row, false).i == CT_NO_ROW) status = plan_remove(p, manager, j, id);
    }
    return status;
}

// Returns true if two rows have the same bytes in all fields.
static bool has_same_fields(ct_manager *shadowed, ct_row a, ct_row b) {
    for (uint32_t f = 0; f < shadowed->field_count; ++f) {
        const ct_field *field = &shadowed->fields[f];
        size_t bytes = ct_field_info_of(field->type)->bytes;
        unsigned char copy[CT_MAX_ITEM_BYTES];
        const void *one = ct_manager_column_item(shadowed, f, a);
        if (field->computed) one = memcpy(copy, one, bytes); // valid until the next call
        if (memcmp(one, ct_manager_column_item(shadowed, f, b), bytes) != 0) return false;
    }
    return true;
}

// Returns true if an entity has the same components in both versions, apart from links. This check
// is cheap and true for most entities; otherwise the inputs are compared.
static bool is_same(ct_manager *shadowed, ct_row before, ct_row after) {
    const ct_store *store = &shadowed->store;
    if (shadowed->type == &ct_grid_type) return false; // cells are not a field
    while (before.i != CT_NO_ROW && after.i != CT_NO_ROW) {
        uint32_t old = ct_store_id(store, before), next = ct_store_id(store, after);
        if (old != next && !(ct_patch_is_issued(old) && ct_patch_is_issued(next))) return false;
        if (!has_same_fields(shadowed, before, after)) return false;
        before = ct_store_next(store, before);
        after = ct_store_next(store, after);
    }
    return before.i == after.i;
}

static ct_status plan_entity(const ct_patch_copy *p, ct_manager *manager, uint32_t j) {
    const ct_patch *patch = p->patch;
    const ct_store *store = &patch->shadowed->store;
    uint32_t i = patch->match.old_of[j];
    ct_row row = ct_store_find(store, patch->after.entities[j]), before = {CT_NO_ROW};
    if (i != CT_MATCH_NONE) before = ct_store_find(store, patch->before.entities[i]);
    if ((row.i == CT_NO_ROW && before.i == CT_NO_ROW) ||
        !ct_patch_is_alive(p, ct_patch_next_entity(p, j)))
        return CT_OK;
    if (is_same(patch->shadowed, before, row))
        return ct_patch_plan_link(p, manager, i, j, before, row);
    if (i != CT_MATCH_NONE) return plan_matched(p, manager, i, j);
    ct_status status = CT_OK;
    for (; row.i != CT_NO_ROW && status == CT_OK; row = ct_store_next(store, row))
        status = plan_add(p, manager, j, row);
    return status;
}

const ct_section *ct_patch_section(const ct_resource *resource, const char *name) {
    for (uint32_t s = 0; s < resource->num_component_types; ++s) {
        if (strcmp(resource->sections[s].name, name) == 0) return &resource->sections[s];
    }
    return NULL;
}

static bool is_same_section(const ct_patch *patch, const char *name) {
    const ct_section *a = ct_patch_section(patch->old, name);
    const ct_section *b = ct_patch_section(patch->next, name);
    if (a == NULL || b == NULL) return a == b;
    return !patch->level->skipped[a - patch->old->sections] && a->schema == b->schema &&
           a->size == b->size && a->num_instances == b->num_instances &&
           memcmp(a->data, b->data, a->size) == 0 &&
           memcmp(a->entity_index, b->entity_index, a->num_instances * sizeof(uint32_t)) == 0;
}

static bool has_same_shape(const ct_patch *patch) {
    const ct_resource *old = patch->old, *next = patch->next;
    uint32_t count = next->num_entities, j = 0;
    if (count != old->num_entities ||
        memcmp(old->parent_index, next->parent_index, count * sizeof(uint32_t)) != 0)
        return false;
    while (j < count && patch->match.old_of[j] == j)
        j++;
    return j == count;
}

// Returns true if no row can differ, because both versions have the same bytes.
static bool is_untouched(const ct_patch *patch, const ct_manager *manager) {
    const char *late = manager->shape->layout.late_name;
    return patch->same_shape && is_same_section(patch, manager->name) &&
           (late == NULL || is_same_section(patch, late)) &&
           !ct_override_any(patch->options.overrides, patch->options.override_count, manager);
}

static ct_status compare(const ct_patch_copy *p) {
    ct_patch *patch = p->patch;
    const ct_world *world = patch->world;
    ct_status status = CT_OK;
    for (uint32_t m = 0; m < world->manager_count && status == CT_OK; ++m) {
        ct_manager *manager = world->managers[m];
        patch->shadowed = ct_world_find(patch->shadow, manager->name);
        if (ct_store_count(&patch->shadowed->store) == 0 || is_untouched(patch, manager)) continue;
        ct_manager_flush_deaths(manager);
        for (uint32_t j = 0; j < patch->next->num_entities && status == CT_OK; ++j)
            status = plan_entity(p, manager, j);
    }
    return status == CT_OK ? CT_OK : ct_message_out_of_memory(patch->message);
}

// ---------------------------------------------------------------- both versions

// Sets the entities of the level that entity fields of both versions refer to.
static void name_meant(const ct_patch_copy *p) {
    ct_patch *patch = p->patch;
    for (uint32_t i = 0; i < patch->old->num_entities; ++i) {
        ct_entity e = ct_patch_old_entity(p, i);
        if (e.id != CT_NOBODY) e.id &= 0x7FFFFFFFu;
        patch->before.meant[i] = e;
    }
    for (uint32_t j = 0; j < patch->next->num_entities; ++j)
        patch->after.meant[j] = ct_patch_next_entity(p, j);
}

static ct_status plan_copy(ct_patch *patch, uint32_t copy) {
    const ct_patch_copy p = copy_of(patch, copy);
    name_meant(&p);
    ct_status status = ct_patch_shadow_spawn(patch, copy);
    return status == CT_OK ? compare(&p) : status;
}

ct_status ct_patch_plan(ct_patch *patch) {
    for (uint32_t copy = 0; copy < patch->copies; ++copy) {
        const ct_patch_copy p = copy_of(patch, copy);
        identify(&p);
        find_removed(&p);
    }
    ct_status status = create_entities(patch);
    if (status != CT_OK) return status;
    patch->same_shape = has_same_shape(patch);
    patch->world->entities
        ->callbacks++; // plugins called for rows of the shadow must change nothing
    if (ct_patch_shadow_init(patch) != CT_OK) status = ct_message_out_of_memory(patch->message);
    for (uint32_t copy = 0; copy < patch->copies && status == CT_OK; ++copy)
        status = plan_copy(patch, copy);
    ct_patch_shadow_free(patch);
    patch->world->entities->callbacks--;
    if (status == CT_OK) return CT_OK;
    ct_entity_manager_rollback(patch->world->entities, patch->created_count, patch->created);
    patch->created_count = 0;
    return status;
}
