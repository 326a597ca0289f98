// Actors: shape and mass of a physics body that the host manages, and the number of that body.
#ifndef CT_ACTOR_H
#define CT_ACTOR_H

#include "storage/layout.h"
#include "storage/manager.h"

#define CT_ACTOR "actor"

/// Fields: shape string, mass float. The layout of actors in a resource does not contain bodies.
extern const ct_manager_type ct_actor_type;

/// Returns the number of a row's body, or 0 if it has none. New rows have none. The code that
/// manages the bodies must set the number to 0 before the row is removed.
uint32_t ct_actor_body(const ct_manager *actors, ct_row row);

void ct_actor_set_body(ct_manager *actors, ct_row row, uint32_t body);

/// Assigns a new number to a row's body and returns it. Numbers increase by 1 and start again at 1
/// after the largest one. An owner and a number together distinguish an actor from one that
/// replaced it.
uint32_t ct_actor_number_body(ct_manager *actors, ct_row row);

/// Returns the row of the entity's actor if its body has this number, or CT_NO_ROW. O(1).
ct_row ct_actor_find(const ct_manager *actors, ct_entity e, uint32_t body);

#endif
