// Entities with changed opaque data, which only a new spawn applies.
#include "level/patch_internal.h"

#include "base/message.h"

#include <string.h>

// Computes the offset of the data of each entity, and the end of the last one.
static void find_starts(const ct_section *section, uint32_t entities, uint32_t *start) {
    uint32_t next = 0, at = 0;
    for (uint32_t e = 0; e <= entities; ++e) {
        for (; next < section->num_instances; ++next) {
            uint32_t size;
            if (section->entity_index[next] >= e) break;
            memcpy(&size, section->data + at, sizeof size);
            at += (uint32_t)sizeof size + size;
        }
        start[e] = at;
    }
}

static bool is_any_alive(const ct_patch *patch, uint32_t entity) {
    for (uint32_t copy = 0; copy < patch->copies; ++copy) {
        size_t place = (size_t)copy * patch->next->num_entities + entity;
        if (ct_entity_manager_alive(patch->world->entities, patch->entities[place])) return true;
    }
    return false;
}

// Lists each living entity with changed data in a section.
static ct_status name_left(ct_patch *patch, const ct_section *old, const ct_section *next,
                           uint32_t number) {
    uint32_t before = patch->old->num_entities, now = patch->next->num_entities;
    uint32_t *a = ct_arena_take(&patch->arena, ((size_t)before + now + 2) * sizeof *a);
    ct_patch_result *result = patch->result;
    ct_status status = CT_OK;
    if (a == NULL) return CT_ERR_MEMORY;
    uint32_t *b = a + before + 1;
    find_starts(old, before, a);
    find_starts(next, now, b);
    for (uint32_t j = 0; j < now && status == CT_OK; ++j) {
        uint32_t i = patch->match.old_of[j];
        if (i == CT_MATCH_NONE) continue;
        uint32_t length = a[i + 1] - a[i];
        bool same = length == b[j + 1] - b[j] &&
                    (length == 0 || memcmp(old->data + a[i], next->data + b[j], length) == 0);
        if (same || !is_any_alive(patch, j)) continue;
        status = ct_array_reserve(patch->allocator, (void **)&result->left, &result->left_capacity,
                                  result->left_count + 1, sizeof *result->left);
        if (status == CT_OK) result->left[result->left_count++] = (ct_patch_left){number, j};
    }
    return status;
}

ct_status ct_patch_find_left(ct_patch *patch) {
    static const ct_section nothing = {.data = (const unsigned char *)""};
    const ct_resource *old = patch->old, *next = patch->next;
    ct_status status = CT_OK;
    for (uint32_t s = 0; s < next->num_component_types && status == CT_OK; ++s) {
        const ct_section *section = &next->sections[s];
        patch->spawned_opaque[s] =
            section->schema == 0 && !ct_spawner_skips(patch->world, section, patch->context);
        if (!patch->spawned_opaque[s]) continue;
        const ct_section *before = ct_patch_section(old, section->name);
        if (before == NULL || before->schema != 0) before = &nothing;
        status = name_left(patch, before, section, s);
    }
    for (uint32_t s = 0; s < old->num_component_types && status == CT_OK; ++s) {
        const ct_section *section = &old->sections[s];
        if (section->schema == 0 && !patch->level->skipped[s] &&
            ct_patch_section(next, section->name) == NULL)
            status = name_left(patch, section, &nothing, s | CT_PATCH_LEFT_OLD);
    }
    return status == CT_OK ? CT_OK : ct_message_out_of_memory(patch->message);
}
