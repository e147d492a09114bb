// Locations of a document's elements and texts: XPaths, offsets of texts, and the text nodes in which
// a block's text is found. All functions take linear time and validate their columns.
#include "../core/python.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/text.hpp"

namespace {

using detourage::Buffer;
using detourage::bytes_of;
using detourage::Characters;
using detourage::next_character;
using detourage::string_of;
using detourage::strings_of;

constexpr char CAPSULE[] = "detourage.html.Tree";

struct Release {
    void operator()(PyObject *object) const { Py_XDECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Release>;

// Run a function that may throw.
template <typename Work> PyObject *guarded(const Work &work) {
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
}

PyObject *refuse(const char *message) {
    PyErr_SetString(PyExc_ValueError, message);
    return nullptr;
}

size_t count_characters(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The elements and texts of a document.
class Tree {
  public:
    Buffer tag_names, tag_numbers, parents, ends, joined_texts, text_parents;

    // Read the columns; returns false if they are inconsistent.
    bool read() {
        names_ = strings_of(tag_names);
        texts_ = strings_of(joined_texts);
        size_ = parents.count<int64_t>();
        if (tag_numbers.count<int64_t>() != size_ || ends.count<int64_t>() != size_ ||
            text_parents.count<int64_t>() != texts_.size())
            return false;
        for (size_t i = 0; i < size_; i++) {
            const auto own = static_cast<int64_t>(i);
            if (parent(own) < -1 || parent(own) >= own || end(own) <= own || end(own) > size() ||
                tag_numbers.values<uint64_t>()[i] >= names_.size())
                return false;
        }
        for (size_t i = 0; i < texts_.size(); i++)
            if (!has(holder(static_cast<int64_t>(i)))) return false;
        rank();
        return true;
    }

    int64_t size() const { return static_cast<int64_t>(size_); }
    bool has(int64_t element) const { return element >= 0 && element < size(); }
    int64_t parent(int64_t element) const { return parents.values<int64_t>()[element]; }
    int64_t end(int64_t element) const { return ends.values<int64_t>()[element]; }
    size_t tag(int64_t element) const { return static_cast<size_t>(tag_numbers.values<int64_t>()[element]); }
    std::string_view name(int64_t element) const { return names_[tag(element)]; }

    bool has_text(int64_t text) const { return text >= 0 && text < static_cast<int64_t>(texts_.size()); }
    size_t text_count() const { return texts_.size(); }
    std::string_view text(int64_t text) const { return texts_[static_cast<size_t>(text)]; }
    int64_t holder(int64_t text) const { return text_parents.values<int64_t>()[text]; }

    // The path from an ancestor, empty for the ancestor itself; the absolute path if the ancestor is -1.
    std::string path(int64_t element, int64_t ancestor) const {
        std::vector<int64_t> steps;
        for (int64_t each = element; each != ancestor && each >= 0; each = parent(each)) steps.push_back(each);
        std::string path;
        for (auto each = steps.rbegin(); each != steps.rend(); ++each) {
            if (each != steps.rbegin() || ancestor < 0) path += '/';
            add_step(path, *each);
        }
        return path;
    }

    // The number of characters before a text in its parent's own texts.
    int64_t own_offset(int64_t text) {
        if (own_offsets_.empty()) count_own_offsets();
        return own_offsets_[static_cast<size_t>(text)];
    }

  private:
    std::vector<std::string_view> names_, texts_;
    size_t size_ = 0;
    std::vector<int32_t> ranks_;
    std::vector<char> is_foreign_;
    std::vector<int64_t> own_offsets_;

    // Set the rank of each element among its siblings with the same name, 0 if there are none.
    void rank() {
        ranks_.assign(size_, 0);
        is_foreign_.assign(size_, 0);
        std::vector<int32_t> counts(names_.size());
        for (int64_t element = 0; element < size(); element++) {
            const std::string_view name = this->name(element);
            const int64_t first = element + 1, last = end(element), above = parent(element);
            is_foreign_[static_cast<size_t>(element)] =
                name == "svg" || name == "math" || (above >= 0 && is_foreign_[static_cast<size_t>(above)]);
            for (int64_t child = first; child < last; child = end(child))
                ranks_[static_cast<size_t>(child)] = ++counts[tag(child)];
            for (int64_t child = first; child < last; child = end(child))
                if (counts[tag(child)] == 1) ranks_[static_cast<size_t>(child)] = 0;
            for (int64_t child = first; child < last; child = end(child)) counts[tag(child)] = 0;
        }
    }

    // Names with a colon, and those of SVG and MathML, are not HTML names.
    void add_step(std::string &path, int64_t element) const {
        const auto place = static_cast<size_t>(element);
        const std::string_view name = this->name(element);
        const bool is_html = !is_foreign_[place] && name.find(':') == std::string_view::npos;
        if (!is_html) path += "*[name()='";
        path += name;
        if (!is_html) path += "']";
        if (ranks_[place]) path += '[' + std::to_string(ranks_[place]) + ']';
    }

    void count_own_offsets() {
        std::vector<int64_t> latest(size_, -1), offsets(texts_.size());
        for (size_t i = 0; i < texts_.size(); i++) {
            int64_t &before = latest[static_cast<size_t>(holder(static_cast<int64_t>(i)))];
            // The length of a parent's last text, which may be a long script, is not needed.
            if (before >= 0)
                offsets[i] = offsets[static_cast<size_t>(before)] + static_cast<int64_t>(count_characters(text(before)));
            before = static_cast<int64_t>(i);
        }
        own_offsets_ = std::move(offsets);
    }
};

void forget(PyObject *capsule) { delete static_cast<Tree *>(PyCapsule_GetPointer(capsule, CAPSULE)); }

Tree *tree_of(PyObject *capsule) { return static_cast<Tree *>(PyCapsule_GetPointer(capsule, CAPSULE)); }

PyObject *locations_tree(PyObject *, PyObject *args) {
    return guarded([&]() -> PyObject * {
        auto tree = std::make_unique<Tree>();
        if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*", &tree->tag_names, &tree->tag_numbers, &tree->parents, &tree->ends,
                              &tree->joined_texts, &tree->text_parents))
            return nullptr;
        if (!tree->read()) return refuse("the columns of the document are inconsistent");
        PyObject *capsule = PyCapsule_New(tree.get(), CAPSULE, forget);
        if (capsule) tree.release();
        return capsule;
    });
}

PyObject *locations_path(PyObject *, PyObject *args) {
    PyObject *capsule;
    long long element, ancestor;
    if (!PyArg_ParseTuple(args, "OLL", &capsule, &element, &ancestor)) return nullptr;
    const Tree *tree = tree_of(capsule);
    if (!tree) return nullptr;
    if (!tree->has(element)) return refuse("the document has no such element");
    return guarded([&] { return string_of(tree->path(element, ancestor)); });
}

PyObject *locations_own_offset(PyObject *, PyObject *args) {
    PyObject *capsule;
    long long text;
    if (!PyArg_ParseTuple(args, "OL", &capsule, &text)) return nullptr;
    Tree *tree = tree_of(capsule);
    if (!tree) return nullptr;
    if (!tree->has_text(text)) return refuse("the document has no such text");
    return guarded([&] { return PyLong_FromLongLong(tree->own_offset(text)); });
}

// Return the NUL-terminated texts whose parents are not silent.
PyObject *locations_displayed(PyObject *, PyObject *args) {
    PyObject *capsule;
    Buffer is_silent;
    if (!PyArg_ParseTuple(args, "Oy*", &capsule, &is_silent)) return nullptr;
    const Tree *tree = tree_of(capsule);
    if (!tree) return nullptr;
    if (is_silent.bytes().size() != static_cast<size_t>(tree->size())) return refuse("expected one mark per element");
    return guarded([&] {
        std::string joined;
        for (int64_t i = 0; tree->has_text(i); i++)
            if (!is_silent.bytes()[static_cast<size_t>(tree->holder(i))]) joined.append(tree->text(i)) += '\0';
        return PyBytes_FromStringAndSize(joined.data(), static_cast<Py_ssize_t>(joined.size()));
    });
}

// A position in the text of a block, and the number of characters before it in the article.
struct Place {
    const char *at, *end;
    int64_t characters;

