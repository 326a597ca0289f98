// Reading of messages, which may be any bytes.
#include "base/message.h"
#include "level/replication/apply.h"

ct_status ct_apply_refuse(const ct_apply *apply) {
    ct_message_set(apply->message, "the message is damaged");
    return CT_ERR_DATA;
}

// Reads the difference of an index. Sets 'damaged' for an index out of range.
static uint32_t next_index(ct_reader *in, uint64_t difference, uint32_t before) {
    uint64_t gap = difference >> 1;
    bool back = (difference & 1) != 0;
    if (back ? gap > before : gap >= CT_MAX_ENTITIES - (uint64_t)before) in->damaged = true;
    if (in->damaged) return 0;
    return back ? before - (uint32_t)gap : before + (uint32_t)gap;
}

// ---------------------------------------------------------------- components

static ct_status read_id(ct_apply *apply, ct_reader *in, uint32_t type, uint32_t *out) {
    ct_string string;
    *out = 0;
    if (!apply->now->published.types[type].multiple) return CT_OK;
    uint64_t number = ct_packed_read(in, 2 * (uint64_t)CT_LAST_GIVEN_NUMBER);
    if (number != 1) {
        if (number < 2 || (number & 1) != 0) in->damaged = true;
        *out = (uint32_t)(number >> 1);
        return CT_OK;
    }
    ct_text text = ct_packed_read_text(in);
    if (text.length == 0) in->damaged = true;
    if (in->damaged) return CT_OK;
    ct_status status = ct_string_pool_intern(&apply->now->mirror.strings, text, &string);
    if (status == CT_OK) *out = CT_ID_IS_STRING | string.ref;
    return status;
}

static uint64_t all_fields(const ct_published_type *type) {
    return type->field_count < 64 ? (UINT64_C(1) << type->field_count) - 1 : UINT64_MAX;
}

static uint64_t read_mask(ct_reader *in, const ct_published_type *type) {
    uint64_t all = all_fields(type);
    return ct_packed_read(in, all);
}

// Adds a component of the last record. It holds nothing yet.
static ct_status add_item(ct_apply *apply, uint32_t type, uint32_t kind, ct_received **out) {
    const ct_allocator *allocator = apply->subscriber->allocator;
    ct_status status = ct_array_reserve(allocator, (void **)&apply->items, &apply->item_capacity,
                                        apply->item_count + 1, sizeof *apply->items);
    if (status != CT_OK) return status;
    ct_received *item = &apply->items[apply->item_count++];
    *item = (ct_received){.type = type, .kind = kind, .record = apply->record_count - 1};
    apply->records[apply->record_count - 1].count++;
    *out = item;
    return CT_OK;
}

// Prepares a component of the last record for its values, which are read to 'items' unless they are
// direct.
static ct_status prepare_items(ct_apply *apply, ct_reader *in, ct_received *item) {
    const ct_received_entity *record = &apply->records[apply->record_count - 1];
    const ct_mirror *mirror = &apply->now->mirror;
    uint32_t bytes = apply->now->published.types[item->type].item_bytes;
    item->component = CT_MIRROR_NONE;
    if (record->place != CT_MIRROR_NONE && apply->base > 0)
        item->component = ct_mirror_find_component(mirror, record->place, item->type, item->id);
    if (item->kind == CT_CHANGE_SET && item->component == CT_MIRROR_NONE) in->damaged = true;
    item->values = in->at;
    item->direct = !in->damaged && ct_apply_is_direct(apply, item, record->local);
    if (item->direct || in->damaged) return CT_OK;
    item->items = ct_scratch_take(&apply->memory, bytes);
    if (item->items == NULL) return CT_ERR_MEMORY;
    memset(item->items, 0, bytes);
    return CT_OK;
}

static ct_status read_items(ct_apply *apply, ct_reader *in, ct_received *item, uint64_t fields) {
    const ct_published_type *type = &apply->now->published.types[item->type];
    unsigned char unread[CT_MAX_ITEM_BYTES]; // direct values are checked here
    ct_status status = prepare_items(apply, in, item);
    for (uint32_t f = 0; f < type->field_count && fields >> f != 0; ++f) {
        if (status != CT_OK || in->damaged) break;
        const ct_published_field *field = &type->fields[f];
        if ((fields >> f & 1) == 0) continue;
        unsigned char *place = unread;
        if (!item->direct) place = item->items + field->place;
        status = ct_apply_read_item(apply, in, field, item->component, place);
        // Cells are held even if their bytes are damaged.
        if (!in->damaged || (field->cells && status == CT_OK)) item->present |= UINT64_C(1) << f;
    }
    item->bytes = (uint32_t)(in->at - item->values);
    return status;
}

// Returns whether the last item repeats another one of its record. A component may be removed
// twice, if it was created again in between.
static bool is_repeated(const ct_apply *apply, const ct_received *item) {
    const ct_received *first =
        ct_apply_find_item(apply, &apply->records[item->record], item->type, item->id);
    return first != item && (first->kind != CT_CHANGE_REMOVE || item->kind != CT_CHANGE_REMOVE);
}

