// Fuzz target: a patch from one level to another, both from any bytes, with limited memory. An
// input: two bytes of options, the size of the first level, the first level, and the second as
// bytes or as differences.
#include "scene.h"

#include "level/patch.h"

#include "component/transform.h"
#include "world/checked/checked.h"

#define MOST_BYTES 65536u

// Loads the level's second resource from the rest of the input.
static ct_status load_next(scene *s, feed *in, bool is_difference, const ct_resource *old,
                           ct_resource *next) {
    static unsigned char bytes[MOST_BYTES];
    if (!is_difference) return scene_resource(s, in->at, feed_left(in), next);
    memcpy(bytes, old->blob, old->bytes);
    while (feed_left(in) > 0) {
        uint32_t place = feed_number(in, old->bytes);
        bytes[place] = feed_byte(in);
    }
    return scene_resource(s, bytes, old->bytes, next);
}

// Changes the level as a game does: destroys, moves, and removes components.
static void change(scene *s, const ct_level *level, uint8_t bits) {
    ct_manager *transforms = scene_manager(s, CT_TRANSFORM);
    const ct_pose pose = {{7, 7, 7}, {0, 0, 0, 1}, {1, 1, 1}};
    for (uint32_t i = 0; i < ct_level_count(level) && i < 8; ++i) {
        ct_entity e = ct_level_entity(level, i);
        ct_row row = ct_checked_find(transforms, e);
        if ((bits >> i & 1) == 0) continue;
        if (i % 3 == 0 && row.i != CT_NO_ROW) ct_checked_set_local_pose(transforms, row, &pose);
        if (i % 3 == 1) ct_manager_remove_all(scene_manager(s, "health"), e);
        if (i % 3 == 2) ct_entity_manager_destroy(&s->entities, 1, &e, NULL);
    }
}

static void patch(scene *s, ct_level *level, ct_resource *next, uint8_t allocations) {
    ct_patch_result result = {0};
    ct_message message;
    bool ok = true;
    uint64_t before = scene_hash(s);
    scene_limit(s, allocations);
    ct_status status = ct_level_patch(level, next, NULL, &result, &ok, &message);
    s->memory.left = SIZE_MAX;
    scene_validate(s);
    if (status == CT_OK) {
        REQUIRE(level->resource == next);
        REQUIRE(ct_level_count(level) == ct_spawner_count(next, &level->options));
        ct_patch_result_free(&s->world, &result);
        if (ct_level_restart(level, NULL, &message) != CT_OK)
            REQUIRE(ct_level_alive(level) <= ct_level_count(level));
    } else {
        REQUIRE(scene_hash(s) == before);
    }
    scene_validate(s);
    ct_level_unload(level, NULL, NULL);
    ct_world_sweep(&s->world);
    scene_validate(s);
}

static void try_patch(scene *s, ct_resource *old, ct_resource *next, uint8_t bits,
                      uint8_t allocations) {
    const ct_pose pose = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    const ct_copies copies = {2, NULL};
    const ct_spawn_options options = {.parent = {CT_NOBODY},
                                      .copies = (bits & 2) != 0 ? &copies : NULL,
                                      .pose = (bits & 4) != 0 ? &pose : NULL};
    ct_message message;
    ct_level *level;
    if (ct_level_new(&s->levels, old, &options, &level, &message) != CT_OK) return;
    if (ct_level_spawn(level, NULL, &message) == CT_OK) {
        if ((bits & 8) != 0) change(s, level, bits >> 4);
        patch(s, level, next, allocations);
    }
    ct_level_release(level);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static scene s;
    feed in = {bytes, bytes + count};
    uint8_t bits = feed_byte(&in), allocations = feed_byte(&in);
    size_t first = feed_number(&in, MOST_BYTES);
    ct_resource old, next = {0};
    if (first > feed_left(&in)) first = feed_left(&in);
    feed rest = {in.at + first, in.end};
    scene_open(&s);
    scene_create(&s, 1, (ct_entity){CT_NOBODY});
    if (scene_resource(&s, in.at, first, &old) == CT_OK &&
        load_next(&s, &rest, (bits & 1) != 0, &old, &next) == CT_OK)
        try_patch(&s, &old, &next, bits, allocations);
    ct_resource_free(&old);
    ct_resource_free(&next);
    scene_close(&s);
    return 0;
}
