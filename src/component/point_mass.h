// Point masses: position, velocity and force of simple bodies.
#ifndef CT_POINT_MASS_H
#define CT_POINT_MASS_H

#include "storage/layout.h"
#include "storage/manager.h"

CT_BEGIN_C

#define CT_POINT_MASS "point_mass"

/// The manager (Bitsquid part 2, PointMassComponentManager). NULL when memory runs out.
/// Fields: mass float in kg; position, velocity and acceleration vec3, in the game's own
/// unit of length and seconds.
ct_manager *ct_point_mass_create(const ct_manager_setup *setup);

/// How point masses lie in a resource.
ct_layout ct_point_mass_layout(void);

/// One step of semi-implicit Euler for all rows (Bitsquid part 2, simulate()):
/// velocity += acceleration * dt, then position += velocity * dt. Each number has the bits
/// that a scalar loop gives; a NaN is stored as the one quiet NaN. O(rows), moves none; rows
/// of the dead move along until gc.
void ct_point_mass_simulate(ct_manager *masses, float dt);

CT_END_C

#endif
