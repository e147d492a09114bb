/* Runs every variant of the kernel in a separate program that can be built with sanitizers: on
 * valid and invalid input, with sufficient and insufficient memory. Compares every distance with
 * that of a plain implementation of Zhang-Shasha.
 *
 * Usage: fuzz_kernel ROUNDS SEED, for random trees. Prints any errors, and then exits with 1.
 * If built with -DLIBFUZZER and clang's -fsanitize=fuzzer, the trees and all other random choices
 * are derived from the input with which libFuzzer tries to reach more of the kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "pair.h"

#ifdef LIBFUZZER
enum { MOST_NODES = 120, TREES = 3 };
#else
enum { MOST_NODES = 220, TREES = 3 };
#endif

static uint64_t state;
static const uint8_t *input, *input_end; /* used up before random numbers are drawn */

static uint32_t any(uint32_t below) {
    if (input < input_end) {
        uint32_t value = *input++;
        if (below > 256 && input < input_end) value = value << 8 | *input++;
        return value % below;
    }
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

typedef struct {
    int32_t n, label[MOST_NODES], size[MOST_NODES];
} Plain;

/* Builds a tree in postorder by repeatedly joining the last trees of a forest below a new root. */
static void grow(Plain *tree, int32_t n, uint32_t labels, uint32_t shape) {
    int32_t root[MOST_NODES], roots = 0;
    tree->n = 0;
    while (tree->n < n) {
        const bool is_last = tree->n == n - 1;
        uint32_t below = shape == 0 ? any(4) : shape == 1 ? any(2) : any(3) == 0 ? any(12) : 0;
        if (is_last || below > (uint32_t)roots) below = (uint32_t)roots;
        int32_t size = 1;
        for (; below > 0; below--) size += tree->size[root[--roots]];
        root[roots++] = tree->n;
        tree->label[tree->n] = (int32_t)any(labels);
        tree->size[tree->n++] = size;
    }
}

/* Adds a copy of a random subtree as the first child of the root. */
static void repeat(Plain *tree) {
    const int32_t node = (int32_t)any((uint32_t)tree->n), size = tree->size[node];
    if (node == tree->n - 1 || tree->n + size > MOST_NODES) return;
    const int32_t first = node - size + 1;
    int32_t label[MOST_NODES], sizes[MOST_NODES];
    memcpy(label, tree->label + first, (size_t)size * sizeof *label);
    memcpy(sizes, tree->size + first, (size_t)size * sizeof *sizes);
    memmove(tree->label + size, tree->label, (size_t)tree->n * sizeof *label);
    memmove(tree->size + size, tree->size, (size_t)tree->n * sizeof *sizes);
    memcpy(tree->label, label, (size_t)size * sizeof *label);
    memcpy(tree->size, sizes, (size_t)size * sizeof *sizes);
    tree->n += size;
    tree->size[tree->n - 1] = tree->n;
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

/* Is the node a keyroot: the root, or a node with a sibling on its left? */
static bool is_keyroot(const Plain *tree, int32_t i) {
    for (int32_t k = i + 1; k < tree->n; k++)
        if (k - tree->size[k] == i - tree->size[i]) return false;
    return true;
}

/* The algorithm of Zhang and Shasha, as published. */
static int32_t plain_distance(const Plain *a, const Plain *b) {
    static int32_t tree[MOST_NODES][MOST_NODES], table[MOST_NODES + 1][MOST_NODES + 1];
    bool is_root[MOST_NODES];
    for (int32_t j = 0; j < b->n; j++) is_root[j] = is_keyroot(b, j);
    for (int32_t i = 0; i < a->n; i++)
        for (int32_t j = 0; j < b->n && is_keyroot(a, i); j++) {
            if (!is_root[j]) continue;
            const int32_t f = i - a->size[i] + 1, g = j - b->size[j] + 1;
            for (int32_t y = 0; y <= b->size[j]; y++) table[0][y] = y;
            for (int32_t x = 1; x <= a->size[i]; x++) {
                table[x][0] = x;
                for (int32_t y = 1; y <= b->size[j]; y++) {
                    const int32_t u = f + x - 1, v = g + y - 1;
                    const int32_t left_u = u - a->size[u] + 1 - f, left_v = v - b->size[v] + 1 - g;
                    int32_t best = least(table[x - 1][y], table[x][y - 1]) + 1;
                    if (left_u == 0 && left_v == 0) {
                        best = least(best, table[x - 1][y - 1] + (a->label[u] != b->label[v]));
                        tree[u][v] = best;
                    } else {
                        best = least(best, table[left_u][left_v] + tree[u][v]);
                    }
                    table[x][y] = best;
                }
            }
        }
    return tree[a->n - 1][b->n - 1];
}

static int wrong(const char *what, int32_t got, int32_t expected) {
    printf("%s: %d instead of %d\n", what, (int)got, (int)expected);
    return 1;
}

static Way any_way(void) {
    Way way = {
        .width = (CellWidth)any(3),
        .side = (Side)any(3),
        .trims = any(2),
        .skips = any(2),
        .runs_bounded = any(2),
    };
    uint32_t units = 0;
    while (vector_unit((int)units)) units++;
    way.unit = vector_unit((int)any(units));
    return way;
}

static int32_t mapping_cost(const Plain *a, const Plain *b, const int32_t *mapped) {
    int32_t cost = a->n + b->n;
    for (int32_t i = 0; i < a->n; i++)
        if (mapped[i] >= 0) cost -= 1 + (a->label[i] == b->label[mapped[i]]);
    return cost;
}

/* Does the mapping preserve the order of siblings and ancestors? */
static bool is_mapping(const Plain *a, const Plain *b, const int32_t *mapped) {
    for (int32_t k = 0; k < a->n; k++)
        for (int32_t i = 0; i < k && mapped[k] >= 0; i++) {
            if (mapped[i] < 0) continue;
            const bool below_a = i > k - a->size[k];
            const bool below_b = mapped[i] > mapped[k] - b->size[mapped[k]];
            if (mapped[i] >= mapped[k] || mapped[k] >= b->n || below_a != below_b) return false;
        }
    return true;
}

static int check(const Forest *forest, const Memo *memo, const Plain *plain, int32_t a, int32_t b,
                 int32_t expected, bool is_tight, Workspace *workspace) {
    const Way way = any_way();
    const int32_t bound = any(2) ? UNBOUNDED : (int32_t)any(2 * (uint32_t)expected + 2);
    const int32_t distance = pair_distance(forest, a, b, bound, &way, memo, workspace);
    const int32_t right = least(expected, bound < UNBOUNDED ? bound + 1 : bound);
    int bad = 0;
    if (distance != right && !(is_tight && distance == PAIR_TOO_LARGE))
        bad += wrong("distance", distance, right);
    int32_t mapped[MOST_NODES];
    const int32_t traced = pair_mapping(forest, a, b, &way, mapped, workspace);
    if (traced >= 0 && (traced != expected || mapping_cost(&plain[a], &plain[b], mapped) != traced))
        bad += wrong("mapping", mapping_cost(&plain[a], &plain[b], mapped), expected);
    if (traced >= 0 && !is_mapping(&plain[a], &plain[b], mapped))
        bad += wrong("no mapping", traced, expected);
    if (traced < 0 && !is_tight) bad += wrong("mapping", traced, expected);
    const int32_t lower = pair_lower_bound(forest, a, b, workspace);
    const Tree *f = &forest->trees[a], *g = &forest->trees[b];
    arena_reset(&workspace->arena);
    const int32_t upper = top_down_distance(f, g, (int64_t)f->n * g->n, &workspace->arena);
    const bool has_upper = !arena_failed(&workspace->arena);
    if (lower > expected || (lower < 0 && !is_tight)) bad += wrong("lower", lower, expected);
    if (has_upper ? upper < expected : !is_tight)
        bad += wrong("upper", upper, expected);
    return bad;
}

/* Damages the trees, to check that a forest can be built safely from any input. */
static void spoil(int32_t *labels, int32_t *sizes, int64_t *starts) {
    const int64_t n = starts[TREES];
    for (uint32_t i = 1 + any(3); i > 0; i--) {
        const int64_t at = (int64_t)any((uint32_t)n);
        if (any(2)) sizes[at] = (int32_t)any(1u << any(31)) - 3;
        else labels[at] = (int32_t)any(1u << any(31)) - 3;
    }
    Forest forest;
    forest_build(&forest, labels, sizes, starts, TREES);
    forest_free(&forest);
}

static int fuzz(void) {
    Plain plain[TREES];
    int32_t labels[TREES * MOST_NODES], sizes[TREES * MOST_NODES];
    int64_t starts[TREES + 1] = {0};
    const uint32_t alphabet = any(2) ? 2 : 9, most = any(3) ? 40 : MOST_NODES;
    for (int32_t t = 0; t < TREES; t++) {
        plain[t] = plain[0];
        if (t == 0 || any(2)) grow(&plain[t], 1 + (int32_t)any(most), alphabet, any(3));
        while (any(3)) repeat(&plain[t]);
        if (any(2)) plain[t].label[any((uint32_t)plain[t].n)] = 0;
        memcpy(labels + starts[t], plain[t].label, (size_t)plain[t].n * sizeof *labels);
        memcpy(sizes + starts[t], plain[t].size, (size_t)plain[t].n * sizeof *sizes);
        starts[t + 1] = starts[t] + plain[t].n;
    }
    /* Labels must be less than the number of nodes. */
    for (int64_t i = 0; i < starts[TREES]; i++) labels[i] %= (int32_t)starts[TREES];
    for (int32_t t = 0; t < TREES; t++)
        for (int32_t i = 0; i < plain[t].n; i++) plain[t].label[i] = labels[starts[t] + i];
    Forest forest;
    Memo memo;
    if (forest_build(&forest, labels, sizes, starts, TREES) != FOREST_OK)
        return wrong("forest rejected", 0, 0);
    memo_create(&memo, forest.shared, forest.subtrees, (int64_t)1 << any(20));
    int bad = 0;
    Workspace workspace, tight;
    workspace_create(&workspace, &forest);
    workspace_create(&tight, &forest);
    tight.arena.limit = (size_t)1 << (10 + any(9));
    for (int32_t a = 0; a < TREES; a++)
        for (int32_t b = 0; b < TREES; b++) {
            const int32_t expected = plain_distance(&plain[a], &plain[b]);
            const Memo *used = any(2) ? &memo : NULL;
            bad += check(&forest, used, plain, a, b, expected, true, &tight);
            for (int way = 0; way < 4; way++)
                bad += check(&forest, used, plain, a, b, expected, false, &workspace);
        }
    workspace_free(&workspace);
    workspace_free(&tight);
    memo_free(&memo);
    forest_free(&forest);
    spoil(labels, sizes, starts);
    return bad;
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    state = size;
    input = data;
    input_end = data + size;
    if (fuzz()) abort();
    return 0;
}
#else
int main(int count, char **arguments) {
    if (count != 3) return 2;
    const long rounds = strtol(arguments[1], NULL, 10);
    const uint64_t seed = strtoull(arguments[2], NULL, 10);
    for (long r = 0; r < rounds; r++) {
        state = seed + (uint64_t)r;
        if (fuzz()) {
            printf("seed %llu\n", (unsigned long long)(seed + (uint64_t)r));
            return 1;
        }
    }
    return 0;
}
#endif
