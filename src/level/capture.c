// Capture: living entities as a compiled resource.
#include "level/capture.h"

#include "base/message.h"
#include "component/debug_name.h"
#include "component/transform.h"
#include "level/patch_internal.h"
#include "resource/resource_writer.h"
#include "world/host.h"

#include <string.h>

typedef struct capture {
    ct_world *world;
    const ct_allocator *allocator;
    ct_manager *transforms;
    bool lenient;
    void *context;
    ct_message *message;
    ct_arena arena;   // for the whole capture
    ct_arena section; // for one section
    // The entities of the list, each once; numbers by index in the table.
    ct_entity *listed;
    uint32_t count;
    ct_table table;
    uint32_t *number_of; // number in the resource by number in the list
    // The entities of the resource.
    ct_entity *entities;
    uint32_t *parents;
    ct_section_source *sections;
    ct_writer *writers; // of the sections
    uint32_t section_count;
} capture;

// ---------------------------------------------------------------- entities

// Returns the number of an entity in the list, or CT_TABLE_NONE.
static uint32_t listed_as(const capture *c, ct_entity e) {
    uint32_t hash = ct_hash_index(ct_entity_index(e)), at = ct_table_home(&c->table, hash), i;
    do
        i = ct_table_next(&c->table, hash, &at);
    while (i != CT_TABLE_NONE && c->listed[i].id != e.id);
    return i;
}

static ct_status list_entities(capture *c, const ct_entity *entities, uint32_t count) {
    size_t bytes = (count + (size_t)1) * sizeof(uint32_t);
    c->listed = ct_arena_take(&c->arena, bytes);
    c->number_of = ct_arena_take(&c->arena, bytes);
    c->entities = ct_arena_take(&c->arena, bytes);
    c->parents = ct_arena_take(&c->arena, bytes);
    if (c->listed == NULL || c->number_of == NULL || c->entities == NULL || c->parents == NULL ||
        !ct_table_reserve(&c->table, c->allocator, count, NULL, NULL))
        return ct_message_out_of_memory(c->message);
    for (uint32_t i = 0; i < count; ++i) {
        if (listed_as(c, entities[i]) != CT_TABLE_NONE) continue;
        c->listed[c->count] = entities[i];
        ct_table_add(&c->table, ct_hash_index(ct_entity_index(entities[i])), c->count++);
    }
    return CT_OK;
}

static ct_row transform_of(const capture *c, ct_entity e) {
    return c->transforms != NULL ? ct_store_find(&c->transforms->store, e) : (ct_row){CT_NO_ROW};
}

static uint32_t listed_row(const capture *c, ct_row row) {
    return row.i != CT_NO_ROW ? listed_as(c, ct_store_owners(&c->transforms->store)[row.i])
                              : CT_TABLE_NONE;
}

// Returns the first of a row and its later siblings that is in the list, or CT_NO_ROW.
static ct_row listed_sibling(const capture *c, ct_row row) {
    while (row.i != CT_NO_ROW && listed_row(c, row) == CT_TABLE_NONE)
        row = ct_transform_next_sibling(c->transforms, row);
    return row;
}

static void add_entity(capture *c, uint32_t listed, uint32_t parent, uint32_t *next) {
    c->entities[*next] = c->listed[listed];
    c->parents[*next] = parent;
    c->number_of[listed] = (*next)++;
}

// Adds the entities of the list below a root, depth first.
static void add_below(capture *c, ct_row root, uint32_t *next) {
    ct_row row = root;
    for (;;) {
        ct_row at = listed_sibling(c, ct_transform_first_child(c->transforms, row));
        while (at.i == CT_NO_ROW && row.i != root.i) {
            at = listed_sibling(c, ct_transform_next_sibling(c->transforms, row));
            row = ct_transform_parent(c->transforms, row);
        }
        if (at.i == CT_NO_ROW) return;
        row = at;
        uint32_t above = listed_row(c, ct_transform_parent(c->transforms, row));
        add_entity(c, listed_row(c, row), c->number_of[above], next);
    }
}

static void order_entities(capture *c) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        ct_row row = transform_of(c, c->listed[i]);
        if (row.i != CT_NO_ROW &&
            listed_row(c, ct_transform_parent(c->transforms, row)) != CT_TABLE_NONE)
            continue;
        add_entity(c, i, CT_RESOURCE_NO_PARENT, &next);
        if (row.i != CT_NO_ROW) add_below(c, row, &next);
    }
    CT_ASSERT(next == c->count);
}

