/* Cleaning of texts, and counting of their tokens and characters, in a single pass. Character traits are taken from a
 * table built in Python.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "traits.h"

/* Counts per text, named as in `detourage.text.token_counts.Count`. */
enum { TOKENS, SENTENCES, UNSPACED_CHARACTERS, CHARACTERS, CAPITALS, DECIMALS, COMMAS, QUOTES, SEPARATORS,
       ATS, COPYRIGHTS, WORDS, CAPITALISED, IDEOGRAPHS, FIRST, LAST, COUNTS };

enum { FIRST_IDEOGRAPH = 0x2E80, FIRST_RARE = 0x20000, LAST_UNSPACED = 0x3FFFF };

typedef struct {
    const uint32_t *traits, *lower;
    size_t known;
    uint64_t digest; /* of the tokens of the current text so far */
    Output joined, clean, token, counts, digests, invisible, line_texts;
    PyObject *texts;
} Reader;

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
    if (!(traits & (SENTENCE_MARK | AFTER_SENTENCE | UNSPACED_MARK | GREEK))) {
        found->is_mark = found->is_unspaced = 0;
        return;
    }
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

enum { COUNTED = UPPER | DECIMAL | COMMA | QUOTE | SEPARATOR | AT | COPYRIGHT };

/* Clean a text to one line, and count its characters. Return whether it has invisible characters. */
static int read_characters(Reader *reader, const unsigned char *at, const unsigned char *end,
                           int32_t *counts) {
    Sentences found = {0};
    Output *clean = &reader->clean;
    const unsigned char *run = at; /* the start of the characters still to be written */
    uint32_t traits = 0;
    int space_pending = 0, at_word_start = 1, has_invisible = 0;
    int unmarked = 0; /* letters since the latest space, in a script whose sentences end at a space */
    clean->length = 0;
    while (at < end) {
        const unsigned char *from = at;
        const uint32_t code = character(&at), current = traits_of(reader, code);
        counts[UNSPACED_CHARACTERS] += (current & UNSPACED) != 0;
        if (current & (INVISIBLE | SPACE | ILLEGAL)) {
            put(clean, run, (size_t)(from - run));
            run = at;
            if (current & INVISIBLE)
                has_invisible = 1;
            else
                space_pending = clean->length > 0;
            continue;
        }
        if (space_pending) {
            put(clean, " ", 1);
            found.sure += unmarked >= MIN_UNMARKED;
            unmarked = 0;
            read_sentence(&found, traits_of(reader, ' '));
            counts[CHARACTERS]++;
            at_word_start = 1;
            space_pending = 0;
        }
        traits = current;
        if (!counts[CHARACTERS]++) counts[FIRST] = (int32_t)traits;
        counts[WORDS] += at_word_start;
        counts[CAPITALISED] += at_word_start && (traits & UPPER);
        at_word_start = 0;
        if (traits & COUNTED) {
            counts[CAPITALS] += (traits & UPPER) != 0;
            counts[DECIMALS] += (traits & DECIMAL) != 0;
            counts[COMMAS] += (traits & COMMA) != 0;
            counts[QUOTES] += (traits & QUOTE) != 0;
            counts[SEPARATORS] += (traits & SEPARATOR) != 0;
            counts[ATS] += (traits & AT) != 0;
            counts[COPYRIGHTS] += (traits & COPYRIGHT) != 0;
        }
        unmarked = is_unmarked(code) ? unmarked + 1 : 0;
        read_sentence(&found, traits);
    }
    put(clean, run, (size_t)(end - run));
    end_sentence(&found);
    counts[LAST] = (int32_t)traits;
    counts[SENTENCES] = found.sure + (found.is_greek ? found.weak : 0);
    return has_invisible;
}

/* Return whether a token is a single character from U+2E80 onwards, that is, three bytes from E2 BA 80
 * onwards, or four bytes. */
static int is_ideograph(const char *token, size_t length) {
    const unsigned char *at = (const unsigned char *)token;
    return at[0] >= 0xE2 && length == (at[0] < 0xF0 ? 3u : 4u) && character(&at) >= FIRST_IDEOGRAPH;
}

/* Count a token, and add it to the digest. Return 0 with an exception set on failure. */
static int end_token(Reader *reader, int32_t *counts) {
    Output *token = &reader->token;
    const size_t length = token->length;
    token->length = 0;
    if (token->failed) PyErr_NoMemory();
    if (!length || token->failed) return !token->failed;
    counts[IDEOGRAPHS] += is_ideograph(token->data, length);
    counts[TOKENS]++;
    reader->digest = hash_of(reader->digest, token->data, length);
    return 1;
}

