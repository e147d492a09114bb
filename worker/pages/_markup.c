/* HTML as a parser serialises it, written as XML: what comes out is well-formed, whatever comes in.
 *
 * The serialisation (HTML standard, section 13.3) leaves little to decide: every attribute has a
 * quoted value, every element but the void ones an end tag, and a text every escape.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *data;
    size_t length, capacity;
    int failed;
} Output;

/* An element that is open: its name as it stands in the input. */
typedef struct {
    const char *name;
    size_t length;
    int is_foreign;
} Open;

typedef struct {
    const char *at, *end;
    Output out;
    Open *open;
    size_t depth, room;
    PyObject *noscript;
} Writer;

static const char *const VOID[] = {"area",  "base",   "basefont", "bgsound", "br",    "col",
                                   "embed", "frame",  "hr",       "img",     "input", "keygen",
                                   "link",  "meta",   "param",    "source",  "track", "wbr", NULL};
static const char *const RAW[] = {"script", "style", "xmp", "iframe", "noembed", "noframes",
                                  "noscript", NULL};
/* Foreign elements that hold HTML (section 13.2.6, the two kinds of integration points). */
static const char *const INTEGRATION[] = {"foreignobject", "desc", "title", "mi", "mo", "mn",
                                          "ms", "mtext", "annotation-xml", NULL};

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
    if (strlen(wanted) != length) return 0;
    for (size_t i = 0; i < length; i++)
        if (lower(name[i]) != wanted[i]) return 0;
    return 1;
}

static int is_one_of(const char *name, size_t length, const char *const *names) {
    for (; *names; names++)
        if (is_named(name, length, *names)) return 1;
    return 0;
}

