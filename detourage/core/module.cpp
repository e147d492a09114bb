// Python interface of the compiled core.
#include "python.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "attributes.hpp"
#include "blocks.hpp"
#include "body_by_sentences.hpp"
#include "captions.hpp"
#include "comments.hpp"
#include "extent.hpp"
#include "layout.hpp"
#include "lexicon.hpp"
#include "meanings.hpp"
#include "menus.hpp"
#include "network.hpp"
#include "pagination.hpp"
#include "visibility.hpp"

namespace {

using namespace detourage;

Characters characters_of(const Buffer &traits, const Buffer &lower) {
    return {traits.values<uint32_t>(), lower.values<uint32_t>(),
            static_cast<uint32_t>(std::min(traits.count<uint32_t>(), lower.count<uint32_t>()))};
}

// A document owned by Python, with the strings to which it refers and the lines derived from it.
class Page {
  public:
    Document document;

    // Read the arguments from Python; sets an exception and returns false if their types are wrong.
    bool parse(PyObject *args) {
        return PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*y*y*y*y*y*y*", &tags_, &texts_, &names_, &values_, &traits_,
                                &lower_, &columns_[TAGS], &columns_[PARENTS], &columns_[ENDS],
                                &columns_[TEXT_PARENTS], &columns_[AFTER], &columns_[OWNERS], &columns_[NAMES_OF],
                                &buttons_);
    }

    // Fill the document; throws std::invalid_argument if the columns are inconsistent.
    void read() {
        if (!fill(strings_of(tags_), strings_of(texts_), strings_of(names_), strings_of(values_)))
            throw std::invalid_argument("the columns of the document are inconsistent");
    }

    // Release the columns, which the document has copied.
    void release() {
        for (Buffer &column : columns_) column.release();
        buttons_.release();
    }

    Characters characters() const { return characters_of(traits_, lower_); }

    // The lines, computed on first access; call this without the GIL.
    const Lines &lines() const {
        const std::lock_guard lock(mutex_);
        if (!lines_) lines_.emplace(document, characters());
        return *lines_;
    }

  private:
    using Strings = std::vector<std::string_view>;
    enum Column { TAGS, PARENTS, ENDS, TEXT_PARENTS, AFTER, OWNERS, NAMES_OF, COLUMNS };

    const int64_t *column(Column which) const { return columns_[which].values<int64_t>(); }
    bool has(Column which, size_t count) const { return columns_[which].count<int64_t>() == count; }

    bool fill(const Strings &of_tags, const Strings &of_texts, const Strings &of_names, const Strings &of_values) {
        const size_t elements = columns_[PARENTS].count<int64_t>(), attributes = of_values.size();
        if (elements > INT32_MAX || !has(TAGS, elements) || !has(ENDS, elements) ||
            !has(TEXT_PARENTS, of_texts.size()) || !has(AFTER, of_texts.size()) || !has(OWNERS, attributes) ||
            !has(NAMES_OF, attributes) || buttons_.count<bool>() != elements)
            return false;
        const int64_t *tag = column(TAGS), *parent = column(PARENTS), *end = column(ENDS);
        const int64_t *owner = column(OWNERS), *name = column(NAMES_OF);
        document.reserve(elements, of_texts.size(), attributes);
        std::vector<Tag> tags(of_tags.size());
        std::transform(of_tags.begin(), of_tags.end(), tags.begin(), tag_of);
        size_t next = 0;
        for (size_t i = 0; i < elements; i++) {
            if (static_cast<size_t>(tag[i]) >= of_tags.size() || end[i] > static_cast<int64_t>(elements)) return false;
            // A button within a text counts as ``span``.
            const bool is_button = buttons_.values<bool>()[i];
            const std::string_view tag_name = is_button ? "span" : of_tags[static_cast<size_t>(tag[i])];
            const Tag own = is_button ? Tag::span_ : tags[static_cast<size_t>(tag[i])];
            if (!document.add_element(tag_name, own, parent[i], end[i])) return false;
            document.elements.back().written = of_tags[static_cast<size_t>(tag[i])];
            for (; next < attributes && owner[next] == static_cast<int64_t>(i); next++) {
                if (static_cast<size_t>(name[next]) >= of_names.size()) return false;
                document.add_attribute(of_names[static_cast<size_t>(name[next])], of_values[next]);
            }
            document.apply_style();
        }
        for (size_t i = 0; i < of_texts.size(); i++)
            if (!document.add_text(of_texts[i], column(TEXT_PARENTS)[i], column(AFTER)[i])) return false;
        document.place_inline();
        return next == attributes;
    }

