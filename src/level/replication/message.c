// Writing of messages.
#include "level/replication/message.h"

void ct_message_begin(ct_message_out *out, const ct_publisher *publisher, uint32_t base) {
    memset(out, 0, sizeof *out);
    out->publisher = publisher;
    out->base = base;
    ct_writer_init(&out->removed, publisher->allocator, false);
    ct_writer_init(&out->records, publisher->allocator, false);
}

void ct_message_free(ct_message_out *out) {
    ct_writer_free(&out->removed);
    ct_writer_free(&out->records);
}

static const ct_mirror *mirror_of(const ct_message_out *out) {
    return &out->publisher->now->mirror;
}

void ct_message_remove(ct_message_out *out, ct_entity e) {
    ct_packed_write(&out->removed, ct_index_difference(ct_entity_index(e), out->removed_index));
    ct_writer_u8(&out->removed, ct_entity_generation(e));
    out->removed_index = ct_entity_index(e);
    out->removed_count++;
}

static void write_id(ct_message_out *out, uint32_t type, uint32_t id) {
    const ct_mirror *mirror = mirror_of(out);
    if (!mirror->published->types[type].multiple) return;
    const ct_component_id given = ct_mirror_given(mirror, id);
    ct_packed_write(&out->records, given.text.bytes == NULL ? (uint64_t)id << 1 : 1);
    if (given.text.bytes != NULL) ct_packed_write_text(&out->records, given.text);
}

static void write_items(ct_message_out *out, const ct_published_type *type,
                        const unsigned char *items, uint64_t fields, uint32_t base) {
    for (uint32_t f = 0; f < type->field_count; ++f) {
        if ((fields >> f & 1) != 0)
            ct_message_write_item(&out->records, mirror_of(out), &type->fields[f],
                                  items + type->fields[f].place, base);
    }
}

// Returns whether the receiver of the message has no parent for a component.
static bool lacks_parent(const ct_message_out *out, const ct_mirror_component *component) {
    if (out->listed == NULL) return false;
    uint32_t parent = ct_message_parent(mirror_of(out), component);
    return parent != CT_MIRROR_NONE && (out->listed[parent] & CT_MESSAGE_LISTED) == 0;
}

// Writes a component behind its type.
static void write_component(ct_message_out *out, const ct_mirror_component *component) {
    const ct_mirror *mirror = mirror_of(out);
    const ct_published_type *type = &mirror->published->types[component->type];
    const unsigned char *items = ct_mirror_items(mirror, component);
    unsigned char root[1024];
    uint64_t present = component->present;
    if (type->item_bytes <= sizeof root && lacks_parent(out, component)) {
        memcpy(root, items, type->item_bytes);
        ct_message_make_root(out->publisher->now, component, root, &present);
        items = root;
    }
    write_id(out, component->type, component->id);
    ct_packed_write(&out->records, present);
    write_items(out, type, items, present, 0);
}

static void write_complete(ct_message_out *out, uint32_t place) {
    const ct_mirror *mirror = mirror_of(out);
    uint32_t count = 0;
    for (uint32_t c = mirror->entities[place].first; c != CT_MIRROR_NONE;
         c = mirror->components[c].next)
        count++;
    ct_writer_u8(&out->records, ct_entity_generation(mirror->ids[place]));
    ct_packed_write(&out->records, count);
    for (uint32_t c = mirror->entities[place].first; c != CT_MIRROR_NONE;
         c = mirror->components[c].next) {
        ct_packed_write(&out->records, mirror->components[c].type);
        write_component(out, &mirror->components[c]);
    }
}

// ---------------------------------------------------------------- changes

static uint64_t changed_fields(const ct_message_out *out, const ct_mirror_component *component) {
    const ct_mirror *mirror = mirror_of(out);
    const uint32_t *stamps = ct_mirror_stamps(mirror, component);
    uint32_t count = mirror->published->types[component->type].field_count;
    uint64_t mask = 0;
    for (uint32_t f = 0; f < count; ++f)
        mask |= (uint64_t)(stamps[f] > out->base) << f;
    return mask;
}

