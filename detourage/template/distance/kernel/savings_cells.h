/* Tables with cells of a given width; included once for each width.
 *
 * Only one row of savings is stored. It is updated in place from the forest of the nodes so far to
 * the forest that includes the next node. A cell outside the band of a bounded run, or beyond the
 * last column of a block, is left unchanged or receives a value derived from its neighbours. Such a
 * value is never too high: if the column exists, the cell contains the savings of a mapping between
 * forests that are no larger than its own, and can only be too low.
 */

typedef struct {
    const Job *job;
    const TILE_FUNCTIONS *functions;
    int32_t tile_bits;
    CELL *row;       /* row of savings */
    CELL *outside;   /* rows by nesting: for each column, the savings to which gains are added */
    CELL *gain;      /* rows by subtree number: its savings with the subtrees of the columns */
    CELL *leaf_gain; /* rows by label: amount that a leaf adds to the previous column */
    CELL *base;      /* row of the empty forest, laid out like a row of gains */
    CELL *mask;      /* masks of the first tile of each block */
    bool *is_begun, *is_complete; /* states of the rows of gains */
    int32_t *innermost_first;     /* by row of leaf gains and block: start of its list */
    Window *window;               /* blocks used by the current keyroot */
    int32_t *known;               /* blocks whose savings with this keyroot are in the memo */
    int32_t windows, knowns;
} NAME(Tables);

static CELL *NAME(gain_of)(const NAME(Tables) *t, int32_t node) {
    const int32_t number = t->job->rows->keyroots->subtree[node];
    return t->gain + (size_t)number * (size_t)t->job->columns->gains;
}

static CELL *NAME(outside_of)(const NAME(Tables) *t, int32_t keyroot, int32_t nested) {
    const int32_t *nesting = t->job->rows->nesting;
    const int32_t level = nesting[nested] - nesting[keyroot] - 1;
    return t->outside + (size_t)level * (size_t)t->job->columns->savings;
}

static void NAME(prepare_leaves)(NAME(Tables) *t) {
    const Rows *rows = t->job->rows;
    const Columns *columns = t->job->columns;
    const size_t width = (size_t)columns->gains;
    if (rows->leaf_rows == 0) return;
    CELL *any = t->leaf_gain;
    memset(any, 0, width * sizeof(CELL));
    for (int32_t i = 0; i < columns->leaf_first[rows->labels]; i++) any[columns->leaf[i]] = 1;
    for (int32_t r = 1; r < rows->leaf_rows; r++)
        memcpy(t->leaf_gain + (size_t)r * width, any, width * sizeof(CELL));
    for (int32_t label = 0; label < rows->labels; label++) {
        const int32_t r = rows->leaf_row[label];
        if (r < 0) continue;
        CELL *gain = t->leaf_gain + (size_t)r * width;
        for (int32_t i = columns->leaf_first[label]; i < columns->leaf_first[label + 1]; i++)
            gain[columns->leaf[i]] = 2;
        int32_t *first = t->innermost_first + (size_t)r * (size_t)columns->blocks;
        for (int32_t b = 0; b < columns->blocks; b++) {
            int32_t low = columns->innermost_first[label];
            int32_t high = columns->innermost_first[label + 1];
            while (low < high) {
                const int32_t middle = low + (high - low) / 2;
                if (columns->innermost[middle].column < columns->block[b].first_column)
                    low = middle + 1;
                else
                    high = middle;
            }
            first[b] = low;
        }
    }
}

static void NAME(prepare_columns)(NAME(Tables) *t) {
    const Columns *columns = t->job->columns;
    const int32_t tile = tile_columns(columns->shape);
    for (int32_t i = 0; i < columns->gains; i++) t->base[i] = (CELL)columns->base[i];
    for (int32_t b = 0; b < columns->blocks; b++) {
        const Block *block = &columns->block[b];
        memset(t->row + block->saving - TILE_GUARD, 0, TILE_GUARD * sizeof(CELL));
        for (int32_t c = 0; c < tile; c++)
            t->mask[b * tile + tile_place(columns->shape, c)] =
                block->gain + c < block->first_column ? 0 : -1;
    }
}

