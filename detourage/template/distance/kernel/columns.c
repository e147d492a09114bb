#include "columns.h"

#include <string.h>

/* Minimum number of nodes of a subtree with a separate block. A block costs a few nanoseconds per
 * row; a packed column costs one place in every row of gains. */
enum { LARGE_SUBTREE = 64 };

/* Computes, for each node, the nesting depth of the keyroots of two or more nodes below it. */
static void find_levels(const Tree *tree, int32_t *level) {
    for (int32_t i = 0; i < tree->n; i++) {
        level[i] = 0;
        for (int32_t covered = 1; covered < tree->size[i];) {
            const int32_t child = i - covered;
            covered += tree->size[child];
            const bool is_keyroot = covered < tree->size[i];
            if (tree->size[child] > 1) level[i] = max32(level[i], level[child] + is_keyroot);
        }
    }
}

/* Lists the keyroots of small subtrees by level and returns their number. */
static int32_t sort_small(const Tree *tree, const Keyroots *keyroots, const int32_t *level,
                          int32_t *small) {
    int32_t start[LARGE_SUBTREE + 1] = {0};
    for (int32_t k = 0; k < keyroots->count; k++) {
        const int32_t root = keyroots->keyroot[k];
        if (tree->size[root] < LARGE_SUBTREE) start[level[root] + 1]++;
    }
    for (int32_t l = 0; l < LARGE_SUBTREE; l++) start[l + 1] += start[l];
    const int32_t count = start[LARGE_SUBTREE];
    for (int32_t k = 0; k < keyroots->count; k++) {
        const int32_t root = keyroots->keyroot[k];
        if (tree->size[root] < LARGE_SUBTREE) small[start[level[root]]++] = root;
    }
    return count;
}

typedef struct {
    Columns *columns;
    int32_t *node; /* by column: its node, or NOWHERE */
    int32_t *base; /* by column: its base */
    int32_t count; /* number of columns so far */
    Block *block;  /* current block */
    Stage stage;   /* current stage, in columns */
} Layout;

static void add_column(Layout *layout, int32_t node, int32_t base) {
    layout->node[layout->count] = node;
    layout->base[layout->count++] = base;
}

static void align(Layout *layout) {
    while (layout->count % tile_columns(layout->columns->shape)) add_column(layout, NOWHERE, 0);
}

static void open_stage(Layout *layout, int32_t column) {
    layout->stage.first_tile = column;
    layout->stage.path_first = layout->columns->paths;
}

static void close_stage(Layout *layout, int32_t column) {
    Columns *columns = layout->columns;
    const int32_t tile = tile_columns(columns->shape);
    const int32_t origin = layout->block->first_column / tile;
    columns->stage[columns->stages++] = (Stage){
        .first_tile = layout->stage.first_tile / tile - origin,
        .last_tile = (column + tile - 1) / tile - origin,
        .path_first = layout->stage.path_first,
        .path_last = columns->paths,
    };
}

static void open_block(Layout *layout, int32_t keyroot, int32_t column) {
    Columns *columns = layout->columns;
    layout->block = &columns->block[columns->blocks++];
    *layout->block = (Block){
        .keyroot = keyroot,
        .first_column = column,
        .stage_first = columns->stages,
        .path_first = columns->paths,
    };
    open_stage(layout, column);
}

static void close_block(Layout *layout, int32_t column) {
    Columns *columns = layout->columns;
    Block *block = layout->block;
    const int32_t tile = tile_columns(columns->shape);
    close_stage(layout, column);
    block->last_column = column;
    block->stage_last = columns->stages;
    block->path_last = columns->paths;
    block->gain = block->first_column / tile * tile;
    block->tiles = (column - block->gain + tile - 1) / tile;
    block->saving = columns->savings + TILE_GUARD;
    columns->savings = block->saving + block->tiles * tile;
    layout->block = NULL;
}

/* Adds the left path of a subtree whose columns begin at `first_column`. */
static void add_path(Columns *columns, int32_t root, int32_t first_column, int32_t base) {
    const Tree *tree = columns->tree;
    const int32_t first = leftmost(tree, root);
    for (int32_t i = first + 1; i <= root; i++) {
        if (leftmost(tree, i) != first) continue;
        const int32_t column = first_column + (i - first);
        columns->path[columns->paths++] = (PathNode){
            .node = i,
            .place = tile_place(columns->shape, column),
            .left = tile_place(columns->shape, column - 1),
            .base = base,
        };
    }
}

