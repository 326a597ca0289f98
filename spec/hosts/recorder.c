// A program without Lua that records a random history, and compares each snapshot of the recorder
// byte for byte with a complete one that was taken of the same state.
//
// usage: recorder SEED ROUNDS
#include "level/recorder.h"
#include "component/debug_name.h"
#include "component/transform.h"
#include "world/checked/checked.h"
#include "world/create.h"

#include "host.h"

enum { MOST = 24 };

static budget memory = {0, SIZE_MAX};
static const ct_allocator allocator = {reallocate_within, &memory};

typedef struct scene {
    ct_entity_manager entities;
    ct_world worlds[2];
    uint32_t epochs, random;
    ct_snapshot_world items[2];
    ct_snapshot_worlds all;
    ct_recorder recorder;
    ct_snapshot taken[MOST]; // the newest is last
    uint32_t count, keep;
} scene;

static void fail(const scene *s, const char *problem) {
    printf("%s; %u snapshots of %u\n", problem, (unsigned)s->recorder.count, (unsigned)s->keep);
    exit(2);
}

static uint32_t pick(scene *s, uint32_t below) {
    s->random = s->random * 1664525u + 1013904223u;
    return (s->random >> 8) % below;
}

static ct_manager *transforms_of(scene *s) { return ct_world_find(&s->worlds[0], CT_TRANSFORM); }

static void open_scene(scene *s, uint32_t keep) {
    static const char *const names[] = {"sea", "sky"};
    ct_entity_manager_init(&s->entities, &allocator, 4);
    for (int i = 0; i < 2; ++i) {
        if (ct_world_init(&s->worlds[i], &allocator, &s->entities, &s->epochs, 1) != CT_OK) exit(3);
        s->items[i] = (ct_snapshot_world){names[i], &s->worlds[i], NULL, NULL};
    }
    s->all = (ct_snapshot_worlds){&s->entities, s->items, 2};
    s->keep = keep;
    s->count = 0;
    ct_recorder_init(&s->recorder, &allocator, 1, keep);
}

static void close_scene(scene *s) {
    ct_recorder_free(&s->recorder);
    for (uint32_t i = 0; i < s->count; ++i)
        ct_snapshot_free(&s->taken[i]);
    for (int i = 0; i < 2; ++i)
        ct_world_free(&s->worlds[i]);
    ct_entity_manager_free(&s->entities);
}

// ---------------------------------------------------------------- changes

static void create(scene *s) {
    static const ct_values defaults[16];
    ct_entity made[400];
    uint32_t failed, count = pick(s, 8) == 0 ? 400 : pick(s, 20) + 1;
    ct_component_batch batches[2] = {{transforms_of(s), defaults, NULL},
                                     {ct_world_find(&s->worlds[1], "point_mass"), defaults, NULL}};
    if (ct_world_create(&s->worlds[0], count, batches, 1, made, NULL, &failed) != CT_OK ||
        ct_world_create(&s->worlds[1], count, batches + 1, 1, made, NULL, &failed) != CT_OK)
        exit(4);
}

static void destroy(scene *s) {
    const ct_store *store = &transforms_of(s)->store;
    for (uint32_t i = pick(s, 30); i > 0 && ct_store_count(store) > 0; --i) {
        ct_entity victim = ct_store_owners(store)[pick(s, ct_store_count(store))];
        ct_entity_manager_destroy(&s->entities, 1, &victim, NULL);
    }
    for (uint32_t i = 0; i < 2; ++i)
        if (pick(s, 2) == 0) ct_world_sweep(&s->worlds[i]);
}

static void move(scene *s) {
    const ct_store *store = &transforms_of(s)->store;
    uint32_t count = ct_store_count(store), step = pick(s, 40) + 1;
    for (uint32_t row = pick(s, step); row < count; row += step) {
        const float to[3] = {(float)pick(s, 1000), 1, 2};
        ct_transform_set_local_position(transforms_of(s), (ct_row){row}, to);
    }
}

static void name(scene *s) {
    ct_manager *names = ct_world_find(&s->worlds[0], "debug_name");
    const ct_store *store = &transforms_of(s)->store;
    char text[40];
    if (ct_store_count(store) == 0) return;
    ct_entity owner = ct_store_owners(store)[pick(s, ct_store_count(store))];
    const ct_text given = {text, (uint32_t)snprintf(text, sizeof text, "%0*u", (int)pick(s, 30) + 1,
                                                    (unsigned)pick(s, 1000))};
    const ct_values values = {&given, 0};
    ct_row row;
    if (!ct_entity_manager_alive(&s->entities, owner)) return;
    if (ct_store_find(&names->store, owner).i != CT_NO_ROW) return;
    if (ct_checked_add(names, 1, &owner, &values, &row) != CT_OK) exit(5);
}

