/* Sums over decision trees: every row goes down every tree, and the leaves that it comes to
 * are added up. Leaves hold whole numbers, so that the sums are the same in any order.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* A node looks at a column and sends rows of at most its threshold to the first of the nodes below
 * it, others to the second. Nodes below come after it; below a leaf is the leaf itself, so that
 * rows may take as many steps as the deepest leaf needs, and no step has a branch to guess.
 */
typedef struct {
    int32_t column;
    float threshold;
    int32_t below[2];
} Node;

typedef struct {
    int32_t root, depth;
} Tree;

static int is_sound(const Node *nodes, Py_ssize_t count, const Tree *trees, Py_ssize_t tree_count,
                    int32_t columns) {
    for (Py_ssize_t i = 0; i < count; i++) {
        const Node *node = nodes + i;
        if (node->column < 0 || node->column >= columns || node->below[0] < i ||
            node->below[1] < i || node->below[0] >= count || node->below[1] >= count)
            return 0;
    }
    for (Py_ssize_t i = 0; i < tree_count; i++)
        if (trees[i].root < 0 || trees[i].root >= count) return 0;
    return 1;
}

/* Rows that go down a tree together: while one waits for memory, the others go on. */
enum { TOGETHER = 8 };

static void add_up(const Node *nodes, const int32_t *values, const Tree *trees, Py_ssize_t tree_count,
                   const float *rows, Py_ssize_t count, int32_t columns, int64_t *sums) {
    for (Py_ssize_t i = 0; i < count; i++) sums[i] = 0;
    for (const Tree *tree = trees; tree < trees + tree_count; tree++)
        for (Py_ssize_t first = 0; first < count; first += TOGETHER) {
            const float *row[TOGETHER];
            int32_t place[TOGETHER];
            for (int i = 0; i < TOGETHER; i++) {
                /* What is over at the end goes down more than once, and counts once. */
                row[i] = rows + (first + i < count ? first + i : first) * columns;
                place[i] = tree->root;
            }
            for (int32_t step = 0; step < tree->depth; step++)
                for (int i = 0; i < TOGETHER; i++) {
                    const Node *node = nodes + place[i];
                    place[i] = node->below[row[i][node->column] > node->threshold];
                }
            for (int i = 0; i < TOGETHER && first + i < count; i++)
                sums[first + i] += values[place[i]];
        }
}

PyDoc_STRVAR(sums_doc,
             "sums(nodes, values, trees, rows, columns) -> bytes\n\n"
             "The sum of each row, int64. Nodes are records of int32 column, float32 threshold and\n"
             "two int32 nodes below, each with an int32 value; trees are int32 root and depth; rows\n"
             "are float32.");

static PyObject *trees_sums(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer nodes, values, trees, rows;
    int columns;
    if (!PyArg_ParseTuple(args, "y*y*y*y*i", &nodes, &values, &trees, &rows, &columns)) return NULL;
    PyObject *answer = NULL;
    const Py_ssize_t node_count = nodes.len / (Py_ssize_t)sizeof(Node);
    const Py_ssize_t tree_count = trees.len / (Py_ssize_t)sizeof(Tree);
    if (columns < 1 || values.len < node_count * (Py_ssize_t)sizeof(int32_t) ||
        !is_sound(nodes.buf, node_count, trees.buf, tree_count, columns)) {
        PyErr_SetString(PyExc_ValueError, "no decision trees over so many columns");
        goto done;
    }
    const Py_ssize_t count = rows.len / (Py_ssize_t)sizeof(float) / columns;
    answer = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    if (answer == NULL) goto done;
    int64_t *sums = (int64_t *)PyBytes_AsString(answer);
    Py_BEGIN_ALLOW_THREADS
    add_up(nodes.buf, values.buf, trees.buf, tree_count, rows.buf, count, columns, sums);
    Py_END_ALLOW_THREADS
done:
    PyBuffer_Release(&nodes);
    PyBuffer_Release(&values);
    PyBuffer_Release(&trees);
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
