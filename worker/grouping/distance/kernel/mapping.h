/* An optimal mapping of two trees, followed back through the tables. */
#ifndef DETOURAGE_MAPPING_H
#define DETOURAGE_MAPPING_H

#include "arena.h"
#include "ted.h"

/* The mapping of f, whose nodes are the rows of `trees`, to g, the columns. */
typedef struct {
    const Tree *f, *g;
    const int32_t *number_f, *number_g; /* of the subtrees of two nodes or more */
    const int32_t *trees;  /* their savings: number_f * width + number_g */
    int32_t width;
    int32_t *mapped;       /* of a node of f: that of g; to begin with, -1 */
    int64_t cells;         /* of tables that may still be calculated */
    Arena *arena;
} Trace;

/* Fails by the arena. */
void trace_back(Trace *trace);

#endif