// ---------------------------------------------------------------- values

static ct_status refuse(const capture *c, const ct_manager *manager, uint32_t input, ct_entity e,
                        ct_entity other) {
    ct_message_set(c->message, "%s.%s of entity(%u:%u): entity(%u:%u) is not in the list",
                   manager->name, manager->inputs[input].name, ct_entity_index(e),
                   ct_entity_generation(e), ct_entity_index(other), ct_entity_generation(other));
    return CT_ERR_DATA;
}

// Writes the bytes of a value that the host keeps.
static ct_status write_value(capture *c, const ct_manager *manager, uint32_t input, ct_entity e,
                             ct_value value, ct_text *text) {
    const ct_host *host = c->world->host;
    ct_writer bytes;
    ct_writer_init(&bytes, c->allocator, false);
    ct_status status = CT_ERR_DATA;
    if (host != NULL && host->write != NULL && host->write(c->context, value.slot, &bytes))
        status = bytes.status;
    if (status == CT_OK) {
        ct_reader in = ct_reader_of(bytes.bytes, bytes.count);
        ct_text own = ct_reader_text(&in);
        char *copy = ct_arena_take(&c->section, own.length + (size_t)1);
        *text = (ct_text){copy, own.length};
        if (copy != NULL) memcpy(copy, own.bytes, own.length);
        if (copy == NULL) status = CT_ERR_MEMORY;
    }
    ct_writer_free(&bytes);
    if (status == CT_ERR_DATA)
        ct_message_set(c->message, "%s.%s of entity(%u:%u)", manager->name,
                       manager->inputs[input].name, ct_entity_index(e), ct_entity_generation(e));
    return status;
}

static ct_status read_value(capture *c, ct_manager *manager, uint32_t input, ct_row row,
                            ct_entity e, ct_text *text) {
    const ct_value value = ct_patch_value_of(manager, input, row);
    *text = (ct_text){"", 0};
    if (value.slot == 0) return CT_OK;
    ct_text own = ct_value_pool_bytes_of(manager->values, value);
    if (own.bytes == NULL) return write_value(c, manager, input, e, value, text);
    *text = own;
    return CT_OK;
}

// Converts a string, or the number of a 'numbered' input, to its text.
static bool read_text(capture *c, const ct_manager *manager, uint32_t input,
                      const unsigned char *item, ct_text *text) {
    ct_message number;
    *text = ct_patch_text_of(manager, input, item, &number);
    if (text->bytes != number.text) return true;
    char *copy = ct_arena_take(&c->section, text->length + (size_t)1);
    if (copy != NULL) memcpy(copy, number.text, text->length + (size_t)1);
    text->bytes = copy;
    return copy != NULL;
}

static bool read_cells(capture *c, const unsigned char *item, ct_text *text) {
    const ct_cells *cells;
    memcpy(&cells, item, sizeof cells);
    void *bytes = ct_arena_take(&c->section, ct_cells_text_room(cells));
    if (bytes != NULL) *text = ct_cells_write(cells, bytes);
    return bytes != NULL;
}

static ct_status read_entity(const capture *c, const ct_manager *manager, uint32_t input,
                             ct_entity owner, unsigned char *item) {
    ct_entity e;
    memcpy(&e, item, sizeof e);
    if (e.id == CT_NOBODY) return CT_OK;
    uint32_t listed = listed_as(c, e);
    if (listed == CT_TABLE_NONE && !c->lenient) return refuse(c, manager, input, owner, e);
    uint32_t number = listed != CT_TABLE_NONE ? c->number_of[listed] : CT_NOBODY;
    memcpy(item, &number, sizeof number);
    return CT_OK;
}

