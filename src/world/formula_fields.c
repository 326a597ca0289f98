// Fields of formulas: the fields of managers, and parts of the pose of a transform.
#include "base/message.h"
#include "world/formula.h"

#include <string.h>

// Parts of the pose of a transform that are fields in formulas.
static const char *const parts[CT_TRANSFORM_POSE_2D + 1] = {
    [CT_TRANSFORM_WORLD_POSITION] = "world_position",
    [CT_TRANSFORM_WORLD_ANGLE] = "world_angle",
    [CT_TRANSFORM_LOCAL_ANGLE] = "local_angle"};

uint32_t ct_formula_find_field(const ct_manager *manager, const char *name) {
    uint32_t field = ct_manager_find_field(manager, name);
    for (uint32_t i = 0; field == manager->field_count && i <= CT_TRANSFORM_POSE_2D; ++i)
        if (manager->type == &ct_transform_type && parts[i] != NULL && strcmp(parts[i], name) == 0)
            return field + i;
    return field < manager->field_count ? field : CT_NO_ROW;
}

static const char *part_name(const ct_manager *manager, uint32_t field) {
    uint32_t part = field - manager->field_count;
    return manager->type == &ct_transform_type && part <= CT_TRANSFORM_POSE_2D ? parts[part] : NULL;
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

bool ct_formula_can_write(const ct_manager *manager, uint32_t field, ct_message *message) {
    if (!ct_formula_can_read(manager, field, message)) return false;
    bool refused = field < manager->field_count
                       ? manager->fields[field].read_only || manager->fields[field].alone
                       : field != manager->field_count + CT_TRANSFORM_LOCAL_ANGLE;
    if (!refused) return true;
    return ct_message_set(message, "%s.%s is read-only", manager->name,
                          ct_formula_field_name(manager, field));
}