/* Split a text into tokens in lower case, according to the table. Return 0 with an exception set on
 * failure. */
static int read_tokens(Reader *reader, const char *text, Py_ssize_t length, int32_t *counts) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    Output *token = &reader->token;
    while (at < end) {
        uint32_t code = character(&at);
        if (code < reader->known) code = reader->lower[code];
        const uint32_t traits = traits_of(reader, code);
        if ((traits & WORD) || ((traits & SIGN) && token->length)) {
            if (code < 0x80 && token->length < token->capacity)
                token->data[token->length++] = (char)code;
            else
                put_character(token, code);
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
static int has_special_case(const char *text, Py_ssize_t length) {
    const unsigned char *at = (const unsigned char *)text;
    for (Py_ssize_t i = 0; i + 1 < length; i++)
        if ((at[i] == 0xCE && at[i + 1] == 0xA3) || (at[i] == 0xC4 && at[i + 1] == 0xB0)) return 1;
    return 0;
}

/* Read the tokens of a text; `data` is the same text in UTF-8. */
static int read_tokens_of(Reader *reader, PyObject *text, const char *data, Py_ssize_t length,
                          int32_t *counts) {
    if (length == PyUnicode_GetLength(text) || !has_special_case(data, length))
        return read_tokens(reader, data, length, counts);
    PyObject *lowered = PyObject_CallMethod(text, "lower", NULL);
    data = lowered ? PyUnicode_AsUTF8AndSize(lowered, &length) : NULL;
    const int is_done = data && read_tokens(reader, data, length, counts);
    Py_XDECREF(lowered);
    return is_done;
}

/* Read a text from `data`, in UTF-8; `text` is the same text or, for a line, NULL. Return whether it has
 * invisible characters, or -1 with an exception set on failure. */
static int read_text(Reader *reader, PyObject *text, const char *data, Py_ssize_t length) {
    int32_t counts[COUNTS] = {0};
    reader->digest = 0;
    const unsigned char *at = (const unsigned char *)data;
    const int has_invisible = read_characters(reader, at, at + length, counts);
    const Output *clean = &reader->clean;
    if (clean->failed) {
        PyErr_NoMemory();
        return -1;
    }
    const Py_ssize_t clean_length = (Py_ssize_t)clean->length;
    const char *clean_data = clean->data ? clean->data : "";
    const int is_clean = text && clean_length == length && !memcmp(clean_data, data, clean->length);
    PyObject *shown = text;
    if (is_clean)
        Py_INCREF(shown);
    else
        shown = PyUnicode_DecodeUTF8(clean_data, clean_length, "strict");
    const int is_done = shown && PyList_Append(reader->texts, shown) == 0 &&
                        (text ? read_tokens_of(reader, text, data, length, counts)
                              : read_tokens_of(reader, shown, clean_data, clean_length, counts));
    Py_XDECREF(shown);
    put(&reader->counts, counts, sizeof counts);
    put(&reader->digests, &reader->digest, sizeof reader->digest);
    return is_done ? has_invisible : -1;
}

/* Read the texts of a line as one text. */
static int read_line(Reader *reader, PyObject *texts, Py_ssize_t start, Py_ssize_t end) {
    Output *joined = &reader->joined;
    joined->length = 0;
    for (Py_ssize_t i = start; i < end; i++) {
        Py_ssize_t length;
        const char *data = PyUnicode_AsUTF8AndSize(PyList_GetItem(texts, i), &length);
        if (!data) return 0;
        put(joined, data, (size_t)length);
    }
    if (joined->failed) {
        PyErr_NoMemory();
        return 0;
    }
    return read_text(reader, NULL, joined->data ? joined->data : "", (Py_ssize_t)joined->length) >= 0;
}

/* Read texts, and then the lines that they form. A text without invisible characters that is alone in
 * its line is not read twice. */
static int read_all(Reader *reader, PyObject *texts, const int64_t *starts, Py_ssize_t lines) {
    const Py_ssize_t count = PyList_Size(texts);
    Output *invisible = &reader->invisible;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *text = PyList_GetItem(texts, i);
        Py_ssize_t length;
        const char *data = PyUnicode_AsUTF8AndSize(text, &length);
        const int has_invisible = data ? read_text(reader, text, data, length) : -1;
        if (has_invisible < 0) return 0;
        const char mark = (char)has_invisible;
        put(invisible, &mark, 1);
    }
    int64_t line_text, read = count;
    for (Py_ssize_t i = 0; i < lines; i++) {
        const int64_t start = starts[i], end = i + 1 < lines ? starts[i + 1] : count;
        if (start < 0 || start >= end || end > count || invisible->failed) {
            PyErr_SetString(PyExc_ValueError, "a line starts outside the texts");
            return 0;
        }
        const int is_alone = end == start + 1 && !invisible->data[start];
        if (!is_alone && !read_line(reader, texts, start, end)) return 0;
        line_text = is_alone ? start : read++;
        put(&reader->line_texts, &line_text, sizeof line_text);
    }
    return 1;
}

PyDoc_STRVAR(read_doc,
             "read(texts, starts, traits, lower) -> tuple\n\n"
             "Read texts, and the lines that begin at some of them (see detourage.text.token_counts). The tables have\n"
             "a uint32 per character up to a maximum. Return a list of cleaned texts, int32 counts\n"
             "per text, the uint64 digest of its tokens, and an int64 column with the text of each line.");

static PyObject *texts_read(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *texts, *answer = NULL;
    Py_buffer starts, traits, lower;
    if (!PyArg_ParseTuple(args, "O!y*y*y*", &PyList_Type, &texts, &starts, &traits, &lower)) return NULL;
    const size_t known = (size_t)(traits.len < lower.len ? traits.len : lower.len) / sizeof(uint32_t);
    const Py_ssize_t lines = starts.len / (Py_ssize_t)sizeof(int64_t);
    Reader reader = {.traits = traits.buf, .lower = lower.buf, .known = known};
    reader.texts = PyList_New(0);
    if (known <= ' ')
        PyErr_SetString(PyExc_ValueError, "the tables do not cover ASCII");
    else if (reader.texts && read_all(&reader, texts, starts.buf, lines)) {
        PyObject *counts = bytes_of(&reader.counts), *digests = bytes_of(&reader.digests);
        PyObject *line_texts = bytes_of(&reader.line_texts);
        if (counts && digests && line_texts)
            answer = PyTuple_Pack(4, reader.texts, counts, digests, line_texts);
        Py_XDECREF(counts);
        Py_XDECREF(digests);
        Py_XDECREF(line_texts);
    }
    Py_XDECREF(reader.texts);
    Output *const outputs[] = {&reader.joined, &reader.clean, &reader.token, &reader.counts,
                               &reader.digests, &reader.invisible, &reader.line_texts};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) free(outputs[i]->data);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&traits);
    PyBuffer_Release(&lower);
    return answer;
}

