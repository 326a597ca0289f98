// Components of one manager in a save, by the names of their fields.
#ifndef CT_MANAGER_SAVE_H
#define CT_MANAGER_SAVE_H

#include "base/arena.h"
#include "storage/manager.h"

/// Values that the host keeps for value fields of a world, by slot: the bytes of value_bytes.h.
typedef struct ct_save_values {
    const ct_text *bytes;
    uint32_t count;
    uint32_t refused;   ///< slot of a value that cannot be written; the others then need no bytes,
                        ///< because nothing is written. 0: none
    const char *reason; ///< why it cannot be written
} ct_save_values;

/// Finds the bytes of a value: those in the pool of its world, or those of the host. Returns false
/// if the host's value has none.
bool ct_save_value_bytes(const ct_manager *manager, ct_value value, const ct_save_values *values,
                         ct_text *bytes);

/// State while a world's part of a save is written.
typedef struct ct_save_out {
    ct_writer *writer;
    ct_arena *arena;
    uint32_t *numbers; ///< number in the save by string of the world; 0: none yet
    uint32_t *strings; ///< string of the world by number; [0] is ""
    uint32_t string_count;
    const char *world;            ///< name of the world, for messages
    const ct_save_values *values; ///< NULL: no values
} ct_save_out;

/// Writes the components of living entities, in row order, with those of one entity in creation
/// order. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL, or CT_ERR_DATA with the reason in 'message' if
/// something cannot be saved.
ct_status ct_manager_write_save(ct_manager *manager, ct_save_out *out, ct_message *message);

/// State while a world's part of a save is read.
typedef struct ct_save_in {
    ct_reader reader;
    ct_arena *arena;
    const ct_text *strings; ///< strings by number
    uint32_t string_count;
    const char *world; ///< name of the world, for messages
    ct_writer *notes;  ///< data that did not fit: texts, each followed by a zero byte
    ct_message *message;
} ct_save_in;

/// Data that the type of a manager keeps beside its fields, to be read later.
typedef struct ct_save_rest {
    ct_manager *manager; ///< NULL: not defined any more
    ct_reader reader;
} ct_save_rest;

/// Writes the message that the bytes are not a save. Returns CT_ERR_DATA.
ct_status ct_save_refuse(ct_message *message);

/// Reads the components of the next manager into the manager with its name among 'managers', which
/// must be empty. *rest gets the data that its type keeps beside them. Returns CT_OK;
/// CT_ERR_MEMORY; CT_ERR_FULL; or CT_ERR_DATA with the reason in 'message'. After a failure some
/// components may have been created.
ct_status ct_manager_read_save(ct_manager *const *managers, uint32_t count, ct_save_in *in,
                               ct_save_rest *rest);

/// Reads the data in *rest, after all components of the world were created.
ct_status ct_manager_read_rest(ct_save_rest *rest, ct_save_in *in);

#endif