// Returns a removal by its number, or NULL unless it removed a component of the entity since the
// base. It must be older than 'end'.
static const ct_removal_record *removal_since(const ct_message_out *out, uint32_t place,
                                              uint32_t number, const ct_removal_record *end) {
    const ct_publication *now = out->publisher->now;
    uint32_t i = number - now->forgotten; // huge for a removal that was forgotten
    if (i >= (uint32_t)(end - now->removals)) return NULL;
    const ct_removal_record *removal = &now->removals[i];
    bool since = removal->frame > out->base && removal->type != CT_MIRROR_NONE &&
                 removal->entity.id == now->mirror.ids[place].id;
    return since ? removal : NULL;
}

// Returns the newest removal of a component of an entity since the base, or NULL.
static const ct_removal_record *last_removal(const ct_message_out *out, uint32_t place) {
    const ct_publication *now = out->publisher->now;
    return removal_since(out, place, now->mirror.entities[place].lost,
                         now->removals + now->removal_count);
}

// Writes the removals of components of an entity, or only counts them.
static uint32_t write_removals(ct_message_out *out, uint32_t place, bool count_only) {
    const ct_mirror *mirror = mirror_of(out);
    const ct_removal_record *removal = last_removal(out, place);
    uint32_t count = 0;
    for (; removal != NULL; removal = removal_since(out, place, removal->before, removal)) {
        if (ct_mirror_find_component(mirror, place, removal->type, removal->id) != CT_MIRROR_NONE)
            continue; // created again
        count++;
        if (count_only) continue;
        ct_packed_write(&out->records, removal->type << 2 | CT_CHANGE_REMOVE);
        write_id(out, removal->type, removal->id);
    }
    return count;
}

// Returns the number of changes of an entity. Fills the shape if a record can repeat it.
static uint32_t find_changes(ct_message_out *out, uint32_t place, ct_message_shape *shape) {
    const ct_mirror *mirror = mirror_of(out);
    uint32_t count = 0;
    bool simple = last_removal(out, place) == NULL;
    shape->count = 0;
    for (uint32_t c = mirror->entities[place].first; c != CT_MIRROR_NONE;
         c = mirror->components[c].next) {
        const ct_mirror_component *component = &mirror->components[c];
        uint64_t mask = changed_fields(out, component);
        bool created = component->created > out->base;
        if (mask == 0 && !created) continue;
        simple = simple && !created && count < CT_SHAPE_CHANGES &&
                 !mirror->published->types[component->type].multiple;
        if (simple) {
            shape->type[count] = component->type;
            shape->mask[count] = mask;
            shape->absent[count] = mask & ~component->present;
        }
        count++;
    }
    if (simple) shape->count = count;
    return count + write_removals(out, place, true);
}

static bool is_same_shape(const ct_message_shape *a, const ct_message_shape *b) {
    size_t words = a->count * sizeof a->mask[0];
    return a->count > 0 && a->count == b->count &&
           memcmp(a->type, b->type, a->count * sizeof a->type[0]) == 0 &&
           memcmp(a->mask, b->mask, words) == 0 && memcmp(a->absent, b->absent, words) == 0;
}

static void write_change(ct_message_out *out, const ct_mirror_component *component, bool same) {
    const ct_mirror *mirror = mirror_of(out);
    const ct_published_type *type = &mirror->published->types[component->type];
    uint64_t mask = changed_fields(out, component);
    if (component->created > out->base) {
        ct_packed_write(&out->records, component->type << 2 | CT_CHANGE_CREATE);
        write_component(out, component);
        return;
    }
    if (mask == 0) return;
    if (!same) {
        ct_packed_write(&out->records, component->type << 2 | CT_CHANGE_SET);
        write_id(out, component->type, component->id);
        ct_packed_write(&out->records, mask);
        ct_packed_write(&out->records, mask & ~component->present);
    }
    write_items(out, type, ct_mirror_items(mirror, component), mask & component->present,
                out->base);
}

static void write_changes(ct_message_out *out, uint32_t place, bool same, uint32_t count) {
    const ct_mirror *mirror = mirror_of(out);
    if (!same) ct_packed_write(&out->records, count);
    for (uint32_t c = mirror->entities[place].first; c != CT_MIRROR_NONE;
         c = mirror->components[c].next)
        write_change(out, &mirror->components[c], same);
    write_removals(out, place, false);
}

