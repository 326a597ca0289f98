// Commit of a recorded frame to the mirror of a publisher.
#include "level/replication/record.h"

#include <stdlib.h>

// ---------------------------------------------------------------- removals

static ct_status add_removed(ct_recording *recording, ct_entity e, uint32_t type, uint32_t id) {
    ct_status status = ct_array_reserve(recording->publisher->allocator,
                                        (void **)&recording->removed, &recording->removed_capacity,
                                        recording->removed_count + 1, sizeof *recording->removed);
    if (status == CT_OK)
        recording->removed[recording->removed_count++] =
            (ct_removal_record){e, recording->frame, type, id, 0};
    return status;
}

static ct_status find_removed_entities(ct_recording *recording) {
    const ct_publication *now = recording->publisher->now;
    ct_status status = CT_OK;
    bool deaths = now->deaths != recording->publisher->world->entities->deaths;
    if (recording->admitted == NULL && !deaths && !ct_recording_restored(recording)) return CT_OK;
    for (uint32_t p = 0; p < now->mirror.count && status == CT_OK; ++p) {
        if (!ct_recording_admits(recording, now->mirror.ids[p]))
            status = add_removed(recording, now->mirror.ids[p], CT_MIRROR_NONE, 0);
    }
    return status;
}

static bool exists(const ct_mirror *mirror, ct_manager *manager, ct_entity e, uint32_t id) {
    const ct_component_id given = ct_mirror_given(mirror, id);
    if (!manager->store.multiple) return ct_store_find(&manager->store, e).i != CT_NO_ROW;
    uint32_t own = ct_manager_find_id(manager, &given);
    return own != 0 && ct_store_find_id(&manager->store, e, own).i != CT_NO_ROW;
}

// Finds the removed components of the entity that owned a row at the last frame.
static ct_status find_removed_of(ct_recording *recording, uint32_t type, uint32_t row) {
    const ct_publication *now = recording->publisher->now;
    const ct_watched *watched = &now->watched[type];
    const ct_mirror *mirror = &now->mirror;
    ct_entity e;
    memcpy(&e, watched->copy + (size_t)row * sizeof e, sizeof e); // the first column
    uint32_t place = ct_mirror_find(mirror, e);
    ct_status status = CT_OK;
    if (place == CT_MIRROR_NONE || !ct_recording_admits(recording, e)) return CT_OK;
    if (!ct_recording_visit(recording, e, CT_PASS_REMOVED + type)) return CT_OK;
    uint32_t c = ct_mirror_first_of(mirror, place, type);
    for (; c != CT_MIRROR_NONE && mirror->components[c].type == type && status == CT_OK;
         c = mirror->components[c].next) {
        if (!exists(mirror, watched->manager, e, mirror->components[c].id))
            status = add_removed(recording, e, type, mirror->components[c].id);
    }
    return status;
}

ct_status ct_recording_find_removed(ct_recording *recording) {
    const ct_publication *now = recording->publisher->now;
    ct_status status = find_removed_entities(recording);
    for (uint32_t i = 0; i < recording->row_count && status == CT_OK; ++i) {
        const ct_recorded_row *at = &recording->rows[i];
        const ct_watched *watched = &now->watched[at->type];
        if (at->row < watched->count && ct_watched_has_replaced(watched, at->row))
            status = find_removed_of(recording, at->type, at->row);
    }
    for (uint32_t t = 0; t < now->watched_count && status == CT_OK; ++t) {
        const ct_watched *watched = &now->watched[t];
        uint32_t row = ct_store_count(&watched->manager->store);
        for (; row < watched->count && status == CT_OK; ++row)
            status = find_removed_of(recording, t, row);
    }
    return status;
}

// ---------------------------------------------------------------- room

// Lists the entities that the mirror does not have yet, each once.
static ct_status list_new(ct_recording *recording, ct_entity **out, uint32_t *count) {
    const ct_publisher *publisher = recording->publisher;
    *out = NULL;
    *count = 0;
    for (uint32_t i = 0; i < recording->item_count; ++i) {
        ct_entity e = recording->items[i].entity;
        if (recording->items[i].component != CT_MIRROR_NONE ||
            ct_mirror_find(&publisher->now->mirror, e) != CT_MIRROR_NONE)
            continue;
        if (*out == NULL)
            *out = ct_scratch_take(&recording->memory, recording->item_count * sizeof **out);
        if (*out == NULL) return CT_ERR_MEMORY;
        if (ct_recording_visit(recording, e, CT_PASS_NEW)) (*out)[(*count)++] = e;
    }
    return CT_OK;
}

ct_status ct_recording_reserve(ct_recording *recording) {
    ct_publication *now = recording->publisher->now;
    ct_mirror *mirror = &now->mirror;
    uint32_t added[CT_MAX_PUBLISHED] = {0}, count;
    ct_entity *entities;
    ct_status status = list_new(recording, &entities, &count);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < recording->item_count; ++i)
        added[recording->items[i].type] += recording->items[i].component == CT_MIRROR_NONE;
    status = ct_mirror_reserve(mirror, entities, count, added);
    if (status != CT_OK) return status;
    for (uint32_t t = 0; t < now->watched_count && status == CT_OK; ++t) {
        const ct_manager *manager = now->watched[t].manager;
        if (manager->type == &ct_transform_type)
            status = ct_array_reserve(mirror->allocator, (void **)&now->nodes, &now->node_capacity,
                                      ct_transform_attached_count(manager), sizeof *now->nodes);
    }
    if (status != CT_OK) return status;
    // An entity without components is removed, too.
    return ct_array_reserve(mirror->allocator, (void **)&now->removals, &now->removal_capacity,
                            now->removal_count + 2 * recording->removed_count,
                            sizeof *now->removals);
}

