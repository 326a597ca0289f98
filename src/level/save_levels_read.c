// Reading of levels from a save, which may contain any bytes.
#include "level/level_internal.h"
#include "level/save_levels.h"

#include "base/math.h"
#include "base/message.h"
#include "resource/resource_writer.h"
#include "storage/manager_save.h"

#include <string.h>

// State while levels are read.
typedef struct reading {
    ct_reader *in;
    ct_scratch *memory;
    const uint32_t *worlds; // index by number in the save
    uint32_t world_count;
    uint32_t resource_count;
    const ct_saved_resource *resources;
    ct_status status; // CT_OK, unless memory runs out
} reading;

// Marks the save as damaged. Returns false.
static bool refuse(reading *r) {
    r->in->damaged = true;
    return false;
}

// Allocates 'count' items for data that takes at least 'least' bytes of the save each. Returns
// NULL if memory runs out or the save has fewer bytes.
static void *take(reading *r, uint32_t count, size_t width, uint32_t least) {
    size_t bytes;
    uint64_t left = r->in->damaged ? 0 : (uint64_t)(r->in->end - r->in->at);
    if ((uint64_t)count * least > left || !ct_size_mul_add(count, width, 1, &bytes)) {
        refuse(r);
        return NULL;
    }
    void *items = ct_scratch_take(r->memory, bytes);
    if (items == NULL) r->status = CT_ERR_MEMORY;
    return items;
}

// Reads numbers of 4 bytes. Returns NULL if there are fewer, or memory runs out.
static void *read_numbers(reading *r, uint32_t count, uint32_t per_item, size_t width) {
    void *items = take(r, count, width, per_item * 4);
    if (items != NULL) ct_reader_numbers(r->in, 4, count * per_item, items);
    return items;
}

// ---------------------------------------------------------------- resources

static bool read_names(reading *r, ct_saved_resource *resource) {
    uint32_t count = resource->num_entities;
    bool named = ct_reader_u32(r->in) != 0;
    const uint32_t *offsets = named ? read_numbers(r, count, 1, 4) : NULL;
    ct_text *names = take(r, count, sizeof *names, 0);
    if ((named && offsets == NULL) || names == NULL) return false;
    memset(names, 0, count * sizeof *names);
    resource->names = names;
    if (offsets == NULL) return true;
    ct_reader block = ct_reader_part(r->in, ct_reader_u32(r->in));
    for (uint32_t i = 0; i < count && !r->in->damaged; ++i) {
        if (offsets[i] == CT_RESOURCE_NO_NAME) continue;
        ct_reader from = block;
        ct_reader_bytes(&from, offsets[i]);
        names[i] = ct_reader_text(&from);
        r->in->damaged = from.damaged;
    }
    return !r->in->damaged;
}

static bool read_resource(reading *r, ct_saved_resource *resource) {
    resource->name = ct_reader_text(r->in);
    resource->checksum = ct_reader_u32(r->in);
    resource->num_entities = ct_reader_u32(r->in);
    if (resource->num_entities > CT_MAX_ENTITIES) return refuse(r);
    const uint32_t *parents = read_numbers(r, resource->num_entities, 1, 4);
    if (parents == NULL) return false;
    for (uint32_t i = 0; i < resource->num_entities && !r->in->damaged; ++i)
        if (parents[i] >= i && parents[i] != CT_RESOURCE_NO_PARENT) return refuse(r);
    resource->parent_index = parents;
    return read_names(r, resource);
}

static bool read_resources(reading *r, ct_saved_levels *out) {
    uint32_t count = ct_reader_u32(r->in);
    ct_saved_resource *resources = take(r, count, sizeof *resources, 17);
    if (resources == NULL) return false;
    for (uint32_t i = 0; i < count; ++i)
        if (!read_resource(r, &resources[i])) return false;
    out->resources = r->resources = resources;
    out->resource_count = r->resource_count = count;
    return true;
}

// ---------------------------------------------------------------- options

static bool is_valid(const ct_override_value *value) {
    const ct_field field = {.name = value->input, .type = value->type};
    const ct_values items = {value->item, 0};
    return value->type == CT_FIELD_ENUM || ct_field_items_valid(&field, &items, 1);
}

