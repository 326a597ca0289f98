// Spawning of the instances of a section for many copies of its entities, in large pieces.
#include "resource/spawner_internal.h"

#include "base/arena.h"
#include "base/runs.h"

#include <string.h>

// Entities of a piece, or instances if there are more: small enough that data read for each step
// stays in the cache, large enough that the cost of a call is negligible. Test builds use small
// pieces, so that specs have several.
#if defined(CT_TEST) && CT_TEST
#define PIECE 8u
#else
#define PIECE 512u
#endif

// A section laid out as if several copies were one resource.
typedef struct piece {
    const ct_section *section;
    ct_layout layout;
    uint32_t entities;     // of one copy
    ct_layout_places once; // places of the columns in the section
    uint32_t string_bytes;
    uint32_t copies; // number of copies in the piece; its columns are at 'places'
    ct_layout_places places;
    uint32_t *entity_index;
    unsigned char *data;
    size_t size;
} piece;

// Computes the places of a piece of this many copies. Returns false if the piece would be too
// large.
static bool place(piece *p, uint32_t copies) {
    uint64_t instances = (uint64_t)p->section->num_instances * copies;
    if (instances > CT_MAX_ROWS || !ct_layout_place(&p->layout, (uint32_t)instances, &p->places))
        return false;
    p->copies = copies;
    p->size = (size_t)p->places.strings + p->string_bytes;
    return p->size <= UINT32_MAX;
}

// Adds the offset of each copy to entity numbers; CT_NOBODY stays.
static void renumber(unsigned char *items, uint32_t count, uint32_t copies, uint32_t entities) {
    for (uint32_t copy = 1; copy < copies; ++copy) {
        unsigned char *item = items + (size_t)copy * count * sizeof(uint32_t);
        for (uint32_t i = 0; i < count; ++i, item += sizeof(uint32_t)) {
            uint32_t entity;
            memcpy(&entity, item, sizeof entity);
            if (entity != CT_NOBODY) entity += copy * entities;
            memcpy(item, &entity, sizeof entity);
        }
    }
}

static void lay_out(const piece *p) {
    const ct_section *section = p->section;
    uint32_t count = section->num_instances;
    size_t bytes = count * sizeof(uint32_t);
    unsigned char *index = (unsigned char *)p->entity_index;
    ct_bytes_repeat(index, (const unsigned char *)section->entity_index, bytes, p->copies);
    renumber(index, count, p->copies, p->entities);
    if (p->layout.multiple) ct_bytes_repeat(p->data, section->data, bytes, p->copies);
    for (uint32_t f = 0; f < p->layout.field_count; ++f) {
        ct_field_type type = p->layout.fields[f].type;
        unsigned char *to = p->data + p->places.field[f];
        ct_bytes_repeat(to, section->data + p->once.field[f],
                        (size_t)count * ct_field_compiled_bytes(type), p->copies);
        if (type == CT_FIELD_ENTITY) renumber(to, count, p->copies, p->entities);
    }
    memcpy(p->data + p->places.strings, section->data + p->once.strings, p->string_bytes);
}

// Spawns a piece for the copies from 'first' on.
static ct_status spawn_piece(ct_manager *manager, const piece *p, const ct_spawn *all,
                             uint32_t first) {
    ct_spawn spawn = ct_spawn_copy(all, first);
    spawn.copies = p->copies;
    spawn.pose_each = all->pose_each;
    spawn.entity_count = p->entities * p->copies;
    spawn.num_instances = p->section->num_instances * p->copies;
    spawn.entity_index = p->entity_index;
    spawn.data = p->data;
    spawn.size = (uint32_t)p->size;
    return ct_manager_spawn(manager, &spawn);
}

// Spawns piece after piece; the last one may be smaller.
static ct_status spawn_pieces(ct_manager *manager, piece *p, const ct_spawn *all) {
    uint32_t most = p->copies;
    for (uint32_t first = 0; first < all->copies; first += p->copies) {
        uint32_t left = all->copies - first;
        bool last = left < most;
        if (last) place(p, left);
        if (first == 0 || last) lay_out(p);
        ct_status status = spawn_piece(manager, p, all, first);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

// Collects dead rows at the row limit now, because no rows may move between two pieces.
static bool make_room(ct_store *store, uint32_t count) {
    if (count > CT_MAX_ROWS - ct_store_count(store)) ct_store_sweep(store);
    return count <= CT_MAX_ROWS - ct_store_count(store);
}

// Returns the number of copies of a piece. Pieces have equal sizes, so that most are laid out
// once.
static uint32_t copies_at_once(const ct_manager *manager, const piece *p, uint32_t copies) {
    uint32_t items = p->section->num_instances, most = 1;
    if (manager->shape->together) return copies;
    if (items < p->entities) items = p->entities;
    if (items < PIECE) most = PIECE / items;
    uint32_t pieces = copies / most + (copies % most != 0);
    return copies / pieces + (copies % pieces != 0);
}

// Finds the columns of the section. The padding after the last one may be missing.
static bool find_columns(piece *p) {
    uint32_t size = p->section->size;
    if (!ct_layout_place(&p->layout, p->section->num_instances, &p->once)) return false;
    p->string_bytes = size > p->once.strings ? size - p->once.strings : 0;
    return true;
}

static size_t index_bytes(const piece *p) {
    return (size_t)p->section->num_instances * p->copies * sizeof *p->entity_index;
}

static ct_status spawn_many(ct_manager *manager, piece *p, const ct_spawn *all) {
    if (!find_columns(p)) return CT_ERR_DATA;
    if (!make_room(&manager->store, p->section->num_instances * all->copies)) return CT_ERR_FULL;
    if (!place(p, copies_at_once(manager, p, all->copies))) return CT_ERR_MEMORY;
    unsigned char *block = ct_scratch_take(all->scratch, ct_padded(p->size) + index_bytes(p));
    if (block == NULL) return CT_ERR_MEMORY;
    p->data = block;
    p->entity_index = (uint32_t *)(void *)(block + ct_padded(p->size));
    return spawn_pieces(manager, p, all);
}

ct_status ct_repeat_spawn(ct_manager *manager, const ct_section *section, const ct_spawn *spawn) {
    if (spawn->copies > 1) {
        piece p = {.section = section,
                   .layout = spawn->layout != NULL ? *spawn->layout : manager->shape->layout,
                   .entities = spawn->entity_count / spawn->copies};
        return spawn_many(manager, &p, spawn);
    }
    ct_spawn one = *spawn;
    one.num_instances = section->num_instances;
    one.entity_index = section->entity_index;
    one.data = section->data;
    one.size = section->size;
    return ct_manager_spawn(manager, &one);
}
