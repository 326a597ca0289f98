// Writing of levels to a save.
#include "level/save_levels.h"
#include "level/level_internal.h"

#include "base/message.h"
#include "resource/path.h"
#include "resource/resource_writer.h"

#include <string.h>

// Format; all numbers are little-endian:
//
//     u32 number of resources; each:
//         text name, u32 checksum, u32 entities, u32 parent of each or 0xFFFFFFFF,
//         u32 1 if entities have names: u32 offset of each name or 0xFFFFFFFF, u32 bytes of the
//         names; each: a text, aligned to 4
//     u32 number of worlds, 0 without levels; for each: text name
//     u32 number of levels; each:
//         u32 world, u32 resource, u32 flags
//         the pose, if flagged: 10 floats; u32 copies, if flagged, and a pose of each, if flagged
//         u32 parent; text node of the parent, text state, text name of the level, each if flagged
//         u32 number of overrides; each: text path, u32 1 if it has a component: text component,
//             u32 number of the id, u32 1 if the id is a text: the text, u32 place,
//             u32 number of values; each: text input, text type, its item: a text or its numbers
//         u32 entities, u32 id of each; u32 types, u8 1 for each that was skipped;
//         0 types if none was

// ---------------------------------------------------------------- resources

// Resources by number in the save.
typedef struct resource_list {
    const ct_resource **items;
    uint32_t count;
} resource_list;

static ct_status write_names(const ct_resource *resource, ct_writer *out) {
    ct_string_block block;
    ct_status status = CT_OK;
    ct_writer_u32(out, resource->name_offset != NULL);
    if (resource->name_offset == NULL) return CT_OK;
    ct_string_block_init(&block, out->allocator, out->swap);
    for (uint32_t i = 0; i < resource->num_entities && status == CT_OK; ++i) {
        ct_text name = ct_resource_entity_name(resource, i);
        uint32_t offset = CT_RESOURCE_NO_NAME;
        if (name.bytes != NULL) status = ct_string_block_add(&block, name, &offset);
        ct_writer_u32(out, offset);
    }
    ct_writer_u32(out, block.bytes.count);
    ct_writer_bytes(out, block.bytes.bytes, block.bytes.count);
    ct_string_block_free(&block);
    return status;
}

static ct_status write_resources(const resource_list *resources, ct_writer *out) {
    ct_status status = CT_OK;
    ct_writer_u32(out, resources->count);
    for (uint32_t i = 0; i < resources->count && status == CT_OK; ++i) {
        const ct_resource *resource = resources->items[i];
        ct_writer_text(out, resource->name);
        ct_writer_u32(out, resource->checksum);
        ct_writer_u32(out, resource->num_entities);
        ct_writer_numbers(out, resource->parent_index, 4, resource->num_entities);
        status = write_names(resource, out);
    }
    return status;
}

// Returns the number of a resource, which is added if it is new. Levels that were spawned one after
// another often share a resource, so the search begins with the newest.
static uint32_t number_of(resource_list *resources, const ct_resource *resource) {
    uint32_t i = resources->count;
    while (i > 0 && resources->items[i - 1] != resource)
        i--;
    if (i > 0) return i - 1;
    resources->items[resources->count] = resource;
    return resources->count++;
}

// ---------------------------------------------------------------- options

static bool write_value(const ct_override_value *value, ct_writer *out) {
    const ct_field_info *info = ct_field_info_of(value->type);
    ct_writer_name(out, value->input);
    ct_writer_name(out, info->name);
    if (!ct_field_is_text(value->type) && value->type != CT_FIELD_ENUM) {
        ct_writer_numbers(out, value->item, info->lane_bytes, info->lanes);
        return true;
    }
    ct_text text = ct_text_load(value->item);
    if (text.bytes == NULL && text.length > 0) return false;
    ct_writer_text(out, text);
    return true;
}

static bool write_override(const ct_override *override, ct_writer *out) {
    ct_writer_text(out, override->path);
    ct_writer_u32(out, override->component != NULL);
    if (override->component == NULL) return true;
    ct_writer_name(out, override->component);
    ct_writer_u32(out, override->id.number);
    ct_writer_u32(out, override->id.text.bytes != NULL);
    if (override->id.text.bytes != NULL) ct_writer_text(out, override->id.text);
    ct_writer_u32(out, override->place);
    ct_writer_u32(out, override->value_count);
    for (uint32_t i = 0; i < override->value_count; ++i)
        if (!write_value(&override->values[i], out)) return false;
    return true;
}

