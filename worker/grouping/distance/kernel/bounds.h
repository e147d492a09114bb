/* Bounds of the tree edit distance, far cheaper than the distance. */
#ifndef DETOURAGE_BOUNDS_H
#define DETOURAGE_BOUNDS_H

#include "arena.h"
#include "ted.h"

/* Unit-cost edit distance of two sequences of labels below `labels`, bit-parallel (Myers 1999,
 * in the form of Hyyrö 2003), in words of 64 rows. Where the words, of which there are
 * `sequence_words` at most, are more than `most`, only the difference of their lengths. */
int32_t sequence_distance(const int32_t *a, int32_t n, const int32_t *b, int32_t m,
                          int32_t labels, int64_t most, Arena *arena);
static inline int64_t sequence_words(int32_t n, int32_t m) { return ((int64_t)n / 64 + 1) * m; }

/* The cost of a top-down mapping, in which the parents of mapped nodes are mapped to each
 * other (Selkow 1977): no less than the distance. Gives up on trees where it would have to
 * look at more than `most_pairs` pairs of nodes and then returns n + m. */
int32_t top_down_distance(const Tree *a, const Tree *b, int64_t most_pairs, Arena *arena);

#endif
