// Entity managers and entities for hosts.
#include "host/host_internal.h"

#include "component/debug_name.h"
#include "world/checked/explained.h"

void ct_host_options_init(ct_host_options *options, uint32_t size) {
    static const ct_host_options defaults = {sizeof defaults, CT_MINIMUM_FREE_INDICES, NULL};
    ct_options_init(options, size, &defaults, sizeof defaults);
}

ct_status ct_host_new(const ct_host_options *options, ct_host_entities **out) {
    ct_host_options o;
    *out = NULL;
    ct_host_options_init(&o, sizeof o);
    if (!ct_slot_options(options, &o, sizeof o, "", NULL) ||
        o.minimum_free_indices >= CT_MAX_ENTITIES)
        return CT_ERR_DATA;
    const ct_allocator *allocator = o.allocator != NULL ? o.allocator : &ct_allocator_malloc;
    ct_host_entities *host = ct_alloc_zero(allocator, sizeof *host);
    if (host == NULL) return CT_ERR_MEMORY;
    host->cookie = CT_HOST_COOKIE;
    host->allocator = *allocator;
    host->serial = (uint32_t)ct_hash_seed(host);
    ct_entity_manager_init(&host->core, &host->allocator, o.minimum_free_indices);
    *out = host;
    return CT_OK;
}

ct_status ct_host_create(ct_host_entities *host, uint32_t count, ct_entity *out) {
    if (!ct_slots_may_edit(host)) return CT_ERR_DATA;
    return ct_explained_create(&host->core, count, out, &host->message);
}

ct_status ct_host_destroy(ct_host_entities *host, uint32_t count, const ct_entity *entities,
                          uint32_t *destroyed) {
    if (!ct_slots_may_edit(host)) return CT_ERR_DATA;
    uint32_t died = ct_entity_manager_destroy(&host->core, count, entities, NULL);
    if (destroyed != NULL) *destroyed = died;
    return CT_OK;
}

bool ct_host_alive(const ct_host_entities *host, ct_entity e) {
    return ct_slots_exist(host) && ct_entity_manager_alive(&host->core, e);
}

uint32_t ct_host_count(const ct_host_entities *host) {
    return ct_slots_exist(host) ? ct_entity_manager_count(&host->core) : 0;
}

ct_status ct_host_living(ct_host_entities *host, uint32_t capacity, ct_entity *out,
                         uint32_t *count) {
    if (!ct_slots_exist(host)) return CT_ERR_DATA;
    uint32_t found = 0;
    for (uint32_t i = 0; i < host->core.used; ++i) {
        const ct_entity e = ct_entity_manager_at(&host->core, i);
        if (e.id == CT_NOBODY) continue;
        if (found < capacity) out[found] = e;
        found++;
    }
    *count = found;
    return CT_OK;
}

ct_status ct_host_find_name(ct_host_entities *host, ct_host_world world, const char *name,
                            ct_entity *out) {
    const ct_manager *names = ct_slot_builtin(host, world, CT_DEBUG_NAME);
    if (names == NULL) return CT_ERR_DATA;
    if (name == NULL) return ct_slot_fail(host, "name: a text expected, got NULL");
    const ct_row row = ct_debug_name_find(names, ct_slot_text(name), (ct_row){CT_NO_ROW});
    out->id = row.i != CT_NO_ROW ? ct_store_owners(&names->store)[row.i].id : CT_NOBODY;
    return CT_OK;
}

ct_status ct_host_listen(ct_host_entities *host, ct_destroy_fn fn, void *user, uint32_t *token) {
    if (!ct_slots_may_change(host)) return CT_ERR_DATA;
    if (fn == NULL) return ct_slot_fail(host, "listen: a function expected, got NULL");
    return ct_slot_status(host, ct_entity_manager_listen(&host->core, fn, user, 0, token));
}

ct_status ct_host_unlisten(ct_host_entities *host, uint32_t token) {
    if (!ct_slots_exist(host)) return CT_ERR_DATA;
    if (ct_entity_manager_unlisten(&host->core, token)) return CT_OK;
    return ct_slot_fail(host, "callback %u is not registered", token);
}

ct_status ct_host_hash(ct_host_entities *host, uint64_t *hash) {
    if (!ct_slots_exist(host)) return CT_ERR_DATA;
    const ct_snapshot_worlds worlds = ct_slot_worlds(host);
    *hash = ct_snapshot_hash(&worlds);
    return CT_OK;
}
