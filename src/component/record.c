// Components declared by a script. They use the default behavior of managers.
#include "component/record.h"

#include "base/arena.h"
#include "base/text.h"
#include "storage/labels.h"

#include <string.h>

// One block: the manager, its fields, their presets, their labels, all names, and the additional
// bytes.
typedef struct record {
    ct_manager base;
    ct_manager_shape shape;
    ct_field *fields;
    unsigned char (*presets)[CT_MAX_ITEM_BYTES];
    void *more;
} record;

static const ct_manager_type record_type = {
    .fill = ct_manager_fill_columns,
    .memory = ct_record_memory,
    .strings = ct_record_count_strings,
};

// Returns whether an enum field has the labels of a description.
static bool has_labels(const ct_field *field, const ct_enum *labels) {
    ct_text texts[CT_MAX_LABELS];
    const ct_field described = {.labels = texts,
                                .label_count = ct_labels_split(labels->labels, texts)};
    return ct_labels_equal(field, &described);
}

static bool is_same_field(const ct_field *field, const ct_component_field *described) {
    return field->type == described->type && strcmp(field->name, described->name) == 0 &&
           (field->type != CT_FIELD_ENUM || has_labels(field, described->preset));
}

bool ct_record_is_like(const ct_manager *manager, const ct_component *component) {
    bool multiple = (component->flags & CT_COMPONENT_MULTIPLE) != 0;
    if (manager->type != &record_type || manager->store.multiple != multiple ||
        manager->field_count != component->field_count)
        return false;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (!is_same_field(&manager->fields[f], &component->fields[f])) return false;
    }
    return true;
}

void *ct_record_more(const ct_manager *manager) {
    return ((const record *)(const void *)manager)->more;
}

// Returns the preset of a string field, or "" for a field of another type.
static ct_string preset_string(const record *r, uint32_t field) {
    ct_string string = {0};
    if (r->fields[field].type == CT_FIELD_STRING) memcpy(&string, r->presets[field], sizeof string);
    return string;
}

static void release_presets(record *r) {
    for (uint32_t f = 0; f < r->base.field_count; ++f)
        ct_string_pool_release(r->base.strings, preset_string(r, f));
}

void ct_record_count_strings(const ct_manager *manager, ct_string_audit *audit) {
    const record *r = (const record *)(const void *)manager;
    for (uint32_t f = 0; f < manager->field_count; ++f)
        ct_string_audit_add(audit, preset_string(r, f));
}

size_t ct_record_memory(ct_manager *manager, ct_memory_task task) {
    if (task == CT_MEMORY_FREE) release_presets((record *)(void *)manager);
    return 0; // presets are part of the manager's block
}

// Converts presets to items of columns. Acquires one reference to each string.
static ct_status make_presets(ct_string_pool *pool, const ct_component_field *fields,
                              uint32_t count, unsigned char (*out)[CT_MAX_ITEM_BYTES]) {
    for (uint32_t f = 0; f < count; ++f) {
        const ct_component_field *field = &fields[f];
        ct_field_zero(field->type, out[f]);
        if (field->preset == NULL) continue;
        if (field->type == CT_FIELD_ENUM) {
            *out[f] = (unsigned char)((const ct_enum *)field->preset)->preset;
            continue;
        }
        if (field->type != CT_FIELD_STRING) {
            memcpy(out[f], field->preset, ct_field_info_of(field->type)->bytes);
            continue;
        }
        ct_string string;
        if (ct_string_pool_intern(pool, ct_text_load(field->preset), &string) == CT_OK) {
            memcpy(out[f], &string, sizeof string);
            continue;
        }
        while (f-- > 0) {
            memcpy(&string, out[f], sizeof string);
            if (fields[f].type == CT_FIELD_STRING) ct_string_pool_release(pool, string);
        }
        return CT_ERR_MEMORY;
    }
    return CT_OK;
}

ct_status ct_record_set_presets(ct_manager *manager, const ct_component_field *fields) {
    record *r = (record *)(void *)manager;
    unsigned char presets[CT_MAX_RECORD_FIELDS][CT_MAX_ITEM_BYTES];
    ct_status status = make_presets(manager->strings, fields, manager->field_count, presets);
    if (status != CT_OK) return status;
    release_presets(r);
    memcpy(r->presets, presets, manager->field_count * sizeof *presets);
    return CT_OK;
}

bool ct_component_hides(const ct_component *component, const char *field) {
    const char *const *name = component->hidden;
    while (name != NULL && *name != NULL && strcmp(*name, field) != 0)
        name++;
    return name != NULL && *name != NULL;
}

void ct_record_hide(ct_manager *manager, const ct_component *component) {
    record *r = (record *)(void *)manager;
    for (uint32_t f = 0; f < manager->field_count; ++f)
        r->fields[f].hidden = ct_component_hides(component, r->fields[f].name);
}

// Returns the length of the description's labels, without the final zero byte, and their count.
static size_t label_bytes(const ct_component_field *field, uint32_t *count) {
    ct_text texts[CT_MAX_LABELS];
    *count = 0;
    if (field->type != CT_FIELD_ENUM) return 0;
    const ct_enum *labels = field->preset;
    *count = ct_labels_split(labels->labels, texts);
    const ct_text *last = &texts[*count - 1];
    return (size_t)(last->bytes - labels->labels) + last->length + 1;
}

static void copy_labels(char **at, ct_text **texts, const ct_component_field *from, ct_field *to) {
    const size_t bytes = label_bytes(from, &to->label_count);
    if (bytes == 0) return;
    const char *labels = ((const ct_enum *)from->preset)->labels;
    ct_labels_split(labels, *texts);
    for (uint32_t i = 0; i < to->label_count; ++i)
        (*texts)[i].bytes = *at + ((*texts)[i].bytes - labels);
    memcpy(*at, labels, bytes);
    *at += bytes;
    to->labels = *texts;
    *texts += to->label_count;
}

