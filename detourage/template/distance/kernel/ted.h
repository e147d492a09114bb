/* Definitions shared by all parts of the kernel for the exact unit-cost tree edit distance.
 *
 * Distances are computed from savings. In a mapping between two trees, a pair of nodes with
 * equal labels is worth 2 and a pair with different labels 1. The mapping corresponds to an edit
 * script of |F| + |G| - savings operations, so the distance is |F| + |G| minus the largest
 * savings. In this form, the recurrence of Zhang and Shasha (1989) is a plain maximum,
 *
 *   S[i][j] = max(S[i-1][j], S[i][j-1], S[l(i)-1][l(j)-1] + T[i][j]),
 *
 * where l is the leftmost leaf below a node and T the savings of two subtrees. The values never
 * decrease along rows and columns, and fit into 16 bits for trees of up to 16,000 nodes.
 */
#ifndef DETOURAGE_TED_H
#define DETOURAGE_TED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A tree in postorder. Equal subtrees have equal numbers in `subtree`, within this tree and across
 * the trees of a forest. */
typedef struct {
    int32_t n;
    int32_t *label, *size, *subtree;
} Tree;

static inline int32_t leftmost(const Tree *tree, int32_t i) { return i - tree->size[i] + 1; }
static inline int32_t min32(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t max32(int32_t a, int32_t b) { return a > b ? a : b; }

#endif
