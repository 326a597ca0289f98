// The list of the levels of a world, which unloads them and marks reissued ids.
#include "level/level_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/message.h"

#include <string.h>

// ---------------------------------------------------------------- wrapped generations

// Lists with fewer entities are searched linearly.
#define FEW_ENTITIES 64u

// Builds the table of places by index. If memory runs out, the table stays empty.
static void make_places(const ct_level *level, ct_table *places, const ct_entity *entities,
                        uint32_t count) {
    if (!ct_table_reserve(places, level->levels->world->allocator, count, NULL, NULL)) return;
    for (uint32_t i = 0; i < count; ++i)
        ct_table_add(places, ct_hash_index(ct_entity_index(entities[i])), i);
}

static void set_entered(ct_level *level, bool entered) {
    if (level->entered == entered) return;
    level->entered = entered;
    level->levels->not_entered_count += entered ? -1u : 1u;
}

void ct_level_forget_places(ct_level *level) {
    const ct_allocator *allocator = level->levels->world->allocator;
    if (level->linked) set_entered(level, false);
    ct_table_free(&level->places, allocator);
    ct_table_free(&level->replaced_places, allocator);
}

// Returns the place of an entity, or CT_TABLE_NONE. Only the bits of 'mask' of ids are compared.
static uint32_t place_of(const ct_table *places, const ct_entity *entities, uint32_t count,
                         ct_entity e, uint32_t mask) {
    uint32_t hash = ct_hash_index(ct_entity_index(e)), at = ct_table_home(places, hash), place = 0;
    if (places->used > 0) {
        do
            place = ct_table_next(places, hash, &at);
        while (place != CT_TABLE_NONE && ((entities[place].id ^ e.id) & mask) != 0);
        return place;
    }
    while (place < count && ((entities[place].id ^ e.id) & mask) != 0)
        place++;
    return place < count ? place : CT_TABLE_NONE;
}

static void mark_lost_in(const ct_level *level, ct_table *places, ct_entity *entities,
                         uint32_t count, uint32_t index) {
    if (places->used == 0 && count >= FEW_ENTITIES) make_places(level, places, entities, count);
    uint32_t place = place_of(places, entities, count, (ct_entity){index}, CT_ENTITY_INDEX_MASK);
    if (place != CT_TABLE_NONE) entities[place].id |= CT_LEVEL_LOST;
}

static void mark_lost(ct_level *level, uint32_t index) {
    mark_lost_in(level, &level->replaced_places, level->replaced, level->replaced_count, index);
    mark_lost_in(level, &level->places, level->entities, level->count, index);
}

uint32_t ct_level_place_of(ct_level *level, ct_entity e) {
    if (level->places.used == 0 && level->count >= FEW_ENTITIES)
        make_places(level, &level->places, level->entities, level->count);
    return place_of(&level->places, level->entities, level->count, e, UINT32_MAX);
}

// Reserves a bit for every index. Returns false if memory runs out: levels are searched then.
static bool reserve_indices(ct_levels *levels) {
    uint32_t words = levels->world->entities->capacity / 64 + 1;
    if (words <= levels->index_words) return true;
    size_t bytes = levels->index_words * sizeof *levels->indices;
    uint64_t *indices = ct_alloc_zero(levels->world->allocator, words * sizeof *indices);
    if (indices == NULL) return false;
    if (bytes > 0) memcpy(indices, levels->indices, bytes);
    ct_free(levels->world->allocator, levels->indices, bytes);
    levels->indices = indices;
    levels->index_words = words;
    return true;
}

// Sets the bits of the entities of levels that are not entered, and marks the id with 'index' in
// these levels. Levels that are being spawned, patched or unloaded stay unentered, and are
// searched each time.
static void enter_indices(ct_levels *levels, uint32_t index) {
    bool room = reserve_indices(levels);
    uint32_t left = levels->not_entered_count;
    for (ct_level *level = levels->youngest; level != NULL && left > 0; level = level->older) {
        if (level->entered) continue;
        left--;
        mark_lost(level, index);
        if (!room || level->spawning || level->patching || level->unloading) continue;
        for (uint32_t i = 0; i < level->count; ++i) {
            uint32_t at = ct_entity_index(level->entities[i]);
            if (at / 64 < levels->index_words) levels->indices[at / 64] |= (uint64_t)1 << at % 64;
        }
        set_entered(level, true);
    }
}