    Buffer tags_, texts_, names_, values_, traits_, lower_, buttons_;
    std::array<Buffer, COLUMNS> columns_;
    mutable std::mutex mutex_;
    mutable std::optional<Lines> lines_;
};

// Call a function without the GIL; if it throws, sets an exception and returns false.
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

// A network with the model file that it reads from.
struct Model {
    Buffer file;
    std::optional<Network> network;
};

// A lexicon with the tables of characters with which it reads texts.
struct HeldLexicon {
    Buffer traits, lower;
    std::optional<Lexicon> lexicon;

    Characters characters() const { return characters_of(traits, lower); }
};

// The name of the capsules that hold a type.
template <typename T> constexpr const char *CAPSULE = nullptr;
template <> constexpr const char *CAPSULE<Model> = "detourage.core.Network";
template <> constexpr const char *CAPSULE<Page> = "detourage.core.Page";
template <> constexpr const char *CAPSULE<WordSet> = "detourage.core.WordSet";
template <> constexpr const char *CAPSULE<NameWords> = "detourage.core.NameWords";
template <> constexpr const char *CAPSULE<HeldLexicon> = "detourage.core.Lexicon";

template <typename T> T *held(PyObject *capsule) {
    return static_cast<T *>(PyCapsule_GetPointer(capsule, CAPSULE<T>));
}

template <typename T> PyObject *capsule_of(std::unique_ptr<T> owned) {
    PyObject *capsule =
        PyCapsule_New(owned.get(), CAPSULE<T>, [](PyObject *forgotten) { delete held<T>(forgotten); });
    if (capsule) owned.release();
    return capsule;
}

PyObject *core_document(PyObject *, PyObject *args) {
    auto page = std::unique_ptr<Page>(new (std::nothrow) Page);
    if (!page) return PyErr_NoMemory();
    if (!page->parse(args) || !unlocked([&] { page->read(); })) return nullptr;
    page->release();
    return capsule_of(std::move(page));
}

PyObject *core_columns(PyObject *, PyObject *args) {
    PyObject *capsule;
    const char *url;
    Py_ssize_t url_size;
    if (!PyArg_ParseTuple(args, "Os#", &capsule, &url, &url_size)) return nullptr;
    const auto *page = held<Page>(capsule);
    if (!page) return nullptr;
    std::optional<Columns> columns;
    std::vector<uint16_t> words, shapes;
    std::vector<int32_t> counts, firsts;
    const bool is_read = unlocked([&] {
        const Lines &lines = page->lines();
        columns.emplace(page->document, lines, page->characters(), std::string_view(url, size_t(url_size)));
        for (const Line &line : lines.lines) {
            words.insert(words.end(), line.words, line.words + WORDS);
            shapes.insert(shapes.end(), line.shapes, line.shapes + SHAPES);
            counts.push_back(line.counts.tokens);
            firsts.push_back(static_cast<int32_t>(line.first_text));
        }
    });
    PyObject *answer = is_read ? PyDict_New() : nullptr;
    const bool is_set =
        answer && set(answer, "first", bytes_of(firsts)) && set(answer, "counts", bytes_of(counts)) &&
        set(answer, "numbers", bytes_of(columns->numbers)) && set(answer, "words", bytes_of(words)) &&
        set(answer, "shapes", bytes_of(shapes)) && set(answer, "links", bytes_of(columns->link_words)) &&
        set(answer, "places", bytes_of(columns->places)) && set(answer, "names", bytes_of(columns->names)) &&
        set(answer, "page", bytes_of(columns->page_words)) && set(answer, "paths", bytes_of(columns->paths)) &&
        set(answer, "parents", bytes_of(columns->parents)) && set(answer, "grandparents", bytes_of(columns->grandparents));
    if (!is_set) Py_CLEAR(answer);
    return answer;
}

const char *name_of(BlockType type) {
    constexpr const char *NAMES[] = {"", "heading", "paragraph", "list_item", "quote", "caption", "code", "table"};
    return NAMES[static_cast<size_t>(type)];
}

