// A program without Lua with hooks, which write what happens to a text.
//
// usage: host_hooks LEVEL NEWER_LEVEL
#include "host_check.h"

static unsigned char level_bytes[2][65536];
static size_t level_size[2];
static const ct_host_world no_world = {0};
static const ct_entity no_entity = {CT_NOBODY};

typedef struct game {
    budget memory;
    ct_host_entities *host;
    ct_host_world world;
    ct_host_component transform, health;
    ct_host_resource resources[2];
    ct_host_level level;
    ct_entity e[4];
    char log[2000];
} game;

static const ct_component_field health_fields[] = {{"hp", CT_FIELD_FLOAT, false, false, NULL},
                                                   {"mana", CT_FIELD_FLOAT, false, false, NULL}};

static ct_status define(game *g, uint32_t fields, ct_host_component *out) {
    ct_host_component_options options;
    ct_host_component_options_init(&options, sizeof options);
    options.name = "health";
    options.fields = health_fields;
    options.field_count = fields;
    options.migrate = true;
    return ct_host_define(g->host, g->world, &options, out);
}

static ct_status open_game(game *g, size_t left) {
    memset(g, 0, sizeof *g);
    g->host = open_host(&g->memory, left);
    if (g->host == NULL) return CT_ERR_MEMORY;
    TRY(ct_host_world_new(g->host, NULL, &g->world));
    TRY(ct_host_find_component(g->host, g->world, "transform", &g->transform));
    TRY(define(g, 1, &g->health));
    return ct_host_create(g->host, 4, g->e);
}

// Compares the text with what happened since the last call.
static void expect(game *g, int line, const char *expected) {
    if (strcmp(g->log, expected) != 0) {
        printf("line %d: \"%s\"\n", line, g->log);
        mistakes++;
    }
    g->log[0] = '\0';
}
#define EXPECT(g, expected) expect(g, __LINE__, expected)

static const char *const reasons[] = {"destroy", "remove", "create", "spawn", "restart", "patch",
                                      "apply",   "unload", "clear",  "undo",  "world"};

static void note(game *g, const char *sign, const ct_host_event *event) {
    char text[64];
    const char *name = event->component.id == g->health.id ? "health" : "transform";
    ct_entity owner = no_entity;
    ct_host_column column;
    column.size = sizeof column;
    if (ct_host_column_of(g->host, event->component, 0, &column) == CT_OK)
        owner = column.owners[event->row];
    CHECK(owner.id == event->entity.id && event->size == sizeof *event);
    snprintf(text, sizeof text, "%s%s %u %s. ", sign, name,
             (unsigned)ct_entity_index(event->entity), reasons[event->reason]);
    if (strlen(g->log) + strlen(text) < sizeof g->log) strcat(g->log, text);
}

static bool added(void *user, const ct_host_event *event) {
    note((game *)user, "+", event);
    return true;
}

static bool removed(void *user, const ct_host_event *event) {
    note((game *)user, "-", event);
    return false; // without an effect
}

static ct_status listen(game *g) {
    ct_host_hook hook;
    TRY(ct_host_on_add(g->host, g->health, added, g, &hook));
    TRY(ct_host_on_add(g->host, g->transform, added, g, &hook));
    TRY(ct_host_on_remove(g->host, g->health, removed, g, &hook));
    return ct_host_on_remove(g->host, g->transform, removed, g, &hook);
}

// ---------------------------------------------------------------- reasons and order