static void put(Output *out, const char *data, size_t length) {
    if (out->length + length > out->capacity) {
        size_t capacity = out->capacity * 2 + length + 256;
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

static void put_string(Output *out, const char *text) { put(out, text, strlen(text)); }

/* U+FFFE and U+FFFF, which XML has no place for. */
static int is_no_character(const char *at, const char *end) {
    return end - at >= 3 && at[0] == '\xef' && at[1] == '\xbf' && (at[2] & '\xfe') == '\xbe';
}

/* Write a text. One that is escaped has the four references that a serialiser writes, and quotes
 * in attributes; one that is not has none. */
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
            } else if (!((end - at >= 5 && !memcmp(at, "&amp;", 5)) ||
                         (end - at >= 4 && (!memcmp(at, "&lt;", 4) || !memcmp(at, "&gt;", 4))) ||
                         (end - at >= 6 && !memcmp(at, "&quot;", 6))))
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
        } else if (c == '\xef' && is_no_character(at, end)) {
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

/* Where a name has its one colon with a name on both sides of it, else the length. */
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
    const size_t colon = colon_of(name, length);
    for (size_t i = 0; i < length; i++) {
        const int fits = i ? i == colon || is_name_character(name[i]) : is_name_start(name[i]);
        const char c = fits ? lower(name[i]) : '_';
        put(out, &c, 1);
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

/* Whether an element's tag begins here; of an end tag with its slash. */
static int is_script_tag(const char *at, const char *end, const char *tag) {
    const size_t length = strlen(tag);
    if ((size_t)(end - at) <= length) return 0;
    for (size_t i = 0; i < length; i++)
        if (lower(at[i]) != tag[i]) return 0;
    return strchr(" \t\n\f/>", at[length]) != NULL;
}

/* The end of a script: within what looks like a comment, a script holds whole other ones
 * (section 13.2.5.15 and the states that follow it). */
static const char *end_of_script(const char *at, const char *end) {
    int is_escaped = 0, is_doubly = 0;
    for (; at < end; at++) {
        if (*at == '<') {
            if (!is_escaped && end - at >= 4 && !memcmp(at, "<!--", 4)) {
                is_escaped = 1;
                at += 1; /* "<!-->" ends at once: its dashes are those of the beginning. */
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
    if (!writer->depth) return 1;
    const Open *parent = writer->open + writer->depth - 1;
    return !parent->is_foreign || is_one_of(parent->name, parent->length, INTEGRATION);
}

static int push(Writer *writer, const char *name, size_t length, int is_foreign) {
    if (writer->depth == writer->room) {
        const size_t room = writer->room * 2 + 64;
        Open *moved = realloc(writer->open, room * sizeof(Open));
        if (!moved) return 0;
        writer->open = moved;
        writer->room = room;
    }
    writer->open[writer->depth++] = (Open){name, length, is_foreign};
    return 1;
}

static void close_last(Writer *writer) {
    const Open *last = writer->open + --writer->depth;
    put(&writer->out, "</", 2);
    put_name(&writer->out, last->name, last->length);
    put(&writer->out, ">", 1);
}

static void write_end_tag(Writer *writer) {
    const char *name = writer->at + 2;
    const char *end = memchr(name, '>', (size_t)(writer->end - name));
    writer->at = end ? end + 1 : writer->end;
    if (!end) return;
    const size_t length = (size_t)(end - name);
    const Open *last = writer->depth ? writer->open + writer->depth - 1 : NULL;
    if (last && last->length == length && !memcmp(last->name, name, length)) close_last(writer);
}

/* Write the content of an element that is text to the parser; 0 with an exception set. */
static int write_raw(Writer *writer, const char *name, size_t length) {
    const char *end = end_of_raw(writer->at, writer->end, name, length);
    if (!end) end = writer->end;
    if (writer->noscript != Py_None && is_named(name, length, "noscript")) {
        PyObject *markup = PyObject_CallFunction(writer->noscript, "y#", writer->at,
                                                 (Py_ssize_t)(end - writer->at));
        char *data;
        Py_ssize_t size;
        if (!markup || PyBytes_AsStringAndSize(markup, &data, &size) < 0) {
            Py_XDECREF(markup);
            return 0;
        }
        put(&writer->out, data, (size_t)size);
        Py_DECREF(markup);
    } else
        put_text(&writer->out, writer->at, end, 0, 0);
    writer->at = end;
    return 1;
}

static int write_start_tag(Writer *writer) {
    const char *name = writer->at + 1, *at = name, *end = writer->end;
    while (at < end && *at != ' ' && *at != '>') at++;
    const size_t length = (size_t)(at - name);
    put(&writer->out, "<", 1);
    put_name(&writer->out, name, length);
    while (at < end && *at == ' ') {
        const char *attribute = at + 1;
        const char *value = attribute < end ? find(attribute + 1, end, "=\"") : NULL;
        const char *quote = value ? memchr(value + 2, '"', (size_t)(end - value - 2)) : NULL;
        if (!quote) {
            at = end;
            break;
        }
        if (is_xml_attribute(attribute, (size_t)(value - attribute))) {
            put(&writer->out, " ", 1);
            put_name(&writer->out, attribute, (size_t)(value - attribute));
            put(&writer->out, "=\"", 2);
            put_text(&writer->out, value + 2, quote, 1, 1);
            put(&writer->out, "\"", 1);
        }
        at = quote + 1;
    }
    writer->at = at < end && *at == '>' ? at + 1 : end;
    const int is_html = is_html_parent(writer);
    const int is_foreign = is_named(name, length, "svg") || is_named(name, length, "math") || !is_html;
    if (is_html && is_one_of(name, length, VOID)) {
        put(&writer->out, "/>", 2);
        return 1;
    }
    put(&writer->out, ">", 1);
    if (!push(writer, name, length, is_foreign)) {
        PyErr_NoMemory();
        return 0;
    }
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
            if (!next) next = writer->end;
            put_text(&writer->out, writer->at, next, 1, 0);
            writer->at = next;
            continue;
        }
        const char c = left > 1 ? writer->at[1] : 0;
        if (c == '/')
            write_end_tag(writer);
        else if (left >= 4 && !memcmp(writer->at, "<!--", 4)) {
            writer->at += 4;
            skip_to(writer, "-->");
        } else if (c == '!' || c == '?')
            skip_to(writer, ">");
        else if (is_letter(c)) {
            if (!write_start_tag(writer)) return 0;
        } else {
            put_string(&writer->out, "&lt;");
            writer->at++;
        }
    }
    while (writer->depth) close_last(writer);
    return 1;
}

PyDoc_STRVAR(to_xml_doc,
             "to_xml(html, noscript) -> bytes\n\n"
             "XML of serialised HTML, both UTF-8. What a noscript element holds is given to the\n"
             "function, where it is not None, and what that returns stands in its place.");

static PyObject *markup_to_xml(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer html;
    PyObject *noscript, *answer = NULL;
    if (!PyArg_ParseTuple(args, "y*O", &html, &noscript)) return NULL;
    Writer writer = {.at = html.buf, .end = (const char *)html.buf + html.len, .noscript = noscript};
    if (write_all(&writer))
        answer = writer.out.failed ? PyErr_NoMemory()
                                   : PyBytes_FromStringAndSize(writer.out.data ? writer.out.data : "",
                                                               (Py_ssize_t)writer.out.length);
    free(writer.out.data);
    free(writer.open);
    PyBuffer_Release(&html);
    return answer;
}

static PyMethodDef methods[] = {
    {"to_xml", markup_to_xml, METH_VARARGS, to_xml_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_markup", "Native kernel of worker.pages.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__markup(void) { return PyModuleDef_Init(&definition); }