void ct_message_add(ct_message_out *out, uint32_t place, bool complete) {
    uint32_t index = ct_entity_index(mirror_of(out)->ids[place]), count = 0;
    uint32_t kind = CT_RECORD_COMPLETE;
    ct_message_shape shape;
    if (!complete) {
        count = find_changes(out, place, &shape);
        if (count == 0) return;
        kind = is_same_shape(&shape, &out->shape) ? CT_RECORD_SAME : CT_RECORD_CHANGES;
        out->shape = shape;
    }
    ct_packed_write(&out->records, ct_index_difference(index, out->record_index) << 2 | kind);
    out->record_index = index;
    out->record_count++;
    if (complete)
        write_complete(out, place);
    else
        write_changes(out, place, kind == CT_RECORD_SAME, count);
}

// ---------------------------------------------------------------- the whole message

static uint32_t text_bytes(const ct_message_out *out) {
    return out->base == 0 ? out->publisher->now->published.text_bytes : 0;
}

uint32_t ct_message_bytes(const ct_message_out *out) {
    return CT_MESSAGE_HEAD + 5 + text_bytes(out) + 8 + out->removed.count + out->records.count;
}

ct_status ct_message_end(ct_message_out *out, ct_writer *bytes) {
    const ct_publisher *publisher = out->publisher;
    const ct_published *published = &publisher->now->published;
    bytes->count = 0;
    bytes->status = out->removed.status != CT_OK ? out->removed.status : out->records.status;
    ct_writer_u32(bytes, CT_MESSAGE_MAGIC);
    ct_writer_u32(bytes, 0);
    ct_writer_numbers(bytes, &publisher->session, sizeof publisher->session, 1);
    ct_writer_u32(bytes, out->base);
    ct_writer_u32(bytes, publisher->frame);
    ct_writer_u32(bytes, published->id);
    ct_packed_write_text(bytes, (ct_text){(const char *)published->text, text_bytes(out)});
    ct_writer_u32(bytes, out->removed_count);
    ct_writer_bytes(bytes, out->removed.bytes, out->removed.count);
    ct_writer_u32(bytes, out->record_count);
    ct_writer_bytes(bytes, out->records.bytes, out->records.count);
    ct_status status = bytes->status;
    bytes->status = CT_OK;
    if (status != CT_OK) return status;
    ct_writer_patch_u32(bytes, CT_MESSAGE_AT_CRC,
                        ct_hash_crc32(0, bytes->bytes + CT_MESSAGE_AT_SESSION,
                                      bytes->count - CT_MESSAGE_AT_SESSION));
    return CT_OK;
}

// Writes everything that changed since the base.
static void write_all(ct_message_out *out) {
    const ct_publication *now = out->publisher->now;
    const ct_mirror *mirror = &now->mirror;
    for (uint32_t i = 0; i < now->removal_count && out->base > 0; ++i) {
        const ct_removal_record *removal = &now->removals[i];
        if (removal->type == CT_MIRROR_NONE && removal->frame > out->base &&
            ct_mirror_find(mirror, removal->entity) == CT_MIRROR_NONE)
            ct_message_remove(out, removal->entity);
    }
    for (uint32_t p = 0; p < mirror->count; ++p) {
        if (mirror->entities[p].changed > out->base)
            ct_message_add(out, p, mirror->entities[p].since > out->base);
    }
}

ct_status ct_publisher_message(ct_publisher *publisher, uint32_t base, ct_text *bytes) {
    ct_writer *message = &publisher->message;
    ct_status status = CT_OK;
    if (publisher->frame == 0) return CT_ERR_DATA;
    if (!ct_publisher_keeps(publisher, base)) base = 0;
    if (publisher->message_frame != publisher->frame || publisher->message_base != base) {
        ct_message_out out;
        publisher->message_frame = 0;
        ct_message_begin(&out, publisher, base);
        write_all(&out);
        status = ct_message_end(&out, message);
        ct_message_free(&out);
        if (status != CT_OK) return status;
        publisher->message_frame = publisher->frame;
        publisher->message_base = base;
    }
    *bytes = (ct_text){(const char *)message->bytes, message->count};
    return CT_OK;
}
