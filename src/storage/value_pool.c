// Values of the value fields of a world: reference-counted slots.
#include "storage/value_pool.h"

#include "base/text.h"

#include <string.h>

#define MAX_SLOTS 0x7FFFFFFFu

void ct_value_pool_init(ct_value_pool *pool, ct_string_pool *strings) {
    memset(pool, 0, sizeof *pool);
    pool->strings = strings;
}

void ct_value_pool_free(ct_value_pool *pool) {
    for (uint32_t slot = 1; slot < pool->count; ++slot)
        ct_string_pool_release(pool->strings, pool->slots[slot].bytes);
    ct_free(pool->strings->allocator, pool->slots, pool->capacity * sizeof *pool->slots);
    ct_value_pool_init(pool, pool->strings);
}

ct_status ct_value_pool_reserve(ct_value_pool *pool, uint32_t count) {
    uint32_t used = pool->count > 0 ? pool->count : 1;
    if (count <= pool->spare) return CT_OK;
    if (count - pool->spare > MAX_SLOTS - used) return CT_ERR_FULL;
    return ct_array_reserve(pool->strings->allocator, (void **)&pool->slots, &pool->capacity,
                            used + count - pool->spare, sizeof *pool->slots);
}

// Takes a slot; memory must be reserved.
static uint32_t new_slot(ct_value_pool *pool, ct_value_slot contents) {
    uint32_t slot = pool->free;
    contents.used = true;
    contents.serial = ++pool->serial;
    if (slot != 0) {
        pool->free = pool->slots[slot].next;
        pool->spare--;
    } else {
        if (pool->count == 0) {
            pool->slots[0] = (ct_value_slot){0};
            pool->count = 1;
        }
        CT_ASSERT(pool->count < pool->capacity);
        slot = pool->count++;
    }
    pool->slots[slot] = contents;
    return slot;
}

static void free_slot(ct_value_pool *pool, uint32_t slot) {
    pool->slots[slot] = (ct_value_slot){.next = pool->free};
    pool->free = slot;
    pool->spare++;
}

// Frees the bytes of a slot without references, or adds it to the list of dropped slots.
static void drop(ct_value_pool *pool, uint32_t slot) {
    ct_value_slot *s = &pool->slots[slot];
    if (s->bytes.ref != 0) {
        ct_string_pool_release(pool->strings, s->bytes);
        free_slot(pool, slot);
        return;
    }
    s->next = pool->dropped;
    pool->dropped = slot;
}

ct_status ct_value_pool_take(ct_value_pool *pool, ct_value *out) {
    ct_status status = ct_value_pool_reserve(pool, 1);
    *out = (ct_value){0};
    if (status != CT_OK) return status;
    out->slot = new_slot(pool, (ct_value_slot){.held = true, .next = pool->held});
    pool->held = out->slot;
    return CT_OK;
}

void ct_value_pool_release_held(ct_value_pool *pool) {
    while (pool->held != 0) {
        uint32_t slot = pool->held;
        ct_value_slot *s = &pool->slots[slot];
        pool->held = s->next;
        s->next = 0;
        s->held = false;
        if (s->references == 0) drop(pool, slot);
    }
}

ct_value ct_value_pool_put_string(ct_value_pool *pool, ct_string bytes) {
    if (bytes.ref == 0) return (ct_value){0};
    return (ct_value){new_slot(pool, (ct_value_slot){.references = 1, .bytes = bytes})};
}

// Makes the value of an item of ct_values, for one more row: from its bytes, which must be valid,
// or the slot that it names. Nil for no bytes.
static ct_status enter(ct_value_pool *pool, ct_text item, ct_value *out) {
    ct_string string;
    if (item.bytes == NULL) {
        *out = (ct_value){item.length};
        ct_value_pool_retain(pool, *out, 1);
        return CT_OK;
    }
    *out = (ct_value){0};
    ct_status status = ct_value_pool_reserve(pool, 1);
    if (status == CT_OK) status = ct_string_pool_intern(pool->strings, item, &string);
    if (status == CT_OK) *out = ct_value_pool_put_string(pool, string);
    return status;
}

ct_status ct_value_pool_fill(ct_value_pool *pool, ct_value *column, uint32_t count,
                             const ct_values *values) {
    const unsigned char *item = values->items;
    for (uint32_t i = 0; i < count; ++i, item += values->stride) {
        ct_status status = enter(pool, ct_text_load(item), &column[i]);
        if (status == CT_OK) continue;
        while (i-- > 0)
            ct_value_pool_release(pool, column[i]);
        return status;
    }
    return CT_OK;
}

