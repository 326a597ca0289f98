// Spaces: lifetime, and updates from the matches of a query.
#include "world/space/space.h"

#include "component/transform_internal.h"

#include <math.h>
#include <string.h>

bool ct_space_is_cell(double cell) { return cell >= 1e-30 && cell <= 1e30; }

bool ct_space_can_be_mask(const ct_field *field) {
    const ct_field_info *info = ct_field_info_of(field->type);
    return !field->computed && info->lanes == 1 && info->lane >= CT_SCALAR_INT8 &&
           info->lane <= CT_SCALAR_UINT32 && field->type != CT_FIELD_ENUM;
}

bool ct_space_can_be_radius(const ct_field *field) {
    const ct_field_info *info = ct_field_info_of(field->type);
    bool real = info->lane == CT_SCALAR_FLOAT || info->lane == CT_SCALAR_DOUBLE;
    return (!field->computed && info->lanes == 1 && real) || ct_space_can_be_mask(field);
}

// ---------------------------------------------------------------- lifetime

void ct_space_init(ct_space *space, ct_world *world, ct_manager *transforms,
                   const ct_space_plan *plan) {
    *space = (ct_space){.world = world, .transforms = transforms, .plan = *plan, .stale = true};
    space->restores = world->entities->restores;
    space->index.dimensions = plan->dimensions;
    space->index.has_masks = plan->mask_field.part != CT_NO_ROW;
    space->index.has_radii = plan->radius_field.part != CT_NO_ROW;
    space->next = world->spaces;
    space->link = &world->spaces;
    if (space->next != NULL) space->next->link = &space->next;
    world->spaces = space;
}

ct_status ct_space_new(ct_world *world, ct_manager *transforms, ct_query *query,
                       const ct_space_plan *plan, ct_space **space) {
    ct_space *made = ct_alloc(world->allocator, sizeof *made);
    *space = made;
    if (made == NULL) {
        ct_query_free(query);
        return ct_out_of_memory(world->allocator);
    }
    ct_space_init(made, world, transforms, plan);
    made->query = query;
    return CT_OK;
}

static void free_scratch(ct_space *space) {
    const ct_allocator *allocator = space->world->allocator;
    ct_free(allocator, space->found, space->found_capacity * sizeof *space->found);
    ct_free(allocator, space->runs, space->runs_capacity * sizeof *space->runs);
    ct_free(allocator, space->paired, space->paired_capacity * sizeof *space->paired);
    ct_free(allocator, space->near, space->near_capacity * sizeof *space->near);
    space->found = space->runs = NULL;
    space->paired = NULL;
    space->near = NULL;
    space->found_capacity = space->runs_capacity = 0;
    space->paired_capacity = space->near_capacity = 0;
}

static void unlink_space(const ct_space *space) {
    *space->link = space->next;
    if (space->next != NULL) space->next->link = space->link;
}

void ct_space_free(ct_space *space) {
    if (space->world == NULL) return;
    free_scratch(space);
    ct_space_index_free(&space->index, space->world->allocator);
    if (space->watch != 0) ct_transform_unwatch(space->transforms, space->watch);
    space->world = NULL;
    if (space->query == NULL) unlink_space(space);
}

void ct_space_delete(ct_space *space) {
    if (space == NULL) return;
    const ct_allocator *allocator = space->query->allocator;
    ct_space_free(space);
    unlink_space(space);
    ct_query_free(space->query);
    ct_free(allocator, space, sizeof *space);
}

uint32_t ct_space_count(const ct_space *space) {
    if (space->world == NULL || space->world->entities->restores != space->restores) return 0;
    return space->index.count;
}

size_t ct_space_bytes(const ct_space *space) {
    return space->index.bytes + space->found_capacity * sizeof *space->found +
           space->runs_capacity * sizeof *space->runs +
           space->paired_capacity * sizeof *space->paired +
           space->near_capacity * sizeof *space->near;
}

void ct_space_trim(ct_space *space) {
    free_scratch(space);
    ct_space_index *index = &space->index;
    if (ct_space_count(space) == 0)
        ct_space_index_free(index, space->world->allocator);
    else if (index->capacity > index->count) // if there is no memory, the index stays as it is
        (void)ct_space_index_rebuild(index, space->world->allocator, index->cell);
}

// ---------------------------------------------------------------- values

// Column of a field, by match.
typedef struct number_column {
    const ct_query *matches;
    const ct_store *store; // NULL: no field
    uint32_t part;
    const unsigned char *items;
    ct_scalar type;
    uint32_t width;
} number_column;

