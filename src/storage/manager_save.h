// The components of one manager in a save, by the names of their fields.
#ifndef CT_MANAGER_SAVE_H
#define CT_MANAGER_SAVE_H

#include "base/arena.h"
#include "storage/manager.h"

CT_BEGIN_C

/// What the host keeps for value fields of a world, by slot: the bytes of value_bytes.h.
typedef struct ct_save_values {
    const ct_text *bytes;
    uint32_t count;
    uint32_t refused;   ///< the slot of a value that has no bytes; of others none are needed then,
                        ///< as nothing will be written. 0: all have
    const char *reason; ///< why
} ct_save_values;

/// What a world's part of a save is written with.
typedef struct ct_save_out {
    ct_writer *writer;
    ct_arena *arena;
    uint32_t *numbers; ///< by string of the world: its number in the save, 0 for none yet
    uint32_t *strings; ///< the other way round; [0] is ""
    uint32_t string_count;
    const char *world;            ///< its name, for messages
    const ct_save_values *values; ///< NULL: there are none
} ct_save_out;

/// Writes the components that the living have, in the order of their rows, those of one entity as
/// they were created. CT_OK, CT_ERR_MEMORY, CT_ERR_FULL, or
/// CT_ERR_DATA with the reason in 'message' where something cannot be saved.
ct_status ct_manager_write_save(ct_manager *manager, ct_save_out *out, ct_message *message);

/// What it is read with.
typedef struct ct_save_in {
    ct_reader reader;
    ct_arena *arena;
    const ct_text *strings; ///< by number
    uint32_t string_count;
    const char *world; ///< its name, for messages
    ct_writer *notes;  ///< what did not fit: texts with a zero byte behind each
    ct_message *message;
} ct_save_in;

/// Of a manager that is being read: what its type keeps beside the fields.
typedef struct ct_save_rest {
    ct_manager *manager; ///< NULL: it is not defined any more
    ct_reader reader;
} ct_save_rest;

/// Says that the bytes are not those of a save. CT_ERR_DATA.
ct_status ct_save_refuse(ct_message *message);

/// Notes something that did not fit.
void ct_save_note(const ct_save_in *in, const char *name, const char *field, const char *what);

/// Reads the components of the next manager into that of its name among 'managers', which has none;
/// what its type keeps beside them is left in *rest. CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_DATA
/// with the reason in 'message', and some components may have been made.
ct_status ct_manager_read_save(ct_manager *const *managers, uint32_t count, ct_save_in *in,
                               ct_save_rest *rest);

/// Reads that, once all components of the world are there.
ct_status ct_manager_read_rest(ct_save_rest *rest, ct_save_in *in);

CT_END_C

#endif
