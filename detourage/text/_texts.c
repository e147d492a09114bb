/* Cleaning, tokenisation and counting of texts in a single pass. Character traits are taken from a
 * table built in Python.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "traits.h"

/* Counts per text, named as in `detourage.text.texts.Count`. */
enum { TOKENS, SENTENCES, UNSPACED_CHARACTERS, CHARACTERS, CAPITALS, DECIMALS, COMMAS, QUOTES, SEPARATORS,
       ATS, COPYRIGHTS, WORDS, CAPITALISED, IDEOGRAPHS, FIRST, LAST, COUNTS };

enum { FIRST_IDEOGRAPH = 0x2E80, FIRST_RARE = 0x20000, LAST_UNSPACED = 0x3FFFF };

typedef struct {
    char *data;
    size_t length, capacity;
    int failed;
} Output;

typedef struct {
    uint64_t hash;
    size_t start;
    uint32_t length;
    int32_t number;
    Py_ssize_t text;
} Slot;

/* Distinct tokens: their concatenated bytes, and a hash table with the position of each token and
 * the latest text that contains it. */
typedef struct {
    Output bytes;
    Slot *slots;
    size_t room, used;
    PyObject *items;
} Distinct;

typedef struct {
    const uint32_t *traits, *lower;
    size_t known;
    uint64_t seed;
    Distinct distinct;
    Output clean, token, numbers, repeated, counts;
    PyObject *texts, *tokens;
    Py_ssize_t text;
} Reader;

static void put(Output *out, const void *data, size_t length) {
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

/* Decode a character of valid UTF-8, and advance to the next. */
static uint32_t character(const unsigned char **at) {
    const unsigned char *c = *at;
    if (c[0] < 0x80) {
        *at += 1;
        return c[0];
    }
    if (c[0] < 0xE0) {
        *at += 2;
        return (uint32_t)(c[0] & 0x1F) << 6 | (c[1] & 0x3F);
    }
    if (c[0] < 0xF0) {
        *at += 3;
        return (uint32_t)(c[0] & 0x0F) << 12 | (uint32_t)(c[1] & 0x3F) << 6 | (c[2] & 0x3F);
    }
    *at += 4;
    return (uint32_t)(c[0] & 0x07) << 18 | (uint32_t)(c[1] & 0x3F) << 12 |
           (uint32_t)(c[2] & 0x3F) << 6 | (c[3] & 0x3F);
}

static void put_character(Output *out, uint32_t code) {
    if (code < 0x80) {
        const char c = (char)code;
        put(out, &c, 1);
    } else if (code < 0x800) {
        const char c[] = {(char)(0xC0 | code >> 6), (char)(0x80 | (code & 0x3F))};
        put(out, c, 2);
    } else if (code < 0x10000) {
        const char c[] = {(char)(0xE0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3F)),
                          (char)(0x80 | (code & 0x3F))};
        put(out, c, 3);
    } else {
        const char c[] = {(char)(0xF0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3F)),
                          (char)(0x80 | (code >> 6 & 0x3F)), (char)(0x80 | (code & 0x3F))};
        put(out, c, 4);
    }
}

static uint32_t traits_of(const Reader *reader, uint32_t code) {
    if (code < reader->known) return reader->traits[code];
    return code >= FIRST_RARE && code <= LAST_UNSPACED ? UNSPACED : 0;
}

/* Number of sentence ends so far, and state after the latest characters. */
typedef struct {
    int32_t sure, weak;
    int is_mark, is_sure, is_unspaced, is_greek;
} Sentences;

static void end_sentence(Sentences *found) {
    if (found->is_mark && found->is_sure)
        found->sure++;
    else if (found->is_mark)
        found->weak++;
    found->is_mark = 0;
}

