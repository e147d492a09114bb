/* The savings of two trees, by tables of forest savings. */
#ifndef DETOURAGE_SAVINGS_H
#define DETOURAGE_SAVINGS_H

#include "columns.h"
#include "memo.h"

/* One tree as rows against one as columns. */
typedef struct {
    const Tree *tree;
    const Keyroots *keyroots;
    int32_t *nesting; /* of a keyroot: how many others it lies within */
    int32_t deepest;  /* greatest nesting */
    int32_t labels;
    int32_t *leaf_row; /* by label: number of the row of gains of its leaves, or -1 */
    int32_t leaf_rows;
    /* Before each node in postorder, and before the end: */
    int32_t *leaves, *tops; /* leaves, and those below a left path */
    int64_t *top_sizes;     /* nodes of the subtrees at the tops of these paths */
} Rows;

void lay_out_rows(Rows *rows, const Tree *tree, const Keyroots *keyroots, int32_t labels,
                  Arena *arena);

typedef struct {
    const Rows *rows;
    const Columns *columns;
    /* Mappings of a greater distance may be missed; their savings are then too low. */
    int32_t bound;
    const Memo *memo; /* may be NULL */
    const int64_t *innermost; /* before each node of the rows: of how many of the columns' innermost
                                 nodes the leaves so far have the label */
} Job;

enum { NO_BOUND = INT32_MAX };

/* Cost of a run: columns computed over all rows, and units of work, an upper bound for any shape
 * of the tables and any content of the memo. */
typedef struct {
    int64_t cells, work;
} Cost;

/* Fails by the arena. */
void prepare_job(Job *job, Arena *arena);
/* Units of work that `count_cost` takes, and a run before it fills its tables. */
int64_t count_preparation(const Job *job);
Cost count_cost(const Job *job, bool is_wide);

/* The savings of the two trees. With `trees`, also those of each subtree of the rows with each
 * of the columns, by their numbers in the keyroots. Fails by the arena. */
int32_t savings_narrow(const Job *job, const VectorUnit *unit, int32_t *trees, Arena *arena);
int32_t savings_wide(const Job *job, const VectorUnit *unit, int32_t *trees, Arena *arena);

/* Shared by both cell widths: */

/* The rows of a keyroot's table that use a block: row x its columns x - high to x - low,
 * counted from 1 (all columns in a block of small subtrees). */
typedef struct {
    const Block *block;
    int32_t low, high;
    int32_t first_row, last_row;
    int32_t columns; /* of the block, from the first on, that are of use */
    int32_t to_saving; /* from places in a row of gains to those in a row of savings */
    bool is_masked;
} Window;

bool open_window(const Job *job, int32_t keyroot, const Block *block, Window *window);

typedef struct {
    int32_t first, last;
} Tiles;

/* The tiles of a block that the rows from `first_row` to `last_row` use; none is possible. */
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
