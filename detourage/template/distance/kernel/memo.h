/* Cache of the savings of pairs of subtrees, shared by all pairs of trees of a forest.
 *
 * It is a triangular table with a row for each subtree that occurs in several trees, and a column
 * for every subtree. Threads share it without locks: if several of them write a cell, they all
 * write the same value.
 */
#ifndef DETOURAGE_MEMO_H
#define DETOURAGE_MEMO_H

#include <stdatomic.h>
#include <stdlib.h>

#include "ted.h"

typedef struct {
    _Atomic uint16_t *cell; /* 0 if unknown, because savings are at least 1 */
    int64_t rows, columns;
} Memo;

/* Creates rows for as many of the `shared` subtrees as fit into `bytes`, beginning with the first.
 * If a subtree has a row, so has every subtree on its left path. */
bool memo_create(Memo *memo, int32_t shared, int32_t subtrees, int64_t bytes);
void memo_free(Memo *memo);

static inline _Atomic uint16_t *memo_cell(const Memo *memo, int32_t a, int32_t b) {
    const int64_t row = min32(a, b), column = max32(a, b);
    /* A subtree with a negative number occurs only in a single tree. */
    if (row < 0 || row >= memo->rows) return NULL;
    return &memo->cell[row * memo->columns - row * (row - 1) / 2 + column - row];
}

static inline int32_t memo_recall(const Memo *memo, int32_t a, int32_t b) {
    const _Atomic uint16_t *cell = memo_cell(memo, a, b);
    return cell ? atomic_load_explicit(cell, memory_order_acquire) : 0;
}

static inline void memo_keep(const Memo *memo, int32_t a, int32_t b, int32_t savings) {
    _Atomic uint16_t *cell = savings <= UINT16_MAX ? memo_cell(memo, a, b) : NULL;
    if (cell) atomic_store_explicit(cell, (uint16_t)savings, memory_order_release);
}

#endif
