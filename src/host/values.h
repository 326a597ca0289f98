// Values with names, from a host, as values of all inputs of a manager.
#ifndef CT_HOST_VALUES_H
#define CT_HOST_VALUES_H

#include "host/host_internal.h"
#include "storage/manager_access.h"

CT_BEGIN_C

/// Maximum number of parts of ct_host_create_with.
#define CT_MAX_PARTS 256u

/// Sets and checks 'out', which has CT_MAX_COLUMNS items, for 'count' new components. Returns false
/// with the reason in host->message.
bool ct_host_read_values(ct_host_entities *host, const ct_manager *manager, uint32_t count,
                         uint32_t value_count, const ct_host_value *values, ct_values *out);

CT_END_C

#endif
