/* A set of trees in which equal subtrees have equal numbers. */
#ifndef DETOURAGE_FOREST_H
#define DETOURAGE_FOREST_H

#include "ted.h"

typedef struct {
    int32_t count;   /* number of trees */
    Tree *trees;     /* their arrays are slices of three large ones */
    int32_t labels;  /* one more than the greatest label */
    int32_t subtrees; /* number of distinct subtrees */
    int32_t shared;   /* subtrees with lower numbers have two or more nodes and occur in several
                         trees; the first child of such a subtree is a leaf, or another such
                         subtree with a lower number */
} Forest;

typedef enum { FOREST_OK, FOREST_INVALID, FOREST_NO_MEMORY } ForestStatus;

/* `labels` and `sizes` contain the concatenated trees, each in postorder. `starts` has count + 1
 * positions in them. The arrays are copied. */
ForestStatus forest_build(Forest *forest, const int32_t *labels, const int32_t *sizes,
                          const int64_t *starts, int32_t count);
void forest_free(Forest *forest);

#endif
