// Methods that LuaJIT compiles: their descriptions for the factories, and the functions that they
// call with the address of the manager, after they have stored the entity in the mailbox. The
// methods in C handle all uncommon cases.
#include "bind/manager/definition.h"

#include "bind/value/compiled.h"
#include "component/transform.h"
#include "storage/manager_access.h"
#include "storage/manager_keys.h"

static double posted_number(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager,
                            uint32_t field) {
    return ct_manager_key_number(manager->core, field, ct_bind_posted_key(mailbox));
}

static double posted_load(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager,
                          uint32_t column, uint32_t lane) {
    return ct_manager_key_load(manager->core, column, (ct_scalar)lane, ct_bind_posted_key(mailbox));
}

static int32_t posted_store(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager,
                            uint32_t column, uint32_t lane, double number) {
    return ct_manager_key_store(manager->core, column, (ct_scalar)lane, ct_bind_posted_key(mailbox),
                                number);
}

static int32_t posted_numbers(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager,
                              uint32_t field, double *numbers) {
    return ct_manager_key_numbers(manager->core, field, ct_bind_posted_key(mailbox), numbers);
}

static int32_t posted_pose(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager,
                           uint32_t part, double *numbers) {
    ct_row row;
    return ct_manager_find_key(manager->core, ct_bind_posted_key(mailbox), &row) &&
           ct_transform_read_part(manager->core, row, (ct_transform_part)part, numbers) > 0;
}

static int32_t posted_write_number(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager,
                                   uint32_t field, double number) {
    return ct_manager_key_write(manager->core, field, ct_bind_posted_key(mailbox), &number);
}

static int32_t posted_write(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager,
                            uint32_t field, double x, double y, double z, double w) {
    const double numbers[] = {x, y, z, w};
    return ct_manager_key_write(manager->core, field, ct_bind_posted_key(mailbox), numbers);
}

static int32_t posted_has(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager) {
    return ct_manager_key_has(manager->core, ct_bind_posted_key(mailbox));
}

static double posted_instance(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager) {
    return ct_manager_key_instance(manager->core, ct_bind_posted_key(mailbox));
}

static double posted_add(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager,
                         int32_t given) {
    int64_t key = ct_bind_posted_key(mailbox);
    ct_bind_parse g;
    if (ct_world_refuses(manager->world) != NULL) return -1;
    if (given == 0) return ct_manager_key_add(manager->core, key, NULL);
    if (!ct_bind_parse_posted(mailbox, CT_BIND_SLOT_VALUES, manager->state, &g)) return -1;
    const ct_values *values = ct_bind_parse_values_fast(&g, CT_BIND_POSTED, manager->core);
    double result = values != NULL ? ct_manager_key_add(manager->core, key, values) : -1;
    ct_bind_parse_posted_end(&g);
    return result;
}

static int32_t posted_remove(const ct_bind_mailbox *mailbox, const ct_bind_manager *manager) {
    return ct_manager_key_remove(manager->core, ct_bind_posted_key(mailbox));
}

void ct_bind_open_fields(lua_State *L) {
    ct_bind_add_address(L, "posted_number", (void (*)(void))posted_number);
    ct_bind_add_address(L, "posted_load", (void (*)(void))posted_load);
    ct_bind_add_address(L, "posted_store", (void (*)(void))posted_store);
    ct_bind_add_address(L, "posted_numbers", (void (*)(void))posted_numbers);
    ct_bind_add_address(L, "posted_pose", (void (*)(void))posted_pose);
    ct_bind_add_address(L, "posted_write_number", (void (*)(void))posted_write_number);
    ct_bind_add_address(L, "posted_write", (void (*)(void))posted_write);
    ct_bind_add_address(L, "posted_has", (void (*)(void))posted_has);
    ct_bind_add_address(L, "posted_instance", (void (*)(void))posted_instance);
    ct_bind_add_address(L, "posted_add", (void (*)(void))posted_add);
    ct_bind_add_address(L, "posted_remove", (void (*)(void))posted_remove);
    ct_bind_add_address(L, "row_of_id", (void (*)(void))ct_manager_row_of_id);
    ct_bind_add_offset(L, "header", sizeof(ct_bind_header));
    ct_bind_add_offset(L, "destroyed", offsetof(ct_bind_manager, destroyed));
    ct_bind_add_offset(L, "definition", offsetof(ct_bind_manager, definition));
    ct_bind_add_offset(L, "changes", offsetof(ct_manager, store.changes));
    ct_bind_add_offset(L, "count", offsetof(ct_manager, store.columns.count));
    ct_bind_add_pointer(L, "manager_pointer", &ct_bind_manager_kind, true);
}

// Arguments of the factory: the table of methods, the name, whether it is a setter, the number of
// the definition, the number of the field, the number of lanes of an item, their type ("number"
// or "bool") or the labels of an enum; and if the access is a load or a store, the number of the
// column and of the C type.
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
    bool direct = sets ? ct_manager_stores(core, f) : ct_manager_loads(core, f);
    if (direct) ct_bind_push_whole(L, f->column);
    if (direct) ct_bind_push_whole(L, info->lane);
    lua_call(L, direct ? 9 : 7, 0);
}

void ct_bind_compile_own(lua_State *L, int methods, const ct_manager *core) {
    int number = lua_gettop(L);
    if (!ct_bind_push_maker(L, "own_methods")) return;
    lua_pushvalue(L, methods);
    lua_pushstring(L, core->name);
    lua_pushvalue(L, number);
    lua_call(L, 3, 0);
}
