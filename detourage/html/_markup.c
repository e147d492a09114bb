/* Conversion of serialised HTML to XML or to columns. The output is well-formed for any input, and
 * the columns equal those of the document parsed from the XML.
 *
 * The conversion is simple, because in serialised HTML (HTML standard, section 13.3) attribute
 * values are quoted, all elements except void ones have end tags, and text is escaped.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../text/output.h"

/* An open element, given by its name in the input and its index in the columns. */
typedef struct {
    const char *name;
    size_t length;
    int is_foreign, is_in_foreign;
    int64_t place;
} Open;

/* A distinct string with its hash, its offset in the strings and its number, counted from 1. */
typedef struct {
    uint64_t hash;
    size_t start, length;
    int64_t number;
} Slot;

/* NUL-terminated distinct strings in order of appearance, and a hash table of them. */
typedef struct {
    Output strings;
    Slot *slots;
    size_t room, used;
} Distinct;

enum { PARENTS, ENDS, TAGS, NAMES, TEXT_STARTS, TEXT_ENDS, SHOWN, PIECE_PARENTS, PIECE_AFTER,
       OWNERS, ATTRIBUTES, COLUMNS };

/* Columns of elements, texts and attributes. Texts and values are NUL-terminated; none contains NUL. */
typedef struct {
    Output numbers[COLUMNS];
    Output name, pieces, values;
    Distinct tags, names, attributes;
    int64_t elements, count, shown;
    uint64_t seed;
    int failed;
} Columns;

/* Contents of scripts and style sheets that were cut out of a page before it was parsed: their ranges in
 * the page, and how many have been restored. */
typedef struct {
    Py_buffer page, ranges;
    int64_t count, restored;
} Cuts;

/* State of a conversion. The first `base` open elements enclose the current input, which must not close
 * them. */
typedef struct {
    const char *at, *end;
    Output out;
    Open *open;
    size_t depth, base, room;
    PyObject *noscript;
    Columns *columns;
    Cuts cuts;
} Writer;

static const char *const VOID[] = {"area",  "base",   "basefont", "bgsound", "br",    "col",
                                   "embed", "frame",  "hr",       "img",     "input", "keygen",
                                   "link",  "meta",   "param",    "source",  "track", "wbr", NULL};
static const char *const RAW[] = {"script", "style", "xmp", "iframe", "noembed", "noframes",
                                  "noscript", NULL};
/* Foreign elements that contain HTML (section 13.2.6, the two kinds of integration points). */
static const char *const INTEGRATION[] = {"foreignobject", "desc", "title", "mi", "mo", "mn",
                                          "ms", "mtext", "annotation-xml", NULL};

/* The text, followed by a number, that stands for what was cut out of a page. */
static const char PLACEHOLDER[] = "\x02" "cut ";

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static int is_letter(char c) {
    c = lower(c);
    return c >= 'a' && c <= 'z';
}

static int is_name_start(char c) { return is_letter(c) || c == '_'; }