static void read_sentence(Sentences *found, uint32_t traits) {
    if (traits & SENTENCE_MARK) {
        if (!found->is_mark) found->is_sure = 0;
        found->is_mark = 1;
        found->is_sure |= !(traits & WEAK_MARK);
    } else if (traits & AFTER_SENTENCE)
        end_sentence(found);
    else
        found->is_mark = 0;
    found->sure += (traits & UNSPACED_MARK) && !found->is_unspaced;
    found->is_unspaced = (traits & UNSPACED_MARK) != 0;
    found->is_greek |= (traits & GREEK) != 0;
}

/* Clean a text to one line, and count its characters. */
static void read_characters(Reader *reader, const unsigned char *at, const unsigned char *end,
                            int32_t *counts) {
    Sentences found = {0};
    Output *clean = &reader->clean;
    uint32_t traits = 0;
    int is_parted = 0, begins = 1;
    clean->length = 0;
    while (at < end) {
        const unsigned char *from = at;
        const uint32_t now = traits_of(reader, character(&at));
        counts[UNSPACED_CHARACTERS] += (now & UNSPACED) != 0;
        if (now & INVISIBLE) continue;
        if (now & (SPACE | ILLEGAL)) {
            is_parted = clean->length > 0;
            continue;
        }
        if (is_parted) {
            put(clean, " ", 1);
            read_sentence(&found, traits_of(reader, ' '));
            counts[CHARACTERS]++;
            begins = 1;
            is_parted = 0;
        }
        traits = now;
        if (!counts[CHARACTERS]++) counts[FIRST] = (int32_t)traits;
        put(clean, from, (size_t)(at - from));
        counts[WORDS] += begins;
        counts[CAPITALISED] += begins && (traits & UPPER);
        begins = 0;
        counts[CAPITALS] += (traits & UPPER) != 0;
        counts[DECIMALS] += (traits & DECIMAL) != 0;
        counts[COMMAS] += (traits & COMMA) != 0;
        counts[QUOTES] += (traits & QUOTE) != 0;
        counts[SEPARATORS] += (traits & SEPARATOR) != 0;
        counts[ATS] += (traits & AT) != 0;
        counts[COPYRIGHTS] += (traits & COPYRIGHT) != 0;
        read_sentence(&found, traits);
    }
    end_sentence(&found);
    counts[LAST] = (int32_t)traits;
    counts[SENTENCES] = found.sure + (found.is_greek ? found.weak : 0);
}

static int grow(Distinct *distinct) {
    const size_t room = distinct->room ? distinct->room * 2 : 1024;
    Slot *slots = calloc(room, sizeof(Slot));
    if (!slots) return 0;
    for (size_t i = 0; i < distinct->room; i++) {
        if (!distinct->slots[i].length) continue;
        size_t place = distinct->slots[i].hash & (room - 1);
        while (slots[place].length) place = (place + 1) & (room - 1);
        slots[place] = distinct->slots[i];
    }
    free(distinct->slots);
    distinct->slots = slots;
    distinct->room = room;
    return 1;
}

/* Return whether a token is a single character from U+2E80 onwards, that is, three bytes from E2 BA 80
 * onwards, or four bytes. */
static int is_ideograph(const char *token, size_t length) {
    const unsigned char *at = (const unsigned char *)token;
    return at[0] >= 0xE2 && length == (at[0] < 0xF0 ? 3u : 4u) && character(&at) >= FIRST_IDEOGRAPH;
}

