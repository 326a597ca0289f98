// Items in messages, and poses of transforms without their parent.
#include "base/math.h"
#include "component/transform.h"
#include "level/replication/message.h"

#include <math.h>

static bool fits(double number, uint32_t bytes) {
    double limit = bytes > 0 ? ldexp(1, (int)(8 * bytes - 1)) : 0;
    return bytes > 0 ? number >= -limit && number < limit : number == 0;
}

// Writes the lanes as signed numbers of as few bytes as the largest one needs.
static void write_steps(ct_writer *out, const ct_published_field *field,
                        const ct_published_steps *steps) {
    uint32_t lanes = ct_field_info_of(field->type)->lanes, bytes = 0;
    unsigned char lane[8];
    for (uint32_t i = 0; i < lanes; ++i) {
        while (!fits(steps->lane[i], bytes))
            bytes++;
    }
    ct_writer_u8(out, bytes);
    for (uint32_t i = 0; i < lanes && bytes > 0; ++i) {
        uint64_t bits = (uint64_t)(int64_t)steps->lane[i];
        for (uint32_t b = 0; b < bytes; ++b)
            lane[b] = (unsigned char)(bits >> (8 * b));
        ct_writer_bytes(out, lane, bytes);
    }
}

static void write_numbers(ct_writer *out, const ct_published_field *field,
                          const unsigned char *item) {
    const ct_field_info *info = ct_field_info_of(field->type);
    unsigned char lanes[CT_MAX_ITEM_BYTES];
    ct_published_steps steps;
    if (field->step == 0) {
        ct_writer_numbers(out, item, info->lane_bytes, info->lanes);
        return;
    }
    memcpy(&steps, item, sizeof steps);
    if (steps.exact == 0) {
        write_steps(out, field, &steps);
        return;
    }
    ct_published_from_steps(field, &steps, lanes);
    ct_writer_u8(out, CT_LANES_EXACT);
    ct_writer_numbers(out, lanes, info->lane_bytes, info->lanes);
}

// Cells of a message:
//
//     u8 kind, packed width, packed height, and then by kind
//     CT_CELLS_WHOLE      u8 1 if flips follow, each cell packed, u8 flips of each cell
//     CT_CELLS_CHANGED    u8 1 if flips follow, packed number of runs; each: packed number of cells
//                         that are not changed, packed number of changed ones, each packed, u8
//                         flips of each

static void write_run(ct_writer *out, const ct_cells *cells, uint32_t first, uint32_t count,
                      bool flips) {
    for (uint32_t i = first; i < first + count; ++i)
        ct_packed_write(out, cells->at[i]);
    if (flips && count > 0) ct_writer_bytes(out, cells->flips + first, count);
}

static bool is_new(const ct_mirror_cells *cells, uint32_t i, uint32_t base) {
    return cells->stamps[i] > base;
}

// Returns the end of the run of new cells, or of others, that begins with cell 'i'.
static uint32_t run_end(const ct_mirror_cells *cells, uint32_t i, uint32_t base) {
    uint32_t count = ct_cells_count(cells->cells), end = i;
    while (end < count && is_new(cells, end, base) == is_new(cells, i, base))
        end++;
    return end;
}

static uint32_t count_runs(const ct_mirror_cells *cells, uint32_t base) {
    uint32_t count = ct_cells_count(cells->cells), runs = 0;
    for (uint32_t i = 0; i < count; i = run_end(cells, i, base))
        runs += is_new(cells, i, base);
    return runs;
}

static void write_cells(ct_writer *out, const ct_mirror_cells *cells, uint32_t base) {
    const ct_cells *now = cells->cells;
    uint32_t count = ct_cells_count(now);
    bool flips = ct_cells_are_flipped(now);
    bool whole = base == 0 || cells->stamps == NULL || run_end(cells, 0, base) == count;
    ct_writer_u8(out, whole ? CT_CELLS_WHOLE : CT_CELLS_CHANGED);
    ct_packed_write(out, now->width);
    ct_packed_write(out, now->height);
    ct_writer_u8(out, flips);
    if (whole) {
        write_run(out, now, 0, count, flips);
        return;
    }
    ct_packed_write(out, count_runs(cells, base));
    for (uint32_t i = 0, end = 0; i < count; i = end) {
        uint32_t first = is_new(cells, i, base) ? i : run_end(cells, i, base);
        if (first == count) break;
        end = run_end(cells, first, base);
        ct_packed_write(out, first - i);
        ct_packed_write(out, end - first);
        write_run(out, now, first, end - first, flips);
    }
}

