/* Unit-cost tree edit distance of ordered labelled trees (Zhang and Shasha 1989).
 *
 * Trees come as two int32 arrays in postorder: label codes and subtree sizes. The
 * global interpreter lock is released while the tables are filled.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    const int32_t *labels, *sizes;
    int32_t n;
} Tree;

/* Two tables of (n + 1) x (m + 1) 32-bit cells; more is refused before allocating. */
static const int64_t MAX_TABLE_CELLS = (int64_t)1 << 26;

static int tree_is_valid(const Tree *tree) {
    if (tree->n < 1 || tree->sizes[tree->n - 1] != tree->n) return 0;
    for (int32_t i = 0; i < tree->n; i++) {
        int32_t covered = 1;
        while (covered < tree->sizes[i]) {
            if (covered > i) return 0;
            covered += tree->sizes[i - covered];
        }
        if (covered != tree->sizes[i]) return 0;
    }
    return 1;
}

/* Roots of the subproblems: every node that is not its parent's first child. */
static int32_t keyroots(const Tree *tree, int32_t *roots, int32_t *last_of_leaf) {
    for (int32_t i = 0; i < tree->n; i++) last_of_leaf[i - tree->sizes[i] + 1] = i;
    int32_t count = 0;
    for (int32_t i = 0; i < tree->n; i++)
        if (last_of_leaf[i - tree->sizes[i] + 1] == i) roots[count++] = i;
    return count;
}

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static void fill(const Tree *a, int32_t k, const Tree *b, int32_t l, int32_t *trees,
                 int32_t *forests) {
    const int32_t first_a = k - a->sizes[k] + 1, first_b = l - b->sizes[l] + 1;
    const size_t width = (size_t)b->n + 1;
    for (int32_t y = 0; y <= b->sizes[l]; y++) forests[y] = y;
    for (int32_t i = first_a; i <= k; i++) {
        const int32_t x = i - first_a + 1, left = i - a->sizes[i] + 1 - first_a;
        int32_t *row = forests + (size_t)x * width;
        const int32_t *above = row - width, *outside = forests + (size_t)left * width;
        int32_t *distances = trees + (size_t)i * (size_t)b->n;
        row[0] = x;
        for (int32_t j = first_b; j <= l; j++) {
            const int32_t y = j - first_b + 1, left_b = j - b->sizes[j] + 1 - first_b;
            int32_t best = least(above[y], row[y - 1]) + 1;
            if (left == 0 && left_b == 0) {
                best = least(best, above[y - 1] + (a->labels[i] != b->labels[j]));
                distances[j] = best;
            } else {
                best = least(best, outside[left_b] + distances[j]);
            }
            row[y] = best;
        }
    }
}

/* Returns the distance, or -1 when memory runs out. */
static int32_t distance(const Tree *a, const Tree *b) {
    int32_t *roots_a = malloc(sizeof(int32_t) * 2 * (size_t)a->n);
    int32_t *roots_b = malloc(sizeof(int32_t) * 2 * (size_t)b->n);
    int32_t *trees = malloc(sizeof(int32_t) * (size_t)a->n * (size_t)b->n);
    int32_t *forests = malloc(sizeof(int32_t) * ((size_t)a->n + 1) * ((size_t)b->n + 1));
    int32_t result = -1;
    if (roots_a && roots_b && trees && forests) {
        const int32_t count_a = keyroots(a, roots_a, roots_a + a->n);
        const int32_t count_b = keyroots(b, roots_b, roots_b + b->n);
        for (int32_t p = 0; p < count_a; p++)
            for (int32_t q = 0; q < count_b; q++)
                fill(a, roots_a[p], b, roots_b[q], trees, forests);
        result = trees[(size_t)a->n * (size_t)b->n - 1];
    }
    free(roots_a);
    free(roots_b);
    free(trees);
    free(forests);
    return result;
}

static int tree_of(Tree *tree, const Py_buffer *labels, const Py_buffer *sizes) {
    tree->labels = labels->buf;
    tree->sizes = sizes->buf;
    tree->n = (int32_t)(labels->len / (Py_ssize_t)sizeof(int32_t));
    if (labels->len != sizes->len || labels->len / (Py_ssize_t)sizeof(int32_t) > INT32_MAX / 2 ||
        !tree_is_valid(tree)) {
        PyErr_SetString(PyExc_ValueError, "labels and sizes do not describe a tree in postorder");
        return 0;
    }
    return 1;
}

PyDoc_STRVAR(distance_doc,
             "distance(labels_a, sizes_a, labels_b, sizes_b) -> int\n\n"
             "Tree edit distance; each argument is a buffer of int32 in postorder.");

static PyObject *kernel_distance(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer buffers[4];
    PyObject *answer = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*y*", &buffers[0], &buffers[1], &buffers[2], &buffers[3]))
        return NULL;
    Tree a, b;
    if (!tree_of(&a, &buffers[0], &buffers[1]) || !tree_of(&b, &buffers[2], &buffers[3])) goto done;
    if (((int64_t)a.n + 1) * ((int64_t)b.n + 1) > MAX_TABLE_CELLS) {
        PyErr_Format(PyExc_OverflowError, "too large to compare: trees of %d and %d nodes", (int)a.n,
                     (int)b.n);
        goto done;
    }
    int32_t result;
    Py_BEGIN_ALLOW_THREADS
    result = distance(&a, &b);
    Py_END_ALLOW_THREADS
    answer = result < 0 ? PyErr_NoMemory() : PyLong_FromLong(result);
done:
    for (int i = 0; i < 4; i++) PyBuffer_Release(&buffers[i]);
    return answer;
}

static PyMethodDef methods[] = {
    {"distance", kernel_distance, METH_VARARGS, distance_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernel", "Native kernel of worker.distance.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernel(void) { return PyModuleDef_Init(&definition); }