static void NAME(take)(NAME(Tables) *t, Arena *arena) {
    const Rows *rows = t->job->rows;
    const Columns *columns = t->job->columns;
    const size_t subtrees = (size_t)rows->keyroots->subtrees;
    const size_t gains = (size_t)columns->gains, blocks = (size_t)columns->blocks;
    t->row = TAKE(arena, CELL, columns->savings);
    t->outside = TAKE(arena, CELL, (size_t)rows->deepest * (size_t)columns->savings);
    t->gain = TAKE(arena, CELL, subtrees * gains);
    t->leaf_gain = TAKE(arena, CELL, (size_t)rows->leaf_rows * gains);
    t->base = TAKE(arena, CELL, gains);
    t->mask = TAKE(arena, CELL, blocks * (size_t)tile_columns(columns->shape));
    t->is_begun = TAKE(arena, bool, subtrees);
    t->is_complete = TAKE(arena, bool, subtrees);
    t->innermost_first = TAKE(arena, int32_t, (size_t)rows->leaf_rows * blocks);
    t->window = TAKE(arena, Window, blocks);
    t->known = TAKE(arena, int32_t, blocks);
    if (arena_failed(arena)) return;
    memset(t->is_begun, 0, subtrees * sizeof(bool));
    memset(t->is_complete, 0, subtrees * sizeof(bool));
    NAME(prepare_leaves)(t);
    NAME(prepare_columns)(t);
}

/* Copies the savings of a subtree, computed once, to all columns where equal subtrees occur. */
static void NAME(fill)(const Columns *columns, const PathNode *path, CELL *gain, CELL savings) {
    for (int32_t o = path->first; o < path->last; o++) {
        CELL *place = &gain[columns->occurrence[o]];
        *place = *place < savings ? savings : *place;
    }
}

static void NAME(open_windows)(NAME(Tables) *t, int32_t keyroot) {
    const Columns *columns = t->job->columns;
    const int32_t first = leftmost(t->job->rows->tree, keyroot);
    t->windows = t->knowns = 0;
    for (int32_t b = 0; b < columns->blocks; b++) {
        const Block *block = &columns->block[b];
        Window *window = &t->window[t->windows];
        if (!open_window(t->job, keyroot, block, window)) continue;
        if (is_known(t->job, first + window->last_row - 1, block)) t->known[t->knowns++] = b;
        else t->windows++;
    }
    for (int32_t w = 0; w < t->windows; w++) {
        const Block *block = t->window[w].block;
        memcpy(t->row + block->saving, t->base + block->gain,
               ((size_t)block->tiles << t->tile_bits) * sizeof(CELL));
    }
}

/* Sets the gains of a subtree before its table is filled: those in the memo, and those with leaves
 * of the root's label. Mapping the root to a leaf of another label is worth no more than mapping
 * the leaf below the root, which the row of that leaf covers. */
static void NAME(begin_gains)(NAME(Tables) *t, int32_t node) {
    const Columns *columns = t->job->columns;
    const Tree *tree = t->job->rows->tree;
    const int32_t number = t->job->rows->keyroots->subtree[node], label = tree->label[node];
    CELL *gain = NAME(gain_of)(t, node);
    if (!t->is_begun[number]) {
        t->is_begun[number] = true;
        memset(gain, 0, (size_t)columns->gains * sizeof(CELL));
        for (int32_t i = columns->leaf_first[label]; i < columns->leaf_first[label + 1]; i++)
            gain[columns->leaf[i]] = 2;
    }
    for (int32_t k = 0; k < t->knowns; k++) {
        const Block *block = &columns->block[t->known[k]];
        for (int32_t p = block->path_first; p < block->path_last; p++) {
            const PathNode *path = &columns->path[p];
            if (path->first == path->last) continue;
            const int32_t other = columns->tree->subtree[path->node];
            const int32_t savings = memo_recall(t->job->memo, tree->subtree[node], other);
            if (savings > 0) NAME(fill)(columns, path, gain, (CELL)savings);
        }
    }
}

static const CELL *NAME(mask_of)(const NAME(Tables) *t, const Window *window, Tiles tiles) {
    if (!window->is_masked || tiles.first > 0) return NULL;
    return t->mask + ((size_t)(window->block - t->job->columns->block) << t->tile_bits);
}

static void NAME(jump)(const NAME(Tables) *t, const Window *window, Tiles tiles,
                       const CELL *outside, const CELL *gain) {
    if (tiles.first >= tiles.last) return;
    const ptrdiff_t first = (ptrdiff_t)tiles.first << t->tile_bits;
    t->functions->jump(t->row + window->block->saving + first, outside + first,
                       gain + window->block->gain + first, NAME(mask_of)(t, window, tiles),
                       tiles.last - tiles.first);
}

