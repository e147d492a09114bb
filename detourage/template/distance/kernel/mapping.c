#include "mapping.h"

#include <string.h>

/* Returns the amount that mapping two subtrees adds to the savings of the forests on their left.
 * If either node is a leaf, only the nodes themselves are counted, which is sufficient. */
static int32_t gain_of(const Trace *trace, int32_t u, int32_t v) {
    if (trace->f->size[u] == 1 || trace->g->size[v] == 1)
        return 1 + (trace->f->label[u] == trace->g->label[v]);
    return trace->trees[(size_t)trace->number_f[u] * (size_t)trace->width +
                        (size_t)trace->number_g[v]];
}

static void fill_forests(const Trace *trace, int32_t i, int32_t j, int32_t *savings) {
    const Tree *f = trace->f, *g = trace->g;
    const int32_t first_f = leftmost(f, i), first_g = leftmost(g, j);
    const size_t width = (size_t)g->size[j] + 1;
    memset(savings, 0, width * sizeof(int32_t));
    for (int32_t u = first_f; u <= i; u++) {
        int32_t *row = savings + (size_t)(u - first_f + 1) * width;
        const int32_t *above = row - width;
        const int32_t left_f = leftmost(f, u) - first_f;
        const int32_t *outside = savings + (size_t)left_f * width;
        row[0] = 0;
        for (int32_t v = first_g; v <= j; v++) {
            const int32_t y = v - first_g + 1, left_g = leftmost(g, v) - first_g;
            const int32_t pair = left_f == 0 && left_g == 0
                                     ? above[y - 1] + 1 + (f->label[u] == g->label[v])
                                     : outside[left_g] + gain_of(trace, u, v);
            row[y] = max32(pair, max32(above[y], row[y - 1]));
        }
    }
}

typedef struct {
    int32_t u, v;
} NodePair;

/* Traces back the mapping of subtrees i and j; pairs of subtrees mapped as a whole are left for
 * later. */
static int32_t follow(Trace *trace, int32_t i, int32_t j, const int32_t *savings,
                      NodePair *later) {
    const Tree *f = trace->f, *g = trace->g;
    const int32_t first_f = leftmost(f, i), first_g = leftmost(g, j);
    const size_t width = (size_t)g->size[j] + 1;
    int32_t count = 0, x = f->size[i], y = g->size[j];
    while (x > 0 && y > 0) {
        const int32_t *row = savings + (size_t)x * width, *above = row - width;
        const int32_t u = first_f + x - 1, v = first_g + y - 1;
        const int32_t left_f = leftmost(f, u) - first_f, left_g = leftmost(g, v) - first_g;
        if (row[y] == above[y]) {
            x--;
        } else if (row[y] == row[y - 1]) {
            y--;
        } else if (left_f == 0 && left_g == 0) {
            trace->mapped[u] = v;
            x--, y--;
        } else {
            if (f->size[u] == 1 || g->size[v] == 1) trace->mapped[u] = v;
            else later[count++] = (NodePair){u, v};
            x = left_f, y = left_g;
        }
    }
    return count;
}

static void map_equal(Trace *trace, int32_t i, int32_t j) {
    for (int32_t k = 0; k < trace->f->size[i]; k++) trace->mapped[i - k] = j - k;
}

void trace_back(Trace *trace) {
    const Tree *f = trace->f, *g = trace->g;
    NodePair *stack = TAKE(trace->arena, NodePair, f->n);
    if (arena_failed(trace->arena)) return;
    int32_t waiting = 1;
    stack[0] = (NodePair){f->n - 1, g->n - 1};
    while (waiting > 0) {
        const NodePair pair = stack[--waiting];
        if (f->subtree[pair.u] == g->subtree[pair.v]) {
            map_equal(trace, pair.u, pair.v);
            continue;
        }
        const int64_t cells = ((int64_t)f->size[pair.u] + 1) * ((int64_t)g->size[pair.v] + 1);
        trace->cells_left -= cells;
        if (trace->cells_left < 0) {
            trace->arena->over_limit = true;
            return;
        }
        const ArenaMark mark = arena_mark(trace->arena);
        int32_t *savings = TAKE(trace->arena, int32_t, cells);
        if (arena_failed(trace->arena)) return;
        fill_forests(trace, pair.u, pair.v, savings);
        waiting += follow(trace, pair.u, pair.v, savings, stack + waiting);
        arena_return(trace->arena, mark);
    }
}
