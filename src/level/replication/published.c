// Published components: their names, fields and steps, as both sides of a replication know them.
#include "level/replication/published.h"

#include "base/hash.h"
#include "level/replication/mirror.h"
#include "storage/labels.h"

#include <float.h>
#include <math.h>

// Text of the published components:
//
//     packed number of types; each: text name, u8 1 if 'multiple', packed number of fields
//     each field: text name, text type, u8 flags, double step if FLAG_STEP, packed number of
//     labels, a text each
//
// Names and labels are texts of base/reader.h, which end with a zero byte.
enum { FLAG_STEP = 1, FLAG_HIERARCHY = 2, FLAG_CELLS = 4, FLAGS = 7 };

void ct_published_init(ct_published *published, const ct_allocator *allocator) {
    memset(published, 0, sizeof *published);
    ct_scratch_init(&published->memory, allocator);
}

void ct_published_free(ct_published *published) {
    const ct_allocator *allocator = published->memory.allocator;
    ct_scratch_free(&published->memory);
    ct_published_init(published, allocator);
}

static uint32_t find_field(const ct_published_type *type, uint32_t count, const char *name) {
    uint32_t f = 0;
    while (f < count && strcmp(type->fields[f].name, name) != 0)
        f++;
    return f;
}

uint32_t ct_published_find_field(const ct_published_type *type, const char *name) {
    return find_field(type, type->field_count, name);
}

// ---------------------------------------------------------------- writing

static void write_field(ct_writer *out, const ct_field *input, double step) {
    ct_writer_name(out, input->name);
    ct_writer_name(out, ct_field_info_of(input->type)->name);
    ct_writer_u8(out, (step > 0 ? FLAG_STEP : 0u) | (input->hierarchy ? FLAG_HIERARCHY : 0u) |
                          (input->cells ? FLAG_CELLS : 0u));
    if (step > 0) ct_writer_numbers(out, &step, sizeof step, 1);
    ct_packed_write(out, input->label_count);
    for (uint32_t i = 0; i < input->label_count; ++i)
        ct_writer_text(out, input->labels[i]);
}

static double step_of(const ct_manager *manager, uint32_t input, const ct_publisher_step *steps,
                      uint32_t count) {
    while (count-- > 0) {
        if (strcmp(steps[count].component, manager->name) == 0 &&
            ct_published_find_stepped(manager, steps[count].field) == input)
            return steps[count].step;
    }
    return 0;
}

void ct_published_write(ct_manager *const *managers, uint32_t count, const ct_publisher_step *steps,
                        uint32_t step_count, ct_writer *out) {
    ct_packed_write(out, count);
    for (uint32_t m = 0; m < count; ++m) {
        const ct_manager *manager = managers[m];
        uint32_t fields = 0;
        for (uint32_t i = 0; i < ct_manager_all_inputs(manager); ++i)
            fields += ct_published_has(&manager->inputs[i]);
        ct_writer_name(out, manager->name);
        ct_writer_u8(out, manager->store.multiple);
        ct_packed_write(out, fields);
        for (uint32_t i = 0; i < ct_manager_all_inputs(manager); ++i) {
            if (ct_published_has(&manager->inputs[i]))
                write_field(out, &manager->inputs[i], step_of(manager, i, steps, step_count));
        }
    }
}

// ---------------------------------------------------------------- reading

static bool takes_step(ct_field_type type) {
    const ct_field_info *info = ct_field_info_of(type);
    return (info->lane == CT_SCALAR_FLOAT || info->lane == CT_SCALAR_DOUBLE) && info->lanes <= 4;
}

static uint32_t item_bytes(const ct_published_field *field) {
    if (field->cells) return sizeof(ct_mirror_cells);
    if (ct_field_is_text(field->type)) return sizeof(ct_string);
    return field->step > 0 ? sizeof(ct_published_steps) : ct_field_info_of(field->type)->bytes;
}

