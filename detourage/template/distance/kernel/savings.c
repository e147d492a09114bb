#include "savings.h"

#include <string.h>

void lay_out_rows(Rows *rows, const Tree *tree, const Keyroots *keyroots, int32_t labels,
                  Arena *arena) {
    const int32_t n = tree->n;
    *rows = (Rows){
        .tree = tree,
        .keyroots = keyroots,
        .nesting = TAKE(arena, int32_t, n),
        .labels = labels,
        .leaf_row = TAKE(arena, int32_t, labels),
        .leaves = TAKE(arena, int32_t, n + 1),
        .tops = TAKE(arena, int32_t, n + 1),
        .top_sizes = TAKE(arena, int64_t, n + 1),
    };
    if (arena_failed(arena)) return;
    rows->leaves[0] = rows->tops[0] = 0;
    rows->top_sizes[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t top = tree->size[i] == 1 ? keyroots->top[i] : i;
        rows->leaves[i + 1] = rows->leaves[i] + (tree->size[i] == 1);
        rows->tops[i + 1] = rows->tops[i] + (top > i);
        rows->top_sizes[i + 1] = rows->top_sizes[i] + (top > i ? tree->size[top] : 0);
    }
    for (int32_t i = 0; i < labels; i++) rows->leaf_row[i] = -1;
    rows->nesting[n - 1] = 0;
    for (int32_t i = n - 1; i >= 0; i--) {
        if (tree->size[i] == 1 && rows->leaf_row[tree->label[i]] < 0)
            rows->leaf_row[tree->label[i]] = rows->leaf_rows++;
        const int32_t around = rows->nesting[keyroots->top[leftmost(tree, i)]];
        for (int32_t covered = 1; covered < tree->size[i];) {
            const int32_t child = i - covered;
            covered += tree->size[child];
            if (covered == tree->size[i]) break; /* a first child is not a keyroot */
            rows->nesting[child] = around + 1;
            if (tree->size[child] > 1) rows->deepest = max32(rows->deepest, around + 1);
        }
    }
}

/* Returns the size of the largest subtree of at most `size` nodes on a left path, not counting the
 * leaf, or 0 if there is none. */
static int32_t largest_on_path(const Tree *tree, const Keyroots *keyroots, int32_t node,
                               int32_t size) {
    while (tree->size[node] > 1 && tree->size[node] > size) node = keyroots->first_child[node];
    return tree->size[node] > 1 ? tree->size[node] : 0;
}

enum { MAX_TWINS = 16 };

/* Let left_k be the number of nodes before subtree K, and n the number of all nodes of its tree. For
 * L, these are left_l and m. A mapping through row x and column y of the tables of K and L pairs
 * the nodes before K with those before L, the first x nodes of K with the first y nodes of L, and
 * the remaining nodes with each other. It therefore costs at least
 *
 *   |left_k - left_l| + |x - y| + |(n - left_k - x) - (m - left_l - y)|
 *
 * (Touzet 2005). The bound thus limits x - y. The window covers all pairs of twins of K and L. */
bool open_window(const Job *job, int32_t keyroot, const Block *block, Window *window) {
    const Tree *f = job->rows->tree, *g = job->columns->tree;
    const int32_t rows = f->size[keyroot];
    *window = (Window){
        .block = block,
        .to_saving = block->saving - block->gain,
        .is_masked = block->keyroot != NOWHERE && block->first_column != block->gain,
        .low = -block->largest,
        .high = rows,
    };
    if (job->bound != NO_BOUND) {
        const int32_t difference = f->n - g->n;
        int32_t pairs = 0;
        int64_t low = INT32_MAX, high = INT32_MIN;
        if (block->keyroot != NOWHERE)
            for (int32_t k = keyroot; k >= 0 && pairs <= MAX_TWINS;
                 k = job->rows->keyroots->twin[k])
                for (int32_t l = block->keyroot; l >= 0 && ++pairs <= MAX_TWINS;
                     l = job->columns->keyroots->twin[l]) {
                    const int64_t left = (int64_t)leftmost(f, k) - leftmost(g, l);
                    const int64_t rest = difference - left;
                    const int64_t slack = job->bound - (left < 0 ? -left : left);
                    if (slack < (rest < 0 ? -rest : rest)) continue;
                    low = low < -((slack - rest) / 2) ? low : -((slack - rest) / 2);
                    high = high > (slack + rest) / 2 ? high : (slack + rest) / 2;
                }
        if (block->keyroot == NOWHERE || pairs > MAX_TWINS) {
            low = -(((int64_t)job->bound - difference) / 2);
            high = ((int64_t)job->bound + difference) / 2;
        }
        if (low > high) return false;
        window->low = (int32_t)(low > window->low ? low : window->low);
        window->high = (int32_t)(high < window->high ? high : window->high);
    }
    window->first_row = max32(1, 1 + window->low);
    window->last_row = min32(rows, block->largest + window->high);
    window->columns = block->largest;
    /* The results of a table are the savings at the nodes of the two left paths. */
    window->last_row = largest_on_path(f, job->rows->keyroots, keyroot, window->last_row);
    if (block->keyroot != NOWHERE)
        window->columns = largest_on_path(g, job->columns->keyroots, block->keyroot,
                                          window->last_row - window->low);
    return window->first_row <= window->last_row && window->columns > 0;
}

