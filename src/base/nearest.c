// Similarity of names.
#include "base/nearest.h"

#include "base/message.h"

#include <string.h>

// Changes ASCII letters only, independent of the locale.
static int lower(int letter) {
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

static bool alike(char a, char b) { return lower(a) == lower(b); }

// Returns the number of edits that turn one name into the other: letters changed, added, removed,
// or two neighbours swapped; case is ignored. UINT32_MAX if a name has more than 48 letters.
// O(length x length).
static uint32_t edit_distance(const char *a, const char *b) {
    enum { LONGEST = 48 };
    size_t a_length = strlen(a), b_length = strlen(b);
    uint32_t rows[3][LONGEST + 1];
    if (a_length > LONGEST || b_length > LONGEST) return UINT32_MAX;
    for (uint32_t j = 0; j <= b_length; ++j)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= a_length; ++i) {
        uint32_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b_length; ++j) {
            uint32_t best = above[j - 1] + !alike(a[i - 1], b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && alike(a[i - 1], b[j - 2]) && alike(a[i - 2], b[j - 1]);
            if (swapped && above2[j - 2] + 1 < best) best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a_length % 3][b_length];
}

// The distance is the number of edits x EDIT, plus a smaller number that resolves ties.
enum { EDIT = 256, FAR = 64 * EDIT };

// Returns the offset at which a name contains a shorter one, or SIZE_MAX.
static size_t place_in(const char *name, const char *part) {
    size_t length = strlen(part);
    for (size_t at = 0; strlen(name + at) >= length; ++at) {
        size_t i = 0;
        while (i < length && alike(name[at + i], part[i]))
            i++;
        if (i == length) return at;
    }
    return SIZE_MAX;
}

ct_nearest ct_nearest_begin_text(ct_text wanted) {
    ct_nearest nearest = {.name = NULL};
    ct_message_text(wanted, nearest.wanted, sizeof nearest.wanted);
    nearest.edits = (uint32_t)strlen(nearest.wanted) / 3 + 2;
    nearest.distance = UINT32_MAX;
    return nearest;
}

ct_nearest ct_nearest_begin(const char *wanted) {
    return ct_nearest_begin_text((ct_text){wanted, (uint32_t)strlen(wanted)});
}

void ct_nearest_offer(ct_nearest *nearest, const char *name) {
    uint32_t edits = edit_distance(nearest->wanted, name);
    if (edits == UINT32_MAX) return; // other names have lengths below EDIT / 2
    size_t wanted = strlen(nearest->wanted), length = strlen(name);
    size_t apart = length > wanted ? length - wanted : wanted - length;
    bool other_case = edits == 0 && strcmp(nearest->wanted, name) != 0;
    size_t place = place_in(name, nearest->wanted);
    uint32_t distance = edits < nearest->edits ? edits * EDIT : UINT32_MAX;
    if (place == 0 && wanted > 1 && distance > EDIT) distance = EDIT + EDIT / 2;
    if (distance == UINT32_MAX && (wanted < 3 || place == SIZE_MAX)) return;
    if (distance == UINT32_MAX) distance = FAR;
    distance += (uint32_t)apart * 2 + other_case;
    if (distance >= nearest->distance) return;
    nearest->distance = distance;
    nearest->name = name;
}

void ct_nearest_message(const ct_nearest *nearest, ct_message *message) {
    if (nearest->name == NULL)
        ct_message_set(message, "'%s'", nearest->wanted);
    else
        ct_message_set(message, "'%s' (did you mean '%s'?)", nearest->wanted, nearest->name);
}