    // Advance past the wanted character; returns false if the next character is not that one.
    bool pass(uint32_t wanted) {
        if (at == end || next_character(at, end) != wanted) return false;
        characters++;
        return true;
    }
    void skip_space(const Characters &known) {
        for (const char *next = at; at < end; at = next, characters++)
            if (!(known.traits_of(next_character(next, end)) & SPACE)) return;
    }
};

// The range of a text node in the article's text, and the number of the node's characters left out at its start.
struct Match {
    int64_t start, end, skipped;
};

// Find a text node at the given position of a block, and advance past it. In the block, the text is as
// returned by `clean` in detourage.text.words; in code, the text keeps its lines and indentation, but no
// blank lines.
std::optional<Match> match(Place &place, std::string_view text, bool is_code, const Characters &known) {
    place.skip_space(known);
    Place here = place;
    const char *at = text.data(), *const end = at + text.size();
    // The whitespace since the last visible character: its start in the line, and whether a line ended.
    const char *space = nullptr;
    bool has_ended = false, has_begun = false;
    int64_t skipped = 0;
    while (at < end) {
        const char *const from = at;
        const uint32_t code = next_character(at, end), traits = known.traits_of(code);
        const bool is_hidden = traits & INVISIBLE || (is_code && traits & ILLEGAL);
        if (!is_hidden && !(traits & (SPACE | ILLEGAL))) {
            if (has_begun && has_ended && !here.pass('\n')) return {};
            while (has_begun && space && space < from) {
                const uint32_t between = is_code ? next_character(space, from) : ' ';
                if (!is_code) space = from;
                if (!(known.traits_of(between) & (ILLEGAL | INVISIBLE)) && !here.pass(between)) return {};
            }
            if (!here.pass(code)) return {};
            space = nullptr;
            has_begun = true;
            has_ended = false;
        } else if (is_code && !is_hidden && (code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029)) {
            has_ended = true;
            space = nullptr;
        } else if (!is_hidden && !space) {
            space = from;
        }
        skipped += !has_begun;
    }
    if (!has_begun) return {};
    const Match found{place.characters, here.characters, skipped};
    place = here;
    return found;
}

// Locates the texts of blocks; `budget` is the number of characters left for their paths.
struct Locator {
    Tree &tree;
    const char *is_inline;
    const int64_t *starts, *ends;
    Characters known;
    int64_t container, budget;

