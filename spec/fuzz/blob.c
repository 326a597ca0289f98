// Fuzz target: any bytes as a compiled level, which is spawned, used, restarted and unloaded with
// limited memory. An input: two bytes of options, then the level.
#include "scene.h"

#include "component/grid.h"
#include "component/model.h"
#include "component/transform.h"
#include "level/level.h"

static const ct_pose poses[3] = {{{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}},
                                 {{0, 0, 0}, {0, 0, 0.6F, 0.8F}, {2, 2, 2}},
                                 {{-1, 0, 0}, {0, 0, 0, 1}, {1, -1, 1}}};

// All options of a spawn, from the bits of a byte.
static ct_spawn_options options_of(uint8_t bits, ct_entity parent, ct_copies *copies) {
    static const float five = 5;
    static const ct_override_value value = {"hp", CT_FIELD_FLOAT, &five};
    static const ct_override override = {
        .path = {"car/bulb", 8}, .component = "health", .values = &value, .value_count = 1};
    *copies = (ct_copies){(bits >> 3) % 4, (bits & 32) != 0 ? poses : NULL};
    return (ct_spawn_options){.pose = (bits & 1) != 0 ? &poses[1] : NULL,
                              .copies = (bits & 2) != 0 ? copies : NULL,
                              .parent = (bits & 4) != 0 ? parent : (ct_entity){CT_NOBODY},
                              .refuse_unknown = (bits & 64) != 0,
                              .overrides = &override,
                              .override_count = (bits & 128) != 0};
}

// Uses a level as a game does.
static void play(scene *s, const ct_level *level) {
    static const ct_text path = {"car/bulb", 8};
    uint32_t count = ct_level_count(level);
    ct_entity found, *owned = NULL;
    if (ct_level_find(level, path, &found) != CT_OK) return;
    for (uint32_t i = 0; i < count && i < 64; ++i) {
        ct_entity e = ct_level_entity(level, i);
        if (i % 3 == 2) ct_entity_manager_destroy(&s->entities, 1, &e, NULL);
    }
    if (ct_transform_begin_batch(scene_manager(s, CT_TRANSFORM)) == CT_OK)
        ct_transform_end_batch(scene_manager(s, CT_TRANSFORM));
    ct_model_evaluate(scene_manager(s, CT_MODEL));
    uint32_t owners = ct_level_owners(level, CT_TRANSFORM, NULL) * ct_level_copies(level);
    if (count > 0) owned = malloc(count * sizeof *owned);
    if (owned != NULL) REQUIRE(ct_level_owners(level, CT_TRANSFORM, &owned->id) <= owners);
    free(owned);
    ct_world_gc(&s->world);
    scene_validate(s);
}

static void spawn(scene *s, ct_level *level) {
    ct_message message;
    uint64_t before = scene_hash(s);
    uint32_t alive = ct_entity_manager_count(&s->entities), died;
    ct_status status = ct_level_spawn(level, NULL, &message);
    scene_validate(s);
    if (status != CT_OK) {
        REQUIRE(ct_entity_manager_count(&s->entities) == alive && ct_level_count(level) == 0);
        REQUIRE(scene_hash(s) == before);
        return;
    }
    play(s, level);
    if (ct_level_restart(level, NULL, &message) == CT_OK) play(s, level);
    scene_validate(s);
    REQUIRE(ct_level_unload(level, NULL, &died) == CT_OK);
    scene_validate(s);
    REQUIRE(ct_entity_manager_count(&s->entities) == alive);
    ct_world_sweep(&s->world);
    ct_world_trim(&s->world);
    scene_validate(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static scene s;
    feed in = {bytes, bytes + count};
    uint8_t bits = feed_byte(&in), allocations = feed_byte(&in);
    ct_resource resource;
    ct_level *level;
    ct_copies copies;
    ct_message message;
    scene_open(&s);
    ct_entity parent = scene_create(&s, 1, (ct_entity){CT_NOBODY});
    ct_spawn_options options = options_of(bits, parent, &copies);
    scene_limit(&s, allocations);
    if (scene_resource(&s, in.at, feed_left(&in), &resource) == CT_OK &&
        ct_level_new(&s.levels, &resource, &options, &level, &message) == CT_OK) {
        spawn(&s, level);
        ct_level_release(level);
    }
    s.memory.left = SIZE_MAX;
    ct_resource_free(&resource);
    scene_close(&s);
    return 0;
}
