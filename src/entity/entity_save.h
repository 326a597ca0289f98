// Who is alive, as a save has it.
// Knows nothing of components, nor of what else is in a save.
#ifndef CT_ENTITY_SAVE_H
#define CT_ENTITY_SAVE_H

#include "base/reader.h"
#include "entity/entity_manager.h"

CT_BEGIN_C

/// Generations by index, the queue, the minimum of free indices. Nobody is dying.
void ct_entity_manager_write(const ct_entity_manager *manager, ct_writer *out);

/// Reads that into a manager in which nothing was created. CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA
/// where the bytes are not those of one.
ct_status ct_entity_manager_read(ct_entity_manager *manager, ct_reader *in);

CT_END_C

#endif
