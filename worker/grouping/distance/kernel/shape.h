/* Preparation of a tree for one side: cutting off what the two trees of a pair share, mirroring,
 * and listing the subtrees on which the recurrence works. */
#ifndef DETOURAGE_SHAPE_H
#define DETOURAGE_SHAPE_H

#include "arena.h"
#include "ted.h"

/* Roots that have lost children get negative subtree numbers: they are met nowhere else. */
enum { TRIMMED_A = -1, TRIMMED_B = -2 };

/* Cuts off what an optimal mapping can be taken to map onto itself: roots of equal label,
 * where they are all that differs from a child, and equal first and last subtrees of such
 * roots. Returns false when nothing is left to compare, with the distance. */
bool trim(const Tree *a, const Tree *b, Tree *trimmed_a, Tree *trimmed_b, int32_t *distance,
          Arena *arena);

/* The tree with all children in reverse order. `node` receives, for each node of the mirror
 * image, the node of `tree` that it shows; may be NULL. */
void mirror(const Tree *tree, Tree *image, int32_t *node, Arena *arena);

/* Keyroots: the nodes that are not first children. Only the distinct ones count, a subtree
 * that occurs again brings nothing new; and only those of two nodes or more. */
typedef struct {
    int32_t subtrees;  /* distinct subtrees of two nodes or more */
    int32_t *subtree;  /* of a node: its number among them, or -1 for a leaf */
    int32_t *top;      /* of a leaf: the highest node whose leftmost leaf it is */
    int32_t *first_child; /* -1 of a leaf */
    int32_t *twin;     /* of a keyroot: the next one with an equal subtree, or -1 */
    int32_t count;     /* of distinct keyroots */
    int32_t *keyroot;  /* ascending: what is nested comes first */
    int64_t spread;    /* sum of the sizes of the distinct keyroots' subtrees */
} Keyroots;

/* `number` has an element for every subtree of the forest, all -1, and is left so. */
void find_keyroots(const Tree *tree, Keyroots *keyroots, int32_t *number, Arena *arena);

#endif
