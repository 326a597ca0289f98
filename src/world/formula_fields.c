// Fields of formulas: the fields of managers, and parts of the pose of a transform.
#include "base/message.h"
#include "world/formula.h"

// Returns whether a part of the pose of a transform is a field in formulas.
static bool is_field(uint32_t part) {
    return part == CT_TRANSFORM_WORLD_POSITION || part == CT_TRANSFORM_WORLD_ANGLE ||
           part == CT_TRANSFORM_LOCAL_ANGLE;
}

uint32_t ct_formula_find_field(const ct_manager *manager, const char *name) {
    uint32_t lanes, field = ct_manager_find_field(manager, name);
    ct_transform_part part;
    if (field < manager->field_count) return field;
    bool is_part = manager->type == &ct_transform_type &&
                   ct_transform_find_part(name, &part, &lanes) && is_field(part);
    return is_part ? field + (uint32_t)part : CT_NO_ROW;
}

static const char *part_name(const ct_manager *manager, uint32_t field) {
    uint32_t part = field - manager->field_count;
    if (manager->type != &ct_transform_type || !is_field(part)) return NULL;
    return ct_transform_part_name((ct_transform_part)part);
}

const char *ct_formula_field_name(const ct_manager *manager, uint32_t field) {
    if (field < manager->field_count) return manager->fields[field].name;
    return part_name(manager, field);
}

ct_field_type ct_formula_field_type(const ct_manager *manager, uint32_t field) {
    if (field < manager->field_count) return manager->fields[field].type;
    bool position = field == manager->field_count + CT_TRANSFORM_WORLD_POSITION;
    return position ? CT_FIELD_VEC3 : CT_FIELD_FLOAT;
}

bool ct_formula_can_read(const ct_manager *manager, uint32_t field, ct_message *message) {
    if (field >= manager->field_count) {
        if (part_name(manager, field) != NULL) return true;
        return ct_message_set(message, "%s has no such field", manager->name);
    }
    const ct_field *f = &manager->fields[field];
    const ct_field_info *info = ct_field_info_of(f->type);
    if (info->lane <= CT_SCALAR_ENTITY && info->lanes <= CT_LANES_MOST && !f->computed) return true;
    return ct_message_set(message, "%s.%s is a %s field", manager->name, f->name, info->name);
}

bool ct_formula_is_plain(const ct_manager *manager, uint32_t field) {
    if (field >= manager->field_count) return false;
    const ct_field *f = &manager->fields[field];
    return ct_field_info_of(f->type)->lane <= CT_SCALAR_DOUBLE &&
           (f->in_place || manager->type->write == NULL);
}

bool ct_formula_can_write(const ct_manager *manager, uint32_t field, ct_message *message) {
    if (!ct_formula_can_read(manager, field, message)) return false;
    bool refused = field < manager->field_count
                       ? manager->fields[field].read_only || manager->fields[field].alone
                       : field != manager->field_count + CT_TRANSFORM_LOCAL_ANGLE;
    if (!refused) return true;
    return ct_message_set(message, "%s.%s is read-only", manager->name,
                          ct_formula_field_name(manager, field));
}