static void check_components(game *g) {
    const ct_host_part parts[] = {{g->health, NULL, 0}, {g->transform, NULL, 0}};
    ct_entity made[2];
    uint32_t first = 9, count = 0;
    DONE(g->host, ct_host_add(g->host, g->health, 2, g->e, 0, NULL, &first));
    CHECK(first == 0);
    EXPECT(g, "+health 0 create. +health 1 create. ");
    DONE(g->host, ct_host_create_with(g->host, g->world, 2, 2, parts, made));
    EXPECT(g, "+transform 4 create. +transform 5 create. +health 4 create. +health 5 create. ");
    DONE(g->host, ct_host_destroy_row(g->host, g->health, 1));
    EXPECT(g, "-health 1 remove. ");
    REFUSED(g->host, CT_ERR_DATA, ct_host_destroy_row(g->host, g->health, 7), "row 7");
    DONE(g->host, ct_host_destroy_components(g->host, g->health, 2, g->e, &count));
    CHECK(count == 1);
    EXPECT(g, "-health 0 remove. ");
    DONE(g->host, ct_host_destroy(g->host, 1, made, NULL));
    EXPECT(g, "-transform 4 destroy. -health 4 destroy. ");
    DONE(g->host, ct_host_destroy_row(g->host, g->transform, 0)); // of the dead entity
    DONE(g->host, ct_host_gc(g->host, g->world, true, NULL));
    EXPECT(g, "");
    DONE(g->host, ct_host_clear(g->host, g->world, false));
    EXPECT(g, "-transform 5 clear. -health 5 clear. ");
    CHECK(ct_host_alive(g->host, made[1]));
    DONE(g->host, ct_host_add(g->host, g->health, 1, made + 1, 0, NULL, NULL));
    DONE(g->host, ct_host_clear(g->host, g->world, true));
    EXPECT(g, "+health 5 create. -health 5 clear. ");
    CHECK(!ct_host_alive(g->host, made[1]));
    REFUSED(g->host, CT_ERR_DATA, ct_host_clear(g->host, no_world, true), "the handle is 0");
}

static void check_levels(game *g) {
    ct_host_snapshot snapshot = {0};
    for (int i = 0; i < 2; ++i)
        DONE(g->host,
             ct_host_load(g->host, level_bytes[i], level_size[i], "yard", &g->resources[i]));
    DONE(g->host, ct_host_spawn(g->host, g->world, g->resources[0], NULL, &g->level));
    EXPECT(g, "+transform 6 spawn. +transform 7 spawn. +transform 8 spawn. +transform 9 spawn. ");
    DONE(g->host, ct_host_take(g->host, &snapshot));
    DONE(g->host, ct_host_restart(g->host, g->level));
    EXPECT(g, "+transform 10 restart. +transform 11 restart. +transform 12 restart. "
              "+transform 13 restart. -transform 6 restart. -transform 7 restart. "
              "-transform 8 restart. -transform 9 restart. ");
    DONE(g->host, ct_host_restore(g->host, snapshot));
    EXPECT(g, "");
    DONE(g->host, ct_host_patch(g->host, g->level, g->resources[1], NULL));
    CHECK(strstr(g->log, "patch. ") != NULL);
    g->log[0] = '\0';
    DONE(g->host, ct_host_unload(g->host, g->level, NULL));
    CHECK(strstr(g->log, "-transform 6 unload. ") != NULL);
    g->log[0] = '\0';
}

// ---------------------------------------------------------------- hooks that refuse

static bool refuse(void *user, const ct_host_event *event) {
    note((game *)user, "!", event);
    return false;
}

static bool refuse_second(void *user, const ct_host_event *event) {
    note((game *)user, "?", event);
    return event->entity.id != ((const game *)user)->e[1].id;
}

