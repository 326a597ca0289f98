// Removal hooks: running the hooks of components and entities that are removed.
#include "world/hooks/hooks_internal.h"

// State of one removal in progress. If a hook removes the same component or entity again, the
// nested call runs the remaining hooks, and the outer call finds none left.
typedef struct ct_removal {
    ct_entity entity; // CT_NOBODY: no hooks are left
    ct_reason reason;
    ct_manager *only; // NULL: all components of the entity in the world
    uint32_t only_id;
    uint32_t kind;     // kind of the running hooks
    uint32_t kinds;    // end of the kinds to run
    uint32_t manager;  // index of the manager, if 'only' is NULL
    uint32_t id;       // id of the current component, if 'begun'
    bool begun;        // begin_component was called for the current component
    ct_reason because; // reason of its removal, which may have begun before that of the entity
    uint32_t last;     // token of the last hook that ran, or 0
    uint32_t youngest; // last token to run: hooks that were added later do not run
    struct ct_removal *outer;
} ct_removal;

static void begin(ct_removal *removal, ct_world *world, ct_entity e, ct_reason reason) {
    *removal = (struct ct_removal){.entity = e,
                                   .reason = reason,
                                   .kind = CT_HOOK_REMOVE,
                                   .kinds = CT_HOOK_KINDS,
                                   .youngest = world->hook_token,
                                   .outer = world->removal};
    world->removal = removal;
}

static void begin_one(ct_removal *removal, ct_world *world, ct_manager *manager, ct_entity e,
                      uint32_t id, ct_reason reason) {
    begin(removal, world, e, reason);
    removal->only = manager;
    removal->only_id = id;
}

static void end(const ct_removal *removal, ct_world *world) {
    CT_ASSERT(world->removal == removal);
    world->removal = removal->outer;
}

// Returns the removal of a component in progress, or of the whole entity if 'manager' is NULL.
static ct_removal *find_removal(const ct_world *world, const ct_manager *manager, ct_entity e,
                                uint32_t id) {
    ct_removal *removal = world->removal;
    for (; removal != NULL; removal = removal->outer) {
        if (removal->entity.id == e.id && removal->only == manager && removal->only_id == id)
            return removal;
    }
    return NULL;
}

static void next_manager(ct_removal *l) {
    l->manager++;
    l->begun = false;
}

// Begins with the next component of an entity. If a removal of the component alone is in progress,
// its remaining hooks run here.
static void begin_component(ct_removal *l, const ct_world *world, const ct_manager *manager,
                            ct_row row) {
    const uint32_t all = 0xFFFFFFFEu;
    bool quiet = false;
    l->begun = true;
    l->id = ct_store_id(&manager->store, row);
    l->last = 0;
    l->because = l->reason;
    if (l->kind == CT_HOOK_REMOVE) {
        ct_addition *item = ct_additions_find(world, manager, l->entity, l->id, &quiet);
        if (item != NULL) ct_addition_drop(item);
        if (quiet) l->last = all;
    }
    ct_removal *single = find_removal(world, manager, l->entity, l->id);
    if (single == NULL || single == l) return;
    l->because = single->reason;
    if (single->kind == l->kind) {
        l->last = l->kind == CT_HOOK_END ? 0 : single->last;
        single->entity.id = CT_NOBODY;
    } else if (single->kind > l->kind) {
        l->last = all;
    }
}

// Returns the next hook to run for one component, or NULL.
static const ct_callback *step_one(ct_removal *l, ct_hook_event *event) {
    for (; l->kind < l->kinds; ++l->kind, l->last = 0) {
        const ct_callback *hook = ct_hooks_next(l->only, l->kind, l->last, l->youngest);
        event->manager = l->only;
        event->row = ct_hooks_find_row(l->only, l->entity, l->only_id);
        if (event->row.i == CT_NO_ROW) return NULL;
        if (hook != NULL) return hook;
    }
    return NULL;
}

// Returns the next hook to run for the current component of an entity, or for a later one in the
// same manager, or NULL.
static const ct_callback *step_manager(ct_removal *l, const ct_world *world, ct_manager *manager,
                                       ct_hook_event *event) {
    if (manager->hooks == NULL || !ct_callbacks_any(&manager->hooks->of[l->kind])) return NULL;
    ct_row row = l->begun ? ct_hooks_find_row(manager, l->entity, l->id)
                          : ct_store_find(&manager->store, l->entity);
    while (row.i != CT_NO_ROW) {
        if (!l->begun) begin_component(l, world, manager, row);
        const ct_callback *hook = ct_hooks_next(manager, l->kind, l->last, l->youngest);
        event->manager = manager;
        event->row = row;
        event->reason = l->because;
        if (hook != NULL) return hook;
        row = ct_store_next(&manager->store, row);
        l->begun = false;
    }
    return NULL;
}

