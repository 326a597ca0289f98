// Strings of a pool in snapshots, and checks of their reference counts.
#include "base/message.h"
#include "base/text.h"
#include "storage/string_pool.h"

#define FREE 0xFFFFFFFFu

static void save(const ct_string_pool *pool, uint32_t *lengths, char *texts) {
    for (uint32_t i = 0; i < pool->entry_count; ++i) {
        const ct_string_entry *entry = &pool->entries[i];
        CT_ASSERT(lengths != NULL && texts != NULL);
        lengths[i] = entry->bytes != NULL ? entry->length : FREE;
        if (entry->bytes == NULL) continue;
        memcpy(texts, entry->bytes, (size_t)entry->length + 1);
        texts += (size_t)entry->length + 1;
    }
}

// Returns whether the text has the same number as before.
static bool has_number(const ct_string_pool *pool, uint32_t number, ct_text text) {
    if (number >= pool->entry_count) return false;
    const ct_string_entry *entry = &pool->entries[number];
    return entry->bytes != NULL && ct_text_equal((ct_text){entry->bytes, entry->length}, text);
}

static ct_status hold(ct_string_pool *pool, uint32_t number, ct_text text,
                      ct_string_numbers *numbers) {
    ct_string string = {number};
    if (has_number(pool, number, text)) {
        ct_string_pool_retain(pool, string, 1);
    } else {
        ct_status status = ct_string_pool_intern(pool, text, &string);
        if (status != CT_OK) return status;
        numbers->same = false;
    }
    numbers->now[number] = string.ref;
    return CT_OK;
}

static ct_status reserve(ct_string_pool *pool, const uint32_t *lengths, uint32_t count,
                         const char *texts, ct_string_numbers *numbers) {
    numbers->now = ct_alloc_zero(pool->allocator, ((size_t)count + 1) * sizeof *numbers->now);
    if (numbers->now == NULL) return CT_ERR_MEMORY;
    numbers->count = count;
    numbers->same = true;
    for (uint32_t i = 1; i < count && texts != NULL; ++i) {
        ct_text text = {texts, lengths[i]};
        if (lengths[i] == FREE) continue;
        ct_status status = hold(pool, i, text, numbers);
        if (status != CT_OK) return status;
        texts += (size_t)text.length + 1;
    }
    return CT_OK;
}

void ct_string_pool_state(ct_string_pool *pool, ct_state *state, ct_string_numbers *numbers) {
    struct {
        size_t text_bytes, count; // without padding
    } v = {pool->text_bytes, pool->entry_count};
    ct_state_values(state, &v, sizeof v);
    uint32_t *lengths = ct_state_piece(state, v.count * sizeof *lengths);
    char *texts = ct_state_piece(state, v.text_bytes);
    if (state->pass == CT_STATE_SAVE) save(pool, lengths, texts);
    if (state->pass == CT_STATE_RESERVE)
        ct_state_require(state, reserve(pool, lengths, (uint32_t)v.count, texts, numbers));
    state->strings = numbers->now;
    state->same_strings = numbers->same;
}

void ct_string_pool_release_numbers(ct_string_pool *pool, ct_string_numbers *numbers) {
    for (uint32_t i = 1; i < numbers->count; ++i)
        ct_string_pool_release(pool, (ct_string){numbers->now[i]});
    if (numbers->now != NULL)
        ct_free(pool->allocator, numbers->now, ((size_t)numbers->count + 1) * sizeof *numbers->now);
    *numbers = (ct_string_numbers){NULL, 0, false};
}

ct_status ct_string_audit_begin(ct_string_audit *audit, const ct_string_pool *pool) {
    *audit = (ct_string_audit){.pool = pool};
    if (!ct_size_mul_add(pool->entry_count, sizeof *audit->counts, 0, &audit->bytes))
        return CT_ERR_MEMORY;
    if (audit->bytes == 0) return CT_OK;
    audit->counts = ct_alloc_zero(pool->allocator, audit->bytes);
    return audit->counts != NULL ? CT_OK : CT_ERR_MEMORY;
}

void ct_string_audit_end(ct_string_audit *audit) {
    ct_free(audit->pool->allocator, audit->counts, audit->bytes);
}

static bool check_references(const ct_string_audit *audit, ct_message *message) {
    const ct_string_pool *pool = audit->pool;
    uint32_t pinned = pool->pinned;
    if (audit->stray) return ct_message_set(message, "strings: a row refers to an invalid string");
    for (uint32_t i = 1; i < pool->entry_count; ++i) {
        const ct_string_entry *entry = &pool->entries[i];
        uint32_t counted = audit->counts[i];
        if (entry->bytes == NULL && counted > 0)
            return ct_message_set(message, "strings: a row refers to a freed string");
        if (entry->bytes == NULL) continue;
        if (entry->references < counted || entry->references - counted > pinned)
            return ct_message_set(message, "strings: reference count is %u, expected %u: '%s'",
                                  entry->references, counted, entry->bytes);
        pinned -= entry->references - counted;
    }
    return pinned == 0 ||
           ct_message_set(message, "strings: %u more strings are pinned than exist", pinned);
}

bool ct_string_audit_check(const ct_string_audit *audit, ct_message *message) {
    const ct_string_pool *pool = audit->pool;
    uint32_t used = 0;
    size_t bytes = 0;
    if (!check_references(audit, message)) return false;
    for (uint32_t i = 1; i < pool->entry_count; ++i) {
        const ct_string_entry *entry = &pool->entries[i];
        if (entry->bytes == NULL) continue;
        used++;
        bytes += (size_t)entry->length + 1;
        if (ct_string_pool_find(pool, (ct_text){entry->bytes, entry->length}).ref != i)
            return ct_message_set(message, "strings: '%s' is not found", entry->bytes);
    }
    if (used != pool->used || bytes != pool->text_bytes)
        return ct_message_set(message, "strings: %u exist, the count is %u", used, pool->used);
    return true;
}