// Marks the id with 'index' in all levels, because the generations of that index start again: the
// old entity is dead, and its id will be reissued. Called once in 256 lives of an index. O(1) if
// no level has the index; otherwise one probe per level of the world. The first call for a level
// costs O(entities).
static void on_generation_wrap(ct_generation_wrap_listener *listener, uint32_t index) {
    ct_levels *levels = (void *)((char *)listener - offsetof(ct_levels, watch));
    if (levels->not_entered_count > 0) enter_indices(levels, index);
    uint64_t bit = (uint64_t)1 << index % 64;
    if (index / 64 >= levels->index_words || (levels->indices[index / 64] & bit) == 0) return;
    for (ct_level *level = levels->youngest; level != NULL; level = level->older)
        mark_lost(level, index);
    levels->indices[index / 64] &= ~bit;
}

// ---------------------------------------------------------------- the list

void ct_levels_init(ct_levels *levels, ct_world *world) { *levels = (ct_levels){.world = world}; }

void ct_levels_remove(ct_level *level) {
    ct_levels *levels = level->levels;
    if (!level->linked) return;
    ct_level_forget_places(level);
    levels->not_entered_count--;
    if (level->younger != NULL)
        level->younger->older = level->older;
    else
        levels->youngest = level->older;
    if (level->older != NULL) level->older->younger = level->younger;
    levels->count--;
    level->linked = false;
    ct_level_release(level);
}

void ct_levels_release(ct_level *level, void *context) {
    const ct_host *host = level->levels->world->host;
    ct_level_hold(level);
    ct_levels_remove(level);
    if (host != NULL && host->released != NULL) host->released(context, level);
    ct_level_release(level);
}

uint32_t ct_level_alive(const ct_level *level) {
    const ct_entity_manager *entities = level->levels->world->entities;
    uint32_t alive = 0;
    for (uint32_t i = 0; i < level->count; ++i)
        alive += ct_entity_manager_alive(entities, level->entities[i]);
    return alive;
}

// Stops at the first living entity.
static bool is_alive(const ct_level *level) {
    uint32_t i = 0;
    while (i < level->count &&
           !ct_entity_manager_alive(level->levels->world->entities, level->entities[i]))
        i++;
    return i < level->count;
}

// Releases levels without living entities, so that a world that spawns bullets for hours does not
// accumulate levels. Runs again when the number of levels has doubled.
static void prune(ct_levels *levels, void *context) {
    enum { FEW = 16 };
    if (levels->count < levels->limit) return;
    for (ct_level *level = levels->youngest, *older; level != NULL; level = older) {
        older = level->older;
        if (level->spawning || level->patching || level->unloading || is_alive(level)) continue;
        // A level outside the list is not notified of reissued ids.
        for (uint32_t i = 0; i < level->count; ++i)
            level->entities[i].id |= CT_LEVEL_LOST;
        ct_levels_release(level, context);
    }
    levels->limit = levels->count * 2 > FEW ? levels->count * 2 : FEW;
}

void ct_levels_enter(ct_level *level) {
    ct_levels *levels = level->levels;
    if (levels->watch.fn == NULL) {
        levels->watch = (ct_generation_wrap_listener){on_generation_wrap, NULL, NULL};
        ct_entity_manager_watch(levels->world->entities, &levels->watch);
    }
    level->older = levels->youngest;
    level->younger = NULL;
    if (level->older != NULL) level->older->younger = level;
    levels->youngest = level;
    levels->count++;
    levels->not_entered_count++;
    level->entered = false;
    level->linked = true;
    ct_level_hold(level);
}

void ct_levels_add(ct_level *level, void *context) {
    ct_levels *levels = level->levels;
    prune(levels, context);
    level->serial = ++levels->serial;
    ct_levels_enter(level);
}

void ct_levels_end(ct_levels *levels) {
    for (ct_level *level = levels->youngest, *older; level != NULL; level = older) {
        older = level->older;
        ct_level_forget_places(level);
        level->linked = false;
        level->count = level->replaced_count = 0;
        ct_level_release(level);
    }
    levels->youngest = NULL;
    levels->count = 0;
    ct_free(levels->world->allocator, levels->indices,
            levels->index_words * sizeof *levels->indices);
    levels->indices = NULL;
    levels->index_words = levels->not_entered_count = 0;
    ct_free(levels->world->allocator, levels->records,
            levels->record_capacity * sizeof *levels->records);
    levels->records = NULL;
    levels->record_count = levels->record_capacity = 0;
    ct_entity_manager_unwatch(&levels->watch);
    levels->watch.fn = NULL;
}