static char *copy_name(char **at, const char *name) {
    size_t bytes = strlen(name) + 1;
    char *copy = memcpy(*at, name, bytes);
    *at += bytes;
    return copy;
}

// Returns the length of all names and labels, and counts the labels.
static size_t count_names(const ct_component *component, uint32_t *labels) {
    size_t bytes = strlen(component->name) + 1;
    *labels = 0;
    for (uint32_t f = 0; f < component->field_count; ++f) {
        uint32_t its_labels;
        bytes += strlen(component->fields[f].name) + 1;
        bytes += label_bytes(&component->fields[f], &its_labels);
        *labels += its_labels;
    }
    return bytes;
}

ct_manager *ct_record_create(const ct_manager_setup *setup, const char *name,
                             const ct_component_field *fields, uint32_t field_count) {
    const ct_component component = {.name = name, .fields = fields, .field_count = field_count};
    return ct_record_create_as(setup, &record_type, 0, &component);
}

ct_manager *ct_record_create_as(const ct_manager_setup *setup, const ct_manager_type *type,
                                size_t more, const ct_component *component) {
    const ct_component_field *fields = component->fields;
    uint32_t field_count = component->field_count, all_labels;
    CT_ASSERT(field_count <= CT_MAX_RECORD_FIELDS);
    size_t name_bytes = count_names(component, &all_labels);
    size_t more_at =
        ct_padded(sizeof(record) + field_count * (sizeof(ct_field) + CT_MAX_ITEM_BYTES) +
                  all_labels * sizeof(ct_text) + name_bytes);
    ct_manager_shape shape = {.field_count = field_count,
                              .singly = component->moved != NULL,
                              .together = component->created != NULL,
                              .layout = {.field_count = field_count, .multiple = setup->multiple}};
    if (!ct_size_mul_add(1, more, more_at, &shape.bytes)) return NULL;
    record *r = ct_manager_block(setup, &shape);
    if (r == NULL) return NULL;
    r->shape = shape;
    r->fields = (ct_field *)(void *)(r + 1);
    r->presets = (unsigned char(*)[CT_MAX_ITEM_BYTES])(void *)(r->fields + field_count);
    if (make_presets(setup->strings, fields, field_count, r->presets) != CT_OK) {
        ct_manager_drop_block(setup, r, &shape);
        return NULL;
    }

    // Nothing below this line can fail.
    ct_text *texts = (ct_text *)(void *)(r->presets + field_count);
    char *names = (char *)(texts + all_labels);
    uint32_t first_column = setup->multiple ? CT_COLUMN_ID + 1 : CT_COLUMN_OWNER + 1;
    for (uint32_t f = 0; f < field_count; ++f) {
        r->fields[f] = (ct_field){
            .name = copy_name(&names, fields[f].name),
            .type = fields[f].type,
            .column = (uint16_t)(first_column + f),
            .read_only = fields[f].read_only,
            .required = fields[f].required,
            .preset = r->presets[f],
        };
        copy_labels(&names, &texts, &fields[f], &r->fields[f]);
    }
    r->more = (unsigned char *)r + more_at;
    r->shape.name = copy_name(&names, component->name);
    r->shape.fields = r->shape.layout.fields = r->fields;
    ct_manager_init(&r->base, setup, type, &r->shape);
    return &r->base;
}

// Joins the labels of a field in the form of a description, with the final zero byte.
static const char *join_labels(const ct_field *field, ct_arena *arena) {
    size_t bytes = 1;
    for (uint32_t i = 0; i < field->label_count; ++i)
        bytes += (size_t)field->labels[i].length + 1;
    char *labels = ct_arena_take(arena, bytes), *at = labels;
    for (uint32_t i = 0; i < field->label_count && at != NULL; ++i) {
        memcpy(at, field->labels[i].bytes, (size_t)field->labels[i].length + 1);
        at += field->labels[i].length + 1;
    }
    if (at != NULL) *at = '\0';
    return labels;
}

// Converts a preset to the form of a description, in the arena.
static const void *describe_preset(const record *r, uint32_t f, ct_arena *arena) {
    const ct_field *field = &r->fields[f];
    if (field->type == CT_FIELD_STRING) {
        ct_text *text = ct_arena_take(arena, sizeof *text);
        if (text != NULL) *text = ct_string_pool_text(r->base.strings, preset_string(r, f));
        return text;
    }
    if (field->type != CT_FIELD_ENUM) return r->presets[f];
    ct_enum *labels = ct_arena_take(arena, sizeof *labels);
    const char *joined = join_labels(field, arena);
    if (labels != NULL) *labels = (ct_enum){joined, *r->presets[f]};
    return joined != NULL ? labels : NULL;
}

ct_manager *ct_record_create_like(const ct_manager_setup *setup, const ct_manager *other) {
    const record *r = (const record *)(const void *)other;
    ct_component_field fields[CT_MAX_RECORD_FIELDS];
    ct_manager *manager = NULL;
    ct_arena arena;
    uint32_t f = 0;
    ct_arena_init(&arena, setup->allocator);
    for (; f < other->field_count; ++f) {
        const ct_field *field = &r->fields[f];
        fields[f] = (ct_component_field){.name = field->name,
                                         .type = field->type,
                                         .read_only = field->read_only,
                                         .required = field->required,
                                         .preset = describe_preset(r, f, &arena)};
        if (fields[f].preset == NULL) break;
    }
    if (f == other->field_count)
        manager = ct_record_create(setup, other->name, fields, other->field_count);
    ct_arena_reset(&arena);
    return manager;
}