static const ct_callback *step(ct_removal *l, const ct_world *world, ct_hook_event *event) {
    if (l->entity.id == CT_NOBODY) return NULL;
    event->entity = l->entity;
    event->reason = l->reason;
    if (l->only != NULL) return step_one(l, event);
    for (; l->kind < l->kinds; ++l->kind, l->manager = 0, l->begun = false) {
        if (world->hooks_of_kind[l->kind] == 0) continue;
        for (; l->manager < world->manager_count; next_manager(l)) {
            const ct_callback *hook = step_manager(l, world, world->managers[l->manager], event);
            if (hook != NULL) return hook;
        }
    }
    return NULL;
}

static bool notify(ct_removal *l, ct_world *world, void *context) {
    ct_hook_event event = {.context = context};
    const ct_callback *hook;
    bool ok = true;
    while ((hook = step(l, world, &event)) != NULL) {
        l->last = hook->token;
        if (!ct_hooks_call(world, hook, &event)) ok = false;
    }
    return ok;
}

// Runs the remaining hooks of a re-entrant removal. Runs the hooks of CT_HOOK_END again, because
// the outer call may be inside one of them.
static bool notify_rest(ct_removal *l, ct_world *world, void *context) {
    if (l->kind == CT_HOOK_END) l->last = 0;
    return notify(l, world, context);
}

static void entity_died(void *user, void *context, ct_entity e) {
    ct_world *world = user;
    ct_removal *before = find_removal(world, NULL, e, 0), removal;
    if (before != NULL) {
        notify_rest(before, world, context);
        return;
    }
    begin(&removal, world, e, world->entities->dying->reason);
    notify(&removal, world, context);
    end(&removal, world);
}

// Returns whether the hooks of an entity's death ran, or it died before there were hooks.
static bool death_is_notified(const ct_world *world, ct_entity e) {
    if (ct_entity_manager_alive(world->entities, e)) return false;
    return !ct_entity_manager_alive_or_dying(world->entities, e) ||
           ct_entity_manager_has_notified(world->entities, e, world->death_token);
}

// Runs the hooks of a component that is about to be removed. Returns false if another call removes
// it.
static bool notify_removal(ct_world *world, ct_manager *manager, ct_entity e, uint32_t id,
                           ct_reason reason, void *context, bool *ok) {
    ct_removal own, *removal = find_removal(world, manager, e, id);
    bool quiet, notified = false;
    if (removal == NULL) {
        ct_additions_find(world, manager, e, id, &quiet);
        begin_one(&own, world, manager, e, id, reason);
        if (quiet) own.kind = CT_HOOK_END;
        notified = death_is_notified(world, e);
    }
    ct_removal *at_work = removal != NULL ? removal : &own;
    at_work->kinds = CT_HOOK_KINDS;
    if (!notified && !notify_rest(at_work, world, context) && ok != NULL) *ok = false;
    bool mine = at_work->entity.id != CT_NOBODY;
    // The outer call finds no hooks left.
    at_work->entity.id = CT_NOBODY;
    if (removal == NULL) end(&own, world);
    return mine;
}

bool ct_hooks_remove(ct_world *world, ct_manager *manager, ct_row row, ct_reason reason,
                     void *context, bool *ok) {
    ct_entity e = ct_store_owners(&manager->store)[row.i];
    uint32_t id = ct_store_id(&manager->store, row);
    bool quiet;
    if (find_removal(world, NULL, e, 0) != NULL) return false;
    if (!notify_removal(world, manager, e, id, reason, context, ok)) return true;
    row = ct_hooks_find_row(manager, e, id);
    // A component that replaces the removed one is a different one.
    ct_addition *item = ct_additions_find(world, manager, e, id, &quiet);
    if (item != NULL) ct_addition_drop(item);
    if (row.i != CT_NO_ROW) ct_manager_remove(manager, row);
    return true;
}

uint32_t ct_hooks_remove_all(ct_world *world, ct_manager *manager, ct_entity e, void *context,
                             bool *ok) {
    uint32_t removed = 0;
    ct_row row;
    while ((row = ct_store_find(&manager->store, e)).i != CT_NO_ROW) {
        if (!ct_hooks_remove(world, manager, row, CT_REASON_REMOVE, context, ok)) break;
        removed++;
        if (!manager->store.multiple) break;
    }
    return removed;
}

void ct_additions_undo(ct_additions *additions, void *context) {
    ct_world *world = additions->world;
    for (uint32_t i = 0; i < additions->notified; ++i) {
        const ct_addition *item = &additions->items[i];
        ct_removal removal;
        additions->undone = i + 1;
        if (ct_additions_row(additions, i).i == CT_NO_ROW) continue;
        begin_one(&removal, world, item->manager, item->entity, item->id, CT_REASON_UNDO);
        removal.kinds = CT_HOOK_END; // CT_HOOK_END runs when the component is removed
        notify(&removal, world, context);
        end(&removal, world);
    }
}

