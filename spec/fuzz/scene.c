// Shared helpers of the fuzz targets without Lua.
#include "scene.h"

#include "base/hash.h"
#include "component/mesh.h"
#include "component/model.h"
#include "component/transform.h"
#include "level/level.h"
#include "world/checked/checked.h"
#include "world/define.h"

void scene_broken(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, condition);
    abort();
}

// ---------------------------------------------------------------- bytes

void feed_take(feed *in, void *out, size_t count) {
    size_t available = feed_left(in) < count ? feed_left(in) : count;
    memset(out, 0, count);
    if (available > 0) memcpy(out, in->at, available);
    in->at += available;
}

uint8_t feed_byte(feed *in) {
    uint8_t byte;
    feed_take(in, &byte, 1);
    return byte;
}

uint32_t feed_number(feed *in, uint32_t below) {
    uint16_t number;
    feed_take(in, &number, sizeof number);
    return number % below;
}

// Small numbers in most cases, any bits otherwise.
float feed_float(feed *in) {
    uint8_t byte = feed_byte(in);
    float number;
    if (byte < 240) return (float)(byte - 120) / 8;
    feed_take(in, &number, sizeof number);
    return number;
}

ct_text feed_text(feed *in) {
    size_t count = feed_byte(in);
    if (count > feed_left(in)) count = feed_left(in);
    const ct_text text = {(const char *)in->at, (uint32_t)count};
    in->at += count;
    return text;
}

// ---------------------------------------------------------------- the world

static const float ten = 10;
static const ct_text none = {"none", 4};
static const ct_enum state = {"new\0old\0", 0};
static const ct_component_field health_fields[] = {
    {.name = "hp", .type = CT_FIELD_FLOAT, .preset = &ten},
    {.name = "title", .type = CT_FIELD_STRING, .preset = &none},
    {.name = "target", .type = CT_FIELD_ENTITY}};
static const ct_component_field item_fields[] = {
    {.name = "kind", .type = CT_FIELD_STRING},
    {.name = "state", .type = CT_FIELD_ENUM, .preset = &state}};
static const ct_component_field bag_fields[] = {{.name = "things", .type = CT_FIELD_VALUE}};
static const ct_component components[] = {
    {.size = sizeof(ct_component), .name = "health", .fields = health_fields, .field_count = 3},
    {.size = sizeof(ct_component),
     .name = "item",
     .fields = item_fields,
     .field_count = 2,
     .flags = CT_COMPONENT_MULTIPLE},
    {.size = sizeof(ct_component), .name = "bag", .fields = bag_fields, .field_count = 1}};

