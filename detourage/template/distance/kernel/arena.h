/* Arena allocator for one comparison: pieces are allocated individually and freed together. */
#ifndef DETOURAGE_ARENA_H
#define DETOURAGE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ArenaChunk ArenaChunk;

typedef struct {
    ArenaChunk *chunk;
    size_t used;  /* bytes used in the current chunk */
    size_t total; /* capacity of all chunks, in bytes */
    size_t limit; /* maximum of `total` */
    bool over_limit, out_of_memory; /* why allocations return NULL; cleared by `arena_reset` */
} Arena;

/* Allocates `count` elements of `size` bytes, aligned to 64 bytes and uninitialised. Returns NULL
 * after any failure. */
void *arena_take(Arena *arena, size_t count, size_t size);
/* A position in the arena; returning to it frees all pieces allocated after it. */
typedef struct {
    ArenaChunk *chunk;
    size_t used;
} ArenaMark;
ArenaMark arena_mark(const Arena *arena);
void arena_return(Arena *arena, ArenaMark mark);
/* Frees all pieces, but keeps one chunk large enough for all of them. */
void arena_reset(Arena *arena);
void arena_free(Arena *arena);

static inline bool arena_failed(const Arena *arena) {
    return arena->over_limit || arena->out_of_memory;
}

#define TAKE(arena, type, count) ((type *)arena_take((arena), (size_t)(count), sizeof(type)))

#endif
