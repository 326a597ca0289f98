// Validation of the instances of one component type against a layout.
#include "base/text.h"
#include "resource/resource.h"

#include "base/hash.h"
#include "base/message.h"
#include "base/runs.h"
#include "base/table.h"
#include "storage/labels.h"
#include "storage/layout.h"
#include "storage/value_bytes.h"

#include <string.h>

// Components of one entity are compared pairwise up to this number.
#define SHORT_RUN 16u

static const char OVERLAPS[] = "is a string that overlaps others";

// Marks of strings.
enum { MARK_SEEN = 1, MARK_VALUE = 2 };

typedef struct checker {
    const ct_section *section;
    const ct_layout *layout;
    ct_layout_places places;
    uint32_t num_entities;
    const unsigned char *strings;
    uint32_t string_bytes;
    unsigned char *marks; // by offset / 4
    uint32_t seen_bytes;  // of the strings with marks
    ct_message *message;
    uint64_t seed;
} checker;

static bool wrong(const checker *c, const char *field, uint32_t instance, const char *what) {
    return ct_message_set(c->message, "%s: %s of instance %u %s", c->section->name, field,
                          instance + 1, what);
}

static bool check_entities(const checker *c, const ct_field *field, const unsigned char *items) {
    for (uint32_t i = 0; i < c->section->num_instances; ++i) {
        uint32_t index = ct_u32_at(items, i);
        if (CT_UNLIKELY(index >= c->num_entities && index != CT_NOBODY))
            return wrong(c, field->name, i, "is an entity that the resource does not have");
    }
    return true;
}

// Notes a string. Returns false if it shares bytes with others: each string is copied when it is
// spawned, and strings inside each other would need much more memory than the resource has bytes.
static bool note_string(checker *c, uint32_t offset, ct_text text) {
    const uint32_t around = 5; // its length, and the NUL
    unsigned char *mark = &c->marks[offset / 4];
    if ((*mark & MARK_SEEN) != 0) return true;
    *mark |= MARK_SEEN;
    if (text.length + around > c->string_bytes - c->seen_bytes) return false;
    c->seen_bytes += text.length + around;
    return true;
}

static bool check_strings(checker *c, const ct_field *field, const unsigned char *items) {
    uint32_t last = 0; // neighbours are often equal
    for (uint32_t i = 0; i < c->section->num_instances; ++i) {
        uint32_t offset = ct_u32_at(items, i);
        if (i > 0 && offset == last) continue;
        ct_text text = ct_string_block_text(c->strings, c->string_bytes, offset);
        if (text.bytes == NULL)
            return wrong(c, field->name, i, "is a string outside of the resource");
        if (!note_string(c, offset, text)) return wrong(c, field->name, i, OVERLAPS);
        last = offset;
        if (field->type != CT_FIELD_VALUE || (c->marks[offset / 4] & MARK_VALUE) != 0) continue;
        if (!ct_value_bytes_valid(text))
            return wrong(c, field->name, i, "has invalid bytes of a value");
        c->marks[offset / 4] |= MARK_VALUE;
    }
    return true;
}

static bool check_field(checker *c, const ct_field *field, const unsigned char *items) {
    uint32_t count = c->section->num_instances;
    if (ct_field_is_text(field->type) || field->type == CT_FIELD_ENUM)
        return check_strings(c, field, items);
    if (field->type == CT_FIELD_ENTITY) return check_entities(c, field, items);
    const char *what;
    uint32_t width = ct_field_info_of(field->type)->bytes;
    uint32_t i = ct_field_first_invalid(field, items, width, count, &what);
    return i == count || wrong(c, field->name, i, what);
}

static ct_text id_text(const checker *c, uint32_t id) {
    return ct_string_block_text(c->strings, c->string_bytes, id & ~CT_ID_IS_STRING);
}

static bool same_id(const checker *c, uint32_t a, uint32_t b) {
    if (a == b) return a != 0;
    return (a & b & CT_ID_IS_STRING) != 0 && ct_text_equal(id_text(c, a), id_text(c, b));
}

static uint32_t id_hash(const checker *c, uint32_t id) {
    if ((id & CT_ID_IS_STRING) == 0) return (uint32_t)ct_hash_mix(c->seed, id);
    ct_text text = id_text(c, id);
    return (uint32_t)ct_hash_text(c->seed, text.bytes, text.length);
}

