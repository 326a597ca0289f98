// Handles of a host: numbers that name objects and are never used twice.
#include "host/host_internal.h"

#include "storage/death_trace.h"
#include "world/checked/explained.h"

static const char *const kind_names[CT_SLOT_KINDS] = {
    "object", "world", "component", "resource", "level",      "snapshot", "query",
    "space",  "watch", "publisher", "peer",     "subscriber", "recorder", "hook"};

// ---------------------------------------------------------------- checks

bool ct_slots_exist(const ct_host_entities *host) {
    return host != NULL && host->cookie == CT_HOST_COOKIE;
}

bool ct_slots_may_edit(ct_host_entities *host) {
    if (!ct_slots_exist(host)) return false;
    if (host->reading > 0)
        return ct_message_set(&host->message, "this callback may change nothing");
    if (host->core.dying_count > 0)
        return ct_message_set(&host->message, "a destroy callback may change nothing");
    return ct_explained_may_change(&host->core, &host->message);
}

bool ct_slots_may_change(ct_host_entities *host) {
    if (!ct_slots_may_edit(host)) return false;
    return host->adding == 0 ||
           ct_message_set(&host->message, "an on_add hook may change only entities and components");
}

// Returns the slot of a handle, or NULL.
static ct_slot *slot_of(const ct_host_entities *host, uint64_t id) {
    uint32_t index = (uint32_t)id - 1, serial = (uint32_t)(id >> 32);
    if (index >= host->slot_count) return NULL;
    ct_slot *slot = &host->slots[index];
    return slot->kind != CT_SLOT_NONE && slot->serial == serial ? slot : NULL;
}

// Writes why a handle names no object of this kind; 'slot' is the slot that it names, or NULL.
CT_NOINLINE static void refuse_handle(ct_host_entities *host, uint64_t id, const ct_slot *slot,
                                      ct_slot_kind kind) {
    if (id == 0)
        ct_message_set(&host->message, "%s: the handle is 0", kind_names[kind]);
    else if (slot == NULL)
        ct_message_set(&host->message, "%s: the handle is stale, or of another entity manager",
                       kind_names[kind]);
    else
        ct_message_set(&host->message, "%s: the handle is of a %s", kind_names[kind],
                       kind_names[slot->kind]);
}

ct_slot *ct_slot_find(ct_host_entities *host, uint64_t id, ct_slot_kind kind) {
    ct_slot *slot = slot_of(host, id);
    if (CT_LIKELY(slot != NULL && slot->kind == kind)) return slot;
    refuse_handle(host, id, slot, kind);
    return NULL;
}

static inline void *object_of(ct_host_entities *host, uint64_t id, ct_slot_kind kind) {
    const ct_slot *slot = ct_slot_find(host, id, kind);
    return slot != NULL ? slot->object : NULL;
}

void *ct_slot_read(ct_host_entities *host, uint64_t id, ct_slot_kind kind) {
    return ct_slots_exist(host) ? object_of(host, id, kind) : NULL;
}

ct_slot_world *ct_slot_world_of(ct_host_entities *host, ct_host_world world) {
    return ct_slot_read(host, world.id, CT_SLOT_WORLD);
}

ct_manager *ct_slot_manager_of(ct_host_entities *host, ct_host_component component) {
    return ct_slot_read(host, component.id, CT_SLOT_COMPONENT);
}

void *ct_slot_edit(ct_host_entities *host, uint64_t id, ct_slot_kind kind) {
    return ct_slots_may_edit(host) ? object_of(host, id, kind) : NULL;
}

void *ct_slot_change(ct_host_entities *host, uint64_t id, ct_slot_kind kind) {
    return ct_slots_may_change(host) ? object_of(host, id, kind) : NULL;
}

ct_manager *ct_slot_builtin(ct_host_entities *host, ct_host_world world, const char *name) {
    const ct_slot_world *object = ct_slot_world_of(host, world);
    return object != NULL ? ct_world_find(&object->core, name) : NULL;
}

ct_manager *ct_slot_named(ct_host_entities *host, ct_host_world world, const char *component,
                          const char *name) {
    ct_manager *manager = NULL;
    if (ct_slots_may_change(host)) manager = ct_slot_builtin(host, world, component);
    if (manager == NULL || ct_slot_text(name).length > 0) return manager;
    ct_message_set(&host->message, "%s: a name expected", component);
    return NULL;
}

bool ct_slot_row(ct_host_entities *host, const ct_manager *manager, ct_entity e, ct_row *row) {
    *row = ct_store_find(&manager->store, e);
    if (row->i != CT_NO_ROW) return true;
    if (ct_entity_manager_alive(&host->core, e))
        return ct_message_set(&host->message, "entity(%u:%u) has no %s", ct_entity_index(e),
                              ct_entity_generation(e), manager->name);
    if (e.id == CT_NOBODY) return ct_message_set(&host->message, "entity expected, got CT_NOBODY");
    ct_dead_message(NULL, &host->core, e, &host->message);
    return false;
}

ct_status ct_slot_fail(ct_host_entities *host, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)ct_message_set_list(&host->message, format, arguments);
    va_end(arguments);
    return CT_ERR_DATA;
}