static void check_refusals(game *g) {
    const ct_host_part parts[] = {{g->health, NULL, 0}, {g->transform, NULL, 0}};
    ct_host_hook hook;
    ct_host_level level;
    ct_entity made[1];
    uint32_t alive = ct_host_count(g->host), row = 9;
    DONE(g->host, ct_host_on_add(g->host, g->health, refuse_second, g, &hook));
    REFUSED(g->host, CT_ERR_DATA, ct_host_add(g->host, g->health, 3, g->e, 0, NULL, &row),
            "health: an on_add hook refused entity(1:0)");
    EXPECT(g, "+health 0 create. ?health 0 create. +health 1 create. ?health 1 create. "
              "-health 1 undo. -health 0 undo. ");
    CHECK(row == 9);
    DONE(g->host, ct_host_find(g->host, g->health, 1, g->e, &row));
    CHECK(row == CT_NO_ROW);
    DONE(g->host, ct_host_release(g->host, hook.id));
    DONE(g->host, ct_host_on_add(g->host, g->transform, refuse, g, &hook));
    REFUSED(g->host, CT_ERR_DATA, ct_host_create_with(g->host, g->world, 1, 2, parts, made),
            "transform: an on_add hook refused");
    CHECK(strstr(g->log, "undo. ") != NULL && strstr(g->log, "health") == NULL);
    g->log[0] = '\0';
    REFUSED(g->host, CT_ERR_DATA, ct_host_spawn(g->host, g->world, g->resources[0], NULL, &level),
            "transform: an on_add hook refused");
    CHECK(level.id == 0);
    REFUSED(g->host, CT_ERR_DATA, ct_host_restart(g->host, g->level), "an on_add hook refused");
    CHECK(ct_host_count(g->host) == alive);
    DONE(g->host, ct_host_release(g->host, hook.id));
    DONE(g->host, ct_host_spawn(g->host, g->world, g->resources[0], NULL, &level));
    DONE(g->host, ct_host_on_add(g->host, g->transform, refuse, g, &hook));
    REFUSED(g->host, CT_ERR_DATA, ct_host_patch(g->host, level, g->resources[1], NULL),
            "an on_add hook refused");
    CHECK(ct_host_count(g->host) == alive + 4);
    DONE(g->host, ct_host_release(g->host, hook.id));
    DONE(g->host, ct_host_unload(g->host, level, NULL));
    g->log[0] = '\0';
}

// ---------------------------------------------------------------- hooks that change

static ct_host_hook own;

// Gives the entity a transform and a child, and removes this hook.
static bool complete(void *user, const ct_host_event *event) {
    game *g = (game *)user;
    ct_host_snapshot snapshot = {0};
    ct_host_world world = {0};
    ct_host_hook hook;
    ct_entity child;
    const float hp = 7;
    const ct_host_value parent = {"parent", &event->entity, 0};
    const ct_host_part part = {g->transform, &parent, 1};
    DONE(g->host, ct_host_write(g->host, event->component, 0, event->row, &hp));
    DONE(g->host, ct_host_add(g->host, g->transform, 1, &event->entity, 0, NULL, NULL));
    DONE(g->host, ct_host_create_with(g->host, g->world, 1, 1, &part, &child));
    REFUSED(g->host, CT_ERR_DATA, ct_host_take(g->host, &snapshot),
            "an on_add hook may change only entities and components");
    REFUSED(g->host, CT_ERR_DATA, ct_host_world_destroy(g->host, g->world, true), "on_add");
    REFUSED(g->host, CT_ERR_DATA, ct_host_clear(g->host, g->world, true), "on_add");
    REFUSED(g->host, CT_ERR_DATA, ct_host_world_new(g->host, NULL, &world), "on_add");
    REFUSED(g->host, CT_ERR_DATA, ct_host_unload(g->host, g->level, NULL), "on_add");
    REFUSED(g->host, CT_ERR_DATA, ct_host_gc(g->host, g->world, true, NULL), "on_add");
    REFUSED(g->host, CT_ERR_DATA, ct_host_on_add(g->host, g->health, complete, g, &hook), "on_add");
    REFUSED(g->host, CT_ERR_DATA, ct_host_free(g->host), "on_add");
    DONE(g->host, ct_host_release(g->host, own.id));
    return true;
}

static bool destroy(void *user, const ct_host_event *event) {
    game *g = (game *)user;
    DONE(g->host, ct_host_destroy(g->host, 1, &event->entity, NULL));
    return true;
}