static ct_status check_long_run(const checker *c, const ct_allocator *allocator, uint32_t first,
                                uint32_t count) {
    const unsigned char *ids = c->section->data;
    ct_table table = {0};
    if (count > CT_TABLE_NUMBERS) {
        wrong(c, "id", first, "exceeds the limit of 4194304 of one entity");
        return CT_ERR_DATA;
    }
    if (!ct_table_reserve(&table, allocator, count, NULL, NULL)) return CT_ERR_MEMORY;
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        uint32_t id = ct_u32_at(ids, first + i), hash = id_hash(c, id), other;
        if (id == 0) continue;
        uint32_t at = ct_table_home(&table, hash);
        do
            other = ct_table_next(&table, hash, &at);
        while (other != CT_TABLE_NONE && !same_id(c, id, ct_u32_at(ids, first + other)));
        if (other != CT_TABLE_NONE) {
            wrong(c, "id", first + i, "is also the id of another instance of the entity");
            status = CT_ERR_DATA;
        }
        ct_table_add(&table, hash, i);
    }
    ct_table_free(&table, allocator);
    return status;
}

static ct_status check_run(const checker *c, const ct_allocator *allocator, uint32_t first,
                           uint32_t count) {
    const unsigned char *ids = c->section->data;
    if (count > SHORT_RUN) return check_long_run(c, allocator, first, count);
    for (uint32_t i = 1; i < count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (!same_id(c, ct_u32_at(ids, first + i), ct_u32_at(ids, first + j))) continue;
            wrong(c, "id", first + i, "is also the id of another instance of the entity");
            return CT_ERR_DATA;
        }
    }
    return CT_OK;
}

static ct_status check_ids(checker *c, const ct_allocator *allocator) {
    const unsigned char *ids = c->section->data;
    const uint32_t *entity = c->section->entity_index;
    uint32_t count = c->section->num_instances;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t id = ct_u32_at(ids, i);
        const char *trouble = NULL;
        if ((id & CT_ID_IS_STRING) == 0)
            trouble = id > CT_LAST_GIVEN_NUMBER ? "is above 1073741823" : NULL;
        else if (id_text(c, id).bytes == NULL)
            trouble = "is neither a number nor a string";
        else if (!note_string(c, id & ~CT_ID_IS_STRING, id_text(c, id)))
            trouble = OVERLAPS;
        if (trouble != NULL) {
            wrong(c, "id", i, trouble);
            return CT_ERR_DATA;
        }
    }
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && entity[end] == entity[first];)
            end++;
        ct_status status = check_run(c, allocator, first, end - first);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

static bool check_size(checker *c) {
    const ct_layout *layout = c->layout;
    uint32_t count = c->section->num_instances;
    bool strings = layout->multiple;
    for (uint32_t f = 0; f < layout->field_count; ++f)
        strings = strings || ct_field_is_text(layout->fields[f].type) ||
                  layout->fields[f].type == CT_FIELD_ENUM;
    // The end of the last column, without the padding that only a string block needs.
    uint64_t end = layout->multiple ? (uint64_t)count * 4 : 0;
    bool fits = ct_layout_place(layout, count, &c->places);
    if (fits && layout->field_count > 0) {
        uint32_t last = layout->field_count - 1;
        end = c->places.field[last] +
              (uint64_t)count * ct_field_compiled_bytes(layout->fields[last].type);
    }
    if (!fits || (strings ? c->section->size < end : c->section->size != end))
        return ct_message_set(c->message, "%s: %u bytes are not the size of %u instances",
                              c->section->name, c->section->size, count);
    if (c->section->size <= c->places.strings) return true; // no strings
    c->strings = c->section->data + c->places.strings;
    c->string_bytes = c->section->size - c->places.strings;
    return true;
}

static bool check_owners(const checker *c) {
    const uint32_t *entity = c->section->entity_index;
    for (uint32_t i = 1; !c->layout->multiple && i < c->section->num_instances; ++i) {
        if (entity[i] == entity[i - 1])
            return ct_message_set(c->message, "%s: entity %u has two, only one is allowed",
                                  c->section->name, entity[i] + 1);
    }
    return true;
}

static bool is_verified(const ct_section *section, const ct_layout *layout) {
    if (!section->verified || section->verified_multiple != layout->multiple ||
        section->verified_count != layout->field_count)
        return false;
    for (uint32_t f = 0; f < layout->field_count; ++f) {
        if (section->verified_types[f] != layout->fields[f].type) return false;
    }
    return true;
}

static void remember(ct_section *section, const ct_layout *layout) {
    section->verified = true;
    section->verified_multiple = layout->multiple;
    section->verified_count = (uint8_t)layout->field_count;
    for (uint32_t f = 0; f < layout->field_count; ++f)
        section->verified_types[f] = (uint8_t)layout->fields[f].type;
}

static ct_status check_contents(checker *c, const ct_allocator *allocator) {
    for (uint32_t f = 0; f < c->layout->field_count; ++f) {
        if (!check_field(c, &c->layout->fields[f], c->section->data + c->places.field[f]))
            return CT_ERR_DATA;
    }
    return c->layout->multiple ? check_ids(c, allocator) : CT_OK;
}