/* Computes the row of a leaf. Mapping it to another leaf adds 1 or 2 to the previous column.
 * Mapping it to an inner node is worthwhile only if that node has the same label, but no descendant
 * of this label. */
static void NAME(add_leaf)(const NAME(Tables) *t, int32_t row, int32_t label) {
    const Columns *columns = t->job->columns;
    const int32_t r = t->job->rows->leaf_row[label];
    CELL *gain = t->leaf_gain + (size_t)r * (size_t)columns->gains;
    const int32_t *innermost_first = t->innermost_first + (size_t)r * (size_t)columns->blocks;
    const int32_t innermost_last = columns->innermost_first[label + 1];
    for (const Window *window = t->window; window < t->window + t->windows; window++) {
        const Tiles tiles = tiles_of_rows(window, t->tile_bits, row, row);
        if (tiles.first >= tiles.last) continue;
        const Block *block = window->block;
        const CELL *before = t->row + window->to_saving;
        const int32_t first = block->gain + (tiles.first << t->tile_bits);
        const int32_t last = min32(block->last_column, block->gain + (tiles.last << t->tile_bits));
        for (int32_t i = innermost_first[block - columns->block]; i < innermost_last; i++) {
            const Innermost *node = &columns->innermost[i];
            if (node->column >= last) break;
            if (node->column < first) continue;
            gain[node->place] = (CELL)(before[node->source] + 2 - before[node->left]);
        }
        t->functions->leaf(t->row + block->saving + ((ptrdiff_t)tiles.first << t->tile_bits),
                           gain + first, NAME(mask_of)(t, window, tiles),
                           tiles.last - tiles.first);
    }
}

/* Stores the savings to which the rows from `first_row` to `last_row` will add their gains. These
 * are the rows of the nodes above the next leaf. */
static void NAME(set_outside)(const NAME(Tables) *t, CELL *outside, int32_t first_row,
                              int32_t last_row) {
    const Columns *columns = t->job->columns;
    for (const Window *window = t->window; window < t->window + t->windows; window++) {
        const Tiles tiles = tiles_of_rows(window, t->tile_bits, first_row, last_row);
        if (tiles.first >= tiles.last) continue;
        const Block *block = window->block;
        const ptrdiff_t first = (ptrdiff_t)tiles.first << t->tile_bits;
        t->functions->shift(t->row + block->saving + first, outside + block->saving + first,
                            tiles.last - tiles.first);
        const int32_t begin =
            max32(block->first_column, block->gain + (tiles.first << t->tile_bits));
        const int32_t end = min32(block->last_column, block->gain + (tiles.last << t->tile_bits));
        const Jump *jump = columns->inner + columns->inner_before[begin];
        const Jump *last = columns->inner + columns->inner_before[end];
        const CELL *from = t->row + window->to_saving;
        CELL *to = outside + window->to_saving;
        for (; jump < last; jump++) to[jump->place] = from[jump->source];
    }
}

/* Computes the row of an inner node on the keyroot's left path. This yields the savings of pairs of
 * subtrees at the nodes on the left paths of the columns, stage by stage, because each stage needs
 * the savings of earlier stages. */
static void NAME(add_path_node)(NAME(Tables) *t, int32_t row, int32_t node) {
    const Columns *columns = t->job->columns;
    const Tree *tree = t->job->rows->tree;
    CELL *gain = NAME(gain_of)(t, node);
    for (const Window *window = t->window; window < t->window + t->windows; window++) {
        const CELL *before = t->row + window->to_saving;
        const Block *block = window->block;
        for (int32_t p = block->path_first; p < block->path_last; p++) {
            const PathNode *path = &columns->path[p];
            const bool is_equal = columns->tree->label[path->node] == tree->label[node];
            const CELL savings = (CELL)(before[path->left] - path->base + 1 + is_equal);
            if (gain[path->place] < savings) gain[path->place] = savings;
        }
    }
    for (const Window *window = t->window; window < t->window + t->windows; window++) {
        const Block *block = window->block;
        const Tiles tiles = tiles_of_rows(window, t->tile_bits, row, row);
        const CELL *after = t->row + window->to_saving;
        if (tiles.first >= tiles.last) continue;
        for (int32_t s = block->stage_first; s < block->stage_last; s++) {
            const Stage *stage = &columns->stage[s];
            const Tiles part = {max32(tiles.first, stage->first_tile),
                                min32(tiles.last, stage->last_tile)};
            NAME(jump)(t, window, part, t->base + block->gain, gain);
            for (int32_t p = stage->path_first; p < stage->path_last; p++) {
                const PathNode *path = &columns->path[p];
                const CELL savings = (CELL)(after[path->place] - path->base);
                NAME(fill)(columns, path, gain, savings);
                if (t->job->memo && is_exact(t->job, block))
                    memo_keep(t->job->memo, tree->subtree[node],
                              columns->tree->subtree[path->node], savings);
            }
        }
    }
}

