// Ends of the objects that handles name, and of the entity manager.
#include "host/host_internal.h"

#include "component/transform.h"
#include "level/recorder.h"
#include "level/replication/peer.h"
#include "level/replication/subscriber.h"

// Callbacks may release a resource that a patch uses, so the outer call frees it.
void ct_slot_sweep_resources(ct_host_entities *host) {
    if (host->adding > 0 || host->reading > 0 || host->core.dying_count > 0) return;
    for (ct_slot_resource **link = &host->resources; *link != NULL;) {
        ct_slot_resource *resource = *link;
        if (resource->named || resource->core.holders > 0) {
            link = &resource->next;
            continue;
        }
        *link = resource->next;
        ct_resource_free(&resource->core);
        ct_free(&host->allocator, resource, sizeof *resource);
    }
}

static void free_snapshot(ct_host_entities *host, ct_slot_snapshot *snapshot) {
    ct_snapshot_free(&snapshot->core);
    ct_free(&host->allocator, snapshot->save, snapshot->save_bytes);
    ct_free(&host->allocator, snapshot, sizeof *snapshot);
}

static void free_recorder(const ct_host_entities *host, ct_recorder *recorder) {
    ct_recorder_free(recorder);
    ct_free(&host->allocator, recorder, sizeof *recorder);
}

static void free_peer(const ct_host_entities *host, ct_peer *peer) {
    ct_peer_free(peer);
    ct_free(&host->allocator, peer, sizeof *peer);
}

// Frees a publisher, and ends its peers with their handles. O(handles).
static void free_publisher(ct_host_entities *host, ct_publisher *publisher) {
    for (uint32_t i = 0; i < host->slot_count; ++i) {
        ct_slot *slot = &host->slots[i];
        if (slot->kind != CT_SLOT_PEER || ((ct_peer *)slot->object)->publisher != publisher)
            continue;
        free_peer(host, slot->object);
        ct_slot_drop(host, slot);
    }
    ct_publisher_free(publisher);
    ct_free(&host->allocator, publisher, sizeof *publisher);
}

static void free_subscriber(const ct_host_entities *host, ct_subscriber *subscriber) {
    ct_subscriber_free(subscriber);
    ct_free(&host->allocator, subscriber, sizeof *subscriber);
}

// If its world has ended, that has freed all but the block.
static void free_space(const ct_host_entities *host, ct_slot_space *space, bool ended) {
    if (!ended) {
        ct_space_free(&space->core);
        ct_query_free(space->matches);
    }
    ct_free(&host->allocator, space, sizeof *space);
}

// Returns the world of an object.
static ct_world *world_of(const ct_host_entities *host, const ct_slot *slot) {
    return &((ct_slot_world *)host->slots[slot->world].object)->core;
}

static void unwatch(const ct_world *world, uint32_t watch) {
    (void)ct_transform_unwatch(ct_world_find(world, CT_TRANSFORM), watch);
}

// Ends the object of a slot that ct_host_release accepts, and makes its handle invalid. Objects of
// a world that has ended have ended before; then 'ended' is set.
static void end_slot(ct_host_entities *host, ct_slot *slot, bool ended) {
    void *object = slot->object;
    switch (slot->kind) {
    case CT_SLOT_RESOURCE: ((ct_slot_resource *)object)->named = false; break;
    case CT_SLOT_LEVEL: ct_level_release(object); break;
    case CT_SLOT_SNAPSHOT: free_snapshot(host, object); break;
    case CT_SLOT_RECORDER: free_recorder(host, object); break;
    case CT_SLOT_QUERY:
        if (!ended) ct_query_free(object);
        break;
    case CT_SLOT_SPACE: free_space(host, object, ended); break;
    case CT_SLOT_PUBLISHER: free_publisher(host, object); break;
    case CT_SLOT_PEER: free_peer(host, object); break;
    case CT_SLOT_SUBSCRIBER: free_subscriber(host, object); break;
    case CT_SLOT_WATCH:
        if (!ended) unwatch(world_of(host, slot), slot->number);
        break;
    case CT_SLOT_HOOK: ct_slot_hook_free(host, object, ended ? NULL : world_of(host, slot)); break;
    default: break;
    }
    ct_slot_drop(host, slot);
}

