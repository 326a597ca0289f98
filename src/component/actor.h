// Actors: shape and mass of a physics body that the host keeps, and the number of the body.
#ifndef CT_ACTOR_H
#define CT_ACTOR_H

#include "storage/layout.h"
#include "storage/manager.h"

CT_BEGIN_C

#define CT_ACTOR "actor"

/// The manager. NULL when memory runs out. Fields: shape string, mass float.
ct_manager *ct_actor_create(const ct_manager_setup *setup);

/// How actors lie in a resource. Bodies do not.
ct_layout ct_actor_layout(void);

/// The number of a row's body, 0 for none: new rows have none. Whoever keeps bodies sets it to 0
/// before the row goes.
uint32_t ct_actor_body(const ct_manager *actors, ct_row row);

void ct_actor_set_body(ct_manager *actors, ct_row row, uint32_t body);

/// Gives a row's body a new number, and returns it: the one after that given last, and after the
/// largest the first again. So whoever keeps bodies by their owners can tell an actor from one that
/// came in its place.
uint32_t ct_actor_number_body(ct_manager *actors, ct_row row);

/// The row of the entity's actor, if its body has that number, or CT_NO_ROW. O(1).
ct_row ct_actor_find(const ct_manager *actors, ct_entity e, uint32_t body);

CT_END_C

#endif
