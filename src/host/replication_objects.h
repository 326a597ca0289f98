// Ends of publishers, peers and subscribers of a host.
#ifndef CT_REPLICATION_OBJECTS_H
#define CT_REPLICATION_OBJECTS_H

#include "host/host_internal.h"
#include "level/replication/peer.h"
#include "level/replication/subscriber.h"

CT_BEGIN_C

static inline void ct_slot_peer_free(const ct_host_entities *host, ct_peer *peer) {
    ct_peer_free(peer);
    ct_free(&host->allocator, peer, sizeof *peer);
}

/// Frees a publisher, and ends its peers with their handles. O(handles).
static inline void ct_slot_publisher_free(ct_host_entities *host, ct_publisher *publisher) {
    for (uint32_t i = 0; i < host->slot_count; ++i) {
        ct_slot *slot = &host->slots[i];
        if (slot->kind != CT_SLOT_PEER || ((ct_peer *)slot->object)->publisher != publisher)
            continue;
        ct_slot_peer_free(host, slot->object);
        ct_slot_drop(host, slot);
    }
    ct_publisher_free(publisher);
    ct_free(&host->allocator, publisher, sizeof *publisher);
}

static inline void ct_slot_subscriber_free(const ct_host_entities *host,
                                           ct_subscriber *subscriber) {
    ct_subscriber_free(subscriber);
    ct_free(&host->allocator, subscriber, sizeof *subscriber);
}

CT_END_C

#endif
