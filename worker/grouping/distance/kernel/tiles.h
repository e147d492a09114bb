/* Rows of forest savings in vectors: the inner loops of everything.
 *
 * A row is a sequence of tiles, each of as many columns as a few vectors have lanes. The
 * columns of a tile are dealt out so that every lane holds a run of neighbours: the running
 * maximum along a row then goes from vector to vector, and from lane to lane once a tile.
 */
#ifndef DETOURAGE_TILES_H
#define DETOURAGE_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int32_t lanes, vectors;
} TileShape;

/* Room before the tiles of a block, for the column before the first one. */
enum { TILE_GUARD = 32 };

static inline int32_t tile_columns(TileShape shape) { return shape.lanes * shape.vectors; }

/* Where a row holds a column. */
static inline int32_t tile_place(TileShape shape, int32_t column) {
    const int32_t within = column & (tile_columns(shape) - 1);
    return column - within + (within & (shape.vectors - 1)) * shape.lanes + within / shape.vectors;
}

/* jump:  row[j] = max(row[j], outside[j] + gain[j]), then the running maximum
 * leaf:  row[j] = max(row[j], row[j-1] + gain[j]), then the running maximum
 * shift: shifted[j] = row[j-1]
 *
 * They work in place on whole tiles, aligned to 64 bytes, and read row[-1], the last column
 * of the tile before. `mask`, where given, has zeros for the columns of the first tile that
 * are to become zero, and elsewhere all bits set. */
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

/* The i-th vector unit that this processor supports, widest vectors first, or NULL. */
const VectorUnit *vector_unit(int i);

#endif
