// A program without Lua that records a world frame by frame and goes back, with memory that ends.
// Knows nothing of how snapshots are made.
#include "level/recorder.h"

#include "host.h"

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
    budget memory = {0, SIZE_MAX};
    const ct_allocator allocator = {reallocate_within, &memory};
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
    memory.left = 0;
    bool counted = play(&s) == CT_OK;
    bool refused = play(&s) == CT_ERR_MEMORY;
    printf("%d, then %d without memory\n", counted, refused);
    rewind_by(&s, 0);
    memory.left = SIZE_MAX;
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
