/* Distance between two trees of a forest, computed by the cheapest exact method. */
#ifndef DETOURAGE_PAIR_H
#define DETOURAGE_PAIR_H

#include "arena.h"
#include "forest.h"
#include "memo.h"
#include "tiles.h"

typedef enum { SIDE_CHEAPER, SIDE_LEFT, SIDE_RIGHT } Side;
typedef enum { CELLS_NARROWEST, CELLS_16, CELLS_32 } CellWidth;

/* Method of computation. All methods give the same distance. */
typedef struct {
    const VectorUnit *unit;
    CellWidth width;
    Side side;          /* side of the paths along which the trees are decomposed */
    bool trims;         /* cut off common parts of the trees */
    bool skips;         /* skip the tables if the bounds meet */
    bool runs_bounded;  /* fill the tables only near the diagonal if that is sufficient */
} Way;

extern const Way USUAL_WAY; /* without the vector unit */

/* Memory that a thread reuses from pair to pair. */
typedef struct {
    Arena arena;
    int32_t *number; /* -1 for every subtree of the forest */
    int64_t work;    /* upper bound of the previous pair's units, the same on every machine */
} Workspace;

bool workspace_create(Workspace *workspace, const Forest *forest);
void workspace_free(Workspace *workspace);

enum { PAIR_TOO_LARGE = -1, PAIR_NO_MEMORY = -2, PAIR_NOT_COMPUTED = -3 };

enum { UNBOUNDED = INT32_MAX - 1 };

/* Returns the distance, or bound + 1 if it is greater, or a negative number on failure. */
int32_t pair_distance(const Forest *forest, int32_t a, int32_t b, int32_t bound, const Way *way,
                      const Memo *memo, Workspace *workspace);

/* Finds an optimal mapping: for each node of tree a in postorder, the node of b or -1. Returns the
 * distance, or a negative number on failure. */
int32_t pair_mapping(const Forest *forest, int32_t a, int32_t b, const Way *way, int32_t *mapped,
                     Workspace *workspace);

/* Returns the greater of the edit distances of the labels in postorder and in preorder, or a
 * negative number on failure. */
int32_t pair_lower_bound(const Forest *forest, int32_t a, int32_t b, Workspace *workspace);

#endif