ct_status ct_section_verify(ct_section *section, const ct_layout *layout, uint32_t num_entities,
                            const ct_allocator *allocator, ct_message *message) {
    if (is_verified(section, layout)) return CT_OK;
    checker c = {.section = section,
                 .layout = layout,
                 .num_entities = num_entities,
                 .message = message,
                 .seed = ct_hash_seed(section)};
    if (!check_size(&c) || !check_owners(&c)) return CT_ERR_DATA;
    size_t marks = c.string_bytes / 4 + (size_t)1;
    c.marks = ct_alloc_zero(allocator, marks);
    if (c.marks == NULL) return CT_ERR_MEMORY;
    ct_status status = check_contents(&c, allocator);
    ct_free(allocator, c.marks, marks);
    if (status == CT_OK) remember(section, layout);
    return status;
}

static bool check_labels(const checker *c, const ct_field *field, const unsigned char *items) {
    uint32_t last = 1; // not a valid offset: offsets are multiples of 4
    for (uint32_t i = 0; i < c->section->num_instances; ++i) {
        ct_message reason;
        uint32_t offset = ct_u32_at(items, i);
        if (offset == last) continue;
        ct_text text = ct_string_block_text(c->strings, c->string_bytes, offset);
        if (ct_labels_find(field, text, &reason) == field->label_count)
            return ct_message_set(c->message, "%s: %s of instance %u: %s", c->section->name,
                                  field->name, i + 1, reason.text);
        last = offset;
    }
    return true;
}

bool ct_section_check_labels(const ct_section *section, const ct_layout *layout,
                             ct_message *message) {
    checker c = {.section = section, .layout = layout, .message = message};
    uint32_t first = 0;
    while (first < layout->field_count && layout->fields[first].type != CT_FIELD_ENUM)
        first++;
    if (first == layout->field_count) return true;
    if (!check_size(&c)) return false;
    for (uint32_t f = first; f < layout->field_count; ++f) {
        const ct_field *field = &layout->fields[f];
        if (field->type == CT_FIELD_ENUM &&
            !check_labels(&c, field, section->data + c.places.field[f]))
            return false;
    }
    return true;
}

uint32_t ct_section_find(const ct_section *section, uint32_t entity) {
    uint32_t count = section->num_instances;
    uint32_t first = ct_u32_first_from(section->entity_index, count, entity);
    return first < count && section->entity_index[first] == entity ? first : count;
}

// Checks that a field of a layout fits to the manager, and gives it the manager's labels.
static bool fit_field(ct_field *field, const ct_manager *manager, ct_message *message) {
    uint32_t f = ct_manager_find_field(manager, field->name);
    if (f == manager->field_count) return ct_message_set(message, "%s is gone", field->name);
    const ct_field *now = &manager->fields[f];
    field->labels = now->labels;
    field->label_count = now->label_count;
    return field->type == now->type ||
           ct_message_set(message, "%s was %s, is %s", field->name,
                          ct_field_info_of(field->type)->name, ct_field_info_of(now->type)->name);
}

// Checks that a manager can take instances of the layout 'from' with these fields. The message is
// like "hp was float, is double". O(fields of 'from' x fields of the manager).
static bool fit(const ct_layout *from, ct_field *fields, const ct_manager *manager,
                ct_message *message) {
    bool multiple = manager->store.multiple;
    if (from->multiple != multiple)
        return ct_message_set(message, "an entity %s have several",
                              multiple ? "may" : "can no longer");
    for (uint32_t f = 0; f < from->field_count; ++f)
        if (!fit_field(&fields[f], manager, message)) return false;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const ct_field *now = &manager->fields[f];
        if (now->required &&
            ct_field_find(fields, from->field_count, now->name, NULL) == from->field_count)
            return ct_message_set(message, "%s is new and required", now->name);
    }
    return true;
}

bool ct_section_layout(const ct_section *section, const ct_manager *manager, ct_field *fields,
                       ct_layout *out, ct_message *message) {
    const char *text = section->name + strlen(section->name) + 1;
    ct_message reason;
    *out = manager->shape->layout;
    if (section->schema == manager->schema) return true;
    // Built-in types have a constant shape, and accept only their own layout.
    if (manager->type->shape != NULL ||
        !ct_layout_text_read(text, section->behind_name, section->schema, fields, out))
        return ct_message_set(message,
                              "%s: the resource was compiled for other fields than the world's: "
                              "compile it again",
                              section->name);
    return fit(out, fields, manager, &reason) ||
           ct_message_set(message,
                          "%s: the resource was compiled for other fields (%s): compile it again",
                          section->name, reason.text);
}
