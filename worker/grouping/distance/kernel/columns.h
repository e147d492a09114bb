/* The columns of the tables: one tree, laid out once for all rows.
 *
 * The tables of all distinct keyroots of the tree stand side by side. Those of small subtrees
 * are packed into few blocks, level by level of nesting, each after an empty column whose
 * savings (its base) are no less than any before it, so that the running maximum of a row
 * passes over the seams. Every large subtree has a block of its own.
 *
 * A row of savings holds all blocks. A row of gains (the savings of one subtree of the rows
 * with every subtree of the columns) holds the packed columns and then every node once, the
 * blocks of large subtrees being windows on these.
 */
#ifndef DETOURAGE_COLUMNS_H
#define DETOURAGE_COLUMNS_H

#include "shape.h"
#include "tiles.h"

enum { NOWHERE = -1 };

/* A node with children on the left path of one of the subtrees. */
typedef struct {
    int32_t node;
    int32_t place, left; /* in a row of gains; of its column and of the one before */
    int32_t base;
    int32_t first, last; /* of the occurrences of its subtree, if this is the node to fill them */
} PathNode;

/* Columns whose gains do not depend on each other. */
typedef struct {
    int32_t first_tile, last_tile; /* within the block */
    int32_t path_first, path_last;
} Stage;

typedef struct {
    int32_t keyroot; /* of a large subtree; NOWHERE in a block of small ones */
    int32_t largest; /* size of the largest subtree */
    int32_t first_column, last_column;
    int32_t tiles;
    int32_t gain, saving; /* where a row of gains, and one of savings, has the first tile */
    int32_t stage_first, stage_last;
    int32_t path_first, path_last;
    int64_t fills; /* places that its path nodes fill, a row */
} Block;

/* The place of a node with children, and that of the column before its leftmost leaf. */
typedef struct {
    int32_t place, source;
} Jump;

/* The same of a node whose descendants do not have its label. */
typedef struct {
    int32_t column, place, left, source;
} Innermost;

/* Wherever there is a first and a last, the last is excluded. */
typedef struct {
    const Tree *tree;
    const Keyroots *keyroots;
    TileShape shape;
    int32_t savings, gains; /* lengths of the rows */
    int32_t blocks, stages, paths;
    Block *block;
    Stage *stage;
    PathNode *path;
    int32_t *base;         /* a row of gains' length: savings of the empty forest */
    int32_t *inner_before; /* of a column: how many nodes with children are before it */
    Jump *inner;           /* the nodes with children */
    int32_t *occurrence;   /* places of equal subtrees */
    int32_t *leaf_first, *leaf;            /* by label: places of the leaves */
    int32_t *innermost_first;              /* by label: nodes with children, but without a */
    Innermost *innermost;                  /* descendant of the label */
} Columns;

/* Fails by the arena. No savings pass `greatest`. */
void lay_out_columns(Columns *columns, const Tree *tree, const Keyroots *keyroots,
                     TileShape shape, int32_t labels, int32_t greatest, Arena *arena);

#endif
