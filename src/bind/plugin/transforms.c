// Transforms for plugins: what the core has, with arguments that are looked at first.
// Knows nothing of other managers, nor of how a plugin came by them.
#include "bind/plugin/plugin.h"

#include "base/math.h"
#include "component/transform.h"

#include <string.h>

// The name belongs to the built-in type.
static bool is_row(const ct_manager *manager, ct_row row) {
    return strcmp(manager->name, CT_TRANSFORM) == 0 && row.i < ct_store_count(&manager->store);
}

const float *ct_bind_plugin_world_matrix(ct_manager *transforms, ct_row row) {
    return is_row(transforms, row) ? ct_transform_world_matrix(transforms, row) : NULL;
}

ct_status ct_bind_plugin_local_pose(ct_manager *transforms, ct_row row, ct_pose *out) {
    if (!is_row(transforms, row)) return CT_ERR_DATA;
    ct_transform_local_pose(transforms, row, out);
    return CT_OK;
}

ct_status ct_bind_plugin_set_local_pose(ct_manager *transforms, ct_row row, const ct_pose *pose) {
    if (!is_row(transforms, row)) return CT_ERR_DATA;
    ct_pose clean = *pose;
    ct_floats_clean(clean.position, 3);
    ct_floats_clean(clean.rotation, 4);
    ct_floats_clean(clean.scale, 3);
    ct_transform_set_local_pose(transforms, row, &clean);
    return CT_OK;
}

ct_status ct_bind_plugin_link(ct_manager *transforms, ct_row child, ct_row parent,
                              bool keep_world) {
    if (!is_row(transforms, child)) return CT_ERR_DATA;
    if (parent.i == CT_NO_ROW) {
        ct_transform_unlink(transforms, child, keep_world);
        return CT_OK;
    }
    if (!is_row(transforms, parent)) return CT_ERR_DATA;
    return ct_transform_link(transforms, child, parent, keep_world);
}

ct_row ct_bind_plugin_parent(ct_manager *transforms, ct_row row) {
    if (!is_row(transforms, row)) return (ct_row){CT_NO_ROW};
    return ct_transform_parent(transforms, row);
}
