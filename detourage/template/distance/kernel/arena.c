#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

struct ArenaChunk {
    ArenaChunk *previous;
    size_t capacity;
};

static const size_t FIRST_CHUNK = (size_t)1 << 18;

static char *chunk_data(ArenaChunk *chunk) {
    const uintptr_t after = (uintptr_t)(chunk + 1);
    return (char *)chunk + sizeof(ArenaChunk) + (ALIGNMENT - after % ALIGNMENT) % ALIGNMENT;
}

static bool add_chunk(Arena *arena, size_t capacity) {
    ArenaChunk *chunk = malloc(sizeof(ArenaChunk) + ALIGNMENT + capacity);
    if (!chunk) {
        arena->out_of_memory = true;
        return false;
    }
    chunk->previous = arena->chunk;
    chunk->capacity = capacity;
    arena->chunk = chunk;
    arena->used = 0;
    arena->total += capacity;
    return true;
}

void *arena_take(Arena *arena, size_t count, size_t size) {
    if (arena_failed(arena)) return NULL;
    if (count > arena->limit / size || count * size + ALIGNMENT > arena->limit - arena->total) {
        /* The current chunk may still have room even if a new chunk would exceed the limit. */
        const size_t room = arena->chunk ? arena->chunk->capacity - arena->used : 0;
        if (count > room / size) {
            arena->over_limit = true;
            return NULL;
        }
    }
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->chunk || bytes > arena->chunk->capacity - arena->used) {
        size_t capacity = arena->total > FIRST_CHUNK ? arena->total : FIRST_CHUNK;
        if (capacity > arena->limit - arena->total) capacity = arena->limit - arena->total;
        if (!add_chunk(arena, bytes > capacity ? bytes : capacity)) return NULL;
    }
    char *piece = chunk_data(arena->chunk) + arena->used;
    arena->used += bytes;
    return piece;
}

ArenaMark arena_mark(const Arena *arena) { return (ArenaMark){arena->chunk, arena->used}; }

static void free_until(Arena *arena, const ArenaChunk *last) {
    while (arena->chunk != last) {
        ArenaChunk *previous = arena->chunk->previous;
        arena->total -= arena->chunk->capacity;
        free(arena->chunk);
        arena->chunk = previous;
    }
}

void arena_return(Arena *arena, ArenaMark mark) {
    free_until(arena, mark.chunk);
    arena->used = mark.used;
}

void arena_reset(Arena *arena) {
    const bool keep = arena->chunk && !arena->chunk->previous;
    const size_t needed = arena->total;
    arena->over_limit = arena->out_of_memory = false;
    arena->used = 0;
    if (keep || !arena->chunk) return;
    arena_free(arena);
    add_chunk(arena, needed);
    arena->out_of_memory = false;
}

void arena_free(Arena *arena) {
    free_until(arena, NULL);
    arena->used = 0;
}