static void write_poses(const ct_pose *poses, uint32_t count, ct_writer *out) {
    ct_writer_numbers(out, poses, 4, count * (uint32_t)(sizeof *poses / 4));
}

static bool write_options(const ct_spawn_options *options, ct_writer *out) {
    const ct_copies *copies = options->copies;
    bool posed = copies != NULL && copies->poses != NULL;
    ct_writer_u32(out, (options->refuse_unknown ? CT_SAVED_REFUSES_UNKNOWN : 0) |
                           (options->pose != NULL ? CT_SAVED_POSE : 0) |
                           (copies != NULL ? CT_SAVED_COPIES : 0) | (posed ? CT_SAVED_POSES : 0) |
                           (options->parent_node.bytes != NULL ? CT_SAVED_NODE : 0) |
                           (options->state.bytes != NULL ? CT_SAVED_STATE : 0) |
                           (options->name.bytes != NULL ? CT_SAVED_NAME : 0));
    if (options->pose != NULL) write_poses(options->pose, 1, out);
    if (copies != NULL) ct_writer_u32(out, copies->count);
    if (posed) write_poses(copies->poses, copies->count, out);
    ct_writer_u32(out, options->parent.id);
    if (options->parent_node.bytes != NULL) ct_writer_text(out, options->parent_node);
    if (options->state.bytes != NULL) ct_writer_text(out, options->state);
    if (options->name.bytes != NULL) ct_writer_text(out, options->name);
    ct_writer_u32(out, options->override_count);
    for (uint32_t i = 0; i < options->override_count; ++i)
        if (!write_override(&options->overrides[i], out)) return false;
    return true;
}

// ---------------------------------------------------------------- levels

static bool is_kept(const ct_level_record *record, const ct_entity_manager *entities) {
    uint32_t i = 0;
    while (i < record->count && !ct_entity_manager_alive(entities, record->entities[i]))
        i++;
    return i < record->count && !record->resource->freed;
}

static bool write_level(const ct_level_record *record, uint32_t world, uint32_t resource,
                        ct_writer *out) {
    uint32_t types = record->types;
    if (types == 0 || memchr(record->skipped, 1, types) == NULL) types = 0;
    ct_writer_u32(out, world);
    ct_writer_u32(out, resource);
    if (!write_options(&record->level->options, out)) return false;
    ct_writer_u32(out, record->count);
    ct_writer_numbers(out, record->entities, 4, record->count);
    ct_writer_u32(out, types);
    for (uint32_t i = 0; i < types; ++i)
        ct_writer_u8(out, record->skipped[i]);
    return true;
}

static uint32_t count_records(const ct_snapshot_worlds *worlds) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < worlds->count; ++w)
        if (worlds->items[w].levels != NULL) count += worlds->items[w].levels->record_count;
    return count;
}

// Calls for each kept record: lists its resource, or writes its level if 'out' is not NULL.
static bool each_record(const ct_snapshot_worlds *worlds, resource_list *resources, uint32_t *count,
                        ct_writer *out) {
    *count = 0;
    for (uint32_t w = 0; w < worlds->count; ++w) {
        const ct_levels *levels = worlds->items[w].levels;
        for (uint32_t i = 0; levels != NULL && i < levels->record_count; ++i) {
            const ct_level_record *record = &levels->records[i];
            if (!is_kept(record, worlds->entities)) continue;
            ++*count;
            uint32_t resource = number_of(resources, record->resource);
            if (out != NULL && !write_level(record, w, resource, out)) return false;
        }
    }
    return true;
}

ct_status ct_save_write_levels(const ct_snapshot_worlds *worlds, ct_writer *out,
                               ct_message *message) {
    size_t bytes = (count_records(worlds) + (size_t)1) * sizeof(ct_resource *);
    resource_list resources = {ct_alloc(out->allocator, bytes), 0};
    uint32_t count;
    if (resources.items == NULL) return CT_ERR_MEMORY;
    each_record(worlds, &resources, &count, NULL);
    ct_status status = write_resources(&resources, out);
    uint32_t world_count = count > 0 ? worlds->count : 0;
    ct_writer_u32(out, world_count);
    for (uint32_t w = 0; w < world_count; ++w)
        ct_writer_name(out, worlds->items[w].name);
    ct_writer_u32(out, count);
    if (status == CT_OK && !each_record(worlds, &resources, &count, out)) {
        ct_message_set(message, "a level has an override with a value that the host keeps");
        status = CT_ERR_DATA;
    }
    ct_free(out->allocator, resources.items, bytes);
    return status == CT_OK ? out->status : status;
}