ct_status ct_value_pool_replace(ct_value_pool *pool, ct_text text, ct_value *place) {
    ct_value value;
    ct_status status = enter(pool, text, &value);
    if (status != CT_OK) return status;
    ct_value_pool_release(pool, *place);
    *place = value;
    return CT_OK;
}

void ct_value_pool_retain(ct_value_pool *pool, ct_value value, uint32_t count) {
    if (value.slot == 0) return;
    CT_ASSERT(ct_value_pool_has(pool, value));
    pool->slots[value.slot].references += count;
}

void ct_value_pool_release(ct_value_pool *pool, ct_value value) {
    if (value.slot == 0) return;
    CT_ASSERT(ct_value_pool_has(pool, value) && pool->slots[value.slot].references > 0);
    ct_value_slot *s = &pool->slots[value.slot];
    if (--s->references == 0 && !s->held) drop(pool, value.slot);
}

ct_text ct_value_pool_bytes_of(const ct_value_pool *pool, ct_value value) {
    static const ct_text none = {NULL, 0};
    if (!ct_value_pool_has(pool, value) || pool->slots[value.slot].bytes.ref == 0) return none;
    return ct_string_pool_text(pool->strings, pool->slots[value.slot].bytes);
}

void ct_value_pool_decoded(ct_value_pool *pool, ct_value value) {
    ct_value_slot *s = &pool->slots[value.slot];
    ct_string_pool_release(pool->strings, s->bytes);
    s->bytes = (ct_string){0};
}

uint32_t ct_value_pool_next_dropped(ct_value_pool *pool) {
    uint32_t slot = pool->dropped;
    if (slot == 0) return 0;
    pool->dropped = pool->slots[slot].next;
    free_slot(pool, slot);
    return slot;
}

void ct_value_pool_trim(ct_value_pool *pool) {
    while (pool->count > 0 && !pool->slots[pool->count - 1].used)
        pool->count--;
    pool->free = pool->spare = 0;
    for (uint32_t slot = pool->count; slot-- > 1;)
        if (!pool->slots[slot].used) free_slot(pool, slot);
    ct_array_trim(pool->strings->allocator, (void **)&pool->slots, &pool->capacity, pool->count,
                  sizeof *pool->slots);
}

// 'references' is 0 for a slot without references from rows.
typedef struct saved_slot {
    uint32_t references, bytes;
} saved_slot;

static void save(const ct_value_pool *pool, saved_slot *saved) {
    for (uint32_t slot = 0; slot < pool->count; ++slot) {
        const ct_value_slot *s = &pool->slots[slot];
        CT_ASSERT(saved != NULL);
        saved[slot] = (saved_slot){s->references, s->bytes.ref};
    }
}

// Restores the slots. All rows have released their former values.
static void commit(ct_value_pool *pool, const saved_slot *saved, uint32_t count,
                   const uint32_t *strings) {
    pool->count = count;
    pool->free = pool->spare = pool->dropped = pool->held = 0;
    for (uint32_t slot = count; slot-- > 0;) {
        const ct_string bytes = {strings[saved[slot].bytes]};
        if (saved[slot].references > 0) {
            ct_string_pool_retain(pool->strings, bytes, 1);
            pool->slots[slot] = (ct_value_slot){.references = saved[slot].references,
                                                .bytes = bytes,
                                                .serial = ++pool->serial,
                                                .used = true};
        } else if (slot > 0) {
            free_slot(pool, slot);
        } else {
            pool->slots[0] = (ct_value_slot){0};
        }
    }
}

void ct_value_pool_state(ct_value_pool *pool, ct_state *state) {
    uint32_t count = ct_state_number(state, pool->count);
    saved_slot *saved = ct_state_piece(state, count * sizeof *saved);
    if (state->pass == CT_STATE_SAVE) save(pool, saved);
    if (state->pass == CT_STATE_RESERVE)
        ct_state_require(state, ct_array_reserve(pool->strings->allocator, (void **)&pool->slots,
                                                 &pool->capacity, count, sizeof *pool->slots));
    if (state->pass == CT_STATE_COMMIT) commit(pool, saved, count, state->strings);
}

size_t ct_value_pool_memory(const ct_value_pool *pool) {
    return pool->capacity * sizeof *pool->slots;
}

void ct_value_pool_count_strings(const ct_value_pool *pool, ct_string_audit *audit) {
    for (uint32_t slot = 1; slot < pool->count; ++slot)
        ct_string_audit_add(audit, pool->slots[slot].bytes);
}

uint64_t ct_value_pool_references(const ct_value_pool *pool) {
    uint64_t sum = 0;
    for (uint32_t slot = 1; slot < pool->count; ++slot)
        sum += pool->slots[slot].references;
    return sum;
}
