// A program without Lua that is the host of its world: it spawns a section type of its own, reports
// deaths, and lets single steps fail.
#include "component/point_mass.h"
#include "component/transform.h"
#include "level/level.h"
#include "world/checked/checked.h"
#include "world/host.h"

#include "host.h"

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_levels levels;
    ct_resource resource;
    uint32_t epochs;
    const char *fail; // the host function that fails next, or ""
} scene;

// ---------------------------------------------------------------- the host

static scene *hosted; // whose world has the host

static bool succeeds(scene *s, const char *step) {
    bool fails = strcmp(s->fail, step) == 0;
    if (fails) s->fail = "";
    return !fails;
}

static bool accepts_section(void *context, const ct_section *section) {
    (void)context;
    return strcmp(section->name, "spikes") == 0;
}

static bool spawn(void *context, const ct_section *section, uint32_t copies, uint32_t count,
                  const ct_entity *entities) {
    scene *s = hosted;
    bool alive = ct_entity_manager_alive(&s->entities, entities[section->entity_index[0]]);
    printf("%s: %s, %u of %u%s", (const char *)context, section->name, section->num_instances,
           count, alive ? "" : ", dead");
    printf(copies > 1 ? " in %u copies\n" : "\n", copies);
    return succeeds(s, "spawn");
}

static bool created(void *context, const ct_level *level) {
    uint32_t owners[8], count = ct_level_owners(level, CT_POINT_MASS, owners);
    printf("%s: created, %u with a mass", (const char *)context, count);
    for (uint32_t i = 0; i < count; ++i)
        printf(" %u", owners[i]);
    printf("\n");
    return succeeds(hosted, "created");
}

static bool destroy(void *context, ct_reason reason, uint32_t count, const ct_entity *entities,
                    uint32_t *died) {
    scene *s = hosted;
    *died = 0;
    if (!succeeds(s, "begin")) return false;
    *died = ct_entity_manager_destroy_for(&s->entities, reason, count, entities, context);
    printf("%s: %u died (%s)\n", (const char *)context, *died, ct_reason_name(reason));
    return succeeds(s, "destroy");
}

static void undo(void *context, uint32_t count, const ct_entity *entities) {
    scene *s = hosted;
    printf("%s: undone\n", (const char *)context);
    ct_entity_manager_destroy(&s->entities, count, entities, context);
}

static void released(void *context, ct_level *level) {
    (void)level;
    printf("%s: released\n", (const char *)context);
}

static bool clearing(void *context, bool last) {
    printf("%s: clearing%s\n", (const char *)context, last ? " for good" : "");
    return succeeds(hosted, "clearing");
}

static void ended(void *context) {
    const scene *s = hosted;
    printf("%s: ended, %u managers\n", (const char *)context, s->world.manager_count);
}

// ---------------------------------------------------------------- the levels

static bool open_scene(scene *s, const char *path) {
    s->epochs = 0;
    s->fail = "";
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&s->world, &ct_allocator_malloc, &s->entities, &s->epochs, 1) != CT_OK)
        return false;
    ct_levels_init(&s->levels, &s->world);
    return load_resource(path, &ct_allocator_malloc, &s->resource);
}

static ct_level *make(scene *s, const ct_override *override, bool refuse_unknown) {
    const ct_spawn_options options = {.parent = {CT_NOBODY},
                                      .refuse_unknown = refuse_unknown,
                                      .overrides = override,
                                      .override_count = override != NULL};
    ct_level *level;
    ct_message message;
    if (ct_level_new(&s->levels, &s->resource, &options, &level, &message) != CT_OK) exit(1);
    return level;
}

static void report(const scene *s, const char *name, ct_status status, const ct_message *message) {
    printf("%s: %s, %u alive\n", name, status == CT_OK ? "done" : message->text,
           ct_entity_manager_count(&s->entities));
}

static void try_spawn(scene *s, ct_level *level, char *name) {
    ct_message message;
    ct_status status = ct_level_spawn(level, name, &message);
    report(s, name, status, &message);
}

static void try_restart(scene *s, ct_level *level, char *name) {
    ct_message message;
    ct_status status = ct_level_restart(level, name, &message);
    report(s, name, status, &message);
}

static void live(scene *s, ct_level *level) {
    static char first[] = "first", again[] = "again", end[] = "end";
    static const ct_text path = {"lamp/bulb", 9};
    ct_entity bulb;
    uint32_t died;
    try_spawn(s, level, first);
    try_spawn(s, level, again);
    ct_level_find(level, path, &bulb);
    printf("bulb: %s\n", bulb.id == ct_level_entity(level, 1).id ? "found" : "lost");
    ct_entity_manager_destroy(&s->entities, 1, &bulb, NULL);
    ct_level_find(level, path, &bulb);
    printf("bulb: %s, %u alive\n", bulb.id == CT_NOBODY ? "dead" : "alive", ct_level_alive(level));
    try_restart(s, level, again);
    s->fail = "destroy";
    try_restart(s, level, again);
    s->fail = "begin";
    try_restart(s, level, again);
    s->fail = "spawn";
    try_restart(s, level, again);
    s->fail = "created";
    try_restart(s, level, again);
    try_restart(s, level, again);
    ct_level_unload(level, end, &died);
    printf("%u unloaded\n", died);
    ct_level_unload(level, end, &died);
    printf("%u the second time\n", died);
}

static void refuse(scene *s, const ct_override *override, char *name) {
    ct_level *level = make(s, override, false);
    try_spawn(s, level, name);
    ct_level_release(level);
}