static int is_name_character(char c) {
    return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static int is_named(const char *name, size_t length, const char *wanted) {
    if (!length || lower(*name) != *wanted) return 0;
    for (size_t i = 0; i < length; i++)
        if (!wanted[i] || lower(name[i]) != wanted[i]) return 0;
    return !wanted[length];
}

static int is_one_of(const char *name, size_t length, const char *const *names) {
    for (; *names; names++)
        if (is_named(name, length, *names)) return 1;
    return 0;
}

static void put_string(Output *out, const char *text) { put(out, text, strlen(text)); }

/* Return whether the character is U+FFFE or U+FFFF, which XML does not allow. */
static int is_noncharacter(const char *at, const char *end) {
    return end - at >= 3 && at[0] == '\xef' && at[1] == '\xbf' && (at[2] & '\xfe') == '\xbe';
}

/* Return the character denoted by a reference in the form written by serialisers, and set the
 * reference's length. Return NULL if there is no reference. */
static const char *referenced(const char *at, const char *end, size_t *taken) {
    static const char *const REFERENCES[][2] = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", "\xc2\xa0"}};
    for (size_t i = 0; i < sizeof REFERENCES / sizeof REFERENCES[0]; i++) {
        const size_t length = strlen(REFERENCES[i][0]);
        if ((size_t)(end - at) >= length && !memcmp(at, REFERENCES[i][0], length)) {
            *taken = length;
            return REFERENCES[i][1];
        }
    }
    return NULL;
}

/* Return whether any of eight bytes is below 0x20, an ampersand or the first byte of U+FFFE. */
static int has_special(uint64_t bytes) {
    const uint64_t each = 0x0101010101010101u, ampersands = bytes ^ each * '&', others = bytes ^ each * 0xef;
    const uint64_t found = ((bytes - each * 0x20) & ~bytes) | ((ampersands - each) & ~ampersands) |
                           ((others - each) & ~others);
    return (found & each * 0x80) != 0;
}

/* Return the first position, at or after `at`, of a character that `put_plain` may have to replace. */
static const char *find_special(const char *at, const char *end) {
    for (uint64_t bytes; end - at >= (ptrdiff_t)sizeof bytes; at += sizeof bytes) {
        memcpy(&bytes, at, sizeof bytes);
        if (has_special(bytes)) break;
    }
    while (at < end && *at != '&' && *at != '\xef' && (unsigned char)*at >= 0x20) at++;
    return at;
}

/* Write a text with references decoded and characters not allowed in XML removed. */
static void put_plain(Output *out, const char *at, const char *end, int is_escaped) {
    const char *from = at;
    while ((at = find_special(at, end)) < end) {
        const char c = *at;
        const char *instead = NULL;
        size_t taken = 1;
        if (c == '&')
            instead = is_escaped ? referenced(at, end, &taken) : NULL;
        else if ((unsigned char)c < 0x20)
            instead = c == '\r' || c == '\n' || c == '\t' ? NULL : "";
        else if (c == '\xef' && is_noncharacter(at, end)) {
            instead = "";
            taken = 3;
        }
        if (instead) {
            put(out, from, (size_t)(at - from));
            put_string(out, instead);
            from = at + taken;
        }
        at += taken;
    }
    put(out, from, (size_t)(end - from));
}

/* Write a text for XML. Escaped text contains the serialiser's references and, in attributes,
 * quotes; other text contains no references. */
static void put_text(Output *out, const char *at, const char *end, int is_escaped,
                     int is_attribute) {
    const char *from = at;
    while (at < end) {
        const char c = *at;
        const char *instead = NULL;
        size_t taken = 1;
        if (c == '&') {
            if (!is_escaped)
                instead = "&amp;";
            else if (end - at >= 6 && !memcmp(at, "&nbsp;", 6)) {
                instead = "\xc2\xa0";
                taken = 6;
            } else if (!referenced(at, end, &taken))
                instead = "&amp;";
        } else if (c == '<')
            instead = "&lt;";
        else if (c == '>')
            instead = "&gt;";
        else if ((unsigned char)c < 0x20) {
            if (c == '\r')
                instead = "&#13;";
            else if (c != '\n' && c != '\t')
                instead = "";
            else if (is_attribute)
                instead = c == '\n' ? "&#10;" : "&#9;";
        } else if (c == '\xef' && is_noncharacter(at, end)) {
            instead = "";
            taken = 3;
        }
        if (instead) {
            put(out, from, (size_t)(at - from));
            put_string(out, instead);
            from = at + taken;
        }
        at += taken;
    }
    put(out, from, (size_t)(end - from));
}

/* Return the position of a name's only colon if it separates two names, or else the name's length. */
static size_t colon_of(const char *name, size_t length) {
    size_t found = length;
    for (size_t i = 0; i < length; i++) {
        if (name[i] != ':') continue;
        if (found < length || !i || i + 1 == length || !is_name_start(name[i + 1])) return length;
        found = i;
    }
    return found;
}

static void put_name(Output *out, const char *name, size_t length) {
    const size_t colon = colon_of(name, length), start = out->length;
    put(out, name, length);
    if (out->failed) return;
    for (size_t i = 0; i < length; i++) {
        const int fits = i ? i == colon || is_name_character(name[i]) : is_name_start(name[i]);
        out->data[start + i] = fits ? lower(name[i]) : '_';
    }
}

static int is_xml_attribute(const char *name, size_t length) {
    const size_t colon = colon_of(name, length);
    if (!length || !is_name_start(name[0])) return 0;
    if (length >= 5 && !memcmp(name, "xmlns", 5)) return 0;
    for (size_t i = 1; i < length; i++)
        if (i != colon && !is_name_character(name[i])) return 0;
    return 1;
}

static const char *find(const char *at, const char *end, const char *wanted) {
    const size_t length = strlen(wanted);
    while (end - at >= (ptrdiff_t)length) {
        at = memchr(at, wanted[0], (size_t)(end - at) - length + 1);
        if (!at) return NULL;
        if (!memcmp(at, wanted, length)) return at;
        at++;
    }
    return NULL;
}

/* Classes of the characters that may follow a tag's name: whitespace, slash and the tag's end. */
enum { IS_SPACE = 1, ENDS_NAME = 2 };
static const unsigned char CLASSES[256] = {[' '] = 3, ['\t'] = 3, ['\n'] = 3, ['\f'] = 3,
                                           ['\r'] = 3, ['/'] = 2, ['>'] = 2};

static int is_space(char c) { return CLASSES[(unsigned char)c] & IS_SPACE; }

static int ends_name(char c) { return CLASSES[(unsigned char)c] & ENDS_NAME; }

/* Return whether the given tag, which includes the slash of an end tag, starts here. */
static int is_script_tag(const char *at, const char *end, const char *tag) {
    const size_t length = strlen(tag);
    if ((size_t)(end - at) <= length) return 0;
    for (size_t i = 0; i < length; i++)
        if (lower(at[i]) != tag[i]) return 0;
    return ends_name(at[length]) != 0;
}

/* Return the end of a script. Inside what looks like a comment, a script may contain other scripts
 * (section 13.2.5.15 and the states that follow it). */
static const char *end_of_script(const char *at, const char *end) {
    int is_escaped = 0, is_doubly = 0;
    for (; at < end; at++) {
        if (!is_escaped && !(at = memchr(at, '<', (size_t)(end - at)))) return NULL;
        if (*at == '<') {
            if (!is_escaped && end - at >= 4 && !memcmp(at, "<!--", 4)) {
                is_escaped = 1;
                at += 1; /* "<!-->" is a complete comment: its end shares the dashes of its start. */
            } else if (is_script_tag(at, end, "</script")) {
                if (!is_doubly) return at;
                is_doubly = 0;
            } else if (is_escaped && is_script_tag(at, end, "<script"))
                is_doubly = 1;
        } else if (is_escaped && *at == '-' && end - at >= 3 && !memcmp(at, "-->", 3))
            is_escaped = is_doubly = 0;
    }
    return NULL;
}

static const char *end_of_raw(const char *at, const char *end, const char *name, size_t length) {
    char tag[16] = "</";
    if (is_named(name, length, "script")) return end_of_script(at, end);
    memcpy(tag + 2, name, length);
    memcpy(tag + 2 + length, ">", 2);
    return find(at, end, tag);
}

static int is_html_parent(const Writer *writer) {
    if (writer->depth == writer->base) return 1;
    const Open *parent = writer->open + writer->depth - 1;
    return !parent->is_foreign || is_one_of(parent->name, parent->length, INTEGRATION);
}

/* Return whether a text consists of whitespace as defined by Python. */
static int is_blank(const char *at, size_t length) {
    static const char *const SPACES[] = {
        "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\xa8",
        "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", NULL};
    const char *end = at + length;
    while (at < end) {
        size_t taken = *at == ' ' || *at == '\n' || *at == '\t' || *at == '\r';
        for (const char *const *space = SPACES; !taken && *space; space++)
            if (strlen(*space) <= (size_t)(end - at) && !memcmp(at, *space, strlen(*space)))
                taken = strlen(*space);
        /* U+2000 to U+200A. */
        if (!taken && end - at >= 3 && !memcmp(at, "\xe2\x80", 2) && (unsigned char)at[2] <= 0x8a)
            taken = 3;
        if (!taken) return 0;
        at += taken;
    }
    return 1;
}

static void put_number(Columns *columns, int column, int64_t number) {
    put(columns->numbers + column, (const char *)&number, sizeof number);
}

static void set_number(Columns *columns, int column, int64_t place, int64_t number) {
    if (!columns->numbers[column].failed)
        ((int64_t *)(void *)columns->numbers[column].data)[place] = number;
}

/* Make room for another string. */
static int grow(Distinct *distinct) {
    if (distinct->used * 2 < distinct->room) return 1;
    const size_t room = distinct->room ? distinct->room * 2 : 256;
    Slot *slots = calloc(room, sizeof *slots);
    if (!slots) return 0;
    for (size_t i = 0; i < distinct->room; i++) {
        if (!distinct->slots[i].number) continue;
        size_t place = distinct->slots[i].hash & (room - 1);
        while (slots[place].number) place = (place + 1) & (room - 1);
        slots[place] = distinct->slots[i];
    }
    free(distinct->slots);
    distinct->slots = slots;
    distinct->room = room;
    return 1;
}

/* Append the number of a string to a column. */
static void put_number_of(Columns *columns, int column, Distinct *distinct, const char *string, size_t length) {
    if (columns->failed || !grow(distinct)) {
        columns->failed = 1;
        return;
    }
    const uint64_t hash = hash_of(columns->seed, string, length);
    size_t place = hash & (distinct->room - 1);
    Slot *slot = distinct->slots + place;
    while (slot->number && (slot->hash != hash || slot->length != length ||
                            memcmp(distinct->strings.data + slot->start, string, length))) {
        place = (place + 1) & (distinct->room - 1);
        slot = distinct->slots + place;
    }
    if (!slot->number) {
        *slot = (Slot){hash, distinct->strings.length, length, (int64_t)++distinct->used};
        put(&distinct->strings, string, length);
        put(&distinct->strings, "", 1);
        columns->failed |= distinct->strings.failed;
    }
    put_number(columns, column, slot->number - 1);
}

/* Append the number of a name as in the document, in which only the prefix "xml" denotes a namespace. */
static void put_number_of_name(Columns *columns, int column, Distinct *distinct, const char *name, size_t length) {
    Output *plain = &columns->name;
    plain->length = 0;
    if (length > 4 && is_named(name, 4, "xml:") && colon_of(name, length) == 3) {
        put_string(plain, "{http://www.w3.org/XML/1998/namespace}");
        name += 4;
        length -= 4;
    }
    put_name(plain, name, length);
    columns->failed |= plain->failed;
    put_number_of(columns, column, distinct, plain->data ? plain->data : "", plain->length);
}

/* Store the text since the previous tag. */
static void flush(Writer *writer) {
    Columns *columns = writer->columns;
    if (!columns || !writer->out.length) return;
    if (writer->depth) {
        put_number(columns, PIECE_PARENTS, writer->open[writer->depth - 1].place);
        put_number(columns, PIECE_AFTER, columns->elements - 1);
        if (!is_blank(writer->out.data, writer->out.length)) {
            put_number(columns, SHOWN, columns->count);
            columns->shown++;
        }
        columns->count++;
        put(&columns->pieces, writer->out.data, writer->out.length);
        put(&columns->pieces, "", 1);
    }
    writer->out.length = 0;
}

static void write_text(Writer *writer, const char *end, int is_escaped) {
    if (writer->columns)
        put_plain(&writer->out, writer->at, end, is_escaped);
    else
        put_text(&writer->out, writer->at, end, is_escaped, 0);
    writer->at = end;
}

static void open_element(Writer *writer, const char *name, size_t length) {
    Columns *columns = writer->columns;
    if (!columns) {
        put(&writer->out, "<", 1);
        put_name(&writer->out, name, length);
        return;
    }
    flush(writer);
    columns->elements++;
    put_number(columns, PARENTS, writer->depth ? writer->open[writer->depth - 1].place : -1);
    put_number(columns, ENDS, columns->elements);
    put_number(columns, TEXT_STARTS, columns->shown);
    put_number(columns, TEXT_ENDS, columns->shown);
    put_number_of_name(columns, TAGS, &columns->tags, name, length);
}

/* A class or an id among the values. */
typedef struct {
    size_t start, length;
} Value;

/* Write an attribute as XML or, if there are columns, store it; set the range of a class or id in `names`. */
static void write_attribute(Writer *writer, const char *name, size_t length, const char *value,
                            const char *end, Value *names) {
    Columns *columns = writer->columns;
    if (!columns) {
        put(&writer->out, " ", 1);
        put_name(&writer->out, name, length);
        put(&writer->out, "=\"", 2);
        put_text(&writer->out, value, end, 1, 1);
        put(&writer->out, "\"", 1);
        return;
    }
    put_number(columns, OWNERS, columns->elements - 1);
    put_number_of_name(columns, ATTRIBUTES, &columns->attributes, name, length);
    const size_t start = columns->values.length;
    put_plain(&columns->values, value, end, 1);
    const Value stored = {start, columns->values.length - start};
    if (is_named(name, length, "class")) names[0] = stored;
    if (is_named(name, length, "id")) names[1] = stored;
    put(&columns->values, "", 1);
}

static void put_names(Columns *columns, const Value *names) {
    Output *pair = &columns->name;
    pair->length = 0;
    for (int i = 0; i < 2 && !columns->values.failed; i++) {
        put(pair, columns->values.data + names[i].start, names[i].length);
        if (!i) put(pair, "", 1);
    }
    columns->failed |= pair->failed;
    put_number_of(columns, NAMES, &columns->names, pair->data, pair->length);
}

static void close_element(Writer *writer, const Open *element) {
    Columns *columns = writer->columns;
    if (!columns) {
        put(&writer->out, "</", 2);
        put_name(&writer->out, element->name, element->length);
        put(&writer->out, ">", 1);
        return;
    }
    set_number(columns, ENDS, element->place, columns->elements);
    set_number(columns, TEXT_ENDS, element->place, columns->shown);
    /* Anything after the root is not part of the document. */
    if (!element->place) writer->at = writer->end;
}

static int push(Writer *writer, const char *name, size_t length, int is_foreign) {
    if (writer->depth == writer->room) {
        const size_t room = writer->room * 2 + 64;
        Open *moved = realloc(writer->open, room * sizeof(Open));
        if (!moved) {
            PyErr_NoMemory();
            return 0;
        }
        writer->open = moved;
        writer->room = room;
    }
    const int64_t place = writer->columns ? writer->columns->elements - 1 : 0;
    const int is_in_foreign = is_foreign || (writer->depth && writer->open[writer->depth - 1].is_in_foreign);
    writer->open[writer->depth++] = (Open){name, length, is_foreign, is_in_foreign, place};
    return 1;
}

static void close_last(Writer *writer) {
    flush(writer);
    close_element(writer, writer->open + --writer->depth);
}

static void write_end_tag(Writer *writer) {
    const char *name = writer->at + 2;
    const char *end = memchr(name, '>', (size_t)(writer->end - name));
    writer->at = end ? end + 1 : writer->end;
    if (!end) return;
    const size_t length = (size_t)(end - name);
    const Open *last = writer->depth > writer->base ? writer->open + writer->depth - 1 : NULL;
    if (last && last->length == length && !memcmp(last->name, name, length)) close_last(writer);
}

static int write_all(Writer *writer);

/* Write the content of a `noscript` element as markup. Return 0 with an exception set on failure. */
static int write_noscript(Writer *writer, const char *end) {
    PyObject *markup =
        PyObject_CallFunction(writer->noscript, "y#", writer->at, (Py_ssize_t)(end - writer->at));
    char *data;
    Py_ssize_t size;
    int is_done = 0;
    if (markup && PyBytes_AsStringAndSize(markup, &data, &size) == 0) {
        const Writer around = *writer;
        writer->at = data;
        writer->end = data + size;
        writer->base = writer->depth;
        writer->noscript = Py_None;
        is_done = write_all(writer);
        writer->at = end;
        writer->end = around.end;
        writer->base = around.base;
        writer->noscript = around.noscript;
    }
    Py_XDECREF(markup);
    return is_done;
}

/* If the content of the last element is the placeholder of a cut, write what was cut out, and return 1.
 * Scripts in SVG and MathML, whose content the parser reads as markup, and in noscript elements, which
 * could end inside of the cut, keep their placeholder: the caller then parses the whole page. */
static int restore(Writer *writer, const char *end) {
    Cuts *cuts = &writer->cuts;
    const size_t length = strlen(PLACEHOLDER);
    int64_t number = 0;
    if (!cuts->count || writer->base || writer->open[writer->depth - 1].is_in_foreign) return 0;
    if ((size_t)(end - writer->at) <= length || memcmp(writer->at, PLACEHOLDER, length) != 0) return 0;
    for (const char *at = writer->at + length; at < end; at++) {
        if (*at < '0' || *at > '9' || number >= cuts->count) return 0;
        number = number * 10 + *at - '0';
    }
    if (number >= cuts->count) return 0;
    const int64_t *range = (const int64_t *)cuts->ranges.buf + 2 * number;
    if (range[0] < 0 || range[0] > range[1] || range[1] > cuts->page.len) return 0;
    const char *const stop = (const char *)cuts->page.buf + range[1];
    writer->at = (const char *)cuts->page.buf + range[0];
    for (const char *line; (line = memchr(writer->at, '\r', (size_t)(stop - writer->at))); writer->at++) {
        /* The parser replaces "\r\n" and "\r" by "\n". */
        write_text(writer, line, 0);
        if (line + 1 == stop || line[1] != '\n') put(&writer->out, "\n", 1);
    }
    write_text(writer, stop, 0);
    writer->at = end;
    cuts->restored++;
    return 1;
}

/* Write the content of a raw text element. Return 0 with an exception set on failure. */
static int write_raw(Writer *writer, const char *name, size_t length) {
    const char *end = end_of_raw(writer->at, writer->end, name, length);
    if (!end) end = writer->end;
    if (writer->noscript != Py_None && is_named(name, length, "noscript"))
        return write_noscript(writer, end);
    if (!restore(writer, end)) write_text(writer, end, 0);
    return 1;
}

static int write_start_tag(Writer *writer) {
    const char *name = writer->at + 1, *at = name, *end = writer->end;
    Columns *columns = writer->columns;
    Value names[2] = {{0, 0}, {0, 0}};
    while (at < end && *at != ' ' && *at != '>') at++;
    const size_t length = (size_t)(at - name);
    open_element(writer, name, length);
    while (at < end && *at == ' ') {
        const char *attribute = at + 1;
        const char *value = attribute < end ? find(attribute + 1, end, "=\"") : NULL;
        const char *quote = value ? memchr(value + 2, '"', (size_t)(end - value - 2)) : NULL;
        if (!quote) {
            at = end;
            break;
        }
        const size_t attribute_length = (size_t)(value - attribute);
        if (is_xml_attribute(attribute, attribute_length))
            write_attribute(writer, attribute, attribute_length, value + 2, quote, names);
        at = quote + 1;
    }
    if (columns) put_names(columns, names);
    writer->at = at < end && *at == '>' ? at + 1 : end;
    const int is_html = is_html_parent(writer);
    const int is_foreign = is_named(name, length, "svg") || is_named(name, length, "math") || !is_html;
    if (!push(writer, name, length, is_foreign)) return 0;
    if (is_html && is_one_of(name, length, VOID)) {
        if (columns) {
            close_last(writer);
        } else {
            writer->depth--;
            put(&writer->out, "/>", 2);
        }
        return 1;
    }
    if (!columns) put(&writer->out, ">", 1);
    return !is_one_of(name, length, RAW) || write_raw(writer, name, length);
}

static void skip_to(Writer *writer, const char *wanted) {
    const char *found = find(writer->at, writer->end, wanted);
    writer->at = found ? found + strlen(wanted) : writer->end;
}

static int write_all(Writer *writer) {
    while (writer->at < writer->end) {
        const size_t left = (size_t)(writer->end - writer->at);
        if (*writer->at != '<') {
            const char *next = memchr(writer->at, '<', left);
            write_text(writer, next ? next : writer->end, 1);
            continue;
        }
        const char c = left > 1 ? writer->at[1] : 0;
        if (c == '/') {
            write_end_tag(writer);
        } else if (left >= 4 && !memcmp(writer->at, "<!--", 4)) {
            writer->at += 4;
            skip_to(writer, "-->");
        } else if (c == '!' || c == '?')
            skip_to(writer, ">");
        else if (is_letter(c)) {
            if (!write_start_tag(writer)) return 0;
        } else
            write_text(writer, writer->at + 1, 0);
    }
    while (writer->depth > writer->base) close_last(writer);
    return 1;
}

/* Convert serialised HTML, with its cuts, to the columns of the writer, or to XML if they are NULL. Return 0
 * with an exception set on failure. */
static int read_markup(const Py_buffer *html, Writer *writer) {
    writer->at = html->buf;
    writer->end = writer->at + html->len;
    writer->cuts.count = writer->cuts.ranges.len / (Py_ssize_t)(2 * sizeof(int64_t));
    const int is_done = write_all(writer);
    free(writer->open);
    PyBuffer_Release(&writer->cuts.page);
    PyBuffer_Release(&writer->cuts.ranges);
    return is_done;
}

PyDoc_STRVAR(to_xml_doc,
             "to_xml(html, noscript, page=b'', ranges=b'') -> bytes\n\n"
             "Convert serialised HTML to XML, both in UTF-8. The function `noscript`, unless None, returns\n"
             "the markup that replaces the content of a noscript element. The ranges are those cut out of\n"
             "the page (see cut).");

static PyObject *markup_to_xml(PyObject *module, PyObject *args) {
    (void)module;
    Writer writer = {0};
    Py_buffer html;
    if (!PyArg_ParseTuple(args, "y*O|y*y*", &html, &writer.noscript, &writer.cuts.page, &writer.cuts.ranges))
        return NULL;
    PyObject *answer = read_markup(&html, &writer) ? bytes_of(&writer.out) : NULL;
    free(writer.out.data);
    PyBuffer_Release(&html);
    return answer;
}

PyDoc_STRVAR(flatten_doc,
             "flatten(html, noscript, seed, page=b'', ranges=b'') -> tuple of bytes or None\n\n"
             "Convert serialised HTML to columns (see detourage.html.flat). Return distinct tags, distinct\n"
             "pairs of class and id, distinct attribute names, texts, and attribute values, as\n"
             "NUL-terminated strings in UTF-8; then int64 columns: parents, ends, tags, names, text starts\n"
             "and text ends of elements; indices of non-blank texts; parents and preceding elements of\n"
             "texts; owners and names of attributes. The seed is that of the hash tables. Return None if one\n"
             "of the ranges cut out of the page (see cut) was not the whole content of an element.");

static PyObject *markup_flatten(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *answer = NULL;
    Columns columns = {0};
    Writer writer = {.columns = &columns};
    Py_buffer html;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "y*OK|y*y*", &html, &writer.noscript, &seed, &writer.cuts.page,
                          &writer.cuts.ranges))
        return NULL;
    columns.seed = seed;
    Output *const strings[] = {&columns.tags.strings, &columns.names.strings, &columns.attributes.strings,
                               &columns.pieces, &columns.values};
    const int is_done = read_markup(&html, &writer);
    const int is_whole = writer.cuts.restored == writer.cuts.count;
    if (columns.failed || writer.out.failed)
        PyErr_NoMemory();
    else if (is_done && is_whole)
        answer = PyTuple_New(5 + COLUMNS);
    for (int i = 0; i < 5 + COLUMNS; i++) {
        Output *each = i < 5 ? strings[i] : columns.numbers + i - 5;
        PyObject *column = answer ? bytes_of(each) : NULL;
        if (column)
            PyTuple_SetItem(answer, i, column);
        else
            Py_CLEAR(answer);
        free(each->data);
    }
    free(columns.tags.slots);
    free(columns.names.slots);
    free(columns.attributes.slots);
    free(columns.name.data);
    free(writer.out.data);
    PyBuffer_Release(&html);
    if (!is_done || is_whole || PyErr_Occurred()) return answer;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(strings_doc,
             "strings(utf8, places) -> list\n\n"
             "Decode NUL-terminated strings in UTF-8, or only those at the places in an ascending int64 column.");

