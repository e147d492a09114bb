/* Traits of characters, named as in `detourage.text.token_counts.Trait`. */
#ifndef DETOURAGE_TRAITS_H
#define DETOURAGE_TRAITS_H

#include <stdint.h>

enum {
    UPPER = 1 << 0,
    DECIMAL = 1 << 1,
    DIGIT = 1 << 2,
    COMMA = 1 << 3,
    COLON = 1 << 4,
    QUESTION_MARK = 1 << 5,
    QUOTE = 1 << 6,
    SEPARATOR = 1 << 7,
    AT = 1 << 8,
    COPYRIGHT = 1 << 9,
    START_MARK = 1 << 10,
    END_MARK = 1 << 11,
    SPACE = 1 << 12,
    ILLEGAL = 1 << 13,
    INVISIBLE = 1 << 14,
    WORD = 1 << 15,
    UNSPACED = 1 << 16,
    SIGN = 1 << 17,
    SENTENCE_MARK = 1 << 18,
    WEAK_MARK = 1 << 19,
    AFTER_SENTENCE = 1 << 20,
    UNSPACED_MARK = 1 << 21,
    GREEK = 1 << 22,
    ALPHANUMERIC = 1 << 23,
};

/* Letters before the space that ends a sentence in Thai or Lao; a space after fewer is between phrases. */
enum { MIN_UNMARKED = 25 };

/* Whether a code point is of Thai or Lao, which have no mark at the end of a sentence. */
static inline int is_unmarked(uint32_t code) { return code >= 0x0E00 && code <= 0x0EFF; }

#endif
