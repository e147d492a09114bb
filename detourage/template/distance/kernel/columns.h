/* Columns of the tables: one tree, laid out once for all rows.
 *
 * The tables of all distinct keyroots of the tree are placed side by side. Those of small subtrees
 * are packed into a few blocks, ordered by nesting level. Each packed table is preceded by an empty
 * column whose savings (its base) are at least as large as all earlier ones, so that the running
 * maximum of a row can continue from table to table. Every large subtree has a separate block.
 *
 * A row of savings contains all blocks. A row of gains contains the savings of one subtree of the
 * rows with every subtree of the columns: first the packed columns, then every node once. The
 * blocks of large subtrees are windows on these nodes.
 */
#ifndef DETOURAGE_COLUMNS_H
#define DETOURAGE_COLUMNS_H

#include "shape.h"
#include "tiles.h"

enum { NOWHERE = -1 };

/* An inner node on the left path of one of the subtrees. */
typedef struct {
    int32_t node;
    int32_t place, left; /* places of its column and of the previous one in a row of gains */
    int32_t base;
    int32_t first, last; /* range of its subtree's occurrences, if this node fills them */
} PathNode;

/* Range of columns whose gains do not depend on each other. */
typedef struct {
    int32_t first_tile, last_tile; /* within the block */
    int32_t path_first, path_last;
} Stage;

typedef struct {
    int32_t keyroot; /* root of a large subtree, or NOWHERE for a block of small ones */
    int32_t largest; /* size of the largest subtree */
    int32_t first_column, last_column;
    int32_t tiles;
    int32_t gain, saving; /* position of the first tile in a row of gains and in one of savings */
    int32_t stage_first, stage_last;
    int32_t path_first, path_last;
    int64_t fills; /* number of places per row filled by its path nodes */
} Block;

/* Place of an inner node, and place of the column before its leftmost leaf. */
typedef struct {
    int32_t place, source;
} Jump;

/* Column and places of an inner node without descendants of the same label. */
typedef struct {
    int32_t column, place, left, source;
} Innermost;

/* In all ranges given by a first and a last element, the last one is excluded. */
typedef struct {
    const Tree *tree;
    const Keyroots *keyroots;
    TileShape shape;
    int32_t savings, gains; /* lengths of the rows */
    int32_t blocks, stages, paths;
    Block *block;
    Stage *stage;
    PathNode *path;
    int32_t *base;            /* savings of the empty forest, as long as a row of gains */
    int32_t *inner_before;    /* by column: number of inner nodes before it */
    Jump *inner;              /* inner nodes */
    int32_t *occurrence;      /* places of equal subtrees */
    int32_t *leaf_first;      /* by label: start of its leaves in `leaf` */
    int32_t *leaf;            /* places of the leaves, by label */
    int32_t *innermost_first; /* by label: start of its nodes in `innermost` */
    Innermost *innermost;     /* inner nodes without descendants of their label, by label */
} Columns;

/* Reports failure through the arena. No savings exceed `greatest`. */
void lay_out_columns(Columns *columns, const Tree *tree, const Keyroots *keyroots,
                     TileShape shape, int32_t labels, int32_t greatest, Arena *arena);

#endif