// An on_remove hook reads, and changes nothing.
static bool look(void *user, const ct_host_event *event) {
    game *g = (game *)user;
    float hp = 0;
    ct_entity e;
    DONE(g->host, ct_host_read(g->host, event->component, 0, event->row, &hp, sizeof hp));
    CHECK(hp == 7);
    REFUSED(g->host, CT_ERR_DATA, ct_host_create(g->host, 1, &e), "may change nothing");
    REFUSED(g->host, CT_ERR_DATA, ct_host_write(g->host, event->component, 0, event->row, &hp),
            "may change nothing");
    REFUSED(g->host, CT_ERR_DATA, ct_host_destroy(g->host, 1, &event->entity, NULL),
            "may change nothing");
    return true;
}

static void check_changes(game *g) {
    ct_host_hook hook;
    ct_entity children[2];
    uint32_t count = 0, row = 9;
    DONE(g->host, ct_host_on_add(g->host, g->health, complete, g, &own));
    DONE(g->host, ct_host_on_remove(g->host, g->health, look, g, &hook));
    DONE(g->host, ct_host_add(g->host, g->health, 1, &g->e[2], 0, NULL, NULL));
    CHECK(!ct_host_is_valid(g->host, own.id));
    DONE(g->host, ct_host_children(g->host, g->world, g->e[2], 2, children, &count));
    CHECK(count == 1);
    DONE(g->host, ct_host_subtree(g->host, g->world, g->e[2], 2, children, &count));
    CHECK(count == 2 && children[1].id == g->e[2].id);
    DONE(g->host, ct_host_destroy_components(g->host, g->health, 1, &g->e[2], NULL));
    DONE(g->host, ct_host_release(g->host, hook.id));
    DONE(g->host, ct_host_destroy(g->host, 2, children, NULL));
    g->log[0] = '\0';
    DONE(g->host, ct_host_on_add(g->host, g->health, destroy, g, &hook));
    DONE(g->host, ct_host_add(g->host, g->health, 1, &g->e[3], 0, NULL, &row));
    CHECK(row == CT_NO_ROW && !ct_host_alive(g->host, g->e[3]));
    EXPECT(g, "+health 3 create. -health 3 destroy. ");
    DONE(g->host, ct_host_release(g->host, hook.id));
}

// ---------------------------------------------------------------- definitions, messages, ends

static void check_definitions(game *g) {
    ct_host_component made;
    ct_host_hook hook;
    DONE(g->host, ct_host_on_add(g->host, g->health, refuse, g, &hook));
    DONE(g->host, ct_host_add(g->host, g->transform, 1, g->e, 0, NULL, NULL));
    DONE(g->host, define(g, 2, &made));
    CHECK(made.id != g->health.id && !ct_host_is_valid(g->host, g->health.id));
    REFUSED(g->host, CT_ERR_DATA, ct_host_on_add(g->host, g->health, added, g, &hook), "stale");
    g->health = made;
    g->log[0] = '\0';
    REFUSED(g->host, CT_ERR_DATA, ct_host_add(g->host, made, 1, g->e, 0, NULL, NULL), "refused");
    EXPECT(g, "+health 0 create. !health 0 create. -health 0 undo. ");
    REFUSED(g->host, CT_ERR_DATA, ct_host_on_remove(g->host, made, NULL, g, &hook), "got NULL");
    CHECK(hook.id == 0);
}

