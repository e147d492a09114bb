/* Matching blocks of two sequences (Ratcliff and Metzener 1988), as Python's difflib finds
 * them without junk: the longest common block, the leftmost in the first sequence and then
 * in the second where several are as long, and the same again on both sides of it.
 *
 * The longest block of a pair of ranges comes from the suffix automaton of the second one
 * (Blumer et al. 1985), through which the first is read: linear time, where difflib needs
 * the product of the lengths on texts taken by character.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The tables take some 90 bytes for each symbol of the second sequence. */
static const Py_ssize_t MAX_SYMBOLS = (Py_ssize_t)1 << 24;

/* Below this many comparisons for each symbol, comparing all pairs beats the automaton. */
static const int64_t DIRECT_COMPARISONS = 48;

typedef struct {
    int32_t a, b, size;
} Block;

typedef struct {
    int32_t a_low, a_high, b_low, b_high;
} Ranges;

/* A transition; those of a state are chained so that a clone can copy them. */
typedef struct {
    int32_t state, symbol, target, next;
} Edge;

typedef struct {
    int32_t length, link, first_end, edges;
} State;

typedef struct {
    const int32_t *a, *b;
    int32_t size_a, size_b, symbols;
    State *states;
    Edge *edges;
    uint32_t edge_mask;
    int32_t *runs;      /* run[j]: length of the common suffix of the prefixes up to i and j */
    int32_t *first;     /* by symbol: where it comes next in the range of b */
    int32_t *following; /* by position in b: where its symbol comes next */
    Block *blocks;
    Ranges *pending;
    int32_t block_count;
} Matcher;

static uint32_t slots_for(int32_t size) {
    uint32_t slots = 16;
    while (slots < 4u * (uint32_t)size) slots *= 2;
    return slots;
}

static int32_t edge_slot(const Matcher *matcher, int32_t state, int32_t symbol) {
    uint64_t key = ((uint64_t)(uint32_t)state << 32 | (uint32_t)symbol) * 0x9E3779B97F4A7C15u;
    uint32_t slot = (uint32_t)(key >> 32) & matcher->edge_mask;
    while (matcher->edges[slot].state >= 0 &&
           (matcher->edges[slot].state != state || matcher->edges[slot].symbol != symbol))
        slot = (slot + 1) & matcher->edge_mask;
    return (int32_t)slot;
}

static void add_edge(Matcher *matcher, int32_t state, int32_t symbol, int32_t target) {
    const int32_t slot = edge_slot(matcher, state, symbol);
    matcher->edges[slot] = (Edge){state, symbol, target, matcher->states[state].edges};
    matcher->states[state].edges = slot;
}

static int32_t clone(Matcher *matcher, int32_t *count, int32_t original, int32_t length) {
    const int32_t copy = (*count)++;
    matcher->states[copy] = matcher->states[original];
    matcher->states[copy].length = length;
    matcher->states[copy].edges = -1;
    for (int32_t slot = matcher->states[original].edges; slot >= 0;
         slot = matcher->edges[slot].next)
        add_edge(matcher, copy, matcher->edges[slot].symbol, matcher->edges[slot].target);
    return copy;
}

static void build_automaton(Matcher *matcher, int32_t low, int32_t high) {
    State *states = matcher->states;
    const uint32_t slots = slots_for(high - low);
    matcher->edge_mask = slots - 1;
    memset(matcher->edges, 0xff, slots * sizeof(Edge));
    states[0] = (State){0, -1, low, -1};
    int32_t count = 1, last = 0;
    for (int32_t j = low; j < high; j++) {
        const int32_t symbol = matcher->b[j], current = count++;
        states[current] = (State){states[last].length + 1, 0, j + 1, -1};
        int32_t state = last, slot;
        last = current;
        for (; state >= 0; state = states[state].link) {
            slot = edge_slot(matcher, state, symbol);
            if (matcher->edges[slot].state >= 0) break;
            add_edge(matcher, state, symbol, current);
        }
        if (state < 0) continue;
        const int32_t target = matcher->edges[slot].target, length = states[state].length + 1;
        if (states[target].length == length) {
            states[current].link = target;
            continue;
        }
        const int32_t copy = clone(matcher, &count, target, length);
        for (; state >= 0; state = states[state].link) {
            slot = edge_slot(matcher, state, symbol);
            if (matcher->edges[slot].target != target) break;
            matcher->edges[slot].target = copy;
        }
        states[target].link = states[current].link = copy;
    }
}

