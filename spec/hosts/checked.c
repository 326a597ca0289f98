// A program without Lua that defines component types and makes every mistake.
#include "world/checked/checked.h"
#include "component/mesh.h"
#include "component/record.h"
#include "storage/labels.h"
#include "storage/manager_access.h"
#include "storage/migration.h"
#include "world/define.h"

#include <stdio.h>
#include <string.h>

static const ct_component_field fields[] = {{.name = "points", .type = CT_FIELD_FLOAT},
                                            {.name = "points", .type = CT_FIELD_BOOL}};

// A field of type enum, which is a byte in C.
static bool has_labels(ct_world *world, ct_entity owner) {
    static const ct_enum phases = {"new\0half\0full\0", 1};
    static const ct_component_field moon_fields[] = {
        {.name = "phase", .type = CT_FIELD_ENUM, .preset = &phases}};
    static const ct_component moon = {
        .size = sizeof moon, .name = "moon", .fields = moon_fields, .field_count = 1};
    const unsigned char full = 2, none = 3;
    const ct_values wrong = {&none, 0};
    ct_definition made;
    ct_message message;
    ct_row row;
    if (!ct_component_check(&moon, &message) ||
        ct_world_define(world, &moon, true, false, &made, &message) != CT_OK ||
        ct_checked_add(made.manager, 1, &owner, &wrong, &row) != CT_ERR_DATA ||
        ct_checked_add(made.manager, 1, &owner, NULL, &row) != CT_OK)
        return false;
    const unsigned char *phase = ct_checked_column(made.manager, 0, NULL);
    bool half = *phase == 1;
    return half && ct_checked_write(made.manager, 0, row, &full) == CT_OK && *phase == 2 &&
           strcmp(ct_checked_text(made.manager, 0, row).bytes, "full") == 0 &&
           ct_checked_write(made.manager, 0, row, &none) == CT_ERR_DATA && *phase == 2;
}

// A field of type value, which is bytes without Lua.
static bool has_values(ct_world *world, const ct_entity *owners) {
    static const ct_component_field chest_fields[] = {{.name = "loot", .type = CT_FIELD_VALUE}};
    static const ct_component chest = {
        .size = sizeof chest, .name = "chest", .fields = chest_fields, .field_count = 1};
    const ct_text yes = {"\1", 1}, seven = {"\3\7\0\0\0", 5}, damaged = {"\4\5\0\0\0x", 6};
    const ct_text missing = {NULL, 7};
    const ct_values both[] = {{&yes, 0}, {&damaged, 0}, {&missing, 0}};
    ct_definition made;
    ct_message message;
    ct_row row;
    uint32_t stride;
    if (!ct_component_check(&chest, &message) ||
        ct_world_define(world, &chest, true, false, &made, &message) != CT_OK ||
        ct_checked_add(made.manager, 2, owners, &both[1], &row) != CT_ERR_DATA ||
        ct_checked_add(made.manager, 2, owners, &both[2], &row) != CT_ERR_DATA ||
        ct_checked_add(made.manager, 2, owners, &both[0], &row) != CT_OK)
        return false;
    ct_row second = {row.i + 1};
    bool same = ct_checked_text(made.manager, 0, second).length == 1 &&
                ct_checked_column(made.manager, 0, &stride) == NULL && stride == 0;
    return same && ct_checked_write(made.manager, 0, row, &seven) == CT_OK &&
           ct_checked_write(made.manager, 0, row, &damaged) == CT_ERR_DATA &&
           memcmp(ct_checked_text(made.manager, 0, row).bytes, seven.bytes, 5) == 0 &&
           *ct_checked_text(made.manager, 0, second).bytes == 1 &&
           ct_checked_remove(made.manager, row) == CT_OK && ct_world_validate(world, &message);
}

// Messages about texts without a terminating zero byte.
static void print_text_messages(const ct_world *world, ct_entity owner) {
    static const ct_text boxes = {"boxes", 3}, labels[] = {{"door", 4}};
    const ct_field state = {
        .name = "state", .type = CT_FIELD_ENUM, .label_count = 1, .labels = labels};
    const ct_component_id id = {.text = boxes};
    const ct_manager *meshes = ct_world_find(world, CT_MESH);
    ct_message message;
    if (!ct_resource_names_unknown_message(meshes, boxes, &message)) printf("%s\n", message.text);
    ct_labels_find(&state, boxes, &message);
    printf("%s\n", message.text);
    if (!ct_manager_exists_message(meshes, owner, &id, &message)) printf("%s\n", message.text);
}

static void print_definition_messages(const ct_world *world) {
    ct_message message;
    ct_component wrong = {.size = sizeof wrong, .name = "big mana", .fields = fields};
    if (!ct_component_check(&wrong, &message)) printf("%s\n", message.text);
    wrong.name = "mana";
    wrong.field_count = 2;
    if (!ct_component_check(&wrong, &message)) printf("%s\n", message.text);
    if (!ct_component_names_differ("liquid", "costarring", &message)) printf("%s\n", message.text);
    if (!ct_world_name_check(world, "mana", &message)) printf("%s\n", message.text);
}

// Returns the manager, or prints the reason and returns NULL. Removes a replaced manager.
static ct_manager *define(ct_world *world, const ct_component *component, bool by_plugin) {
    ct_definition made;
    ct_message message;
    if (ct_world_define(world, component, by_plugin, false, &made, &message) == CT_OK) {
        if (made.replaced != NULL) ct_world_remove(world, made.replaced);
        return made.manager;
    }
    printf("%s\n", message.text);
    return NULL;
}