ct_status ct_host_release(ct_host_entities *host, uint64_t id) {
    if (!ct_slots_exist(host)) return CT_ERR_DATA;
    if (id == 0) return CT_OK;
    if (!ct_host_is_valid(host, id))
        return ct_slot_fail(host, "the handle is stale, or of another entity manager");
    ct_slot *slot = &host->slots[(uint32_t)id - 1];
    if (slot->kind == CT_SLOT_WORLD || slot->kind == CT_SLOT_COMPONENT)
        return ct_slot_fail(host, "%s",
                            slot->kind == CT_SLOT_WORLD ? "a world ends by ct_host_world_destroy"
                                                        : "a component ends with its world");
    bool inside = host->adding > 0 || host->reading > 0 || host->core.dying_count > 0;
    if (inside && slot->kind == CT_SLOT_SUBSCRIBER)
        return ct_slot_fail(host, "a callback may not end a subscriber");
    end_slot(host, slot, false);
    ct_slot_sweep_resources(host);
    return CT_OK;
}

// ---------------------------------------------------------------- worlds

// Ends all objects of a world that has ended.
static void drop_world(ct_host_entities *host, ct_slot_world *world) {
    uint32_t place = 0, index = world->slot;
    for (uint32_t i = 0; i < host->slot_count; ++i) {
        ct_slot *slot = &host->slots[i];
        bool inside = slot->kind != CT_SLOT_NONE && slot->kind != CT_SLOT_WORLD &&
                      slot->kind != CT_SLOT_RESOURCE && slot->kind != CT_SLOT_SNAPSHOT &&
                      slot->kind != CT_SLOT_RECORDER;
        if (inside && slot->world == index) end_slot(host, slot, true);
    }
    ct_slot_drop(host, &host->slots[index]);
    while (host->worlds[place].world != &world->core)
        place++;
    host->world_count--;
    memmove(&host->worlds[place], &host->worlds[place + 1],
            (host->world_count - place) * sizeof *host->worlds);
    ct_free(&host->allocator, world, sizeof *world);
    ct_slot_sweep_resources(host);
}

bool ct_slot_owners(ct_host_entities *host, const ct_slot_world *world, ct_owners *out) {
    out->capacity = ct_world_rows(&world->core);
    if (out->capacity == 0) return true;
    out->items = ct_alloc(&host->allocator, out->capacity * sizeof *out->items);
    if (out->items != NULL) return true;
    (void)ct_slot_status(host, CT_ERR_MEMORY);
    return false;
}

ct_status ct_host_world_destroy(ct_host_entities *host, ct_host_world world, bool with_entities) {
    ct_owners owners = {NULL, 0};
    ct_slot_world *object = ct_slot_change(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    if (with_entities && !ct_slot_owners(host, object, &owners)) return CT_ERR_MEMORY;
    (void)ct_world_end(&object->levels, &owners, NULL); // there is no host that could fail
    ct_free(&host->allocator, owners.items, owners.capacity * sizeof *owners.items);
    drop_world(host, object);
    return CT_OK;
}

ct_status ct_host_free(ct_host_entities *host) {
    if (host == NULL) return CT_OK;
    if (!ct_slots_may_change(host)) return CT_ERR_DATA;
    while (host->world_count > 0) {
        static const ct_owners no_owners = {NULL, 0}; // the entities end with their manager
        const ct_snapshot_world *last = &host->worlds[host->world_count - 1];
        ct_slot_world *world = (ct_slot_world *)(void *)last->world;
        (void)ct_world_end(&world->levels, &no_owners, NULL);
        drop_world(host, world);
    }
    for (uint32_t i = 0; i < host->slot_count; ++i) {
        if (host->slots[i].kind != CT_SLOT_NONE) end_slot(host, &host->slots[i], true);
    }
    ct_slot_sweep_resources(host);
    ct_writer_free(&host->saved);
    ct_writer_free(&host->notes);
    const ct_allocator allocator = host->allocator;
    ct_free(&allocator, host->rows, host->row_capacity * sizeof *host->rows);
    ct_free(&allocator, host->worlds, host->world_capacity * sizeof *host->worlds);
    ct_free(&allocator, host->slots, host->slot_capacity * sizeof *host->slots);
    ct_entity_manager_free(&host->core);
    host->cookie = 0;
    ct_free(&allocator, host, sizeof *host);
    return CT_OK;
}
