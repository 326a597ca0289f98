// Functions of the core for methods that LuaJIT compiles, without the Lua API. The methods in C
// handle all uncommon cases.
#include "bind/manager/definition.h"

#include "bind/value/compiled.h"
#include "component/transform.h"
#include "storage/manager_access.h"

#include <math.h>

// Compiled code passes a key for an entity or instance: -1 - id, or the instance. If one of these
// functions fails, compiled code calls the method in C, which raises.

static bool find_row(const ct_bind_manager *manager, double key, ct_row *row) {
    const ct_store *store = &manager->core->store;
    if (CT_UNLIKELY(manager->destroyed != NULL)) return false;
    if (CT_LIKELY(key < 0)) {
        *row = ct_store_find(store, (ct_entity){(uint32_t)(-1 - key)});
        return row->i != CT_NO_ROW;
    }
    return ct_store_find_instance(store, key, row) &&
           ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row->i]);
}

// Reads a field of one number, a bool or a label; returns NaN on failure.
static double read_number(const ct_bind_manager *manager, uint32_t field, double key) {
    ct_row row;
    double number = NAN;
    if (find_row(manager, key, &row)) ct_manager_read_numbers(manager->core, field, row, &number);
    return number;
}

// The next three functions return 1 on success, else 0.
static int32_t read_numbers(const ct_bind_manager *manager, uint32_t field, double key,
                            double *numbers) {
    ct_row row;
    if (!find_row(manager, key, &row)) return 0;
    ct_manager_read_numbers(manager->core, field, row, numbers);
    return 1;
}

static int32_t write_numbers(const ct_bind_manager *manager, uint32_t field, double key, double x,
                             double y, double z, double w) {
    const double numbers[] = {x, y, z, w};
    ct_manager *core = manager->core;
    ct_row row;
    return find_row(manager, key, &row) && core->store.entities->guarded == 0 &&
           ct_manager_write_numbers(core, field, row, numbers) == CT_OK;
}

// Returns 1 or 0, or -1 on failure.
static int32_t has(const ct_bind_manager *manager, double key) {
    ct_row row;
    if (find_row(manager, key, &row)) return 1;
    return manager->destroyed == NULL && key < 0 ? 0 : -1;
}

// Returns the instance, -1 if there is none, or -2 on failure.
static double lookup(const ct_bind_manager *manager, double key) {
    ct_row row;
    if (find_row(manager, key, &row)) return ct_store_instance(&manager->core->store, row);
    return manager->destroyed == NULL && key < 0 ? -1 : -2;
}

// Returns the row of the entity with an id, -1 if it has none, or -2 if the manager has ended.
static int32_t row_of_id(const ct_bind_manager *manager, uint32_t id) {
    if (manager->destroyed != NULL) return -2;
    return (int32_t)ct_store_find(&manager->core->store, (ct_entity){id}).i;
}

// Reads up to five numbers of a transform; returns 1 on success, else 0.
static int32_t read_pose(const ct_bind_manager *manager, uint32_t part, double key,
                         double *numbers) {
    ct_row row;
    if (!find_row(manager, key, &row)) return 0;
    ct_transform_read_part(manager->core, row, (ct_transform_part)part, numbers);
    return 1;
}

// manager_pointer(handle) -> the address of the manager as a string of its bytes, or nil
static int pointer(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_test_handle(L, 1, &ct_bind_manager_kind);
    if (manager == NULL) return 0;
    lua_pushlstring(L, (const char *)&manager, sizeof manager);
    return 1;
}

void ct_bind_open_fields(lua_State *L) {
    ct_bind_add_address(L, "read_number", (void (*)(void))read_number);
    ct_bind_add_address(L, "read_numbers", (void (*)(void))read_numbers);
    ct_bind_add_address(L, "write_numbers", (void (*)(void))write_numbers);
    ct_bind_add_address(L, "has", (void (*)(void))has);
    ct_bind_add_address(L, "lookup", (void (*)(void))lookup);
    ct_bind_add_address(L, "row_of_id", (void (*)(void))row_of_id);
    ct_bind_add_address(L, "read_pose", (void (*)(void))read_pose);
    ct_bind_add_offset(L, "header", sizeof(ct_bind_header));
    ct_bind_add_offset(L, "destroyed", offsetof(ct_bind_manager, destroyed));
    ct_bind_add_offset(L, "definition", offsetof(ct_bind_manager, definition));
    ct_bind_add_offset(L, "changes", offsetof(ct_manager, store.changes));
    ct_bind_add_offset(L, "count", offsetof(ct_manager, store.columns.count));
    ct_bind_push_compiled(L);
    ct_bind_add_function(L, "manager_pointer", pointer);
    lua_pop(L, 1);
}

// Arguments of the factory: the table of methods, the name, whether it is a setter, the number of
// the definition, the number of the field, the number of lanes of an item, and their type ("number"
// or "bool") or the labels of an enum.
void ct_bind_compile_accessor(lua_State *L, int methods, const char *name, const ct_manager *core,
                              uint32_t field, bool sets) {
    int number = lua_gettop(L);
    if (field >= core->field_count) return;
    const ct_field *f = &core->fields[field];
    const ct_field_info *info = ct_field_info_of(f->type);
    if (info->lane > CT_SCALAR_BOOL || !ct_bind_push_maker(L, "accessor")) return;
    lua_pushvalue(L, methods);
    lua_pushstring(L, name);
    lua_pushboolean(L, sets);
    lua_pushvalue(L, number);
    ct_bind_push_whole(L, field);
    ct_bind_push_whole(L, info->lanes);
    if (f->type == CT_FIELD_ENUM)
        ct_bind_push_labels(L, f);
    else
        lua_pushstring(L, info->lane == CT_SCALAR_BOOL ? "bool" : "number");
    lua_call(L, 7, 0);
}

void ct_bind_compile_own(lua_State *L, int methods, const ct_manager *core) {
    int number = lua_gettop(L);
    if (!ct_bind_push_maker(L, "own_methods")) return;
    lua_pushvalue(L, methods);
    lua_pushstring(L, core->name);
    lua_pushvalue(L, number);
    lua_call(L, 3, 0);
}