    // The innermost element that contains the texts and is not inline.
    int64_t element_around(const std::vector<int64_t> &texts) const {
        int64_t element = tree.holder(texts.front()), last = element;
        for (const int64_t text : texts) {
            element = std::min(element, tree.holder(text));
            last = std::max(last, tree.holder(text));
        }
        while ((last >= tree.end(element) || is_inline[element]) && tree.parent(element) >= 0)
            element = tree.parent(element);
        return element;
    }

    // A path, or null if the budget is exhausted.
    Owned path(int64_t element, int64_t ancestor) {
        const std::string path = tree.path(element, ancestor);
        budget -= static_cast<int64_t>(count_characters(path));
        return Owned(budget < 0 ? nullptr : string_of(path));
    }

    // The location of a block, a tuple of a path and a list of texts; None if the budget is exhausted;
    // null, with an exception set, on failure.
    Owned locate(std::string_view block, int64_t start, const std::vector<int64_t> &texts, bool is_code) {
        if (budget < 0) return Owned(Py_NewRef(Py_None));
        const int64_t element = element_around(texts);
        const bool is_inside = tree.has(container) && container <= element && element < tree.end(container);
        Owned base = path(element, is_inside ? container : -1), found(PyList_New(0));
        Place place{block.data(), block.data() + block.size(), start};
        for (const int64_t text : texts) {
            if (!base || !found) break;
            const auto matched = match(place, tree.text(text), is_code, known);
            if (!matched) continue;
            const Owned own = path(tree.holder(text), element);
            const Owned location(own ? location_of(*matched, own.get(), text) : nullptr);
            if (!location || PyList_Append(found.get(), location.get()) < 0) {
                found.reset();
                break;
            }
        }
        if (budget < 0 && !PyErr_Occurred()) return Owned(Py_NewRef(Py_None));
        return Owned(base && found ? PyTuple_Pack(2, base.get(), found.get()) : nullptr);
    }

