// Point masses: position, velocity and acceleration of simple bodies.
#ifndef CT_POINT_MASS_H
#define CT_POINT_MASS_H

#include "storage/layout.h"
#include "storage/manager.h"

CT_BEGIN_C

#define CT_POINT_MASS "point_mass"

/// Creates the manager (Bitsquid part 2, PointMassComponentManager). Returns NULL when memory runs
/// out. Fields: mass float in kg; position, velocity and acceleration vec3, in the unit of length
/// of the game and in seconds.
ct_manager *ct_point_mass_create(const ct_manager_setup *setup);

/// Returns the layout of point masses in a resource.
ct_layout ct_point_mass_layout(void);

/// Advances all rows by one step of semi-implicit Euler (Bitsquid part 2, simulate()):
/// velocity += acceleration * dt, then position += velocity * dt. Each number has the bits that a
/// scalar loop computes; every NaN is stored as the quiet NaN. Includes rows of dead entities.
/// O(rows). Moves no rows.
void ct_point_mass_simulate(ct_manager *masses, float dt);

CT_END_C

#endif