static Block longest_by_automaton(Matcher *matcher, Ranges ranges) {
    build_automaton(matcher, ranges.b_low, ranges.b_high);
    Block best = {ranges.a_low, ranges.b_low, 0};
    int32_t state = 0, length = 0;
    for (int32_t i = ranges.a_low; i < ranges.a_high; i++) {
        int32_t slot = edge_slot(matcher, state, matcher->a[i]);
        while (matcher->edges[slot].state < 0 && state > 0) {
            state = matcher->states[state].link;
            length = matcher->states[state].length;
            slot = edge_slot(matcher, state, matcher->a[i]);
        }
        if (matcher->edges[slot].state < 0) continue;
        state = matcher->edges[slot].target;
        if (++length > best.size)
            best = (Block){i + 1 - length, matcher->states[state].first_end - length, length};
    }
    return best;
}

static Block longest_by_pairs(Matcher *matcher, Ranges ranges) {
    Block best = {ranges.a_low, ranges.b_low, 0};
    int32_t *runs = matcher->runs;
    for (int32_t j = ranges.b_low; j < ranges.b_high; j++) runs[j] = 0;
    for (int32_t i = ranges.a_low; i < ranges.a_high; i++) {
        const int32_t symbol = matcher->a[i];
        int32_t before = 0;
        for (int32_t j = ranges.b_low; j < ranges.b_high; j++) {
            const int32_t length = matcher->b[j] == symbol ? before + 1 : 0;
            before = runs[j];
            runs[j] = length;
            if (length > best.size) best = (Block){i + 1 - length, j + 1 - length, length};
        }
    }
    return best;
}

/* Where no two neighbours match, the recursion only ever goes right: one pass does it all,
 * which keeps interleaved lists from taking quadratic time. */
static void match_single_symbols(Matcher *matcher, Ranges ranges) {
    for (int32_t i = ranges.a_low; i < ranges.a_high; i++) matcher->first[matcher->a[i]] = -1;
    for (int32_t j = ranges.b_high - 1; j >= ranges.b_low; j--)
        matcher->first[matcher->b[j]] = j;
    int32_t low = ranges.b_low;
    for (int32_t i = ranges.a_low; i < ranges.a_high; i++) {
        int32_t *first = &matcher->first[matcher->a[i]];
        while (*first >= 0 && *first < low) *first = matcher->following[*first];
        if (*first < 0 || *first >= ranges.b_high) continue;
        low = *first + 1;
        matcher->blocks[matcher->block_count++] = (Block){i, *first, 1};
    }
}

static void run(Matcher *matcher) {
    memset(matcher->first, 0xff, sizeof(int32_t) * (size_t)matcher->symbols);
    for (int32_t j = matcher->size_b - 1; j >= 0; j--) {
        matcher->following[j] = matcher->first[matcher->b[j]];
        matcher->first[matcher->b[j]] = j;
    }
    int32_t depth = 0;
    matcher->pending[depth++] = (Ranges){0, matcher->size_a, 0, matcher->size_b};
    while (depth > 0) {
        const Ranges ranges = matcher->pending[--depth];
        const int64_t m = ranges.a_high - ranges.a_low, n = ranges.b_high - ranges.b_low;
        if (m == 0 || n == 0) continue;
        const Block best = m * n <= DIRECT_COMPARISONS * (m + n)
                               ? longest_by_pairs(matcher, ranges)
                               : longest_by_automaton(matcher, ranges);
        if (best.size == 0) continue;
        if (best.size == 1) {
            match_single_symbols(matcher, ranges);
            continue;
        }
        matcher->blocks[matcher->block_count++] = best;
        matcher->pending[depth++] = (Ranges){ranges.a_low, best.a, ranges.b_low, best.b};
        matcher->pending[depth++] =
            (Ranges){best.a + best.size, ranges.a_high, best.b + best.size, ranges.b_high};
    }
}

