#include "tiles.h"

#include <string.h>

#if defined(__x86_64__) || defined(_M_X64)
#define HAVE_SSE2 1
#include <immintrin.h>
#if defined(__GNUC__)
#define HAVE_WIDER 1
#define TARGET(features) __attribute__((target(features)))
#endif
#endif

/* `running` is the running maximum over the lanes of a vector, `up` moves every lane up by one and
 * shifts in a zero, `first` is a vector of one value and zeros, and `last` copies the last lane to
 * all lanes. Savings are never negative, so zero is their minimum. */
#define TILE_FUNCTIONS(attribute, suffix, cell, vector, VECTORS, load, store, add, max, and, or, \
                       splat, running, up, first, last)                                          \
    enum { LANES_##suffix = sizeof(vector) / sizeof(cell) };                                     \
    attribute static inline vector finish_##suffix(vector *x, cell *row, const cell *mask,       \
                                                   vector best) {                                \
        if (mask)                                                                                \
            for (int k = 0; k < VECTORS; k++)                                                    \
                x[k] = and(x[k], load((const void *)(mask + k * LANES_##suffix)));               \
        for (int k = 1; k < VECTORS; k++) x[k] = max(x[k], x[k - 1]);                            \
        const vector lanes = running(x[VECTORS - 1]);                                            \
        const vector before = max(best, up(lanes));                                              \
        for (int k = 0; k < VECTORS; k++)                                                        \
            store((void *)(row + k * LANES_##suffix), max(x[k], before));                        \
        return max(best, last(lanes));                                                           \
    }                                                                                            \
    attribute static void jump_##suffix(cell *row, const cell *outside, const cell *gain,        \
                                        const cell *mask, ptrdiff_t tiles) {                     \
        vector best = splat(row[-1]), x[VECTORS];                                                \
        for (ptrdiff_t t = 0; t < tiles; t++, mask = NULL) {                                     \
            for (int k = 0; k < VECTORS; k++) {                                                  \
                const vector jumped = add(load((const void *)(outside + k * LANES_##suffix)),    \
                                          load((const void *)(gain + k * LANES_##suffix)));      \
                x[k] = max(jumped, load((const void *)(row + k * LANES_##suffix)));              \
            }                                                                                    \
            best = finish_##suffix(x, row, mask, best);                                          \
            outside += VECTORS * LANES_##suffix;                                                 \
            gain += VECTORS * LANES_##suffix;                                                    \
            row += VECTORS * LANES_##suffix;                                                     \
        }                                                                                        \
    }                                                                                            \
    attribute static void leaf_##suffix(cell *row, const cell *gain, const cell *mask,           \
                                        ptrdiff_t tiles) {                                       \
        vector best = splat(row[-1]), x[VECTORS];                                                \
        cell before = row[-1];                                                                   \
        for (ptrdiff_t t = 0; t < tiles; t++, mask = NULL) {                                     \
            vector left = load((const void *)(row + (VECTORS - 1) * LANES_##suffix));            \
            left = or(up(left), first(before));                                                  \
            before = row[VECTORS * LANES_##suffix - 1];                                          \
            for (int k = 0; k < VECTORS; k++) {                                                  \
                const vector here = load((const void *)(row + k * LANES_##suffix));              \
                x[k] = max(here, add(left, load((const void *)(gain + k * LANES_##suffix))));    \
                left = here;                                                                     \
            }                                                                                    \
            best = finish_##suffix(x, row, mask, best);                                          \
            gain += VECTORS * LANES_##suffix;                                                    \
            row += VECTORS * LANES_##suffix;                                                     \
        }                                                                                        \
    }                                                                                            \
    attribute static void shift_##suffix(const cell *row, cell *shifted, ptrdiff_t tiles) {      \
        for (ptrdiff_t t = 0; t < tiles; t++) {                                                  \
            vector left = load((const void *)(row + (VECTORS - 1) * LANES_##suffix));            \
            left = or(up(left), first(row[-1]));                                                 \
            for (int k = 0; k < VECTORS; k++) {                                                  \
                store((void *)(shifted + k * LANES_##suffix), left);                             \
                left = load((const void *)(row + k * LANES_##suffix));                           \
            }                                                                                    \
            row += VECTORS * LANES_##suffix;                                                     \
            shifted += VECTORS * LANES_##suffix;                                                 \
        }                                                                                        \
    }

#define FUNCTIONS_OF(suffix, vectors) \
    {jump_##suffix, leaf_##suffix, shift_##suffix, {LANES_##suffix, vectors}}

#define LOAD_CELL16(p) (*(const int16_t *)(p))
#define STORE_CELL16(p, x) (*(int16_t *)(p) = (x))
#define LOAD_CELL32(p) (*(const int32_t *)(p))
#define STORE_CELL32(p, x) (*(int32_t *)(p) = (x))
#define ADD_CELL16(a, b) ((int16_t)((a) + (b)))
#define ADD_CELL32(a, b) ((a) + (b))
#define MAX_CELL(a, b) ((a) > (b) ? (a) : (b))
#define AND_CELL(a, b) ((a) & (b))
#define OR_CELL(a, b) ((a) | (b))
#define SAME(x) (x)
#define ZERO(x) ((void)(x), 0)
TILE_FUNCTIONS(, scalar16, int16_t, int16_t, 8, LOAD_CELL16, STORE_CELL16, ADD_CELL16,
               MAX_CELL, AND_CELL, OR_CELL, SAME, SAME, ZERO, SAME, SAME)
TILE_FUNCTIONS(, scalar32, int32_t, int32_t, 8, LOAD_CELL32, STORE_CELL32, ADD_CELL32,
               MAX_CELL, AND_CELL, OR_CELL, SAME, SAME, ZERO, SAME, SAME)

#if HAVE_SSE2
static inline __m128i max32_sse2(__m128i a, __m128i b) {
    const __m128i greater = _mm_cmpgt_epi32(a, b);
    return _mm_or_si128(_mm_and_si128(greater, a), _mm_andnot_si128(greater, b));
}
static inline __m128i running16_sse2(__m128i x) {
    x = _mm_max_epi16(x, _mm_slli_si128(x, 2));
    x = _mm_max_epi16(x, _mm_slli_si128(x, 4));
    return _mm_max_epi16(x, _mm_slli_si128(x, 8));
}
static inline __m128i running32_sse2(__m128i x) {
    x = max32_sse2(x, _mm_slli_si128(x, 4));
    return max32_sse2(x, _mm_slli_si128(x, 8));
}
static inline __m128i up16_sse2(__m128i x) { return _mm_slli_si128(x, 2); }
static inline __m128i up32_sse2(__m128i x) { return _mm_slli_si128(x, 4); }
static inline __m128i first16_sse2(int16_t x) { return _mm_cvtsi32_si128((uint16_t)x); }
static inline __m128i last16_sse2(__m128i x) {
    return _mm_shuffle_epi32(_mm_shufflehi_epi16(x, 0xFF), 0xFF);
}
static inline __m128i last32_sse2(__m128i x) { return _mm_shuffle_epi32(x, 0xFF); }
TILE_FUNCTIONS(, sse2_16, int16_t, __m128i, 8, _mm_load_si128, _mm_store_si128,
               _mm_add_epi16, _mm_max_epi16, _mm_and_si128, _mm_or_si128, _mm_set1_epi16,
               running16_sse2, up16_sse2, first16_sse2, last16_sse2)
TILE_FUNCTIONS(, sse2_32, int32_t, __m128i, 8, _mm_load_si128, _mm_store_si128,
               _mm_add_epi32, max32_sse2, _mm_and_si128, _mm_or_si128, _mm_set1_epi32,
               running32_sse2, up32_sse2, _mm_cvtsi32_si128, last32_sse2)
#endif

#if HAVE_WIDER
#define AVX2 TARGET("avx2")
/* Moves the lower half of a vector to the upper half and fills the lower half with zeros. */
AVX2 static inline __m256i raised_avx2(__m256i x) { return _mm256_permute2x128_si256(x, x, 8); }
AVX2 static inline __m256i running16_avx2(__m256i x) {
    x = _mm256_max_epi16(x, _mm256_slli_si256(x, 2));
    x = _mm256_max_epi16(x, _mm256_slli_si256(x, 4));
    x = _mm256_max_epi16(x, _mm256_slli_si256(x, 8));
    const __m256i low = _mm256_shufflehi_epi16(raised_avx2(x), 0xFF);
    return _mm256_max_epi16(x, _mm256_shuffle_epi32(low, 0xFF));
}
AVX2 static inline __m256i running32_avx2(__m256i x) {
    x = _mm256_max_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_max_epi32(x, _mm256_slli_si256(x, 8));
    return _mm256_max_epi32(x, _mm256_shuffle_epi32(raised_avx2(x), 0xFF));
}
AVX2 static inline __m256i up16_avx2(__m256i x) {
    return _mm256_alignr_epi8(x, raised_avx2(x), 14);
}
AVX2 static inline __m256i up32_avx2(__m256i x) {
    return _mm256_alignr_epi8(x, raised_avx2(x), 12);
}
AVX2 static inline __m256i first16_avx2(int16_t x) {
    return _mm256_zextsi128_si256(_mm_cvtsi32_si128((uint16_t)x));
}
AVX2 static inline __m256i first32_avx2(int32_t x) {
    return _mm256_zextsi128_si256(_mm_cvtsi32_si128(x));
}
AVX2 static inline __m256i last16_avx2(__m256i x) {
    return _mm256_permute4x64_epi64(_mm256_shufflehi_epi16(x, 0xFF), 0xFF);
}
AVX2 static inline __m256i last32_avx2(__m256i x) {
    return _mm256_permute4x64_epi64(_mm256_shuffle_epi32(x, 0xFF), 0xFF);
}
TILE_FUNCTIONS(AVX2, avx2_16, int16_t, __m256i, 8, _mm256_load_si256, _mm256_store_si256,
               _mm256_add_epi16, _mm256_max_epi16, _mm256_and_si256, _mm256_or_si256,
               _mm256_set1_epi16, running16_avx2, up16_avx2, first16_avx2, last16_avx2)
TILE_FUNCTIONS(AVX2, avx2_32, int32_t, __m256i, 8, _mm256_load_si256, _mm256_store_si256,
               _mm256_add_epi32, _mm256_max_epi32, _mm256_and_si256, _mm256_or_si256,
               _mm256_set1_epi32, running32_avx2, up32_avx2, first32_avx2, last32_avx2)

#define AVX512 TARGET("avx512f,avx512bw")
/* Moves the quarters of a vector up by one, two or three, and fills the rest with zeros. */
#define RAISED(x, by, order) \
    _mm512_maskz_shuffle_i64x2((__mmask8)(0xFF << 2 * (by)), (x), (x), (order))
#define RAISED_1(x) RAISED(x, 1, _MM_SHUFFLE(2, 1, 0, 0))
#define RAISED_2(x) RAISED(x, 2, _MM_SHUFFLE(1, 0, 0, 0))
#define RAISED_3(x) RAISED(x, 3, _MM_SHUFFLE(0, 0, 0, 0))
AVX512 static inline __m512i running16_avx512(__m512i x) {
    x = _mm512_max_epi16(x, _mm512_bslli_epi128(x, 2));
    x = _mm512_max_epi16(x, _mm512_bslli_epi128(x, 4));
    x = _mm512_max_epi16(x, _mm512_bslli_epi128(x, 8));
    const __m512i ends = _mm512_shuffle_epi32(_mm512_shufflehi_epi16(x, 0xFF), 0xFF);
    x = _mm512_max_epi16(x, RAISED_1(ends));
    return _mm512_max_epi16(x, _mm512_max_epi16(RAISED_2(ends), RAISED_3(ends)));
}
AVX512 static inline __m512i running32_avx512(__m512i x) {
    x = _mm512_max_epi32(x, _mm512_bslli_epi128(x, 4));
    x = _mm512_max_epi32(x, _mm512_bslli_epi128(x, 8));
    const __m512i ends = _mm512_shuffle_epi32(x, 0xFF);
    x = _mm512_max_epi32(x, RAISED_1(ends));
    return _mm512_max_epi32(x, _mm512_max_epi32(RAISED_2(ends), RAISED_3(ends)));
}
AVX512 static inline __m512i up16_avx512(__m512i x) {
    return _mm512_alignr_epi8(x, RAISED_1(x), 14);
}
AVX512 static inline __m512i up32_avx512(__m512i x) {
    return _mm512_alignr_epi8(x, RAISED_1(x), 12);
}
AVX512 static inline __m512i first16_avx512(int16_t x) {
    return _mm512_zextsi128_si512(_mm_cvtsi32_si128((uint16_t)x));
}
AVX512 static inline __m512i first32_avx512(int32_t x) {
    return _mm512_zextsi128_si512(_mm_cvtsi32_si128(x));
}
AVX512 static inline __m512i last16_avx512(__m512i x) {
    return _mm512_permutexvar_epi16(_mm512_set1_epi16(31), x);
}
AVX512 static inline __m512i last32_avx512(__m512i x) {
    return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), x);
}
TILE_FUNCTIONS(AVX512, avx512_16, int16_t, __m512i, 4, _mm512_load_si512,
               _mm512_store_si512, _mm512_add_epi16, _mm512_max_epi16, _mm512_and_si512,
               _mm512_or_si512, _mm512_set1_epi16, running16_avx512, up16_avx512,
               first16_avx512, last16_avx512)
TILE_FUNCTIONS(AVX512, avx512_32, int32_t, __m512i, 4, _mm512_load_si512,
               _mm512_store_si512, _mm512_add_epi32, _mm512_max_epi32, _mm512_and_si512,
               _mm512_or_si512, _mm512_set1_epi32, running32_avx512, up32_avx512,
               first32_avx512, last32_avx512)
#endif

static const VectorUnit UNITS[] = {
#if HAVE_WIDER
    {"avx512", FUNCTIONS_OF(avx512_16, 4), FUNCTIONS_OF(avx512_32, 4)},
    {"avx2", FUNCTIONS_OF(avx2_16, 8), FUNCTIONS_OF(avx2_32, 8)},
#endif
#if HAVE_SSE2
    {"sse2", FUNCTIONS_OF(sse2_16, 8), FUNCTIONS_OF(sse2_32, 8)},
#endif
    {"scalar", FUNCTIONS_OF(scalar16, 8), FUNCTIONS_OF(scalar32, 8)},
};

static bool is_available(const VectorUnit *unit) {
#if HAVE_WIDER
    if (strcmp(unit->name, "avx512") == 0) return __builtin_cpu_supports("avx512bw");
    if (strcmp(unit->name, "avx2") == 0) return __builtin_cpu_supports("avx2");
#endif
    (void)unit;
    return true;
}

const VectorUnit *vector_unit(int i) {
    for (size_t u = 0; u < sizeof UNITS / sizeof *UNITS; u++)
        if (is_available(&UNITS[u]) && i-- == 0) return &UNITS[u];
    return NULL;
}