static ct_status read_component(ct_apply *apply, ct_reader *in, uint32_t type, uint32_t kind) {
    const ct_published *published = &apply->now->published;
    ct_received *item;
    if (in->damaged || type >= published->type_count) {
        in->damaged = true;
        return CT_OK;
    }
    ct_status status = add_item(apply, type, kind, &item);
    if (status == CT_OK) status = read_id(apply, in, type, &item->id);
    if (status == CT_OK) status = ct_apply_enter_item(apply);
    if (status != CT_OK) return status;
    if (is_repeated(apply, item)) in->damaged = true;
    if (in->damaged || kind == CT_CHANGE_REMOVE) return CT_OK;
    uint64_t fields = read_mask(in, &published->types[type]);
    item->given = kind == CT_CHANGE_SET ? fields : all_fields(&published->types[type]);
    if (kind == CT_CHANGE_SET) {
        uint64_t absent = read_mask(in, &published->types[type]);
        if ((absent & ~fields) != 0) in->damaged = true;
        fields &= ~absent;
    }
    return read_items(apply, in, item, fields);
}

// Reads the components of a complete record, or the changes of another one.
static ct_status read_components(ct_apply *apply, ct_reader *in, bool complete) {
    uint32_t count = ct_packed_read_u32(in);
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < count && status == CT_OK && !in->damaged; ++i) {
        uint32_t head = ct_packed_read_u32(in), kind = complete ? CT_CHANGE_CREATE : head & 3;
        if (kind > CT_CHANGE_REMOVE) in->damaged = true;
        status = read_component(apply, in, complete ? head : head >> 2, kind);
    }
    return status;
}

// Reads values for the same fields as those of an earlier record.
static ct_status read_same(ct_apply *apply, ct_reader *in, uint32_t last) {
    ct_status status = CT_OK;
    if (last == CT_MIRROR_NONE) in->damaged = true;
    for (uint32_t i = 0; !in->damaged && i < apply->records[last].count && status == CT_OK; ++i) {
        const ct_received *like = &apply->items[apply->records[last].first + i];
        uint64_t given = like->given, present = like->present;
        ct_received *item;
        if (like->kind != CT_CHANGE_SET || apply->now->published.types[like->type].multiple) {
            in->damaged = true;
            break;
        }
        status = add_item(apply, like->type, CT_CHANGE_SET, &item); // moves 'like'
        if (status != CT_OK) return status;
        item->given = given;
        status = read_items(apply, in, item, present);
    }
    return status;
}

// ---------------------------------------------------------------- records

// Marks of the places of the mirror before the message.
enum { MARK_GONE = 1, MARK_RECEIVED = 2 };

// Returns the place of an entity in the mirror, or CT_MIRROR_NONE. Entities are mostly received in
// the order in which they were created, so that a difference of indices is one of places.
static uint32_t find_place(const ct_apply *apply, uint32_t index) {
    const ct_mirror *mirror = &apply->before->mirror;
    uint32_t r = apply->record_count - 1; // of the last record
    if (apply->record_count > 0 && apply->records[r].place != CT_MIRROR_NONE) {
        uint32_t place = apply->records[r].place + (index - ct_entity_index(apply->ids[r]));
        if (place < mirror->count && ct_entity_index(mirror->ids[place]) == index) return place;
    }
    return ct_mirror_find_index(mirror, index);
}

// Adds a record. An entity that has changes must have been received before.
static void add_record(ct_apply *apply, ct_reader *in, uint32_t index, bool complete,
                       unsigned char *marks) {
    uint32_t place = CT_MIRROR_NONE, same_index = CT_MIRROR_NONE;
    ct_entity e = {index};
    if (complete) e = ct_entity_make(index, ct_reader_u8(in));
    if (complete ? apply->before != NULL : apply->base > 0) same_index = find_place(apply, index);
    if (same_index != CT_MIRROR_NONE) {
        const ct_entity before = apply->before->mirror.ids[same_index];
        if (!complete) e = before;
        if (e.id == before.id) place = same_index;
        if ((marks[same_index] & MARK_RECEIVED) != 0) in->damaged = true; // received twice
        marks[same_index] |= MARK_RECEIVED;
    }
    if (!complete && place == CT_MIRROR_NONE) in->damaged = true;
    if (in->damaged) return;
    uint32_t r = apply->record_count++;
    apply->ids[r] = e;
    apply->records[r] = (ct_received_entity){
        .place = place, .local = {CT_NOBODY}, .complete = complete, .first = apply->item_count};
    if (place != CT_MIRROR_NONE)
        apply->records[r].local = apply->before->mirror.entities[place].local;
}

// Adds the last record to the planned ones, unless all its values are direct: its local entity is
// then alive, and has the components.
static void plan_last_record(ct_apply *apply, ct_reader *in) {
    uint32_t r = apply->record_count - 1;
    const ct_received_entity *record = &apply->records[r];
    uint32_t direct = 0;
    for (uint32_t i = 0; i < record->count; ++i)
        direct += apply->items[record->first + i].direct;
    if (!record->complete && record->count > 0 && direct == record->count) return;
    if (!ct_apply_plan_record(apply, r)) in->damaged = true;
}