// The hook that refuses ends with the world here.
static void check_messages(game *g) {
    static const char *const names[] = {"transform", "health"};
    ct_host_replication_options options;
    ct_host_publisher publisher;
    ct_host_subscriber subscriber, wrong;
    ct_host_packet packet;
    ct_host_world copy;
    ct_host_component transform;
    ct_host_hook hook;
    const void *texts;
    size_t bytes = 9;
    uint32_t alive;
    packet.size = sizeof packet;
    ct_host_replication_options_init(&options, sizeof options);
    options.components = names;
    options.component_count = 2;
    DONE(g->host, ct_host_world_new(g->host, NULL, &copy));
    DONE(g->host, ct_host_find_component(g->host, copy, "transform", &transform));
    DONE(g->host, ct_host_publisher_new(g->host, g->world, &options, &publisher));
    DONE(g->host, ct_host_subscriber_new(g->host, copy, NULL, &subscriber));
    DONE(g->host, ct_host_differences(g->host, subscriber, &texts, &bytes));
    CHECK(bytes == 0);
    DONE(g->host, ct_host_frame(g->host, publisher, NULL));
    DONE(g->host, ct_host_shared_message(g->host, publisher, 0, &packet));
    wrong.id = publisher.id;
    alive = ct_host_count(g->host);
    DONE(g->host, ct_host_on_add(g->host, transform, refuse, g, &hook));
    REFUSED(g->host, CT_ERR_DATA,
            ct_host_apply(g->host, subscriber, packet.bytes, packet.count, NULL),
            "transform: an on_add hook refused");
    CHECK(ct_host_count(g->host) == alive && strstr(g->log, "apply") != NULL);
    DONE(g->host, ct_host_release(g->host, hook.id));
    g->log[0] = '\0';
    DONE(g->host, ct_host_on_add(g->host, transform, added, g, &hook));
    DONE(g->host, ct_host_on_remove(g->host, transform, removed, g, &hook));
    DONE(g->host, ct_host_apply(g->host, subscriber, packet.bytes, packet.count, NULL));
    CHECK(strstr(g->log, "apply") != NULL && ct_host_count(g->host) > alive);
    DONE(g->host, ct_host_differences(g->host, subscriber, &texts, &bytes));
    CHECK(bytes > 0 && strstr((const char *)texts, "health") != NULL);
    REFUSED(g->host, CT_ERR_DATA, ct_host_differences(g->host, wrong, &texts, &bytes),
            "of a publisher");
    g->log[0] = '\0';
    DONE(g->host, ct_host_world_destroy(g->host, copy, true));
    CHECK(strstr(g->log, "world. ") != NULL && !ct_host_is_valid(g->host, hook.id));
    g->log[0] = '\0';
}

// A destroy callback ends objects, but not the subscriber that destroys the entity.
static ct_host_subscriber running;
static unsigned ended;

static void died(void *user, void *context, ct_entity e) {
    ct_host_entities *host = (ct_host_entities *)user;
    (void)context;
    (void)e;
    REFUSED(host, CT_ERR_DATA, ct_host_release(host, running.id), "may not end a subscriber");
    ended++;
}

static void check_ends_in_callbacks(void) {
    static const char *const names[] = {"transform"};
    static budget memory;
    ct_host_entities *host = open_host(&memory, SIZE_MAX);
    ct_host_replication_options options;
    ct_host_publisher publisher;
    ct_host_world worlds[2];
    ct_host_component transform;
    ct_host_packet packet;
    ct_host_part part;
    ct_entity e;
    uint32_t token;
    packet.size = sizeof packet;
    memset(&part, 0, sizeof part);
    for (int i = 0; i < 2; ++i)
        DONE(host, ct_host_world_new(host, NULL, &worlds[i]));
    DONE(host, ct_host_find_component(host, worlds[0], "transform", &transform));
    part.component = transform;
    DONE(host, ct_host_create_with(host, worlds[0], 1, 1, &part, &e));
    ct_host_replication_options_init(&options, sizeof options);
    options.components = names;
    options.component_count = 1;
    DONE(host, ct_host_publisher_new(host, worlds[0], &options, &publisher));
    DONE(host, ct_host_subscriber_new(host, worlds[1], NULL, &running));
    DONE(host, ct_host_frame(host, publisher, NULL));
    DONE(host, ct_host_shared_message(host, publisher, 0, &packet));
    DONE(host, ct_host_apply(host, running, packet.bytes, packet.count, NULL));
    DONE(host, ct_host_listen(host, died, host, &token));
    DONE(host, ct_host_frame_of(host, publisher, NULL, 0, NULL));
    DONE(host, ct_host_shared_message(host, publisher, 0, &packet));
    DONE(host, ct_host_apply(host, running, packet.bytes, packet.count, NULL));
    CHECK(ended == 1 && ct_host_count(host) == 1);
    CHECK(ct_host_free(host) == CT_OK && memory.blocks == 0);
}