// The core leaves an empty message if a hook failed.
ct_status ct_slot_status(ct_host_entities *host, ct_status status) {
    if (status == CT_ERR_DATA && host->message.text[0] == '\0') host->message = host->refusal;
    return ct_explained_status(status, &host->message);
}

void ct_options_init(void *options, uint32_t given, const void *defaults, uint32_t size) {
    if (options == NULL || given < sizeof given) return;
    memset(options, 0, given);
    memcpy(options, defaults, given < size ? given : size);
    memcpy(options, &given, sizeof given);
}

// Members beyond the caller's struct keep their defaults.
bool ct_slot_options(const void *options, void *out, uint32_t size, const char *init,
                     ct_message *message) {
    uint32_t given;
    if (options == NULL) return true;
    memcpy(&given, options, sizeof given);
    if (given < sizeof given || given > 4096)
        return ct_message_set(message, "options: size is %u: initialize them by %s", given, init);
    if (given > size)
        return ct_message_set(message, "options: size is %u, this library knows %u bytes", given,
                              size);
    memcpy(out, options, given);
    return true;
}

ct_status ct_slot_result(ct_host_entities *host, void *out, const void *result, uint32_t size) {
    uint32_t given;
    memcpy(&given, out, sizeof given);
    if (given < sizeof given || given > 4096)
        return ct_slot_fail(host, "result: size is %u: set it to sizeof the struct before the call",
                            given);
    // A newer header has members that this library does not know: they become 0.
    if (given > size) memset((unsigned char *)out + size, 0, given - size);
    memcpy((unsigned char *)out + sizeof given, (const unsigned char *)result + sizeof given,
           (given < size ? given : size) - sizeof given);
    return CT_OK;
}

// ---------------------------------------------------------------- slots

ct_status ct_slot_reserve(ct_host_entities *host) {
    if (host->free_slot != 0) return CT_OK;
    return ct_slot_status(host, ct_array_reserve(&host->allocator, (void **)&host->slots,
                                                 &host->slot_capacity, host->slot_count + 1,
                                                 sizeof *host->slots));
}

void *ct_slot_alloc(ct_host_entities *host, size_t bytes) {
    void *object = ct_slot_reserve(host) == CT_OK ? ct_alloc_zero(&host->allocator, bytes) : NULL;
    if (object == NULL) (void)ct_slot_status(host, CT_ERR_MEMORY);
    return object;
}

ct_status ct_slot_new(ct_host_entities *host, ct_slot_kind kind, uint32_t world, void *object,
                      uint64_t *id) {
    ct_status status = ct_slot_reserve(host);
    if (status != CT_OK) return status;
    uint32_t index = host->slot_count;
    if (host->free_slot != 0) {
        index = host->free_slot - 1;
        host->free_slot = host->slots[index].number;
    } else {
        host->slot_count++;
    }
    if (++host->serial == 0) host->serial = 1;
    host->slots[index] =
        (ct_slot){.object = object, .serial = host->serial, .world = world, .kind = kind};
    *id = (uint64_t)host->serial << 32 | (index + 1);
    return CT_OK;
}

void ct_slot_drop(ct_host_entities *host, ct_slot *slot) {
    *slot = (ct_slot){.number = host->free_slot};
    host->free_slot = (uint32_t)(slot - host->slots) + 1;
}

uint64_t ct_slot_id_at(const ct_host_entities *host, uint32_t index) {
    return (uint64_t)host->slots[index].serial << 32 | (index + 1);
}

uint64_t ct_slot_id(const ct_host_entities *host, const void *object) {
    for (uint32_t i = 0; i < host->slot_count; ++i) {
        if (host->slots[i].object == object) return ct_slot_id_at(host, i);
    }
    return 0;
}

// A manager stores index + 1 of its slot.
ct_status ct_slot_of_manager(ct_host_entities *host, const ct_slot_world *world,
                             ct_manager *manager, uint64_t *id) {
    uintptr_t place = (uintptr_t)manager->object;
    if (place != 0) {
        *id = ct_slot_id_at(host, (uint32_t)place - 1);
        return CT_OK;
    }
    ct_status status = ct_slot_new(host, CT_SLOT_COMPONENT, world->slot, manager, id);
    if (status == CT_OK) manager->object = (void *)(uintptr_t)(uint32_t)*id;
    return status;
}

// ---------------------------------------------------------------- functions of the header

uint32_t ct_host_version(void) { return CT_HOST_VERSION; }

const char *ct_host_message(const ct_host_entities *host) {
    return ct_slots_exist(host) ? host->message.text : "the entity manager is NULL, or was freed";
}

const char *ct_host_status_text(ct_status status) {
    static const char *const texts[] = {"ok",
                                        "out of memory",
                                        "a limit is reached",
                                        "it exists already",
                                        "a cycle of parents",
                                        "an argument is invalid",
                                        "it has ended"};
    return (uint32_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

bool ct_host_is_valid(const ct_host_entities *host, uint64_t id) {
    return ct_slots_exist(host) && slot_of(host, id) != NULL;
}
