// Node pool of models: the nodes of all instances in one block of arrays.
#include "component/model_internal.h"

const uint16_t ct_node_widths[CT_NODE_COLUMNS] = {64, 64, 16, 12, 4, 4};

// Limit of nodes in the pool. It exceeds any memory and excludes CT_MODEL_NO_NODE.
#define MAX_POOL_NODES (UINT32_MAX - 1)

static uint32_t *first_of(const ct_models *m) {
    return ct_store_u32(&m->base.store, CT_MODEL_FIRST);
}

// Moves all nodes, which belong to the first 'rows' rows, to a new block without gaps.
static ct_status move_nodes(ct_models *m, uint32_t rows, uint32_t capacity) {
    const ct_allocator *allocator = m->base.store.allocator;
    ct_columns next;
    ct_columns_init(&next, NULL, ct_node_widths, CT_NODE_PARENT);
    ct_status status = ct_columns_reserve(&next, allocator, capacity, MAX_POOL_NODES);
    if (status != CT_OK) {
        ct_columns_free(&next, allocator);
        return status;
    }
    // Nothing below this line can fail.
    uint32_t *first = first_of(m);
    for (uint32_t row = 0; row < rows; ++row) {
        uint32_t nodes = ct_model_definition_of(m, (ct_row){row})->nodes.count;
        ct_columns_copy_rows(&next, next.count, &m->pool, first[row], nodes);
        first[row] = next.count;
        next.count += nodes;
    }
    CT_ASSERT(next.count == m->live_nodes);
    ct_columns_free(&m->pool, allocator);
    m->pool = next;
    return CT_OK;
}

void ct_model_pool_trim(ct_models *m) {
    if (m->live_nodes == 0)
        ct_columns_free(&m->pool, m->base.store.allocator);
    else if (m->live_nodes < m->pool.capacity)
        (void)move_nodes(m, ct_store_count(&m->base.store), m->live_nodes);
}

ct_status ct_model_pool_reserve(ct_models *m, uint32_t rows, uint64_t count) {
    uint32_t capacity = m->pool.capacity;
    if (count <= capacity - m->pool.count) return CT_OK;
    if (count > MAX_POOL_NODES - m->live_nodes) return CT_ERR_MEMORY;
    // The capacity is kept only if a third of it is free after the move. With less, alternating
    // removals and creations would copy all nodes again and again.
    uint32_t needed = m->live_nodes + (uint32_t)count;
    bool roomy = needed <= capacity - capacity / 3 || capacity == MAX_POOL_NODES;
    return move_nodes(m, rows,
                      roomy ? capacity : ct_grow_capacity(capacity, needed, MAX_POOL_NODES));
}

// Resets all nodes of a row to the rest poses of its definition.
static void rest_nodes(ct_models *m, ct_row row) {
    const ct_columns *rest = &ct_model_definition_of(m, row)->nodes;
    ct_columns_copy_rows(&m->pool, first_of(m)[row.i], rest, 0, rest->count);
    m->base.store.columns.at[CT_MODEL_CHANGED][row.i] = 0;
}

void ct_model_pool_enter(ct_models *m, ct_row row, uint32_t slot) {
    uint32_t count = m->definitions[slot].nodes.count;
    CT_ASSERT(count <= m->pool.capacity - m->pool.count);
    ct_store_u32(&m->base.store, CT_MODEL_DEFINITION)[row.i] = slot;
    first_of(m)[row.i] = m->pool.count;
    m->definitions[slot].rows++;
    m->pool.count += count;
    m->live_nodes += count;
    rest_nodes(m, row);
}

// Shrinks the pool if the freed nodes are the last ones, so that they leave no gap.
static void add_gap(ct_models *m, uint32_t first, uint32_t count) {
    if (first + count == m->pool.count) m->pool.count = first;
    if (m->live_nodes == 0) m->pool.count = 0;
}

void ct_model_pool_remove(ct_models *m, ct_row row) {
    m->gap_first = first_of(m)[row.i];
    m->gap_count = ct_model_definition_of(m, row)->nodes.count;
    m->live_nodes -= m->gap_count;
    add_gap(m, m->gap_first, m->gap_count);
    ct_definition_release(m, ct_store_u32(&m->base.store, CT_MODEL_DEFINITION)[row.i]);
}

ct_status ct_model_pool_reserve_change(ct_models *m, ct_row row, uint32_t slot) {
    uint32_t count = m->definitions[slot].nodes.count;
    if (count == ct_model_definition_of(m, row)->nodes.count) return CT_OK;
    return ct_model_pool_reserve(m, ct_store_count(&m->base.store), count);
}

void ct_model_pool_change(ct_models *m, ct_row row, uint32_t slot) {
    uint32_t *own = &ct_store_u32(&m->base.store, CT_MODEL_DEFINITION)[row.i], before = *own;
    if (m->definitions[slot].nodes.count != m->definitions[before].nodes.count) {
        ct_model_pool_remove(m, row);
        ct_model_pool_enter(m, row, slot);
        return;
    }
    *own = slot;
    m->definitions[slot].rows++;
    ct_definition_release(m, before);
    rest_nodes(m, row);
}

void ct_model_pool_follow(ct_models *m, ct_row to) {
    uint32_t *first = &first_of(m)[to.i], from = *first;
    uint32_t count = ct_model_definition_of(m, to)->nodes.count;
    if (count != m->gap_count || from < m->gap_first) return;
    ct_columns_copy_rows(&m->pool, m->gap_first, &m->pool, from, count);
    *first = m->gap_first;
    add_gap(m, from, count);
}