// A destroy callback releases the level that a patch empties.
static ct_host_level patched;

static void release_level(void *user, void *context, ct_entity e) {
    ct_host_entities *host = (ct_host_entities *)user;
    (void)context;
    (void)e;
    DONE(host, ct_host_release(host, patched.id));
}

static void check_patch_of_released_level(void) {
    static budget memory;
    ct_host_entities *host = open_host(&memory, SIZE_MAX);
    ct_host_world world;
    ct_host_resource full, empty;
    ct_entity e;
    uint32_t token;
    const void *bytes;
    size_t size;
    DONE(host, ct_host_world_new(host, NULL, &world));
    DONE(host, ct_host_create(host, 1, &e));
    DONE(host, ct_host_capture(host, world, 1, &e, true, &bytes, &size));
    DONE(host, ct_host_load(host, bytes, size, "full", &full));
    DONE(host, ct_host_capture(host, world, 0, NULL, true, &bytes, &size));
    DONE(host, ct_host_load(host, bytes, size, "empty", &empty));
    DONE(host, ct_host_spawn(host, world, full, NULL, &patched));
    DONE(host, ct_host_listen(host, release_level, host, &token));
    DONE(host, ct_host_patch(host, patched, empty, NULL));
    CHECK(!ct_host_is_valid(host, patched.id));
    CHECK(ct_host_free(host) == CT_OK && memory.blocks == 0);
}

// ---------------------------------------------------------------- memory

static ct_status play(game *g) {
    const ct_host_part parts[] = {{g->health, NULL, 0}, {g->transform, NULL, 0}};
    ct_host_resource resource;
    ct_host_level level;
    ct_entity made[3];
    TRY(listen(g));
    TRY(ct_host_add(g->host, g->health, 3, g->e, 0, NULL, NULL));
    TRY(ct_host_create_with(g->host, g->world, 3, 2, parts, made));
    TRY(ct_host_load(g->host, level_bytes[0], level_size[0], "yard", &resource));
    TRY(ct_host_spawn(g->host, g->world, resource, NULL, &level));
    TRY(ct_host_restart(g->host, level));
    return ct_host_clear(g->host, g->world, true);
}

static ct_status play_limited(size_t left) {
    static game g;
    ct_status status = open_game(&g, left);
    if (status == CT_OK) status = play(&g);
    return end_limited(g.host, &g.memory, g.world, status);
}

int main(int argc, char **argv) {
    static game g;
    if (argc != 3) return 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < 2; ++i)
        level_size[i] = read_file(argv[i + 1], level_bytes[i], sizeof level_bytes[i]);
    CHECK(open_game(&g, SIZE_MAX) == CT_OK);
    DONE(g.host, listen(&g));
    check_components(&g);
    check_levels(&g);
    check_refusals(&g);
    check_changes(&g);
    check_definitions(&g);
    check_messages(&g);
    DONE(g.host, ct_host_validate(g.host, g.world));
    CHECK(ct_host_free(g.host) == CT_OK && g.memory.blocks == 0);
    EXPECT(&g, "-transform 0 world. ");
    check_ends_in_callbacks();
    check_patch_of_released_level();
    check_memory(play_limited);
    printf("%u mistakes\n", mistakes);
    return mistakes > 0;
}