static bool read_value(reading *r, ct_override_value *value) {
    ct_message unknown;
    value->input = ct_reader_text(r->in).bytes;
    value->type = ct_field_type_find(ct_reader_text(r->in).bytes, &unknown);
    if (r->in->damaged || value->type == CT_FIELD_TYPE_COUNT) return refuse(r);
    const ct_field_info *info = ct_field_info_of(value->type);
    void *item = take(r, 1, CT_MAX_ITEM_BYTES, 0);
    if (item == NULL) return false;
    if (ct_field_is_text(value->type) || value->type == CT_FIELD_ENUM) {
        const ct_text text = ct_reader_text(r->in);
        memcpy(item, &text, sizeof text);
    } else {
        ct_reader_numbers(r->in, info->lane_bytes, info->lanes, item);
    }
    value->item = item;
    return !r->in->damaged && (is_valid(value) || refuse(r));
}

static bool read_override(reading *r, ct_override *override) {
    memset(override, 0, sizeof *override);
    override->path = ct_reader_text(r->in);
    if (ct_reader_u32(r->in) == 0) return !r->in->damaged;
    override->component = ct_reader_text(r->in).bytes;
    override->id.number = ct_reader_u32(r->in);
    if (ct_reader_u32(r->in) != 0) override->id.text = ct_reader_text(r->in);
    override->place = ct_reader_u32(r->in);
    override->value_count = ct_reader_u32(r->in);
    ct_override_value *values = take(r, override->value_count, sizeof *values, 11);
    if (values == NULL) return false;
    for (uint32_t i = 0; i < override->value_count; ++i)
        if (!read_value(r, &values[i])) return false;
    override->values = values;
    return true;
}

static bool read_overrides(reading *r, ct_spawn_options *options) {
    uint32_t count = ct_reader_u32(r->in);
    ct_override *overrides = take(r, count, sizeof *overrides, 9);
    if (overrides == NULL) return false;
    for (uint32_t i = 0; i < count; ++i)
        if (!read_override(r, &overrides[i])) return false;
    options->overrides = overrides;
    options->override_count = count;
    return true;
}

static ct_pose *read_poses(reading *r, uint32_t count) {
    const uint32_t floats = sizeof(ct_pose) / sizeof(float);
    ct_pose *poses = read_numbers(r, count, floats, sizeof *poses);
    if (poses == NULL || r->in->damaged) return NULL;
    ct_floats_clean((float *)(void *)poses, count * floats);
    return poses;
}

static bool read_copies(reading *r, ct_saved_level *level, uint32_t flags) {
    if ((flags & CT_SAVED_COPIES) == 0) return true;
    level->copies.count = ct_reader_u32(r->in);
    level->options.copies = &level->copies;
    if ((flags & CT_SAVED_POSES) == 0) return true;
    level->copies.poses = read_poses(r, level->copies.count);
    return level->copies.poses != NULL;
}

static bool read_options(reading *r, ct_saved_level *level) {
    uint32_t flags = ct_reader_u32(r->in);
    ct_spawn_options *options = &level->options;
    options->refuse_unknown = (flags & CT_SAVED_REFUSES_UNKNOWN) != 0;
    if ((flags & CT_SAVED_POSE) != 0) {
        const ct_pose *pose = read_poses(r, 1);
        if (pose == NULL) return false;
        level->pose = *pose;
        options->pose = &level->pose;
    }
    if (!read_copies(r, level, flags)) return false;
    options->parent.id = ct_reader_u32(r->in);
    if ((flags & CT_SAVED_NODE) != 0) options->parent_node = ct_reader_text(r->in);
    if ((flags & CT_SAVED_STATE) != 0) options->state = ct_reader_text(r->in);
    if ((flags & CT_SAVED_NAME) != 0) options->name = ct_reader_text(r->in);
    if (options->parent.id != CT_NOBODY && !ct_entity_is_id(options->parent.id)) return refuse(r);
    return read_overrides(r, options);
}

// ---------------------------------------------------------------- levels

static bool read_entities(reading *r, ct_saved_level *level) {
    const ct_spawn_options *options = &level->options;
    uint64_t wanted = r->resources[level->resource].num_entities;
    if (options->copies != NULL) wanted *= options->copies->count;
    level->count = ct_reader_u32(r->in);
    if (level->count == 0 || level->count != wanted || wanted > CT_MAX_ENTITIES) return refuse(r);
    level->entities = read_numbers(r, level->count, 1, 4);
    if (level->entities == NULL || r->in->damaged) return false;
    for (uint32_t i = 0; i < level->count; ++i)
        if (!ct_entity_is_id(level->entities[i].id & ~CT_LEVEL_LOST)) return refuse(r);
    level->types = ct_reader_u32(r->in);
    level->skipped = ct_reader_bytes(r->in, level->types);
    return !r->in->damaged;
}

