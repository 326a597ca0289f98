// Compilation of the instances of one component type, column by column.
#include "base/text.h"
#include "resource/resource_writer.h"

#include "base/message.h"
#include "storage/id_index.h"

#include <string.h>

#define NOT_WRITTEN 0xFFFFFFFFu

void ct_string_block_init(ct_string_block *block, const ct_allocator *allocator, bool swap) {
    memset(block, 0, sizeof *block);
    ct_string_pool_init(&block->pool, allocator);
    ct_writer_init(&block->bytes, allocator, false);
    block->bytes.swap = swap;
}

void ct_string_block_free(ct_string_block *block) {
    const ct_allocator *allocator = block->pool.allocator;
    ct_free(allocator, block->offset, block->offset_capacity * sizeof *block->offset);
    ct_writer_free(&block->bytes);
    ct_string_pool_free(&block->pool);
}

static ct_status reserve_offsets(ct_string_block *block, uint32_t needed) {
    uint32_t old = block->offset_capacity;
    ct_status status = ct_array_reserve(block->pool.allocator, (void **)&block->offset,
                                        &block->offset_capacity, needed, sizeof *block->offset);
    for (uint32_t i = old; i < block->offset_capacity; ++i)
        block->offset[i] = NOT_WRITTEN;
    return status;
}

ct_status ct_string_block_add(ct_string_block *block, ct_text text, uint32_t *offset) {
    ct_string string;
    ct_status status = ct_string_pool_intern(&block->pool, text, &string);
    if (status == CT_OK) status = reserve_offsets(block, string.ref + 1);
    if (status != CT_OK) return status;
    *offset = block->offset[string.ref];
    if (*offset != NOT_WRITTEN) return CT_OK;
    ct_writer_pad(&block->bytes, 4);
    *offset = block->bytes.count;
    ct_writer_u32(&block->bytes, text.length);
    ct_writer_bytes(&block->bytes, text.bytes, text.length);
    ct_writer_bytes(&block->bytes, NULL, 1);
    // Component ids use the top bit of an offset.
    if (block->bytes.count >= CT_ID_IS_STRING) return CT_ERR_FULL;
    block->offset[string.ref] = *offset;
    return block->bytes.status;
}

static ct_status id_is_taken(const ct_columns_source *source, uint32_t i, uint32_t *instance,
                             ct_message *message) {
    const ct_component_id *id = &source->ids[i];
    *instance = i;
    if (id->text.bytes == NULL) {
        ct_message_set(message, "id: another %s of the entity has %u too", source->name,
                       id->number);
        return CT_ERR_DATA;
    }
    char shown[64];
    ct_message_set(message, "id: another %s of the entity has \"%s\" too", source->name,
                   ct_message_text(id->text, shown, sizeof shown));
    return CT_ERR_DATA;
}

// Writes the numbers of the ids. A missing id stays 0: the manager issues a number at spawn.
static ct_status number_ids(const ct_columns_source *source, ct_string_block *block,
                            uint32_t *ids) {
    for (uint32_t i = 0; i < source->num_instances; ++i) {
        static const ct_component_id automatic = {0, {NULL, 0}};
        const ct_component_id *given = source->ids != NULL ? &source->ids[i] : &automatic;
        ids[i] = given->number;
        if (given->text.bytes == NULL) continue;
        ct_status status = ct_string_block_add(block, given->text, &ids[i]);
        if (status != CT_OK) return status;
        ids[i] |= CT_ID_IS_STRING;
    }
    return CT_OK;
}

// Checks that no two components of an entity have the same id.
static ct_status check_ids(const ct_columns_source *source, const ct_allocator *allocator,
                           const uint32_t *ids, uint32_t *instance, ct_message *message) {
    const ct_id_columns columns = {(const ct_entity *)(const void *)source->entity_index, ids};
    ct_table seen = {0};
    ct_status status = source->num_instances <= CT_MAX_ROWS ? CT_OK : CT_ERR_FULL;
    for (uint32_t i = 0; i < source->num_instances && status == CT_OK; ++i) {
        if (ids[i] == 0) continue;
        if (ct_id_index_find(&seen, &columns, columns.owners[i], ids[i]) != CT_NO_ROW)
            status = id_is_taken(source, i, instance, message);
        else if (ct_table_reserve(&seen, allocator, 1, ct_id_hash_row, &columns))
            ct_table_add(&seen, ct_id_hash_row(&columns, i), i);
        else
            status = CT_ERR_MEMORY;
    }
    ct_table_free(&seen, allocator);
    return status;
}