static void NAME(add_node)(const NAME(Tables) *t, int32_t row, const CELL *gain,
                           const CELL *outside) {
    for (const Window *window = t->window; window < t->window + t->windows; window++) {
        const Tiles tiles = tiles_of_rows(window, t->tile_bits, row, row);
        NAME(jump)(t, window, tiles, outside + window->block->saving, gain);
    }
}

static void NAME(add_base)(const NAME(Tables) *t, int32_t row, const CELL *gain) {
    for (const Window *window = t->window; window < t->window + t->windows; window++) {
        const Tiles tiles = tiles_of_rows(window, t->tile_bits, row, row);
        NAME(jump)(t, window, tiles, t->base + window->block->gain, gain);
    }
}

static void NAME(fill_table)(NAME(Tables) *t, int32_t keyroot) {
    const Rows *rows = t->job->rows;
    const Tree *tree = rows->tree;
    const int32_t first = leftmost(tree, keyroot);
    NAME(open_windows)(t, keyroot);
    for (int32_t i = keyroot; i != first; i = rows->keyroots->first_child[i])
        NAME(begin_gains)(t, i);
    int32_t last_row = 0;
    for (int32_t w = 0; w < t->windows; w++) last_row = max32(last_row, t->window[w].last_row);
    for (int32_t i = first; i < first + last_row; i++) {
        const int32_t row = i - first + 1, leaf = leftmost(tree, i);
        const int32_t top = rows->keyroots->top[leaf];
        if (i == leaf) {
            if (leaf != first && top > leaf)
                NAME(set_outside)(t, NAME(outside_of)(t, keyroot, top), row + 1, top - first + 1);
            NAME(add_leaf)(t, row, tree->label[i]);
        } else if (leaf != first) {
            NAME(add_node)(t, row, NAME(gain_of)(t, i), NAME(outside_of)(t, keyroot, top));
        } else if (t->is_complete[rows->keyroots->subtree[i]]) {
            NAME(add_base)(t, row, NAME(gain_of)(t, i));
        } else {
            NAME(add_path_node)(t, row, i);
        }
    }
    if (t->job->bound == NO_BOUND)
        for (int32_t i = keyroot; i != first; i = rows->keyroots->first_child[i])
            t->is_complete[rows->keyroots->subtree[i]] = true;
}

static void NAME(copy_trees)(const NAME(Tables) *t, int32_t *trees) {
    const Columns *columns = t->job->columns;
    for (int32_t k = 0; k < t->job->rows->keyroots->subtrees; k++) {
        const CELL *gain = t->gain + (size_t)k * (size_t)columns->gains;
        int32_t *row = trees + (size_t)k * (size_t)columns->keyroots->subtrees;
        for (int32_t p = 0; p < columns->paths; p++)
            row[columns->keyroots->subtree[columns->path[p].node]] = gain[columns->path[p].place];
    }
}

int32_t NAME(savings)(const Job *job, const VectorUnit *unit, int32_t *trees, Arena *arena) {
    const Columns *columns = job->columns;
    NAME(Tables) tables = {.job = job, .functions = FUNCTIONS(unit)};
    while (1 << tables.tile_bits < tile_columns(columns->shape)) tables.tile_bits++;
    NAME(take)(&tables, arena);
    if (arena_failed(arena)) return 0;
    const Keyroots *keyroots = job->rows->keyroots;
    for (int32_t k = 0; k < keyroots->count; k++) NAME(fill_table)(&tables, keyroots->keyroot[k]);
    const int32_t root = job->rows->tree->n - 1;
    const CELL *gain = NAME(gain_of)(&tables, root);
    if (trees) NAME(copy_trees)(&tables, trees);
    return gain[columns->path[columns->paths - 1].place];
}
