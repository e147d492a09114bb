// Python interface of the compiled core.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "network.hpp"

namespace {

using namespace detourage;

constexpr char CAPSULE[] = "detourage.core.Network";

// A buffer of Python, released at the end of its scope.
class Buffer {
  public:
    ~Buffer() {
        if (view_.obj) PyBuffer_Release(&view_);
    }
    Buffer() = default;
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    Py_buffer *operator&() { return &view_; }
    template <typename T> const T *values() const { return static_cast<const T *>(view_.buf); }
    template <typename T> size_t count() const { return static_cast<size_t>(view_.len) / sizeof(T); }

  private:
    Py_buffer view_{};
};

template <typename T> PyObject *bytes_of(const std::vector<T> &values) {
    return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(values.data()),
                                     static_cast<Py_ssize_t>(values.size() * sizeof(T)));
}

// The strings of a buffer, each followed by NUL.
std::vector<std::string_view> strings_of(const Buffer &buffer) {
    std::vector<std::string_view> found;
    const char *at = buffer.values<char>(), *const end = at + buffer.count<char>();
    while (at < end) {
        const void *nul = std::memchr(at, 0, static_cast<size_t>(end - at));
        if (!nul) break;
        const char *stop = static_cast<const char *>(nul);
        found.emplace_back(at, static_cast<size_t>(stop - at));
        at = stop + 1;
    }
    return found;
}

// The arguments that describe a page.
struct Input {
    Buffer tags, texts, names, values, tag_numbers, parents, ends, text_parents, after, owners, name_numbers;
    Buffer traits, lower;
    const char *url = nullptr;
    Py_ssize_t url_size = 0;
    Document document;

    std::string_view address() const { return {url, static_cast<size_t>(url_size)}; }
    Characters characters() const {
        return {traits.values<uint32_t>(), lower.values<uint32_t>(),
                static_cast<uint32_t>(std::min(traits.count<uint32_t>(), lower.count<uint32_t>()))};
    }

    // Fill the document; throws std::invalid_argument if the columns do not fit each other.
    void read() {
        if (!fill(strings_of(tags), strings_of(texts), strings_of(names), strings_of(values)))
            throw std::invalid_argument("the columns of the document do not fit each other");
    }

  private:
    using Strings = std::vector<std::string_view>;

    bool fill(const Strings &of_tags, const Strings &of_texts, const Strings &of_names, const Strings &of_values) {
        const size_t elements = parents.count<int64_t>(), attributes = of_values.size();
        if (tag_numbers.count<int64_t>() != elements || ends.count<int64_t>() != elements || elements > INT32_MAX ||
            text_parents.count<int64_t>() != of_texts.size() || after.count<int64_t>() != of_texts.size() ||
            owners.count<int64_t>() != attributes || name_numbers.count<int64_t>() != attributes)
            return false;
        const auto *tag = tag_numbers.values<int64_t>(), *parent = parents.values<int64_t>();
        const auto *end = ends.values<int64_t>(), *owner = owners.values<int64_t>();
        const auto *name = name_numbers.values<int64_t>();
        document.reserve(elements, of_texts.size(), attributes);
        size_t next = 0;
        for (size_t i = 0; i < elements; i++) {
            if (static_cast<size_t>(tag[i]) >= of_tags.size() || end[i] > static_cast<int64_t>(elements) ||
                !document.add_element(of_tags[static_cast<size_t>(tag[i])], parent[i], end[i]))
                return false;
            for (; next < attributes && owner[next] == static_cast<int64_t>(i); next++) {
                if (static_cast<size_t>(name[next]) >= of_names.size()) return false;
                document.add_attribute(of_names[static_cast<size_t>(name[next])], of_values[next]);
            }
        }
        for (size_t i = 0; i < of_texts.size(); i++)
            if (!document.add_text(of_texts[i], text_parents.values<int64_t>()[i], after.values<int64_t>()[i]))
                return false;
        return next == attributes;
    }
};

#define PAGE "y*y*y*y*y*y*y*y*y*y*y*s#y*y*"
#define INTO(page)                                                                                             \
    &page.tags, &page.texts, &page.names, &page.values, &page.tag_numbers, &page.parents, &page.ends,          \
        &page.text_parents, &page.after, &page.owners, &page.name_numbers, &page.url, &page.url_size,          \
        &page.traits, &page.lower

// Work without the interpreter's lock; sets an exception and returns false if that fails.
template <typename Work> bool unlocked(const Work &work) {
    std::string failure;
    PyObject *kind = PyExc_RuntimeError;
    bool is_out_of_memory = false;
    Py_BEGIN_ALLOW_THREADS
    try {
        work();
    } catch (const std::bad_alloc &) {
        is_out_of_memory = true;
    } catch (const std::invalid_argument &error) {
        kind = PyExc_ValueError;
        failure = error.what();
    } catch (const std::exception &error) {
        failure = error.what();
    }
    Py_END_ALLOW_THREADS
    if (is_out_of_memory) PyErr_NoMemory();
    else if (!failure.empty()) PyErr_SetString(kind, failure.c_str());
    return !is_out_of_memory && failure.empty();
}