static void define(scene *s) {
    static const ct_text box = {"box", 3}, leg = {"leg", 3};
    static const ct_model_node nodes[] = {
        {{"hip", 3}, CT_MODEL_NO_NODE, {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {{"knee", 4}, 0, {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    ct_definition made;
    ct_message message;
    for (size_t i = 0; i < sizeof components / sizeof *components; ++i)
        REQUIRE(ct_world_define(&s->world, &components[i], false, false, &made, &message) == CT_OK);
    REQUIRE(ct_mesh_add_name(scene_manager(s, CT_MESH), box) == CT_OK);
    REQUIRE(ct_model_define(scene_manager(s, CT_MODEL), leg, nodes, 2, 1, &message) == CT_OK);
}

void scene_open(scene *s) {
    s->epochs = 0;
    s->memory = (budget){0, SIZE_MAX};
    s->allocator = (ct_allocator){reallocate_within, &s->memory};
    ct_entity_manager_init(&s->entities, &s->allocator, 3);
    REQUIRE(ct_world_init(&s->world, &s->allocator, &s->entities, &s->epochs, 1) == CT_OK);
    ct_levels_init(&s->levels, &s->world);
    s->item = (ct_snapshot_world){"world", &s->world, &s->levels, NULL};
    s->worlds = (ct_snapshot_worlds){&s->entities, &s->item, 1};
    define(s);
}

void scene_close(scene *s) {
    static const ct_owners no_owners = {NULL, 0};
    s->memory.left = SIZE_MAX;
    ct_world_end(&s->levels, &no_owners, NULL);
    ct_entity_manager_free(&s->entities);
    REQUIRE(s->memory.blocks == 0);
}

void scene_limit(scene *s, uint8_t allocations) {
    s->memory.left = allocations < 255 ? allocations : SIZE_MAX;
}

ct_manager *scene_manager(const scene *s, const char *name) {
    ct_manager *manager = ct_world_find(&s->world, name);
    REQUIRE(manager != NULL);
    return manager;
}

// Adds a component with defaults, except for one field.
static void add(scene *s, ct_entity e, const char *component, const char *field, const void *item) {
    ct_manager *manager = scene_manager(s, component);
    ct_values values[64] = {{NULL, 0}};
    ct_row row;
    if (field != NULL) values[ct_manager_find_input(manager, field)].items = item;
    REQUIRE(ct_checked_add_values(manager, 1, &e, manager->input_count, values, &row) == CT_OK);
}

ct_entity scene_create(scene *s, float number, ct_entity parent) {
    static const ct_text box = {"box", 3}, leg = {"leg", 3}, name = {"name", 4},
                         five = {"\3\5\0\0\0", 5};
    static const uint32_t size = 3;
    const float position[3] = {number, 0, 0};
    ct_manager *transforms = scene_manager(s, CT_TRANSFORM);
    ct_entity e;
    REQUIRE(ct_entity_manager_create(&s->entities, 1, &e) == CT_OK);
    add(s, e, CT_TRANSFORM, "position", position);
    ct_row row = ct_checked_find(transforms, e), parent_row = ct_checked_find(transforms, parent);
    if (parent_row.i != CT_NO_ROW) (void)ct_checked_link(transforms, row, parent_row, false);
    add(s, e, "debug_name", "name", &name);
    add(s, e, CT_MODEL, "resource", &leg);
    add(s, e, CT_MESH, "resource", &box);
    add(s, e, "point_mass", "mass", &number);
    add(s, e, "health", "hp", &number);
    add(s, e, "item", "kind", &name);
    add(s, e, "bag", "things", &five);
    ct_values grid[5] = {{&size, 0}, {&size, 0}, {NULL, 0}, {&name, 0}, {NULL, 0}};
    REQUIRE(ct_checked_add(scene_manager(s, "grid"), 1, &e, grid, &row) == CT_OK);
    return e;
}

void scene_validate(scene *s) {
    ct_message message;
    size_t left = s->memory.left;
    s->memory.left = SIZE_MAX;
    if (!ct_world_validate(&s->world, &message) ||
        !ct_entity_manager_validate(&s->entities, &message)) {
        fprintf(stderr, "not valid: %s\n", message.text);
        abort();
    }
    s->memory.left = left;
}

uint64_t scene_hash(const scene *s) { return ct_snapshot_hash(&s->worlds); }

// ---------------------------------------------------------------- files

// A header of 16 bytes in the byte order of this machine.
static void seal(unsigned char *bytes, size_t count, uint32_t magic, uint32_t version) {
    if (count < 16) return;
    const uint32_t head[] = {magic, version, (uint32_t)count,
                             ct_hash_crc32(0, bytes + 16, count - 16)};
    memcpy(bytes, head, sizeof head);
}

void seal_blob(unsigned char *bytes, size_t count) {
    seal(bytes, count, CT_RESOURCE_MAGIC, CT_RESOURCE_VERSION);
}

void seal_save(unsigned char *bytes, size_t count) { seal(bytes, count, 0x56535443u, 2); }

ct_status scene_resource(scene *s, const void *bytes, size_t count, ct_resource *resource) {
    ct_builtin_layout layouts[CT_MAX_BUILTINS + 1];
    ct_message message;
    memset(resource, 0, sizeof *resource);
    if (count == 0) return CT_ERR_DATA;
    ct_status status = ct_resource_init(resource, &s->allocator, (uint32_t)count);
    if (status != CT_OK) return status;
    memcpy(resource->blob, bytes, count);
    seal_blob(resource->blob, count);
    ct_spawner_builtin_layouts(layouts);
    return ct_resource_check(resource, layouts, &message);
}