void ct_message_write_item(ct_writer *out, const ct_mirror *mirror, const ct_published_field *field,
                           const unsigned char *item, uint32_t base) {
    if (field->cells) {
        ct_mirror_cells cells;
        memcpy(&cells, item, sizeof cells);
        write_cells(out, &cells, base);
    } else if (ct_published_is_text(field)) {
        ct_string string;
        memcpy(&string, item, sizeof string);
        ct_packed_write_text(out, ct_string_pool_text(&mirror->strings, string));
    } else if (field->type == CT_FIELD_ENTITY) {
        ct_entity e;
        memcpy(&e, item, sizeof e);
        ct_packed_write(out, (uint32_t)(e.id + 1));
    } else {
        write_numbers(out, field, item);
    }
}

// ---------------------------------------------------------------- transforms

uint32_t ct_message_parent(const ct_mirror *mirror, const ct_mirror_component *component) {
    const ct_published_type *type = &mirror->published->types[component->type];
    ct_entity e;
    if (type->parent == type->field_count) return CT_MIRROR_NONE;
    memcpy(&e, ct_mirror_items(mirror, component) + type->fields[type->parent].place, sizeof e);
    return e.id == CT_NOBODY ? CT_MIRROR_NONE : ct_mirror_find(mirror, e);
}

// Reads the numbers of a field. Returns false if it has no item.
static bool get_numbers(const ct_published_type *type, const unsigned char *items, uint64_t present,
                        const char *name, float *numbers) {
    uint32_t f = ct_published_find_field(type, name);
    if (f == type->field_count || (present >> f & 1) == 0) return false;
    ct_published_get(&type->fields[f], items + type->fields[f].place, numbers);
    return true;
}

// Writes the local matrix of the items of a transform.
static void local_matrix(const ct_published_type *type, const unsigned char *items,
                         uint64_t present, float *out) {
    float position[3] = {0}, rotation[4] = {0, 0, 0, 1}, scale[3] = {1, 1, 1};
    if (get_numbers(type, items, present, "matrix", out)) return;
    get_numbers(type, items, present, "position", position);
    get_numbers(type, items, present, "rotation", rotation);
    get_numbers(type, items, present, "scale", scale);
    ct_mat4_compose(position, rotation, scale, out);
}

void ct_message_make_root(const ct_publication *publication, const ct_mirror_component *component,
                          unsigned char *items, uint64_t *present) {
    const ct_mirror *mirror = &publication->mirror;
    const ct_published_type *type = &mirror->published->types[component->type];
    float world[16], above[16];
    ct_pose pose;
    local_matrix(type, items, *present, world);
    for (const ct_mirror_component *at = component;;) {
        uint32_t parent = ct_message_parent(mirror, at), c = CT_MIRROR_NONE;
        if (parent != CT_MIRROR_NONE) c = ct_mirror_first_of(mirror, parent, component->type);
        if (c == CT_MIRROR_NONE) break;
        const float *node = ct_publication_node(publication, mirror->ids[at->place]);
        if (node != NULL) ct_mat4_product(node, world, world);
        at = &mirror->components[c];
        local_matrix(type, ct_mirror_items(mirror, at), at->present, above);
        ct_mat4_product(above, world, world);
    }
    memcpy(pose.position, world + 12, sizeof pose.position);
    ct_mat4_decompose(world, NULL, NULL, pose.rotation, pose.scale);
    bool whole = !ct_mat4_is_sheared(world, pose.rotation, pose.scale);
    ct_published_put_root(type, items, present, &pose, whole ? NULL : world);
}