typedef struct match_reader {
    const ct_space *space;
    const ct_query *matches;
    const ct_entity *owners; // of the first manager
    const ct_transform_arrays arrays;
    bool by_entity; // an entity may have several matches: rows are looked up
    bool batch;     // world matrices of the column are from before a batch
    uint32_t transform_part;
    number_column radius, mask;
    const ct_entity *ids; // by order
} match_reader;

static number_column column_of(const ct_query *matches, ct_space_field field) {
    if (field.part == CT_NO_ROW) return (number_column){.store = NULL};
    ct_manager *manager = matches->managers[field.part];
    const ct_field_info *info = ct_field_info_of(manager->fields[field.field].type);
    const ct_field *f = &manager->fields[field.field];
    return (number_column){.matches = matches,
                           .store = &manager->store,
                           .part = field.part,
                           .items = manager->store.columns.at[f->column],
                           .type = info->lane,
                           .width = info->bytes};
}

// Finds the rows of 'count' entries; CT_NO_ROW for an absent component.
static void read_rows(const match_reader *reader, const ct_store *store, uint32_t part,
                      uint32_t first, uint32_t count, uint32_t *out) {
    const ct_query_part *p = &reader->matches->parts[part];
    if (CT_UNLIKELY(reader->by_entity)) {
        for (uint32_t i = 0; i < count; ++i)
            out[i] = ct_store_find(store, reader->ids[first + i]).i;
    } else if (p->listed) {
        memcpy(out, p->rows + first, count * sizeof *out);
    } else {
        for (uint32_t i = 0; i < count; ++i)
            out[i] = first + i + p->offset;
    }
}

// Returns the column of a field of floats whose rows are in the order of the matches, or NULL.
static const float *floats_of(const match_reader *reader, const number_column *column) {
    if (reader->by_entity || column->type != CT_SCALAR_FLOAT) return NULL;
    const ct_query_part *part = &reader->matches->parts[column->part];
    return part->listed ? NULL : (const float *)(const void *)column->items + part->offset;
}

// Reads the numbers of 'count' entries; 0 for an absent component.
static void read_numbers(const match_reader *reader, const number_column *column, uint32_t first,
                         uint32_t count, double *out) {
    uint32_t rows[CT_SPACE_PIECE];
    const float *floats = (const float *)(const void *)column->items;
    const float *ordered = floats_of(reader, column);
    if (ordered == NULL) read_rows(reader, column->store, column->part, first, count, rows);
    for (uint32_t i = 0; i < count; ++i) {
        if (CT_LIKELY(ordered != NULL))
            out[i] = (double)ordered[first + i];
        else if (CT_UNLIKELY(rows[i] == CT_NO_ROW))
            out[i] = 0;
        else if (column->type == CT_SCALAR_FLOAT)
            out[i] = (double)floats[rows[i]];
        else
            out[i] = ct_scalar_load(column->type, column->items + (size_t)rows[i] * column->width);
    }
}

// Reads the radii of 'count' entries.
static void read_radii(const match_reader *reader, uint32_t first, uint32_t count, double *out) {
    const double same = reader->space->plan.radius;
    if (reader->radius.store == NULL) {
        for (uint32_t i = 0; i < count; ++i)
            out[i] = same;
        return;
    }
    read_numbers(reader, &reader->radius, first, count, out);
    for (uint32_t i = 0; i < count; ++i)
        out[i] = out[i] < 0 ? 0 : out[i];
}

// Reads the positions of the rows of transforms, NaN for an absent one.
static void read_positions(const match_reader *reader, const uint32_t *rows, uint32_t count,
                           ct_space_values *out) {
    static const float nowhere[16] = {[12] = NAN};
    const bool flat = reader->space->plan.dimensions == 2;
    for (uint32_t i = 0; i < count; ++i) {
        const float *world = nowhere;
        if (CT_UNLIKELY(reader->batch && rows[i] != CT_NO_ROW))
            world = ct_transform_world_matrix(reader->space->transforms, (ct_row){rows[i]});
        else if (CT_LIKELY(rows[i] != CT_NO_ROW))
            world = reader->arrays.world[rows[i]];
        out->x[i] = world[12];
        out->y[i] = world[13];
        out->z[i] = flat ? 0 : world[14];
    }
    for (uint32_t i = 0; i < count; ++i) {
        float x = out->x[i], y = out->y[i], z = out->z[i];
        float zero = (x - x) + (y - y) + (z - z); // NOLINT: NaN unless all are finite
        out->x[i] = x + zero;
    }
}

