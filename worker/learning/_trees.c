/* Sums over decision trees: every row goes down every tree, and the leaves that it comes to
 * are added up. Leaves hold whole numbers, so that the sums are the same in any order.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* An inner node looks at a column and sends rows of at most its threshold to the left; a leaf
 * has the column -1 and its value in place of the left child. Children come after parents.
 */
typedef struct {
    int32_t column;
    float threshold;
    int32_t left, right;
} Node;

static int is_sound(const Node *nodes, Py_ssize_t count, const int32_t *roots, Py_ssize_t trees,
                    int32_t columns) {
    for (Py_ssize_t i = 0; i < count; i++) {
        const Node *node = nodes + i;
        if (node->column < 0) continue;
        if (node->column >= columns || node->left <= i || node->right <= i ||
            node->left >= count || node->right >= count)
            return 0;
    }
    for (Py_ssize_t i = 0; i < trees; i++)
        if (roots[i] < 0 || roots[i] >= count) return 0;
    return 1;
}

static void add_up(const Node *nodes, const int32_t *roots, Py_ssize_t trees, const float *rows,
                   Py_ssize_t count, int32_t columns, int64_t *sums) {
    for (Py_ssize_t i = 0; i < count; i++) {
        const float *row = rows + i * columns;
        int64_t sum = 0;
        for (Py_ssize_t tree = 0; tree < trees; tree++) {
            const Node *node = nodes + roots[tree];
            while (node->column >= 0)
                node = nodes + (row[node->column] > node->threshold ? node->right : node->left);
            sum += node->left;
        }
        sums[i] = sum;
    }
}

PyDoc_STRVAR(sums_doc,
             "sums(nodes, roots, rows, columns) -> bytes\n\n"
             "The sum of each row, int64. Nodes are records of int32 column, float32 threshold,\n"
             "int32 left, int32 right; roots are int32, rows float32.");

static PyObject *trees_sums(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer nodes, roots, rows;
    int columns;
    if (!PyArg_ParseTuple(args, "y*y*y*i", &nodes, &roots, &rows, &columns)) return NULL;
    PyObject *answer = NULL;
    const Py_ssize_t node_count = nodes.len / (Py_ssize_t)sizeof(Node);
    const Py_ssize_t trees = roots.len / (Py_ssize_t)sizeof(int32_t);
    if (columns < 1 || !is_sound(nodes.buf, node_count, roots.buf, trees, columns)) {
        PyErr_SetString(PyExc_ValueError, "no decision trees over so many columns");
        goto done;
    }
    const Py_ssize_t count = rows.len / (Py_ssize_t)sizeof(float) / columns;
    answer = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    if (answer == NULL) goto done;
    int64_t *sums = (int64_t *)PyBytes_AsString(answer);
    Py_BEGIN_ALLOW_THREADS
    add_up(nodes.buf, roots.buf, trees, rows.buf, count, columns, sums);
    Py_END_ALLOW_THREADS
done:
    PyBuffer_Release(&nodes);
    PyBuffer_Release(&roots);
    PyBuffer_Release(&rows);
    return answer;
}

static PyMethodDef methods[] = {
    {"sums", trees_sums, METH_VARARGS, sums_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_trees", "Native kernel of worker.learning.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__trees(void) { return PyModuleDef_Init(&definition); }