// ---------------------------------------------------------------- commit

static void forget_old_removals(ct_publication *now, uint32_t frame, uint32_t keep) {
    uint32_t old = 0;
    for (; old < now->removal_count && frame - now->removals[old].frame >= keep; ++old)
        ct_mirror_release_id(&now->mirror, now->removals[old].id);
    now->removal_count -= old;
    now->forgotten += old;
    if (old > 0)
        memmove(now->removals, now->removals + old, now->removal_count * sizeof *now->removals);
}

static void remove_entity(ct_publication *now, uint32_t place, uint32_t frame) {
    now->removals[now->removal_count++] =
        (ct_removal_record){now->mirror.ids[place], frame, CT_MIRROR_NONE, 0, 0};
    ct_mirror_remove(&now->mirror, place);
}

static void remove_component(ct_publication *now, const ct_removal_record *removed) {
    ct_mirror *mirror = &now->mirror;
    uint32_t c = ct_mirror_find_of(mirror, removed->entity, removed->type, removed->id);
    if (c == CT_MIRROR_NONE) return; // listed twice
    if ((removed->id & CT_ID_IS_STRING) != 0)
        ct_string_pool_retain(&mirror->strings, (ct_string){removed->id & ~CT_ID_IS_STRING}, 1);
    uint32_t place = mirror->components[c].place, number = now->forgotten + now->removal_count;
    now->removals[now->removal_count] = *removed;
    now->removals[now->removal_count++].before = mirror->entities[place].lost;
    ct_mirror_remove_component(mirror, c);
    mirror->entities[place].changed = removed->frame;
    mirror->entities[place].lost = number;
    if (mirror->entities[place].first == CT_MIRROR_NONE) remove_entity(now, place, removed->frame);
}

// Finds or adds the component of a recorded one. A new one may be recorded twice.
static ct_mirror_component *find_component(ct_mirror *mirror, const ct_recorded *item,
                                           uint32_t frame) {
    uint32_t c = item->component;
    if (c == CT_MIRROR_NONE) c = ct_mirror_find_of(mirror, item->entity, item->type, item->id);
    if (c != CT_MIRROR_NONE) {
        ct_mirror_release_id(mirror, item->id);
        return &mirror->components[c];
    }
    uint32_t place = ct_mirror_find(mirror, item->entity);
    if (place == CT_MIRROR_NONE) place = ct_mirror_add(mirror, item->entity, frame);
    mirror->entities[place].changed = frame;
    return &mirror->components[ct_mirror_add_component(mirror, place, item->type, item->id, frame)];
}

static void commit_item(ct_mirror *mirror, const ct_recorded *item, uint32_t frame) {
    const ct_published_type *type = &mirror->published->types[item->type];
    ct_mirror_component *component = find_component(mirror, item, frame);
    unsigned char *items = ct_mirror_items(mirror, component);
    uint32_t *stamps = ct_mirror_stamps(mirror, component);
    for (uint32_t f = 0; f < type->field_count; ++f) {
        const ct_published_field *field = &type->fields[f];
        uint64_t bit = UINT64_C(1) << f;
        bool has = (item->present & bit) != 0, had = (component->present & bit) != 0;
        const unsigned char *next = item->items + field->place;
        bool same = has == had && (!has || ct_mirror_same(field, items + field->place, next));
        if (same && component->created != frame) {
            ct_mirror_release(mirror, type, item->items, item->present & bit);
            continue;
        }
        ct_mirror_put(mirror, component, f, has ? next : NULL);
        stamps[f] = mirror->entities[component->place].changed = frame;
    }
}

static void commit_nodes(ct_publication *now) {
    for (uint32_t t = 0; t < now->watched_count; ++t) {
        const ct_manager *manager = now->watched[t].manager;
        if (manager->type != &ct_transform_type) continue;
        now->node_count = ct_transform_attached_count(manager);
        if (now->node_count == 0) continue;
        ct_transform_copy_nodes(manager, now->nodes);
        qsort(now->nodes, now->node_count, sizeof *now->nodes, ct_u32_compare);
    }
}

const float *ct_publication_node(const ct_publication *publication, ct_entity owner) {
    const ct_attached_node *found = NULL;
    if (publication->node_count > 0)
        found = bsearch(&owner, publication->nodes, publication->node_count, sizeof *found,
                        ct_u32_compare);
    return found != NULL ? found->matrix : NULL;
}

void ct_recording_commit(ct_recording *recording) {
    const ct_publisher *publisher = recording->publisher;
    ct_publication *now = publisher->now;
    forget_old_removals(now, recording->frame, publisher->options.keep);
    for (uint32_t i = 0; i < recording->removed_count; ++i) {
        const ct_removal_record *removed = &recording->removed[i];
        if (removed->type == CT_MIRROR_NONE)
            remove_entity(now, ct_mirror_find(&now->mirror, removed->entity), recording->frame);
    }
    for (uint32_t i = 0; i < recording->item_count; ++i)
        commit_item(&now->mirror, &recording->items[i], recording->frame);
    recording->item_count = 0; // the mirror holds everything
    for (uint32_t i = 0; i < recording->removed_count; ++i) {
        if (recording->removed[i].type != CT_MIRROR_NONE)
            remove_component(now, &recording->removed[i]);
    }
    commit_nodes(now);
    now->deaths = publisher->world->entities->deaths;
}