static void change(scene *s) {
    void (*const changes[])(scene *) = {create, destroy, move, move, name};
    for (uint32_t i = pick(s, 4); i > 0; --i)
        changes[pick(s, 5)](s);
}

// ---------------------------------------------------------------- recorder

static void drop_oldest(scene *s) {
    ct_snapshot_free(&s->taken[0]);
    memmove(s->taken, s->taken + 1, --s->count * sizeof *s->taken);
}

static void check_bytes(const scene *s, const ct_snapshot *recorded, uint32_t number) {
    const ct_snapshot *taken = &s->taken[number];
    if (recorded->bytes != taken->bytes || recorded->piece_count != taken->piece_count)
        fail(s, "the size differs");
    if (memcmp(recorded->block, taken->block, taken->bytes) != 0) fail(s, "the bytes differ");
}

// Restores a snapshot, or fails because memory runs out, and compares its bytes.
static bool restore(scene *s, uint32_t frames, bool rewinds) {
    ct_message message;
    uint32_t number = s->count - 1 - frames;
    uint64_t back;
    uint32_t place = ct_recorder_find(&s->recorder, frames, &back);
    const ct_recorder_item *recorded = &s->recorder.items[place];
    const bool changes = recorded->changes;
    ct_status status = (rewinds ? ct_recorder_rewind : ct_recorder_restore)(&s->recorder, frames,
                                                                            &s->all, &message);
    if (back != frames) fail(s, "another frame was found");
    if (status != CT_OK) return false;
    if (changes && recorded->changes)
        check_bytes(s, &s->recorder.spare, number);
    else
        check_bytes(s, &recorded->snapshot, number);
    return true;
}

// Makes each allocation of a call fail in turn, until it succeeds.
static bool next_try(scene *s, uint32_t *allocations, bool limited) {
    if (s->recorder.count != s->count) fail(s, "a call that failed has changed the recorder");
    memory.left = limited ? (*allocations)++ : SIZE_MAX;
    return true;
}

static void record(scene *s) {
    ct_message message;
    ct_status status;
    uint32_t allocations = 0;
    const bool limited = pick(s, 4) == 0;
    do {
        next_try(s, &allocations, limited);
        status = ct_recorder_frame(&s->recorder, &s->all, &message);
        memory.left = SIZE_MAX;
    } while (status == CT_ERR_MEMORY);
    if (status != CT_OK) fail(s, message.text);
    if (s->count == s->keep) drop_oldest(s);
    ct_snapshot_init(&s->taken[s->count], &allocator);
    if (ct_snapshot_take(&s->taken[s->count++], &s->all, &message) != CT_OK) exit(6);
}

static void rewind_to(scene *s) {
    uint32_t frames = pick(s, s->count), allocations = 0;
    const bool limited = pick(s, 4) == 0;
    do {
        next_try(s, &allocations, limited);
    } while (!restore(s, frames, true));
    memory.left = SIZE_MAX;
    for (; frames > 0; --frames)
        ct_snapshot_free(&s->taken[--s->count]);
}

static void look_back(scene *s) {
    ct_message message;
    for (uint32_t frames = 0; frames < s->count; ++frames)
        if (!restore(s, frames, false)) exit(7);
    if (ct_snapshot_restore(&s->taken[s->count - 1], &s->all, &message) != CT_OK) exit(8);
}

static void play(scene *s, uint32_t keep, uint32_t steps) {
    open_scene(s, keep);
    while (steps-- > 0) {
        change(s);
        record(s);
        if (pick(s, 6) == 0) rewind_to(s);
        if (pick(s, 10) == 0) look_back(s);
        if (s->recorder.count != s->count) fail(s, "the number of snapshots differs");
    }
    close_scene(s);
}

int main(int argc, char **argv) {
    static scene s;
    if (argc != 3) return 1;
    s.random = (uint32_t)strtoul(argv[1], NULL, 10);
    for (unsigned long round = strtoul(argv[2], NULL, 10); round > 0; --round)
        play(&s, pick(&s, MOST) + 1, 60);
    printf("%u blocks are left\n", (unsigned)memory.blocks);
    return 0;
}
