// Fields of numbers for methods that LuaJIT compiles, without a word to Lua.
// Knows nothing of what a field means, and leaves all but the common case to the methods in C.
#include "bind/manager/fields_compiled.h"

#include "bind/value/compiled.h"
#include "storage/manager_check.h"

#include <math.h>

// Where one of these does nothing the method in C is called, and says why.

// ---------------------------------------------------------------- one row

static bool find_id(const ct_bind_manager *manager, uint32_t id, ct_row *row) {
    if (CT_UNLIKELY(manager->over != NULL)) return false;
    *row = ct_store_find(&manager->core->store, (ct_entity){id});
    return row->i != CT_NO_ROW;
}

static bool find_instance(const ct_bind_manager *manager, double instance, ct_row *row) {
    const ct_store *store = &manager->core->store;
    if (manager->over != NULL || !ct_store_find_instance(store, instance, row)) return false;
    return ct_entity_manager_answers(store->entities, ct_store_owners(store)[row->i]);
}

// ---------------------------------------------------------------- reading

// What is read goes into 'numbers', and behind it what was asked about, or NaN, which is not equal
// to anything a script asks about.
enum { ASKED = 16 };

static void read_by_id(const ct_bind_manager *manager, uint32_t field, uint32_t id,
                       double *numbers) {
    ct_row row;
    numbers[ASKED] = NAN;
    if (!find_id(manager, id, &row)) return;
    ct_manager_read_numbers(manager->core, field, row, numbers);
    numbers[ASKED] = id;
}

static void read_by_instance(const ct_bind_manager *manager, uint32_t field, double instance,
                             double *numbers) {
    ct_row row;
    numbers[ASKED] = NAN;
    if (!find_instance(manager, instance, &row)) return;
    ct_manager_read_numbers(manager->core, field, row, numbers);
    numbers[ASKED] = instance;
}

// ---------------------------------------------------------------- writing

static bool write(const ct_bind_manager *manager, uint32_t field, ct_row row,
                  const double *numbers) {
    ct_manager *core = manager->core;
    return core->store.entities->guarded == 0 &&
           ct_manager_write_numbers(core, field, row, numbers) == CT_OK;
}

// Both return whether they did it.
static int32_t write_by_id(const ct_bind_manager *manager, uint32_t field, uint32_t id, double x,
                           double y, double z, double w) {
    ct_row row;
    const double numbers[] = {x, y, z, w};
    return find_id(manager, id, &row) && write(manager, field, row, numbers);
}

static int32_t write_by_instance(const ct_bind_manager *manager, uint32_t field, double instance,
                                 double x, double y, double z, double w) {
    ct_row row;
    const double numbers[] = {x, y, z, w};
    return find_instance(manager, instance, &row) && write(manager, field, row, numbers);
}

// ---------------------------------------------------------------- for the factories

void ct_bind_open_fields(lua_State *L) {
    ct_bind_add_address(L, "read_by_id", (void (*)(void))read_by_id);
    ct_bind_add_address(L, "read_by_instance", (void (*)(void))read_by_instance);
    ct_bind_add_address(L, "write_by_id", (void (*)(void))write_by_id);
    ct_bind_add_address(L, "write_by_instance", (void (*)(void))write_by_instance);
}

void ct_bind_offer_field(lua_State *L, int index, const char *method, const char *factory,
                         const ct_manager *core, uint32_t field) {
    int object = ct_bind_absindex(L, index);
    if (field >= core->field_count) return;
    const ct_field_info *info = ct_field_info_of(core->fields[field].type);
    if (info->lane > CT_SCALAR_BOOL || core->fields[field].type == CT_FIELD_ENUM) return;
    ct_bind_push_whole(L, field);
    ct_bind_push_whole(L, info->lanes);
    lua_pushboolean(L, info->lane == CT_SCALAR_BOOL);
    ct_bind_offer_method(L, object, method, factory, 3);
}
