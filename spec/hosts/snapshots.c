// A program without Lua that takes and restores snapshots: values keep their slots, levels keep
// their blocks.
#include "component/record.h"
#include "level/level.h"
#include "level/level_lent.h"
#include "level/snapshot.h"
#include "world/checked/checked.h"
#include "world/define.h"

#include "host.h"

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_levels levels;
    ct_snapshot_world item;
    ct_snapshot_worlds worlds;
    ct_snapshot snapshot;
    uint32_t epochs;
} scene;

static bool open_scene(scene *s) {
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&s->world, &ct_allocator_malloc, &s->entities, &s->epochs, 1) != CT_OK)
        return false;
    ct_levels_init(&s->levels, &s->world);
    s->item = (ct_snapshot_world){"sea", &s->world, &s->levels, NULL};
    s->worlds = (ct_snapshot_worlds){&s->entities, &s->item, 1};
    ct_snapshot_init(&s->snapshot, &ct_allocator_malloc);
    return true;
}

static bool take(scene *s) {
    ct_message message;
    return ct_snapshot_take(&s->snapshot, &s->worlds, &message) == CT_OK;
}

static void restore(scene *s) {
    ct_message message;
    ct_status status = ct_snapshot_restore(&s->snapshot, &s->worlds, &message);
    bool valid = ct_world_validate(&s->world, &message) || status != CT_OK;
    printf("%s, %u alive%s\n", status == CT_OK ? "back" : message.text,
           (unsigned)ct_entity_manager_count(&s->entities), valid ? "" : ", broken");
}

// ---------------------------------------------------------------- values

static const ct_component_field fields[] = {{.name = "loot", .type = CT_FIELD_VALUE}};
static const ct_component chest = {
    .size = sizeof chest, .name = "chest", .fields = fields, .field_count = 1};

static uint32_t slot_of(const ct_manager *manager, ct_entity e) {
    ct_row row = ct_store_find(&manager->store, e);
    return ((const ct_value *)ct_manager_item(manager, &manager->fields[0], row))->slot;
}

// A value as bytes, and a value in a slot of this program.
static bool play_values(scene *s) {
    const ct_text seven = {"\3\7\0\0\0", 5}, yes = {"\1", 1};
    ct_definition made;
    ct_message message;
    ct_entity e[2];
    ct_value mine, other;
    ct_row row;
    const ct_values values = {&seven, 0};
    if (ct_world_define(&s->world, &chest, true, false, &made, &message) != CT_OK ||
        ct_entity_manager_create(&s->entities, 2, e) != CT_OK ||
        ct_checked_add(made.manager, 2, e, &values, &row) != CT_OK ||
        ct_value_pool_take(&s->world.values, &mine) != CT_OK)
        return false;
    const ct_text own = {NULL, mine.slot};
    if (ct_manager_write(made.manager, 0, (ct_row){1}, &own) != CT_OK) return false;
    ct_value_pool_release_held(&s->world.values);
    if (!take(s)) return false;
    for (int round = 0; round < 2; ++round) {
        ct_entity_manager_destroy(&s->entities, 1, &e[1], NULL);
        ct_world_sweep(&s->world);
        if (ct_checked_write(made.manager, 0, (ct_row){0}, &yes) != CT_OK ||
            ct_value_pool_take(&s->world.values, &other) != CT_OK)
            return false;
        ct_value_pool_release_held(&s->world.values);
        restore(s);
        ct_text text = ct_checked_text(made.manager, 0, ct_store_find(&made.manager->store, e[0]));
        printf("bytes: %s, kept: %s\n",
               text.length == 5 && memcmp(text.bytes, seven.bytes, 5) == 0 ? "same" : "lost",
               slot_of(made.manager, e[1]) == mine.slot ? "same" : "lost");
    }
    return true;
}

// ---------------------------------------------------------------- levels

// If a block is used for a level of another resource, its saved level is not restored into it.
static bool play_levels(scene *s, ct_resource *large, ct_resource *small) {
    static union {
        unsigned char bytes[4096];
        double aligned[2];
    } block;
    const ct_spawn_options options = {.parent = {CT_NOBODY}};
    ct_message message;
    if (ct_level_bytes(large, &options) > sizeof block) return false;
    ct_level *level = ct_level_init(&block, &s->levels, large, &options);
    if (ct_level_spawn(level, NULL, &message) != CT_OK || !take(s)) return false;
    ct_level_unload(level, NULL, NULL);
    restore(s);
    printf("%u in the level\n", level->count);
    ct_level_unload(level, NULL, NULL);
    ct_level_init(&block, &s->levels, small, &options);
    restore(s);
    ct_level_init(&block, &s->levels, large, &options);
    restore(s);
    ct_level_unload(level, NULL, NULL);
    return true;
}

int main(int argc, char **argv) {
    static scene s;
    static const ct_owners no_owners = {NULL, 0};
    ct_resource large, small;
    if (argc != 3 || !open_scene(&s) || !load_resource(argv[1], &ct_allocator_malloc, &large) ||
        !load_resource(argv[2], &ct_allocator_malloc, &small))
        return 1;
    bool played = play_values(&s) && play_levels(&s, &large, &small);
    ct_snapshot_free(&s.snapshot);
    ct_world_end(&s.levels, &no_owners, NULL);
    ct_entity_manager_free(&s.entities);
    ct_resource_free(&large);
    ct_resource_free(&small);
    return played ? 0 : 1;
}