static PyObject *markup_strings(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer utf8, places = {0};
    if (!PyArg_ParseTuple(args, "y*|y*", &utf8, &places)) return NULL;
    const char *at = utf8.buf, *end = at + utf8.len, *stop;
    const int64_t *wanted = places.buf, *last = wanted + places.len / (Py_ssize_t)sizeof *wanted;
    PyObject *answer = PyList_New(0);
    for (int64_t i = 0; answer && at < end && (stop = memchr(at, 0, (size_t)(end - at))); i++, at = stop + 1) {
        if (places.obj && (wanted == last || *wanted != i)) continue;
        if (places.obj) wanted++;
        PyObject *string = PyUnicode_DecodeUTF8(at, stop - at, "replace");
        if (!string || PyList_Append(answer, string) < 0) Py_CLEAR(answer);
        Py_XDECREF(string);
    }
    PyBuffer_Release(&utf8);
    PyBuffer_Release(&places);
    return answer;
}

PyDoc_STRVAR(starts_doc,
             "starts(utf8) -> bytes\n\n"
             "Return an int64 column with the offset of each of the NUL-terminated strings.");

static PyObject *markup_starts(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer utf8;
    if (!PyArg_ParseTuple(args, "y*", &utf8)) return NULL;
    const char *at = utf8.buf, *end = at + utf8.len, *stop;
    Output starts = {0};
    while (at < end && (stop = memchr(at, 0, (size_t)(end - at)))) {
        const int64_t start = at - (const char *)utf8.buf;
        put(&starts, (const char *)&start, sizeof start);
        at = stop + 1;
    }
    PyObject *answer = bytes_of(&starts);
    free(starts.data);
    PyBuffer_Release(&utf8);
    return answer;
}

