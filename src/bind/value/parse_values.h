// Parsing of tables of component values into the arena, completely before anything is created.
#ifndef BIND_PARSE_VALUES_H
#define BIND_PARSE_VALUES_H

#include "base/arena.h"
#include "bind/value/mailbox.h"
#include "bind/value/values.h"

// A function that creates or changes components has four steps:
//
//     prepare   operations that may allocate in Lua, and so may run finalizers with any effect
//     parse     reads tables into an arena of core memory. Nothing is allocated in Lua, so no
//               finalizer runs, tables do not change, and strings need no copy
//     commit    one call of the core
//     deliver   pushes results; tables are written in protected calls, so that all can be undone
//
// Test builds count Lua's allocations and assert that none happens between begin and end.

/// Destination of the values of value fields.
typedef enum ct_bind_sink {
    CT_BIND_TO_POOL,  ///< a slot for each value, held during the parse; the item is the slot
    CT_BIND_TO_BYTES, ///< encoded bytes (value_bytes.h)
    CT_BIND_TO_TABLE  ///< the table at 'table', appended; the item's length is the position
} ct_bind_sink;

typedef struct ct_bind_parse {
    lua_State *L;
    ct_bind_state *state;
    ct_arena *arena;
    uint64_t allocations; ///< test builds: Lua's allocation count at the begin
    ct_bind_sink sink;    ///< CT_BIND_TO_POOL by default
    int table;
} ct_bind_parse;

/// Begins with an empty arena. Previously parsed values become invalid.
ct_bind_parse ct_bind_parse_begin(lua_State *L, ct_bind_state *state);

/// Ends the parse and empties the arena. Parsed values become invalid, and values that no row
/// references are released.
void ct_bind_parse_end(const ct_bind_parse *g);

/// Allocates a block in the arena. If there is no memory, ends the parse and raises "not enough
/// memory".
void *ct_bind_parse_take(const ct_bind_parse *g, size_t bytes);

/// Makes room for one more item after 'count' items of 'width' bytes in the arena. Returns 'items',
/// or a copy with a larger capacity. Raises like ct_bind_parse_take.
void *ct_bind_parse_more(const ct_bind_parse *g, void *items, uint32_t count, uint32_t *capacity,
                         size_t width);

/// Values of all inputs of a manager for 'count' components. It is stored in the arena.
typedef struct ct_bind_values {
    ct_values *values;    ///< one for each input of the manager
    ct_component_id *ids; ///< NULL: all automatic
    uint32_t count;
    bool hosted; ///< the hosted input was given, too (ct_manager_type.hosted)
} ct_bind_values;

typedef enum ct_bind_form {
    CT_BIND_WHOLE,  ///< one component: required inputs must be given, and 'id' may be
    CT_BIND_SOURCE, ///< the same for a resource: no hosted input; the manager only checks required
                    ///< inputs
    CT_BIND_GIVEN,  ///< for set: the given inputs of one component
    CT_BIND_MANY,   ///< each value is for all components, or one for each: Manager:create_many
    CT_BIND_COPIES  ///< the same, but a value that is valid for one component is for all:
                    ///< World:create
} ct_bind_form;

/// Parses the table (or nil) at 'index', which stays on the stack, and checks the values together
/// with the manager. On failure ends the parse, pushes the message ("hp: expected a number, got
/// string", "unknown field 'hpp' (did you mean 'hp'?)") and returns NULL. If there are several
/// errors, reports the first in the order of fields, else the first of the other keys by name.
ct_bind_values *ct_bind_parse_values(const ct_bind_parse *g, int index, const ct_manager *manager,
                                     ct_bind_form form, uint32_t count);

/// Fast path of ct_bind_parse_values in the form CT_BIND_WHOLE for the table or nil on top, at
/// index 'table'. Returns NULL unless the manager has interned names (manager.h) and the table is
/// valid and simple. Does not raise, and uses 5 places of the stack.
const ct_values *ct_bind_parse_values_fast(const ct_bind_parse *g, int table,
                                           const ct_manager *manager);

/// Parses the table or nil at 'index' with ct_bind_parse_values_fast if possible, and otherwise
/// with ct_bind_parse_values. In the forms CT_BIND_WHOLE and CT_BIND_GIVEN it must be on top.
/// Stores the ids, or NULL, in *ids. Fails like ct_bind_parse_values.
const ct_values *ct_bind_parse_component(const ct_bind_parse *g, int index,
                                         const ct_manager *manager, ct_bind_form form,
                                         uint32_t count, const ct_component_id **ids);

/// For functions that compiled code calls: begins a parse on the stack of the mailbox, where the
/// value in a slot is at index CT_BIND_POSTED. Returns false if a parse is not possible now.
/// Between begin and end nothing may raise.
bool ct_bind_parse_posted(const ct_bind_mailbox *mailbox, int slot, ct_bind_state *state,
                          ct_bind_parse *g);
void ct_bind_parse_posted_end(const ct_bind_parse *g);

/// Parses the value at 'index' for one field of 'manager' (NULL: of no manager) and 'count' rows:
/// one value for all rows or one for each, as in create_many. On failure ends the parse, pushes
/// the message and returns false.
bool ct_bind_parse_field(const ct_bind_parse *g, int index, const ct_manager *manager,
                         const ct_field *field, uint32_t count, ct_values *out);

/// The same for a table at 'index' for a column of entities, with ids, entities or false.
bool ct_bind_parse_ids(const ct_bind_parse *g, int index, uint32_t count, ct_values *out);

/// Creates the arena of this state.
void ct_bind_open_parser(lua_State *L);

#endif
