// Saves and hashes of transforms: links, nodes, sheared matrices and the mode. Local positions,
// rotations and scales are saved as fields. World matrices are recomputed.
//
//     u32 1 in deferred mode
//     u32 number of local matrices that are not composed; each: u32 row, 12 floats
//     u32 number of links; each: u32 child, u32 parent, u32 node + 1, or 0
//
// Links are listed from the roots down, siblings in their order. A row has no children yet when it
// is linked, so links cannot form a cycle.
#include "base/hash.h"
#include "base/message.h"
#include "component/transform_changes.h"

static void write_sheared(const ct_transform_arrays *t, const ct_saved_rows *saved,
                          ct_writer *out) {
    uint32_t at = out->count, count = 0;
    ct_writer_u32(out, 0);
    for (uint32_t i = 0; i < saved->count; ++i) {
        uint32_t row = saved->rows[i];
        if ((t->state[row] & CT_STATE_COMPOSED) != 0) continue;
        ct_writer_u32(out, i);
        ct_writer_numbers(out, t->axes[row], 4, 12);
        count++;
    }
    ct_writer_patch_u32(out, at, count);
}

// Writes the links below a root. Dead rows have no children.
static uint32_t write_below(const ct_transform_arrays *t, uint32_t root, const ct_saved_rows *saved,
                            ct_writer *out) {
    uint32_t row = root, count = 0;
    while ((row = ct_transform_step(t, row, root)) != CT_NO_ROW) {
        if (saved->place[row] == CT_NO_ROW) continue;
        const uint32_t link[] = {saved->place[row], saved->place[ct_transform_above(t, row)],
                                 ct_transform_attached_node(t, row) + 1};
        ct_writer_numbers(out, link, 4, 3);
        count++;
    }
    return count;
}

ct_status ct_transform_save(ct_manager *manager, const ct_saved_rows *saved, ct_writer *out,
                            ct_message *message) {
    ct_transforms *transforms = ct_transforms_of(manager);
    (void)message;
    ct_transform_resolve_all(transforms);
    ct_transform_arrays t = ct_transform_open(manager);
    ct_writer_u32(out, transforms->deferred);
    write_sheared(&t, saved, out);
    uint32_t at = out->count, count = 0;
    ct_writer_u32(out, 0);
    for (uint32_t i = 0; i < saved->count; ++i) {
        if (t.parent[saved->rows[i]] == CT_NO_ROW)
            count += write_below(&t, saved->rows[i], saved, out);
    }
    ct_writer_patch_u32(out, at, count);
    return CT_OK;
}

static ct_status refuse(ct_message *message) {
    ct_message_set(message, CT_TRANSFORM ": the save is damaged");
    return CT_ERR_DATA;
}

static bool compose(const ct_transform_arrays *t, uint32_t count) {
    float local[16];
    for (uint32_t row = 0; row < count; ++row) {
        if (!ct_quat_is_unit(t->rotation[row])) return false;
        ct_mat4_compose(t->position[row], t->rotation[row], t->scale[row], local);
        ct_transform_put_local(t, row, local);
        t->state[row] = CT_STATE_COMPOSED;
    }
    return true;
}

static bool read_sheared(const ct_transform_arrays *t, uint32_t count, ct_reader *in) {
    uint32_t sheared = ct_reader_u32(in);
    float local[16];
    for (uint32_t i = 0; i < sheared; ++i) {
        uint32_t row = ct_reader_u32(in);
        if (in->damaged || row >= count) return false;
        if (!ct_reader_numbers(in, 4, 12, t->axes[row])) return false;
        ct_transform_get_local(t, row, local);
        if (!ct_field_nan_clean(CT_FIELD_MAT4, local, 1) || !ct_mat4_is_affine(local)) return false;
        t->state[row] &= ~CT_STATE_COMPOSED;
    }
    return !in->damaged;
}

static ct_status hang(ct_transforms *transforms, const ct_transform_arrays *t, uint32_t child,
                      uint32_t parent, uint32_t node) {
    const float *matrix;
    ct_status status = ct_transform_reserve_node(&transforms->base, t->owner[child],
                                                 t->owner[parent], node, &matrix);
    if (status == CT_OK) ct_transform_attach(transforms, child, node, matrix);
    return status;
}

static ct_status read_links(ct_transforms *transforms, const ct_transform_arrays *t, uint32_t count,
                            ct_reader *in) {
    uint32_t links = ct_reader_u32(in);
    for (uint32_t i = 0; i < links; ++i) {
        uint32_t link[3];
        if (!ct_reader_numbers(in, 4, 3, link)) return CT_ERR_DATA;
        uint32_t child = link[0], parent = link[1];
        if (child >= count || parent >= count || child == parent) return CT_ERR_DATA;
        if (t->parent[child] != CT_NO_ROW || t->first[child] != CT_NO_ROW) return CT_ERR_DATA;
        ct_transform_append(t, child, parent);
        if (link[2] == 0) continue;
        ct_status status = hang(transforms, t, child, parent, link[2] - 1);
        if (status != CT_OK) return status;
    }
    return in->damaged ? CT_ERR_DATA : CT_OK;
}

ct_status ct_transform_load(ct_manager *manager, ct_reader *in, ct_message *message) {
    ct_transforms *transforms = ct_transforms_of(manager);
    ct_transform_arrays t = ct_transform_open(manager);
    uint32_t count = ct_store_count(&manager->store), deferred = ct_reader_u32(in);
    if (!compose(&t, count) || !read_sheared(&t, count, in)) return refuse(message);
    ct_status status = read_links(transforms, &t, count, in);
    if (status != CT_OK) return status == CT_ERR_DATA ? refuse(message) : status;
    for (uint32_t row = 0; row < count; ++row) {
        if (t.parent[row] == CT_NO_ROW) ct_transform_propagate_from(transforms, &t, row);
    }
    return deferred != 0 ? ct_transform_set_deferred(manager) : CT_OK;
}

// Hashes a row without its fields. Deaths are flushed; dead children are skipped until gc.
uint64_t ct_transform_hash(ct_manager *manager, ct_row row) {
    ct_transform_resolve_row(ct_transforms_of(manager), row.i);
    ct_transform_arrays t = ct_transform_open(manager);
    uint32_t parent = ct_transform_above(&t, row.i);
    ct_hash_sum hash = {0, 0};
    ct_hash_add(&hash, parent != CT_NO_ROW ? t.owner[parent].id : CT_NOBODY);
    ct_hash_add_words(&hash, t.axes[row.i], 12);
    uint32_t node = ct_transform_attached_node(&t, row.i);
    if (node != CT_NO_NODE) ct_hash_add(&hash, node);
    for (uint32_t child = t.first[row.i]; child != CT_NO_ROW; child = t.next[child]) {
        if (ct_transform_alive_or_dying(manager, child)) ct_hash_add(&hash, t.owner[child].id);
    }
    return hash.sum;
}
