#include "layout.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "codes.hpp"
#include "hashing.hpp"
#include "names.hpp"
#include "visibility.hpp"

namespace detourage {
namespace {

constexpr double MIN_SHARE = 0.1;       // share of comments in which a class occurs if the template sets it

using Names = std::unordered_set<std::string_view>;

// Elements that do not interrupt a line, and elements whose content browsers do not display, as in
// `detourage.html.visible_text`.
const Names INLINE{"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "del", "dfn", "em",
                   "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small",
                   "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "button", "data", "img",
                   "input", "map", "meter", "output", "picture", "progress", "rt", "rtc", "select", "svg"};
const Names UNSEEN{"applet", "audio", "canvas", "embed", "frame", "frameset", "head", "iframe", "noframes",
                   "noscript", "object", "script", "style", "template", "video", "area", "base", "basefont",
                   "datalist", "link", "meta", "noembed", "param", "rp", "source", "title", "track"};
const Names HIDING{"hidden", "sr-only", "visually-hidden", "screen-reader-text", "d-none"};

// The words of a class, in order.
std::vector<std::string_view> words_in(std::string_view classes, const Characters &characters) {
    std::vector<std::string_view> words;
    const char *start = classes.data();
    for (const char *next = start, *end = start + classes.size(); next < end;) {
        const char *const character = next;
        if (!(characters.traits_of(next_character(next, end)) & SPACE)) continue;
        if (character > start) words.emplace_back(start, static_cast<size_t>(character - start));
        start = next;
    }
    if (const char *const end = classes.data() + classes.size(); end > start)
        words.emplace_back(start, static_cast<size_t>(end - start));
    return words;
}

bool has_digit(std::string_view name, const Characters &characters) {
    for (const char *next = name.data(), *end = next + name.size(); next < end;)
        if (characters.traits_of(next_character(next, end)) & DECIMAL) return true;
    return false;
}

// The number of tokens of a text, as in `detourage.text.words.tokens`.
int64_t count_tokens(std::string_view text, const Characters &characters) {
    int64_t count = 0;
    bool is_in_token = false;
    for (const char *next = text.data(), *end = next + text.size(); next < end;) {
        const uint32_t traits = characters.traits_of(next_character(next, end));
        if (traits & UNSPACED) count++;
        if (traits & WORD) count += !is_in_token;
        is_in_token = (traits & WORD) || (is_in_token && (traits & SIGN));
    }
    return count;
}

int64_t count_characters(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// The items of a page that belong to comments, grouped by comment: those of comment `i` are from
// `firsts[i]` to `firsts[i + 1]`.
struct Items {
    std::vector<int64_t> items, firsts;

    Items(const std::vector<int64_t> &owners, int64_t count) : firsts(at(count) + 1) {
        for (const int64_t owner : owners)
            if (owner >= 0) firsts[at(owner) + 1]++;
        for (size_t i = 1; i < firsts.size(); i++) firsts[i] += firsts[i - 1];
        items.resize(at(firsts.back()));
        std::vector<int64_t> next = firsts;
        for (size_t i = 0; i < owners.size(); i++)
            if (owners[i] >= 0) items[at(next[at(owners[i])]++)] = static_cast<int64_t>(i);
    }

    // The position of an item in a comment or, if it is missing, of the comment's next item.
    int64_t position_of(int64_t item, int64_t owner) const {
        const auto start = items.begin() + firsts[at(owner)], end = items.begin() + firsts[at(owner) + 1];
        return std::lower_bound(start, end, item) - items.begin();
    }
};

class LayingOut {
  public:
    LayingOut(const Document &document, const Characters &characters, const Rows &rows)
        : document_(document), characters_(characters), rows_(rows) {}

    // For each element, its comment if it is a row, or -1; and the row's position, or 0.
    std::vector<int64_t> comments, positions;
    std::vector<int64_t> owners;        // comment of each element, -1 for none
    std::vector<int64_t> boundaries;    // rows, and hidden elements inside them

    void find_owners() {
        const size_t count = document_.elements.size();
        comments.assign(count, -1);
        positions.assign(count, 0);
        for (size_t i = 0; i < rows_.elements.size(); i++) {
            comments[at(rows_.elements[i])] = rows_.comments[i];
            positions[at(rows_.elements[i])] = rows_.positions[i];
        }
        owners.assign(count, -1);
        std::vector<std::pair<int64_t, int64_t>> around;    // end and owner of each enclosing boundary
        int64_t end_inside = 0;
        for (size_t i = 0; i < count; i++) {
            const auto element = static_cast<int64_t>(i);
            while (!around.empty() && around.back().first <= element) around.pop_back();
            const bool is_row = comments[i] >= 0;
            if (is_row || (element < end_inside && is_hidden(static_cast<int32_t>(i)))) {
                boundaries.push_back(element);
                around.emplace_back(document_.elements[i].end, comments[i]);
            }
            if (is_row) end_inside = std::max<int64_t>(end_inside, document_.elements[i].end);
            if (!around.empty()) owners[i] = around.back().second;
        }
    }

    bool is_inline(int64_t element) const { return INLINE.contains(document_.elements[at(element)].written); }

    // Number the paths of items. A path consists of the position of the row around the item and the steps
    // below that row; a step is a tag with those of its classes that occur in several comments.
    std::vector<int64_t> number_paths(const Items &items, const std::vector<int64_t> &parents) {
        ScatteredMap<std::string_view, std::vector<std::string_view>> words;
        ScatteredMap<std::string_view, std::pair<int64_t, int64_t>> counts;   // number of comments, last comment
        for (const int64_t item : items.items) {
            const std::string_view classes = document_.value(static_cast<int32_t>(item), "class");
            const auto [found, is_new] = words.try_emplace(classes);
            if (is_new) found->second = words_in(classes, characters_);
            for (const std::string_view word : found->second) {
                auto &[count, last] = counts.try_emplace(word, 0, -1).first->second;
                if (last != owners[at(item)]) count++;
                last = owners[at(item)];
            }
        }
        const auto comment_count = static_cast<double>(rows_.count);
        // Minimum number of comments in which a class must occur
        const double least = std::max(MIN_SHARE * comment_count, std::min(2.0, comment_count));
        ScatteredMap<std::string_view, std::string> common;   // words in enough comments, by class attribute
        for (auto &[classes, of_classes] : words) {
            std::sort(of_classes.begin(), of_classes.end());
            for (const std::string_view word : of_classes)
                // A class that contains a number belongs to a single comment.
                if (static_cast<double>(counts[word].first) >= least && !has_digit(word, characters_))
                    (common[classes] += word) += ' ';
        }
        ScatteredMap<std::string, int64_t> steps;
        ScatteredMap<std::string_view, ScatteredMap<std::string_view, int64_t>> known;
        ScatteredMap<std::pair<int64_t, int64_t>, int64_t> numbers{{{-1, 0}, 0}};
        std::vector<int64_t> paths;
        for (size_t i = 0; i < items.items.size(); i++) {
            const int64_t item = items.items[i];
            std::pair<int64_t, int64_t> key{-1, positions[at(item)]};
            if (parents[i] >= 0) {
                const std::string_view tag = document_.elements[at(item)].written;
                const std::string_view classes = document_.value(static_cast<int32_t>(item), "class");
                const auto [step, is_new] = known[tag].try_emplace(classes);
                if (is_new) {
                    std::string name(tag);
                    if (const auto found = common.find(classes); found != common.end()) (name += ' ') += found->second;
                    step->second = steps.try_emplace(name, static_cast<int64_t>(steps.size())).first->second;
                }
                key = {paths[at(parents[i])], step->second};
            }
            paths.push_back(numbers.try_emplace(key, static_cast<int64_t>(numbers.size())).first->second);
        }
        return paths;
    }

  private:
    bool is_hidden(int32_t element) {
        const Element &own = document_.elements[at(element)];
        if (document_.has(element, "hidden") || UNSEEN.contains(own.written)) return true;
        if (own.written == "dialog" ? !document_.has(element, "open")
                                    : hides(document_.value(element, "style"), characters_))
            return true;
        const auto words = words_in(document_.value(element, "class"), characters_);
        return std::any_of(words.begin(), words.end(), [](std::string_view word) { return HIDING.contains(word); });
    }

    const Document &document_;
    const Characters &characters_;
    const Rows &rows_;
};

void check(const Document &document, const Rows &rows) {
    const auto is_below = [](size_t end) { return [end](int64_t each) { return each >= 0 && at(each) < end; }; };
    if (rows.comments.size() != rows.elements.size() || rows.positions.size() != rows.elements.size()
        || rows.count < 0 || at(rows.count) > rows.elements.size()
        || !std::all_of(rows.elements.begin(), rows.elements.end(), is_below(document.elements.size()))
        || !std::all_of(rows.comments.begin(), rows.comments.end(), is_below(at(rows.count))))
        throw std::invalid_argument("the rows do not match the document");
}

// The bits of the words in the class, the ID and the other names of each element.
std::vector<int64_t> bits_of_names(const Document &document, const std::vector<int64_t> &elements, const NameWords &words) {
    ScatteredMap<std::string_view, int64_t> known;
    std::vector<int64_t> bits;
    for (const int64_t element : elements) {
        int64_t own = 0;
        for (const char *const attribute : {"class", "id", "itemprop", "rel", "data-role", "data-testid"}) {
            const std::string_view name = document.value(static_cast<int32_t>(element), attribute);
            if (name.empty()) continue;
            const auto [found, is_new] = known.try_emplace(name, 0);
            if (is_new) for_words_of_name(name, [&](std::string_view word) {
                if (const auto meaning = words.find(lowered(word)); meaning != words.end()) found->second |= meaning->second;
            });
            own |= found->second;
        }
        bits.push_back(own);
    }
    return bits;
}

// Append a text to a line, cleaned as by `detourage.text.words.clean`.
void append_cleaned(std::string &shown, bool &is_after_space, std::string_view text, const Characters &characters) {
    for (const char *next = text.data(), *end = next + text.size(); next < end;) {
        const char *const start = next;
        const uint32_t traits = characters.traits_of(next_character(next, end));
        if (traits & INVISIBLE) continue;
        const bool is_space = traits & (SPACE | ILLEGAL);
        if (!is_space) {
            if (is_after_space && !shown.empty()) shown += ' ';
            shown.append(start, next);
        }
        is_after_space = is_space;
    }
}

// How strongly the markup of an element indicates an author, given the bits of the element's own names and
// of the names around it; negative if the markup indicates another part.
double hint_of(const Document &document, int32_t element, int64_t own, int64_t inherited) {
    double hint = 0;
    if (own & AUTHOR_NAME || document.value(element, "itemprop") == "name") hint += 0.4;
    else if (inherited & AUTHOR_NAME) hint += 0.3;
    else if ((own | inherited) & PERSON_NAME) hint += 0.2;
    if ((own & (NO_AUTHOR_NAME | AUTHOR_NAME)) == NO_AUTHOR_NAME) hint -= 0.5;
    else if (inherited & NO_AUTHOR_NAME) hint -= 0.2;
    for (const std::string_view tag : {"cite", "b", "strong", "h3", "h4", "h5"})
        if (document.elements[at(element)].written == tag) hint += 0.1;
    return hint;
}

}  // namespace

Layout::Layout(const Document &document, const Characters &characters, const ShownTexts &shown, const Rows &rows,
               const NameWords &words) {
    shown.check(document);
    check(document, rows);
    LayingOut laying(document, characters, rows);
    laying.find_owners();
    const auto &owners = laying.owners;
    const Items items(owners, rows.count);
    std::vector<int64_t> text_owners;
    for (const int64_t text : shown.texts) text_owners.push_back(owners[at(document.texts[at(text)].parent)]);
    const Items own_texts(text_owners, rows.count);
    first_elements = items.firsts;
    first_texts = own_texts.firsts;
    elements = items.items;
    texts = own_texts.items;
    std::vector<int64_t> breaks(texts.size() + 1), characters_before{0};
    for (const int64_t text : texts)
        characters_before.push_back(characters_before.back() + count_characters(document.texts[at(shown.texts[at(text)])].text));
    std::vector<int64_t> parent_positions;
    for (const int64_t element : elements) {
        const int64_t owner = owners[at(element)], first = items.firsts[at(owner)], first_text = own_texts.firsts[at(owner)];
        const bool is_row = laying.comments[at(element)] >= 0;
        const Element &own = document.elements[at(element)];
        parent_positions.push_back(is_row ? -1 : items.position_of(own.parent, owner));
        parents.push_back(is_row ? -1 : parent_positions.back() - first);
        ends.push_back(items.position_of(own.end, owner) - first);
        const int64_t start = own_texts.position_of(shown.starts[at(element)], owner);
        const int64_t end = own_texts.position_of(shown.ends[at(element)], owner);
        text_starts.push_back(start - first_text);
        text_ends.push_back(end - first_text);
        lengths.push_back(characters_before[at(end)] - characters_before[at(start)]);
        // Blocks start and end a line, even if they are hidden or belong to another comment.
        const bool is_block = !laying.is_inline(element);
        breaks[at(start)] += is_block + is_row;
        breaks[at(end)] += is_block;
    }
    for (const int64_t boundary : laying.boundaries) {
        const int32_t parent = document.elements[at(boundary)].parent;
        const int64_t around = parent < 0 ? -1 : owners[at(parent)];
        if (around >= 0 && !laying.is_inline(boundary)) breaks[at(own_texts.position_of(shown.ends[at(boundary)], around))]++;
    }
    paths = laying.number_paths(items, parent_positions);
    int64_t line = 0;
    for (size_t i = 0; i < texts.size(); i++) {
        const Text &text = document.texts[at(shown.texts[at(texts[i])])];
        const int64_t owner = owners[at(text.parent)];
        text_parents.push_back(items.position_of(text.parent, owner) - items.firsts[at(owner)]);
        lines.push_back(line += breaks[i]);
        word_counts.push_back(count_tokens(text.text, characters));
    }
    names = bits_of_names(document, elements, words);
    align(document, characters, shown);
}

void Layout::align(const Document &document, const Characters &characters, const ShownTexts &shown) {
    constexpr int64_t MAX_CHARACTERS = 120;     // characters in a short text
    constexpr int64_t MAX_SMALL = 200;          // characters in an element whose names apply to all inside it
    constexpr int64_t MAX_REPEATS = 3;          // columns per path
    constexpr int MAX_ENCLOSING = 3;            // enclosing elements whose names are read
    constexpr int64_t MAX_TO_LINK = 4;          // first elements of which one may be the link
    const auto text_at = [&](int64_t text) { return document.texts[at(shown.texts[at(texts[at(text)])])].text; };
    ScatteredMap<std::pair<int64_t, int64_t>, int64_t> known;
    const auto short_text = [&](int64_t start, int64_t end) {   // -1 if it is too long
        const auto [found, is_new] = known.try_emplace({start, end}, -1);
        if (!is_new) return found->second;
        std::string joined;
        bool is_after_space = false;
        for (int64_t text = start; text < end; text++) {
            is_after_space |= text == start || lines[at(text)] != lines[at(text - 1)];
            append_cleaned(joined, is_after_space, text_at(text), characters);
        }
        if (count_characters(joined) > MAX_CHARACTERS) return found->second;
        short_texts.push_back(std::move(joined));
        return found->second = static_cast<int64_t>(short_texts.size()) - 1;
    };
    const size_t path_count = paths.empty() ? 0 : at(*std::max_element(paths.begin(), paths.end())) + 1;
    std::vector<int64_t> columns(path_count * at(MAX_REPEATS) * 2, -1);
    // The rank of the last text at each path, and the comment and kind of text for which it was counted
    std::vector<int64_t> ranks(path_count), ranked(path_count, -1);
    const auto next_rank = [&](int64_t path, int64_t where) {
        ranks[at(path)] = ranked[at(path)] == where ? ranks[at(path)] + 1 : 0;
        ranked[at(path)] = where;
        return ranks[at(path)];
    };
    for (int64_t comment = 0; at(comment) + 1 < first_elements.size(); comment++) {
        const int64_t first = first_elements[at(comment)], first_text = first_texts[at(comment)];
        const auto is_link = [&](int64_t element) { return document.elements[at(elements[at(element)])].written == "a"; };
        const auto add = [&](int64_t element, int64_t text, int64_t rank, bool is_node) {
            int64_t &column = columns[at((paths[at(element)] * MAX_REPEATS + rank) * 2 + is_node)];
            if (column < 0) {
                column = static_cast<int64_t>(aligned.size());
                aligned.emplace_back().are_nodes = is_node;
            }
            int64_t inherited = 0, around = parents[at(element)];
            for (int i = 0; i < MAX_ENCLOSING && around >= 0 && lengths[at(first + around)] <= MAX_SMALL; i++) {
                inherited |= names[at(first + around)];
                around = parents[at(first + around)];
            }
            // If the text is a node of the element, its children are other parts of the comment.
            const int64_t end = is_node ? element + 1 : std::min(first + ends[at(element)], element + MAX_TO_LINK);
            int64_t link = element;
            while (link < end && !is_link(link)) link++;
            if (link == end) link = parents[at(element)] < 0 ? -1 : first + parents[at(element)];
            AlignedTexts &found = aligned[at(column)];
            found.comments.push_back(comment);
            found.elements.push_back(element - first);
            found.texts.push_back(text);
            found.hints.push_back(
                hint_of(document, static_cast<int32_t>(elements[at(element)]), names[at(element)], inherited));
            found.links.push_back(link >= 0 && is_link(link) ? elements[at(link)] : -1);
        };
        for (int64_t element = first; element < first_elements[at(comment) + 1]; element++) {
            const int64_t start = text_starts[at(element)], end = text_ends[at(element)];
            if (start == end) continue;
            const int64_t rank = next_rank(paths[at(element)], 2 * comment);
            if (rank >= MAX_REPEATS || lengths[at(element)] > 4 * MAX_CHARACTERS) continue;
            if (const int64_t text = short_text(first_text + start, first_text + end); text >= 0)
                add(element, text, rank, false);
        }
        for (int64_t node = first_text; node < first_texts[at(comment) + 1]; node++) {
            const int64_t parent = first + text_parents[at(node)];
            const bool is_alone = text_ends[at(parent)] - text_starts[at(parent)] == 1;
            if (is_alone || count_characters(text_at(node)) > 4 * MAX_CHARACTERS) continue;
            const int64_t rank = next_rank(paths[at(parent)], 2 * comment + 1);
            if (rank >= MAX_REPEATS) continue;
            if (const int64_t text = short_text(node, node + 1); text >= 0) add(parent, text, rank, true);
        }
    }
}

}  // namespace detourage
