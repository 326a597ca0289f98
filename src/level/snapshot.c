// Snapshots: the state of an entity manager and all its worlds, in one block of memory.
#include "level/snapshot.h"
#include "level/level_internal.h"

#include "base/message.h"
#include "world/save.h"

void ct_snapshot_init(ct_snapshot *snapshot, const ct_allocator *allocator) {
    *snapshot = (ct_snapshot){.allocator = allocator};
}

static void release_held(ct_snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->held_count; ++i)
        snapshot->held[i].release(snapshot->held[i].block);
    ct_free(snapshot->allocator, snapshot->held, snapshot->held_count * sizeof *snapshot->held);
}

void ct_snapshot_free(ct_snapshot *snapshot) {
    release_held(snapshot);
    ct_free(snapshot->allocator, snapshot->block, snapshot->capacity);
    ct_snapshot_init(snapshot, snapshot->allocator);
}

// Returns the world with a name, or NULL.
static const ct_snapshot_world *find_world(const ct_snapshot_worlds *worlds, const char *name) {
    for (uint32_t i = 0; i < worlds->count; ++i) {
        if (strcmp(worlds->items[i].name, name) == 0) return &worlds->items[i];
    }
    return NULL;
}

// Saves the name of the world at a place, or returns the world with the saved name. RESERVE fails
// if there is none.
static const ct_snapshot_world *walk_world(const ct_snapshot_worlds *worlds, uint32_t place,
                                           ct_state *state) {
    bool restores = ct_state_restores(state);
    const ct_snapshot_world *world = restores ? NULL : &worlds->items[place];
    uint32_t bytes = ct_state_number(state, world != NULL ? (uint32_t)strlen(world->name) + 1 : 0);
    char *name = ct_state_piece(state, bytes);
    if (world != NULL && name != NULL) memcpy(name, world->name, bytes);
    if (!restores || name == NULL) return world;
    world = find_world(worlds, name);
    if (world == NULL && !ct_state_require(state, CT_ERR_DATA))
        ct_message_set(state->message, "world '%s' was destroyed after the snapshot", name);
    return world;
}

// State of a pass for each world.
typedef struct walked_world {
    ct_string_numbers strings;
    bool saved;
} walked_world;

static void refuse_newer(const ct_snapshot_worlds *worlds, const walked_world *walked,
                         ct_state *state) {
    for (uint32_t i = 0; i < worlds->count && state->status == CT_OK; ++i) {
        if (walked[i].saved) continue;
        ct_state_require(state, CT_ERR_DATA);
        ct_message_set(state->message, "world '%s' was created after the snapshot",
                       worlds->items[i].name);
    }
}

static void walk(const ct_snapshot_worlds *worlds, walked_world *walked, ct_state *state) {
    ct_entity_manager_state(worlds->entities, state);
    uint32_t count = ct_state_number(state, worlds->count);
    for (uint32_t i = 0; i < count && state->status == CT_OK; ++i) {
        const ct_snapshot_world *world = walk_world(worlds, i, state);
        if (world == NULL) return;
        walked_world *own = &walked[world - worlds->items];
        own->saved = true;
        ct_world_state(world->world, world->name, &own->strings, state);
        if (world->levels != NULL && state->status == CT_OK)
            ct_levels_state(world->levels, state, world->context);
    }
    refuse_newer(worlds, walked, state);
}

static ct_status check_idle(const ct_snapshot_worlds *worlds, ct_message *message) {
    ct_status status = worlds->entities->destroyed ? CT_ERR_OVER : CT_OK;
    if (worlds->entities->dying_count > 0) {
        ct_message_set(message, "an entity is being destroyed");
        status = CT_ERR_DATA;
    }
    for (uint32_t i = 0; i < worlds->count && status == CT_OK; ++i) {
        const ct_world *world = worlds->items[i].world;
        if (world->busy == 0 && world->ending == 0) continue;
        ct_message_set(message, "world '%s' is in use", worlds->items[i].name);
        status = CT_ERR_DATA;
    }
    return status;
}

// Begins a pass over a block whose table has 'pieces' sizes.
static ct_state pass_of(ct_state_pass pass, void *block, uint32_t pieces, ct_message *message) {
    ct_state state = {.pass = pass, .message = message};
    if (block != NULL) state.block = (unsigned char *)block + ct_snapshot_table_bytes(pieces);
    return state;
}

