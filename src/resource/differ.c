// Which entities two versions of a resource say something different of.
// Knows nothing of what lives, nor what the difference means.
#include "resource/differ.h"

#include "resource/late.h"
#include "resource/path.h"
#include "resource/spawner.h"

#include <string.h>

// A section in one version.
typedef struct side {
    const ct_section *section; // NULL: it has none
    ct_layout_places places;
    uint32_t *start; // per entity, and behind the last: where its instances begin
} side;

// A pass over a section in both.
typedef struct pass {
    const ct_differ *differ;
    ct_layout layout;
    ct_field fields[CT_MAX_COLUMNS]; // of the layout, where the world has others by now
    bool hierarchy;                  // who has such components decides what others hang on
    bool other_fields;               // one version was compiled for others than the other
    bool same_order;                 // entities have the numbers that they had
    side old, fresh;
    bool *marks;   // per fresh entity
    bool *changed; // the same: it has come to have, or has no more, what others hang on
} pass;

ct_section *ct_differ_section(const ct_resource *resource, const ct_section *like) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        ct_section *section = &resource->sections[i];
        if (section->identifier == like->identifier && strcmp(section->name, like->name) == 0)
            return section;
    }
    return NULL;
}

// ---------------------------------------------------------------- instances

static bool texts_differ(const pass *p, uint32_t old, uint32_t fresh) {
    const ct_section *a = p->old.section, *b = p->fresh.section;
    const ct_text one =
        ct_string_block_text(a->data + p->old.places.strings, a->size - p->old.places.strings, old);
    const ct_text other = ct_string_block_text(b->data + p->fresh.places.strings,
                                               b->size - p->fresh.places.strings, fresh);
    return one.length != other.length || memcmp(one.bytes, other.bytes, one.length) != 0;
}

static bool entities_differ(const pass *p, uint32_t old, uint32_t fresh) {
    if (old == CT_NOBODY || fresh == CT_NOBODY) return old != fresh;
    return p->differ->match->old_of[fresh] != old;
}

static uint32_t number_at(const unsigned char *items, uint32_t i) {
    uint32_t number;
    memcpy(&number, items + (size_t)i * sizeof number, sizeof number);
    return number;
}

static bool ids_differ(const pass *p, uint32_t a, uint32_t b) {
    uint32_t old = number_at(p->old.section->data, a), fresh = number_at(p->fresh.section->data, b);
    bool text = (old & CT_ID_IS_STRING) != 0;
    if (text != ((fresh & CT_ID_IS_STRING) != 0)) return true;
    return text ? texts_differ(p, old & ~CT_ID_IS_STRING, fresh & ~CT_ID_IS_STRING) : old != fresh;
}

static bool field_differs(const pass *p, uint32_t f, uint32_t a, uint32_t b) {
    const ct_field *field = &p->layout.fields[f];
    const unsigned char *old = p->old.section->data + p->old.places.field[f];
    const unsigned char *fresh = p->fresh.section->data + p->fresh.places.field[f];
    size_t width = ct_field_compiled_bytes(field->type);
    if (field->computed) return false;
    if (ct_field_is_text(field->type) || field->type == CT_FIELD_ENUM)
        return texts_differ(p, number_at(old, a), number_at(fresh, b));
    if (field->type == CT_FIELD_ENTITY)
        return entities_differ(p, number_at(old, a), number_at(fresh, b));
    return memcmp(old + a * width, fresh + b * width, width) != 0;
}

static bool instances_differ(const pass *p, uint32_t a, uint32_t b) {
    if (p->layout.multiple && ids_differ(p, a, b)) return true;
    for (uint32_t f = 0; f < p->layout.field_count; ++f) {
        if (field_differs(p, f, a, b)) return true;
    }
    return false;
}

static void compare_entity(const pass *p, uint32_t i, uint32_t j) {
    uint32_t a = p->old.start[i], b = p->fresh.start[j];
    uint32_t old = p->old.start[i + 1] - a, fresh = p->fresh.start[j + 1] - b;
    if (old != fresh) {
        p->marks[j] = true;
        p->changed[j] = p->changed[j] || (p->hierarchy && (old == 0 || fresh == 0));
        return;
    }
    for (uint32_t k = 0; k < old && !p->marks[j]; ++k)
        p->marks[j] = p->other_fields || instances_differ(p, a + k, b + k);
}

// ---------------------------------------------------------------- sections

