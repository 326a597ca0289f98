// Poses of transforms in the plane, and parts of poses as numbers.
#include "base/math.h"
#include "component/transform.h"
#include "component/transform_changes.h"

#include <math.h>
#include <string.h>

// Returns whether the world matrix of a row directly contains its pose in the plane: z is
// unchanged, the axes are at right angles, and no scale is mirrored or zero.
static bool is_plain(const ct_transform_arrays *t, uint32_t row, const float *m) {
    const float *like = t->scale[row];
    float dot = m[0] * m[4] + m[1] * m[5];
    float xx = m[0] * m[0] + m[1] * m[1], yy = m[4] * m[4] + m[5] * m[5];
    bool flat = m[2] == 0 && m[6] == 0 && m[8] == 0 && m[9] == 0 && m[10] > 0;
    return flat && like[0] > 0 && like[1] > 0 && like[2] > 0 && m[0] * m[5] - m[1] * m[4] > 0 &&
           dot * dot <= 1e-12f * xx * yy && xx - xx == 0 && yy - yy == 0;
}

// Reads the world pose projected to the xy plane: the values of ct_transform_world_pose in x and y.
static void read_pose(ct_manager *manager, ct_row row, ct_pose_2d *out) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    const float *m = ct_transform_world_matrix(manager, row);
    if (CT_LIKELY(is_plain(&t, row.i, m))) {
        *out = (ct_pose_2d){m[12], m[13], ct_angle_of(m[1], m[0]), sqrtf(m[0] * m[0] + m[1] * m[1]),
                            sqrtf(m[4] * m[4] + m[5] * m[5])};
        return;
    }
    ct_pose pose;
    ct_transform_world_pose(manager, row, &pose);
    *out = (ct_pose_2d){pose.position[0], pose.position[1], ct_quat_angle(pose.rotation),
                        pose.scale[0], pose.scale[1]};
}

void ct_transform_set_local_pose_2d(ct_manager *manager, ct_row row, const ct_pose_2d *pose,
                                    bool keep_scale) {
    ct_pose whole;
    ct_transform_local_pose(manager, row, &whole);
    whole.position[0] = pose->x;
    whole.position[1] = pose->y;
    ct_quat_from_angle(pose->angle, whole.rotation);
    if (!keep_scale) {
        whole.scale[0] = pose->scale_x;
        whole.scale[1] = pose->scale_y;
    }
    ct_transform_set_local_pose(manager, row, &whole);
}

static const struct {
    const char *name;
    uint32_t count;
} parts[] = {[CT_TRANSFORM_WORLD_POSITION] = {"world_position", 3},
             [CT_TRANSFORM_WORLD_ROTATION] = {"world_rotation", 4},
             [CT_TRANSFORM_WORLD_SCALE] = {"world_scale", 3},
             [CT_TRANSFORM_WORLD_ANGLE] = {"world_angle", 1},
             [CT_TRANSFORM_LOCAL_ANGLE] = {"local_angle", 1}};

bool ct_transform_find_part(const char *name, ct_transform_part *part, uint32_t *count) {
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        if (strcmp(parts[i].name, name) != 0) continue;
        *part = (ct_transform_part)i;
        *count = parts[i].count;
        return true;
    }
    return false;
}

const char *ct_transform_part_name(ct_transform_part part) { return parts[part].name; }

ct_values ct_transform_rotations(const ct_values *angles, uint32_t count, float (*rotations)[4]) {
    uint32_t given = angles->stride == 0 && count > 1 ? 1 : count;
    for (uint32_t i = 0; i < given; ++i) {
        const float *angle = ct_values_item(angles, i);
        if (angle != NULL) ct_quat_from_angle(*angle, rotations[i]);
    }
    return (ct_values){rotations, angles->stride == 0 ? 0 : sizeof *rotations};
}

static uint32_t copy_floats(const float *floats, uint32_t count, double *numbers) {
    for (uint32_t i = 0; i < count; ++i)
        numbers[i] = ct_float_clean(floats[i]);
    return count;
}

uint32_t ct_transform_read_part(ct_manager *manager, ct_row row, ct_transform_part part,
                                double *numbers) {
    ct_pose_2d flat;
    ct_pose pose;
    switch (part) {
    case CT_TRANSFORM_WORLD_POSITION:
        return copy_floats(ct_transform_world_matrix(manager, row) + 12, 3, numbers);
    case CT_TRANSFORM_POSE_2D:
        read_pose(manager, row, &flat);
        return copy_floats((const float[]){flat.x, flat.y, flat.angle, flat.scale_x, flat.scale_y},
                           CT_TRANSFORM_PART_NUMBERS, numbers);
    case CT_TRANSFORM_LOCAL_ANGLE:
        ct_transform_prepare(manager, row);
        numbers[0] = ct_quat_angle(ct_transform_open(manager).rotation[row.i]);
        return 1;
    default: ct_transform_world_pose(manager, row, &pose); break;
    }
    if (part == CT_TRANSFORM_WORLD_ROTATION) return copy_floats(pose.rotation, 4, numbers);
    if (part == CT_TRANSFORM_WORLD_SCALE) return copy_floats(pose.scale, 3, numbers);
    numbers[0] = ct_quat_angle(pose.rotation);
    return 1;
}
