// Match of the published components with those of the local world.
#include "base/message.h"
#include "level/replication/apply.h"
#include "storage/labels.h"
#include "storage/manager_access.h"

// Finds the labels. *equal becomes whether all have the same numbers.
static ct_status bind_labels(ct_apply *apply, const ct_published_field *field,
                             const ct_field *input, uint32_t **out, bool *equal) {
    uint32_t *labels =
        ct_scratch_take(&apply->memory, (field->label_count + (size_t)1) * sizeof *labels);
    if (labels == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < field->label_count; ++i) {
        labels[i] = ct_labels_find(input, field->labels[i], NULL);
        if (labels[i] == input->label_count) labels[i] = CT_NOT_BOUND;
        *equal = *equal && labels[i] == i;
    }
    *out = labels;
    return CT_OK;
}

// Returns the field to which values of an input are written without a step, or CT_NOT_BOUND.
static uint32_t find_column(const ct_manager *manager, uint32_t input) {
    static const char local[] = "local_"; // the columns of a transform that have marks
    if (manager->inputs == manager->fields)
        return ct_manager_stores(manager, &manager->fields[input]) ? input : CT_NOT_BOUND;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const char *name = manager->fields[f].name;
        if (manager->fields[f].in_place && strncmp(name, local, sizeof local - 1) == 0 &&
            strcmp(name + sizeof local - 1, manager->inputs[input].name) == 0)
            return f;
    }
    return CT_NOT_BOUND;
}

static ct_status refuse_type(const ct_apply *apply, const char *component, const char *field,
                             const char *was, const char *is) {
    ct_message_set(apply->message, "%s.%s: published as %s, defined as %s here", component, field,
                   was, is);
    return CT_ERR_DATA;
}

static ct_status bind_field(ct_apply *apply, const ct_published_type *type, ct_bound_type *bound,
                            uint32_t f) {
    const ct_published_field *field = &type->fields[f];
    const ct_manager *manager = bound->manager;
    uint32_t input = ct_manager_find_input(manager, field->name);
    ct_bound_field *out = &bound->fields[f];
    bool defined =
        input < ct_manager_all_inputs(manager) && ct_published_has(&manager->inputs[input]);
    bool equal = field->type != CT_FIELD_ENTITY && !ct_field_is_text(field->type);
    ct_status status = CT_OK;
    *out = (ct_bound_field){CT_NOT_BOUND, CT_NOT_BOUND, NULL};
    if (defined) {
        const ct_field *local = &manager->inputs[input];
        if (local->type != field->type || local->cells != field->cells ||
            local->hierarchy != field->hierarchy)
            return refuse_type(apply, type->name, field->name, ct_field_info_of(field->type)->name,
                               ct_field_info_of(local->type)->name);
        out->input = input;
        status = bind_labels(apply, field, local, &out->labels, &equal);
        if (equal) out->column = find_column(manager, input);
    }
    if (equal && !type->multiple && (!defined || out->column != CT_NOT_BOUND))
        bound->direct |= UINT64_C(1) << f;
    return status;
}

static ct_status bind_type(ct_apply *apply, uint32_t t) {
    const ct_published_type *type = &apply->now->published.types[t];
    ct_bound_type *bound = &apply->types[t];
    memset(bound, 0, sizeof *bound);
    ct_manager *manager = ct_world_find(apply->subscriber->world, type->name);
    if (manager == NULL) return CT_OK;
    if (manager->store.multiple != type->multiple) {
        ct_message_set(apply->message, "%s: only one side allows several for an entity",
                       type->name);
        return CT_ERR_DATA;
    }
    bound->manager = manager;
    bound->size_inputs[0] = ct_manager_find_input(manager, "width");
    bound->size_inputs[1] = ct_manager_find_input(manager, "height");
    bound->fields =
        ct_scratch_take(&apply->memory, (type->field_count + (size_t)1) * sizeof *bound->fields);
    if (bound->fields == NULL) return CT_ERR_MEMORY;
    ct_status status = CT_OK;
    for (uint32_t f = 0; f < type->field_count && status == CT_OK; ++f)
        status = bind_field(apply, type, bound, f);
    ct_manager_flush_deaths(manager);
    return status;
}

ct_status ct_apply_bind(ct_apply *apply) {
    uint32_t count = apply->now->published.type_count;
    apply->types = ct_scratch_take(&apply->memory, (count + (size_t)1) * sizeof *apply->types);
    if (apply->types == NULL) return CT_ERR_MEMORY;
    ct_status status = CT_OK;
    for (uint32_t t = 0; t < count && status == CT_OK; ++t)
        status = bind_type(apply, t);
    return status;
}

static void note(ct_writer *out, const char *component, const char *field, const char *what) {
    ct_message text;
    ct_message_set(&text, "%s%s%s: %s", component, field != NULL ? "." : "",
                   field != NULL ? field : "", what);
    ct_writer_bytes(out, text.text, (uint32_t)strlen(text.text) + 1);
}

static void note_fields(const ct_published_type *type, const ct_manager *manager, ct_writer *out) {
    for (uint32_t f = 0; f < type->field_count; ++f) {
        uint32_t input = ct_manager_find_input(manager, type->fields[f].name);
        if (input == ct_manager_all_inputs(manager))
            note(out, type->name, type->fields[f].name, "is not defined here, dropped");
        else if (manager->inputs[input].type != type->fields[f].type)
            note(out, type->name, type->fields[f].name, "has another type here");
    }
    for (uint32_t i = 0; i < ct_manager_all_inputs(manager); ++i) {
        const ct_field *input = &manager->inputs[i];
        if (ct_published_has(input) &&
            ct_published_find_field(type, input->name) == type->field_count)
            note(out, type->name, input->name, "is not published, has its default");
    }
}

void ct_subscriber_fields(const ct_subscriber *subscriber, ct_writer *out) {
    if (subscriber->now == NULL) return;
    const ct_published *published = &subscriber->now->published;
    for (uint32_t t = 0; t < published->type_count; ++t) {
        const ct_published_type *type = &published->types[t];
        const ct_manager *manager = ct_world_find(subscriber->world, type->name);
        if (manager == NULL)
            note(out, type->name, NULL, "is not defined here, dropped");
        else
            note_fields(type, manager, out);
    }
}