bool set(PyObject *dict, const char *name, PyObject *value) {
    const bool is_set = value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return is_set;
}

PyObject *core_columns(PyObject *, PyObject *args) {
    Input page;
    if (!PyArg_ParseTuple(args, PAGE, INTO(page))) return nullptr;
    std::optional<Lines> lines;
    std::optional<Columns> columns;
    const bool is_read = unlocked([&] {
        page.read();
        const Characters characters = page.characters();
        lines.emplace(page.document, characters);
        columns.emplace(page.document, *lines, characters, page.address());
    });
    if (!is_read) return nullptr;
    std::vector<uint16_t> words, shapes;
    std::vector<int32_t> counts, firsts;
    for (const Line &line : lines->lines) {
        words.insert(words.end(), line.words, line.words + WORDS);
        shapes.insert(shapes.end(), line.shapes, line.shapes + SHAPES);
        counts.push_back(line.counts.tokens);
        firsts.push_back(static_cast<int32_t>(line.first_text));
    }
    PyObject *answer = PyDict_New();
    const bool is_set =
        set(answer, "first", bytes_of(firsts)) && set(answer, "counts", bytes_of(counts)) &&
        set(answer, "numbers", bytes_of(columns->numbers)) && set(answer, "words", bytes_of(words)) &&
        set(answer, "shapes", bytes_of(shapes)) && set(answer, "links", bytes_of(columns->link_words)) &&
        set(answer, "places", bytes_of(columns->places)) && set(answer, "names", bytes_of(columns->names)) &&
        set(answer, "page", bytes_of(columns->page_words)) && set(answer, "paths", bytes_of(columns->paths)) &&
        set(answer, "parents", bytes_of(columns->parents)) && set(answer, "grandparents", bytes_of(columns->grandparents));
    if (!is_set) Py_CLEAR(answer);
    return answer;
}

void forget(PyObject *capsule) { delete static_cast<Network *>(PyCapsule_GetPointer(capsule, CAPSULE)); }

PyObject *core_load(PyObject *, PyObject *args) {
    Buffer model;
    if (!PyArg_ParseTuple(args, "y*", &model)) return nullptr;
    try {
        auto network = std::make_unique<Network>(model.values<char>(), model.count<char>());
        PyObject *capsule = PyCapsule_New(network.get(), CAPSULE, forget);
        if (capsule) network.release();
        return capsule;
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_ValueError, error.what());
        return nullptr;
    }
}

PyObject *core_judge(PyObject *, PyObject *args) {
    Input page;
    Buffer known;
    PyObject *capsule;
    if (!PyArg_ParseTuple(args, "Oy*" PAGE, &capsule, &known, INTO(page))) return nullptr;
    const auto *network = static_cast<const Network *>(PyCapsule_GetPointer(capsule, CAPSULE));
    if (!network) return nullptr;
    Judged judged;
    Py_ssize_t count = 0;
    const bool is_judged = unlocked([&] {
        page.read();
        const Characters characters = page.characters();
        const Lines lines(page.document, characters);
        Columns columns(page.document, lines, characters, page.address());
        if (known.count<float>() == lines.lines.size() * KNOWN)
            columns.known.assign(known.values<float>(), known.values<float>() + known.count<float>());
        judged = network->judge(lines, columns);
        count = static_cast<Py_ssize_t>(lines.lines.size());
    });
    if (!is_judged) return nullptr;
    return Py_BuildValue("nNN", count, bytes_of(judged.of_roles), bytes_of(judged.of_kinds));
}

PyMethodDef methods[] = {
    {"load", core_load, METH_VARARGS, "Return the network of a model file; raise ValueError if it is damaged."},
    {"judge", core_judge, METH_VARARGS, "Return the number of lines, and the logits of roles and kinds."},
    {"columns", core_columns, METH_VARARGS, "Return what the network sees of each line."},
    {nullptr, nullptr, 0, nullptr}};
// The widths of the columns.
int add_widths(PyObject *module) {
    const std::pair<const char *, int> widths[] = {{"WORDS", WORDS}, {"SHAPES", SHAPES}, {"LINK_WORDS", LINK_WORDS},
                                                   {"PLACES", PLACES}, {"NAMES", NAMES}, {"PAGE_WORDS", PAGE_WORDS},
                                                   {"KNOWN", KNOWN}};
    for (const auto &[name, width] : widths)
        if (PyModule_AddIntConstant(module, name, width) < 0) return -1;
    return 0;
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void *>(add_widths)}, {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", "Compiled core of the reader.", 0, methods, slots,
                          nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
