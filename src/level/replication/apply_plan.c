// Plan of a message, and its execution: local entities, steps, and the room in the mirror.
#include "base/message.h"
#include "level/replication/apply.h"
#include "storage/id_index.h"

// ---------------------------------------------------------------- records

ct_status ct_apply_reserve_records(ct_apply *apply, uint32_t count) {
    const size_t room = count + (size_t)1;
    apply->ids = ct_scratch_take(&apply->memory, room * sizeof *apply->ids);
    apply->records = ct_scratch_take(&apply->memory, room * sizeof *apply->records);
    apply->planned = ct_scratch_take(&apply->memory, room * sizeof *apply->planned);
    if (apply->ids == NULL || apply->records == NULL || apply->planned == NULL)
        return CT_ERR_MEMORY;
    return ct_entity_map_reserve_count(&apply->map, apply->subscriber->allocator, apply->ids, count,
                                       CT_MAX_ENTITIES);
}

bool ct_apply_plan_record(ct_apply *apply, uint32_t record) {
    uint32_t index = ct_entity_index(apply->ids[record]);
    if (ct_entity_map_find(&apply->map, apply->ids, index) != CT_NO_ROW) return false;
    ct_entity_map_enter(&apply->map, apply->ids, index, record);
    apply->planned[apply->planned_count++] = record;
    return true;
}

static bool is_of(const ct_received *item, uint32_t record, uint32_t type, uint32_t id) {
    return item->record == record && item->type == type && item->id == id;
}

static uint32_t hash_of(const ct_apply *apply, uint32_t record, uint32_t type, uint32_t id) {
    return ct_id_hash(apply->ids[record], id ^ type << 24);
}

static uint32_t hash_item(const void *keys, uint32_t i) {
    const ct_apply *apply = keys;
    const ct_received *item = &apply->items[i];
    return hash_of(apply, item->record, item->type, item->id);
}

static const ct_received *find_indexed(const ct_apply *apply, uint32_t record, uint32_t type,
                                       uint32_t id) {
    uint32_t hash = hash_of(apply, record, type, id), at = ct_table_home(&apply->index, hash), i;
    do
        i = ct_table_next(&apply->index, hash, &at);
    while (i != CT_TABLE_NONE && !is_of(&apply->items[i], record, type, id));
    return i != CT_TABLE_NONE ? &apply->items[i] : NULL;
}

const ct_received *ct_apply_find_item(const ct_apply *apply, const ct_received_entity *record,
                                      uint32_t type, uint32_t id) {
    uint32_t r = (uint32_t)(record - apply->records);
    if (record->count > CT_FEW_COMPONENTS) return find_indexed(apply, r, type, id);
    const ct_received *item = &apply->items[record->first], *end = item + record->count;
    while (item != end && !is_of(item, r, type, id))
        item++;
    return item != end ? item : NULL;
}

// Adds an item to the table, unless the record removes the component twice.
static ct_status enter(ct_apply *apply, uint32_t i) {
    const ct_received *item = &apply->items[i];
    if (find_indexed(apply, item->record, item->type, item->id) != NULL) return CT_OK;
    if (!ct_table_reserve(&apply->index, apply->subscriber->allocator, 1, hash_item, apply))
        return CT_ERR_MEMORY;
    ct_table_add(&apply->index, hash_item(apply, i), i);
    return CT_OK;
}

ct_status ct_apply_enter_item(ct_apply *apply) {
    const ct_received_entity *record = &apply->records[apply->record_count - 1];
    uint32_t i = apply->item_count - 1;
    ct_status status = CT_OK;
    if (record->count <= CT_FEW_COMPONENTS) return CT_OK;
    if (record->count == CT_FEW_COMPONENTS + 1) i = record->first; // the others are not there yet
    for (; i < apply->item_count && status == CT_OK; ++i)
        status = enter(apply, i);
    return status;
}

// ---------------------------------------------------------------- entities

static bool is_alive(const ct_apply *apply, ct_entity e) {
    return ct_entity_manager_alive(apply->subscriber->world->entities, e);
}

