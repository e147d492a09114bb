#include "memo.h"

static int64_t cells(int64_t rows, int64_t columns) {
    return rows * columns - rows * (rows - 1) / 2;
}

bool memo_create(Memo *memo, int32_t shared, int32_t subtrees, int64_t bytes) {
    int64_t low = 0, high = shared;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (cells(middle, subtrees) <= bytes / (int64_t)sizeof(uint16_t)) low = middle;
        else high = middle - 1;
    }
    *memo = (Memo){.rows = low, .columns = subtrees};
    /* The system zeroes the memory page by page, when it is first written. */
    memo->cell = low ? calloc((size_t)cells(low, subtrees), sizeof(uint16_t)) : NULL;
    return !low || memo->cell;
}

void memo_free(Memo *memo) { free((void *)memo->cell); }