/* Store a token. Return 0 with an exception set on failure. */
static int end_token(Reader *reader, int32_t *counts) {
    Output *token = &reader->token;
    Distinct *distinct = &reader->distinct;
    const size_t length = token->length;
    token->length = 0;
    if (!length) return 1;
    counts[IDEOGRAPHS] += is_ideograph(token->data, length);
    if (token->failed || (distinct->used * 2 >= distinct->room && !grow(distinct))) {
        PyErr_NoMemory();
        return 0;
    }
    /* Seeded, so that pages cannot be crafted with colliding tokens. */
    uint64_t hash = reader->seed;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)token->data[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    size_t place = hash & (distinct->room - 1);
    Slot *slot = distinct->slots + place;
    while (slot->length && (slot->hash != hash || slot->length != length ||
                            memcmp(distinct->bytes.data + slot->start, token->data, length))) {
        place = (place + 1) & (distinct->room - 1);
        slot = distinct->slots + place;
    }
    if (!slot->length) {
        PyObject *item = PyUnicode_DecodeUTF8(token->data, (Py_ssize_t)length, "strict");
        const int is_kept = item && PyList_Append(distinct->items, item) == 0;
        Py_XDECREF(item);
        if (!is_kept) return 0;
        *slot = (Slot){hash, distinct->bytes.length, (uint32_t)length, (int32_t)distinct->used++, 0};
        put(&distinct->bytes, token->data, length);
        if (distinct->bytes.failed) {
            PyErr_NoMemory();
            return 0;
        }
    }
    const char is_repeated = slot->text == reader->text;
    slot->text = reader->text;
    put(&reader->numbers, &slot->number, sizeof slot->number);
    put(&reader->repeated, &is_repeated, 1);
    counts[TOKENS]++;
    return PyList_Append(reader->tokens, PyList_GetItem(distinct->items, slot->number)) == 0;
}

/* Split a text into tokens in lower case, according to the table. Return 0 with an exception set on
 * failure. */
static int read_tokens(Reader *reader, const char *text, Py_ssize_t length, int32_t *counts) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        uint32_t code = character(&at);
        if (code < reader->known) code = reader->lower[code];
        const uint32_t traits = traits_of(reader, code);
        if ((traits & WORD) || ((traits & SIGN) && reader->token.length)) {
            put_character(&reader->token, code);
            continue;
        }
        if (!end_token(reader, counts)) return 0;
        if (!(traits & UNSPACED)) continue;
        put_character(&reader->token, code);
        if (!end_token(reader, counts)) return 0;
    }
    return end_token(reader, counts);
}

/* Return whether a text has characters whose lower case depends on context (U+03A3) or consists of
 * two characters (U+0130). */
static int has_unsteady(const char *text, Py_ssize_t length) {
    const unsigned char *at = (const unsigned char *)text;
    for (Py_ssize_t i = 0; i + 1 < length; i++)
        if ((at[i] == 0xCE && at[i + 1] == 0xA3) || (at[i] == 0xC4 && at[i + 1] == 0xB0)) return 1;
    return 0;
}

static int read_tokens_of(Reader *reader, PyObject *text, int32_t *counts) {
    Py_ssize_t length;
    const char *data = PyUnicode_AsUTF8AndSize(text, &length);
    if (!data) return 0;
    if (length == PyUnicode_GetLength(text) || !has_unsteady(data, length))
        return read_tokens(reader, data, length, counts);
    PyObject *lowered = PyObject_CallMethod(text, "lower", NULL);
    data = lowered ? PyUnicode_AsUTF8AndSize(lowered, &length) : NULL;
    const int is_done = data && read_tokens(reader, data, length, counts);
    Py_XDECREF(lowered);
    return is_done;
}

static int read_text(Reader *reader, PyObject *text, int is_line) {
    int32_t counts[COUNTS] = {0};
    Py_ssize_t length;
    const char *data = PyUnicode_AsUTF8AndSize(text, &length);
    if (!data) return 0;
    reader->text++;
    read_characters(reader, (const unsigned char *)data, (const unsigned char *)data + length, counts);
    const Output *clean = &reader->clean;
    if (clean->failed) {
        PyErr_NoMemory();
        return 0;
    }
    PyObject *shown = text;
    if (clean->length == (size_t)length && (!length || !memcmp(clean->data, data, clean->length)))
        Py_INCREF(shown);
    else
        shown = PyUnicode_DecodeUTF8(clean->data ? clean->data : "", (Py_ssize_t)clean->length, "strict");
    const int is_done = shown && PyList_Append(reader->texts, shown) == 0 &&
                        read_tokens_of(reader, is_line ? shown : text, counts);
    Py_XDECREF(shown);
    put(&reader->counts, counts, sizeof counts);
    return is_done;
}