// A list of the results of `of` for each value; null, with an exception set, on failure.
template <typename Values, typename Of> PyObject *list_of(const Values &values, const Of &of) {
    PyObject *const list = PyList_New(static_cast<Py_ssize_t>(values.size()));
    for (size_t i = 0; list && i < values.size(); i++) {
        PyObject *const item = of(values[i]);
        if (!item || PyList_SetItem(list, static_cast<Py_ssize_t>(i), item) < 0) {
            Py_DECREF(list);
            return nullptr;
        }
    }
    return list;
}

PyObject *span_of(const Span &span) {
    if (span.mark >= 0) return Py_BuildValue("iii", span.start, span.end, span.mark);
    return Py_BuildValue("iis", span.start, span.end, span.mark == BOLD ? "bold" : "italic");
}

PyObject *block_of(const Block &block) {
    PyObject *const marker = block.marker == NO_MARKER ? Py_NewRef(Py_None)
                             : block.marker == BULLET  ? PyUnicode_FromString("-")
                                                       : PyUnicode_FromFormat("%lld.", (long long)block.marker);
    PyObject *const level = block.level ? PyLong_FromLong(block.level) : Py_NewRef(Py_None);
    PyObject *const listed = list_of(block.pieces, [](int32_t piece) { return PyLong_FromLong(piece); });
    PyObject *const pieces = listed ? PyList_AsTuple(listed) : nullptr;
    Py_XDECREF(listed);
    return Py_BuildValue("sNNNNNiid", name_of(block.type), string_of(block.text), list_of(block.spans, span_of), pieces,
                         level, marker, block.element, block.role, block.probability);
}

Numbers numbers_of(const Buffer &buffer) { return {buffer.values<int64_t>(), buffer.count<int64_t>()}; }

PyObject *core_packet(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer pieces, lengths, sentences, cleaned;
    if (!PyArg_ParseTuple(args, "Oy*y*y*y*", &of_page, &pieces, &lengths, &sentences, &cleaned)) return nullptr;
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    const SentenceTexts texts{numbers_of(pieces), numbers_of(lengths), numbers_of(sentences)};
    std::optional<Packet> found;
    if (!unlocked([&] { found.emplace(page->document, texts, numbers_of(cleaned)); })) return nullptr;
    const auto numbers = [](int64_t each) { return PyLong_FromLongLong(each); };
    return Py_BuildValue("iNO", found->element, list_of(found->muted, numbers), found->is_cleaned ? Py_True : Py_False);
}

// Return the mask of elements that a function finds in a document.
template <Mask (*find)(const Document &, const Characters &)> PyObject *core_mask(PyObject *, PyObject *of_page) {
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    Mask mask;
    return unlocked([&] { mask = find(page->document, page->characters()); }) ? bytes_of(mask) : nullptr;
}

Mask within(const Document &document, const Characters &) {
    Mask mask(document.elements.size());
    std::transform(document.elements.begin(), document.elements.end(), mask.begin(),
                   [](const Element &each) { return each.kind & WITHIN ? 1 : 0; });
    return mask;
}

PyObject *core_blocks(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer pieces, lines, sizes, dropped, muted, captions, body_lines, role_lines, roles, probabilities;
    long long container;
    if (!PyArg_ParseTuple(args, "Oy*y*y*Ly*y*y*z*y*y*y*", &of_page, &pieces, &lines, &sizes, &container, &dropped,
                          &muted, &captions, &body_lines, &role_lines, &roles, &probabilities))
        return nullptr;
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    const auto numbers = [](const Buffer &of) { return Body::Numbers(of.values<int64_t>(), of.count<int64_t>()); };
    const Body body{numbers(pieces), numbers(lines), numbers(sizes), container, numbers(dropped), numbers(muted),
                    numbers(captions), !body_lines.is_given(), numbers(body_lines), numbers(role_lines),
                    numbers(roles), {probabilities.values<double>(), probabilities.count<double>()}};
    std::optional<Blocks> found;
    if (!unlocked([&] { found.emplace(page->document, page->characters(), body); })) return nullptr;
    PyObject *const texts = list_of(found->captions, string_of);
    if (!texts) return nullptr;
    PyObject *const places = list_of(found->places, [&](const Place &place) {
        PyObject *const caption = place.caption < 0 ? Py_None : PyList_GetItem(texts, place.caption);
        constexpr const char *MEDIA[] = {"image", "embed", "noscript", "post"};
        return Py_BuildValue("siiOii", MEDIA[static_cast<size_t>(place.medium)], place.element, place.block, caption,
                             place.muted, place.link);
    });
    Py_DECREF(texts);
    return places ? Py_BuildValue("NN", list_of(found->blocks, block_of), places) : nullptr;
}