// Clears the rest of the table, so that equal states have equal bytes.
static void begin_table(ct_snapshot *snapshot, ct_state *state) {
    size_t bytes = ct_snapshot_table_bytes(snapshot->piece_count);
    CT_ASSERT(bytes > 0);
    state->sizes = snapshot->block;
    memset((unsigned char *)snapshot->block + bytes - 16, 0, 16);
}

static ct_status measure_and_save(ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                                  walked_world *walked, ct_message *message) {
    ct_state state = pass_of(CT_STATE_MEASURE, NULL, 0, message);
    walk(worlds, walked, &state);
    if (state.status != CT_OK) return state.status;
    uint32_t held_count = state.held_count, pieces = state.piece_count;
    size_t bytes = ct_snapshot_table_bytes(pieces) + state.used;
    ct_held *held = ct_alloc(snapshot->allocator, held_count * sizeof *held);
    if (held == NULL && held_count > 0) return CT_ERR_MEMORY;
    if (bytes > snapshot->capacity) {
        void *block = ct_alloc(snapshot->allocator, bytes);
        if (block == NULL) {
            ct_free(snapshot->allocator, held, held_count * sizeof *held);
            return CT_ERR_MEMORY;
        }
        ct_free(snapshot->allocator, snapshot->block, snapshot->capacity);
        snapshot->block = block;
        snapshot->capacity = bytes;
    }
    // Nothing below this line can fail.
    snapshot->bytes = bytes;
    snapshot->piece_count = pieces;
    state = pass_of(CT_STATE_SAVE, snapshot->block, pieces, message);
    state.held = held;
    begin_table(snapshot, &state);
    walk(worlds, walked, &state);
    CT_ASSERT(state.status == CT_OK && ct_snapshot_table_bytes(pieces) + state.used == bytes);
    CT_ASSERT(state.held_count == held_count && state.piece_count == pieces);
    release_held(snapshot);
    snapshot->held = held;
    snapshot->held_count = held_count;
    return CT_OK;
}

static ct_status reserve_and_commit(const ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                                    walked_world *walked, ct_message *message) {
    const uint32_t pieces = snapshot->piece_count;
    ct_state state = pass_of(CT_STATE_RESERVE, snapshot->block, pieces, message);
    walk(worlds, walked, &state);
    ct_status status = state.status;
    if (status == CT_OK) {
        state = pass_of(CT_STATE_COMMIT, snapshot->block, pieces, message);
        walk(worlds, walked, &state);
        CT_ASSERT(state.status == CT_OK && state.piece_count == pieces);
    }
    for (uint32_t i = 0; i < worlds->count; ++i)
        ct_string_pool_release_numbers(&worlds->items[i].world->strings, &walked[i].strings);
    return status;
}

static size_t walked_bytes(const ct_snapshot_worlds *worlds) {
    return (worlds->count + (size_t)1) * sizeof(walked_world);
}

static ct_status begin(const ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                       walked_world **walked, ct_message *message) {
    ct_status status = check_idle(worlds, message);
    if (status != CT_OK) return status;
    *walked = ct_alloc_zero(snapshot->allocator, walked_bytes(worlds));
    return *walked != NULL ? CT_OK : CT_ERR_MEMORY;
}

ct_status ct_snapshot_take(ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                           ct_message *message) {
    walked_world *walked;
    ct_status status = begin(snapshot, worlds, &walked, message);
    if (status != CT_OK) return status;
    status = measure_and_save(snapshot, worlds, walked, message);
    ct_free(snapshot->allocator, walked, walked_bytes(worlds));
    return status;
}

ct_status ct_snapshot_restore(const ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                              ct_message *message) {
    walked_world *walked;
    if (snapshot->bytes == 0) {
        ct_message_set(message, "the snapshot is empty");
        return CT_ERR_DATA;
    }
    ct_status status = begin(snapshot, worlds, &walked, message);
    if (status != CT_OK) return status;
    status = reserve_and_commit(snapshot, worlds, walked, message);
    ct_free(snapshot->allocator, walked, walked_bytes(worlds));
    return status;
}

uint64_t ct_snapshot_hash(const ct_snapshot_worlds *worlds) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < worlds->count; ++i) {
        const ct_world *world = worlds->items[i].world;
        const char *name = worlds->items[i].name;
        uint64_t managers = world->random.state;
        for (uint32_t m = 0; m < world->manager_count; ++m)
            managers += ct_manager_hash(world->managers[m]);
        sum += ct_hash_mix(ct_hash_fnv1a(CT_FNV1A_START, name, strlen(name)), managers);
    }
    return ct_hash_mix(ct_entity_manager_hash(worlds->entities), sum);
}
