/* Bounds of the tree edit distance, far cheaper than the distance itself. */
#ifndef DETOURAGE_BOUNDS_H
#define DETOURAGE_BOUNDS_H

#include "arena.h"
#include "ted.h"

/* Unit-cost edit distance of two sequences of labels that are less than `labels`, computed
 * bit-parallel in words of 64 rows (Myers, "A fast bit-vector algorithm for approximate string
 * matching based on dynamic programming", JACM 46(3), 1999, in the form of Hyyrö 2003). If this
 * would take more than `most` words (`sequence_words` returns the maximum), returns only the
 * difference of the lengths. */
int32_t sequence_distance(const int32_t *a, int32_t n, const int32_t *b, int32_t m,
                          int32_t labels, int64_t most, Arena *arena);
static inline int64_t sequence_words(int32_t n, int32_t m) { return ((int64_t)n / 64 + 1) * m; }

/* Cost of a top-down mapping, in which the parents of mapped nodes are mapped to each other
 * (Selkow, "The tree-to-tree editing problem", Information Processing Letters 6(6), 1977); it is
 * never less than the distance. Returns n + m if more than `most_pairs` pairs of nodes would have
 * to be examined. */
int32_t top_down_distance(const Tree *a, const Tree *b, int64_t most_pairs, Arena *arena);

#endif