PyDoc_STRVAR(values_doc,
             "values(utf8, starts, owners, names, name) -> dict\n\n"
             "Return the values of the attributes with a name by owner. `utf8` has the NUL-terminated values of\n"
             "all attributes; their starts, owners and names are int64 columns.");

static PyObject *markup_values(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer utf8, starts, owners, names;
    long long name;
    if (!PyArg_ParseTuple(args, "y*y*y*y*L", &utf8, &starts, &owners, &names, &name)) return NULL;
    const int64_t *start = starts.buf, *owner = owners.buf, *number = names.buf;
    const Py_ssize_t size = starts.len, shortest = owners.len < names.len ? owners.len : names.len;
    const size_t count = (size_t)(size < shortest ? size : shortest) / sizeof *owner;
    PyObject *answer = PyDict_New();
    for (size_t i = 0; answer && i < count; i++) {
        if (number[i] != name || start[i] < 0 || start[i] >= utf8.len) continue;
        const char *at = (const char *)utf8.buf + start[i];
        const char *stop = memchr(at, 0, (size_t)(utf8.len - start[i]));
        PyObject *key = PyLong_FromLongLong(owner[i]);
        PyObject *value = PyUnicode_DecodeUTF8(at, stop ? stop - at : 0, "replace");
        if (!key || !value || PyDict_SetItem(answer, key, value) < 0) Py_CLEAR(answer);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    PyBuffer_Release(&utf8);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&owners);
    PyBuffer_Release(&names);
    return answer;
}