PyObject *core_extent(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer elements, parents, ends, text_starts, text_ends, text_lines, sizes, lines, blocks, words;
    double core_share;
    int max_caption_tokens;
    if (!PyArg_ParseTuple(args, "Oy*y*y*y*y*y*y*y*y*y*di", &of_page, &elements, &parents, &ends, &text_starts,
                          &text_ends, &text_lines, &sizes, &lines, &blocks, &words, &core_share, &max_caption_tokens))
        return nullptr;
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    const DisplayedElements displayed{numbers_of(elements),    numbers_of(parents),   numbers_of(ends),
                                      numbers_of(text_starts), numbers_of(text_ends), numbers_of(text_lines),
                                      numbers_of(sizes)};
    const BodyLines body{numbers_of(lines), numbers_of(blocks), numbers_of(words)};
    std::optional<Extent> found;
    if (!unlocked([&] { found.emplace(page->document, displayed, body, core_share, max_caption_tokens); }))
        return nullptr;
    return Py_BuildValue("LLNN", static_cast<long long>(found->container), static_cast<long long>(found->core),
                         bytes_of(found->dropped), bytes_of(found->muted));
}

PyObject *core_candidates(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer elements, tags, names, parents, ends, starts_of_texts, ends_of_texts, texts, words, by_readers;
    if (!PyArg_ParseTuple(args, "Oy*y*y*y*y*y*y*y*y*y*", &of_page, &elements, &tags, &names, &parents, &ends,
                          &starts_of_texts, &ends_of_texts, &texts, &words, &by_readers))
        return nullptr;
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    const Selection selection{numbers_of(elements), numbers_of(tags), numbers_of(names),
                              numbers_of(parents),  numbers_of(ends), numbers_of(starts_of_texts),
                              numbers_of(ends_of_texts), numbers_of(texts)};
    std::vector<Candidate> found;
    std::vector<double> features;
    if (!unlocked([&] {
            found = find_candidates(page->document, page->characters(), selection, numbers_of(words),
                                    {by_readers.values<double>(), by_readers.count<double>()});
            for (const Candidate &each : found)
                features.insert(features.end(), each.features.begin(), each.features.end());
        }))
        return nullptr;
    PyObject *const listed = list_of(found, [](const Candidate &each) {
        return Py_BuildValue("(NNNiN)", string_of(each.tag), string_of(each.name), string_of(each.path), each.levels,
                             bytes_of(each.records));
    });
    return listed ? Py_BuildValue("NN", listed, bytes_of(features)) : nullptr;
}

PyObject *core_name_words(PyObject *, PyObject *args) {
    Buffer joined;
    if (!PyArg_ParseTuple(args, "y*", &joined)) return nullptr;
    auto words = std::unique_ptr<NameWords>(new (std::nothrow) NameWords);
    if (!words) return PyErr_NoMemory();
    const bool is_read = unlocked([&] {
        const auto sets = strings_of(joined);
        if (sets.size() > 32) throw std::invalid_argument("more sets of words than bits");
        for (size_t i = 0; i < sets.size(); i++)
            for (size_t start = 0, end; start < sets[i].size(); start = end + 1) {
                end = std::min(sets[i].find(' ', start), sets[i].size());
                (*words)[std::string(sets[i].substr(start, end - start))] |= uint32_t{1} << i;
            }
    });
    return is_read ? capsule_of(std::move(words)) : nullptr;
}

