// References to the strings of a pool, counted anew and held against its own counts.
#include "storage/string_audit.h"

#include "base/message.h"

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
    if (audit->stray) return ct_message_set(message, "strings: one is held that never was");
    for (uint32_t i = 1; i < pool->entry_count; ++i) {
        const ct_string_entry *entry = &pool->entries[i];
        uint32_t counted = audit->counts[i];
        if (entry->bytes == NULL && counted > 0)
            return ct_message_set(message, "strings: one is held that was freed");
        if (entry->bytes == NULL) continue;
        if (entry->references < counted || entry->references - counted > pinned)
            return ct_message_set(message, "strings: %u references are counted, %u are held: '%s'",
                                  entry->references, counted, entry->bytes);
        pinned -= entry->references - counted;
    }
    return pinned == 0 ||
           ct_message_set(message, "strings: %u more are pinned than there are", pinned);
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
        return ct_message_set(message, "strings: %u are there, %u are counted", used, pool->used);
    return true;
}