/* Return the end of the attribute that starts here. */
static const char *end_of_attribute(const char *at, const char *end) {
    do at++;
    while (at < end && *at != '=' && !ends_name(*at));
    const char *value = at;
    while (value < end && is_space(*value)) value++;
    if (value == end || *value != '=') return at;
    at = value + 1;
    while (at < end && is_space(*at)) at++;
    if (at < end && (*at == '"' || *at == '\'')) {
        const char *quote = memchr(at + 1, *at, (size_t)(end - at - 1));
        /* An unclosed quote counts as the start of an attribute, which is sufficient here. */
        return quote ? quote + 1 : at;
    }
    while (at < end && *at != '>' && !is_space(*at)) at++;
    return at;
}

/* Return the sum over all tags of the squared number of attributes, because the parser compares each
 * attribute of a tag with those before it. */
static int64_t compared_attributes(const char *at, const char *end) {
    int64_t compared = 0;
    while (at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL && ++at < end) {
        if (!is_letter(*at)) continue;
        while (at < end && !ends_name(*at)) at++;
        int64_t number = 0;
        while (1) {
            while (at < end && *at != '>' && ends_name(*at)) at++;
            if (at == end || *at == '>') break;
            at = end_of_attribute(at, end);
            number++;
        }
        compared += number * number;
    }
    return compared;
}

static const char *const ROOTS[] = {"html", "body", NULL};
static const char *const FORMATTING[] = {"b",     "big",    "code",   "em", "font", "i", "s",
                                         "small", "strike", "strong", "tt", "u",    NULL};

PyDoc_STRVAR(survey_doc,
             "survey(html) -> (int, int, int, bool, list)\n\n"
             "Scan a page in UTF-8. Return the number of `<`, the number of html and body tags, the sum\n"
             "over all tags of the squared number of attributes, whether there is a plaintext tag, and\n"
             "the formatting tags without brackets.");

static PyObject *markup_survey(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer html;
    if (!PyArg_ParseTuple(args, "y*", &html)) return NULL;
    const char *at = html.buf, *end = at + html.len, *after = at;
    Py_ssize_t tags = 0, roots = 0;
    int has_plaintext = 0;
    PyObject *formatting = PyList_New(0);
    while (formatting && at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        const char *name = ++at;
        tags++;
        while (at < end && is_letter(*at)) at++;
        if (at == end || !ends_name(*at)) continue;
        roots += is_one_of(name, (size_t)(at - name), ROOTS);
        has_plaintext |= is_named(name, (size_t)(at - name), "plaintext");
        if (name < after || !is_one_of(name, (size_t)(at - name), FORMATTING)) continue;
        after = memchr(at, '>', (size_t)(end - at));
        if (!after) after = end;
        PyObject *tag = PyBytes_FromStringAndSize(name, after - name);
        if (!tag || PyList_Append(formatting, tag) < 0) Py_CLEAR(formatting);
        Py_XDECREF(tag);
    }
    const long long compared = compared_attributes(html.buf, end);
    PyBuffer_Release(&html);
    if (!formatting) return NULL;
    return Py_BuildValue("nnLNN", tags, roots, compared, PyBool_FromLong(has_plaintext), formatting);
}

/* Text between two tags or comments of a page's source; `shown` is its first character other than
 * whitespace, or its end. */
typedef struct {
    const char *start, *shown, *end;
} Run;

typedef struct {
    Run *items;
    size_t count, room;
    int failed;
} Runs;

/* A position in the source; `left` is the number of bytes that may still be compared. */
typedef struct {
    const Runs *runs;
    size_t run;
    const char *at;
    int64_t left;
} Cursor;

static const char *const RAW_IN_SOURCE[] = {"script",  "style",    "xmp",   "iframe",
                                            "noembed", "noframes", "title", "textarea", NULL};
static const char *const ESCAPED_IN_SOURCE[] = {"title", "textarea", NULL};
static const char *const FOREIGN[] = {"svg", "math", NULL};

/* Return whether a name, judging by its length and first letter, may be one of the above or "plaintext". */
static int may_be_special(const char *name, size_t length) {
    return length > 2 && strchr("imnpstx", lower(*name)) != NULL;
}

static void put_run(Runs *runs, const char *start, const char *end) {
    if (start == end || runs->failed) return;
    const char *shown = start;
    while (shown < end && is_space(*shown)) shown++;
    if (runs->count == runs->room) {
        const size_t room = runs->room ? 2 * runs->room : 1024;
        Run *items = realloc(runs->items, room * sizeof *items);
        if (!items) {
            runs->failed = 1;
            return;
        }
        runs->items = items;
        runs->room = room;
    }
    runs->items[runs->count++] = (Run){start, shown, end};
}

static const char *after_tag(const char *at, const char *end) {
    while (at < end && *at != '>') {
        if (ends_name(*at))
            at++;
        else
            at = end_of_attribute(at, end);
    }
    return at < end ? at + 1 : end;
}

static const char *after(const char *at, const char *end, const char *wanted) {
    const char *found = find(at, end, wanted);
    return found ? found + strlen(wanted) : end;
}

