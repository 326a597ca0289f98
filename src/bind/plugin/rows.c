// Rows and columns for plugins: what the core has, with arguments that are looked at first.
// Knows nothing of any one component.
#include "bind/plugin/plugin.h"

#include <string.h>

uint32_t ct_bind_plugin_count(const ct_manager *manager) { return ct_store_count(&manager->store); }

ct_row ct_bind_plugin_find(const ct_manager *manager, ct_entity e) {
    return ct_store_find(&manager->store, e);
}

void ct_bind_plugin_find_many(const ct_manager *manager, uint32_t count, const ct_entity *entities,
                              ct_row *out) {
    for (uint32_t i = 0; i < count; ++i)
        out[i] = ct_store_find(&manager->store, entities[i]);
}

ct_row ct_bind_plugin_next(const ct_manager *manager, ct_row row) {
    if (row.i >= ct_store_count(&manager->store)) return (ct_row){CT_NO_ROW};
    return ct_store_next(&manager->store, row);
}

const ct_entity *ct_bind_plugin_owners(const ct_manager *manager) {
    return ct_store_owners(&manager->store);
}

// ---------------------------------------------------------------- rows of arguments

// The object that scripts have of a manager. The entity manager is the first member of its object.
static ct_bind_manager *object_of(lua_State *L, const ct_manager *core) {
    const ct_bind_entities *entities = (const ct_bind_entities *)(const void *)core->store.entities;
    for (const ct_bind_world *w = entities->worlds; w != NULL; w = w->next) {
        for (ct_bind_manager *m = w->managers; m != NULL; m = m->next) {
            if (m->core == core) return m;
        }
    }
    luaL_error(L, "component manager is not there any more");
}

// The usual case needs no object.
static ct_row find_row(lua_State *L, int arg, const ct_manager *manager) {
    ct_entity e;
    ct_row row = {CT_NO_ROW};
    if (ct_bind_to_entity(L, arg, &e)) return ct_store_find(&manager->store, e);
    if (lua_type(L, arg) != LUA_TNUMBER ||
        !ct_bind_to_instance(manager, lua_tonumber(L, arg), &row) ||
        !ct_entity_manager_answers(manager->store.entities,
                                   ct_store_owners(&manager->store)[row.i]))
        return (ct_row){CT_NO_ROW};
    return row;
}

ct_row ct_bind_plugin_check_row(lua_State *L, int arg, ct_manager *manager) {
    ct_row row = find_row(L, arg, manager);
    if (CT_LIKELY(row.i != CT_NO_ROW)) return row;
    return ct_bind_check_target(L, arg, object_of(L, manager));
}

ct_row ct_bind_plugin_check_live_row(lua_State *L, int arg, ct_manager *manager) {
    ct_row row = find_row(L, arg, manager);
    if (CT_LIKELY(row.i != CT_NO_ROW && manager->store.entities->dying == NULL)) return row;
    return ct_bind_check_live_target(L, arg, object_of(L, manager));
}

void ct_bind_plugin_push_instance(lua_State *L, ct_manager *manager, ct_row row) {
    if (row.i >= ct_store_count(&manager->store)) row.i = CT_NO_ROW;
    ct_bind_push_instance(L, manager, row);
}

// ---------------------------------------------------------------- columns

uint32_t ct_bind_plugin_find_field(const ct_manager *manager, const char *name) {
    uint32_t field = ct_manager_find_field(manager, name);
    return field < manager->field_count ? field : CT_NO_FIELD;
}

void *ct_bind_plugin_column(ct_manager *manager, uint32_t field, uint32_t *stride) {
    if (manager->type->settle != NULL) manager->type->settle(manager);
    if (stride != NULL) *stride = 0;
    if (field >= manager->field_count || ct_store_count(&manager->store) == 0) return NULL;
    const ct_field *f = &manager->fields[field];
    if (stride != NULL) *stride = manager->store.columns.width[f->column];
    return ct_manager_item(manager, f, (ct_row){0});
}

ct_text ct_bind_plugin_text(const ct_manager *manager, uint32_t field, ct_row row) {
    if (field >= manager->field_count || row.i >= ct_store_count(&manager->store) ||
        manager->fields[field].type != CT_FIELD_STRING)
        return (ct_text){NULL, 0};
    return ct_string_pool_text(
        manager->strings, *(ct_string *)ct_manager_item(manager, &manager->fields[field], row));
}

bool ct_bind_plugin_items_sound(ct_field_type type, const ct_values *values, uint32_t count) {
    const unsigned char *item = values->items;
    if (item == NULL || count == 0) return true;
    if (values->stride == 0) count = 1;
    for (uint32_t i = 0; i < count; ++i, item += values->stride) {
        uint32_t id;
        if (type == CT_FIELD_BOOL && *item > 1) return false;
        if (type == CT_FIELD_ENTITY) {
            memcpy(&id, item, sizeof id);
            if (!ct_entity_is_id(id) && id != CT_NOBODY) return false;
        }
        // Items need not be aligned.
        double copy[CT_MAX_ITEM_BYTES / sizeof(double)];
        if (type == CT_FIELD_STRING || type == CT_FIELD_BOOL || type == CT_FIELD_ENTITY) continue;
        memcpy(copy, item, ct_field_info_of(type)->bytes);
        if (!ct_field_nan_clean(type, copy, 1)) return false;
    }
    return true;
}

// ---------------------------------------------------------------- changes

// Whether the manager takes these values for so many components; of one that is there already
// nothing is 'required'.
static bool takes(const ct_manager *manager, const ct_values *values, uint32_t count) {
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (!ct_bind_plugin_items_sound(manager->inputs[i].type, &values[i], count)) return false;
    }
    ct_message message;
    return manager->type->check == NULL || manager->type->check(manager, values, count, &message);
}

ct_status ct_bind_plugin_add(ct_manager *manager, uint32_t count, const ct_entity *owners,
                             const ct_values *values, ct_row *first) {
    ct_values defaults[CT_MAX_COLUMNS];
    memset(defaults, 0, sizeof defaults);
    if (values == NULL) values = defaults;
    if (manager->type->hosted != NULL) return CT_ERR_DATA;
    for (uint32_t i = 0; i < count; ++i) {
        if (!ct_entity_manager_alive(manager->store.entities, owners[i])) return CT_ERR_DATA;
    }
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (manager->inputs[i].required && values[i].items == NULL) return CT_ERR_DATA;
    }
    if (!takes(manager, values, count)) return CT_ERR_DATA;
    return ct_manager_create(manager, owners, count, values, NULL, first);
}

ct_status ct_bind_plugin_remove(ct_manager *manager, ct_row row) {
    if (row.i >= ct_store_count(&manager->store) || manager->type->hosted != NULL)
        return CT_ERR_DATA;
    ct_store_remove(&manager->store, row);
    return CT_OK;
}

ct_status ct_bind_plugin_write(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    ct_values values[CT_MAX_COLUMNS];
    if (field >= manager->field_count || row.i >= ct_store_count(&manager->store) || item == NULL)
        return CT_ERR_DATA;
    memset(values, 0, sizeof values);
    if (manager->inputs == manager->fields) {
        values[field].items = item;
        if (!takes(manager, values, 1)) return CT_ERR_DATA;
    } else {
        values[0].items = item;
        if (!ct_bind_plugin_items_sound(manager->fields[field].type, values, 1)) return CT_ERR_DATA;
    }
    return ct_manager_write(manager, field, row, item);
}

uint32_t ct_bind_plugin_gc(ct_manager *manager, bool all) {
    return all ? ct_store_sweep(&manager->store) : ct_store_gc(&manager->store);
}
