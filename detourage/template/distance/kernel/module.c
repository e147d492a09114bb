/* Python module of the kernel. It reads and writes buffers and computes without holding the GIL. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>
#include <time.h>

#include "pair.h"

/* Pairs are compared without holding the GIL. After this time, signals are checked as soon as the
 * current pair is finished, so that Ctrl-C need not wait for the whole list. */
static const int64_t PATIENCE = INT64_C(100000000); /* nanoseconds */

static int64_t nanoseconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

typedef struct {
    PyObject_HEAD
    Forest forest;
    Memo memo;
    bool has_memo;
    _Atomic int64_t work;     /* units used by all pairs so far */
    _Atomic int64_t compared; /* of these, units used by comparisons, not by lower bounds */
    int64_t most_work;        /* units of comparisons after which none is started */
} ForestObject;

static Py_ssize_t length(const Py_buffer *buffer, size_t item) {
    return buffer->len / (Py_ssize_t)item;
}

static bool fits(const Py_buffer *buffer, size_t item) {
    if ((size_t)buffer->len % item == 0 && (uintptr_t)buffer->buf % item == 0) return true;
    PyErr_SetString(PyExc_ValueError, "a buffer has the wrong item size or alignment");
    return false;
}

PyDoc_STRVAR(forest_doc,
             "Forest(labels, sizes, starts, memory, work)\n--\n\n"
             "Trees to compare with each other.\n\n"
             "labels, sizes: buffers of int32, the concatenated trees, each in postorder.\n"
             "starts: buffer of int64, the start of each tree, followed by the end of the last.\n"
             "memory: size in bytes of the cache of subtree results shared by all pairs.\n"
             "work: units of work of comparisons after which none is started.");