static bool redefine(ct_world *world) {
    const ct_component lore = {
        .size = sizeof lore, .name = "lore", .fields = fields, .field_count = 1};
    ct_component other = lore;
    other.flags = CT_COMPONENT_MULTIPLE;
    const ct_manager *script = define(world, &lore, false);
    if (script == NULL || define(world, &lore, false) != script) return false;
    world->busy++;
    bool refused = define(world, &other, false) == NULL;
    world->busy--;
    const ct_manager *multiple = define(world, &other, false);
    const ct_manager *plugin = define(world, &other, true);
    world->ending = true;
    refused = define(world, &lore, true) == NULL && refused;
    world->ending = false;
    return refused && multiple != NULL && plugin != NULL && plugin->spawn_order == 101 &&
           ct_world_find(world, "lore") == plugin;
}

// Rows are kept when the fields of a component change, and lose the values of removed fields.
static bool migrates(ct_world *world, ct_entity_manager *entities) {
    static const ct_component_field old[] = {{.name = "a", .type = CT_FIELD_FLOAT},
                                             {.name = "gone", .type = CT_FIELD_BOOL}};
    static const float seven = 7;
    static const ct_component_field now[] = {
        {.name = "b", .type = CT_FIELD_FLOAT, .preset = &seven},
        {.name = "a", .type = CT_FIELD_FLOAT}};
    ct_component rune = {.size = sizeof rune, .name = "rune", .fields = old, .field_count = 2};
    ct_definition made;
    ct_message message;
    const float three = 3;
    const ct_values values[] = {{&three, 0}, {NULL, 0}};
    ct_entity e;
    ct_row row;
    uint32_t place = 0;
    ct_manager *runes = define(world, &rune, false);
    if (runes == NULL || ct_entity_manager_create(entities, 1, &e) != CT_OK ||
        ct_manager_create(runes, &e, 1, values, NULL, &row) != CT_OK)
        return false;
    rune.fields = now;
    if (define(world, &rune, false) != NULL ||
        ct_world_define(world, &rune, false, true, &made, &message) != CT_OK || !made.migrates)
        return false;
    while (ct_migration_dropped(made.replaced, made.manager, &place, &message))
        printf("%s\n", message.text);
    ct_world_migrate(&made);
    ct_world_remove(world, made.replaced);
    row = ct_checked_find(made.manager, e);
    const float *b = ct_checked_column(made.manager, 0, NULL);
    const float *a = ct_checked_column(made.manager, 1, NULL);
    return ct_entity_manager_destroy(entities, 1, &e, NULL) == 1 && a[row.i] == 3 && b[row.i] == 7;
}

static uint32_t count_refused(ct_manager *mana, ct_manager *transforms) {
    const ct_row none = {7}, first = {0};
    const ct_entity no_entity = {CT_NOBODY};
    const uint32_t nan = 0x7FC00001u;
    const ct_values forged = {&nan, 0};
    const ct_entity owner = ct_checked_owners(mana)[3];
    ct_pose pose = {.scale = {1, 1, 1}};
    uint32_t stride;
    ct_row row;
    return (ct_checked_find(mana, no_entity).i == CT_NO_ROW) +
           (ct_checked_next(mana, none).i == CT_NO_ROW) +
           (ct_checked_find_field(mana, "magic") == CT_NO_FIELD) +
           (ct_checked_column(mana, 1, &stride) == NULL) +
           (ct_checked_text(mana, 0, first).bytes == NULL) +
           (ct_checked_add(mana, 1, &no_entity, NULL, &row) == CT_ERR_DATA) +
           (ct_checked_add(mana, 1, &owner, &forged, &row) == CT_ERR_DATA) +
           (ct_checked_add(mana, 1, &owner, NULL, &row) == CT_ERR_EXISTS) +
           (ct_checked_remove(mana, none) == CT_ERR_DATA) +
           (ct_checked_write(mana, 0, none, &pose) == CT_ERR_DATA) +
           (ct_checked_write(mana, 0, first, &nan) == CT_ERR_DATA) +
           (ct_checked_world_matrix(mana, first) == NULL) +
           (ct_checked_set_local_pose(transforms, none, &pose) == CT_ERR_DATA) +
           (ct_checked_link(transforms, none, first, false) == CT_ERR_DATA);
}

static bool run(ct_world *world, ct_entity_manager *entities) {
    static const ct_component mana = {
        .size = sizeof mana, .name = "mana", .fields = fields, .field_count = 1};
    const float points[] = {1, 2, 3, 4};
    const ct_values values = {points, sizeof *points};
    ct_entity list[4];
    ct_row row;
    ct_message message;
    print_definition_messages(world);
    ct_manager *manager = define(world, &mana, true);
    if (manager == NULL || define(world, &mana, true) != manager) return false;
    if (ct_entity_manager_create(entities, 4, list) != CT_OK ||
        ct_checked_add(manager, 4, list, &values, &row) != CT_OK)
        return false;
    print_text_messages(world, list[0]);
    const float *column = ct_checked_column(manager, 0, NULL);
    printf("%u rows, the last has %g\n", ct_checked_count(manager), (double)column[3]);
    if (define(world, &mana, false) != NULL || !redefine(world) || !migrates(world, entities))
        return false;
    if (!has_labels(world, list[0]) || !has_values(world, list)) return false;
    ct_manager *transforms = ct_world_find(world, "transform");
    printf("%u of 14 wrong calls refused\n", count_refused(manager, transforms));
    return ct_world_validate(world, &message);
}

int main(void) {
    ct_entity_manager entities;
    ct_world world;
    uint32_t epochs = 0;
    ct_entity_manager_init(&entities, &ct_allocator_malloc, 4);
    bool ok = ct_world_init(&world, &ct_allocator_malloc, &entities, &epochs, 1) == CT_OK &&
              run(&world, &entities);
    ct_world_free(&world);
    ct_entity_manager_free(&entities);
    return ok ? 0 : 1;
}