static int by_position(const void *left, const void *right) {
    const Block *a = left, *b = right;
    return (a->a > b->a) - (a->a < b->a);
}

static int reserve(Matcher *matcher) {
    const size_t n = (size_t)matcher->size_b;
    const size_t blocks =
        (size_t)(matcher->size_a < matcher->size_b ? matcher->size_a : matcher->size_b);
    matcher->states = malloc(sizeof(State) * (2 * n + 1));
    matcher->edges = malloc(sizeof(Edge) * slots_for(matcher->size_b));
    matcher->runs = malloc(sizeof(int32_t) * (n + 1));
    matcher->first = malloc(sizeof(int32_t) * ((size_t)matcher->symbols + 1));
    matcher->following = malloc(sizeof(int32_t) * (n + 1));
    matcher->blocks = malloc(sizeof(Block) * (blocks + 1));
    matcher->pending = malloc(sizeof(Ranges) * (blocks + 2));
    return matcher->states && matcher->edges && matcher->runs && matcher->first &&
           matcher->following && matcher->blocks && matcher->pending;
}

static void release(Matcher *matcher) {
    free(matcher->states);
    free(matcher->edges);
    free(matcher->runs);
    free(matcher->first);
    free(matcher->following);
    free(matcher->blocks);
    free(matcher->pending);
}

/* Codes run from 0; returns the number of them, or -1 where one is negative. */
static int32_t highest_code(const int32_t *codes, int32_t size, int32_t symbols) {
    for (int32_t i = 0; i < size; i++) {
        if (codes[i] < 0 || codes[i] >= MAX_SYMBOLS) return -1;
        if (codes[i] >= symbols) symbols = codes[i] + 1;
    }
    return symbols;
}

PyDoc_STRVAR(matching_blocks_doc,
             "matching_blocks(a, b) -> bytes\n\n"
             "Blocks as int32 triples (place in a, place in b, size), in order. Each argument is\n"
             "a buffer of int32 codes, numbered from 0.");

static PyObject *matching_matching_blocks(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer a, b;
    if (!PyArg_ParseTuple(args, "y*y*", &a, &b)) return NULL;
    PyObject *answer = NULL;
    Matcher matcher = {.a = a.buf, .b = b.buf};
    const Py_ssize_t size_a = a.len / (Py_ssize_t)sizeof(int32_t);
    const Py_ssize_t size_b = b.len / (Py_ssize_t)sizeof(int32_t);
    if (size_a > MAX_SYMBOLS || size_b > MAX_SYMBOLS) {
        PyErr_SetString(PyExc_OverflowError, "too long to match");
        goto done;
    }
    matcher.size_a = (int32_t)size_a;
    matcher.size_b = (int32_t)size_b;
    matcher.symbols = highest_code(matcher.a, matcher.size_a, 0);
    if (matcher.symbols >= 0)
        matcher.symbols = highest_code(matcher.b, matcher.size_b, matcher.symbols);
    if (matcher.symbols < 0) {
        PyErr_SetString(PyExc_ValueError, "symbols are numbered from 0, without gaps");
        goto done;
    }
    int reserved;
    Py_BEGIN_ALLOW_THREADS
    reserved = reserve(&matcher);
    if (reserved) {
        run(&matcher);
        qsort(matcher.blocks, (size_t)matcher.block_count, sizeof(Block), by_position);
    }
    Py_END_ALLOW_THREADS
    answer = reserved ? PyBytes_FromStringAndSize((const char *)matcher.blocks,
                                                  matcher.block_count * (Py_ssize_t)sizeof(Block))
                      : PyErr_NoMemory();
    release(&matcher);
done:
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    return answer;
}

static PyMethodDef methods[] = {
    {"matching_blocks", matching_matching_blocks, METH_VARARGS, matching_blocks_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_matching", "Native kernel of worker.evaluation.scores.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__matching(void) { return PyModuleDef_Init(&definition); }
