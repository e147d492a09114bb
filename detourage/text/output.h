/* Growing arrays of bytes, and hashes of strings. */
#ifndef DETOURAGE_OUTPUT_H
#define DETOURAGE_OUTPUT_H

#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *data;
    size_t length, capacity;
    int failed;
} Output;

static inline void put(Output *out, const void *data, size_t length) {
    if (!length) return;
    if (out->length + length > out->capacity) {
        const size_t capacity = out->capacity * 2 + length + 256;
        char *moved = out->failed ? NULL : realloc(out->data, capacity);
        if (!moved) {
            out->failed = 1;
            return;
        }
        out->data = moved;
        out->capacity = capacity;
    }
    memcpy(out->data + out->length, data, length);
    out->length += length;
}

static inline PyObject *bytes_of(const Output *out) {
    return out->failed ? PyErr_NoMemory()
                       : PyBytes_FromStringAndSize(out->data ? out->data : "", (Py_ssize_t)out->length);
}

/* Return a seeded hash of a string, so that pages cannot be crafted with colliding strings. With a single
 * multiplication, flipping the highest bits of a word would have the same effect for any seed, and the next
 * word could undo it. */
static inline uint64_t hash_of(uint64_t seed, const char *string, size_t length) {
    uint64_t hash = seed ^ length;
    while (length) {
        const size_t taken = length < sizeof hash ? length : sizeof hash;
        uint64_t word = 0;
        memcpy(&word, string, taken);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 29;
        string += taken;
        length -= taken;
    }
    return hash;
}

#endif
