/* Preparation of the trees of a pair: cutting off common parts, mirroring, and listing the subtrees
 * on which the recurrence works. */
#ifndef DETOURAGE_SHAPE_H
#define DETOURAGE_SHAPE_H

#include "arena.h"
#include "ted.h"

/* Negative subtree numbers of roots that have lost children and therefore occur nowhere else. */
enum { TRIMMED_A = -1, TRIMMED_B = -2 };

/* Cuts off parts of both trees that some optimal mapping maps onto each other: equal first and last
 * subtrees of roots of equal label, and such roots themselves if each has a single child left.
 * Returns false and sets the distance if nothing is left to compare. */
bool trim(const Tree *a, const Tree *b, Tree *trimmed_a, Tree *trimmed_b, int32_t *distance,
          Arena *arena);

/* Builds the tree with all children in reverse order. If `node` is not NULL, it receives, for each
 * node of the mirror image, the corresponding node of `tree`. */
void mirror(const Tree *tree, Tree *image, int32_t *node, Arena *arena);

/* Keyroots: the nodes that are not first children. Only distinct subtrees of two or more nodes are
 * listed, because a repeated subtree gives nothing new. */
typedef struct {
    int32_t subtrees;  /* number of distinct subtrees of two or more nodes */
    int32_t *subtree;  /* by node: its number among these subtrees, or -1 for a leaf */
    int32_t *top;      /* by leaf: the highest node of which it is the leftmost leaf */
    int32_t *first_child; /* by node: its first child, or -1 for a leaf */
    int32_t *twin;     /* by keyroot: the next keyroot with an equal subtree, or -1 */
    int32_t count;     /* number of distinct keyroots */
    int32_t *keyroot;  /* keyroots in ascending order, so that nested ones come first */
    int64_t total_size; /* total size of the subtrees of the distinct keyroots */
} Keyroots;

/* `number` has an element for every subtree of the forest. All are -1 before and after the call. */
void find_keyroots(const Tree *tree, Keyroots *keyroots, int32_t *number, Arena *arena);

#endif