static void pack(Layout *layout, const int32_t *small, int32_t count, const int32_t *level,
                 int32_t greatest) {
    const Tree *tree = layout->columns->tree;
    int32_t base = 0;
    for (int32_t s = 0; s < count; s++) {
        const int32_t root = small[s], size = tree->size[root];
        if (layout->block && base > greatest - 2 * size) {
            close_block(layout, layout->count);
            align(layout);
        }
        if (!layout->block) {
            open_block(layout, NOWHERE, layout->count);
            base = 0;
        } else if (level[root] != level[small[s - 1]]) {
            close_stage(layout, layout->count);
            open_stage(layout, layout->count);
        }
        add_column(layout, NOWHERE, base);
        add_path(layout->columns, root, layout->count, base);
        for (int32_t i = leftmost(tree, root); i <= root; i++) add_column(layout, i, base);
        layout->block->largest = max32(layout->block->largest, size);
        base += 2 * size;
    }
    if (layout->block) close_block(layout, layout->count);
    align(layout);
}

static void add_large(Layout *layout) {
    Columns *columns = layout->columns;
    const Tree *tree = columns->tree;
    const int32_t origin = layout->count;
    for (int32_t i = 0; i < tree->n; i++) add_column(layout, i, 0);
    for (int32_t k = 0; k < columns->keyroots->count; k++) {
        const int32_t root = columns->keyroots->keyroot[k];
        if (tree->size[root] < LARGE_SUBTREE) continue;
        open_block(layout, root, origin + leftmost(tree, root));
        add_path(columns, root, layout->block->first_column, 0);
        layout->block->largest = tree->size[root];
        close_block(layout, origin + root + 1);
    }
    align(layout);
}

/* Converts the counts of lists, shifted by one place, to the positions at which the lists begin. */
static void accumulate(int32_t *first, int32_t count) {
    for (int32_t i = 0; i < count; i++) first[i + 1] += first[i];
}

static void list_leaves(Columns *columns, const Layout *layout, int32_t labels, Arena *arena) {
    const Tree *tree = columns->tree;
    columns->leaf_first = TAKE(arena, int32_t, labels + 2);
    columns->leaf = TAKE(arena, int32_t, layout->count);
    if (arena_failed(arena)) return;
    int32_t *first = columns->leaf_first + 1;
    memset(columns->leaf_first, 0, ((size_t)labels + 2) * sizeof(int32_t));
    for (int32_t c = 0; c < layout->count; c++)
        if (layout->node[c] >= 0 && tree->size[layout->node[c]] == 1)
            first[tree->label[layout->node[c]] + 1]++;
    accumulate(first, labels);
    for (int32_t c = 0; c < layout->count; c++)
        if (layout->node[c] >= 0 && tree->size[layout->node[c]] == 1)
            columns->leaf[first[tree->label[layout->node[c]]]++] = tile_place(columns->shape, c);
}

/* Place of the column `size` columns earlier, possibly the empty column before the first. */
static int32_t source_of(const Columns *columns, int32_t column, int32_t size) {
    return column < size ? -1 : tile_place(columns->shape, column - size);
}

static void list_inner(Columns *columns, const Layout *layout, Arena *arena) {
    columns->inner_before = TAKE(arena, int32_t, layout->count + 1);
    columns->inner = TAKE(arena, Jump, layout->count);
    if (arena_failed(arena)) return;
    int32_t count = 0;
    for (int32_t c = 0; c < layout->count; c++) {
        columns->inner_before[c] = count;
        const int32_t node = layout->node[c];
        if (node >= 0 && columns->tree->size[node] > 1)
            columns->inner[count++] = (Jump){
                .place = tile_place(columns->shape, c),
                .source = source_of(columns, c, columns->tree->size[node]),
            };
    }
    columns->inner_before[layout->count] = count;
}

static void list_innermost(Columns *columns, const Layout *layout, int32_t labels, Arena *arena) {
    const Tree *tree = columns->tree;
    bool *is_innermost = TAKE(arena, bool, tree->n);
    int32_t *last_node = TAKE(arena, int32_t, labels); /* by label: its last node so far, or -1 */
    columns->innermost_first = TAKE(arena, int32_t, labels + 2);
    columns->innermost = TAKE(arena, Innermost, layout->count);
    if (arena_failed(arena)) return;
    int32_t *first = columns->innermost_first + 1;
    memset(last_node, 0xFF, (size_t)labels * sizeof(int32_t));
    memset(columns->innermost_first, 0, ((size_t)labels + 2) * sizeof(int32_t));
    for (int32_t i = 0; i < tree->n; i++) {
        is_innermost[i] = tree->size[i] > 1 && last_node[tree->label[i]] < leftmost(tree, i);
        last_node[tree->label[i]] = i;
    }
    for (int32_t c = 0; c < layout->count; c++)
        if (layout->node[c] >= 0 && is_innermost[layout->node[c]])
            first[tree->label[layout->node[c]] + 1]++;
    accumulate(first, labels);
    for (int32_t c = 0; c < layout->count; c++) {
        const int32_t node = layout->node[c];
        if (node < 0 || !is_innermost[node]) continue;
        columns->innermost[first[tree->label[node]]++] = (Innermost){
            .column = c,
            .place = tile_place(columns->shape, c),
            .left = source_of(columns, c, 1),
            .source = source_of(columns, c, tree->size[node]),
        };
    }
}

