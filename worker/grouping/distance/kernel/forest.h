/* A set of trees whose equal subtrees are known to be equal. */
#ifndef DETOURAGE_FOREST_H
#define DETOURAGE_FOREST_H

#include "ted.h"

typedef struct {
    int32_t count;   /* of trees */
    Tree *trees;     /* their arrays lie one after the other in three long ones */
    int32_t labels;  /* one more than the greatest label */
    int32_t subtrees; /* number of different ones */
    int32_t shared;   /* those below this number have two nodes or more and occur in several
                         trees; with a subtree its first child's is among them, and before it */
} Forest;

typedef enum { FOREST_OK, FOREST_INVALID, FOREST_NO_MEMORY } ForestStatus;

/* `labels` and `sizes` hold the trees one after the other, each in postorder; `starts` has
 * count + 1 places in them. The arrays are copied. */
ForestStatus forest_build(Forest *forest, const int32_t *labels, const int32_t *sizes,
                          const int64_t *starts, int32_t count);
void forest_free(Forest *forest);

#endif
