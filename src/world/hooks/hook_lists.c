// The lists of hooks that managers have: which is told next, and telling it.
#include "world/hooks/hooks_internal.h"

bool ct_hooks_call(ct_world *world, const ct_callback *hook, const ct_hook_event *event) {
    ct_timings *timings = &event->manager->timings;
    world->busy++;
    uint64_t begun = ct_work_begin(timings);
    bool sound = ((ct_hook_fn)hook->fn)(hook->user, event);
    ct_work_end(timings, CT_WORK_HOOKS, begun);
    world->busy--;
    return sound;
}

const ct_callback *ct_hooks_next(const ct_manager *manager, uint32_t kind, uint32_t last,
                                 uint32_t youngest) {
    if (manager->hooks == NULL) return NULL;
    const ct_callbacks *list = &manager->hooks->of[kind];
    for (uint32_t i = ct_callbacks_place(list, last + 1); i < list->count; ++i) {
        if (list->items[i].token > youngest) return NULL;
        if (list->items[i].fn != NULL) return &list->items[i];
    }
    return NULL;
}

bool ct_hooks_any(const ct_manager *manager) {
    if (manager->hooks == NULL) return false;
    for (uint32_t kind = 0; kind < CT_HOOK_KINDS; ++kind) {
        if (ct_callbacks_any(&manager->hooks->of[kind])) return true;
    }
    return false;
}
