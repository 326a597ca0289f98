// Hooks of a host, and creation of components that hooks may refuse.
#include "host/host_internal.h"

#include "world/checked/explained.h"
#include "world/create.h"

// The reasons of the header have the numbers of the core.
typedef char same_reasons[(int)CT_HOST_REASON_REMOVE == (int)CT_REASON_REMOVE &&
                                  (int)CT_HOST_REASON_APPLY == (int)CT_REASON_APPLY &&
                                  (int)CT_HOST_REASON_WORLD == (int)CT_REASON_WORLD
                              ? 1
                              : -1];

// The hook may end while it runs.
static bool run(void *user, const ct_hook_event *event) {
    const ct_slot_hook *hook = user;
    ct_host_entities *host = hook->host;
    const bool removes = hook->removes;
    ct_host_event out = {.size = sizeof out,
                         .reason = (ct_host_reason)event->reason,
                         .entity = event->entity,
                         .row = event->row.i};
    out.component.id = ct_slot_id_at(host, (uint32_t)(uintptr_t)event->manager->object - 1);
    uint32_t *running = removes ? &host->reading : &host->adding;
    ++*running;
    bool ok = hook->fn(hook->user, &out);
    --*running;
    if (!ok && !removes)
        ct_message_set(&host->refusal, "%s: an on_add hook refused entity(%u:%u)",
                       event->manager->name, ct_entity_index(event->entity),
                       ct_entity_generation(event->entity));
    return ok || removes;
}

static ct_status add_hook(ct_host_entities *host, ct_host_component component, ct_host_hook_fn fn,
                          void *user, bool removes, ct_host_hook *out) {
    out->id = 0;
    ct_manager *manager = ct_slot_change(host, component.id, CT_SLOT_COMPONENT);
    if (manager == NULL) return CT_ERR_DATA;
    if (fn == NULL) return ct_slot_fail(host, "hook: a function expected, got NULL");
    ct_slot_world *world = ct_slot_owner(host, component.id);
    ct_slot_hook *hook = ct_slot_alloc(host, sizeof *hook);
    if (hook == NULL) return CT_ERR_MEMORY;
    *hook = (ct_slot_hook){host, manager, fn, user, removes, 0};
    ct_status status = ct_hook_add(&world->core, manager, removes ? CT_HOOK_REMOVE : CT_HOOK_ADD,
                                   run, hook, &hook->token);
    if (status == CT_OK) return ct_slot_new(host, CT_SLOT_HOOK, world->slot, hook, &out->id);
    ct_free(&host->allocator, hook, sizeof *hook);
    return ct_slot_status(host, status);
}

ct_status ct_host_on_add(ct_host_entities *host, ct_host_component component, ct_host_hook_fn fn,
                         void *user, ct_host_hook *out) {
    return add_hook(host, component, fn, user, false, out);
}

ct_status ct_host_on_remove(ct_host_entities *host, ct_host_component component, ct_host_hook_fn fn,
                            void *user, ct_host_hook *out) {
    return add_hook(host, component, fn, user, true, out);
}

void ct_slot_hook_free(const ct_host_entities *host, ct_slot_hook *hook, ct_world *world) {
    if (world != NULL)
        (void)ct_hook_remove(world, hook->manager, hook->removes ? CT_HOOK_REMOVE : CT_HOOK_ADD,
                             hook->token);
    ct_free(&host->allocator, hook, sizeof *hook);
}

static ct_status refuse(ct_host_entities *host) {
    host->message = host->refusal;
    return CT_ERR_DATA;
}

ct_status ct_slot_add(ct_host_entities *host, ct_world *world, ct_manager *manager, uint32_t count,
                      const ct_entity *owners, const ct_values *values, ct_row *first) {
    ct_additions additions;
    ct_additions_begin(&additions, world, CT_REASON_CREATE);
    ct_store_keep_number(&manager->store);
    ct_status status = ct_explained_add(manager, count, owners, values, first, &host->message);
    if (status == CT_OK) {
        status = ct_slot_status(host, ct_additions_note(&additions, manager, count));
        if (status != CT_OK) {
            ct_manager_rollback(manager, count);
            ct_store_restore_number(&manager->store);
        }
    }
    if (status == CT_OK && !ct_additions_notify(&additions, NULL)) {
        world->busy++;
        ct_additions_rollback(&additions, NULL);
        world->busy--;
        status = refuse(host);
    }
    // Hooks may have moved rows.
    if (status == CT_OK && additions.count > 0) *first = ct_additions_row(&additions, 0);
    ct_additions_end(&additions);
    return status;
}

ct_status ct_slot_created(ct_host_entities *host, ct_additions *additions, uint32_t count,
                          const ct_entity *entities) {
    if (additions->world == NULL) return CT_OK;
    ct_world *world = additions->world;
    bool ok = ct_additions_notify(additions, NULL);
    if (!ok) {
        world->busy++;
        ct_additions_undo(additions, NULL);
        (void)ct_entity_manager_destroy_for(&host->core, CT_REASON_UNDO, count, entities, NULL);
        ct_world_remove_entities(world, count, entities);
        world->busy--;
    }
    ct_additions_end(additions);
    return ok ? CT_OK : refuse(host);
}