  private:
    PyObject *location_of(const Match &matched, PyObject *path, int64_t text) {
        const auto start = static_cast<long long>(matched.start), end = static_cast<long long>(matched.end);
        const auto offset = static_cast<long long>(tree.own_offset(text) + matched.skipped);
        if (starts[text] < 0) return Py_BuildValue("LLOLOO", start, end, path, offset, Py_None, Py_None);
        return Py_BuildValue("LLOLLL", start, end, path, offset, static_cast<long long>(starts[text]),
                             static_cast<long long>(ends[text]));
    }
};

// Read the indices of texts; returns false, with an exception set, if the document has no such texts.
bool read_texts(const Tree &tree, PyObject *tuple, std::vector<int64_t> &texts) {
    const Py_ssize_t count = PyTuple_Size(tuple);
    if (count < 0) return false;
    texts.clear();
    for (Py_ssize_t i = 0; i < count; i++) texts.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
    if (PyErr_Occurred()) return false;
    if (!texts.empty() && std::all_of(texts.begin(), texts.end(), [&](int64_t text) { return tree.has_text(text); }))
        return true;
    refuse("the document has no such texts");
    return false;
}

PyObject *locations_locate(PyObject *, PyObject *args) {
    PyObject *capsule, *blocks;
    Buffer is_inline, starts, ends, traits;
    long long container, budget;
    if (!PyArg_ParseTuple(args, "Oy*y*y*y*LLO!", &capsule, &is_inline, &starts, &ends, &traits, &container, &budget,
                          &PyList_Type, &blocks))
        return nullptr;
    Tree *tree = tree_of(capsule);
    if (!tree) return nullptr;
    if (is_inline.count<char>() != static_cast<size_t>(tree->size()) ||
        starts.count<int64_t>() != tree->text_count() || ends.count<int64_t>() != tree->text_count())
        return refuse("the columns do not match the document");
    return guarded([&]() -> PyObject * {
        const Characters known{traits.values<uint32_t>(), nullptr, static_cast<uint32_t>(traits.count<uint32_t>())};
        Locator locator{*tree, is_inline.values<char>(), starts.values<int64_t>(), ends.values<int64_t>(),
                        known, container,                budget};
        Owned found(PyList_New(0));
        std::vector<int64_t> texts;
        for (Py_ssize_t i = 0; found && i < PyList_Size(blocks); i++) {
            const char *text;
            Py_ssize_t size;
            long long start;
            PyObject *pieces;
            int is_code;
            if (!PyArg_ParseTuple(PyList_GetItem(blocks, i), "s#LO!p", &text, &size, &start, &PyTuple_Type, &pieces,
                                  &is_code) ||
                !read_texts(*tree, pieces, texts))
                return nullptr;
            const Owned location = locator.locate({text, static_cast<size_t>(size)}, start, texts, is_code);
            if (!location || PyList_Append(found.get(), location.get()) < 0) return nullptr;
        }
        return found ? Py_BuildValue("NL", found.release(), static_cast<long long>(locator.budget)) : nullptr;
    });
}

bool ends_name(char c) { return (c >= '\t' && c <= '\r') || c == ' ' || c == '/' || c == '>'; }

// The end of a comment whose dashes start here; "<!-->" is a complete comment.
size_t end_of_comment(std::string_view source, size_t at) {
    if (source.substr(at, 1) == ">") return at + 1;
    if (source.substr(at, 2) == "->") return at + 2;
    for (; (at = source.find("--", at)) != std::string_view::npos; at++) {
        if (source.substr(at + 2, 1) == ">") return at + 3;
        if (source.substr(at + 2, 2) == "!>") return at + 4;
    }
    return source.size();
}

// Return the offsets of the start tags of consecutive elements in a part of the source. An offset is -1
// unless the part has as many tags with the element's name as there are such elements.
PyObject *locations_start_tags(PyObject *, PyObject *args) {
    PyObject *capsule;
    Buffer html;
    long long first, last, start, end;
    if (!PyArg_ParseTuple(args, "Oy*LLLL", &capsule, &html, &start, &end, &first, &last)) return nullptr;
    const Tree *tree = tree_of(capsule);
    if (!tree) return nullptr;
    const auto size = static_cast<long long>(html.count<char>());
    if (start < 0 || start > end || end > size || first < 0 || first > last || last > tree->size())
        return refuse("the range is not part of the page");
    return guarded([&] {
        // The number of elements with a name, and the offsets of the tags with that name.
        struct Named {
            size_t elements = 0, next = 0;
            std::vector<int64_t> offsets;
        };
        // No hash table, because pages can be crafted so that the hashes of many names are equal.
        std::map<std::string_view, Named> by_name;
        for (auto element = first; element < last; element++) by_name[tree->name(element)].elements++;
        const std::string_view source = html.bytes().substr(0, static_cast<size_t>(end));
        std::string name;
        for (auto at = static_cast<size_t>(start); (at = source.find('<', at)) != std::string_view::npos;) {
            const size_t open = at++;
            if (source.substr(at, 3) == "!--") {
                at = end_of_comment(source, at + 3);
                continue;
            }
            if (at >= source.size() || lower(source[at]) < 'a' || lower(source[at]) > 'z') continue;
            name.clear();
            for (; at < source.size() && !ends_name(source[at]); at++) name += lower(source[at]);
            const auto found = by_name.find(name);
            if (found != by_name.end()) found->second.offsets.push_back(static_cast<int64_t>(open));
        }
        std::vector<int64_t> answer;
        for (auto element = first; element < last; element++) {
            Named &named = by_name[tree->name(element)];
            answer.push_back(named.elements == named.offsets.size() ? named.offsets[named.next++] : -1);
        }
        return bytes_of(answer);
    });
}

PyMethodDef methods[] = {
    {"tree", locations_tree, METH_VARARGS, "Return the elements and texts of a document."},
    {"path", locations_path, METH_VARARGS, "Return the XPath of an element, relative to an ancestor if that is not -1."},
    {"own_offset", locations_own_offset, METH_VARARGS, "Return the number of characters before a text in its parent."},
    {"displayed", locations_displayed, METH_VARARGS, "Return the texts that are not within marked elements."},
    {"locate", locations_locate, METH_VARARGS, "Return the locations of blocks, and the characters left for paths."},
    {"start_tags", locations_start_tags, METH_VARARGS, "Return the offsets of the start tags of elements."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef_Slot slots[] = {{0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_locations", "Native kernel of the locations.", 0, methods, slots,
                          nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__locations(void) { return PyModuleDef_Init(&definition); }
