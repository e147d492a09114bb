#include "forest.h"

#include <stdlib.h>
#include <string.h>

static bool is_postorder(const int32_t *size, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        int32_t covered = 1;
        while (covered < size[i]) {
            if (covered > i) return false;
            covered += size[i - covered];
        }
        if (covered != size[i]) return false;
    }
    return n > 0 && size[n - 1] == n;
}

static uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

typedef struct {
    const int32_t *label, *size; /* labels and sizes of the nodes of all trees */
    int32_t *subtree;
    int32_t *first;  /* by subtree: first node in the forest at which it occurs */
    int32_t *bucket; /* hash table of subtrees; -1 if empty */
    uint64_t mask;
    int32_t count;
} Census;

/* Returns whether two nodes have the same number of children with pairwise equal subtrees. */
static bool same_children(const Census *census, int32_t a, int32_t b) {
    for (int32_t covered = 1; covered < census->size[a];) {
        if (census->subtree[a - covered] != census->subtree[b - covered]) return false;
        covered += census->size[a - covered];
    }
    return true;
}

static void identify(Census *census, int32_t node) {
    uint64_t hash = mixed((uint64_t)census->label[node], (uint64_t)census->size[node]);
    for (int32_t covered = 1; covered < census->size[node];) {
        hash = mixed(hash, (uint64_t)census->subtree[node - covered]);
        covered += census->size[node - covered];
    }
    uint64_t at = hash & census->mask;
    while (census->bucket[at] >= 0) {
        const int32_t first = census->first[census->bucket[at]];
        if (census->label[first] == census->label[node] &&
            census->size[first] == census->size[node] && same_children(census, first, node)) {
            census->subtree[node] = census->bucket[at];
            return;
        }
        at = (at + 1) & census->mask;
    }
    census->bucket[at] = census->subtree[node] = census->count;
    census->first[census->count++] = node;
}

typedef struct {
    int32_t trees, size, subtree;
} Ranked;

static int in_rank(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if ((x->size == 1) != (y->size == 1)) return x->size == 1 ? 1 : -1;
    if (x->trees != y->trees) return x->trees > y->trees ? -1 : 1;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->subtree < y->subtree ? -1 : 1;
}

/* Renumbers the subtrees. They are ordered by descending number of trees in which they are found,
 * then by ascending size, so that children come before their parents. Leaves come last. */
static bool rank_subtrees(Forest *forest, const Census *census) {
    const size_t count = (size_t)census->count;
    Ranked *ranked = malloc(count * sizeof(Ranked));
    int32_t *last_tree = malloc(count * sizeof(int32_t));
    int32_t *number = malloc(count * sizeof(int32_t));
    const bool ok = ranked && last_tree && number;
    if (ok) {
        for (int32_t s = 0; s < census->count; s++) {
            last_tree[s] = -1;
            ranked[s] = (Ranked){.size = census->size[census->first[s]], .subtree = s};
        }
        for (int32_t t = 0; t < forest->count; t++)
            for (int32_t i = 0; i < forest->trees[t].n; i++) {
                const int32_t s = forest->trees[t].subtree[i];
                ranked[s].trees += last_tree[s] != t;
                last_tree[s] = t;
            }
        qsort(ranked, count, sizeof(Ranked), in_rank);
        for (int32_t s = 0; s < census->count; s++) {
            number[ranked[s].subtree] = s;
            forest->shared += ranked[s].size > 1 && ranked[s].trees > 1;
        }
        for (int32_t t = 0; t < forest->count; t++)
            for (int32_t i = 0; i < forest->trees[t].n; i++)
                forest->trees[t].subtree[i] = number[forest->trees[t].subtree[i]];
    }
    free(ranked);
    free(last_tree);
    free(number);
    return ok;
}

static ForestStatus identify_all(Forest *forest, int64_t nodes) {
    uint64_t buckets = 64;
    while (buckets < 2 * (uint64_t)nodes) buckets *= 2;
    Census census = {
        .label = forest->trees[0].label,
        .size = forest->trees[0].size,
        .subtree = forest->trees[0].subtree,
        .first = malloc((size_t)nodes * sizeof(int32_t)),
        .bucket = malloc((size_t)buckets * sizeof(int32_t)),
        .mask = buckets - 1,
    };
    bool ok = census.first && census.bucket;
    if (ok) {
        memset(census.bucket, 0xFF, (size_t)buckets * sizeof(int32_t));
        for (int64_t i = 0; i < nodes; i++) identify(&census, (int32_t)i);
        forest->subtrees = census.count;
        if (forest->count > 2) ok = rank_subtrees(forest, &census);
    }
    free(census.first);
    free(census.bucket);
    return ok ? FOREST_OK : FOREST_NO_MEMORY;
}

ForestStatus forest_build(Forest *forest, const int32_t *labels, const int32_t *sizes,
                          const int64_t *starts, int32_t count) {
    *forest = (Forest){.count = count};
    const int64_t nodes = starts[count];
    for (int32_t t = 0; t < count; t++) {
        const int64_t n = starts[t + 1] - starts[t];
        if (n < 1 || n > nodes || !is_postorder(sizes + starts[t], (int32_t)n))
            return FOREST_INVALID;
    }
    for (int64_t i = 0; i < nodes; i++) {
        if (labels[i] < 0 || labels[i] >= nodes) return FOREST_INVALID;
        forest->labels = max32(forest->labels, labels[i] + 1);
    }
    forest->trees = malloc((size_t)(count ? count : 1) * sizeof(Tree));
    int32_t *arrays = malloc((size_t)(nodes ? nodes : 1) * 3 * sizeof(int32_t));
    if (!forest->trees || !arrays) {
        free(forest->trees);
        free(arrays);
        forest->trees = NULL;
        return FOREST_NO_MEMORY;
    }
    memcpy(arrays, labels, (size_t)nodes * sizeof(int32_t));
    memcpy(arrays + nodes, sizes, (size_t)nodes * sizeof(int32_t));
    for (int32_t t = 0; t < count; t++)
        forest->trees[t] = (Tree){
            .n = (int32_t)(starts[t + 1] - starts[t]),
            .label = arrays + starts[t],
            .size = arrays + nodes + starts[t],
            .subtree = arrays + 2 * nodes + starts[t],
        };
    if (count == 0) {
        free(arrays);
        return FOREST_OK;
    }
    return identify_all(forest, nodes);
}

void forest_free(Forest *forest) {
    if (forest->trees && forest->count) free(forest->trees[0].label);
    free(forest->trees);
    forest->trees = NULL;
}
