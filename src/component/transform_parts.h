// Parts of the pose of a transform, as numbers.
// Must not depend on who reads them, nor on the other components.
#ifndef CT_TRANSFORM_PARTS_H
#define CT_TRANSFORM_PARTS_H

#include "component/transform.h"

CT_BEGIN_C

/// A part of a pose. Compiled code has these numbers, too.
typedef enum ct_transform_part {
    CT_TRANSFORM_WORLD_POSITION, ///< x, y, z
    CT_TRANSFORM_WORLD_ROTATION, ///< x, y, z, w
    CT_TRANSFORM_WORLD_SCALE,    ///< x, y, z
    CT_TRANSFORM_WORLD_ANGLE,    ///< about z, in radians
    CT_TRANSFORM_LOCAL_ANGLE,
    CT_TRANSFORM_POSE_2D ///< as ct_pose_2d
} ct_transform_part;

enum { CT_TRANSFORM_PART_NUMBERS = 5 }; ///< the most that a part has

/// Writes the numbers of a part of the pose of a row and returns how many there are. A NaN becomes
/// the quiet one. Allocates nothing and moves no rows.
uint32_t ct_transform_read_part(ct_manager *transforms, ct_row row, ct_transform_part part,
                                double *numbers);

CT_END_C

#endif