static ct_status write_ids(ct_writer *writer, const ct_columns_source *source,
                           ct_string_block *block, uint32_t *instance, ct_message *message) {
    size_t bytes;
    if (!ct_size_mul_add(source->num_instances, sizeof(uint32_t), 0, &bytes)) return CT_ERR_MEMORY;
    uint32_t *ids = ct_alloc(writer->allocator, bytes);
    if (ids == NULL) return CT_ERR_MEMORY;
    ct_status status = number_ids(source, block, ids);
    if (status == CT_OK) status = check_ids(source, writer->allocator, ids, instance, message);
    if (status == CT_OK) ct_writer_numbers(writer, ids, 4, source->num_instances);
    ct_free(writer->allocator, ids, bytes);
    return status;
}

// Returns the text of an item as in ct_values; NULL gives the default.
static ct_text text_of(const ct_columns_source *source, const ct_field *field, const void *item) {
    if (field->type == CT_FIELD_ENUM) {
        unsigned char number;
        ct_field_default(field, &number);
        return field->labels[item != NULL ? *(const unsigned char *)item : number];
    }
    if (item != NULL) return ct_text_load(item);
    if (field->type == CT_FIELD_VALUE) return (ct_text){"", 0};
    ct_string preset;
    ct_field_default(field, &preset);
    return ct_string_pool_text(source->presets, preset);
}

static ct_status write_string_column(ct_writer *writer, const ct_columns_source *source,
                                     const ct_field *field, const ct_values *values,
                                     ct_string_block *block) {
    for (uint32_t i = 0; i < source->num_instances; ++i) {
        uint32_t offset;
        ct_text text = text_of(source, field, ct_values_item(values, i));
        ct_status status = ct_string_block_add(block, text, &offset);
        if (status != CT_OK) return status;
        ct_writer_u32(writer, offset);
    }
    return CT_OK;
}

static void write_column(ct_writer *writer, const ct_field *field, const ct_values *values,
                         uint32_t count) {
    const ct_field_info *info = ct_field_info_of(field->type);
    unsigned char standard[CT_MAX_ITEM_BYTES];
    const unsigned char *item = values->items;
    uint32_t stride = values->stride;
    if (item != NULL && stride == info->bytes && count <= UINT32_MAX / info->lanes) {
        ct_writer_numbers(writer, item, info->lane_bytes, count * info->lanes);
        return;
    }
    if (item == NULL) {
        ct_field_default(field, standard);
        item = standard;
        stride = 0;
    }
    for (uint32_t i = 0; i < count; ++i)
        ct_writer_numbers(writer, item + (size_t)i * stride, info->lane_bytes, info->lanes);
}

static ct_status write_columns(ct_writer *writer, const ct_columns_source *source,
                               ct_string_block *block, uint32_t *instance, ct_message *message) {
    const ct_layout *layout = &source->layout;
    ct_status status = CT_OK;
    if (layout->multiple) status = write_ids(writer, source, block, instance, message);
    for (uint32_t f = 0; f < layout->field_count && status == CT_OK; ++f) {
        const ct_field *field = &layout->fields[f];
        if (f > 0 || layout->multiple) ct_writer_pad(writer, CT_LAYOUT_ALIGNMENT);
        if (ct_field_is_text(field->type) || field->type == CT_FIELD_ENUM)
            status = write_string_column(writer, source, field, &source->columns[f], block);
        else
            write_column(writer, field, &source->columns[f], source->num_instances);
    }
    return status;
}

ct_status ct_columns_write(ct_writer *writer, const ct_columns_source *source, uint32_t *instance,
                           ct_message *message) {
    CT_ASSERT(writer->count == 0);
    ct_string_block block;
    ct_string_block_init(&block, writer->allocator, writer->swap);
    ct_status status = write_columns(writer, source, &block, instance, message);
    if (status == CT_OK && block.bytes.count > 0) {
        ct_writer_pad(writer, CT_LAYOUT_ALIGNMENT);
        ct_writer_bytes(writer, block.bytes.bytes, block.bytes.count);
    }
    ct_string_block_free(&block);
    return status != CT_OK ? status : writer->status;
}