/* Return the end of the comment whose dashes start here; "<!-->" is a complete comment. */
static const char *after_comment(const char *at, const char *end) {
    const char *const inside = at + 2;
    for (; (at = find(at, end, "--")) != NULL; at++) {
        if (end - at >= 3 && at[2] == '>') return at + 3;
        if (at >= inside && end - at >= 4 && at[2] == '!' && at[3] == '>') return at + 4;
    }
    return end;
}

/* Return the end tag of an element whose content is not parsed. */
static const char *end_of_content(const char *at, const char *end, const char *name, size_t length) {
    if (is_named(name, length, "script")) {
        const char *found = end_of_script(at, end);
        return found ? found : end;
    }
    while ((at = find(at, end, "</")) != NULL) {
        size_t same = 0;
        at += 2;
        while (same < length && at + same < end && lower(at[same]) == lower(name[same])) same++;
        if (same == length && at + same < end && ends_name(at[same])) return at - 2;
    }
    return end;
}

/* Split a page's source into runs (HTML standard, section 13.2.5), without scripts and styles. */
static void split_source(const char *at, const char *end, Runs *runs) {
    const char *from = at;
    int foreign = 0;
    while (at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL && end - at > 1) {
        const char *open = at, *name = at + 1;
        const int is_end = *name == '/' && end - name > 1;
        if (is_end) name++;
        if (!is_letter(*name)) {
            if (*name == '!' && !is_end && end - name >= 3 && !memcmp(name, "!--", 3)) {
                at = after_comment(name + 1, end);
            } else if (is_end || *name == '!' || *name == '?') {
                if (foreign && end - open >= 9 && !memcmp(open, "<![CDATA[", 9)) {
                    at = after(open, end, "]]>");
                    put_run(runs, from, open);
                    put_run(runs, open + 9, at == end ? end : at - 3);
                    from = at;
                    continue;
                }
                at = after(name, end, ">");
            } else {
                at++;
                continue;
            }
            put_run(runs, from, open);
            from = at;
            continue;
        }
        put_run(runs, from, open);
        for (at = name; at < end && !ends_name(*at);) at++;
        const size_t length = (size_t)(at - name);
        at = from = after_tag(at, end);
        if (!may_be_special(name, length)) continue;
        const int is_closed = at - open > 2 && at[-1] == '>' && at[-2] == '/';
        if (is_one_of(name, length, FOREIGN) && !is_closed) {
            foreign += is_end ? -(foreign > 0) : 1;
        } else if (!is_end && !(is_closed && foreign) && is_one_of(name, length, RAW_IN_SOURCE)) {
            at = end_of_content(from, end, name, length);
            if (is_one_of(name, length, ESCAPED_IN_SOURCE)) put_run(runs, from, at);
            from = at;
        } else if (!is_end && is_named(name, length, "plaintext")) {
            put_run(runs, from, end);
            return;
        }
    }
    put_run(runs, from, end);
}

enum { MIN_CUT = 256 };
static const char *const CUT[] = {"script", "style", NULL};

PyDoc_STRVAR(cut_doc,
             "cut(html) -> (bytes, bytes)\n\n"
             "Replace the content of each long script and style sheet of a page in UTF-8 by a placeholder,\n"
             "so that the parser need not copy it. Return the shortened page, and an int64 column with the\n"
             "starts and ends of what was cut out.");

static PyObject *markup_cut(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer html;
    if (!PyArg_ParseTuple(args, "y*", &html)) return NULL;
    const char *at = html.buf, *end = at + html.len, *from = at;
    Output out = {0}, ranges = {0};
    const int is_ambiguous = find(at, end, PLACEHOLDER) != NULL;
    int number = 0, foreign = 0;
    while (!is_ambiguous && at < end && (at = memchr(at, '<', (size_t)(end - at)))) {
        if (end - at >= 4 && !memcmp(at, "<!--", 4)) {
            at = after_comment(at + 2, end);
            continue;
        }
        const int is_end = end - ++at > 1 && *at == '/';
        const char *name = at += is_end;
        while (at < end && !ends_name(*at)) at++;
        const size_t length = (size_t)(at - name);
        if (!may_be_special(name, length)) continue;
        if (is_named(name, length, "plaintext")) break;
        const char *content = after_tag(at, end);
        if (is_one_of(name, length, FOREIGN)) foreign = is_end ? 0 : foreign || content[-2] != '/';
        if (is_end || foreign) continue;
        if (!is_one_of(name, length, RAW_IN_SOURCE) && !is_named(name, length, "noscript")) continue;
        at = end_of_content(content, end, name, length);
        if (at == end || at - content < MIN_CUT || !is_one_of(name, length, CUT)) continue;
        char placeholder[32];
        const int64_t range[2] = {content - (const char *)html.buf, at - (const char *)html.buf};
        put(&out, from, (size_t)(content - from));
        put(&out, placeholder, (size_t)PyOS_snprintf(placeholder, sizeof placeholder, "%s%d", PLACEHOLDER, number++));
        put(&ranges, (const char *)range, sizeof range);
        from = at;
    }
    if (ranges.length) put(&out, from, (size_t)(end - from));
    PyObject *answer = NULL, *column = bytes_of(&ranges), *shortened = PyTuple_GetItem(args, 0);
    if (ranges.length)
        shortened = bytes_of(&out);
    else
        Py_XINCREF(shortened);
    if (shortened && column) answer = PyTuple_Pack(2, shortened, column);
    Py_XDECREF(shortened);
    Py_XDECREF(column);
    free(out.data);
    free(ranges.data);
    PyBuffer_Release(&html);
    return answer;
}

/* References that are often written without a semicolon, with their texts. */
static const char *const UNFINISHED[][2] = {
    {"nbsp", "\xc2\xa0"}, {"amp", "&"},           {"lt", "<"},
    {"gt", ">"},           {"quot", "\""},         {"copy", "\xc2\xa9"},
    {"reg", "\xc2\xae"},  {"laquo", "\xc2\xab"}, {"raquo", "\xc2\xbb"},
};
enum { LONGEST_REFERENCE = 40 };

/* Characters for the numeric references 128 to 159, which browsers decode as Windows-1252. */
static const unsigned short WINDOWS[32] = {
    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160,
    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e, 0x178};

/* Write a character in UTF-8, and return its length. */
static size_t write_character(int64_t code, char *to) {
    if (code >= 128 && code < 160) code = WINDOWS[code - 128];
    if (!code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i; i--, code >>= 6) to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)((length == 2 ? 0xc0 : length == 3 ? 0xe0 : 0xf0) | code);
    return length;
}

/* A character reference and the `text` that it represents. The text is empty for a name that is not in
 * `UNFINISHED`, which may represent any character. `code` is -1 unless the reference is numeric. */
typedef struct {
    size_t length;
    int64_t code;
    char text[8];
    size_t text_length;
} Reference;