// Counts the local entities that are missing. Those that a script destroyed are created again.
static uint32_t count_made(const ct_apply *apply) {
    uint32_t made = 0;
    for (uint32_t i = 0; i < apply->planned_count; ++i) {
        ct_received_entity *record = &apply->records[apply->planned[i]];
        record->made = !is_alive(apply, record->local);
        made += record->made;
    }
    return made;
}

static ct_status create_entities(ct_apply *apply) {
    ct_patch *patch = &apply->patch;
    uint32_t count = count_made(apply), next = 0;
    patch->created = ct_scratch_take(&apply->memory, (count + (size_t)1) * sizeof(ct_entity));
    if (patch->created == NULL) return CT_ERR_MEMORY;
    if (count == 0) return CT_OK;
    ct_status status = ct_patch_create_entities(patch, count);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < apply->planned_count; ++i) {
        ct_received_entity *record = &apply->records[apply->planned[i]];
        if (record->made) record->local = patch->created[next++];
    }
    return CT_OK;
}

// ---------------------------------------------------------------- values

ct_status ct_apply_want(ct_apply *apply, const ct_wanted *wanted) {
    ct_status status =
        ct_array_reserve(apply->subscriber->allocator, (void **)&apply->wanted,
                         &apply->wanted_capacity, apply->wanted_count + 1, sizeof *apply->wanted);
    if (status == CT_OK) apply->wanted[apply->wanted_count++] = *wanted;
    return status;
}

ct_wanted ct_apply_wanted(const ct_mirror *mirror, uint32_t component) {
    const ct_mirror_component *c = &mirror->components[component];
    return (ct_wanted){.local = mirror->entities[c->place].local,
                       .type = c->type,
                       .id = c->id,
                       .items = ct_mirror_items(mirror, c),
                       .present = c->present,
                       .given = c->present};
}

// Merges received values with those of the mirror, so that all are known.
static ct_status want_merged(ct_apply *apply, const ct_received *item, ct_entity local) {
    const ct_published_type *type = &apply->now->published.types[item->type];
    ct_wanted wanted = ct_apply_wanted(&apply->before->mirror, item->component);
    unsigned char *items = ct_scratch_take(&apply->memory, type->item_bytes);
    if (items == NULL) return CT_ERR_MEMORY;
    memcpy(items, wanted.items, type->item_bytes);
    for (uint32_t f = 0; f < type->field_count; ++f) {
        const ct_published_field *field = &type->fields[f];
        if ((item->present >> f & 1) != 0)
            memcpy(items + field->place, item->items + field->place, field->bytes);
    }
    wanted.local = local;
    wanted.old_items = wanted.items;
    wanted.items = items;
    wanted.present = (wanted.present & ~item->given) | item->present;
    wanted.given = item->given;
    return ct_apply_want(apply, &wanted);
}

// Adds the components that a message does not name, of an entity that a script destroyed.
static ct_status want_rest(ct_apply *apply, const ct_received_entity *record) {
    ct_status status = CT_OK;
    if (!record->made || record->place == CT_MIRROR_NONE || record->complete) return CT_OK;
    const ct_mirror *mirror = &apply->before->mirror;
    for (uint32_t c = mirror->entities[record->place].first; c != CT_MIRROR_NONE && status == CT_OK;
         c = mirror->components[c].next) {
        ct_wanted wanted = ct_apply_wanted(mirror, c);
        wanted.local = record->local;
        if (ct_apply_find_item(apply, record, wanted.type, wanted.id) == NULL)
            status = ct_apply_want(apply, &wanted);
    }
    return status;
}

static ct_status want_record(ct_apply *apply, const ct_received_entity *record) {
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < record->count && status == CT_OK; ++i) {
        const ct_received *item = &apply->items[record->first + i];
        const ct_wanted wanted = {.local = record->local,
                                  .type = item->type,
                                  .id = item->id,
                                  .items = item->items,
                                  .present = item->present,
                                  .given = item->given};
        if (item->direct) continue;
        if (item->kind == CT_CHANGE_REMOVE)
            status = ct_apply_remove(apply, &wanted);
        else if (item->kind == CT_CHANGE_SET)
            status = want_merged(apply, item, record->local);
        else
            status = ct_apply_want(apply, &wanted);
    }
    return status == CT_OK ? want_rest(apply, record) : status;
}

