// Checks of grids: input values, and the columns of a resource.
#include "component/grid_internal.h"

#include "base/message.h"

#include <string.h>

static const float usual_cell_size[2] = {16, 16};

const ct_field ct_grid_inputs[CT_GRID_INPUTS] = {
    {.name = "width",
     .type = CT_FIELD_UINT32,
     .column = CT_GRID_WIDTH,
     .read_only = true,
     .of_cells = true,
     .required = true},
    {.name = "height",
     .type = CT_FIELD_UINT32,
     .column = CT_GRID_HEIGHT,
     .read_only = true,
     .of_cells = true,
     .required = true},
    {.name = "cell_size",
     .type = CT_FIELD_VEC2,
     .column = CT_GRID_CELL_SIZE,
     .read_only = true,
     .uniform = true,
     .preset = usual_cell_size},
    {.name = "tiles", .type = CT_FIELD_STRING, .column = CT_GRID_TILES},
    {.name = "cells", .type = CT_FIELD_STRING, .cells = true},
    {.name = "flips", .type = CT_FIELD_STRING, .cells = true, .flips = true}};

bool ct_grid_check_cell_size(const float *size, ct_message *message) {
    for (int i = 0; i < 2; ++i) {
        if (!(size[i] > 0 && size[i] <= FLT_MAX))
            return ct_message_set(message, "cell_size: expected numbers above 0");
    }
    return true;
}

// Compares the number of cells with the size only if both width and height are given.
static bool check_one(const ct_values *values, uint32_t i, ct_message *message) {
    const void *item = ct_values_item(&values[CT_GRID_IN_CELL_SIZE], i);
    float size[2];
    uint32_t width = ct_grid_number(&values[CT_GRID_IN_WIDTH], i, 1), count;
    uint32_t height = ct_grid_number(&values[CT_GRID_IN_HEIGHT], i, 1);
    ct_text cells = ct_grid_text(&values[CT_GRID_IN_CELLS], i);
    if (item != NULL && !ct_grid_check_cell_size(memcpy(size, item, sizeof size), message))
        return false;
    ct_text flips = ct_grid_text(&values[CT_GRID_IN_FLIPS], i);
    if (values[CT_GRID_IN_WIDTH].items != NULL && values[CT_GRID_IN_HEIGHT].items != NULL)
        return ct_cells_check_text(width, height, cells, message) &&
               ct_cells_check_flips(width * height, flips, message);
    if (!ct_cells_count_text(cells, &count))
        return ct_message_set(message, "cells: invalid bytes of cells");
    if (!ct_cells_count_text(flips, &count) || !ct_cells_check_flips(count, flips, message))
        return false;
    return ct_cells_check_size(width, height, message);
}

bool ct_grid_check(const ct_manager *manager, const ct_values *values, uint32_t count,
                   ct_message *message) {
    bool each = false;
    (void)manager;
    for (uint32_t input = 0; input < CT_GRID_INPUTS; ++input)
        each = each || values[input].stride > 0;
    for (uint32_t i = 0; i < (each || count == 0 ? count : 1); ++i) {
        if (!check_one(values, i, message)) return false;
    }
    return true;
}

// Replaces a text of cells by one with flips. A grid without cells gets a byte for each cell, so a
// small resource cannot describe a huge grid. Returns false when memory runs out.
static bool bake_cells(uint32_t count, ct_text flips, ct_arena *arena, ct_text *text) {
    size_t room = CT_CELLS_TEXT_HEAD + (size_t)count * (text->length > 0 ? 5 : 2);
    void *bytes = ct_arena_take(arena, room);
    if (bytes == NULL) return false;
    *text = ct_cells_join_flips(*text, flips, count, bytes);
    return true;
}

bool ct_grid_bake(const ct_values *values, uint32_t i, uint32_t ancestor, void *const *columns,
                  ct_arena *arena) {
    (void)ancestor;
    for (uint32_t f = 0; f < CT_GRID_RESOURCE_COLUMNS; ++f) {
        size_t bytes = ct_field_value_bytes(ct_grid_inputs[f].type);
        unsigned char *to = (unsigned char *)columns[f] + i * bytes;
        const void *item = ct_values_item(&values[f], 0);
        if (item != NULL)
            memcpy(to, item, bytes);
        else if (ct_field_is_text(ct_grid_inputs[f].type))
            memcpy(to, &(ct_text){"", 0}, bytes);
        else
            ct_field_default(&ct_grid_inputs[f], to);
    }
    ct_text *cells = (ct_text *)columns[CT_GRID_IN_CELLS] + i;
    uint32_t width = ct_grid_number(&values[CT_GRID_IN_WIDTH], 0, 1);
    uint32_t height = ct_grid_number(&values[CT_GRID_IN_HEIGHT], 0, 1);
    ct_text flips = ct_grid_text(&values[CT_GRID_IN_FLIPS], 0);
    return (cells->length > 0 && flips.length == 0) ||
           bake_cells(width * height, flips, arena, cells);
}

bool ct_grid_check_layout(const unsigned char *data, const ct_layout_places *places, uint32_t count,
                          const uint32_t *ancestor, ct_message *message) {
    (void)ancestor;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t width = ct_u32_at(data + places->field[CT_GRID_IN_WIDTH], i);
        uint32_t height = ct_u32_at(data + places->field[CT_GRID_IN_HEIGHT], i);
        float cell_size[2];
        ct_message why;
        memcpy(cell_size, data + places->field[CT_GRID_IN_CELL_SIZE] + (size_t)i * 8, 8);
        ct_text cells = ct_text_stored(data + places->strings,
                                       ct_u32_at(data + places->field[CT_GRID_IN_CELLS], i));
        bool ok = ct_grid_check_cell_size(cell_size, &why) &&
                  ct_cells_check_text(width, height, cells, &why);
        if (ok && cells.length == 0)
            ok = ct_message_set(&why, "cells: expected %u numbers (%u x %u), got 0", width * height,
                                width, height);
        if (!ok) return ct_message_set(message, CT_GRID ": instance %u: %s", i + 1, why.text);
    }
    return true;
}
