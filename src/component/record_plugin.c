// Components described by a plugin: the slots of the manager call the plugin's callbacks.
#include "component/record.h"

#include "base/message.h"
#include "base/pin.h"

#include <string.h>

// Part of the record's additional bytes. The plugin's own bytes follow it.
typedef struct plugin {
    ct_manager_type type; // type of this manager only: has just the slots that the plugin uses
    const ct_component *description;
    ct_component component;
} plugin;

static plugin *plugin_of(const ct_manager *manager) { return ct_record_more(manager); }

void *ct_plugin_own(const ct_manager *manager) {
    return (unsigned char *)ct_record_more(manager) + ct_padded(sizeof(plugin));
}

const ct_component *ct_plugin_component(const ct_manager *manager) {
    return &plugin_of(manager)->component;
}

// Marks that a callback runs: functions that the callback calls must not change anything.
static const ct_component *begin_callback(const ct_manager *manager) {
    manager->store.entities->callbacks++;
    return ct_plugin_component(manager);
}

static void end_callback(const ct_manager *manager) { manager->store.entities->callbacks--; }

static ct_status created(ct_manager *manager, ct_row first, uint32_t count) {
    bool fine = begin_callback(manager)->created(ct_plugin_own(manager), manager, first, count);
    end_callback(manager);
    return fine ? CT_OK : CT_ERR_MEMORY;
}

static ct_status write(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    ct_status status = ct_manager_write_column(manager, field, row, item);
    if (status != CT_OK) return status;
    begin_callback(manager)->written(ct_plugin_own(manager), manager, row, field);
    end_callback(manager);
    return CT_OK;
}

static void removing(ct_manager *manager, ct_row first, uint32_t count) {
    const ct_component *component = begin_callback(manager);
    for (ct_row row = {first.i + count}; row.i-- > first.i;)
        component->removing(ct_plugin_own(manager), manager, row);
    end_callback(manager);
}

static void moved(ct_manager *manager, ct_row to, ct_row from, uint32_t count) {
    const ct_component *component = begin_callback(manager);
    for (; count > 0; --count, ++to.i, ++from.i)
        component->moved(ct_plugin_own(manager), manager, to, from);
    end_callback(manager);
}

static size_t memory(ct_manager *manager, ct_memory_task task) {
    const ct_component *component = begin_callback(manager);
    void *own = ct_plugin_own(manager);
    size_t held = 0;
    if (task == CT_MEMORY_FREE && component->closed != NULL) component->closed(own, manager);
    if (task == CT_MEMORY_COUNT && component->bytes != NULL) held = component->bytes(own, manager);
    end_callback(manager);
    return held + ct_record_memory(manager, task);
}

static bool validate(const ct_manager *manager, ct_message *message) {
    char reason[200] = "";
    bool fine =
        begin_callback(manager)->validate(ct_plugin_own(manager), manager, reason, sizeof reason);
    end_callback(manager);
    if (fine) return true;
    reason[sizeof reason - 1] = '\0';
    return ct_message_set(message, "%s: %s", manager->name, reason);
}

// Own data can be saved and restored only by the plugin.
static void state(ct_manager *manager, ct_state *state) {
    const ct_component *component = ct_plugin_component(manager);
    void *own = ct_plugin_own(manager);
    if (component->own_bytes == 0) return;
    if (component->save == NULL || component->restore == NULL) {
        ct_message_set(state->message, "%s has data of its own that its plugin cannot save",
                       manager->name);
        ct_state_require(state, CT_ERR_DATA);
        return;
    }
    size_t bytes = 0;
    bool fine = true;
    begin_callback(manager);
    if (!ct_state_restores(state)) bytes = component->save(own, manager, NULL, 0);
    ct_state_values(state, &bytes, sizeof bytes);
    void *piece = ct_state_piece(state, bytes);
    if (state->pass == CT_STATE_SAVE) component->save(own, manager, piece, bytes);
    if (ct_state_restores(state))
        fine = component->restore(own, manager, piece, bytes, state->pass == CT_STATE_COMMIT);
    end_callback(manager);
    if (!fine && state->pass == CT_STATE_RESERVE) ct_state_require(state, CT_ERR_MEMORY);
}