ct_level *ct_levels_next(const ct_levels *levels, const ct_level *level) {
    ct_level *next = level != NULL ? level->younger : levels->youngest;
    while (level == NULL && next != NULL && next->older != NULL)
        next = next->older;
    while (next != NULL && !is_alive(next))
        next = next->younger;
    return next;
}

// ---------------------------------------------------------------- snapshots

// State of a level in a snapshot. A patch gives the level other blocks; the snapshot keeps these.
typedef struct saved_level {
    ct_level *level;
    uint32_t count, serial, types;
    ct_resource *resource, *other;
    ct_entity *entities;
    bool *skipped;
    ct_level_memory *room;
} saved_level;

static void release_level(void *level) { ct_level_release(level); }

// Makes the snapshot hold the level and the memory of its entities.
static void hold(ct_level *level, ct_state *state) {
    if (state->pass == CT_STATE_SAVE) {
        ct_level_hold(level);
        ct_level_memory_hold(level->room);
    }
    ct_state_hold(state, level->memory == NULL ? NULL : level, release_level);
    ct_state_hold(state, level->room, ct_level_memory_release);
}

// Checks that the block of a level is large enough, because it may have been reused for another
// resource since. A level that was patched since has other blocks.
static void check_room(const ct_level *level, const saved_level *v, ct_state *state) {
    bool same = v->entities != level->entities ||
                (v->count <= ct_spawner_count(level->resource, &level->options) &&
                 v->types == level->resource->num_component_types);
    if (!same && !ct_state_require(state, CT_ERR_DATA))
        ct_message_set(state->message, "a level was given another resource after the snapshot");
}

// Saves the level, or restores the saved level, which then becomes the youngest. Returns true if
// it was restored; a level of another world is skipped.
static bool level_state(ct_levels *levels, ct_level *level, ct_state *state) {
    saved_level v = {.level = level};
    if (level != NULL)
        v = (saved_level){
            level,           level->count, level->serial,   level->resource->num_component_types,
            level->resource, level->other, level->entities, level->skipped,
            level->room};
    if (level != NULL) hold(level, state);
    ct_state_values(state, &v, sizeof v);
    CT_ASSERT(v.level != NULL);
    bool ours = v.level->levels == levels;
    if (state->pass == CT_STATE_RESERVE && ours) check_room(v.level, &v, state);
    if (state->pass == CT_STATE_COMMIT && ours) ct_levels_remove(v.level);
    const ct_state_pass pass = state->pass;
    if (pass == CT_STATE_COMMIT && !ours) state->pass = CT_STATE_RESERVE; // skips the data
    const void *entities = ct_state_block(state, v.entities, v.count * sizeof *v.entities);
    const void *skipped = ct_state_block(state, v.skipped, v.types * sizeof *v.skipped);
    state->pass = pass;
    if (state->pass == CT_STATE_COMMIT && levels->records_levels)
        levels->records[levels->record_count++] =
            (ct_level_record){v.level, v.resource, entities, v.count, skipped, v.types};
    if (state->pass != CT_STATE_COMMIT || !ours) return false;
    if (v.level->entities != v.entities) {
        v.level->resource = v.resource;
        v.level->other = v.other;
    }
    ct_level_memory *replaced = v.level->room;
    v.level->room = ct_level_memory_hold(v.room);
    ct_level_memory_release(replaced);
    v.level->entities = v.entities;
    v.level->skipped = v.skipped;
    v.level->count = v.count;
    v.level->serial = v.serial;
    ct_levels_enter(v.level);
    return true;
}

// The oldest level is first. Restored levels are the youngest of the list; the older levels below
// them are emptied.
void ct_levels_state(ct_levels *levels, ct_state *state, void *context) {
    uint32_t count = ct_state_number(state, levels->count), back = 0;
    ct_level *level = ct_state_restores(state) ? NULL : levels->youngest, *older;
    if (state->pass == CT_STATE_RESERVE && levels->records_levels)
        ct_state_require(
            state, ct_array_reserve(levels->world->allocator, (void **)&levels->records,
                                    &levels->record_capacity, count, sizeof *levels->records));
    while (level != NULL && level->older != NULL)
        level = level->older;
    for (uint32_t i = 0; i < count; ++i) {
        back += level_state(levels, level, state);
        if (level != NULL) level = level->younger;
    }
    if (state->pass != CT_STATE_COMMIT) return;
    for (level = levels->youngest; level != NULL; level = older) {
        older = level->older;
        if (back > 0) {
            back--;
            continue;
        }
        level->count = 0;
        ct_levels_release(level, context);
    }
}