static void read_matches(const void *user, uint32_t first, uint32_t count, bool all,
                         ct_space_values *out) {
    const match_reader *reader = user;
    const ct_store *transforms = &reader->space->transforms->store;
    double numbers[CT_SPACE_PIECE];
    uint32_t rows[CT_SPACE_PIECE];
    read_rows(reader, transforms, reader->transform_part, first, count, rows);
    read_positions(reader, rows, count, out);
    read_radii(reader, first, count, out->radius);
    if (!all) return;
    if (reader->mask.store != NULL) read_numbers(reader, &reader->mask, first, count, numbers);
    for (uint32_t i = 0; i < count && reader->mask.store != NULL; ++i)
        out->mask[i] = (uint32_t)(int64_t)numbers[i];
    if (reader->by_entity) {
        memcpy(out->id, reader->ids + first, count * sizeof *out->id);
        return;
    }
    read_rows(reader, NULL, 0, first, count, rows);
    for (uint32_t i = 0; i < count; ++i)
        out->id[i] = reader->owners[rows[i]];
}

static match_reader open_reader(const ct_space *space, const ct_query *matches) {
    match_reader r = {.space = space,
                      .matches = matches,
                      .arrays = ct_transform_open(space->transforms),
                      .by_entity = matches->managers[0]->store.multiple,
                      .batch = ct_transform_in_batch(space->transforms),
                      .owners = ct_store_owners(&matches->managers[0]->store),
                      .ids = space->index.ids,
                      .radius = column_of(matches, space->plan.radius_field),
                      .mask = column_of(matches, space->plan.mask_field)};
    while (matches->managers[r.transform_part] != space->transforms)
        r.transform_part++;
    return r;
}

// ---------------------------------------------------------------- updates

// Returns whether the matches are the entities of the index, in the same order.
static bool are_same(const ct_space *space, const ct_query *matches) {
    const ct_store *first = &matches->managers[0]->store;
    const ct_query_part *part = &matches->parts[0];
    const ct_entity *owners = ct_store_owners(first), *ids = space->index.ids;
    uint32_t count = matches->count;
    if (count != space->index.count || first->multiple) return false;
    if (space->finds == matches->finds) return true;
    if (!part->listed && count > 0)
        return memcmp(owners + part->offset, ids, count * sizeof *ids) == 0;
    uint32_t i = 0;
    while (i < count && owners[part->rows[i]].id == ids[i].id)
        ++i;
    return i == count;
}

// Returns whether the radii of the index are equal, bit by bit, to the column of the field.
static bool are_same_radii(const match_reader *reader, const ct_space_index *index) {
    const float *items = floats_of(reader, &reader->radius);
    return items != NULL && memcmp(items, index->radii, index->count * sizeof *items) == 0;
}

// Finds the entries with other radii than in the index. Returns their number; moves them, for which
// there is room, if 'move'.
static uint32_t compare_radii(const match_reader *reader, ct_space_index *index, bool move) {
    double radii[CT_SPACE_PIECE];
    uint32_t changed = 0, piece;
    if (index->count == 0 || !index->has_radii || are_same_radii(reader, index)) return 0;
    for (uint32_t first = 0; first < index->count; first += piece) {
        piece = index->count - first < CT_SPACE_PIECE ? index->count - first : CT_SPACE_PIECE;
        read_radii(reader, first, piece, radii);
        for (uint32_t i = 0; i < piece; ++i) {
            double now = radii[i], then = ct_space_radius_at(index, first + i);
            if (CT_LIKELY(now == then) || (now != now && then != then)) continue; // NOLINT: NaN
            changed++;
            if (!move) continue;
            const ct_space_entry *entry = &index->entries[index->place[first + i]];
            const float at[3] = {entry->x, entry->y, (float)ct_space_z(index, entry)};
            ct_space_index_move(index, first + i, at, now);
        }
    }
    return changed;
}