/* A block of small subtrees is always computed completely, even in bounded runs, so that its
 * savings are exact. */
static bool is_exact(const Job *job, const Block *block) {
    return job->bound == NO_BOUND || block->keyroot == NOWHERE;
}

/* Returns whether the memo has the savings of a subtree with all subtrees of a block. If so, it
 * also has those of the subtrees on their left paths, which were stored earlier and have rows as
 * well. */
static bool is_known(const Job *job, int32_t node, const Block *block) {
    if (!job->memo || !is_exact(job, block)) return false;
    const Columns *columns = job->columns;
    const int32_t subtree = job->rows->tree->subtree[node];
    if (block->keyroot != NOWHERE)
        return memo_recall(job->memo, subtree, columns->tree->subtree[block->keyroot]) > 0;
    for (int32_t p = block->path_first; p < block->path_last; p++)
        if (!memo_recall(job->memo, subtree, columns->tree->subtree[columns->path[p].node]))
            return false;
    return true;
}

void prepare_job(Job *job, Arena *arena) {
    const Tree *tree = job->rows->tree;
    const int32_t *first = job->columns->innermost_first;
    int64_t *before = TAKE(arena, int64_t, tree->n + 1);
    if (arena_failed(arena)) return;
    before[0] = 0;
    for (int32_t i = 0; i < tree->n; i++) {
        const int32_t label = tree->label[i];
        before[i + 1] = before[i] + (tree->size[i] == 1 ? first[label + 1] - first[label] : 0);
    }
    job->innermost = before;
}

/* Costs in units of work. A unit took a quarter of a nanosecond when `benchmarks.distance` was
 * measured. A cell of 16 bits takes at most one unit. */
enum {
    WIDE_CELL = 2,
    WINDOW = 150,  /* opening a window */
    WINDOW_ROW = 60,
    SEARCH = 100,  /* a bisection */
    COLUMN = 60,   /* laying out a column */
    STEP = 12,     /* a step of a loop without vectors */
    BAND_EXCESS = 64 /* additional columns, because whole tiles are computed at both ends */
};

int64_t count_preparation(const Job *job) {
    const Rows *rows = job->rows;
    const Columns *columns = job->columns;
    const int64_t keyroots = rows->keyroots->count, subtrees = rows->keyroots->subtrees;
    const int64_t windows = WINDOW * keyroots * columns->blocks;
    const int64_t paths = keyroots * columns->paths + subtrees * columns->blocks;
    const int64_t gains = WIDE_CELL * (subtrees + rows->leaf_rows) * columns->gains;
    const int64_t leaves = (int64_t)SEARCH * rows->leaf_rows * columns->blocks;
    return windows + STEP * paths + gains + leaves + COLUMN * (int64_t)columns->gains;
}

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

Cost count_cost(const Job *job, bool is_wide) {
    const Rows *rows = job->rows;
    const Columns *columns = job->columns;
    const int32_t cell = is_wide ? WIDE_CELL : 1;
    Cost cost = {0, 0};
    for (int32_t k = 0; k < rows->keyroots->count; k++) {
        const int32_t keyroot = rows->keyroots->keyroot[k], end = keyroot + 1;
        const int32_t begin = leftmost(rows->tree, keyroot);
        const int64_t leaves = rows->leaves[end] - rows->leaves[begin];
        const int64_t tops = rows->tops[end] - rows->tops[begin];
        const int64_t top_sizes = rows->top_sizes[end] - rows->top_sizes[begin];
        const int64_t innermost = job->innermost[end] - job->innermost[begin];
        int64_t path = 0;
        for (int32_t i = keyroot; i != begin; i = rows->keyroots->first_child[i]) path++;
        for (int32_t b = 0; b < columns->blocks; b++) {
            const Block *block = &columns->block[b];
            Window window;
            if (!open_window(job, keyroot, block, &window)) continue;
            const int64_t all = block->last_column - block->first_column;
            const int64_t inner = columns->inner_before[block->last_column] -
                                  columns->inner_before[block->first_column];
            const int64_t diagonal = (int64_t)window.high - window.low + BAND_EXCESS;
            const int64_t band = block->keyroot == NOWHERE ? all : min64(diagonal, all);
            const int64_t outside = min64(tops * all, tops * band + top_sizes);
            const int64_t cells = (window.last_row - window.first_row + 1) * band;
            cost.cells += cells;
            /* The work of this window: cells and savings outside, both with vectors; rows; and the
             * scalar loops of `set_outside`, `add_leaf` and `add_path_node`, in this order. */
            cost.work += cell * (cells + outside) + WINDOW_ROW * (int64_t)(end - begin) +
                         STEP * (min64(outside, tops * inner) + min64(innermost, leaves * inner) +
                                 path * (2 * (int64_t)(block->path_last - block->path_first) +
                                         block->fills));
        }
    }
    return cost;
}

#define CELL int16_t
#define TILE_FUNCTIONS TileFunctions16
#define FUNCTIONS(unit) (&(unit)->narrow)
#define NAME(name) name##_narrow
#include "savings_cells.h"
#undef CELL
#undef TILE_FUNCTIONS
#undef FUNCTIONS
#undef NAME

#define CELL int32_t
#define TILE_FUNCTIONS TileFunctions32
#define FUNCTIONS(unit) (&(unit)->wide)
#define NAME(name) name##_wide
#include "savings_cells.h"
