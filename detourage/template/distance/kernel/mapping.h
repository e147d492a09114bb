/* Optimal mapping of two trees, traced back through the tables. */
#ifndef DETOURAGE_MAPPING_H
#define DETOURAGE_MAPPING_H

#include "arena.h"
#include "ted.h"

/* Mapping of tree f, whose subtrees are the rows of `trees`, to tree g, whose subtrees are the
 * columns. */
typedef struct {
    const Tree *f, *g;
    const int32_t *number_f, *number_g; /* numbers of the subtrees of two or more nodes */
    const int32_t *trees;  /* savings of subtree pairs, at number_f * width + number_g */
    int32_t width;
    int32_t *mapped;       /* by node of f: the node of g, initially -1 */
    int64_t cells_left;    /* number of table cells that may still be computed */
    Arena *arena;
} Trace;

/* Reports failure through the arena. */
void trace_back(Trace *trace);

#endif