void ct_additions_rollback(ct_additions *additions, void *context) {
    for (uint32_t i = additions->count; i-- > 0;) {
        const ct_addition item = additions->items[i];
        ct_store *store = &item.manager->store;
        if (ct_additions_row(additions, i).i == CT_NO_ROW) continue;
        if (!notify_removal(additions->world, item.manager, item.entity, item.id, CT_REASON_UNDO,
                            context, NULL))
            continue;
        ct_row row = ct_additions_row(additions, i);
        ct_addition_drop(&additions->items[i]);
        if (row.i == CT_NO_ROW) continue;
        // Removing the last row is not noticed by loops and instances.
        if (row.i == ct_store_count(store) - 1)
            ct_manager_rollback(item.manager, 1);
        else
            ct_store_remove(store, row);
    }
}

// ---------------------------------------------------------------- removing all components

static bool has_removal_hooks(const ct_manager *manager) {
    return manager->hooks != NULL && (ct_callbacks_any(&manager->hooks->of[CT_HOOK_REMOVE]) ||
                                      ct_callbacks_any(&manager->hooks->of[CT_HOOK_END]));
}

// Runs the hooks of all components of an entity and removes it as their owner.
static bool clear_entity(ct_world *world, ct_entity e, ct_reason reason, void *context) {
    ct_removal own, *before = find_removal(world, NULL, e, 0);
    if (before == NULL) begin(&own, world, e, reason);
    bool ok = before != NULL ? notify_rest(before, world, context) : notify(&own, world, context);
    if (before == NULL) end(&own, world);
    for (uint32_t m = 0; m < world->manager_count; ++m)
        ct_store_orphan_rows(&world->managers[m]->store, e);
    return ok;
}

// Visits all rows once. Returns whether any entity was cleared.
static bool clear_manager(ct_world *world, const ct_manager *manager, ct_reason reason,
                          void *context, bool *ok) {
    const ct_store *store = &manager->store;
    bool any = false;
    for (uint32_t row = 0; row < ct_store_count(store); ++row) {
        ct_entity e = ct_store_owners(store)[row];
        if (e.id == CT_NOBODY) continue;
        // If the death is still being notified, CT_HOOK_END has yet to run for its components.
        if (death_is_notified(world, e) && find_removal(world, NULL, e, 0) == NULL) continue;
        if (!clear_entity(world, e, reason, context)) *ok = false;
        any = true;
    }
    return any;
}

bool ct_hooks_clear(ct_world *world, ct_reason reason, void *context) {
    bool ok = true;
    for (uint32_t m = 0; m < world->manager_count && world->hook_count > 0; ++m) {
        const ct_manager *manager = world->managers[m];
        // Repeats because hooks may have moved rows to indices that were visited already.
        while (has_removal_hooks(manager) && clear_manager(world, manager, reason, context, &ok)) {
        }
    }
    return ok;
}

// ---------------------------------------------------------------- adding and removing hooks

ct_status ct_hook_add(ct_world *world, ct_manager *manager, ct_hook_kind kind, ct_hook_fn fn,
                      void *user, uint32_t *token) {
    // After the destroy callbacks of the entity manager's users.
    enum { ORDER = 1 };
    ct_status status = CT_OK;
    if (manager->hooks == NULL)
        manager->hooks = ct_alloc_zero(world->allocator, sizeof *manager->hooks);
    if (manager->hooks == NULL) return ct_out_of_memory(world->allocator);
    uint32_t next = world->hook_token + 1;
    status = ct_callbacks_add(&manager->hooks->of[kind], world->allocator, (ct_callback_fn)fn, user,
                              0, next);
    if (status != CT_OK) return status;
    if (world->hook_count == 0)
        status = ct_entity_manager_listen(world->entities, entity_died, world, ORDER,
                                          &world->death_token);
    if (status != CT_OK) {
        ct_callbacks_remove(&manager->hooks->of[kind], next);
        return status;
    }
    world->hook_count++;
    world->hooks_of_kind[kind]++;
    *token = world->hook_token = next;
    return CT_OK;
}

// Subtracts hooks. Without hooks the world does not listen to deaths.
static void lose(ct_world *world, uint32_t kind, uint32_t count) {
    world->hook_count -= count;
    world->hooks_of_kind[kind] -= count;
    if (count == 0 || world->hook_count > 0) return;
    ct_entity_manager_unlisten(world->entities, world->death_token);
    world->death_token = 0;
}

bool ct_hook_remove(ct_world *world, ct_manager *manager, ct_hook_kind kind, uint32_t token) {
    if (manager->hooks == NULL || !ct_callbacks_remove(&manager->hooks->of[kind], token))
        return false;
    lose(world, kind, 1);
    return true;
}

void ct_hooks_free(ct_world *world, ct_manager *manager) {
    struct ct_hooks *hooks = manager->hooks;
    if (hooks == NULL) return;
    for (uint32_t kind = 0; kind < CT_HOOK_KINDS; ++kind) {
        lose(world, kind, hooks->of[kind].count - hooks->of[kind].gaps);
        ct_callbacks_free(&hooks->of[kind], world->allocator);
    }
    ct_free(world->allocator, hooks, sizeof *hooks);
    manager->hooks = NULL;
}
