#include "bounds.h"

#include <string.h>

enum { WORD = 64, RISES = 1, FALLS = 2 };

/* Computes up to 64 rows of the table column by column. `steps` holds the changes from column to
 * column in the row above these rows, and is overwritten with the changes in the last of these
 * rows. Returns the sum of the changes in the last row. */
static int32_t fill_strip(const uint64_t *matches, int32_t rows, const int32_t *b, int32_t m,
                          uint8_t *steps) {
    const int32_t last = rows - 1;
    uint64_t rising = ~UINT64_C(0), falling = 0; /* changes from row to row down the column */
    int32_t change = 0;
    for (int32_t j = 0; j < m; j++) {
        const uint64_t above_rises = steps[j] & RISES, above_falls = steps[j] >> 1;
        const uint64_t match = matches[b[j]];
        const uint64_t vertical = match | falling;
        const uint64_t diagonal = match | above_falls;
        const uint64_t zero = (((diagonal & rising) + rising) ^ rising) | diagonal;
        uint64_t right_rises = falling | ~(zero | rising), right_falls = rising & zero;
        const uint64_t rises = right_rises >> last & 1, falls = right_falls >> last & 1;
        steps[j] = (uint8_t)(rises | falls << 1);
        change += (int32_t)rises - (int32_t)falls;
        right_rises = right_rises << 1 | above_rises;
        right_falls = right_falls << 1 | above_falls;
        rising = right_falls | ~(vertical | right_rises);
        falling = right_rises & vertical;
    }
    return change;
}

int32_t sequence_distance(const int32_t *a, int32_t n, const int32_t *b, int32_t m,
                          int32_t labels, int64_t most, Arena *arena) {
    while (n > 0 && m > 0 && *a == *b) a++, b++, n--, m--;
    while (n > 0 && m > 0 && a[n - 1] == b[m - 1]) n--, m--;
    if (n == 0 || m == 0) return n + m;
    if (sequence_words(n, m) > most) return n < m ? m - n : n - m;
    uint64_t *matches = TAKE(arena, uint64_t, labels);
    uint8_t *steps = TAKE(arena, uint8_t, m);
    if (arena_failed(arena)) return 0;
    memset(matches, 0, (size_t)labels * sizeof(uint64_t));
    memset(steps, RISES, (size_t)m);
    int32_t change = 0;
    for (int32_t i = 0; i < n; i += WORD) {
        const int32_t rows = min32(WORD, n - i);
        for (int32_t r = 0; r < rows; r++) matches[a[i + r]] |= UINT64_C(1) << r;
        change = fill_strip(matches, rows, b, m, steps);
        for (int32_t r = 0; r < rows; r++) matches[a[i + r]] = 0;
    }
    return n + change;
}

/* The nodes of a tree in level order, in which the children of a node are adjacent. */
typedef struct {
    int32_t *node, *first_child; /* first_child[i + 1] ends the children of i */
} Levels;

static void list_levels(const Tree *tree, Levels *levels, Arena *arena) {
    const int32_t n = tree->n;
    levels->node = TAKE(arena, int32_t, n);
    levels->first_child = TAKE(arena, int32_t, n + 1);
    if (arena_failed(arena)) return;
    int32_t count = 1;
    levels->node[0] = n - 1;
    for (int32_t i = 0; i < n; i++) {
        const int32_t node = levels->node[i];
        levels->first_child[i] = count;
        for (int32_t covered = 1; covered < tree->size[node];) {
            levels->node[count++] = node - covered;
            covered += tree->size[node - covered];
        }
    }
    levels->first_child[n] = count;
}

/* Two nodes at the same depth, and the pairs of their children. Equal subtrees at the start and the
 * end of the two lists of children are left out. */
typedef struct {
    int32_t a, b; /* in level order */
    int32_t children_a, children_b, first_pair;
    int32_t savings; /* initially those of the pair itself and of the equal subtrees at the ends */
} Pair;

int32_t top_down_distance(const Tree *a, const Tree *b, int64_t most_pairs, Arena *arena) {
    Levels x, y;
    list_levels(a, &x, arena);
    list_levels(b, &y, arena);
    Pair *pair = TAKE(arena, Pair, most_pairs);
    int32_t *row = TAKE(arena, int32_t, b->n + 1);
    if (arena_failed(arena)) return 0;
    int64_t pairs = 1;
    pair[0] = (Pair){.a = 0, .b = 0};
    for (int64_t p = 0; p < pairs; p++) {
        const int32_t node_a = x.node[pair[p].a], node_b = y.node[pair[p].b];
        if (a->subtree[node_a] == b->subtree[node_b]) {
            pair[p].savings = 2 * a->size[node_a];
            continue;
        }
        pair[p].savings = 1 + (a->label[node_a] == b->label[node_b]);
        int32_t first_a = x.first_child[pair[p].a], last_a = x.first_child[pair[p].a + 1];
        int32_t first_b = y.first_child[pair[p].b], last_b = y.first_child[pair[p].b + 1];
        while (first_a < last_a && first_b < last_b &&
               a->subtree[x.node[first_a]] == b->subtree[y.node[first_b]]) {
            pair[p].savings += 2 * a->size[x.node[first_a]];
            first_a++, first_b++;
        }
        while (first_a < last_a && first_b < last_b &&
               a->subtree[x.node[last_a - 1]] == b->subtree[y.node[last_b - 1]]) {
            last_a--, last_b--;
            pair[p].savings += 2 * a->size[x.node[last_a]];
        }
        pair[p].children_a = last_a - first_a;
        pair[p].children_b = last_b - first_b;
        pair[p].first_pair = (int32_t)pairs;
        if ((int64_t)pair[p].children_a * pair[p].children_b > most_pairs - pairs)
            return a->n + b->n;
        for (int32_t i = first_a; i < last_a; i++)
            for (int32_t j = first_b; j < last_b; j++) pair[pairs++] = (Pair){.a = i, .b = j};
    }
    for (int64_t p = pairs - 1; p >= 0; p--) {
        const Pair *child = &pair[pair[p].first_pair];
        if (pair[p].children_a == 0 || pair[p].children_b == 0) continue;
        memset(row, 0, ((size_t)pair[p].children_b + 1) * sizeof(int32_t));
        for (int32_t i = 0; i < pair[p].children_a; i++) {
            int32_t diagonal = 0;
            for (int32_t j = 1; j <= pair[p].children_b; j++, child++) {
                const int32_t both = diagonal + child->savings;
                diagonal = row[j];
                row[j] = max32(max32(row[j], row[j - 1]), both);
            }
        }
        pair[p].savings += row[pair[p].children_b];
    }
    return a->n + b->n - pair[0].savings;
}
