// Rectangles and outlines of the solid cells of a grid.
#include "component/grid_shape.h"

#include <string.h>

enum { SOLID = 1, TAKEN = 2, TRACED = 4 }; // marks; TRACED: an outline contains the upper edge

ct_grid_marks ct_grid_mark(const ct_cells *cells, const ct_grid_solid *solid,
                           unsigned char *bytes) {
    enum { KNOWN = 256 };
    uint32_t known[KNOWN] = {0}, count = ct_cells_count(cells);
    unsigned char answer[KNOWN] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t value = cells->at[i], place = value % KNOWN;
        if (value != known[place]) {
            answer[place] = ct_grid_stops(solid, value, 0, 0) ? SOLID : 0;
            known[place] = value;
        }
        bytes[i] = value == 0 ? 0 : answer[place];
    }
    return (ct_grid_marks){.at = bytes, .width = cells->width, .height = cells->height};
}

// Returns the number of cells in a row from x on that are solid and in no rectangle, at most
// 'most'.
static uint32_t run_length(const ct_grid_marks *marks, uint32_t x, uint32_t y, uint32_t most) {
    const unsigned char *row = marks->at + (size_t)y * marks->width;
    uint32_t length = 0;
    while (length < most && row[x + length] == SOLID)
        length++;
    return length;
}

bool ct_grid_next_rectangle(ct_grid_marks *marks, ct_grid_rectangle *out) {
    uint32_t count = marks->width * marks->height;
    while (marks->next < count && marks->at[marks->next] != SOLID)
        marks->next++;
    if (marks->next == count) return false;
    uint32_t x = marks->next % marks->width, y = marks->next / marks->width, height = 0;
    uint32_t width = run_length(marks, x, y, marks->width - x);
    while (y + height < marks->height && run_length(marks, x, y + height, width) == width) {
        memset(marks->at + (size_t)(y + height) * marks->width + x, SOLID | TAKEN, width);
        height++;
    }
    *out = (ct_grid_rectangle){x, y, width, height};
    return true;
}

// Directions in clockwise order, with y down.
enum { RIGHT, DOWN, LEFT, UP };

static bool is_solid(const ct_grid_marks *marks, uint32_t x, uint32_t y) {
    // Also false for -1.
    return x < marks->width && y < marks->height &&
           (marks->at[(size_t)y * marks->width + x] & SOLID) != 0;
}

// Returns whether the cells to the left and right of the edge from the current corner are solid.
static void look(const ct_grid_marks *marks, bool *left, bool *right) {
    uint32_t x = marks->x, y = marks->y;
    switch (marks->direction) {
    case RIGHT: *left = is_solid(marks, x, y - 1), *right = is_solid(marks, x, y); break;
    case DOWN: *left = is_solid(marks, x, y), *right = is_solid(marks, x - 1, y); break;
    case LEFT: *left = is_solid(marks, x - 1, y), *right = is_solid(marks, x - 1, y - 1); break;
    default: *left = is_solid(marks, x - 1, y - 1), *right = is_solid(marks, x, y - 1); break;
    }
}

bool ct_grid_next_outline(ct_grid_marks *marks) {
    uint32_t count = marks->width * marks->height;
    for (; marks->next < count; marks->next++) {
        uint32_t x = marks->next % marks->width, y = marks->next / marks->width;
        if ((marks->at[marks->next] & (SOLID | TRACED)) != SOLID) continue;
        if (is_solid(marks, x, y - 1)) continue;
        marks->x = marks->from_x = x;
        marks->y = marks->from_y = y;
        marks->direction = RIGHT;
        return true;
    }
    return false;
}

// Goes to the next corner.
static void follow(ct_grid_marks *marks) {
    bool left, right;
    do {
        switch (marks->direction) {
        case RIGHT:
            marks->at[(size_t)marks->y * marks->width + marks->x] |= TRACED;
            marks->x++;
            break;
        case DOWN: marks->y++; break;
        case LEFT: marks->x--; break;
        default: marks->y--; break;
        }
        look(marks, &left, &right);
    } while (right && !left);
    // Turns right if both cells ahead are empty or only touch with a corner.
    marks->direction = (marks->direction + (right ? UP : DOWN)) % 4;
}

bool ct_grid_next_corner(ct_grid_marks *marks, uint32_t *x, uint32_t *y) {
    // The first corner is passed with direction RIGHT only once, because the edge is traced then.
    uint32_t first = marks->from_y * marks->width + marks->from_x;
    if (marks->x == marks->from_x && marks->y == marks->from_y && marks->direction == RIGHT &&
        (marks->at[first] & TRACED) != 0)
        return false;
    *x = marks->x;
    *y = marks->y;
    follow(marks);
    return true;
}
