/* The distance of two trees of a forest, by the cheapest exact method. */
#ifndef DETOURAGE_PAIR_H
#define DETOURAGE_PAIR_H

#include "arena.h"
#include "forest.h"
#include "memo.h"
#include "tiles.h"

typedef enum { SIDE_CHEAPER, SIDE_LEFT, SIDE_RIGHT } Side;
typedef enum { CELLS_NARROWEST, CELLS_16, CELLS_32 } CellWidth;

/* Method of computation. Every method gives the same distance. */
typedef struct {
    const VectorUnit *unit;
    CellWidth width;
    Side side;          /* whose paths are decomposed along */
    bool trims;         /* cut off what both trees share */
    bool skips;         /* do without a table where the bounds meet */
    bool runs_bounded;  /* fill the tables only near the diagonal where that is enough */
} Way;

extern const Way USUAL_WAY; /* except for the unit */

/* What a thread needs to compare one pair after the other. */
typedef struct {
    Arena arena;
    int32_t *number; /* of every subtree of the forest: -1 */
    int64_t work;    /* units that the last pair took at most, the same on every machine */
} Workspace;

bool workspace_create(Workspace *workspace, const Forest *forest);
void workspace_free(Workspace *workspace);

enum { PAIR_TOO_LARGE = -1, PAIR_NO_MEMORY = -2, PAIR_LEFT = -3 };

enum { UNBOUNDED = INT32_MAX - 1 };

/* The distance, or bound + 1 if it is greater, or a negative number on failure. */
int32_t pair_distance(const Forest *forest, int32_t a, int32_t b, int32_t bound, const Way *way,
                      const Memo *memo, Workspace *workspace);

/* An optimal mapping: for each node of tree a, in postorder, the node of b or -1. Returns
 * the distance or a negative number on failure. */
int32_t pair_mapping(const Forest *forest, int32_t a, int32_t b, const Way *way, int32_t *mapped,
                     Workspace *workspace);

/* Lower bound: the edit distances of the labels in postorder and in preorder.
 * Upper bound: a top-down mapping, or the sizes of the trees if that is not cheap. */
int32_t pair_lower_bound(const Forest *forest, int32_t a, int32_t b, Workspace *workspace);
int32_t pair_upper_bound(const Forest *forest, int32_t a, int32_t b, Workspace *workspace);

#endif
