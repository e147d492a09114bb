// Python interface of the compiled core.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <stdexcept>

#include "network.hpp"

namespace {

using namespace detourage;

template <typename T> PyObject *bytes_of(const std::vector<T> &values) {
    return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(values.data()),
                                     static_cast<Py_ssize_t>(values.size() * sizeof(T)));
}

bool set(PyObject *dict, const char *name, PyObject *value) {
    const bool is_set = value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return is_set;
}

PyDoc_STRVAR(columns_doc, "columns(html, url, traits, lower) -> dict\n\n"
                          "Read a serialised page into its lines and their columns.");

PyObject *core_columns(PyObject *, PyObject *args) {
    Py_buffer html, traits, lower;
    const char *url;
    Py_ssize_t url_size;
    if (!PyArg_ParseTuple(args, "y*s#y*y*", &html, &url, &url_size, &traits, &lower)) return nullptr;
    const Characters characters{static_cast<const uint32_t *>(traits.buf), static_cast<const uint32_t *>(lower.buf),
                                static_cast<uint32_t>(traits.len / 4)};
    PyObject *answer = nullptr;
    {
        PyThreadState *state = PyEval_SaveThread();
        const Document document({static_cast<const char *>(html.buf), static_cast<size_t>(html.len)});
        const Lines lines(document, characters);
        const Columns columns(document, lines, characters, {url, static_cast<size_t>(url_size)});
        std::vector<uint16_t> words, shapes;
        std::vector<int32_t> counts;
        for (const Line &line : lines.lines) {
            words.insert(words.end(), line.words, line.words + WORDS);
            shapes.insert(shapes.end(), line.shapes, line.shapes + 3);
            counts.push_back(line.counts.tokens);
        }
        PyEval_RestoreThread(state);
        answer = PyDict_New();
        PyObject *texts = PyList_New(0), *labels = PyList_New(0);
        for (const Line &line : lines.lines) {
            const std::string_view text = lines.of(line);
            PyObject *string = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
            if (string) PyList_Append(texts, string);
            Py_XDECREF(string);
        }
        for (const std::string &label : Columns::labels()) {
            PyObject *string = PyUnicode_FromString(label.c_str());
            if (string) PyList_Append(labels, string);
            Py_XDECREF(string);
        }
        const bool is_set = set(answer, "texts", texts) && set(answer, "labels", labels) &&
                            set(answer, "numbers", bytes_of(columns.numbers)) && set(answer, "words", bytes_of(words)) &&
                            set(answer, "shapes", bytes_of(shapes)) && set(answer, "links", bytes_of(columns.link_words)) &&
                            set(answer, "places", bytes_of(columns.places)) && set(answer, "names", bytes_of(columns.names)) &&
                            set(answer, "page", bytes_of(columns.page_words)) && set(answer, "paths", bytes_of(columns.paths)) &&
                            set(answer, "parents", bytes_of(columns.parents)) &&
                            set(answer, "grandparents", bytes_of(columns.grandparents)) && set(answer, "counts", bytes_of(counts));
        if (!is_set) Py_CLEAR(answer);
    }
    PyBuffer_Release(&html);
    PyBuffer_Release(&traits);
    PyBuffer_Release(&lower);
    return answer;
}

PyDoc_STRVAR(load_doc, "load(model)\n\nLoad the network from the bytes of a model file; raise ValueError if it is damaged.");

std::unique_ptr<Network> NETWORK;

PyObject *core_load(PyObject *, PyObject *args) {
    Py_buffer model;
    if (!PyArg_ParseTuple(args, "y*", &model)) return nullptr;
    PyObject *answer = nullptr;
    try {
        NETWORK = std::make_unique<Network>(static_cast<const char *>(model.buf), static_cast<size_t>(model.len));
        answer = Py_NewRef(Py_None);
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    }
    PyBuffer_Release(&model);
    return answer;
}

PyDoc_STRVAR(judge_doc, "judge(html, url, traits, lower) -> (roles, comments, kinds)\n\n"
                        "Read a serialised page, and return the network's logits.");

PyObject *core_judge(PyObject *, PyObject *args) {
    Py_buffer html, traits, lower;
    const char *url;
    Py_ssize_t url_size;
    if (!PyArg_ParseTuple(args, "y*s#y*y*", &html, &url, &url_size, &traits, &lower)) return nullptr;
    const Characters characters{static_cast<const uint32_t *>(traits.buf), static_cast<const uint32_t *>(lower.buf),
                                static_cast<uint32_t>(traits.len / 4)};
    Judged judged;
    PyThreadState *state = PyEval_SaveThread();
    {
        const Document document({static_cast<const char *>(html.buf), static_cast<size_t>(html.len)});
        const Lines lines(document, characters);
        const Columns columns(document, lines, characters, {url, static_cast<size_t>(url_size)});
        judged = NETWORK->judge(lines, columns);
    }
    PyEval_RestoreThread(state);
    PyObject *answer = Py_BuildValue("NNN", bytes_of(judged.of_roles), bytes_of(judged.of_comments), bytes_of(judged.of_kinds));
    PyBuffer_Release(&html);
    PyBuffer_Release(&traits);
    PyBuffer_Release(&lower);
    return answer;
}

PyMethodDef methods[] = {{"load", core_load, METH_VARARGS, load_doc},
                         {"judge", core_judge, METH_VARARGS, judge_doc},
                         {"columns", core_columns, METH_VARARGS, columns_doc}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef_Slot slots[] = {{0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", "Compiled core of the reader.", 0, methods, slots,
                          nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