static bool is_name(ct_text text) {
    return text.length > 0 && text.length < 64 && strlen(text.bytes) == text.length;
}

static ct_status read_labels(ct_published *published, ct_published_field *field, ct_reader *in) {
    uint32_t count = (uint32_t)ct_packed_read(in, CT_MAX_LABELS);
    if (in->damaged || (count > 0) != (field->type == CT_FIELD_ENUM)) return CT_ERR_DATA;
    ct_text *labels = ct_scratch_take(&published->memory, (count + (size_t)1) * sizeof *labels);
    if (labels == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < count; ++i) {
        labels[i] = ct_reader_text(in);
        if (in->damaged || !is_name(labels[i])) return CT_ERR_DATA;
    }
    field->labels = labels;
    field->label_count = count;
    return CT_OK;
}

static bool read_flags(ct_published_field *field, ct_reader *in) {
    const unsigned char *flags = ct_reader_bytes(in, 1);
    if (flags == NULL || (*flags & ~FLAGS) != 0) return false;
    field->hierarchy = (*flags & FLAG_HIERARCHY) != 0;
    field->cells = (*flags & FLAG_CELLS) != 0;
    if (field->hierarchy && field->type != CT_FIELD_ENTITY) return false;
    if (field->cells && field->type != CT_FIELD_STRING) return false;
    if ((*flags & FLAG_STEP) == 0) return true;
    if (!ct_reader_numbers(in, sizeof field->step, 1, &field->step)) return false;
    return takes_step(field->type) && field->step > 0 && field->step <= DBL_MAX;
}

static ct_status read_field(ct_published *published, ct_published_type *type, uint32_t i,
                            ct_reader *in) {
    ct_published_field *field = &type->fields[i];
    ct_text name = ct_reader_text(in), kind = ct_reader_text(in);
    ct_message unread;
    if (in->damaged || !is_name(name) || find_field(type, i, name.bytes) < i) return CT_ERR_DATA;
    field->name = name.bytes;
    field->type = ct_field_type_find(kind.bytes, &unread);
    if (field->type == CT_FIELD_TYPE_COUNT || !read_flags(field, in)) return CT_ERR_DATA;
    if (field->hierarchy && type->parent < type->field_count) return CT_ERR_DATA;
    if (field->hierarchy) type->parent = i;
    field->place = type->item_bytes;
    field->bytes = item_bytes(field);
    if (ct_field_is_text(field->type)) type->held |= UINT64_C(1) << i;
    type->item_bytes += (field->bytes + 7) & ~7u;
    return read_labels(published, field, in);
}

static ct_status read_type(ct_published *published, uint32_t t, ct_reader *in) {
    ct_published_type *type = &published->types[t];
    ct_text name = ct_reader_text(in);
    const unsigned char *multiple = ct_reader_bytes(in, 1);
    uint32_t count = (uint32_t)ct_packed_read(in, CT_MAX_COLUMNS);
    if (in->damaged || multiple == NULL || *multiple > 1 || !is_name(name)) return CT_ERR_DATA;
    for (uint32_t i = 0; i < t; ++i) {
        if (strcmp(published->types[i].name, name.bytes) == 0) return CT_ERR_DATA;
    }
    type->fields = ct_scratch_take(&published->memory, (count + (size_t)1) * sizeof *type->fields);
    if (type->fields == NULL) return CT_ERR_MEMORY;
    memset(type->fields, 0, count * sizeof *type->fields);
    type->name = name.bytes;
    type->multiple = *multiple != 0;
    type->field_count = type->parent = count;
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < count && status == CT_OK; ++i)
        status = read_field(published, type, i, in);
    if (type->item_bytes == 0) type->item_bytes = 8;
    return status;
}