static bool begin_side(side *s, const ct_layout *layout, uint32_t entities) {
    uint32_t count = s->section != NULL ? s->section->num_instances : 0, next = 0;
    for (uint32_t e = 0; e <= entities; ++e) {
        while (next < count && s->section->entity_index[next] < e)
            next++;
        s->start[e] = next;
    }
    return s->section == NULL || ct_layout_place(layout, count, &s->places);
}

static bool are_same_bytes(const pass *p) {
    const ct_section *a = p->old.section, *b = p->fresh.section;
    return p->same_order && !p->other_fields && a != NULL && b != NULL && a->size == b->size &&
           a->num_instances == b->num_instances && memcmp(a->data, b->data, a->size) == 0 &&
           memcmp(a->entity_index, b->entity_index, a->num_instances * sizeof(uint32_t)) == 0;
}

static void compare_section(pass *p) {
    const ct_match *match = p->differ->match;
    if (are_same_bytes(p)) return;
    if (!begin_side(&p->old, &p->layout, match->old->num_entities) ||
        !begin_side(&p->fresh, &p->layout, match->fresh->num_entities))
        return;
    for (uint32_t j = 0; j < match->fresh->num_entities; ++j) {
        if (match->old_of[j] != CT_MATCH_NONE) compare_entity(p, match->old_of[j], j);
    }
}

// Whether a section is of a manager: then how it lies, and whether others hang on who has it.
static bool find_layout(pass *p, const ct_section *section) {
    const ct_manager *manager = ct_spawner_manager(p->differ->world, section);
    p->hierarchy = false;
    p->other_fields = p->old.section != NULL && p->fresh.section != NULL &&
                      p->old.section->schema != p->fresh.section->schema;
    if (manager == NULL) {
        manager = ct_late_manager(p->differ->world, section);
        if (manager != NULL) p->layout = ct_manager_late_layout(manager);
        return manager != NULL;
    }
    ct_message unread;
    if (!ct_section_layout(section, manager, p->fields, &p->layout, &unread)) return false;
    for (uint32_t i = 0; i < manager->input_count; ++i)
        p->hierarchy = p->hierarchy || manager->inputs[i].hierarchy;
    return true;
}

static void compare_sections(pass *p) {
    const ct_match *match = p->differ->match;
    const ct_resource *old = match->old, *fresh = match->fresh;
    for (uint32_t s = 0; s < fresh->num_component_types; ++s) {
        p->fresh.section = &fresh->sections[s];
        p->old.section = ct_differ_section(old, p->fresh.section);
        if (p->old.section != NULL && p->differ->skipped[p->old.section - old->sections])
            p->old.section = NULL;
        if (find_layout(p, p->fresh.section)) compare_section(p);
    }
    for (uint32_t s = 0; s < old->num_component_types; ++s) {
        p->old.section = &old->sections[s];
        p->fresh.section = NULL;
        if (p->differ->skipped[s] || ct_differ_section(fresh, p->old.section) != NULL) continue;
        if (find_layout(p, p->old.section)) compare_section(p);
    }
}

// ---------------------------------------------------------------- who else

static void mark_overridden(const ct_differ *d, const ct_resource *resource, bool *marks) {
    for (uint32_t o = 0; o < d->override_count; ++o) {
        uint32_t i = CT_PATH_NONE;
        while ((i = ct_path_find(resource, d->overrides[o].path, i)) != CT_PATH_NONE)
            marks[i] = true;
    }
}

static void mark_above(const ct_resource *resource, bool *marks) {
    for (uint32_t i = resource->num_entities; i-- > 0;) {
        if (marks[i] && resource->parent_index[i] != CT_RESOURCE_NO_PARENT)
            marks[resource->parent_index[i]] = true;
    }
}

// Matched ones both or none. Whether any was marked.
static bool mark_both(const ct_match *match, bool *old, bool *fresh) {
    bool any = false;
    for (uint32_t i = 0; i < match->old->num_entities; ++i) {
        uint32_t j = match->fresh_of[i];
        if (j == CT_MATCH_NONE || old[i] == fresh[j]) continue;
        old[i] = fresh[j] = any = true;
    }
    return any;
}

// Matched ones both or none, with all above either, who may stand elsewhere in the other.
static void mark_matched(const ct_match *match, bool *old, bool *fresh) {
    do {
        mark_above(match->old, old);
        mark_above(match->fresh, fresh);
    } while (mark_both(match, old, fresh));
}