/* Lists the places of equal subtrees, and decides which of their path nodes fill these places: only
 * the first that is packed or, if none is, all of them, because no single one is certain to be
 * exact in a bounded run. */
static void list_occurrences(Columns *columns, const Layout *layout, Arena *arena) {
    const Keyroots *keyroots = columns->keyroots;
    int32_t *first = TAKE(arena, int32_t, keyroots->subtrees + 2);
    bool *is_packed = TAKE(arena, bool, keyroots->subtrees);
    columns->occurrence = TAKE(arena, int32_t, layout->count);
    if (arena_failed(arena)) return;
    memset(first, 0, ((size_t)keyroots->subtrees + 2) * sizeof(int32_t));
    memset(is_packed, 0, (size_t)keyroots->subtrees * sizeof(bool));
    for (int32_t c = 0; c < layout->count; c++) {
        const int32_t node = layout->node[c];
        if (node >= 0 && keyroots->subtree[node] >= 0) first[keyroots->subtree[node] + 2]++;
    }
    accumulate(first + 1, keyroots->subtrees);
    for (int32_t c = 0; c < layout->count; c++) {
        const int32_t node = layout->node[c];
        if (node >= 0 && keyroots->subtree[node] >= 0)
            columns->occurrence[first[keyroots->subtree[node] + 1]++] =
                tile_place(columns->shape, c);
    }
    for (int32_t b = 0; b < columns->blocks; b++) {
        Block *block = &columns->block[b];
        for (int32_t p = block->path_first; p < block->path_last; p++) {
            PathNode *path = &columns->path[p];
            const int32_t subtree = keyroots->subtree[path->node];
            if (is_packed[subtree]) continue;
            path->first = first[subtree];
            path->last = first[subtree + 1];
            is_packed[subtree] = block->keyroot == NOWHERE;
            block->fills += path->last - path->first;
        }
    }
}

void lay_out_columns(Columns *columns, const Tree *tree, const Keyroots *keyroots,
                     TileShape shape, int32_t labels, int32_t greatest, Arena *arena) {
    *columns = (Columns){.tree = tree, .keyroots = keyroots, .shape = shape};
    int32_t *level = TAKE(arena, int32_t, tree->n);
    int32_t *small = TAKE(arena, int32_t, keyroots->count);
    if (arena_failed(arena)) return;
    find_levels(tree, level);
    const int32_t packed = sort_small(tree, keyroots, level, small);
    int64_t packed_nodes = 0;
    for (int32_t s = 0; s < packed; s++) packed_nodes += tree->size[small[s]];
    const int64_t packs = 1 + 2 * packed_nodes / (greatest - 2 * LARGE_SUBTREE);
    const int64_t most_columns =
        packed_nodes + packed + (packs + 1) * tile_columns(shape) + tree->n + tile_columns(shape);
    if (most_columns > INT32_MAX / 2) {
        arena->over_limit = true;
        return;
    }
    const int64_t most_blocks = packs + keyroots->count - packed;
    Layout layout = {
        .columns = columns,
        .node = TAKE(arena, int32_t, most_columns),
        .base = TAKE(arena, int32_t, most_columns),
    };
    columns->block = TAKE(arena, Block, most_blocks);
    columns->stage = TAKE(arena, Stage, most_blocks + LARGE_SUBTREE);
    columns->path = TAKE(arena, PathNode, tree->n);
    if (arena_failed(arena)) return;
    pack(&layout, small, packed, level, greatest);
    if (packed < keyroots->count) add_large(&layout);
    columns->gains = layout.count;
    columns->base = TAKE(arena, int32_t, layout.count);
    if (arena_failed(arena)) return;
    for (int32_t c = 0; c < layout.count; c++)
        columns->base[tile_place(shape, c)] = layout.base[c];
    list_leaves(columns, &layout, labels, arena);
    list_inner(columns, &layout, arena);
    list_innermost(columns, &layout, labels, arena);
    list_occurrences(columns, &layout, arena);
}
