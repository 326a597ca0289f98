// A program without Lua that records a world frame by frame and goes back, with memory that ends.
// Knows nothing of how snapshots are made.
#include "level/recorder.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct budget {
    size_t blocks; // that are out
    bool over;     // no more are given
} budget;

static void *reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    budget *b = user;
    (void)old_bytes;
    if (new_bytes == 0) {
        b->blocks -= block != NULL;
        free(block);
        return NULL;
    }
    if (b->over) return NULL;
    b->blocks += block == NULL;
    return realloc(block, new_bytes);
}

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_snapshot_world item;
    ct_snapshot_worlds worlds;
    ct_recorder recorder;
    uint32_t epochs;
} scene;

// A frame is one more entity.
static ct_status play(scene *s) {
    ct_entity e;
    ct_message message;
    if (ct_entity_manager_create(&s->entities, 1, &e) != CT_OK) return CT_ERR_MEMORY;
    return ct_recorder_frame(&s->recorder, &s->worlds, &message);
}

static void rewind_by(scene *s, uint64_t frames) {
    uint64_t back;
    ct_message message;
    ct_status status = ct_recorder_rewind(&s->recorder, frames, &s->worlds, &back, &message);
    printf("%u back of %u: %s, %u alive, %u left\n", (unsigned)back, (unsigned)frames,
           status == CT_OK           ? "done"
           : status == CT_ERR_MEMORY ? "no memory"
                                     : message.text,
           (unsigned)ct_entity_manager_count(&s->entities), (unsigned)s->recorder.count);
}

int main(void) {
    static scene s;
    budget memory = {0, false};
    const ct_allocator allocator = {reallocate, &memory};
    ct_entity_manager_init(&s.entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&s.world, &ct_allocator_malloc, &s.entities, &s.epochs, 1) != CT_OK) return 1;
    s.item = (ct_snapshot_world){"sea", &s.world, NULL, NULL};
    s.worlds = (ct_snapshot_worlds){&s.entities, &s.item, 1};
    ct_recorder_init(&s.recorder, &allocator, 2, 3);

    rewind_by(&s, 1);
    for (int i = 0; i < 9; ++i)
        if (play(&s) != CT_OK) return 1;
    rewind_by(&s, 1);
    rewind_by(&s, 1);
    for (int i = 0; i < 4; ++i)
        if (play(&s) != CT_OK) return 1;
    printf("%d bytes for 3 snapshots\n", ct_recorder_bytes(&s.recorder) > 300);
    memory.over = true;
    bool counted = play(&s) == CT_OK;
    bool refused = play(&s) == CT_ERR_MEMORY;
    printf("%d, then %d without memory\n", counted, refused);
    rewind_by(&s, 0);
    memory.over = false;
    s.item.name = "lake";
    rewind_by(&s, 1);
    s.item.name = "sea";
    rewind_by(&s, 99);
    ct_recorder_free(&s.recorder);
    printf("%u blocks left\n", (unsigned)memory.blocks);
    ct_world_free(&s.world);
    ct_entity_manager_free(&s.entities);
    return 0;
}