static ct_status read_records(ct_apply *apply, ct_reader *in, uint32_t count,
                              unsigned char *marks) {
    ct_status status = CT_OK;
    uint32_t index = 0, last = CT_MIRROR_NONE;
    for (uint32_t i = 0; i < count && status == CT_OK && !in->damaged; ++i) {
        uint64_t head = ct_packed_read(in, UINT64_C(1) << 32);
        uint32_t kind = head & 3;
        index = next_index(in, head >> 2, index);
        if (kind > CT_RECORD_COMPLETE) in->damaged = true;
        if (!in->damaged) add_record(apply, in, index, kind == CT_RECORD_COMPLETE, marks);
        if (in->damaged) break;
        status = kind == CT_RECORD_SAME ? read_same(apply, in, last)
                                        : read_components(apply, in, kind == CT_RECORD_COMPLETE);
        if (kind == CT_RECORD_CHANGES) last = apply->record_count - 1;
        plan_last_record(apply, in);
    }
    return status;
}

// Reads the removed entities, and marks them. Those that were not received are ignored. A message
// without a base removes all entities that it does not contain.
static ct_status read_removed(ct_apply *apply, ct_reader *in, unsigned char **out) {
    const ct_reception *now = apply->subscriber->now;
    size_t places = now != NULL ? now->mirror.count + (size_t)1 : 1;
    uint32_t count = ct_reader_u32(in), index = 0;
    unsigned char *marks = *out = ct_scratch_take(&apply->memory, places);
    if (marks == NULL) return CT_ERR_MEMORY;
    memset(marks, apply->base == 0 ? MARK_GONE : 0, places);
    for (uint32_t i = 0; i < count && !in->damaged; ++i) {
        index = next_index(in, ct_packed_read(in, UINT64_C(1) << 32), index);
        ct_entity e = ct_entity_make(index, ct_reader_u8(in));
        if (in->damaged || apply->before == NULL) continue;
        uint32_t place = ct_mirror_find(&apply->before->mirror, e);
        if (place != CT_MIRROR_NONE) marks[place] = MARK_GONE;
    }
    return CT_OK;
}

// Makes room for the records. The number is checked against the bytes and the limit first.
static ct_status reserve_records(ct_apply *apply, ct_reader *in, uint32_t count) {
    const ct_subscriber *subscriber = apply->subscriber;
    if (in->damaged || count > (uint64_t)(in->end - in->at) / 2) {
        in->damaged = true;
        return CT_OK;
    }
    if (count > subscriber->options.max_entities) {
        ct_message_set(apply->message, "the message has %u entities, the limit is %u", count,
                       subscriber->options.max_entities);
        return CT_ERR_DATA;
    }
    // Most records change one component.
    ct_status status = ct_array_reserve(subscriber->allocator, (void **)&apply->items,
                                        &apply->item_capacity, count, sizeof *apply->items);
    return status == CT_OK ? ct_apply_reserve_records(apply, count) : status;
}

// Lists the received entities that must be removed: those that the message removes or, if it is
// full, does not contain; those of another session; and those with the index of another entity.
static ct_status find_replaced(ct_apply *apply, unsigned char *marks) {
    if (apply->subscriber->now == NULL) return CT_OK;
    const ct_mirror *mirror = &apply->subscriber->now->mirror;
    apply->removed =
        ct_scratch_take(&apply->memory, (mirror->count + (size_t)1) * sizeof(uint32_t));
    if (apply->removed == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < apply->planned_count; ++i) {
        uint32_t r = apply->planned[i];
        if (apply->records[r].place != CT_MIRROR_NONE) continue;
        uint32_t place = ct_mirror_find_index(mirror, ct_entity_index(apply->ids[r]));
        if (place != CT_MIRROR_NONE) marks[place] = MARK_GONE;
    }
    const unsigned char *at = memchr(marks, MARK_GONE, mirror->count), *end = marks + mirror->count;
    for (; at != NULL; at = memchr(at + 1, MARK_GONE, (size_t)(end - at) - 1))
        apply->removed[apply->removed_count++] = (uint32_t)(at - marks);
    return CT_OK;
}

ct_status ct_apply_read(ct_apply *apply, ct_reader *in) {
    unsigned char *marks;
    ct_status status = read_removed(apply, in, &marks);
    uint32_t count = ct_reader_u32(in);
    if (status == CT_OK) status = reserve_records(apply, in, count);
    if (status == CT_OK && !in->damaged) status = read_records(apply, in, count, marks);
    if (status == CT_OK && !in->damaged && in->at != in->end) in->damaged = true;
    if (status == CT_OK && in->damaged) return ct_apply_refuse(apply);
    return status == CT_OK ? find_replaced(apply, marks) : status;
}

void ct_apply_release(ct_apply *apply) {
    for (uint32_t i = 0; i < apply->item_count; ++i) {
        const ct_received *item = &apply->items[i];
        if (item->items != NULL)
            ct_mirror_release(&apply->now->mirror, &apply->now->published.types[item->type],
                              item->items, item->present);
        ct_mirror_release_id(&apply->now->mirror, item->id);
    }
    apply->item_count = 0;
}
