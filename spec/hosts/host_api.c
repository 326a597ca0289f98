// A program without Lua that calls every function of cuttle_host.h, also with wrong arguments.
//
// usage: host_api LEVEL NEWER_LEVEL
#include "host_check.h"

static unsigned char level_bytes[2][65536];
static size_t level_size[2];

typedef struct game {
    budget memory;
    ct_host_entities *host;
    ct_host_world world;
    ct_host_component transform, health, tag;
    uint32_t hp, name, kind;
    ct_entity e[4];
} game;

static const ct_entity no_parent = {CT_NOBODY};
static const ct_host_world no_world = {0};
static const ct_host_component no_component = {0};
static const ct_host_space no_space = {0};

// ---------------------------------------------------------------- entity managers

static void check_versions(void) {
    CHECK(ct_host_version() == CT_HOST_VERSION);
    CHECK(strcmp(ct_host_message(NULL), "the entity manager is NULL, or was freed") == 0);
    CHECK(strcmp(ct_host_status_text(CT_ERR_CYCLE), "a cycle of parents") == 0);
    CHECK(strcmp(ct_host_status_text((ct_status)99), "unknown status") == 0);
}

static void open_game(game *g, size_t left) {
    memset(g, 0, sizeof *g);
    g->host = open_host(&g->memory, left);
}

static void check_entity_managers(void) {
    ct_host_options options;
    ct_host_entities *host;
    ct_entity e[3];
    uint32_t count;
    ct_host_options_init(&options, sizeof options);
    CHECK(options.minimum_free_indices == 1024 && options.allocator == NULL);
    options.minimum_free_indices = CT_MAX_ENTITIES;
    CHECK(ct_host_new(&options, &host) == CT_ERR_DATA && host == NULL);
    options.size = 0;
    CHECK(ct_host_new(&options, &host) == CT_ERR_DATA);
    CHECK(ct_host_new(NULL, &host) == CT_OK);
    CHECK(strcmp(ct_host_message(host), "") == 0);
    DONE(host, ct_host_create(host, 3, e));
    CHECK(ct_host_count(host) == 3 && ct_host_alive(host, e[2]));
    REFUSED(host, CT_ERR_FULL, ct_host_create(host, CT_MAX_ENTITIES, NULL),
            "entity manager is full (3 alive, 4194304 more requested)");
    DONE(host, ct_host_destroy(host, 2, e, &count));
    DONE(host, ct_host_destroy(host, 3, e, NULL));
    CHECK(count == 2 && ct_host_count(host) == 0 && !ct_host_alive(host, e[0]));
    CHECK(ct_host_create(NULL, 1, e) == CT_ERR_DATA && ct_host_count(NULL) == 0);
    CHECK(!ct_host_is_valid(NULL, 1) && !ct_host_alive(NULL, e[0]));
    REFUSED(host, CT_ERR_DATA, ct_host_listen(host, NULL, NULL, &count),
            "listen: a function expected, got NULL");
    CHECK(ct_host_free(host) == CT_OK && ct_host_free(NULL) == CT_OK);
}

// Handles of an entity manager that was freed are not those of the next one, which often has the
// same address.
static void check_old_handles(void) {
    ct_host_entities *host;
    ct_host_world old, world;
    CHECK(ct_host_new(NULL, &host) == CT_OK);
    DONE(host, ct_host_world_new(host, NULL, &old));
    CHECK(ct_host_free(host) == CT_OK && ct_host_new(NULL, &host) == CT_OK);
    DONE(host, ct_host_world_new(host, NULL, &world));
    CHECK(ct_host_is_valid(host, world.id) && !ct_host_is_valid(host, old.id));
    CHECK(ct_host_free(host) == CT_OK);
}

// ---------------------------------------------------------------- worlds, component types

static const ct_enum kinds = {"orc\0elf\0", 1};
static const float ten = 10;
static const ct_component_field health_fields[] = {
    {.name = "hp", .type = CT_FIELD_FLOAT, .preset = &ten},
    {.name = "name", .type = CT_FIELD_STRING},
    {.name = "kind", .type = CT_FIELD_ENUM, .preset = &kinds}};

static ct_status define(game *g, const char *name, const ct_component_field *fields, uint32_t count,
                        bool migrate, ct_host_component *out) {
    ct_host_component_options options;
    ct_host_component_options_init(&options, sizeof options);
    options.name = name;
    options.fields = fields;
    options.field_count = count;
    options.migrate = migrate;
    return ct_host_define(g->host, g->world, &options, out);
}

static bool fill_game(game *g) {
    return ct_host_world_new(g->host, NULL, &g->world) == CT_OK &&
           ct_host_find_component(g->host, g->world, "transform", &g->transform) == CT_OK &&
           define(g, "health", health_fields, 3, false, &g->health) == CT_OK &&
           define(g, "tag", NULL, 0, false, &g->tag) == CT_OK &&
           ct_host_find_field(g->host, g->health, "hp", &g->hp) == CT_OK &&
           ct_host_find_field(g->host, g->health, "name", &g->name) == CT_OK &&
           ct_host_find_field(g->host, g->health, "kind", &g->kind) == CT_OK &&
           ct_host_create(g->host, 4, g->e) == CT_OK;
}

static void check_worlds(game *g) {
    ct_host_world_options options;
    ct_host_world world, other;
    ct_host_entities *host = g->host;
    ct_host_world_options_init(&options, sizeof options);
    CHECK(options.name == NULL && options.seed == 1);
    options.name = "world1";
    REFUSED(host, CT_ERR_DATA, ct_host_world_new(host, &options, &world), "world 'world1' already");
    CHECK(world.id == 0);
    options.name = "";
    REFUSED(host, CT_ERR_DATA, ct_host_world_new(host, &options, &world), "1 to 63 bytes");
    options.size = sizeof options + 4;
    REFUSED(host, CT_ERR_DATA, ct_host_world_new(host, &options, &world), "this library knows");
    options.size = 0;
    REFUSED(host, CT_ERR_DATA, ct_host_world_new(host, &options, &world),
            "initialize them by ct_host_world_options_init");
    DONE(host, ct_host_world_new(host, NULL, &world));
    CHECK(ct_host_is_valid(host, world.id));
    DONE(host, ct_host_world_destroy(host, world, true));
    CHECK(!ct_host_is_valid(host, world.id));
    REFUSED(host, CT_ERR_DATA, ct_host_gc(host, world, false, NULL), "world: the handle is stale");
    REFUSED(host, CT_ERR_DATA, ct_host_gc(host, no_world, false, NULL), "world: the handle is 0");
    DONE(host, ct_host_world_new(host, NULL, &other));
    CHECK(other.id != world.id && !ct_host_is_valid(host, world.id));
    other.id = g->health.id;
    REFUSED(host, CT_ERR_DATA, ct_host_gc(host, other, false, NULL),
            "the handle is of a component");
    REFUSED(host, CT_ERR_DATA, ct_host_release(host, g->world.id), "ct_host_world_destroy");
    REFUSED(host, CT_ERR_DATA, ct_host_release(host, g->health.id), "ends with its world");
    REFUSED(host, CT_ERR_DATA, ct_host_release(host, 77), "stale");
    DONE(host, ct_host_release(host, 0));
}