static int load(ForestObject *self, const Py_buffer *labels, const Py_buffer *sizes,
                const Py_buffer *starts, long long memory) {
    if (!fits(labels, sizeof(int32_t)) || !fits(sizes, sizeof(int32_t)) ||
        !fits(starts, sizeof(int64_t)))
        return -1;
    const int64_t *start = starts->buf;
    const Py_ssize_t count = length(starts, sizeof(int64_t)) - 1;
    const Py_ssize_t nodes = length(labels, sizeof(int32_t));
    if (count < 0 || count >= INT32_MAX || nodes >= INT32_MAX / 4 || labels->len != sizes->len ||
        start[0] != 0 || start[count] != nodes) {
        PyErr_SetString(PyExc_ValueError, "labels, sizes and starts are inconsistent");
        return -1;
    }
    ForestStatus status;
    bool ok = true;
    Py_BEGIN_ALLOW_THREADS
    status = forest_build(&self->forest, labels->buf, sizes->buf, start, (int32_t)count);
    if (status == FOREST_OK && memory > 0 && self->forest.shared > 0) {
        ok = memo_create(&self->memo, self->forest.shared, self->forest.subtrees, memory);
        self->has_memo = ok && self->memo.rows > 0;
    }
    Py_END_ALLOW_THREADS
    if (status == FOREST_INVALID) {
        PyErr_SetString(PyExc_ValueError, "labels and sizes do not describe trees in postorder");
        return -1;
    }
    if (status == FOREST_NO_MEMORY || !ok) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void forest_dealloc(PyObject *object) {
    ForestObject *self = (ForestObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    forest_free(&self->forest);
    memo_free(&self->memo);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyObject *forest_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    Py_buffer labels, sizes, starts;
    long long memory, work;
    if (keywords && PyDict_Size(keywords) > 0) {
        PyErr_SetString(PyExc_TypeError, "Forest takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "y*y*y*LL:Forest", &labels, &sizes, &starts, &memory, &work))
        return NULL;
    const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *self = allocate(type, 0);
    if (self && load((ForestObject *)self, &labels, &sizes, &starts, memory) < 0)
        Py_CLEAR(self);
    if (self) ((ForestObject *)self)->most_work = work;
    PyBuffer_Release(&labels);
    PyBuffer_Release(&sizes);
    PyBuffer_Release(&starts);
    return self;
}

/* Reads a method of computation: None for the usual method, or a tuple (unit, bits, side, trims,
 * skips, bounded) with a name in UNITS, one of 0, 16 and 32, one of "", "left" and "right", and
 * three booleans. */
static bool read_way(PyObject *object, Way *way) {
    *way = USUAL_WAY;
    way->unit = vector_unit(0);
    if (object == Py_None) return true;
    const char *unit, *side;
    int bits, trims, skips, bounded;
    if (!PyArg_ParseTuple(object, "sisppp;a way", &unit, &bits, &side, &trims, &skips, &bounded))
        return false;
    for (int i = 0; (way->unit = vector_unit(i)) && strcmp(way->unit->name, unit) != 0;) i++;
    way->width = bits == 16 ? CELLS_16 : bits == 32 ? CELLS_32 : CELLS_NARROWEST;
    way->side = *side == 'l' ? SIDE_LEFT : *side == 'r' ? SIDE_RIGHT : SIDE_CHEAPER;
    way->trims = trims;
    way->skips = skips;
    way->runs_bounded = bounded;
    if (!way->unit) PyErr_Format(PyExc_ValueError, "this processor does not support %s", unit);
    return way->unit != NULL;
}

static bool are_trees(const ForestObject *self, const int32_t *trees, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++)
        if (trees[i] < 0 || trees[i] >= self->forest.count) {
            PyErr_SetString(PyExc_IndexError, "tree index out of range");
            return false;
        }
    return true;
}

/* Function that computes a number for a pair of trees. */
typedef int32_t PairFunction(const ForestObject *self, int32_t a, int32_t b, int32_t bound,
                             const Way *way, Workspace *workspace);

static int32_t distance_of(const ForestObject *self, int32_t a, int32_t b, int32_t bound,
                           const Way *way, Workspace *workspace) {
    const Memo *memo = self->has_memo ? &self->memo : NULL;
    return pair_distance(&self->forest, a, b, bound, way, memo, workspace);
}

static int32_t lower_bound_of(const ForestObject *self, int32_t a, int32_t b, int32_t bound,
                              const Way *way, Workspace *workspace) {
    (void)bound, (void)way;
    return pair_lower_bound(&self->forest, a, b, workspace);
}

static PyObject *for_pairs(ForestObject *self, const Py_buffer *a, const Py_buffer *b,
                           const Py_buffer *out, int32_t bound, const Way *way,
                           PairFunction *function) {
    const Py_ssize_t count = length(out, sizeof(int32_t));
    if (a->len != out->len || b->len != out->len || bound < 0) {
        PyErr_SetString(PyExc_ValueError, "a, b and out differ in length, or bound is negative");
        return NULL;
    }
    if (!fits(a, sizeof(int32_t)) || !fits(b, sizeof(int32_t)) || !fits(out, sizeof(int32_t)) ||
        !are_trees(self, a->buf, count) || !are_trees(self, b->buf, count))
        return NULL;
    const int32_t *x = a->buf, *y = b->buf;
    int32_t *result = out->buf;
    PyThreadState *thread = PyEval_SaveThread();
    Workspace workspace;
    bool has_memory = workspace_create(&workspace, &self->forest), is_interrupted = false;
    const bool compares = function == distance_of;
    int64_t looked = nanoseconds();
    for (Py_ssize_t i = 0; has_memory && !is_interrupted && i < count; i++) {
        if (compares &&
            atomic_load_explicit(&self->compared, memory_order_relaxed) >= self->most_work) {
            result[i] = PAIR_NOT_COMPUTED;
            continue;
        }
        result[i] = function(self, x[i], y[i], bound, way, &workspace);
        atomic_fetch_add_explicit(&self->work, workspace.work, memory_order_relaxed);
        if (compares)
            atomic_fetch_add_explicit(&self->compared, workspace.work, memory_order_relaxed);
        has_memory = result[i] != PAIR_NO_MEMORY;
        const int64_t now = nanoseconds();
        if (now - looked >= 0 && now - looked < PATIENCE) continue;
        looked = now;
        PyEval_RestoreThread(thread);
        is_interrupted = PyErr_CheckSignals() < 0;
        thread = PyEval_SaveThread();
    }
    workspace_free(&workspace);
    PyEval_RestoreThread(thread);
    if (is_interrupted) return NULL;
    return has_memory ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

PyDoc_STRVAR(distances_doc,
             "distances(a, b, out, bound, way)\n--\n\n"
             "Write the tree edit distances of the trees a[i] and b[i] to out[i].\n\n"
             "a, b, out: buffers of int32. A distance above the bound is written as bound + 1. -1\n"
             "means that the trees are too large to compare, -3 that the work limit was reached.");

static PyObject *forest_distances(PyObject *object, PyObject *args) {
    Py_buffer a, b, out;
    PyObject *way_object, *answer = NULL;
    int bound;
    Way way;
    if (!PyArg_ParseTuple(args, "y*y*w*iO:distances", &a, &b, &out, &bound, &way_object))
        return NULL;
    if (read_way(way_object, &way))
        answer = for_pairs((ForestObject *)object, &a, &b, &out, bound, &way, distance_of);
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    PyBuffer_Release(&out);
    return answer;
}

PyDoc_STRVAR(lower_bounds_doc,
             "lower_bounds(a, b, out)\n--\n\n"
             "Write lower bounds of the distances of the trees a[i] and b[i] to out[i].");

static PyObject *forest_lower_bounds(PyObject *object, PyObject *args) {
    Py_buffer a, b, out;
    if (!PyArg_ParseTuple(args, "y*y*w*:lower_bounds", &a, &b, &out)) return NULL;
    PyObject *answer = for_pairs((ForestObject *)object, &a, &b, &out, 0, NULL, lower_bound_of);
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    PyBuffer_Release(&out);
    return answer;
}

PyDoc_STRVAR(mapping_doc,
             "mapping(a, b, out, way)\n--\n\n"
             "Write an optimal mapping of tree a to tree b to out: for each node of a, the node\n"
             "of b, or -1. Return the distance, or -1 if the trees are too large to compare.");

static PyObject *forest_mapping(PyObject *object, PyObject *args) {
    ForestObject *self = (ForestObject *)object;
    Py_buffer out;
    PyObject *way_object, *answer = NULL;
    int tree[2];
    Way way;
    if (!PyArg_ParseTuple(args, "iiw*O:mapping", &tree[0], &tree[1], &out, &way_object))
        return NULL;
    const int32_t trees[2] = {tree[0], tree[1]};
    if (!fits(&out, sizeof(int32_t)) || !are_trees(self, trees, 2) || !read_way(way_object, &way))
        goto done;
    if (length(&out, sizeof(int32_t)) != self->forest.trees[trees[0]].n) {
        PyErr_SetString(PyExc_ValueError, "the length of out is not the size of the tree");
        goto done;
    }
    int32_t distance = PAIR_NO_MEMORY;
    Py_BEGIN_ALLOW_THREADS
    Workspace workspace;
    if (workspace_create(&workspace, &self->forest))
        distance = pair_mapping(&self->forest, trees[0], trees[1], &way, out.buf, &workspace);
    workspace_free(&workspace);
    Py_END_ALLOW_THREADS
    answer = distance == PAIR_NO_MEMORY ? PyErr_NoMemory() : PyLong_FromLong(distance);
done:
    PyBuffer_Release(&out);
    return answer;
}

PyDoc_STRVAR(work_doc, "Units of work used by all pairs so far.");

static PyObject *forest_work(PyObject *object, void *closure) {
    (void)closure;
    return PyLong_FromLongLong(((ForestObject *)object)->work);
}

static PyGetSetDef forest_attributes[] = {
    {"work", forest_work, NULL, work_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef forest_methods[] = {
    {"distances", forest_distances, METH_VARARGS, distances_doc},
    {"lower_bounds", forest_lower_bounds, METH_VARARGS, lower_bounds_doc},
    {"mapping", forest_mapping, METH_VARARGS, mapping_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot forest_slots[] = {
    {Py_tp_new, forest_new},
    {Py_tp_dealloc, forest_dealloc},
    {Py_tp_methods, forest_methods},
    {Py_tp_getset, forest_attributes},
    {Py_tp_doc, (void *)forest_doc},
    {0, NULL},
};

static PyType_Spec forest_spec = {
    .name = "detourage.template.distance._native.Forest",
    .basicsize = sizeof(ForestObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = forest_slots,
};

static int add_units(PyObject *module) {
    PyObject *names = PyList_New(0);
    const VectorUnit *unit;
    for (int i = 0; names && (unit = vector_unit(i)); i++) {
        PyObject *name = PyUnicode_FromString(unit->name);
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    PyObject *units = names ? PyList_AsTuple(names) : NULL;
    const int status = units ? PyModule_AddObjectRef(module, "UNITS", units) : -1;
    Py_XDECREF(units);
    Py_XDECREF(names);
    return status;
}

static int module_exec(PyObject *module) {
    PyObject *type = PyType_FromSpec(&forest_spec);
    const int status = type ? PyModule_AddObjectRef(module, "Forest", type) : -1;
    Py_XDECREF(type);
    return status < 0 ? status : add_units(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)module_exec}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "Native kernel of detourage.template.distance.",
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