static ct_status save(ct_manager *manager, const ct_saved_rows *saved, ct_writer *out,
                      ct_message *message) {
    const ct_component *component = ct_plugin_component(manager);
    const void *own = ct_plugin_own(manager);
    const ct_row *rows = (const ct_row *)(const void *)saved->rows;
    if (component->own_bytes == 0) return CT_OK;
    if (component->to_bytes == NULL || component->from_bytes == NULL) {
        ct_message_set(message, "%s has data of its own that its plugin cannot write to a save",
                       manager->name);
        return CT_ERR_DATA;
    }
    unsigned char *at = NULL;
    begin_callback(manager);
    size_t size = component->to_bytes(own, manager, rows, saved->count, NULL, 0);
    if (size <= UINT32_MAX) at = ct_writer_bytes(out, NULL, (uint32_t)size);
    if (at != NULL) component->to_bytes(own, manager, rows, saved->count, at, size);
    end_callback(manager);
    return size <= UINT32_MAX ? out->status : CT_ERR_FULL;
}

static ct_status load(ct_manager *manager, ct_reader *in, ct_message *message) {
    size_t size = (size_t)(in->end - in->at);
    char reason[200] = "";
    const unsigned char *bytes = ct_reader_bytes(in, size);
    bool fine = begin_callback(manager)->from_bytes(ct_plugin_own(manager), manager, bytes, size,
                                                    reason, sizeof reason);
    end_callback(manager);
    if (fine) return CT_OK;
    reason[sizeof reason - 1] = '\0';
    ct_message_set(message, "%s: %s", manager->name,
                   reason[0] != '\0' ? reason : "its data in the save was refused");
    return CT_ERR_DATA;
}

const ct_component *ct_plugin_description(const ct_manager *manager) {
    return manager->type->memory == memory ? plugin_of(manager)->description : NULL;
}

static ct_manager_type type_of(const ct_component *component) {
    return (ct_manager_type){
        .fill = ct_manager_fill_columns,
        .created = component->created != NULL ? created : NULL,
        .memory = memory,
        .strings = ct_record_count_strings,
        .write = component->written != NULL ? write : NULL,
        .removing = component->removing != NULL ? removing : NULL,
        .moved = component->moved != NULL ? moved : NULL,
        .state = state,
        .save = save,
        .load = component->own_bytes > 0 && component->from_bytes != NULL ? load : NULL,
        .validate = component->validate != NULL ? validate : NULL,
    };
}

ct_component ct_plugin_whole(const ct_component *description) {
    ct_component whole = {0};
    memcpy(&whole, description,
           description->size < sizeof whole ? description->size : sizeof whole);
    return whole;
}

void ct_plugin_pin(const ct_component *description) {
    const ct_component whole = ct_plugin_whole(description);
    void (*const callbacks[])(void) = {
        (void (*)(void))whole.opened,  (void (*)(void))whole.closed,
        (void (*)(void))whole.created, (void (*)(void))whole.removing,
        (void (*)(void))whole.moved,   (void (*)(void))whole.written,
        (void (*)(void))whole.bytes,   (void (*)(void))whole.validate,
    };
    ct_pin_library(description);
    for (uint32_t i = 0; i < sizeof callbacks / sizeof *callbacks; ++i)
        ct_pin_code(callbacks[i]);
}

bool ct_plugin_keeps_own(const ct_component *component) {
    return component->own_bytes > 0 || component->created != NULL || component->removing != NULL ||
           component->moved != NULL;
}

ct_manager *ct_plugin_create(const ct_manager_setup *setup, const ct_component *description) {
    const ct_component component = ct_plugin_whole(description);
    const ct_manager_type type = type_of(&component);
    ct_manager *manager = ct_record_create_as(
        setup, &type, ct_padded(sizeof(plugin)) + component.own_bytes, &component);
    if (manager == NULL) return NULL;
    plugin *p = plugin_of(manager);
    *p = (plugin){type, description, component};
    manager->type = &p->type;
    begin_callback(manager);
    bool fine = component.opened == NULL || component.opened(ct_plugin_own(manager), manager);
    end_callback(manager);
    if (fine) return manager;
    p->component.closed = NULL;
    ct_manager_destroy(manager);
    return NULL;
}