static void check_definitions(game *g) {
    static const ct_component_field other[] = {{.name = "hp", .type = CT_FIELD_FLOAT},
                                               {.name = "mana", .type = CT_FIELD_INT32}};
    ct_host_component again, made;
    ct_host_field field = {.size = sizeof field};
    ct_host_entities *host = g->host;
    uint32_t number;
    REFUSED(host, CT_ERR_DATA, define(g, "big health", NULL, 0, false, &made), "not a valid");
    REFUSED(host, CT_ERR_DATA, define(g, NULL, NULL, 0, false, &made), "a text expected");
    REFUSED(host, CT_ERR_DATA, ct_host_define(host, no_world, NULL, &made), "the handle is 0");
    DONE(host, define(g, "health", health_fields, 3, false, &again));
    CHECK(again.id == g->health.id);
    REFUSED(host, CT_ERR_DATA, ct_host_find_component(host, g->world, "healt", &made),
            "unknown component 'healt' (did you mean 'health'?)");
    CHECK(ct_host_field_count(host, g->health) == 3 &&
          ct_host_field_count(host, no_component) == 0);
    DONE(host, ct_host_field_at(host, g->health, g->name, &field));
    CHECK(strcmp(field.name, "name") == 0 && field.type == CT_FIELD_STRING && !field.read_only);
    REFUSED(host, CT_ERR_DATA, ct_host_field_at(host, g->health, 3, &field), "field 3 does not");
    field.size = 0;
    REFUSED(host, CT_ERR_DATA, ct_host_field_at(host, g->health, 0, &field), "set it to sizeof");
    REFUSED(host, CT_ERR_DATA, ct_host_find_field(host, g->health, "hpp", &number),
            "health: unknown field 'hpp' (did you mean 'hp'?)");
    // With components of the old definition.
    DONE(host, define(g, "old", health_fields, 3, false, &made));
    DONE(host, ct_host_add(host, made, 1, &g->e[0], 0, NULL, NULL));
    REFUSED(host, CT_ERR_EXISTS, define(g, "old", other, 2, false, &again), "old");
    DONE(host, define(g, "old", other, 2, true, &again));
    CHECK(!ct_host_is_valid(host, made.id) && ct_host_field_count(host, again) == 2);
    REFUSED(host, CT_ERR_DATA, ct_host_add(host, made, 1, &g->e[0], 0, NULL, NULL), "stale");
    DONE(host, ct_host_destroy_components(host, again, 1, &g->e[0], &number));
    CHECK(number == 1);
}

// ---------------------------------------------------------------- components

static void check_components(game *g) {
    static const float hps[] = {1, 2}, forged_bits = 0;
    static const ct_text orc = {"Grog", 4};
    const ct_host_value values[] = {{"hp", hps, sizeof *hps}, {"name", &orc, 0}};
    const ct_host_value wrong[] = {{"hp", &forged_bits, 0}, {"hq", hps, 0}};
    const ct_host_value twice[] = {{"hp", hps, 0}, {"hp", hps, 0}}, null = {"hp", NULL, 0};
    ct_host_entities *host = g->host;
    ct_host_component actor;
    ct_entity dead;
    uint32_t first = 7, rows[2];
    DONE(host, ct_host_add(host, g->health, 2, g->e, 2, values, &first));
    CHECK(first == 0);
    REFUSED(host, CT_ERR_EXISTS, ct_host_add(host, g->health, 1, g->e, 0, NULL, NULL),
            "entity(0:0) already has a health");
    REFUSED(host, CT_ERR_DATA, ct_host_add(host, g->health, 1, &g->e[2], 2, wrong, NULL),
            "health: unknown field 'hq'");
    REFUSED(host, CT_ERR_DATA, ct_host_add(host, g->health, 1, &g->e[2], 2, twice, NULL),
            "given twice");
    REFUSED(host, CT_ERR_DATA, ct_host_add(host, g->health, 1, &g->e[2], 1, &null, NULL),
            "the items are NULL");
    REFUSED(host, CT_ERR_DATA, ct_host_add(host, no_component, 1, &g->e[2], 0, NULL, NULL),
            "component: the handle is 0");
    DONE(host, ct_host_find_component(host, g->world, "actor", &actor));
    REFUSED(host, CT_ERR_DATA, ct_host_add(host, actor, 1, &g->e[2], 0, NULL, NULL),
            "actor: only scripts add and remove it, with its body");
    DONE(host, ct_host_create(host, 1, &dead));
    DONE(host, ct_host_destroy(host, 1, &dead, NULL));
    REFUSED(host, CT_ERR_DATA, ct_host_add(host, g->health, 1, &dead, 0, NULL, NULL), "is dead");
    DONE(host, ct_host_find(host, g->health, 2, &g->e[1], rows));
    CHECK(rows[0] == 1 && rows[1] == CT_NO_ROW);
    CHECK(ct_host_next(host, g->health, 0) == CT_NO_ROW);
    CHECK(ct_host_next(host, no_component, 0) == CT_NO_ROW);
}

