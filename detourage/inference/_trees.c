/* Sums over decision trees: every row ends in one leaf of every tree, and the values of these leaves are
 * added. The values are integers, so the sums do not depend on the order of additions.
 *
 * Trees are not traversed. Each inner node is a test of a column, and a row above its threshold cannot
 * end in a leaf below the left child. Of the leaves that remain after all tests, the row ends in the
 * leftmost one (Lucchese et al., "QuickScorer", SIGIR 2015). The tests of a column are in ascending
 * order of their thresholds, and the remaining ones are skipped as soon as no row is above a threshold.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { LEAVES = 32, TOGETHER = 32 };

/* A test of a column: the leaves of a tree that remain for rows above the threshold. */
typedef struct {
    float threshold;
    uint32_t left;
    int32_t tree;
} Test;

typedef struct {
    const Test *tests;
    const int32_t *ends, *values;
    Py_ssize_t columns, trees;
} Forest;

static int is_sound(const Forest *forest, Py_ssize_t count) {
    int32_t end = 0;
    for (Py_ssize_t i = 0; i < forest->columns; i++) {
        if (forest->ends[i] < end) return 0;
        end = forest->ends[i];
    }
    if (end != count) return 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (forest->tests[i].tree < 0 || forest->tests[i].tree >= forest->trees) return 0;
    return 1;
}

static int index_of_lowest(uint32_t bits) {
#ifdef __GNUC__
    return __builtin_ctz(bits);
#else
    int place = 0;
    for (; !(bits & 1); bits >>= 1) place++;
    return place;
#endif
}

/* Compute the sums of `TOGETHER` rows, stored column by column. */
static void add_up(const Forest *forest, const float *rows, uint32_t *left, int64_t *sums) {
    for (Py_ssize_t i = 0; i < forest->trees * TOGETHER; i++) left[i] = UINT32_MAX;
    const Test *test = forest->tests;
    for (Py_ssize_t column = 0; column < forest->columns; column++) {
        const float *values = rows + column * TOGETHER;
        const Test *end = forest->tests + forest->ends[column];
        float most = -INFINITY;
        for (int i = 0; i < TOGETHER; i++) most = values[i] > most ? values[i] : most;
        for (; test < end && most > test->threshold; test++) {
            uint32_t *of_tree = left + (Py_ssize_t)test->tree * TOGETHER;
            for (int i = 0; i < TOGETHER; i++)
                of_tree[i] &= test->left | (values[i] > test->threshold ? 0 : UINT32_MAX);
        }
        test = end;
    }
    for (int i = 0; i < TOGETHER; i++) sums[i] = 0;
    for (Py_ssize_t tree = 0; tree < forest->trees; tree++)
        for (int i = 0; i < TOGETHER; i++)
            sums[i] += forest->values[tree * LEAVES + index_of_lowest(left[tree * TOGETHER + i] | 1u << 31)];
}

static int add_all_up(const Forest *forest, const float *rows, Py_ssize_t count, int64_t *sums) {
    const size_t columns = (size_t)forest->columns, trees = (size_t)forest->trees;
    float *side_by_side = malloc((columns + 1) * TOGETHER * sizeof(float));
    uint32_t *left = malloc((trees + 1) * TOGETHER * sizeof(uint32_t));
    int64_t found[TOGETHER];
    const int is_done = side_by_side && left;
    for (Py_ssize_t first = 0; is_done && first < count; first += TOGETHER) {
        for (size_t column = 0; column < columns; column++)
            for (Py_ssize_t i = 0; i < TOGETHER; i++) {
                /* The last block is padded with its first row. */
                const Py_ssize_t row = first + i < count ? first + i : first;
                side_by_side[column * TOGETHER + (size_t)i] = rows[row * forest->columns + (Py_ssize_t)column];
            }
        add_up(forest, side_by_side, left, found);
        for (Py_ssize_t i = 0; i < TOGETHER && first + i < count; i++) sums[first + i] = found[i];
    }
    free(side_by_side);
    free(left);
    return is_done;
}

PyDoc_STRVAR(sums_doc,
             "sums(tests, ends, values, rows) -> bytes\n\n"
             "Return the sum of each row as int64. Tests are records of a float32 threshold, a uint32\n"
             "mask of the leaves that remain above it (the lowest bit is the first leaf), and an int32\n"
             "tree, grouped by column with ascending thresholds; ends (int32) are the ends of these\n"
             "groups; values (int32) are those of 32 leaves for each tree; rows are float32.");

static PyObject *trees_sums(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer tests, ends, values, rows;
    if (!PyArg_ParseTuple(args, "y*y*y*y*", &tests, &ends, &values, &rows)) return NULL;
    PyObject *answer = NULL;
    const Forest forest = {tests.buf, ends.buf, values.buf, ends.len / (Py_ssize_t)sizeof(int32_t),
                           values.len / (Py_ssize_t)(LEAVES * sizeof(int32_t))};
    if (forest.columns < 1 || !is_sound(&forest, tests.len / (Py_ssize_t)sizeof(Test))) {
        PyErr_SetString(PyExc_ValueError, "invalid trees: the ends of columns do not match the tests");
        goto done;
    }
    const Py_ssize_t count = rows.len / (Py_ssize_t)sizeof(float) / forest.columns;
    answer = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    if (answer == NULL) goto done;
    int64_t *sums = (int64_t *)PyBytes_AsString(answer);
    int is_done;
    Py_BEGIN_ALLOW_THREADS
    is_done = add_all_up(&forest, rows.buf, count, sums);
    Py_END_ALLOW_THREADS
    if (!is_done) {
        Py_CLEAR(answer);
        PyErr_NoMemory();
    }
done:
    PyBuffer_Release(&tests);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&values);
    PyBuffer_Release(&rows);
    return answer;
}

static PyMethodDef methods[] = {
    {"sums", trees_sums, METH_VARARGS, sums_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_trees", "Native kernel of detourage.inference.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__trees(void) { return PyModuleDef_Init(&definition); }