// ---------------------------------------------------------------- removals

static uint32_t type_named(const ct_published *published, const char *name, bool multiple) {
    uint32_t t = 0;
    while (t < published->type_count && (strcmp(published->types[t].name, name) != 0 ||
                                         published->types[t].multiple != multiple))
        t++;
    return t;
}

// Returns whether a complete record has a component of the mirror before the message.
static bool is_kept(const ct_apply *apply, const ct_received_entity *record,
                    const ct_mirror_component *component, uint32_t type) {
    const ct_mirror *before = &apply->before->mirror, *now = &apply->now->mirror;
    if (before == now || (component->id & CT_ID_IS_STRING) == 0)
        return ct_apply_find_item(apply, record, type, component->id) != NULL;
    ct_string string =
        ct_string_pool_find(&now->strings, ct_mirror_given(before, component->id).text);
    return string.ref != 0 &&
           ct_apply_find_item(apply, record, type, CT_ID_IS_STRING | string.ref) != NULL;
}

// Removes the components that a complete record does not have any more. The components of a full
// message may have other numbers of types.
static ct_status plan_removed_components(ct_apply *apply, const ct_received_entity *record) {
    ct_status status = CT_OK;
    if (!record->complete || record->place == CT_MIRROR_NONE || record->made) return CT_OK;
    const ct_mirror *mirror = &apply->before->mirror;
    for (uint32_t c = mirror->entities[record->place].first; c != CT_MIRROR_NONE && status == CT_OK;
         c = mirror->components[c].next) {
        const ct_mirror_component *component = &mirror->components[c];
        const ct_published_type *type = &apply->before->published.types[component->type];
        uint32_t t = type_named(&apply->now->published, type->name, type->multiple);
        const ct_wanted wanted = {
            .local = record->local, .type = t, .id = component->id, .names = mirror};
        if (t < apply->now->published.type_count && !is_kept(apply, record, component, t))
            status = ct_apply_remove(apply, &wanted);
    }
    return status;
}

static ct_status plan_removed(ct_apply *apply) {
    ct_patch *patch = &apply->patch;
    ct_status status = CT_OK;
    patch->removed =
        ct_scratch_take(&apply->memory, (apply->removed_count + (size_t)1) * sizeof(ct_entity));
    if (patch->removed == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < apply->removed_count; ++i)
        patch->removed[patch->removed_count++] =
            apply->subscriber->now->mirror.entities[apply->removed[i]].local;
    for (uint32_t i = 0; i < apply->planned_count && status == CT_OK; ++i)
        status = plan_removed_components(apply, &apply->records[apply->planned[i]]);
    return status;
}

// ---------------------------------------------------------------- references to arrivals

static uint64_t fields_naming(const ct_apply *apply, const ct_mirror_component *component) {
    const ct_mirror *mirror = &apply->before->mirror;
    const ct_published_type *type = &apply->now->published.types[component->type];
    uint64_t fields = 0;
    for (uint32_t f = 0; f < type->field_count; ++f) {
        ct_entity e;
        if (type->fields[f].type != CT_FIELD_ENTITY || (component->present >> f & 1) == 0) continue;
        memcpy(&e, ct_mirror_items(mirror, component) + type->fields[f].place, sizeof e);
        if (e.id == CT_NOBODY) continue;
        const ct_received_entity *record = ct_apply_record(apply, e);
        if (record != NULL && record->made) fields |= UINT64_C(1) << f;
    }
    return fields;
}

// Returns the fields of a component that the message gives, which are planned with its record.
static uint64_t given_fields(const ct_apply *apply, const ct_mirror_component *component) {
    const ct_received_entity *record =
        ct_apply_record(apply, apply->before->mirror.ids[component->place]);
    if (record == NULL) return 0;
    if (record->made) return UINT64_MAX;
    const ct_received *item = ct_apply_find_item(apply, record, component->type, component->id);
    return item != NULL ? item->given : 0;
}

static uint64_t parent_field(const ct_apply *apply, const ct_mirror_component *component) {
    const ct_published_type *type = &apply->now->published.types[component->type];
    return type->parent < type->field_count ? component->present & UINT64_C(1) << type->parent : 0;
}

