// Point masses: position, velocity and acceleration of simple bodies.
#ifndef CT_POINT_MASS_H
#define CT_POINT_MASS_H

#include "storage/layout.h"
#include "storage/manager.h"

#define CT_POINT_MASS "point_mass"

/// Fields: mass float in kg; position, velocity and acceleration vec3, in the unit of length of the
/// game and in seconds (Bitsquid part 2, PointMassComponentManager).
extern const ct_manager_type ct_point_mass_type;

/// Advances all rows by one step of semi-implicit Euler (Bitsquid part 2, simulate()):
/// velocity += acceleration * dt, then position += velocity * dt. Each number has the bits that a
/// scalar loop computes; every NaN is stored as the quiet NaN. Includes rows of dead entities.
/// O(rows). Moves no rows.
void ct_point_mass_simulate(ct_manager *masses, float dt);

#endif