// Reads an input of a row into values[input], if the row has it.
static ct_status read_input(capture *c, ct_manager *manager, uint32_t input, ct_row row,
                            ct_entity e, ct_values *values) {
    const ct_field *field = &manager->inputs[input];
    unsigned char *item = ct_arena_take(&c->section, CT_MAX_ITEM_BYTES);
    ct_status status = CT_OK;
    if (item == NULL) return CT_ERR_MEMORY;
    bool has = field->type == CT_FIELD_VALUE || ct_patch_read_item(manager, input, row, item);
    if (!has || field->flips || field->hierarchy) return CT_OK; // flips are in the text of cells
    values[input] = (ct_values){item, 0};
    if (field->type == CT_FIELD_ENTITY) return read_entity(c, manager, input, e, item);
    if (!ct_field_is_text(field->type) && !field->cells) return CT_OK;
    ct_text text;
    bool fits = true;
    if (field->type == CT_FIELD_VALUE)
        status = read_value(c, manager, input, row, e, &text);
    else
        fits =
            field->cells ? read_cells(c, item, &text) : read_text(c, manager, input, item, &text);
    if (status != CT_OK || !fits) return status != CT_OK ? status : CT_ERR_MEMORY;
    memcpy(item, &text, sizeof text);
    return CT_OK;
}

// Reads the values of a row. A root that has a parent outside of the list gets its world matrix.
static ct_status read_row(capture *c, ct_manager *manager, ct_row row, uint32_t entity, bool late,
                          ct_values **out) {
    uint32_t count = ct_manager_all_inputs(manager), first = late ? manager->input_count : 0;
    ct_values *values = ct_arena_take(&c->section, (count + (size_t)1) * sizeof *values);
    ct_status status = CT_OK;
    if (values == NULL) return CT_ERR_MEMORY;
    memset(values, 0, count * sizeof *values);
    *out = values;
    if (manager == c->transforms && c->parents[entity] == CT_RESOURCE_NO_PARENT &&
        ct_transform_parent(manager, row).i != CT_NO_ROW) {
        float *matrix = ct_arena_take(&c->section, 16 * sizeof *matrix);
        uint32_t input = ct_manager_find_input(manager, "matrix");
        if (matrix == NULL) return CT_ERR_MEMORY;
        memcpy(matrix, ct_transform_world_matrix(manager, row), 16 * sizeof *matrix);
        if (!late) values[input].items = matrix;
        return CT_OK;
    }
    for (uint32_t i = first; i < (late ? count : manager->input_count) && status == CT_OK; ++i)
        status = read_input(c, manager, i, row, c->entities[entity], values);
    return status;
}

// ---------------------------------------------------------------- sections

static uint32_t count_rows(const capture *c, const ct_manager *manager) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < c->count; ++e) {
        ct_row row = ct_store_find(&manager->store, c->entities[e]);
        for (; row.i != CT_NO_ROW; row = ct_store_next(&manager->store, row))
            count++;
    }
    return count;
}

// Reads all rows of a manager. With 'late', rows without late inputs are left out.
static ct_status read_rows(capture *c, ct_manager *manager, ct_instances_source *source) {
    size_t room = count_rows(c, manager) + (size_t)1;
    uint32_t *owners = ct_arena_take(&c->arena, room * sizeof *owners);
    const ct_values **values = ct_arena_take(&c->section, room * sizeof *values);
    ct_component_id *ids = ct_arena_take(&c->section, room * sizeof *ids);
    ct_status status = CT_OK;
    if (owners == NULL || values == NULL || ids == NULL) return CT_ERR_MEMORY;
    source->entity_index = owners;
    source->values = values;
    source->ids = manager->store.multiple ? ids : NULL;
    for (uint32_t e = 0; e < c->count; ++e) {
        ct_row row = ct_store_find(&manager->store, c->entities[e]);
        for (; row.i != CT_NO_ROW && status == CT_OK; row = ct_store_next(&manager->store, row)) {
            ct_values *read;
            status = read_row(c, manager, row, e, source->late, &read);
            if (status != CT_OK || (source->late && !ct_manager_gives_late(manager, read)))
                continue;
            ids[source->num_instances] = ct_patch_given_id(manager, row);
            values[source->num_instances] = read;
            owners[source->num_instances++] = e;
        }
    }
    return status;
}

static ct_status add_section(capture *c, ct_manager *manager, bool late) {
    ct_instances_source source = {
        .manager = manager, .num_entities = c->count, .parent_index = c->parents, .late = late};
    ct_writer *writer = &c->writers[c->section_count];
    uint32_t schema, instance;
    ct_status status = read_rows(c, manager, &source);
    if (status != CT_OK || source.num_instances == 0) return status;
    ct_writer_init(writer, c->allocator, ct_host_is_big_endian());
    c->section_count++;
    status = ct_instances_compile(writer, &source, &schema, &instance, c->message);
    char *fields = ct_arena_take(&c->arena, CT_LAYOUT_TEXT_BYTES);
    if (fields == NULL) return CT_ERR_MEMORY;
    const ct_layout layout = ct_instances_layout(&source);
    c->sections[c->section_count - 1] =
        (ct_section_source){.name = late ? manager->shape->layout.late_name : manager->name,
                            .schema = schema,
                            .num_instances = source.num_instances,
                            .entity_index = source.entity_index,
                            .data = writer->bytes,
                            .size = writer->count,
                            .fields = {fields, ct_layout_text_write(&layout, fields)}};
    return status;
}

