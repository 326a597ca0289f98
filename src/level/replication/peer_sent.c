// Records of the messages that a peer was sent.
#include "level/replication/peer_sent.h"

#include <string.h>

void ct_peer_sent_free(const ct_allocator *allocator, ct_peer_sent *sent) {
    ct_peer_list_free(allocator, &sent->in_every);
    ct_peer_list_free(allocator, &sent->in_any);
    ct_peer_list_free(allocator, &sent->waited);
}

static ct_status copy_lists(const ct_allocator *allocator, ct_peer_sent *to,
                            const ct_peer_sent *from) {
    ct_status status = ct_peer_list_copy(allocator, &to->in_every, &from->in_every);
    if (status == CT_OK) status = ct_peer_list_copy(allocator, &to->in_any, &from->in_any);
    if (status == CT_OK) status = ct_peer_list_copy(allocator, &to->waited, &from->waited);
    return status;
}

ct_status ct_peer_sent_copy(const ct_allocator *allocator, ct_peer_sent *to,
                            const ct_peer_sent *from) {
    const ct_peer_list empty = {NULL, 0, 0};
    *to = *from;
    to->in_every = to->in_any = to->waited = empty;
    ct_status status = copy_lists(allocator, to, from);
    if (status != CT_OK) ct_peer_sent_free(allocator, to);
    return status;
}

static ct_status reserve(const ct_allocator *allocator, ct_peer_sent *sent,
                         const ct_peer_sent *message) {
    ct_status status = ct_peer_list_reserve(allocator, &sent->in_every, message->in_every.count);
    if (status == CT_OK)
        status = ct_peer_list_reserve(allocator, &sent->in_any, message->in_any.count);
    if (status == CT_OK)
        status = ct_peer_list_reserve(allocator, &sent->waited, message->waited.count);
    return status;
}

ct_status ct_peer_sent_merge(const ct_allocator *allocator, ct_peer_sent *sent,
                             const ct_peer_sent *message) {
    ct_status status = reserve(allocator, sent, message);
    if (status != CT_OK) return status;
    ct_peer_list_unite(&sent->in_any, &message->in_any);
    ct_peer_list_unite(&sent->waited, &message->waited);
    if (sent->every)
        ct_peer_list_unite(&sent->in_every, &message->in_every); // of no other message so far
    else if (!message->every)
        ct_peer_list_intersect(&sent->in_every, &message->in_every);
    sent->every = sent->every && message->every;
    sent->any = sent->any || message->any;
    sent->full = sent->full || message->full;
    return CT_OK;
}