static int read_all(Reader *reader, PyObject *texts, int is_line) {
    const Py_ssize_t count = PyList_Size(texts);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!read_text(reader, PyList_GetItem(texts, i), is_line)) return 0;
    return count >= 0;
}

static PyObject *bytes_of(const Output *out) {
    return out->failed ? PyErr_NoMemory()
                       : PyBytes_FromStringAndSize(out->data ? out->data : "", (Py_ssize_t)out->length);
}

PyDoc_STRVAR(read_doc,
             "read(texts, lines, traits, lower, seed) -> tuple\n\n"
             "Read two lists of texts (see detourage.text.texts); the second one is tokenised after\n"
             "cleaning. The tables have a uint32 per character up to a maximum. Return lists of\n"
             "cleaned texts, tokens and distinct tokens, followed by int32 indices of the tokens among\n"
             "the distinct ones, bools for tokens repeated in their text, and int32 counts per text.");

static PyObject *texts_read(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *texts, *lines, *answer = NULL;
    Py_buffer traits, lower;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "OOy*y*K", &texts, &lines, &traits, &lower, &seed)) return NULL;
    const size_t known = (size_t)(traits.len < lower.len ? traits.len : lower.len) / sizeof(uint32_t);
    Reader reader = {.traits = traits.buf, .lower = lower.buf, .known = known, .seed = seed};
    reader.texts = PyList_New(0);
    reader.tokens = PyList_New(0);
    reader.distinct.items = PyList_New(0);
    if (known <= ' ')
        PyErr_SetString(PyExc_ValueError, "the tables do not cover ASCII");
    else if (reader.texts && reader.tokens && reader.distinct.items && read_all(&reader, texts, 0) &&
             read_all(&reader, lines, 1)) {
        PyObject *numbers = bytes_of(&reader.numbers), *counts = bytes_of(&reader.counts);
        PyObject *repeated = bytes_of(&reader.repeated);
        if (numbers && repeated && counts)
            answer = PyTuple_Pack(6, reader.texts, reader.tokens, reader.distinct.items, numbers,
                                  repeated, counts);
        Py_XDECREF(numbers);
        Py_XDECREF(repeated);
        Py_XDECREF(counts);
    }
    Py_XDECREF(reader.texts);
    Py_XDECREF(reader.tokens);
    Py_XDECREF(reader.distinct.items);
    free(reader.distinct.slots);
    free(reader.distinct.bytes.data);
    free(reader.clean.data);
    free(reader.token.data);
    free(reader.numbers.data);
    free(reader.repeated.data);
    free(reader.counts.data);
    PyBuffer_Release(&traits);
    PyBuffer_Release(&lower);
    return answer;
}

PyDoc_STRVAR(count_doc,
             "count(text, traits) -> (int, int)\n\n"
             "Count the tokens of a text, and its characters that are words of their own.");

static PyObject *texts_count(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *text;
    Py_buffer traits;
    if (!PyArg_ParseTuple(args, "Uy*", &text, &traits)) return NULL;
    const Reader reader = {.traits = traits.buf, .known = (size_t)traits.len / sizeof(uint32_t)};
    Py_ssize_t length, tokens = 0, alone = 0;
    const unsigned char *at = (const unsigned char *)PyUnicode_AsUTF8AndSize(text, &length);
    const unsigned char *end = at ? at + length : NULL;
    int is_within = 0;
    while (at < end) {
        const uint32_t now = traits_of(&reader, character(&at));
        alone += (now & UNSPACED) != 0;
        tokens += (now & UNSPACED) || ((now & WORD) && !is_within);
        is_within = (now & WORD) || ((now & SIGN) && is_within);
    }
    PyBuffer_Release(&traits);
    return end ? Py_BuildValue("nn", tokens, alone) : NULL;
}

static PyMethodDef methods[] = {
    {"count", texts_count, METH_VARARGS, count_doc},
    {"read", texts_read, METH_VARARGS, read_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_texts", "Native kernel of detourage.text.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__texts(void) { return PyModuleDef_Init(&definition); }
