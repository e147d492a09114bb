/* Savings of two trees, computed by tables of forest savings. */
#ifndef DETOURAGE_SAVINGS_H
#define DETOURAGE_SAVINGS_H

#include "columns.h"
#include "memo.h"

/* The tree that forms the rows of the tables. */
typedef struct {
    const Tree *tree;
    const Keyroots *keyroots;
    int32_t *nesting; /* by keyroot: number of other keyroots around it */
    int32_t deepest;  /* greatest nesting */
    int32_t labels;
    int32_t *leaf_row; /* by label: number of the row of gains of its leaves, or -1 */
    int32_t leaf_rows;
    /* Cumulative counts before each node in postorder, and before the end: */
    int32_t *leaves, *tops; /* leaves, and leaves at the end of a left path */
    int64_t *top_sizes;     /* total size of the subtrees at the tops of these paths */
} Rows;

void lay_out_rows(Rows *rows, const Tree *tree, const Keyroots *keyroots, int32_t labels,
                  Arena *arena);

typedef struct {
    const Rows *rows;
    const Columns *columns;
    /* Mappings that cost more than the bound may be missed; the savings are then too low. */
    int32_t bound;
    const Memo *memo; /* may be NULL */
    const int64_t *innermost; /* cumulative, by node of the rows: number of pairs of a leaf of the
                                 rows and an innermost node of the columns with the same label */
} Job;

enum { NO_BOUND = INT32_MAX };

/* Cost of a run: the number of cells computed, and the units of work, which are an upper bound for
 * any shape of the tables and any content of the memo. */
typedef struct {
    int64_t cells, work;
} Cost;

/* Reports failure through the arena. */
void prepare_job(Job *job, Arena *arena);
/* Units of work taken by `count_cost`, and by a run before it fills its tables. */
int64_t count_preparation(const Job *job);
Cost count_cost(const Job *job, bool is_wide);

/* Returns the savings of the two trees. If `trees` is given, it receives the savings of each
 * subtree of the rows with each subtree of the columns, by their numbers in the keyroots. Reports
 * failure through the arena. */
int32_t savings_narrow(const Job *job, const VectorUnit *unit, int32_t *trees, Arena *arena);
int32_t savings_wide(const Job *job, const VectorUnit *unit, int32_t *trees, Arena *arena);

/* Shared by both cell widths: */

/* The rows of a keyroot's table that use a block. Row x uses columns x - high to x - low, counted
 * from 1, or all columns in a block of small subtrees. */
typedef struct {
    const Block *block;
    int32_t low, high;
    int32_t first_row, last_row;
    int32_t columns; /* number of columns used, counted from the first one of the block */
    int32_t to_saving; /* offset from places in a row of gains to those in a row of savings */
    bool is_masked;
} Window;

bool open_window(const Job *job, int32_t keyroot, const Block *block, Window *window);

typedef struct {
    int32_t first, last;
} Tiles;

/* Returns the tiles of a block used by the rows from `first_row` to `last_row`, possibly none. */
static inline Tiles tiles_of_rows(const Window *window, int32_t tile_bits, int32_t first_row,
                                  int32_t last_row) {
    const Block *block = window->block;
    if (last_row < window->first_row || first_row > window->last_row) return (Tiles){0, 0};
    if (block->keyroot == NOWHERE) return (Tiles){0, block->tiles};
    const int32_t left = max32(1, first_row - window->high);
    const int32_t right = min32(window->columns, last_row - window->low);
    if (left > right) return (Tiles){0, 0};
    const int32_t origin = block->first_column - 1 - block->gain;
    return (Tiles){(origin + left) >> tile_bits, ((origin + right) >> tile_bits) + 1};
}

#endif