static void check_columns(game *g) {
    static const float nine = 9;
    static const ct_text longer = {"Grogar", 6};
    static const unsigned char label = 0, none = 2;
    ct_host_entities *host = g->host;
    ct_host_column column = {.size = sizeof column};
    float hp;
    ct_text text;
    DONE(host, ct_host_column_of(host, g->health, g->hp, &column));
    CHECK(column.count == 2 && column.stride == sizeof(float));
    CHECK(((float *)column.items)[1] == 2 && column.owners[1].id == g->e[1].id);
    ((float *)column.items)[1] = 5;
    DONE(host, ct_host_read(host, g->health, g->hp, 1, &hp, sizeof hp));
    CHECK(hp == 5);
    REFUSED(host, CT_ERR_DATA, ct_host_column_of(host, g->health, 9, &column), "field 9");
    column.size = 0;
    REFUSED(host, CT_ERR_DATA, ct_host_column_of(host, g->health, 0, &column), "size is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_read(host, g->health, g->hp, 1, &hp, 8), "has 4 bytes");
    REFUSED(host, CT_ERR_DATA, ct_host_read(host, g->health, g->hp, 2, &hp, 4),
            "health: row 2 does not exist (2 rows)");
    DONE(host, ct_host_write(host, g->health, g->hp, 0, &nine));
    DONE(host, ct_host_write(host, g->health, g->name, 1, &longer));
    DONE(host, ct_host_write(host, g->health, g->kind, 1, &label));
    DONE(host, ct_host_text(host, g->health, g->name, 0, &text));
    CHECK(strcmp(text.bytes, "Grog") == 0);
    DONE(host, ct_host_text(host, g->health, g->name, 1, &text));
    CHECK(strcmp(text.bytes, "Grogar") == 0);
    DONE(host, ct_host_text(host, g->health, g->kind, 1, &text));
    CHECK(strcmp(text.bytes, "orc") == 0);
    REFUSED(host, CT_ERR_DATA, ct_host_text(host, g->health, g->hp, 1, &text), "not a text");
    REFUSED(host, CT_ERR_DATA, ct_host_write(host, g->health, g->kind, 1, &none),
            "health.kind: not a value of type enum");
    REFUSED(host, CT_ERR_DATA, ct_host_write(host, g->health, g->hp, 0, NULL), "not a value");
    REFUSED(host, CT_ERR_DATA, ct_host_write(host, g->health, g->hp, 5, &nine), "row 5");
    REFUSED(host, CT_ERR_DATA, ct_host_destroy_row(host, g->health, 2), "row 2");
    DONE(host, ct_host_destroy_row(host, g->health, 0));
    DONE(host, ct_host_text(host, g->health, g->name, 0, &text));
    CHECK(strcmp(text.bytes, "Grogar") == 0);
}

static void check_creation(game *g) {
    static const float position[] = {1, 2, 3};
    const ct_host_value at = {"position", position, 0}, parent = {"parent", &g->e[3], 0};
    const ct_host_part parts[] = {{g->health, NULL, 0}, {g->transform, &at, 1}};
    const ct_host_part below[] = {{g->transform, &parent, 1}}, again[] = {parts[0], parts[0]};
    ct_host_entities *host = g->host;
    ct_entity made[2];
    uint32_t count = ct_host_count(host);
    REFUSED(host, CT_ERR_DATA, ct_host_create_with(host, g->world, 1, 1, below, made),
            "transform: parent: entity(3:0) has no transform");
    REFUSED(host, CT_ERR_EXISTS, ct_host_create_with(host, g->world, 1, 2, again, made),
            "health: given twice");
    REFUSED(host, CT_ERR_DATA, ct_host_create_with(host, g->world, 1, 1000, parts, made),
            "256 parts at most");
    CHECK(ct_host_count(host) == count);
    DONE(host, ct_host_create_with(host, g->world, 2, 2, parts, made));
    CHECK(ct_host_count(host) == count + 2);
    DONE(host, ct_host_destroy(host, 2, made, NULL));
    DONE(host, ct_host_gc(host, g->world, true, &count));
    CHECK(count == 4);
    REFUSED(host, CT_ERR_DATA, ct_host_mesh(host, g->world, ""), "a name expected");
    DONE(host, ct_host_mesh(host, g->world, "tree"));
    DONE(host, ct_host_simulate(host, g->world, 0.5f));
    REFUSED(host, CT_ERR_DATA, ct_host_simulate(host, no_world, 0.5f), "the handle is 0");
}

// ---------------------------------------------------------------- transforms

static void check_poses(game *g) {
    static const ct_pose pose = {{1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const ct_values one = {&pose, 0}, none = {NULL, 0};
    ct_host_entities *host = g->host;
    ct_pose got[2];
    ct_entity children[2], parent;
    uint32_t count;
    DONE(host, ct_host_add(host, g->transform, 3, g->e, 0, NULL, NULL));
    REFUSED(host, CT_ERR_DATA,
            ct_host_set_poses(host, g->world, CT_HOST_LOCAL, 4, g->e, &one, NULL),
            "entity(3:0) has no transform");
    REFUSED(host, CT_ERR_DATA,
            ct_host_set_poses(host, g->world, CT_HOST_LOCAL, 3, g->e, &none, NULL), "are NULL");
    REFUSED(host, CT_ERR_DATA,
            ct_host_set_poses(host, g->world, (ct_host_relation)2, 3, g->e, &one, NULL),
            "relation: CT_HOST_LOCAL or CT_HOST_WORLD expected, got 2");
    REFUSED(host, CT_ERR_DATA, ct_host_poses(host, g->world, (ct_host_relation)3, 1, g->e, got),
            "relation: CT_HOST_LOCAL or CT_HOST_WORLD expected, got 3");
    DONE(host, ct_host_link(host, g->world, g->e[1], g->e[0], false));
    DONE(host, ct_host_link(host, g->world, g->e[2], g->e[1], false));
    DONE(host, ct_host_set_poses(host, g->world, CT_HOST_LOCAL, 3, g->e, &one, NULL));
    DONE(host, ct_host_poses(host, g->world, CT_HOST_WORLD, 2, &g->e[1], got));
    CHECK(got[0].position[0] == 2 && got[1].position[0] == 3);
    DONE(host, ct_host_set_poses(host, g->world, CT_HOST_WORLD, 1, &g->e[2], &one, &count));
    DONE(host, ct_host_poses(host, g->world, CT_HOST_LOCAL, 1, &g->e[2], got));
    CHECK(got[0].position[0] == -1 && count == 0);
    REFUSED(host, CT_ERR_DATA, ct_host_poses(host, g->world, CT_HOST_WORLD, 2, &g->e[2], got),
            "entity(3:0) has no transform");
    REFUSED(host, CT_ERR_CYCLE, ct_host_link(host, g->world, g->e[0], g->e[2], true), "cycle");
    REFUSED(host, CT_ERR_DATA, ct_host_link(host, g->world, g->e[0], g->e[3], true),
            "parent: entity(3:0) has no transform");
    REFUSED(host, CT_ERR_DATA, ct_host_link(host, g->world, no_parent, g->e[3], true), "CT_NOBODY");
    DONE(host, ct_host_parent(host, g->world, g->e[2], &parent));
    CHECK(parent.id == g->e[1].id);
    DONE(host, ct_host_parent(host, g->world, g->e[0], &parent));
    CHECK(parent.id == CT_NOBODY);
    DONE(host, ct_host_children(host, g->world, g->e[0], 2, children, &count));
    CHECK(count == 1 && children[0].id == g->e[1].id);
    REFUSED(host, CT_ERR_DATA, ct_host_children(host, g->world, g->e[3], 2, children, &count),
            "no transform");
    REFUSED(host, CT_ERR_DATA, ct_host_parent(host, g->world, g->e[3], &parent), "no transform");
}

static void check_watches(game *g) {
    static const ct_pose pose = {{4, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const ct_values one = {&pose, 0};
    ct_host_entities *host = g->host;
    ct_host_watch watch;
    ct_host_changes changes = {.size = sizeof changes};
    REFUSED(host, CT_ERR_DATA, ct_host_watch_poses(host, no_world, &watch), "the handle is 0");
    DONE(host, ct_host_watch_poses(host, g->world, &watch));
    DONE(host, ct_host_changed(host, watch, &changes));
    CHECK(changes.all);
    DONE(host, ct_host_set_poses(host, g->world, CT_HOST_LOCAL, 1, &g->e[2], &one, NULL));
    changes.size = 0;
    REFUSED(host, CT_ERR_DATA, ct_host_changed(host, watch, &changes), "size is 0");
    changes.size = sizeof changes;
    DONE(host, ct_host_changed(host, watch, &changes));
    CHECK(!changes.all && changes.count == 1 && changes.entities[0].id == g->e[2].id);
    DONE(host, ct_host_release(host, watch.id));
    REFUSED(host, CT_ERR_DATA, ct_host_changed(host, watch, &changes),
            "watch: the handle is stale");
}

// ---------------------------------------------------------------- queries, spaces

static void check_queries(game *g) {
    const ct_host_term terms[] = {{g->transform, CT_QUERY_REQUIRED},
                                  {g->health, CT_QUERY_EXCLUDED}};
    const ct_host_term excluded[] = {{g->health, CT_QUERY_EXCLUDED}};
    ct_host_entities *host = g->host;
    ct_host_query query;
    ct_query_run run = {0, 0, {{0}}};
    uint32_t count = 0, rows = 0;
    REFUSED(host, CT_ERR_DATA, ct_host_query_new(host, g->world, 0, terms, &query), "1 to 8");
    REFUSED(host, CT_ERR_DATA, ct_host_query_new(host, g->world, 1, excluded, &query),
            "must be required");
    DONE(host, ct_host_query_new(host, g->world, 2, terms, &query));
    DONE(host, ct_host_refresh(host, query, &count));
    CHECK(count == 2);
    while (ct_host_run(host, query, &run) == CT_OK && run.count > 0)
        rows += run.count;
    CHECK(rows == 2);
    DONE(host, ct_host_add(host, g->tag, 1, &g->e[3], 0, NULL, NULL));
    DONE(host, ct_host_destroy_components(host, g->health, 1, &g->e[1], NULL));
    memset(&run, 0, sizeof run);
    REFUSED(host, CT_ERR_DATA, ct_host_run(host, query, &run), "ct_host_refresh was not called");
    DONE(host, ct_host_release(host, query.id));
    REFUSED(host, CT_ERR_DATA, ct_host_refresh(host, query, &count), "query: the handle is stale");
}

static void ask(game *g, ct_host_space space) {
    static const double origin[] = {0, 0, 0}, far[] = {9, 9, 0}, bad[] = {0.0 / 1, 1e308 * 10, 0};
    const ct_space_filter masked = {{CT_NOBODY}, true, 1};
    ct_host_entities *host = g->host;
    ct_space_answer answer;
    ct_space_near near;
    ct_space_hit hit;
    DONE(host, ct_host_within(host, space, origin, 1.5, NULL, &answer));
    CHECK(answer.count == 1 && answer.entities[0].id == g->e[0].id);
    DONE(host, ct_host_box(host, space, origin, far, NULL, &answer));
    CHECK(answer.count == 3);
    DONE(host, ct_host_nearest(host, space, origin, 100, NULL, &near));
    CHECK(near.entity.id == g->e[0].id && near.distance == 1);
    DONE(host, ct_host_ray(host, space, origin, far, 1, NULL, &hit));
    CHECK(hit.entity.id == g->e[0].id);
    DONE(host, ct_host_pairs(host, space, 2, no_space, &answer));
    CHECK(answer.count == 2);
    REFUSED(host, CT_ERR_DATA, ct_host_within(host, space, bad, 1, NULL, &answer), "not finite");
    REFUSED(host, CT_ERR_DATA, ct_host_within(host, space, origin, 1, &masked, &answer), "no mask");
    REFUSED(host, CT_ERR_DATA, ct_host_box(host, space, origin, far, &masked, &answer), "no mask");
    REFUSED(host, CT_ERR_DATA, ct_host_nearest(host, space, bad, 1, NULL, &near), "not finite");
    REFUSED(host, CT_ERR_DATA, ct_host_ray(host, space, origin, far, -1, NULL, &hit), "negative");
    REFUSED(host, CT_ERR_DATA, ct_host_pairs(host, space, -1, no_space, &answer), "negative");
}

static void check_spaces(game *g) {
    const ct_host_term terms[] = {{g->transform, CT_QUERY_REQUIRED}}, tags[] = {{g->tag, 0}};
    ct_host_entities *host = g->host;
    ct_host_query query, other;
    ct_host_space space;
    ct_host_space_options options;
    ct_space_answer answer;
    uint32_t count = 0;
    DONE(host, ct_host_query_new(host, g->world, 1, terms, &query));
    DONE(host, ct_host_query_new(host, g->world, 1, tags, &other));
    ct_host_space_options_init(&options, sizeof options);
    CHECK(options.dimensions == 2);
    REFUSED(host, CT_ERR_DATA, ct_host_space_new(host, query, &options, &space), "above 0");
    options.cell = 2;
    REFUSED(host, CT_ERR_DATA, ct_host_space_new(host, other, &options, &space), "no transform");
    options.radius_field = "hp";
    options.radius_component = g->health;
    REFUSED(host, CT_ERR_DATA, ct_host_space_new(host, query, &options, &space),
            "health is not in the query");
    options.radius_component = g->transform;
    REFUSED(host, CT_ERR_DATA, ct_host_space_new(host, query, &options, &space), "unknown field");
    options.radius_field = NULL;
    options.dimensions = 4;
    REFUSED(host, CT_ERR_DATA, ct_host_space_new(host, query, &options, &space), "2 or 3");
    options.dimensions = 2;
    DONE(host, ct_host_space_new(host, query, &options, &space));
    DONE(host, ct_host_release(host, query.id));
    DONE(host, ct_host_space_refresh(host, space, &count));
    CHECK(count == 3);
    ask(g, space);
    DONE(host, ct_host_release(host, space.id));
    REFUSED(host, CT_ERR_DATA, ct_host_pairs(host, space, 1, no_space, &answer),
            "space: the handle is stale");
}

// ---------------------------------------------------------------- levels

static void check_resources(game *g, ct_host_resource *out) {
    ct_host_entities *host = g->host;
    ct_host_resource damaged;
    REFUSED(host, CT_ERR_DATA, ct_host_load(host, NULL, 0, NULL, &damaged), "is empty");
    REFUSED(host, CT_ERR_DATA, ct_host_load(host, "garbage", 7, NULL, &damaged), "resource");
    CHECK(damaged.id == 0);
    for (int i = 0; i < 2; ++i)
        DONE(host, ct_host_load(host, level_bytes[i], level_size[i], "yard", &out[i]));
}

static void check_spawns(game *g, const ct_host_resource *resources, ct_host_level *level) {
    static const ct_pose poses[] = {{{100, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                    {{200, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    ct_host_entities *host = g->host;
    ct_host_spawn_options options;
    ct_entity list[8], found;
    ct_pose pose;
    uint32_t count;
    ct_host_spawn_options_init(&options, sizeof options);
    CHECK(options.parent.id == CT_NOBODY && options.copies == 1);
    options.parent = g->e[3];
    REFUSED(host, CT_ERR_DATA, ct_host_spawn(host, g->world, resources[0], &options, level),
            "parent: entity(3:0) has no transform");
    options.parent = no_parent;
    options.pose = poses;
    options.poses = poses;
    REFUSED(host, CT_ERR_DATA, ct_host_spawn(host, g->world, resources[0], &options, level),
            "not together");
    options.pose = NULL;
    options.copies = 2;
    REFUSED(host, CT_ERR_DATA, ct_host_spawn(host, no_world, resources[0], &options, level),
            "world: the handle is 0");
    DONE(host, ct_host_spawn(host, g->world, resources[0], &options, level));
    DONE(host, ct_host_level_entities(host, *level, 8, list, &count));
    CHECK(count == 8 && ct_host_alive(host, list[7]));
    DONE(host, ct_host_poses(host, g->world, CT_HOST_WORLD, 1, &list[4], &pose));
    CHECK(pose.position[0] == 210);
    DONE(host, ct_host_level_find(host, *level, "jib/hook", &found));
    CHECK(found.id == list[2].id);
    DONE(host, ct_host_level_find(host, *level, "nothing", &found));
    CHECK(found.id == CT_NOBODY);
    REFUSED(host, CT_ERR_DATA, ct_host_level_find(host, *level, NULL, &found), "got NULL");
}

static void check_levels(game *g, const ct_host_resource *resources, ct_host_level level) {
    ct_host_entities *host = g->host;
    ct_host_patch_counts counts = {.size = sizeof counts};
    ct_host_level levels[2], again;
    ct_host_resource none = {0};
    ct_entity list[8];
    uint32_t count;
    DONE(host, ct_host_restart(host, level));
    DONE(host, ct_host_patch(host, level, resources[1], &counts));
    CHECK(counts.added == 2 && counts.removed == 0 && counts.changed > 0);
    REFUSED(host, CT_ERR_DATA, ct_host_patch(host, level, none, &counts), "resource: the handle");
    DONE(host, ct_host_levels(host, g->world, 2, levels, &count));
    CHECK(count == 1 && levels[0].id == level.id);
    DONE(host, ct_host_release(host, level.id));
    REFUSED(host, CT_ERR_DATA, ct_host_restart(host, level), "level: the handle is stale");
    DONE(host, ct_host_levels(host, g->world, 2, levels, &count));
    CHECK(count == 1 && levels[0].id != level.id);
    again = levels[0];
    DONE(host, ct_host_unload(host, again, &count));
    CHECK(count == 10);
    DONE(host, ct_host_unload(host, again, &count));
    DONE(host, ct_host_level_entities(host, again, 8, list, &count));
    CHECK(count == 0);
    DONE(host, ct_host_levels(host, g->world, 2, levels, &count));
    CHECK(count == 0);
    DONE(host, ct_host_restart(host, again));
    DONE(host, ct_host_level_entities(host, again, 8, list, &count));
    CHECK(count == 10);
}

// ---------------------------------------------------------------- snapshots, saves

static void check_snapshots(game *g) {
    ct_host_entities *host = g->host;
    ct_host_snapshot snapshot = {0}, stale = {99};
    uint64_t before = 0, after = 0, changed = 0;
    DONE(host, ct_host_hash(host, &before));
    DONE(host, ct_host_take(host, &snapshot));
    DONE(host, ct_host_destroy_components(host, g->transform, 1, g->e, NULL));
    DONE(host, ct_host_hash(host, &changed));
    DONE(host, ct_host_restore(host, snapshot));
    DONE(host, ct_host_hash(host, &after));
    CHECK(before == after && before != changed);
    DONE(host, ct_host_take(host, &snapshot));
    REFUSED(host, CT_ERR_DATA, ct_host_take(host, &stale), "snapshot: the handle is stale");
    REFUSED(host, CT_ERR_DATA, ct_host_restore(host, stale), "snapshot: the handle is stale");
    DONE(host, ct_host_release(host, snapshot.id));
}

// Restores a save into another entity manager with the same definitions.
static void check_saves(game *g) {
    ct_host_snapshot snapshot = {0}, copy;
    const void *bytes, *again;
    size_t count, count_again;
    uint64_t before = 0, after = 0;
    uint32_t notes, levels;
    ct_host_level level[2];
    ct_host_resource resource;
    ct_entity hook;
    game other;
    DONE(g->host, ct_host_take(g->host, &snapshot));
    DONE(g->host, ct_host_hash(g->host, &before));
    DONE(g->host, ct_host_save(g->host, snapshot, &bytes, &count));
    open_game(&other, SIZE_MAX);
    CHECK(fill_game(&other));
    REFUSED(other.host, CT_ERR_DATA, ct_host_read_save(other.host, bytes, count - 1, &copy),
            "the save is truncated");
    DONE(other.host, ct_host_read_save(other.host, bytes, count, &copy));
    DONE(other.host, ct_host_save(other.host, copy, &again, &count_again));
    CHECK(count_again == count && memcmp(bytes, again, count) == 0);
    REFUSED(other.host, CT_ERR_DATA, ct_host_restore(other.host, copy),
            "world 'world3' is only in the save");
    CHECK(ct_host_gc(other.host, g->world, true, NULL) == CT_ERR_DATA); // of another manager
    DONE(other.host, ct_host_world_destroy(other.host, other.world, false));
    ct_host_world_options options;
    ct_host_world_options_init(&options, sizeof options);
    options.name = "world1";
    DONE(other.host, ct_host_world_new(other.host, &options, &other.world));
    ct_host_world second;
    options.name = "world3";
    DONE(other.host, ct_host_world_new(other.host, &options, &second));
    DONE(other.host, define(&other, "health", health_fields, 3, false, &other.health));
    DONE(other.host, ct_host_load(other.host, level_bytes[1], level_size[1], "yard", &resource));
    DONE(other.host, ct_host_restore(other.host, copy));
    DONE(other.host, ct_host_hash(other.host, &after));
    CHECK(strstr(ct_host_notes(other.host, &notes), "tag") != NULL && notes > 0);
    DONE(other.host, ct_host_levels(other.host, other.world, 2, level, &levels));
    CHECK(levels == 1);
    DONE(other.host, ct_host_level_find(other.host, level[0], "jib/hook", &hook));
    CHECK(ct_host_alive(other.host, hook));
    DONE(other.host, ct_host_restart(other.host, level[0]));
    CHECK(before != 0 && after != 0);
    DONE(other.host, ct_host_validate(other.host, other.world));
    CHECK(ct_host_free(other.host) == CT_OK && other.memory.blocks == 0);
}

// ---------------------------------------------------------------- recorders

static ct_host_recorder recorder_of(game *g, uint32_t every, uint32_t keep) {
    ct_host_recorder_options options;
    ct_host_recorder recorder;
    ct_host_recorder_options_init(&options, sizeof options);
    options.every = every;
    options.keep = keep;
    DONE(g->host, ct_host_recorder_new(g->host, &options, &recorder));
    return recorder;
}

static uint32_t frames_of(game *g, ct_host_recorder recorder) {
    ct_host_recording recording = {.size = sizeof recording};
    DONE(g->host, ct_host_recording_of(g->host, recorder, &recording));
    CHECK((recording.bytes > 0) == (recording.frames > 0));
    return recording.frames;
}

static void set_hp(game *g, float hp) {
    DONE(g->host, ct_host_write(g->host, g->health, g->hp, 0, &hp));
}

static float hp_of(game *g) {
    float hp = 0;
    DONE(g->host, ct_host_read(g->host, g->health, g->hp, 0, &hp, sizeof hp));
    return hp;
}

static uint64_t back_by(game *g, ct_host_recorder recorder, uint64_t frames) {
    uint64_t back = 99;
    DONE(g->host, ct_host_rewind(g->host, recorder, frames, &back));
    return back;
}

static void check_recorder_errors(game *g, ct_host_recorder recorder) {
    static const ct_host_recorder none = {0};
    ct_host_entities *host = g->host;
    ct_host_recorder_options options;
    ct_host_recorder refused;
    ct_host_recording recording = {.size = 0};
    uint64_t back = 99;
    ct_host_recorder_options_init(&options, sizeof options);
    CHECK(options.every == 1 && options.keep == 600);
    options.every = 0;
    REFUSED(host, CT_ERR_DATA, ct_host_recorder_new(host, &options, &refused),
            "every: integer in [1, 1048576] expected, got 0");
    options.every = 1048576;
    options.keep = 1048577;
    REFUSED(host, CT_ERR_DATA, ct_host_recorder_new(host, &options, &refused),
            "keep: integer in [1, 1048576] expected, got 1048577");
    options.size = 0;
    REFUSED(host, CT_ERR_DATA, ct_host_recorder_new(host, &options, &refused),
            "initialize them by ct_host_recorder_options_init");
    CHECK(refused.id == 0);
    CHECK(ct_host_recorder_new(NULL, NULL, &refused) == CT_ERR_DATA);
    CHECK(ct_host_record(NULL, recorder) == CT_ERR_DATA);
    CHECK(ct_host_rewind(NULL, recorder, 0, NULL) == CT_ERR_DATA);
    CHECK(ct_host_recording_of(NULL, recorder, &recording) == CT_ERR_DATA);
    REFUSED(host, CT_ERR_DATA, ct_host_recording_of(host, recorder, &recording), "size is 0");
    recording.size = sizeof recording;
    REFUSED(host, CT_ERR_DATA, ct_host_recording_of(host, none, &recording),
            "recorder: the handle is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_record(host, (ct_host_recorder){g->health.id}),
            "recorder: the handle is of a component");
    REFUSED(host, CT_ERR_DATA, ct_host_rewind(host, (ct_host_recorder){99}, 0, &back),
            "recorder: the handle is stale");
    REFUSED(host, CT_ERR_DATA, ct_host_restore(host, (ct_host_snapshot){recorder.id}),
            "snapshot: the handle is of a recorder");
    CHECK(back == 99);
}

// The same frames as in Lua: a rewind ends at the nearest recorded frame before, or at the oldest.
static void check_recorders(game *g) {
    ct_host_recorder all, third = recorder_of(g, 3, 2), last = recorder_of(g, 1, 1);
    uint64_t before = 0, after = 0;
    DONE(g->host, ct_host_add(g->host, g->health, 1, g->e, 0, NULL, NULL));
    DONE(g->host, ct_host_recorder_new(g->host, NULL, &all));
    check_recorder_errors(g, all);
    CHECK(frames_of(g, all) == 0 && back_by(g, all, 5) == 0);
    for (uint32_t frame = 1; frame <= 8; ++frame) {
        set_hp(g, (float)frame);
        if (frame == 6) DONE(g->host, ct_host_hash(g->host, &before));
        DONE(g->host, ct_host_record(g->host, all));
        DONE(g->host, ct_host_record(g->host, third));
        DONE(g->host, ct_host_record(g->host, last));
    }
    CHECK(frames_of(g, all) == 8 && frames_of(g, third) == 2 && frames_of(g, last) == 1);
    set_hp(g, 9);
    CHECK(back_by(g, all, 0) == 0 && hp_of(g) == 8);
    CHECK(back_by(g, third, 2) == 4 && hp_of(g) == 4); // frames 4 and 7 are recorded
    CHECK(back_by(g, last, UINT64_MAX) == 0 && hp_of(g) == 8);
    DONE(g->host, ct_host_record(g->host, third));
    CHECK(frames_of(g, third) == 1 && back_by(g, third, 0) == 1 && hp_of(g) == 4);
    CHECK(back_by(g, all, 2) == 2 && frames_of(g, all) == 6);
    DONE(g->host, ct_host_hash(g->host, &after));
    CHECK(before == after && hp_of(g) == 6);
    set_hp(g, 7);
    DONE(g->host, ct_host_record(g->host, all));
    DONE(g->host, ct_host_rewind(g->host, all, 1, NULL));
    CHECK(hp_of(g) == 6 && back_by(g, all, 1000) == 5 && hp_of(g) == 1);
    DONE(g->host, ct_host_validate(g->host, g->world));
    DONE(g->host, ct_host_release(g->host, all.id));
    REFUSED(g->host, CT_ERR_DATA, ct_host_record(g->host, all), "recorder: the handle is stale");
    DONE(g->host, ct_host_release(g->host, third.id));
    DONE(g->host, ct_host_release(g->host, last.id));
    DONE(g->host, ct_host_destroy_components(g->host, g->health, 1, g->e, NULL));
}

// The handle of a level stays valid while frames with and without the level are restored.
static void check_recorded_levels(game *g) {
    ct_host_entities *host = g->host;
    ct_host_recorder unused, recorder = recorder_of(g, 1, 2);
    ct_host_resource resource;
    ct_host_level level, later, found[2];
    ct_entity list[4], again[4];
    uint32_t count, others;
    size_t blocks;
    DONE(host, ct_host_levels(host, g->world, 0, NULL, &others));
    DONE(host, ct_host_load(host, level_bytes[0], level_size[0], "yard", &resource));
    DONE(host, ct_host_spawn(host, g->world, resource, NULL, &level));
    DONE(host, ct_host_level_entities(host, level, 4, list, &count));
    DONE(host, ct_host_record(host, recorder));
    DONE(host, ct_host_unload(host, level, &count));
    DONE(host, ct_host_spawn(host, g->world, resource, NULL, &later));
    DONE(host, ct_host_release(host, resource.id));
    DONE(host, ct_host_record(host, recorder));
    CHECK(back_by(g, recorder, 1) == 1);
    DONE(host, ct_host_level_entities(host, level, 4, again, &count));
    CHECK(count == 4 && memcmp(list, again, sizeof list) == 0 && ct_host_alive(host, list[3]));
    DONE(host, ct_host_level_entities(host, later, 4, again, &count));
    CHECK(count == 0);
    DONE(host, ct_host_release(host, level.id));
    DONE(host, ct_host_release(host, later.id));
    CHECK(back_by(g, recorder, 0) == 0);
    DONE(host, ct_host_levels(host, g->world, 2, found, &count));
    CHECK(count == others + 1 && others < 2 && found[others].id != level.id);
    DONE(host, ct_host_restart(host, found[others]));
    DONE(host, ct_host_unload(host, found[others], NULL));
    DONE(host, ct_host_release(host, found[others].id));
    DONE(host, ct_host_record(host, recorder));
    // The frame that drops the last one with the level frees the resource, too.
    DONE(host, ct_host_recorder_new(host, NULL, &unused));
    DONE(host, ct_host_record(host, recorder));
    blocks = g->memory.blocks;
    DONE(host, ct_host_release(host, unused.id));
    CHECK(g->memory.blocks == blocks - 1);
    DONE(host, ct_host_release(host, recorder.id));
}

// A recorder belongs to no world. Frames of other worlds are refused, and stay.
static void check_recorded_worlds(void) {
    static game g;
    ct_host_world second;
    open_game(&g, SIZE_MAX);
    CHECK(fill_game(&g));
    ct_host_recorder recorder = recorder_of(&g, 1, 4);
    DONE(g.host, ct_host_record(g.host, recorder));
    DONE(g.host, ct_host_world_new(g.host, NULL, &second));
    REFUSED(g.host, CT_ERR_DATA, ct_host_rewind(g.host, recorder, 0, NULL),
            "world 'world2' was created after the snapshot");
    DONE(g.host, ct_host_record(g.host, recorder));
    DONE(g.host, ct_host_world_destroy(g.host, g.world, true));
    REFUSED(g.host, CT_ERR_DATA, ct_host_rewind(g.host, recorder, 0, NULL),
            "world 'world1' was destroyed after the snapshot");
    DONE(g.host, ct_host_record(g.host, recorder));
    CHECK(frames_of(&g, recorder) == 3 && back_by(&g, recorder, 0) == 0);
    DONE(g.host, ct_host_world_destroy(g.host, second, true));
    CHECK(ct_host_is_valid(g.host, recorder.id) && frames_of(&g, recorder) == 3);
    CHECK(ct_host_free(g.host) == CT_OK && g.memory.blocks == 0);
}

// Records or rewinds with one more allocation each time. A call that fails changes nothing.
static void check_recorder_call(game *g, ct_host_recorder recorder, bool rewind) {
    ct_status status = CT_ERR_MEMORY;
    uint64_t before = 0, after = 0;
    uint32_t frames = frames_of(g, recorder);
    DONE(g->host, ct_host_hash(g->host, &before));
    for (size_t left = 0; status != CT_OK && left < 1000; ++left) {
        g->memory.left = left;
        status =
            rewind ? ct_host_rewind(g->host, recorder, 2, NULL) : ct_host_record(g->host, recorder);
        g->memory.left = SIZE_MAX;
        if (status == CT_OK) break;
        CHECK(status == CT_ERR_MEMORY && strstr(ct_host_message(g->host), "not enough memory"));
        DONE(g->host, ct_host_hash(g->host, &after));
        CHECK(before == after && frames_of(g, recorder) == frames);
    }
    CHECK(status == CT_OK && frames_of(g, recorder) == (rewind ? frames - 2 : frames + 1));
}

static void check_recorder_memory(void) {
    static game g;
    ct_host_resource resource;
    ct_host_level level;
    ct_host_recorder recorder, refused;
    open_game(&g, SIZE_MAX);
    CHECK(fill_game(&g));
    DONE(g.host, ct_host_add(g.host, g.health, 1, g.e, 0, NULL, NULL));
    DONE(g.host, ct_host_load(g.host, level_bytes[0], level_size[0], "yard", &resource));
    recorder = recorder_of(&g, 1, 8);
    for (uint32_t frame = 1; frame <= 4; ++frame) {
        set_hp(&g, (float)frame);
        if (frame == 2) DONE(g.host, ct_host_spawn(g.host, g.world, resource, NULL, &level));
        if (frame == 4) DONE(g.host, ct_host_unload(g.host, level, NULL));
        check_recorder_call(&g, recorder, false);
    }
    check_recorder_call(&g, recorder, true);
    CHECK(hp_of(&g) == 2);
    g.memory.left = 0;
    REFUSED(g.host, CT_ERR_MEMORY, ct_host_recorder_new(g.host, NULL, &refused), "not enough");
    g.memory.left = SIZE_MAX;
    CHECK(refused.id == 0);
    DONE(g.host, ct_host_validate(g.host, g.world));
    CHECK(ct_host_free(g.host) == CT_OK && g.memory.blocks == 0);
}

// ---------------------------------------------------------------- replication

static const char *const published[] = {"transform", "health"};

static ct_host_replication_options publishing(uint32_t count) {
    ct_host_replication_options options;
    ct_host_replication_options_init(&options, sizeof options);
    options.components = published;
    options.component_count = count;
    return options;
}

static void check_replication_errors(game *g, ct_host_publisher publisher, ct_host_peer peer) {
    static const ct_host_step wrong = {"health", "hpp", 0.5}, unnamed = {"health", NULL, 0.5};
    static const char *const names[] = {"health", NULL};
    static const ct_host_subscriber no_subscriber = {0};
    ct_host_entities *host = g->host;
    ct_host_replication_options options = publishing(0);
    ct_host_publisher refused;
    ct_host_packet packet;
    ct_entity e;
    CHECK(options.keep == 64 && options.max_bytes == 1u << 20 && options.max_entities == 65536);
    REFUSED(host, CT_ERR_DATA, ct_host_publisher_new(host, g->world, &options, &refused),
            "components: 1 to 64 names expected");
    options = publishing(2);
    options.steps = &wrong;
    options.step_count = 1;
    REFUSED(host, CT_ERR_DATA, ct_host_publisher_new(host, g->world, &options, &refused),
            "steps: health.hpp is not a published field of floats or doubles");
    options.steps = &unnamed;
    REFUSED(host, CT_ERR_DATA, ct_host_publisher_new(host, g->world, &options, &refused),
            "a name expected, got NULL");
    options.step_count = 0;
    options.components = names;
    REFUSED(host, CT_ERR_DATA, ct_host_publisher_new(host, g->world, &options, &refused),
            "a name expected, got NULL");
    options.size = 5000;
    REFUSED(host, CT_ERR_DATA, ct_host_publisher_new(host, g->world, &options, &refused),
            "options: size is 5000");
    REFUSED(host, CT_ERR_DATA, ct_host_publisher_new(host, no_world, NULL, &refused),
            "world: the handle is 0");
    CHECK(refused.id == 0);
    packet.size = sizeof packet;
    REFUSED(host, CT_ERR_DATA, ct_host_peer_message(host, peer, NULL, 0, 0, &packet),
            "no frame was recorded");
    REFUSED(host, CT_ERR_DATA, ct_host_acknowledge(host, peer, 7),
            "peer: no message of frame 7 is kept");
    DONE(host, ct_host_frame(host, publisher, NULL));
    packet.size = 0;
    REFUSED(host, CT_ERR_DATA, ct_host_peer_message(host, peer, NULL, 0, 0, &packet),
            "result: size is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_frame(host, (ct_host_publisher){peer.id}, NULL),
            "publisher: the handle is of a peer");
    REFUSED(host, CT_ERR_DATA, ct_host_received(host, no_subscriber, 0, NULL, &e),
            "subscriber: the handle is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_put_back(host, no_subscriber, NULL, 0, NULL),
            "subscriber: the handle is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_published(host, no_subscriber, 0, NULL, &e),
            "subscriber: the handle is 0");
    REFUSED(host, CT_ERR_DATA, ct_host_forget(host, no_subscriber, false),
            "subscriber: the handle is 0");
    CHECK(ct_host_frame(NULL, publisher, NULL) == CT_ERR_DATA);
}

// All receivers at one frame get the same message, which has the entities of a list.
static void check_shared_messages(game *g, const game *other, ct_host_publisher publisher,
                                  ct_host_subscriber subscriber) {
    ct_host_packet packet = {.size = sizeof packet};
    ct_entity here, back;
    uint32_t frame;
    DONE(g->host, ct_host_frame_of(g->host, publisher, g->e + 1, 1, &frame));
    DONE(g->host, ct_host_shared_message(g->host, publisher, frame - 1, &packet));
    CHECK(packet.frame == frame && packet.waiting == 0);
    REFUSED(other->host, CT_ERR_DATA,
            ct_host_apply(other->host, subscriber, packet.bytes, packet.count, NULL),
            "the first message must be full: its base is 3");
    DONE(g->host, ct_host_shared_message(g->host, publisher, 0, &packet));
    DONE(other->host, ct_host_apply(other->host, subscriber, packet.bytes, packet.count, NULL));
    DONE(other->host, ct_host_received(other->host, subscriber, 1, g->e + 1, &here));
    DONE(other->host, ct_host_published(other->host, subscriber, 1, &here, &back));
    CHECK(back.id == g->e[1].id && ct_host_count(other->host) == 2);
    DONE(other->host, ct_host_forget(other->host, subscriber, true));
    CHECK(!ct_host_alive(other->host, here) && ct_host_count(other->host) == 1);
    DONE(g->host, ct_host_frame_of(g->host, publisher, NULL, 0, NULL));
    DONE(g->host, ct_host_shared_message(g->host, publisher, 77, &packet));
    DONE(other->host, ct_host_apply(other->host, subscriber, packet.bytes, packet.count, NULL));
    CHECK(ct_host_count(other->host) == 1);
}

// A second machine gets the entities of the game, and only some of them later.
static void check_replication(game *g) {
    static game other;
    ct_host_replication_options options = publishing(2);
    ct_host_publisher publisher;
    ct_host_peer peer;
    ct_host_subscriber subscriber, strict;
    ct_host_packet packet;
    ct_host_snapshot snapshot = {0};
    ct_entity here[2];
    uint32_t frame = 0, written;
    open_game(&other, SIZE_MAX);
    DONE(other.host, ct_host_world_new(other.host, NULL, &other.world));
    DONE(g->host, ct_host_publisher_new(g->host, g->world, &options, &publisher));
    DONE(g->host, ct_host_peer_new(g->host, publisher, &peer));
    check_replication_errors(g, publisher, peer);
    DONE(other.host, ct_host_subscriber_new(other.host, other.world, NULL, &subscriber));
    options = publishing(1);
    options.max_entities = 1;
    DONE(other.host, ct_host_subscriber_new(other.host, other.world, &options, &strict));
    DONE(g->host, ct_host_frame(g->host, publisher, &frame));
    packet.size = sizeof packet;
    DONE(g->host, ct_host_peer_message(g->host, peer, NULL, 0, 0, &packet));
    CHECK(frame == 2 && packet.frame == 2 && packet.waiting == 0);
    REFUSED(other.host, CT_ERR_DATA,
            ct_host_apply(other.host, strict, packet.bytes, packet.count, NULL),
            "the message has the component 'health', which is not admitted");
    REFUSED(other.host, CT_ERR_DATA, ct_host_apply(other.host, subscriber, "?", 1, NULL),
            "the message is damaged");
    DONE(other.host, ct_host_apply(other.host, subscriber, packet.bytes, packet.count, &frame));
    CHECK(frame == 2);
    DONE(other.host, ct_host_received(other.host, subscriber, 2, g->e, here));
    CHECK(ct_host_alive(other.host, here[0]) && ct_host_alive(other.host, here[1]));
    DONE(other.host, ct_host_put_back(other.host, subscriber, here, 2, &written));
    CHECK(written == 0);
    DONE(g->host, ct_host_acknowledge(g->host, peer, frame));
    DONE(g->host, ct_host_frame(g->host, publisher, NULL));
    DONE(g->host, ct_host_peer_message(g->host, peer, g->e, 1, 100, &packet));
    DONE(g->host, ct_host_peer_message(g->host, peer, g->e, 1, 0, &packet));
    DONE(other.host, ct_host_apply(other.host, subscriber, packet.bytes, packet.count, NULL));
    CHECK(ct_host_count(other.host) == 1);
    DONE(other.host, ct_host_received(other.host, subscriber, 2, g->e, here));
    CHECK(ct_host_alive(other.host, here[0]) && here[1].id == CT_NOBODY);
    DONE(other.host, ct_host_validate(other.host, other.world));
    DONE(other.host, ct_host_take(other.host, &snapshot));
    DONE(other.host, ct_host_restore(other.host, snapshot));
    REFUSED(other.host, CT_ERR_DATA,
            ct_host_apply(other.host, subscriber, packet.bytes, packet.count, NULL),
            "entities were restored");
    DONE(other.host, ct_host_forget(other.host, subscriber, false));
    check_shared_messages(g, &other, publisher, subscriber);
    DONE(other.host, ct_host_release(other.host, subscriber.id));
    DONE(g->host, ct_host_release(g->host, publisher.id));
    CHECK(!ct_host_is_valid(g->host, peer.id));
    DONE(other.host, ct_host_world_destroy(other.host, other.world, true));
    CHECK(!ct_host_is_valid(other.host, strict.id));
    CHECK(ct_host_free(other.host) == CT_OK && other.memory.blocks == 0);
}

// ---------------------------------------------------------------- callbacks, ends

static unsigned deaths;

static void died(void *user, void *context, ct_entity e) {
    game *g = user;
    ct_pose pose;
    ct_host_snapshot snapshot = {0};
    ct_host_recorder recorder = {0};
    (void)context;
    deaths++;
    CHECK(!ct_host_alive(g->host, e));
    DONE(g->host, ct_host_poses(g->host, g->world, CT_HOST_WORLD, 1, &e, &pose));
    REFUSED(g->host, CT_ERR_DATA, ct_host_create(g->host, 1, &e), "a destroy callback may change");
    REFUSED(g->host, CT_ERR_DATA, ct_host_world_destroy(g->host, g->world, true), "a destroy");
    REFUSED(g->host, CT_ERR_DATA, ct_host_take(g->host, &snapshot), "a destroy callback");
    REFUSED(g->host, CT_ERR_DATA, ct_host_record(g->host, recorder), "a destroy callback");
    REFUSED(g->host, CT_ERR_DATA, ct_host_rewind(g->host, recorder, 0, NULL), "a destroy callback");
    REFUSED(g->host, CT_ERR_DATA, ct_host_recorder_new(g->host, NULL, &recorder), "a destroy");
    REFUSED(g->host, CT_ERR_DATA, ct_host_free(g->host), "a destroy callback");
}

static void check_callbacks(game *g) {
    uint32_t token = 0;
    DONE(g->host, ct_host_listen(g->host, died, g, &token));
    DONE(g->host, ct_host_destroy(g->host, 1, &g->e[1], NULL));
    DONE(g->host, ct_host_unlisten(g->host, token));
    REFUSED(g->host, CT_ERR_DATA, ct_host_unlisten(g->host, token), "is not registered");
    DONE(g->host, ct_host_destroy(g->host, 1, &g->e[2], NULL));
    CHECK(deaths == 1);
}

// A world ends while a level, a snapshot, a query, a space and a watch are in use.
static void check_ends(game *g, ct_host_resource resource) {
    ct_host_entities *host = g->host;
    ct_host_world world;
    ct_host_component transform;
    ct_host_level level;
    ct_host_query query;
    ct_host_space space;
    ct_host_watch watch;
    ct_host_snapshot snapshot = {0};
    ct_host_space_options options;
    ct_entity list[4];
    ct_pose pose;
    uint32_t count = 0, alive = ct_host_count(host);
    DONE(host, ct_host_world_new(host, NULL, &world));
    DONE(host, ct_host_find_component(host, world, "transform", &transform));
    const ct_host_term mixed[] = {{transform, CT_QUERY_REQUIRED}, {g->health, CT_QUERY_REQUIRED}};
    const ct_host_part part = {g->health, NULL, 0};
    REFUSED(host, CT_ERR_DATA, ct_host_query_new(host, world, 2, mixed, &query),
            "health belongs to another world");
    REFUSED(host, CT_ERR_DATA, ct_host_create_with(host, world, 1, 1, &part, list),
            "health belongs to another world");
    DONE(host, ct_host_query_new(host, world, 1, mixed, &query));
    ct_host_space_options_init(&options, sizeof options);
    options.cell = 10;
    DONE(host, ct_host_space_new(host, query, &options, &space));
    DONE(host, ct_host_watch_poses(host, world, &watch));
    DONE(host, ct_host_spawn(host, world, resource, NULL, &level));
    DONE(host, ct_host_level_entities(host, level, 4, list, &count));
    DONE(host, ct_host_space_refresh(host, space, &count));
    CHECK(count == 4);
    DONE(host, ct_host_take(host, &snapshot));
    DONE(host, ct_host_restore(host, snapshot));
    DONE(host, ct_host_space_refresh(host, space, &count));
    CHECK(count == 4);
    DONE(host, ct_host_poses(host, world, CT_HOST_WORLD, 1, list, &pose));
    DONE(host, ct_host_world_destroy(host, world, false));
    CHECK(ct_host_count(host) == alive); // the entities of its level
    CHECK(!ct_host_is_valid(host, level.id) && !ct_host_is_valid(host, query.id));
    CHECK(!ct_host_is_valid(host, space.id) && !ct_host_is_valid(host, watch.id));
    CHECK(!ct_host_is_valid(host, transform.id) && ct_host_is_valid(host, snapshot.id));
    REFUSED(host, CT_ERR_DATA, ct_host_restore(host, snapshot), "world");
    DONE(host, ct_host_release(host, resource.id)); // the snapshot has a level of it
    DONE(host, ct_host_release(host, snapshot.id));
}

static void check_all(void) {
    static game g;
    ct_host_resource resources[2];
    ct_host_level level;
    open_game(&g, SIZE_MAX);
    CHECK(fill_game(&g));
    check_worlds(&g);
    check_definitions(&g);
    check_components(&g);
    check_columns(&g);
    check_creation(&g);
    check_poses(&g);
    check_watches(&g);
    check_queries(&g);
    check_spaces(&g);
    check_resources(&g, resources);
    check_spawns(&g, resources, &level);
    check_levels(&g, resources, level);
    check_snapshots(&g);
    check_saves(&g);
    check_recorders(&g);
    check_recorded_levels(&g);
    check_replication(&g);
    check_ends(&g, resources[0]);
    check_callbacks(&g);
    DONE(g.host, ct_host_validate(g.host, g.world));
    CHECK(ct_host_free(g.host) == CT_OK && g.memory.blocks == 0);
}

// ---------------------------------------------------------------- memory

// Plays a short game. Returns CT_OK, or the first status.
static ct_status play(game *g) {
    ct_host_resource resource;
    ct_host_level level;
    ct_host_snapshot snapshot = {0};
    ct_host_query query;
    ct_host_space space;
    ct_host_space_options options;
    ct_host_watch watch;
    ct_host_replication_options published_parts = publishing(1);
    ct_host_publisher publisher;
    ct_host_peer peer;
    ct_host_subscriber subscriber;
    ct_host_packet packet;
    ct_host_recorder recorder;
    ct_host_world copy;
    const void *bytes;
    size_t size;
    uint32_t count;
    const ct_host_part parts[] = {{g->health, NULL, 0}, {g->transform, NULL, 0}};
    const ct_host_term terms[] = {{g->transform, CT_QUERY_REQUIRED}};
    ct_entity made[2];
    ct_host_space_options_init(&options, sizeof options);
    options.cell = 1;
    TRY(ct_host_create_with(g->host, g->world, 2, 2, parts, made));
    TRY(ct_host_load(g->host, level_bytes[0], level_size[0], "yard", &resource));
    TRY(ct_host_spawn(g->host, g->world, resource, NULL, &level));
    TRY(ct_host_query_new(g->host, g->world, 1, terms, &query));
    TRY(ct_host_space_new(g->host, query, &options, &space));
    TRY(ct_host_space_refresh(g->host, space, &count));
    TRY(ct_host_watch_poses(g->host, g->world, &watch));
    TRY(ct_host_world_new(g->host, NULL, &copy));
    TRY(ct_host_publisher_new(g->host, g->world, &published_parts, &publisher));
    TRY(ct_host_peer_new(g->host, publisher, &peer));
    TRY(ct_host_subscriber_new(g->host, copy, &published_parts, &subscriber));
    packet.size = sizeof packet;
    for (int i = 0; i < 2; ++i) {
        TRY(ct_host_frame(g->host, publisher, &count));
        TRY(ct_host_peer_message(g->host, peer, made, 2, 0, &packet));
        TRY(ct_host_apply(g->host, subscriber, packet.bytes, packet.count, NULL));
        TRY(ct_host_acknowledge(g->host, peer, packet.frame));
    }
    TRY(ct_host_frame_of(g->host, publisher, made, 1, &count));
    TRY(ct_host_shared_message(g->host, publisher, count - 1, &packet));
    TRY(ct_host_apply(g->host, subscriber, packet.bytes, packet.count, NULL));
    TRY(ct_host_put_back(g->host, subscriber, NULL, 0, &count));
    TRY(ct_host_recorder_new(g->host, NULL, &recorder));
    TRY(ct_host_record(g->host, recorder));
    TRY(ct_host_destroy(g->host, 1, made, NULL));
    TRY(ct_host_record(g->host, recorder));
    TRY(ct_host_rewind(g->host, recorder, 1, NULL));
    TRY(ct_host_take(g->host, &snapshot));
    TRY(ct_host_save(g->host, snapshot, &bytes, &size));
    TRY(ct_host_read_save(g->host, bytes, size, &snapshot));
    TRY(ct_host_restore(g->host, snapshot));
    TRY(ct_host_world_destroy(g->host, g->world, true));
    return CT_OK;
}

static ct_status play_limited(size_t left) {
    static const ct_host_world destroyed = {0};
    static game g;
    open_game(&g, left);
    ct_status status = g.host != NULL && fill_game(&g) ? play(&g) : CT_ERR_MEMORY;
    return end_limited(g.host, &g.memory, destroyed, status);
}

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < 2; ++i)
        level_size[i] = read_file(argv[i + 1], level_bytes[i], sizeof level_bytes[i]);
    check_versions();
    check_entity_managers();
    check_old_handles();
    check_all();
    check_recorded_worlds();
    check_recorder_memory();
    check_memory(play_limited);
    printf("%u mistakes\n", mistakes);
    return mistakes > 0;
}