// Writes the fields that name entities which this message creates. A value that a script wrote
// stays: only fields that name no living entity are written. Also makes the links that an earlier
// message could not make.
static ct_status want_references(ct_apply *apply) {
    ct_status status = CT_OK;
    bool unlinked = apply->subscriber->unlinked;
    if (apply->before == NULL || apply->base == 0) return CT_OK;
    if (apply->patch.created_count == 0 && !unlinked) return CT_OK;
    const ct_mirror *mirror = &apply->before->mirror;
    for (uint32_t c = 0; c < mirror->component_used && status == CT_OK; ++c) {
        const ct_mirror_component *component = &mirror->components[c];
        if (component->place == CT_MIRROR_NONE) continue;
        ct_wanted wanted = ct_apply_wanted(mirror, c);
        wanted.given = fields_naming(apply, component);
        if (unlinked) wanted.given |= parent_field(apply, component);
        wanted.given &= ~given_fields(apply, component);
        wanted.vacant = true;
        if (wanted.given != 0 && is_alive(apply, wanted.local))
            status = ct_apply_want(apply, &wanted);
    }
    return status;
}

// ---------------------------------------------------------------- room

static ct_status reserve_mirror(ct_apply *apply) {
    const ct_mirror *before = apply->now == apply->before ? &apply->before->mirror : NULL;
    uint32_t added[CT_MAX_PUBLISHED] = {0}, count = 0;
    ct_entity *entities =
        ct_scratch_take(&apply->memory, (apply->planned_count + (size_t)1) * sizeof *entities);
    if (entities == NULL) return CT_ERR_MEMORY;
    for (uint32_t p = 0; p < apply->planned_count; ++p) {
        const ct_received_entity *record = &apply->records[apply->planned[p]];
        uint32_t place = before != NULL ? record->place : CT_MIRROR_NONE;
        if (place == CT_MIRROR_NONE) entities[count++] = apply->ids[apply->planned[p]];
        for (uint32_t i = 0; i < record->count; ++i)
            added[apply->items[record->first + i].type] +=
                apply->items[record->first + i].kind == CT_CHANGE_CREATE;
    }
    if ((uint64_t)count + (before != NULL ? before->count : 0) >
        apply->subscriber->options.max_entities) {
        ct_message_set(apply->message, "more than %u entities",
                       apply->subscriber->options.max_entities);
        return CT_ERR_DATA;
    }
    return ct_mirror_reserve(&apply->now->mirror, entities, count, added);
}

// Lists the steps: values; then links that are removed; then other links, which could close a cycle
// with them.
static ct_status plan_wanted(ct_apply *apply) {
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < apply->wanted_count && status == CT_OK; ++i)
        status = ct_apply_component(apply, &apply->wanted[i]);
    for (uint32_t i = 0; i < apply->wanted_count && status == CT_OK; ++i)
        status = ct_apply_link(apply, &apply->wanted[i], true);
    for (uint32_t i = 0; i < apply->wanted_count && status == CT_OK; ++i)
        status = ct_apply_link(apply, &apply->wanted[i], false);
    return status;
}

static ct_status plan_all(ct_apply *apply) {
    ct_status status = reserve_mirror(apply);
    if (status == CT_OK) status = create_entities(apply);
    for (uint32_t i = 0; i < apply->planned_count && status == CT_OK; ++i)
        status = want_record(apply, &apply->records[apply->planned[i]]);
    if (status == CT_OK) status = want_references(apply);
    if (status == CT_OK) status = plan_wanted(apply);
    return status == CT_OK ? plan_removed(apply) : status;
}

ct_status ct_apply_make(ct_apply *apply) {
    ct_patch *patch = &apply->patch;
    ct_status status = plan_all(apply);
    if (status != CT_OK) {
        ct_entity_manager_rollback(apply->subscriber->world->entities, patch->created_count,
                                   patch->created);
        return status;
    }
    status = ct_patch_make(patch);
    if (status != CT_OK) return status;
    status = ct_patch_write(patch);
    if (status != CT_OK)
        ct_patch_unmake(patch);
    else
        ct_additions_end(&patch->additions);
    return status;
}