PyObject *core_layout(PyObject *, PyObject *args) {
    PyObject *of_page, *of_words;
    Buffer texts, starts, ends, elements, comments, positions;
    long long count;
    if (!PyArg_ParseTuple(args, "OOy*y*y*y*y*y*L", &of_page, &of_words, &texts, &starts, &ends, &elements, &comments,
                          &positions, &count))
        return nullptr;
    const auto *page = held<Page>(of_page);
    const auto *words = page ? held<NameWords>(of_words) : nullptr;
    if (!words) return nullptr;
    std::optional<Layout> laid;
    if (!unlocked([&] {
            laid.emplace(page->document, page->characters(),
                         ShownTexts{numbers_of(texts), numbers_of(starts), numbers_of(ends)},
                         Rows{numbers_of(elements), numbers_of(comments), numbers_of(positions), count}, *words);
        }))
        return nullptr;
    PyObject *const strings = list_of(laid->short_texts, string_of);
    if (!strings) return nullptr;
    const auto number = [](int64_t each) { return PyLong_FromLongLong(each); };
    const auto text = [&](int64_t each) { return Py_NewRef(PyList_GetItem(strings, static_cast<Py_ssize_t>(each))); };
    PyObject *const columns = list_of(laid->aligned, [&](const AlignedTexts &each) {
        return Py_BuildValue("ONNNNN", each.are_nodes ? Py_True : Py_False, list_of(each.comments, number),
                             list_of(each.elements, number), list_of(each.texts, text),
                             list_of(each.hints, PyFloat_FromDouble), list_of(each.links, number));
    });
    Py_DECREF(strings);
    if (!columns) return nullptr;
    return Py_BuildValue("(NN)(NNNNNNNN)(NNNN)N", bytes_of(laid->first_elements), bytes_of(laid->first_texts),
                         bytes_of(laid->elements), bytes_of(laid->parents), bytes_of(laid->ends),
                         bytes_of(laid->paths), bytes_of(laid->text_starts), bytes_of(laid->text_ends),
                         bytes_of(laid->lengths), bytes_of(laid->names), bytes_of(laid->texts),
                         bytes_of(laid->text_parents), bytes_of(laid->lines), bytes_of(laid->word_counts), columns);
}

PyObject *core_word_set(PyObject *, PyObject *args) {
    Buffer joined;
    if (!PyArg_ParseTuple(args, "y*", &joined)) return nullptr;
    auto words = std::unique_ptr<WordSet>(new (std::nothrow) WordSet);
    if (!words) return PyErr_NoMemory();
    const bool is_read = unlocked([&] { for (const auto word : strings_of(joined)) words->emplace(word); });
    return is_read ? capsule_of(std::move(words)) : nullptr;
}

PyObject *core_words_in(PyObject *, PyObject *args) {
    PyObject *of_words;
    Buffer text, traits;
    if (!PyArg_ParseTuple(args, "Oy*y*", &of_words, &text, &traits)) return nullptr;
    const auto *words = held<WordSet>(of_words);
    if (!words) return nullptr;
    const Characters characters{traits.values<uint32_t>(), nullptr, static_cast<uint32_t>(traits.count<uint32_t>())};
    std::vector<std::string> found;
    return unlocked([&] { found = words_in(text.bytes(), *words, characters); }) ? list_of(found, string_of) : nullptr;
}

PyObject *core_part_links(PyObject *, PyObject *args) {
    PyObject *of_page, *of_words;
    Buffer texts, starts, ends;
    if (!PyArg_ParseTuple(args, "OOy*y*y*", &of_page, &of_words, &texts, &starts, &ends)) return nullptr;
    const auto *page = held<Page>(of_page);
    const auto *words = page ? held<WordSet>(of_words) : nullptr;
    if (!words) return nullptr;
    std::optional<PartLinks> found;
    if (!unlocked([&] {
            found.emplace(page->document, page->characters(),
                          ShownTexts{numbers_of(texts), numbers_of(starts), numbers_of(ends)}, *words);
        }))
        return nullptr;
    PyObject *const runs = list_of(found->runs, [](const std::vector<Number> &run) {
        return list_of(run, [](const Number &each) {
            PyObject *const link = each.link < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(each.link);
            return Py_BuildValue("iN", each.number, link);
        });
    });
    PyObject *const labelled = list_of(found->labelled, [](const LabelledLink &each) {
        return Py_BuildValue("iN", each.element, each.has_text ? string_of(each.label) : Py_NewRef(Py_None));
    });
    return Py_BuildValue("NN", runs, labelled);
}

PyObject *core_captions(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer elements, starts, ends, texts, lines, sizes;
    if (!PyArg_ParseTuple(args, "Oy*y*y*y*y*y*", &of_page, &elements, &starts, &ends, &texts, &lines, &sizes))
        return nullptr;
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    const DisplayedPage displayed{numbers_of(elements), numbers_of(starts), numbers_of(ends),
                                  numbers_of(texts),    numbers_of(lines),  numbers_of(sizes)};
    std::vector<uint8_t> found;
    const bool is_found = unlocked([&] { found = captions(page->document, page->characters(), displayed); });
    return is_found ? bytes_of(found) : nullptr;
}

