/* Vectorised rows of forest savings, the kernel's inner loops.
 *
 * A row is a sequence of tiles. A tile has as many columns as a few vectors have lanes. Its columns
 * are distributed so that every lane contains a run of adjacent columns. The running maximum along
 * a row is then passed from vector to vector, and from lane to lane only once per tile.
 */
#ifndef DETOURAGE_TILES_H
#define DETOURAGE_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int32_t lanes, vectors;
} TileShape;

/* Space before the tiles of a block, for the column before the first column. */
enum { TILE_GUARD = 32 };

static inline int32_t tile_columns(TileShape shape) { return shape.lanes * shape.vectors; }

/* Place of a column in a row. */
static inline int32_t tile_place(TileShape shape, int32_t column) {
    const int32_t within = column & (tile_columns(shape) - 1);
    return column - within + (within & (shape.vectors - 1)) * shape.lanes + within / shape.vectors;
}

/* jump:  row[j] = max(row[j], outside[j] + gain[j]), then the running maximum
 * leaf:  row[j] = max(row[j], row[j-1] + gain[j]), then the running maximum
 * shift: shifted[j] = row[j-1]
 *
 * These functions work in place on whole tiles, aligned to 64 bytes, and read row[-1], the last
 * column of the previous tile. If `mask` is given, it has zeros for those columns of the first tile
 * that must become zero, and all bits set elsewhere. */
#define DECLARE_TILE_FUNCTIONS(bits, cell)                                                      \
    typedef struct {                                                                            \
        void (*jump)(cell *row, const cell *outside, const cell *gain, const cell *mask,        \
                     ptrdiff_t tiles);                                                          \
        void (*leaf)(cell *row, const cell *gain, const cell *mask, ptrdiff_t tiles);           \
        void (*shift)(const cell *row, cell *shifted, ptrdiff_t tiles);                         \
        TileShape shape;                                                                        \
    } TileFunctions##bits;

DECLARE_TILE_FUNCTIONS(16, int16_t)
DECLARE_TILE_FUNCTIONS(32, int32_t)

typedef struct {
    const char *name;
    TileFunctions16 narrow;
    TileFunctions32 wide;
} VectorUnit;

/* Returns the i-th vector unit supported by this processor (widest vectors first), or NULL. */
const VectorUnit *vector_unit(int i);

#endif