static ct_status add_sections(capture *c) {
    size_t most = c->world->manager_count * (size_t)2 + 1;
    ct_status status = CT_OK;
    c->sections = ct_arena_take(&c->arena, most * sizeof *c->sections);
    c->writers = ct_arena_take(&c->arena, most * sizeof *c->writers);
    if (c->sections == NULL || c->writers == NULL) return CT_ERR_MEMORY;
    for (uint32_t m = 0; m < 2 * c->world->manager_count && status == CT_OK; ++m) {
        ct_manager *manager = c->world->managers[m / 2];
        bool late = m % 2 == 1;
        ct_manager_flush_deaths(manager);
        if (!late || manager->shape->late_count > 0) status = add_section(c, manager, late);
        ct_arena_reset(&c->section);
    }
    return status;
}

// Lists the names by which paths find the entities. A name with "/" is only a component.
static const ct_text *names_of(capture *c) {
    ct_manager *names = ct_world_find(c->world, CT_DEBUG_NAME);
    ct_text *texts = ct_arena_take(&c->arena, (c->count + (size_t)1) * sizeof *texts);
    for (uint32_t e = 0; e < c->count && texts != NULL; ++e) {
        ct_row row = {CT_NO_ROW};
        ct_string string;
        if (names != NULL) row = ct_store_find(&names->store, c->entities[e]);
        texts[e] = (ct_text){NULL, 0};
        if (row.i == CT_NO_ROW) continue;
        memcpy(&string, ct_manager_item(names, &names->fields[0], row), sizeof string);
        ct_text name = ct_string_pool_text(&c->world->strings, string);
        if (name.length > 0 && memchr(name.bytes, '/', name.length) == NULL &&
            memchr(name.bytes, '\0', name.length) == NULL)
            texts[e] = name;
    }
    return texts;
}

static ct_status write_all(capture *c, const ct_entity *entities, uint32_t count, ct_writer *out) {
    ct_status status = list_entities(c, entities, count);
    if (status != CT_OK) return status;
    if (c->transforms != NULL) ct_manager_flush_deaths(c->transforms);
    order_entities(c);
    status = add_sections(c);
    const ct_text *names = status == CT_OK ? names_of(c) : NULL;
    const ct_resource_source source = {.num_entities = c->count,
                                       .parent_index = c->parents,
                                       .names = names,
                                       .num_component_types = c->section_count,
                                       .component_types = c->sections};
    if (status == CT_OK && names == NULL) status = CT_ERR_MEMORY;
    return status == CT_OK ? ct_resource_write(out, &source) : status;
}

ct_status ct_capture(ct_world *world, const ct_entity *entities, uint32_t count, bool lenient,
                     void *context, ct_writer *out, ct_message *message) {
    capture c = {.world = world,
                 .allocator = world->allocator,
                 .transforms = ct_world_find(world, CT_TRANSFORM),
                 .lenient = lenient,
                 .context = context,
                 .message = message};
    out->swap = false; // sections are in the byte order of the host
    ct_arena_init(&c.arena, world->allocator);
    ct_arena_init(&c.section, world->allocator);
    // Finalizers that the host runs must not move rows.
    ct_entity_manager_freeze(world->entities, true);
    world->busy++;
    ct_status status = write_all(&c, entities, count, out);
    world->busy--;
    ct_entity_manager_freeze(world->entities, false);
    for (uint32_t i = 0; i < c.section_count; ++i)
        ct_writer_free(&c.writers[i]);
    ct_table_free(&c.table, c.allocator);
    ct_arena_reset(&c.section);
    ct_arena_reset(&c.arena);
    if (status == CT_ERR_MEMORY) ct_message_out_of_memory(c.message);
    if (status == CT_ERR_FULL) ct_message_set(message, "the resource has more than 2^32 - 1 bytes");
    return status;
}