PyObject *core_meanings(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer elements, displayed, sizes;
    if (!PyArg_ParseTuple(args, "Oy*y*y*", &of_page, &elements, &displayed, &sizes)) return nullptr;
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    std::vector<uint8_t> found;
    const bool is_found = unlocked([&] {
        found = meanings(page->document, numbers_of(elements), numbers_of(displayed), numbers_of(sizes));
    });
    return is_found ? bytes_of(found) : nullptr;
}

PyObject *core_parts_in_values(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer parts;
    if (!PyArg_ParseTuple(args, "Oy*", &of_page, &parts)) return nullptr;
    const auto *page = held<Page>(of_page);
    std::vector<uint8_t> found;
    if (!page || !unlocked([&] { found = parts_in_values(page->document, strings_of(parts)); })) return nullptr;
    return bytes_of(found);
}

PyObject *core_may_hold_comments(PyObject *, PyObject *args) {
    Buffer text;
    if (!PyArg_ParseTuple(args, "y*", &text)) return nullptr;
    return PyBool_FromLong(may_hold_comments(text.bytes()));
}

PyObject *core_matching(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer elements, name, path;
    if (!PyArg_ParseTuple(args, "Oy*y*y*", &of_page, &elements, &name, &path)) return nullptr;
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    std::vector<int64_t> found;
    const bool is_found = unlocked([&] {
        found = matching(page->document, page->characters(), numbers_of(elements), name.bytes(), path.bytes());
    });
    return is_found ? bytes_of(found) : nullptr;
}

PyObject *core_lexicon(PyObject *, PyObject *args) {
    Buffer phrases;
    auto held = std::unique_ptr<HeldLexicon>(new (std::nothrow) HeldLexicon);
    if (!held) return PyErr_NoMemory();
    if (!PyArg_ParseTuple(args, "y*y*y*", &phrases, &held->traits, &held->lower)) return nullptr;
    if (!unlocked([&] { held->lexicon.emplace(strings_of(phrases), held->characters()); })) return nullptr;
    return capsule_of(std::move(held));
}

PyObject *core_concepts(PyObject *, PyObject *args) {
    PyObject *of_lexicon;
    Buffer texts;
    Py_ssize_t left;
    if (!PyArg_ParseTuple(args, "Oy*n", &of_lexicon, &texts, &left)) return nullptr;
    const auto *own = held<HeldLexicon>(of_lexicon);
    if (!own) return nullptr;
    std::vector<int64_t> sizes;
    std::vector<uint32_t> masks;
    const bool is_read = unlocked([&] {
        for (const auto text : strings_of(texts)) {
            if (left <= 0) break;
            const size_t size = own->lexicon->read(text, own->characters(), static_cast<size_t>(left), masks);
            if (size) sizes.push_back(static_cast<int64_t>(size));
            left -= static_cast<Py_ssize_t>(size);
        }
    });
    return is_read ? Py_BuildValue("NN", bytes_of(sizes), bytes_of(masks)) : nullptr;
}

PyObject *core_headlines(PyObject *, PyObject *args) {
    PyObject *of_page;
    Buffer pieces, lines, sizes, unspaced;
    if (!PyArg_ParseTuple(args, "Oy*y*y*y*", &of_page, &pieces, &lines, &sizes, &unspaced)) return nullptr;
    const auto *page = held<Page>(of_page);
    if (!page) return nullptr;
    const DisplayedTexts texts{numbers_of(pieces), numbers_of(lines), numbers_of(sizes), numbers_of(unspaced)};
    std::optional<Headlines> found;
    if (!unlocked([&] { found.emplace(page->document, texts); })) return nullptr;
    if (!found->are_list) return Py_NewRef(Py_None);
    return Py_BuildValue("Nd", list_of(found->addresses, string_of), found->page_words);
}

PyObject *core_load(PyObject *, PyObject *args) {
    try {
        auto model = std::make_unique<Model>();
        if (!PyArg_ParseTuple(args, "y*", &model->file)) return nullptr;
        model->network.emplace(model->file.values<char>(), model->file.count<char>());
        return capsule_of(std::move(model));
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_ValueError, error.what());
        return nullptr;
    }
}