PyDoc_STRVAR(count_doc,
             "count(text, traits) -> (int, int)\n\n"
             "Count the tokens of a text, and its characters that are single-character words.");

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
        const uint32_t current = traits_of(&reader, character(&at));
        alone += (current & UNSPACED) != 0;
        tokens += (current & UNSPACED) || ((current & WORD) && !is_within);
        is_within = (current & WORD) || ((current & SIGN) && is_within);
    }
    PyBuffer_Release(&traits);
    return end ? Py_BuildValue("nn", tokens, alone) : NULL;
}

PyDoc_STRVAR(contains_doc,
             "contains(text, ranges) -> bool\n\n"
             "Return whether a text contains any of the characters, which are written as in a regex character\n"
             "class without escapes.");

static PyObject *texts_contains(PyObject *module, PyObject *args) {
    (void)module;
    enum { MAX_RANGES = 64 };
    Py_UCS4 first[MAX_RANGES], last[MAX_RANGES];
    int count = 0;
    PyObject *text, *ranges;
    if (!PyArg_ParseTuple(args, "UU", &text, &ranges)) return NULL;
    const Py_ssize_t length = PyUnicode_GetLength(text), size = PyUnicode_GetLength(ranges);
    for (Py_ssize_t i = 0; i < size; count++) {
        if (count == MAX_RANGES) return PyErr_Format(PyExc_ValueError, "more than %d ranges", MAX_RANGES);
        first[count] = last[count] = PyUnicode_ReadChar(ranges, i++);
        if (i + 1 < size && PyUnicode_ReadChar(ranges, i) == '-') {
            last[count] = PyUnicode_ReadChar(ranges, i + 1);
            i += 2;
        }
    }
    for (Py_ssize_t i = 0; i < length; i++) {
        const Py_UCS4 code = PyUnicode_ReadChar(text, i);
        for (int range = 0; range < count; range++)
            if (code >= first[range] && code <= last[range]) Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}

static PyMethodDef methods[] = {
    {"contains", texts_contains, METH_VARARGS, contains_doc},
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
