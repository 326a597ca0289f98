// A program without Lua that creates entities from a template, and clears the template's values at
// once.
#include "component/debug_name.h"
#include "component/point_mass.h"
#include "component/transform.h"
#include "storage/manager_access.h"
#include "world/checked/checked.h"
#include "world/create.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Describes one component with one value and defaults. Returns the place of the value.
static ct_values *batch(ct_component_batch *out, ct_world *world, const char *name,
                        const char *input, ct_values *values) {
    out->manager = ct_world_find(world, name);
    out->values = values;
    out->ids = NULL;
    return &values[ct_manager_find_input(out->manager, input)];
}

static ct_template *prepare(ct_world *world, ct_entity parent) {
    static ct_values values[3][8];
    char name[] = "bullet";
    float mass = 7;
    ct_text text = {name, 6};
    ct_component_batch batches[3];
    *batch(&batches[0], world, CT_TRANSFORM, "parent", values[0]) = (ct_values){&parent, 0};
    *batch(&batches[1], world, CT_DEBUG_NAME, "name", values[1]) = (ct_values){&text, 0};
    *batch(&batches[2], world, CT_POINT_MASS, "mass", values[2]) = (ct_values){&mass, 0};
    void *block = malloc(ct_template_bytes(batches, 3));
    ct_template *t = ct_template_init(block, world, batches, 3);
    memset(name, 'x', sizeof name);
    memset(values, 0, sizeof values);
    memset(batches, 0, sizeof batches);
    return t;
}

static void create(const ct_template *t, uint32_t count) {
    ct_entity made[4];
    ct_message message;
    uint32_t failed;
    ct_status status = ct_template_create(t, count, made, NULL, &failed, &message);
    if (status != CT_OK) {
        printf("%s: %s\n", t->batches[failed].manager->name, message.text);
        return;
    }
    const ct_manager *masses = t->batches[2].manager;
    ct_row row = ct_store_find(&masses->store, made[count - 1]);
    float mass = *(const float *)ct_manager_item(masses, &masses->fields[0], row);
    const ct_manager *names = t->batches[1].manager;
    row = ct_store_find(&names->store, made[count - 1]);
    const ct_string *name = ct_manager_item(names, &names->fields[0], row);
    printf("%u alive, the last is a %s of %g\n", ct_entity_manager_count(t->world->entities),
           ct_string_pool_text(names->strings, *name).bytes, (double)mass);
}

int main(void) {
    ct_entity_manager entities;
    ct_world world;
    ct_entity parent;
    ct_row row;
    ct_message message;
    uint32_t epochs = 0;
    ct_entity_manager_init(&entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&world, &ct_allocator_malloc, &entities, &epochs, 1) != CT_OK) return 1;
    ct_manager *transforms = ct_world_find(&world, CT_TRANSFORM);
    if (ct_entity_manager_create(&entities, 1, &parent) != CT_OK ||
        ct_manager_create(transforms, &parent, 1, NULL, NULL, &row) != CT_OK)
        return 1;
    ct_template *t = prepare(&world, parent);
    create(t, 1);
    create(t, 3);
    ct_entity_manager_destroy(&entities, 1, &parent, NULL);
    create(t, 1);
    printf("sound: %d\n", ct_world_validate(&world, &message));
    ct_world_free(&world);
    free(t);
    ct_entity_manager_free(&entities);
    return 0;
}
