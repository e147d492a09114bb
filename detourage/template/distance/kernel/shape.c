#include "shape.h"

#include <string.h>

/* Lists the positions of a node's children from right to left and returns their number. */
static int32_t children(const Tree *tree, int32_t node, int32_t *child) {
    int32_t count = 0;
    for (int32_t covered = 1; covered < tree->size[node];) {
        child[count++] = node - covered;
        covered += tree->size[node - covered];
    }
    return count;
}

/* Copies a root with only the nodes from `begin` to `end` below it. */
static void cut(const Tree *tree, int32_t root, int32_t begin, int32_t end, int32_t trimmed,
                Tree *part, Arena *arena) {
    const int32_t n = end - begin + 1;
    part->n = n;
    part->label = TAKE(arena, int32_t, n);
    part->size = TAKE(arena, int32_t, n);
    part->subtree = TAKE(arena, int32_t, n);
    if (arena_failed(arena)) return;
    const size_t bytes = (size_t)(n - 1) * sizeof(int32_t);
    memcpy(part->label, tree->label + begin, bytes);
    memcpy(part->size, tree->size + begin, bytes);
    memcpy(part->subtree, tree->subtree + begin, bytes);
    part->label[n - 1] = tree->label[root];
    part->size[n - 1] = n;
    part->subtree[n - 1] = n == tree->size[root] ? tree->subtree[root] : trimmed;
}

/* Trimming preserves the distance, because it loses no savings. If two roots have equal labels and
 * one of them is mapped to a node other than the other root, that other root is not mapped at all,
 * so mapping the roots to each other saves at least as much. Suppose that the first (or last)
 * subtrees of two forests, A and B, are equal. If a node of A is mapped to a node outside B, nodes
 * of B can only be mapped to nodes of A. Every pair with a node in A or B thus has a node in A.
 * There are at most as many such pairs as nodes of A, so they save no more than mapping A onto B.
 * The same applies with A and B exchanged. */
bool trim(const Tree *a, const Tree *b, Tree *trimmed_a, Tree *trimmed_b, int32_t *distance,
          Arena *arena) {
    int32_t root_a = a->n - 1, root_b = b->n - 1;
    int32_t *child_a = TAKE(arena, int32_t, a->n), *child_b = TAKE(arena, int32_t, b->n);
    if (arena_failed(arena)) return true;
    for (;;) {
        if (a->subtree[root_a] == b->subtree[root_b]) {
            *distance = 0;
            return false;
        }
        int32_t count_a = children(a, root_a, child_a), count_b = children(b, root_b, child_b);
        int32_t last = 0;
        if (a->label[root_a] == b->label[root_b]) {
            while (count_a > 0 && count_b > 0 &&
                   a->subtree[child_a[count_a - 1]] == b->subtree[child_b[count_b - 1]])
                count_a--, count_b--;
            while (last < count_a && last < count_b &&
                   a->subtree[child_a[last]] == b->subtree[child_b[last]])
                last++;
            if (count_a - last == 1 && count_b - last == 1) {
                root_a = child_a[last];
                root_b = child_b[last];
                continue;
            }
        }
        const bool any_a = count_a > last, any_b = count_b > last;
        const int32_t begin_a = any_a ? leftmost(a, child_a[count_a - 1]) : 0;
        const int32_t begin_b = any_b ? leftmost(b, child_b[count_b - 1]) : 0;
        const int32_t end_a = any_a ? child_a[last] + 1 : 0, end_b = any_b ? child_b[last] + 1 : 0;
        if (a->label[root_a] == b->label[root_b] && !(any_a && any_b)) {
            *distance = end_a - begin_a + end_b - begin_b;
            return false;
        }
        cut(a, root_a, begin_a, end_a, TRIMMED_A, trimmed_a, arena);
        cut(b, root_b, begin_b, end_b, TRIMMED_B, trimmed_b, arena);
        return true;
    }
}

void mirror(const Tree *tree, Tree *image, int32_t *node, Arena *arena) {
    const int32_t n = tree->n;
    image->n = n;
    image->label = TAKE(arena, int32_t, n);
    image->size = TAKE(arena, int32_t, n);
    image->subtree = TAKE(arena, int32_t, n);
    int32_t *depth = TAKE(arena, int32_t, n);
    if (arena_failed(arena)) return;
    depth[n - 1] = 0;
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t covered = 1; covered < tree->size[i];) {
            depth[i - covered] = depth[i] + 1;
            covered += tree->size[i - covered];
        }
        /* In preorder, a node is preceded by its ancestors and all nodes on its left. The mirror
         * image's postorder is the reversed preorder. */
        const int32_t at = n - 1 - (leftmost(tree, i) + depth[i]);
        image->label[at] = tree->label[i];
        image->size[at] = tree->size[i];
        image->subtree[at] = tree->subtree[i];
        if (node) node[at] = i;
    }
}

void find_keyroots(const Tree *tree, Keyroots *keyroots, int32_t *number, Arena *arena) {
    const int32_t n = tree->n;
    *keyroots = (Keyroots){
        .subtree = TAKE(arena, int32_t, n),
        .top = TAKE(arena, int32_t, n),
        .first_child = TAKE(arena, int32_t, n),
        .twin = TAKE(arena, int32_t, n),
        .keyroot = TAKE(arena, int32_t, n),
    };
    /* By distinct subtree: its last keyroot so far, or -1. */
    int32_t *last_keyroot = TAKE(arena, int32_t, n);
    if (arena_failed(arena)) return;
    for (int32_t i = 0; i < n; i++) {
        int32_t *top = &keyroots->top[leftmost(tree, i)];
        keyroots->first_child[i] = tree->size[i] == 1 ? -1 : *top;
        *top = i;
        if (tree->size[i] == 1) {
            keyroots->subtree[i] = -1;
            continue;
        }
        const int32_t known = tree->subtree[i];
        if (known < 0 || number[known] < 0) {
            if (known >= 0) number[known] = keyroots->subtrees;
            last_keyroot[keyroots->subtrees] = -1;
            keyroots->subtree[i] = keyroots->subtrees++;
        } else {
            keyroots->subtree[i] = number[known];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        if (tree->subtree[i] >= 0) number[tree->subtree[i]] = -1;
        if (tree->size[i] == 1 || keyroots->top[leftmost(tree, i)] != i) continue;
        int32_t *previous = &last_keyroot[keyroots->subtree[i]];
        keyroots->twin[i] = -1;
        if (*previous < 0) {
            keyroots->keyroot[keyroots->count++] = i;
            keyroots->total_size += tree->size[i];
        } else {
            keyroots->twin[*previous] = i;
        }
        *previous = i;
    }
}