// What is new, has another parent, hangs on what has changed, or is overridden in the other.
static void mark_more(const pass *p, const bool *old) {
    const ct_match *match = p->differ->match;
    const uint32_t *parents = match->fresh->parent_index;
    for (uint32_t j = 0; j < match->fresh->num_entities; ++j) {
        uint32_t i = match->old_of[j], above = parents[j];
        bool root = above == CT_RESOURCE_NO_PARENT;
        if (i != CT_MATCH_NONE && old[i] != p->marks[j] && p->differ->override_count > 0)
            p->changed[j] = true;
        if (i == CT_MATCH_NONE) p->marks[j] = true;
        uint32_t stood = root ? CT_MATCH_NONE : match->old_of[above];
        bool elsewhere = i != CT_MATCH_NONE && ((!root && stood == CT_MATCH_NONE) ||
                                                stood != match->old->parent_index[i]);
        // Who stands elsewhere may hang on something else, and so may all below.
        if ((!root && p->changed[above]) || elsewhere) p->changed[j] = true;
    }
}

static bool keeps_order(const ct_match *match) {
    if (match->old->num_entities != match->fresh->num_entities) return false;
    for (uint32_t j = 0; j < match->fresh->num_entities; ++j) {
        if (match->old_of[j] != j) return false;
    }
    return true;
}

static void mark_all(pass *p, bool *old) {
    const ct_match *match = p->differ->match;
    mark_overridden(p->differ, match->old, old);
    mark_overridden(p->differ, match->fresh, p->marks);
    mark_more(p, old);
    compare_sections(p);
    for (uint32_t j = 0; j < match->fresh->num_entities; ++j) {
        uint32_t above = match->fresh->parent_index[j];
        if (above != CT_RESOURCE_NO_PARENT && p->changed[above]) p->changed[j] = true;
        p->marks[j] = p->marks[j] || p->changed[j];
    }
    mark_matched(match, old, p->marks);
}

ct_status ct_differ_mark(const ct_differ *differ, bool *fresh, bool *old) {
    const ct_match *match = differ->match;
    const ct_allocator *allocator = differ->world->allocator;
    size_t old_count = (size_t)match->old->num_entities + 1;
    size_t fresh_count = (size_t)match->fresh->num_entities + 1;
    size_t bytes = (old_count + fresh_count) * sizeof(uint32_t) + fresh_count;
    uint32_t *block = ct_alloc(allocator, bytes);
    if (block == NULL) return CT_ERR_MEMORY;
    pass p = {.differ = differ, .same_order = keeps_order(match), .marks = fresh};
    p.old.start = block;
    p.fresh.start = block + old_count;
    p.changed = (bool *)(block + old_count + fresh_count);
    memset(p.changed, 0, fresh_count);
    memset(fresh, 0, fresh_count - 1);
    memset(old, 0, old_count - 1);
    mark_all(&p, old);
    ct_free(allocator, block, bytes);
    return CT_OK;
}

// ---------------------------------------------------------------- opaque data

// Per entity, and behind the last, where its data begins.
static void find_starts(const ct_section *section, uint32_t entities, uint32_t *start) {
    uint32_t next = 0, at = 0;
    for (uint32_t e = 0; e <= entities; ++e) {
        for (; section != NULL && next < section->num_instances; ++next) {
            uint32_t size;
            if (section->entity_index[next] >= e) break;
            memcpy(&size, section->data + at, sizeof size);
            at += (uint32_t)sizeof size + size;
        }
        start[e] = at;
    }
}

ct_status ct_differ_mark_opaque(const ct_match *match, const ct_section *old,
                                const ct_section *fresh, const ct_allocator *allocator,
                                bool *marks) {
    uint32_t before = match->old->num_entities, now = match->fresh->num_entities;
    size_t bytes = ((size_t)before + now + 2) * sizeof(uint32_t);
    uint32_t *a = ct_alloc(allocator, bytes), *b = a != NULL ? a + before + 1 : NULL;
    if (a == NULL) return CT_ERR_MEMORY;
    find_starts(old, before, a);
    find_starts(fresh, now, b);
    for (uint32_t j = 0; j < now; ++j) {
        uint32_t i = match->old_of[j];
        if (i == CT_MATCH_NONE) continue;
        uint32_t length = a[i + 1] - a[i];
        marks[j] = length != b[j + 1] - b[j] ||
                   (length > 0 && memcmp(old->data + a[i], fresh->data + b[j], length) != 0);
    }
    ct_free(allocator, a, bytes);
    return CT_OK;
}