PyObject *core_judge(PyObject *, PyObject *args) {
    PyObject *of_network, *of_page;
    Buffer known;
    const char *url;
    Py_ssize_t url_size;
    if (!PyArg_ParseTuple(args, "OOs#y*", &of_network, &of_page, &url, &url_size, &known)) return nullptr;
    const auto *model = held<Model>(of_network);
    const auto *page = model ? held<Page>(of_page) : nullptr;
    if (!page) return nullptr;
    Judged judged;
    Py_ssize_t count = 0;
    const bool is_judged = unlocked([&] {
        const Lines &lines = page->lines();
        Columns columns(page->document, lines, page->characters(), std::string_view(url, size_t(url_size)));
        if (known.count<float>() == lines.lines.size() * KNOWN)
            columns.known.assign(known.values<float>(), known.values<float>() + known.count<float>());
        judged = model->network->judge(lines, columns);
        count = static_cast<Py_ssize_t>(lines.lines.size());
    });
    if (!is_judged) return nullptr;
    return Py_BuildValue("nNN", count, bytes_of(judged.of_roles), bytes_of(judged.of_kinds));
}

PyMethodDef methods[] = {
    {"load", core_load, METH_VARARGS, "Return the network of a model file; raise ValueError if it is damaged."},
    {"document", core_document, METH_VARARGS, "Return the document that consists of the given columns."},
    {"within", core_mask<within>, METH_O, "Return a mask of the elements that do not interrupt a line."},
    {"judge", core_judge, METH_VARARGS, "Return the number of lines, and the logits of roles and kinds."},
    {"hidden", core_mask<hidden>, METH_O, "Return a mask of the hidden elements and their descendants."},
    {"collapsible", core_mask<collapsible>, METH_O, "Return a mask of the elements that readers can expand, and of the controls that do so."},
    {"packet", core_packet, METH_VARARGS, "Return the element with the most sentences, and its children outside the text."},
    {"blocks", core_blocks, METH_VARARGS, "Return the blocks of a body, and the places of its images and embeds."},
    {"extent", core_extent, METH_VARARGS, "Return the elements around a body and its core, and those left out."},
    {"candidates", core_candidates, METH_VARARGS, "Return the candidates for a page's comments, and their features."},
    {"matching", core_matching, METH_VARARGS, "Return the elements that have the name and path of a signature."},
    {"headlines", core_headlines, METH_VARARGS, "Return the headlines of a page that lists other pages, or None."},
    {"name_words", core_name_words, METH_VARARGS, "Return words, each after its bit, for `layout`."},
    {"layout", core_layout, METH_VARARGS, "Return the columns of the layout of comments."},
    {"captions", core_captions, METH_VARARGS, "Return the evidence that each displayed element is a caption, as bits."},
    {"meanings", core_meanings, METH_VARARGS, "Return the meanings of the names of elements and of their ancestors, as bits."},
    {"word_set", core_word_set, METH_VARARGS, "Return the given words as a set for `part_links` and `words_in`."},
    {"words_in", core_words_in, METH_VARARGS, "Return the words of a text that are in a set."},
    {"part_links", core_part_links, METH_VARARGS, "Return the runs of numbers, and the links with a label."},
    {"lexicon", core_lexicon, METH_VARARGS, "Return a lexicon of the given phrases for `concepts`."},
    {"concepts", core_concepts, METH_VARARGS, "Return the sizes of lines, and the concepts of each word, as bits."},
    {"parts_in_values", core_parts_in_values, METH_VARARGS, "Return which of the given parts the values of attributes contain."},
    {"may_hold_comments", core_may_hold_comments, METH_VARARGS, "Return whether a text may contain comments as JSON."},
    {"columns", core_columns, METH_VARARGS, "Return the network's inputs for each line."},
    {nullptr, nullptr, 0, nullptr}};

// Add the widths of the columns to the module, as constants.
int add_widths(PyObject *module) {
    const std::pair<const char *, int> widths[] = {{"WORDS", WORDS}, {"SHAPES", SHAPES}, {"LINK_WORDS", LINK_WORDS},
                                                   {"PLACES", PLACES}, {"NAMES", NAMES}, {"PAGE_WORDS", PAGE_WORDS},
                                                   {"KNOWN", KNOWN}, {"MAX_CELL_TOKENS", MAX_CELL_TOKENS}};
    for (const auto &[name, width] : widths)
        if (PyModule_AddIntConstant(module, name, width) < 0) return -1;
    return 0;
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void *>(add_widths)}, {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", "Compiled core of the reader.", 0, methods, slots,
                          nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