static void show_order(scene *s) {
    static char one[] = "one", two[] = "two", all[] = "all";
    ct_level *levels[] = {make(s, NULL, false), make(s, NULL, true)};
    try_spawn(s, levels[0], one);
    try_spawn(s, levels[1], two);
    const ct_level *oldest = ct_levels_next(&s->levels, NULL);
    printf("oldest first: %d\n", oldest == levels[0] &&
                                     ct_levels_next(&s->levels, oldest) == levels[1] &&
                                     ct_levels_next(&s->levels, levels[1]) == NULL);
    ct_levels_unload(&s->levels, CT_REASON_UNLOAD, all);
    s->world.host = NULL;
    try_spawn(s, levels[1], two);
    try_spawn(s, levels[0], one);
    printf("skipped: %d\n", levels[0]->skipped[s->resource.num_component_types - 1]);
    ct_levels_unload(&s->levels, CT_REASON_UNLOAD, all);
    ct_level_release(levels[0]);
    ct_level_release(levels[1]);
}

static float x_of(const scene *s, const ct_level *level, uint32_t i) {
    ct_manager *transforms = ct_world_find(&s->world, CT_TRANSFORM);
    ct_row row = ct_checked_find(transforms, ct_level_entity(level, i));
    const float *matrix = ct_checked_world_matrix(transforms, row);
    return matrix != NULL ? matrix[12] : -1;
}

// Four copies with their own poses; the resource has another pose at x = 1.
static void show_copies(scene *s, const ct_override *override) {
    static char four[] = "four";
    ct_pose poses[4];
    for (int i = 0; i < 4; ++i)
        poses[i] = (ct_pose){{(float)(10 * i), 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const ct_copies copies = {4, poses};
    const ct_spawn_options options = {
        .parent = {CT_NOBODY}, .copies = &copies, .overrides = override, .override_count = 1};
    ct_level *level;
    ct_message message;
    if (ct_level_new(&s->levels, &s->resource, &options, &level, &message) != CT_OK) exit(1);
    memset(poses, 0, sizeof poses);
    try_spawn(s, level, four);
    printf("%u copies, at %g and %g\n", ct_level_copies(level), (double)x_of(s, level, 2),
           (double)x_of(s, level, 7));
    try_restart(s, level, four);
    printf("root: %d, other: %d\n", ct_level_is_root(level, 6), ct_level_is_root(level, 7));
    ct_level_unload(level, four, NULL);
    ct_level_release(level);
}

static const char *name_result(bool ok) { return ok ? "done" : "a callback failed"; }

// Creates two entities with a mass.
static void populate(scene *s) {
    static const ct_values defaults[4];
    ct_manager *masses = ct_world_find(&s->world, CT_POINT_MASS);
    ct_entity pair[2];
    ct_row first;
    if (ct_entity_manager_create(&s->entities, 2, pair) != CT_OK ||
        ct_manager_create(masses, pair, 2, defaults, NULL, &first) != CT_OK)
        exit(1);
}

static void try_clear(scene *s, const char *fail, const ct_owners *owners, char *name) {
    populate(s);
    s->fail = fail;
    bool ok = ct_world_clear(&s->world, owners, name);
    printf("%s: %s, %u alive, %u rows\n", name, name_result(ok),
           ct_entity_manager_count(&s->entities),
           ct_checked_count(ct_world_find(&s->world, CT_POINT_MASS)));
}

// Clears the world, then destroys it with a level and two entities in it.
static void show_end(scene *s) {
    static char keep[] = "keep", clear[] = "clear", end[] = "end";
    ct_entity room[8];
    const ct_owners none = {NULL, 0}, all = {room, 8};
    try_clear(s, "", &none, keep);
    try_clear(s, "", &all, clear);
    try_clear(s, "destroy", &all, clear);
    try_clear(s, "clearing", &all, clear);
    populate(s);
    ct_level *level = make(s, NULL, true);
    try_spawn(s, level, end);
    s->fail = "clearing";
    bool ok = ct_world_end(&s->levels, &all, end);
    printf("%s: %s, %u alive, over: %d\n", end, name_result(ok),
           ct_entity_manager_count(&s->entities), s->world.destroyed);
    try_spawn(s, level, end);
    ct_level_release(level);
}

int main(int argc, char **argv) {
    static scene s;
    static const float mass = 5;
    static const int32_t number = 5;
    static char wrong[] = "wrong";
    if (argc != 2 || !open_scene(&s, argv[1])) return 1;
    const ct_host host = {.spawns_section = accepts_section,
                          .spawn = spawn,
                          .created = created,
                          .destroy = destroy,
                          .undo = undo,
                          .released = released,
                          .clearing = clearing,
                          .ended = ended};
    ct_override_value value = {"mass", CT_FIELD_FLOAT, &mass};
    ct_override override = {
        .path = {"bulb", 4}, .component = CT_POINT_MASS, .values = &value, .value_count = 1};
    s.world.host = &host;
    hosted = &s;
    ct_level *level = make(&s, &override, true);
    live(&s, level);
    show_copies(&s, &override);
    value = (ct_override_value){"mass", CT_FIELD_INT32, &number};
    refuse(&s, &override, wrong);
    value.input = "weight";
    override.place = 2;
    refuse(&s, &override, wrong);
    override.path = (ct_text){"blub", 4};
    refuse(&s, &override, wrong);
    show_order(&s);
    ct_message message;
    printf("sound: %d\n", ct_world_validate(&s.world, &message));
    s.world.host = &host;
    hosted = &s;
    show_end(&s);
    ct_level_release(level);
    ct_resource_free(&s.resource);
    ct_entity_manager_free(&s.entities);
    return 0;
}