ct_status ct_published_read(ct_published *published, const unsigned char *text, uint32_t bytes) {
    unsigned char *copy = ct_scratch_take(&published->memory, bytes);
    if (copy == NULL) return CT_ERR_MEMORY;
    if (bytes > 0) memcpy(copy, text, bytes);
    ct_reader in = ct_reader_of(copy, bytes);
    uint32_t count = (uint32_t)ct_packed_read(&in, CT_MAX_PUBLISHED);
    published->text = copy;
    published->text_bytes = bytes;
    published->id = ct_hash_crc32(0, copy, bytes);
    published->types =
        ct_scratch_take(&published->memory, (count + (size_t)1) * sizeof *published->types);
    if (published->types == NULL) return CT_ERR_MEMORY;
    memset(published->types, 0, count * sizeof *published->types);
    ct_status status = CT_OK;
    for (uint32_t t = 0; t < count && status == CT_OK; ++t)
        status = read_type(published, t, &in);
    published->type_count = count;
    return status == CT_OK && (in.damaged || in.at != in.end) ? CT_ERR_DATA : status;
}

// ---------------------------------------------------------------- steps

uint32_t ct_published_find_stepped(const ct_manager *manager, const char *name) {
    static const char local[] = "local_";
    uint32_t all = ct_manager_all_inputs(manager), input = ct_manager_find_input(manager, name);
    if (input == all && strncmp(name, local, sizeof local - 1) == 0 &&
        ct_manager_find_field(manager, name) < manager->field_count)
        input = ct_manager_find_input(manager, name + sizeof local - 1);
    return input < all && takes_step(manager->inputs[input].type) ? input : manager->input_count;
}

void ct_published_to_steps(const ct_published_field *field, const void *item,
                           ct_published_steps *out) {
    const ct_field_info *info = ct_field_info_of(field->type);
    const unsigned char *lanes = (const unsigned char *)item;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < info->lanes; ++i) {
        double count = ct_scalar_load(info->lane, lanes + (size_t)i * info->lane_bytes);
        count = nearbyint(count / field->step);
        // NaN fails this test, too.
        if (!(fabs(count) < 9007199254740992.0)) out->exact = 1;
        out->lane[i] = count + 0.0; // -0 becomes 0
    }
    for (uint32_t i = 0; i < info->lanes && out->exact != 0; ++i)
        out->lane[i] = ct_scalar_load(info->lane, lanes + (size_t)i * info->lane_bytes);
}

void ct_published_from_steps(const ct_published_field *field, const ct_published_steps *steps,
                             void *item) {
    const ct_field_info *info = ct_field_info_of(field->type);
    unsigned char *lanes = (unsigned char *)item;
    for (uint32_t i = 0; i < info->lanes; ++i) {
        double value = steps->exact != 0 ? steps->lane[i] : steps->lane[i] * field->step;
        ct_real_store(info->lane, value, lanes + (size_t)i * info->lane_bytes);
    }
}

// Writes an item of numbers, or its absence.
static void put_part(const ct_published_type *type, unsigned char *items, uint64_t *present,
                     const char *name, const void *item) {
    uint32_t f = ct_published_find_field(type, name);
    if (f == type->field_count) return;
    *present &= ~(UINT64_C(1) << f);
    if (item == NULL) return;
    *present |= UINT64_C(1) << f;
    ct_published_put(&type->fields[f], item, items + type->fields[f].place);
}

void ct_published_put_root(const ct_published_type *type, unsigned char *items, uint64_t *present,
                           const ct_pose *pose, const float *matrix) {
    static const ct_entity no_entity = {CT_NOBODY};
    bool whole = matrix == NULL;
    put_part(type, items, present, "position", whole ? pose->position : NULL);
    put_part(type, items, present, "rotation", whole ? pose->rotation : NULL);
    put_part(type, items, present, "scale", whole ? pose->scale : NULL);
    put_part(type, items, present, "matrix", matrix);
    put_part(type, items, present, "parent", &no_entity);
    put_part(type, items, present, "parent_node", NULL);
}