static bool read_level(reading *r, ct_saved_level *level) {
    memset(level, 0, sizeof *level);
    level->world = ct_reader_u32(r->in);
    level->resource = ct_reader_u32(r->in);
    if (level->world >= r->world_count || level->resource >= r->resource_count) return refuse(r);
    level->world = r->worlds[level->world];
    return read_options(r, level) && read_entities(r, level);
}

static bool read_worlds(reading *r, const ct_snapshot_worlds *worlds) {
    uint32_t count = ct_reader_u32(r->in);
    uint32_t *places = take(r, count, sizeof *places, 5);
    if (places == NULL) return false;
    for (uint32_t i = 0; i < count; ++i) {
        const char *name = ct_reader_text(r->in).bytes;
        uint32_t w = 0;
        while (w < worlds->count && strcmp(worlds->items[w].name, name) != 0)
            w++;
        if (r->in->damaged || w == worlds->count) return refuse(r);
        places[i] = w;
    }
    r->worlds = places;
    r->world_count = count;
    return true;
}

static bool read_all(reading *r, const ct_snapshot_worlds *worlds, ct_saved_levels *out) {
    if (!read_resources(r, out) || !read_worlds(r, worlds)) return false;
    uint32_t count = ct_reader_u32(r->in);
    out->items = take(r, count, sizeof *out->items, 32);
    if (out->items == NULL) return false;
    for (; out->count < count; ++out->count)
        if (!read_level(r, &out->items[out->count])) return false;
    return !r->in->damaged;
}

ct_status ct_save_read_levels(ct_reader *in, const ct_snapshot_worlds *worlds, ct_saved_levels *out,
                              ct_message *message) {
    reading r = {.in = in, .memory = &out->memory, .status = CT_OK};
    if (read_all(&r, worlds, out)) return CT_OK;
    ct_saved_levels_free(out);
    return r.status != CT_OK ? r.status : ct_save_refuse(message);
}

void ct_saved_levels_init(ct_saved_levels *levels, const ct_allocator *allocator) {
    memset(levels, 0, sizeof *levels);
    ct_scratch_init(&levels->memory, allocator);
}

void ct_saved_levels_free(ct_saved_levels *levels) {
    const ct_allocator *allocator = levels->memory.allocator;
    ct_scratch_free(&levels->memory);
    ct_saved_levels_init(levels, allocator);
}

// ---------------------------------------------------------------- creation

static ct_status fill(const ct_saved_resource *saved, const ct_writer *blob, ct_resource *out,
                      ct_message *message) {
    static const ct_builtin_layout none = {.name = NULL};
    ct_status status = ct_resource_init(out, blob->allocator, blob->count);
    if (status == CT_OK) {
        memcpy(out->blob, blob->bytes, blob->count);
        status = ct_resource_check(out, &none, message);
    }
    if (status == CT_OK) status = ct_resource_set_name(out, saved->name);
    if (status != CT_OK) ct_resource_free(out);
    out->checksum = saved->checksum;
    out->names_only = true;
    return status;
}

ct_status ct_saved_resource_make(const ct_saved_resource *saved, const ct_allocator *allocator,
                                 ct_resource *out, ct_message *message) {
    const ct_resource_source source = {.num_entities = saved->num_entities,
                                       .parent_index = saved->parent_index,
                                       .names = saved->names};
    ct_writer blob;
    ct_message_set(message, "not enough memory");
    ct_writer_init(&blob, allocator, ct_host_is_big_endian());
    ct_status status = ct_resource_write(&blob, &source);
    if (status == CT_OK) status = fill(saved, &blob, out, message);
    ct_writer_free(&blob);
    return status;
}

void ct_saved_level_fill(ct_saved_level *saved, ct_level *level, ct_resource *other) {
    uint32_t types = level->resource->num_component_types;
    level->other = other;
    level->from_save = true;
    level->count = saved->count;
    memcpy(level->entities, saved->entities, saved->count * sizeof *level->entities);
    for (uint32_t i = 0; i < types; ++i)
        level->skipped[i] = types == saved->types && saved->skipped[i] != 0;
    saved->level = level;
}

ct_level *ct_saved_level_new(ct_saved_level *saved, ct_levels *levels, ct_resource *resource,
                             ct_resource *other) {
    ct_level *level = ct_level_allocate(levels, resource, &saved->options);
    if (level == NULL) return NULL;
    level->memory->other = other;
    if (other != NULL) ct_resource_hold(other);
    ct_saved_level_fill(saved, level, other);
    return level;
}

void ct_saved_levels_enter(const ct_saved_levels *levels) {
    for (uint32_t i = 0; i < levels->count; ++i) {
        ct_level *level = levels->items[i].level;
        level->serial = ++level->levels->serial;
        ct_levels_enter(level);
    }
}