static Reference reference_at(const char *at, const char *end) {
    Reference found = {.code = -1};
    const char *from = at++, *limit = end - from > LONGEST_REFERENCE ? from + LONGEST_REFERENCE : end;
    if (at < limit && *at == '#') {
        const int is_hex = at + 1 < limit && lower(at[1]) == 'x';
        const char *digits = at += 1 + is_hex;
        for (found.code = 0; at < limit; at++) {
            const char c = lower(*at);
            const int is_digit = c >= '0' && c <= '9';
            if (!is_digit && !(is_hex && c >= 'a' && c <= 'f')) break;
            if (found.code <= 0x10ffff)
                found.code = found.code * (is_hex ? 16 : 10) + c - (is_digit ? '0' : 'a' - 10);
        }
        if (at == digits) return found;
        found.text_length = write_character(found.code, found.text);
    } else {
        const char *name = at;
        while (at < limit && (is_letter(*at) || (*at >= '0' && *at <= '9'))) at++;
        const int is_finished = at < limit && *at == ';';
        for (size_t i = 0; i < sizeof UNFINISHED / sizeof *UNFINISHED && !found.text_length; i++) {
            const size_t length = strlen(UNFINISHED[i][0]);
            const int is_same = (size_t)(at - name) >= length &&
                                !memcmp(name, UNFINISHED[i][0], length) &&
                                (!is_finished || (size_t)(at - name) == length);
            if (!is_same) continue;
            found.text_length = strlen(UNFINISHED[i][1]);
            memcpy(found.text, UNFINISHED[i][1], found.text_length);
            at = name + length;
        }
        if (at == name || (!found.text_length && !is_finished)) return found;
    }
    found.length = (size_t)(at - from) + (at < end && *at == ';');
    return found;
}

/* Return whether a named reference may represent a character, which must not be an ASCII letter or digit,
 * or whitespace. */
static int may_be_named(const char *at) {
    return (unsigned char)*at >= 0x80 || !(is_letter(*at) || (*at >= '0' && *at <= '9') || is_space(*at));
}

static int is_omitted(int64_t code) {
    return code >= 0 && code < 32 && code != '\t' && code != '\n' && code != '\r';
}

static size_t length_of_character(const char *at, const char *end) {
    const char *from = at++;
    while (at < end && (*at & 0xc0) == 0x80) at++;
    return (size_t)(at - from);
}

/* Return the end of the whitespace that starts here in a run. */
static const char *after_space(const Run *run, const char *at) {
    while (at < run->end) {
        const Reference found = *at == '&' ? reference_at(at, run->end) : (Reference){0};
        if (found.length && (is_omitted(found.code) || (found.text_length == 1 && is_space(*found.text))))
            at += found.length;
        else if (is_space(*at) || is_omitted((unsigned char)*at))
            at++;
        else
            break;
    }
    return at;
}

/* Match a text, and move the cursor past it. Return its start in the source, or NULL. If `is_whole`
 * is set, the text must end where a run ends. */
static const char *match(Cursor *cursor, const char *text, const char *text_end, int is_whole) {
    Cursor here = *cursor;
    const char *start = NULL;
    while (text < text_end) {
        if (--cursor->left < 0 || here.run == here.runs->count) return NULL;
        const Run *run = here.runs->items + here.run;
        if (here.at == run->end) {
            /* A text may continue after markup such as a comment. */
            if (++here.run == here.runs->count) return NULL;
            run++;
            here.at = start ? run->start : run->shown;
            continue;
        }
        if (start) {
            const char *from = here.at;
            const ptrdiff_t here_left = run->end - from, text_left = text_end - text;
            const char *stop = from + (here_left < text_left ? here_left : text_left);
            while (here.at < stop && *here.at == *text && *here.at != '&') here.at++, text++;
            cursor->left -= here.at - from;
            if (here.at == stop) continue;
        }
        const Reference found = *here.at == '&' ? reference_at(here.at, run->end) : (Reference){0};
        const size_t left = (size_t)(text_end - text);
        size_t taken = 1, passed = 1;
        if (found.length && is_omitted(found.code)) {
            here.at += found.length;
            continue;
        }
        if (!start && found.text_length == 1 && is_space(*found.text)) {
            here.at += found.length;
            continue;
        }
        if (found.text_length && left >= found.text_length &&
            !memcmp(text, found.text, found.text_length)) {
            taken = found.length;
            passed = found.text_length;
        } else if (found.length && !found.text_length && may_be_named(text) &&
                   (left < found.length || memcmp(text, here.at, found.length) != 0)) {
            taken = found.length;
            passed = length_of_character(text, text_end);
        } else if (found.text_length && *found.text != '&') {
            return NULL;
        } else if (*here.at == '\r' && *text == '\n') {
            taken = run->end - here.at > 1 && here.at[1] == '\n' ? 2 : 1;
        } else if (*here.at != *text) {
            if ((!start && is_space(*here.at)) || is_omitted((unsigned char)*here.at)) {
                here.at++;
                continue;
            }
            return NULL;
        }
        if (!start) start = here.at;
        here.at += taken;
        text += passed;
    }
    if (is_whole) {
        const Run *run = here.runs->items + here.run;
        const char *stop = after_space(run, here.at);
        cursor->left -= stop - here.at;
        if (stop < run->end) return NULL;
    }
    here.left = cursor->left;
    *cursor = here;
    return start;
}

enum { WINDOW = 128, WIDEST = 4096 };

/* Find a text at the cursor or, failing that, in the runs nearest to it. */
static const char *find_text(Cursor *cursor, const char *text, const char *text_end, size_t window,
                             int is_whole) {
    const char *start = match(cursor, text, text_end, is_whole);
    for (size_t distance = 1; !start && distance <= window && cursor->left > 0; distance++) {
        for (int side = 0; side < 2 && !start; side++) {
            if (side ? cursor->run < distance : cursor->runs->count - cursor->run <= distance)
                continue;
            Cursor other = *cursor;
            other.run = side ? cursor->run - distance : cursor->run + distance;
            const Run *run = cursor->runs->items + other.run;
            other.at = run->shown;
            other.left--;
            const Reference first = other.at < run->end && *other.at == '&'
                                        ? reference_at(other.at, run->end)
                                        : (Reference){0};
            /* A reference with an unknown name could match too many characters. */
            if (other.at < run->end && (*other.at == *text || first.text_length))
                start = match(&other, text, text_end, is_whole);
            if (start)
                *cursor = other;
            else
                cursor->left = other.left;
        }
    }
    return start;
}

PyDoc_STRVAR(positions_doc,
             "positions(html, texts, is_raw, is_whole) -> (bytes, bytes)\n\n"
             "Find NUL-terminated texts, in document order, in the page in UTF-8 from which they were\n"
             "parsed. Texts of scripts and styles are marked in `is_raw` and left out. Return int64 columns\n"
             "with the start and end of each text without ASCII whitespace around it, or -1 for a text\n"
             "that is blank, left out or not found. With `is_whole`, a text must end where the text between\n"
             "two tags ends.");

