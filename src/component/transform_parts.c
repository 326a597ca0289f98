// Parts of the pose of a transform, as numbers.
#include "component/transform_parts.h"

#include "base/math.h"

static uint32_t copy_floats(const float *floats, uint32_t count, double *numbers) {
    for (uint32_t i = 0; i < count; ++i)
        numbers[i] = ct_float_clean(floats[i]);
    return count;
}

uint32_t ct_transform_read_part(ct_manager *transforms, ct_row row, ct_transform_part part,
                                double *numbers) {
    ct_pose_2d flat;
    ct_pose pose;
    switch (part) {
    case CT_TRANSFORM_WORLD_POSITION:
        return copy_floats(ct_transform_world_matrix(transforms, row) + 12, 3, numbers);
    case CT_TRANSFORM_POSE_2D:
        ct_transform_pose_2d(transforms, row, &flat);
        return copy_floats((const float[]){flat.x, flat.y, flat.angle, flat.scale_x, flat.scale_y},
                           CT_TRANSFORM_PART_NUMBERS, numbers);
    case CT_TRANSFORM_LOCAL_ANGLE: ct_transform_local_pose(transforms, row, &pose); break;
    default: ct_transform_world_pose(transforms, row, &pose); break;
    }
    if (part == CT_TRANSFORM_WORLD_ROTATION) return copy_floats(pose.rotation, 4, numbers);
    if (part == CT_TRANSFORM_WORLD_SCALE) return copy_floats(pose.scale, 3, numbers);
    numbers[0] = ct_quat_angle(pose.rotation);
    return 1;
}
