// A hash of what a transform has beside its fields: the local matrix, and who is above and below.
#include "base/hash.h"
#include "component/transform_changes.h"

// Deaths were flushed; children that died wait for gc.
uint64_t ct_transform_hash(ct_manager *transforms, ct_row row) {
    ct_transforms *me = ct_transforms_of(transforms);
    ct_transform_resolve_row(me, row.i);
    ct_transform_arrays t = ct_transform_open(transforms);
    uint32_t parent = ct_transform_above(&t, row.i);
    uint64_t hash = ct_hash_mix(parent != CT_NO_ROW ? t.owner[parent].id : CT_NOBODY, 0);
    hash = ct_hash_mix_floats(hash, t.axes[row.i], 12);
    if (ct_transform_is_hung(&t, row.i))
        hash = ct_hash_mix(hash, t.hung->on[ct_transform_place_hung(me, row.i)].node);
    for (uint32_t child = t.first[row.i]; child != CT_NO_ROW; child = t.next[child]) {
        if (ct_transform_answers(transforms, child)) hash = ct_hash_mix(hash, t.owner[child].id);
    }
    return hash;
}