static PyObject *markup_positions(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer html, texts, is_raw;
    int is_whole;
    if (!PyArg_ParseTuple(args, "y*y*y*p", &html, &texts, &is_raw, &is_whole)) return NULL;
    Runs runs = {0};
    split_source(html.buf, (const char *)html.buf + html.len, &runs);
    Output starts = {0}, ends = {0};
    Cursor cursor = {.runs = &runs, .left = 16 * (int64_t)html.len + 1000000};
    if (runs.count) cursor.at = runs.items->shown;
    size_t misses = 0;
    const char *text = texts.buf, *after_last = text + texts.len, *next;
    for (Py_ssize_t i = 0; text < after_last; i++, text = next + 1) {
        const char *text_end = next = memchr(text, 0, (size_t)(after_last - text));
        if (!text_end) break;
        while (text < text_end && is_space(*text)) text++;
        while (text < text_end && is_space(text_end[-1])) text_end--;
        const char *start = NULL;
        const int is_left_out = i < is_raw.len && ((const char *)is_raw.buf)[i];
        if (text < text_end && runs.count && !is_left_out) {
            size_t window = (size_t)WINDOW << (misses / 8 > 6 ? 6 : misses / 8);
            if (window > WIDEST) window = WIDEST;
            start = find_text(&cursor, text, text_end, window, is_whole);
            misses = start ? 0 : misses + 1;
        }
        const int64_t range[2] = {start ? start - (const char *)html.buf : -1,
                                  start ? cursor.at - (const char *)html.buf : -1};
        put(&starts, (const char *)range, sizeof *range);
        put(&ends, (const char *)(range + 1), sizeof *range);
    }
    PyObject *answer =
        runs.failed ? PyErr_NoMemory() : Py_BuildValue("NN", bytes_of(&starts), bytes_of(&ends));
    free(starts.data);
    free(ends.data);
    free(runs.items);
    PyBuffer_Release(&html);
    PyBuffer_Release(&texts);
    PyBuffer_Release(&is_raw);
    return answer;
}

PyDoc_STRVAR(around_doc,
             "around(parents, marked) -> (bytes, bytes)\n\n"
             "Return int64 columns with the number of marked elements among each element and its ancestors,\n"
             "and with the nearest marked one, or else the root. The parents, which precede their children,\n"
             "are an int64 column; the marks are a bool column.");

static PyObject *markup_around(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer parents, marked;
    if (!PyArg_ParseTuple(args, "y*y*", &parents, &marked)) return NULL;
    const int64_t *parent = parents.buf;
    const char *is_marked = marked.buf;
    const int64_t count = parents.len / (Py_ssize_t)sizeof *parent;
    PyObject *answer = NULL, *counts = PyBytes_FromStringAndSize(NULL, parents.len);
    PyObject *nearest = PyBytes_FromStringAndSize(NULL, parents.len);
    if (marked.len != count) {
        PyErr_SetString(PyExc_ValueError, "expected one mark per element");
    } else if (counts && nearest) {
        int64_t *number = (int64_t *)(void *)PyBytes_AsString(counts);
        int64_t *place = (int64_t *)(void *)PyBytes_AsString(nearest);
        for (int64_t i = 0; i < count; i++) {
            const int64_t above = parent[i];
            const int is_inside = above >= 0 && above < i;
            number[i] = (is_inside ? number[above] : 0) + (is_marked[i] != 0);
            place[i] = is_marked[i] || !is_inside ? i : place[above];
        }
        answer = PyTuple_Pack(2, counts, nearest);
    }
    Py_XDECREF(counts);
    Py_XDECREF(nearest);
    PyBuffer_Release(&parents);
    PyBuffer_Release(&marked);
    return answer;
}

static int is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/* Return the end of the word that starts at a letter. A word begins at a capital after a lower-case letter,
 * and at the last of several capitals if a lower-case letter follows it. */
static const char *end_of_word(const char *at, const char *end) {
    const char *from = at;
    while (at < end && is_capital(*at)) at++;
    const int is_followed = at < end && is_letter(*at);
    if (is_followed && at - from > 1) return at - 1;
    while (is_followed && at < end && is_letter(*at) && !is_capital(*at)) at++;
    return at;
}

PyDoc_STRVAR(words_doc,
             "words(name) -> frozenset\n\n"
             "Return the words of a name in lower case; see detourage.html.class_name_splitting.");

static PyObject *markup_words(PyObject *module, PyObject *name) {
    (void)module;
    Py_ssize_t length;
    const char *at = PyUnicode_AsUTF8AndSize(name, &length);
    const char *end = at ? at + length : NULL;
    PyObject *words = at ? PyFrozenSet_New(NULL) : NULL;
    Output word = {0};
    while (words && at < end) {
        if (!is_letter(*at)) {
            at++;
            continue;
        }
        const char *stop = end_of_word(at, end);
        for (word.length = 0; at < stop; at++) {
            const char c = lower(*at);
            put(&word, &c, 1);
        }
        PyObject *item = word.failed ? PyErr_NoMemory()
                                     : PyUnicode_FromStringAndSize(word.data, (Py_ssize_t)word.length);
        if (!item || PySet_Add(words, item) < 0) Py_CLEAR(words);
        Py_XDECREF(item);
    }
    free(word.data);
    return words;
}

enum { MAX_WORDS = 64 };

/* NUL-terminated words in lower case, and a bit for each letter with which one of them begins. */
typedef struct {
    const char *items[MAX_WORDS];
    Py_ssize_t count;
    uint64_t initials;
} Words;

static uint64_t initial_of(const char *word) { return (uint64_t)1 << (lower(*word) - 'a'); }

/* Return whether a name has one of the words. */
static int has_word(const char *at, const char *end, const Words *words) {
    while (at < end) {
        if (!is_letter(*at)) {
            at++;
            continue;
        }
        const char *stop = end_of_word(at, end);
        const size_t length = (size_t)(stop - at);
        for (Py_ssize_t i = 0; (words->initials & initial_of(at)) && i < words->count; i++)
            if (is_named(at, length, words->items[i])) return 1;
        at = stop;
    }
    return 0;
}

PyDoc_STRVAR(named_doc,
             "named(names, words) -> bytes\n\n"
             "Return a bool column: whether each name has one of the words, which begin with lower-case\n"
             "ASCII letters.");

static PyObject *markup_named(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *names, *wanted;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &names, &PyList_Type, &wanted)) return NULL;
    Words words = {.count = PyList_Size(wanted)};
    if (words.count > MAX_WORDS) {
        PyErr_SetString(PyExc_ValueError, "there are too many words");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < words.count; i++) {
        words.items[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(wanted, i), NULL);
        if (!words.items[i]) return NULL;
        if (is_letter(*words.items[i])) words.initials |= initial_of(words.items[i]);
    }
    const Py_ssize_t count = PyList_Size(names);
    PyObject *answer = PyBytes_FromStringAndSize(NULL, count);
    char *mask = answer ? PyBytes_AsString(answer) : NULL;
    for (Py_ssize_t i = 0; answer && i < count; i++) {
        Py_ssize_t length;
        const char *name = PyUnicode_AsUTF8AndSize(PyList_GetItem(names, i), &length);
        if (!name)
            Py_CLEAR(answer);
        else
            mask[i] = (char)has_word(name, name + length, &words);
    }
    return answer;
}

static PyMethodDef methods[] = {
    {"cut", markup_cut, METH_VARARGS, cut_doc},
    {"survey", markup_survey, METH_VARARGS, survey_doc},
    {"to_xml", markup_to_xml, METH_VARARGS, to_xml_doc},
    {"flatten", markup_flatten, METH_VARARGS, flatten_doc},
    {"positions", markup_positions, METH_VARARGS, positions_doc},
    {"strings", markup_strings, METH_VARARGS, strings_doc},
    {"starts", markup_starts, METH_VARARGS, starts_doc},
    {"values", markup_values, METH_VARARGS, values_doc},
    {"around", markup_around, METH_VARARGS, around_doc},
    {"words", markup_words, METH_O, words_doc},
    {"named", markup_named, METH_VARARGS, named_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_markup", "Native kernel of detourage.html.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__markup(void) { return PyModuleDef_Init(&definition); }
