// A program without Lua that adds hooks to managers. A hook prints each event, or fails.
#include "component/point_mass.h"
#include "component/transform.h"
#include "world/clear.h"
#include "world/create.h"

#include <stdio.h>

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_manager *transforms, *masses;
    uint32_t epochs;
    bool fails;
} scene;

static bool show(void *user, const ct_hook_event *event) {
    static const char *const words[] = {"added", "removed", "ended"};
    printf(" %s of %u %s (%s)", event->manager->name, ct_entity_index(event->entity),
           words[*(const ct_hook_kind *)user], ct_reason_name(event->reason));
    return ct_store_owners(&event->manager->store)[event->row.i].id == event->entity.id;
}

static bool fail(void *user, const ct_hook_event *event) {
    (void)event;
    return !((const scene *)user)->fails;
}

static bool hook(scene *s) {
    static ct_hook_kind kinds[CT_HOOK_KINDS] = {CT_HOOK_ADD, CT_HOOK_REMOVE, CT_HOOK_END};
    uint32_t token;
    for (uint32_t i = 0; i < CT_HOOK_KINDS; ++i) {
        if (ct_hook_add(&s->world, s->transforms, kinds[i], show, &kinds[i], &token) != CT_OK ||
            ct_hook_add(&s->world, s->masses, kinds[i], show, &kinds[i], &token) != CT_OK)
            return false;
    }
    return ct_hook_add(&s->world, s->masses, CT_HOOK_ADD, fail, s, &token) == CT_OK;
}

// Creates entities with both components, as a host without its own state does.
static void create(scene *s, uint32_t count, ct_entity *out) {
    const ct_component_batch batches[] = {{s->masses, NULL, NULL}, {s->transforms, NULL, NULL}};
    ct_additions additions;
    uint32_t failed;
    printf("create:");
    ct_status status = ct_world_create(&s->world, count, batches, 2, out, &additions, &failed);
    if (status == CT_OK && !ct_additions_notify(&additions, NULL)) {
        ct_additions_undo(&additions, NULL);
        ct_entity_manager_destroy_for(&s->entities, CT_REASON_UNDO, count, out, NULL);
        ct_world_remove_entities(&s->world, count, out);
    }
    ct_additions_end(&additions);
    printf("; %u rows\n", (uint32_t)ct_world_rows(&s->world));
}

static void live(scene *s) {
    const ct_owners no_owners = {NULL, 0};
    ct_entity made[2];
    create(s, 2, made);
    printf("remove:");
    ct_hooks_remove(&s->world, s->masses, ct_store_find(&s->masses->store, made[0]),
                    CT_REASON_REMOVE, NULL, NULL);
    printf("\ndestroy:");
    ct_entity_manager_destroy(&s->entities, 1, made, NULL);
    printf("; %u collected\n", ct_world_gc(&s->world));
    s->fails = true;
    create(s, 2, made);
    s->fails = false;
    printf("clear:");
    bool ok = ct_world_clear(&s->world, &no_owners, NULL);
    printf("; %u rows, %s\n", (uint32_t)ct_world_rows(&s->world), ok ? "sound" : "failed");
}

int main(void) {
    static scene s;
    ct_message message;
    ct_entity_manager_init(&s.entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&s.world, &ct_allocator_malloc, &s.entities, &s.epochs, 1) != CT_OK) return 1;
    s.transforms = ct_world_find(&s.world, CT_TRANSFORM);
    s.masses = ct_world_find(&s.world, CT_POINT_MASS);
    if (!hook(&s)) return 1;
    live(&s);
    printf("valid: %d\n", ct_world_validate(&s.world, &message));
    ct_world_free(&s.world);
    printf("listeners: %u\n", s.entities.listeners.count);
    ct_entity_manager_free(&s.entities);
    return 0;
}