// Moves at most CT_SPACE_PIECE entries, after a request for the memory of all.
static void move_some(ct_space_index *index, const match_reader *reader, const ct_entity *entities,
                      uint32_t count) {
    uint32_t orders[CT_SPACE_PIECE], found = 0;
    float at[CT_SPACE_PIECE][3];
    double radii[CT_SPACE_PIECE];
    ct_space_values values;
    for (uint32_t i = 0; i < count; ++i) {
        ct_row row = ct_store_find(&reader->matches->managers[0]->store, entities[i]);
        orders[found] = row.i != CT_NO_ROW ? ct_query_find(reader->matches, row) : CT_NO_ROW;
        if (orders[found] != CT_NO_ROW) CT_PREFETCH(&index->place[orders[found++]]);
    }
    for (uint32_t i = 0; i < found; ++i) {
        read_matches(reader, orders[i], 1, false, &values);
        CT_PREFETCH(&index->entries[index->place[orders[i]]]);
        at[i][0] = values.x[0], at[i][1] = values.y[0], at[i][2] = values.z[0];
        radii[i] = values.radius[0];
    }
    for (uint32_t i = 0; i < found; ++i)
        ct_space_index_move(index, orders[i], at[i], radii[i]);
}

// Changes the index in place. There is room for all entries that change.
static void change(ct_space *space, const match_reader *reader, const ct_changed_poses *changed) {
    ct_space_index *index = &space->index;
    double masks[CT_SPACE_PIECE];
    uint32_t piece;
    for (uint32_t first = 0; first < changed->count; first += piece) {
        piece = changed->count - first < CT_SPACE_PIECE ? changed->count - first : CT_SPACE_PIECE;
        move_some(index, reader, changed->entities + first, piece);
    }
    for (uint32_t first = 0; index->has_masks && first < index->count; first += piece) {
        piece = index->count - first < CT_SPACE_PIECE ? index->count - first : CT_SPACE_PIECE;
        read_numbers(reader, &reader->mask, first, piece, masks);
        for (uint32_t i = 0; i < piece; ++i)
            index->masks[first + i] = (uint32_t)(int64_t)masks[i];
    }
}

// Builds the index from all matches, which are those of the index if 'same'.
static ct_status build(ct_space *space, const ct_query *matches, bool same) {
    const ct_allocator *allocator = space->world->allocator;
    ct_space_index *index = &space->index;
    if (!ct_space_index_reserve(index, allocator, matches->count))
        return ct_out_of_memory(allocator);
    uint32_t count = matches->count;
    const match_reader reader = open_reader(space, matches);
    if (reader.by_entity) count = ct_query_entities(matches, index->ids);
    const ct_space_source source = {&reader, read_matches};
    ct_space_index_build(index, space->plan.cell, count, same, &source);
    return CT_OK;
}

// Sets how radii are stored: a radius of all entries is exact in 'radius', a number of a field in
// the entry if a float has all its values.
static void prepare(ct_space *space, const ct_query *matches) {
    ct_space_index *index = &space->index;
    index->radius = index->has_radii ? 0 : space->plan.radius;
    if (!index->has_radii) return;
    ct_scalar type = column_of(matches, space->plan.radius_field).type;
    index->wide = type == CT_SCALAR_DOUBLE || type == CT_SCALAR_INT32 || type == CT_SCALAR_UINT32;
}

ct_status ct_space_refresh(ct_space *space, const ct_query *matches) {
    enum { STRAYS = 16 };
    ct_changed_poses changed;
    if (space->world == NULL) return CT_ERR_OVER;
    prepare(space, matches);
    if (space->watch == 0) {
        ct_status status = ct_transform_watch(space->transforms, &space->watch);
        if (status != CT_OK) return status;
    }
    ct_status status = ct_transform_changed_poses(space->transforms, space->watch, &changed);
    if (status != CT_OK) return status;
    const match_reader reader = open_reader(space, matches);
    const bool same =
        space->restores == space->world->entities->restores && are_same(space, matches);
    bool again =
        space->stale || changed.all || reader.batch || !same || space->index.strays > STRAYS;
    uint32_t left = space->index.spare - space->index.moved, radii = 0;
    if (!again && changed.count <= left) radii = compare_radii(&reader, &space->index, false);
    if (!again && changed.count <= left && radii <= left - changed.count) {
        space->deaths = space->world->entities->deaths;
        space->finds = matches->finds;
        change(space, &reader, &changed);
        if (radii > 0) (void)compare_radii(&reader, &space->index, true);
        return CT_OK;
    }
    space->stale = true;
    status = build(space, matches, same);
    if (status != CT_OK) return status;
    space->restores = space->world->entities->restores;
    space->deaths = space->world->entities->deaths;
    space->finds = matches->finds;
    space->stale = reader.batch;
    return CT_OK;
}
