#include "comments.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <stdexcept>
#include <tuple>

#include "codes.hpp"
#include "hashing.hpp"

namespace detourage {
namespace {

using Numbers = Selection::Numbers;

constexpr double MIN_SHARE = 0.2;       // share of the page's words by readers that a candidate contains
constexpr size_t MAX_CANDIDATES = 100;  // per page, which bounds the work on malicious pages
constexpr int MAX_LEVELS = 8;           // levels from the element with the signature up to its record
constexpr size_t MAX_CLASSES = 8;       // classes read per element
constexpr size_t MIN_HEXADECIMAL = 8;   // length of a hexadecimal number; shorter ones may be words
constexpr size_t MAX_DATE_TEXT = 80;    // characters of a text with a date; longer ones are prose
constexpr double MIN_WORDS = 5;         // words in a record; a shorter one is only a name or a button

bool is_never_record(const Element &element) {
    using enum Tag;
    switch (element.tag) {
    case html_: case body_: case b_: case i_: case em_: case strong_: case br_: case img_: case time_:
    case input_: return true;
    default: return false;
    }
}

bool is_hexadecimal(const Codes &text, size_t i) {
    const char32_t code = text[i];
    return (code >= 'a' && code <= 'f') || (code >= '0' && code <= '9') || code == '-';
}

bool is_word_border(const Codes &text, size_t i) { return (i > 0 && text.is_word(i - 1)) != text.is_word(i); }

// The end of the hexadecimal number at a position in a run of hexadecimal digits and hyphens that
// ends at `end`; the position itself if there is none.
size_t hexadecimal_end(const Codes &text, size_t start, size_t end) {
    size_t letters = start;
    while (is_hexadecimal(text, letters) && !text.is_digit(letters)) letters++;
    for (size_t last = end; text.is_digit(letters) && last >= start + MIN_HEXADECIMAL; last--)
        if (is_word_border(text, last)) return last;
    return start;
}

// The first hexadecimal number in a run that starts at the position; empty if there is none.
std::pair<size_t, size_t> hexadecimal_in(const Codes &text, size_t run) {
    size_t end = run, second = run;
    while (is_hexadecimal(text, end)) end++;
    while (second < end && (text[second] == '-') == (text[run] == '-')) second++;
    if (is_word_border(text, run))
        if (const size_t last = hexadecimal_end(text, run, end); last > run) return {run, last};
    if (second < end) return {second, hexadecimal_end(text, second, end)};
    return {run, run};
}

// Replaces numbers in classes or IDs with ``#``, because they differ between records.
std::string masked(std::string_view name, const Characters &characters) {
    const auto may_be_digit = [](char c) { return (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80; };
    if (std::none_of(name.begin(), name.end(), may_be_digit)) return std::string(name);
    const Codes text(name, characters);
    std::vector<size_t> number_ends(text.size());
    for (size_t i = 0; i < text.size(); i++)
        if (is_hexadecimal(text, i) && !(i > 0 && is_hexadecimal(text, i - 1))) {
            const auto [start, end] = hexadecimal_in(text, i);
            if (end > start) number_ends[start] = end;
        }
    std::string shown;
    bool is_after_digit = false;
    for (size_t i = 0; i < text.size();) {
        const bool is_number = number_ends[i], is_digit = !is_number && text.is_digit(i);
        if (!is_number && !is_digit) append(shown, text[i]);
        else if (!is_digit || !is_after_digit) shown += '#';
        i = is_number ? number_ends[i] : i + 1;
        is_after_digit = is_digit;
    }
    return shown;
}

// The names that signatures of an element may contain, from its classes and its ID.
struct Names {
    std::string classes;                // all classes as one name
    std::vector<std::string> names;

    Names(std::string_view of_classes, std::string_view identity, const Characters &characters) {
        std::set<std::string_view> distinct;
        size_t count = 0;
        for (const char *next = of_classes.data(), *end = next + of_classes.size(); next < end && count < MAX_CLASSES;) {
            const char *const start = next;
            const char *word_end = next;
            while (next < end) {
                word_end = next;
                if (characters.traits_of(next_character(next, end)) & SPACE) break;
                word_end = next;
            }
            if (word_end == start) continue;
            distinct.emplace(start, static_cast<size_t>(word_end - start));
            count++;
        }
        for (const std::string_view each : distinct) classes += names.emplace_back("." + std::string(each));
        if (names.size() > 1) names.push_back(classes);
        if (identity.find('#') != identity.npos) names.push_back("#" + std::string(identity));
    }
};

// Numbers distinct values from 0, in order of their first occurrence.
template <typename Value> class Numbering {
  public:
    int32_t of(const Value &value) {
        return numbers_.try_emplace(value, static_cast<int32_t>(numbers_.size())).first->second;
    }
    size_t size() const { return numbers_.size(); }

  private:
    ScatteredMap<Value, int32_t> numbers_;
};

using Classified = std::pair<std::string_view, std::string_view>;   // class and ID

using Key = std::tuple<int32_t, int32_t, int32_t>;  // tag, name and path; -1 for no name or path

// The microdata property or type of an element; null if it has neither.
const std::string_view NO_KIND;
std::string_view kind_of(const Document &document, int32_t element) {
    for (const char *const name : {"itemprop", "itemtype"})
        if (document.has(element, name)) return document.value(element, name);
    return NO_KIND;
}

// The looks of elements, and the signatures of each look. Elements have the same look if their
// paths, classes, IDs and kinds of microdata are equal, apart from numbers.
class Looks {
  public:
    struct Signature {
        Key key;
        std::vector<int32_t> looks;
    };

    std::vector<int32_t> of_elements;   // the look of each element
    size_t count = 0;
    std::vector<Signature> signatures;  // for each look, the best signature comes first

    Looks(const Document &document, const Characters &characters, const Selection &page, Numbers elements)
        : document_(document), page_(page) {
        const std::vector<int32_t> paths = number_paths();
        Numbering<std::string_view> kinds;
        std::vector<int32_t> masked_numbers(document.elements.size(), -1);
        ScatteredMap<std::pair<std::string, std::string>, int32_t> masked_names;
        ScatteredMap<std::tuple<int32_t, int32_t, int32_t>, int32_t> looks;
        for (const int64_t each : elements) {
            const auto element = static_cast<int32_t>(page.elements[at(each)]);
            int32_t &name = masked_numbers[at(page.names[at(each)])];
            if (name < 0) {
                std::pair both{masked(document.value(element, "class"), characters),
                               masked(document.value(element, "id"), characters)};
                const auto [found, is_first] = masked_names.try_emplace(both, static_cast<int32_t>(names_.size()));
                if (is_first) names_.emplace_back(both.first, both.second, characters);
                name = found->second;
            }
            const std::string_view kind = kind_of(document, element);
            const int32_t path = paths[at(each)];
            const int32_t kind_number = kind.data() ? kinds.of(kind) : -1;
            const auto [look, is_first] = looks.try_emplace({path, name, kind_number}, static_cast<int32_t>(count));
            if (is_first) add(static_cast<int32_t>(count++), tags_[at(path)], names_[at(name)], kind, path);
            of_elements.push_back(look->second);
        }
    }

    std::string name_of(const Key &key) const { return std::get<1>(key) < 0 ? std::string() : *texts_[at(std::get<1>(key))]; }

  private:
    std::vector<int32_t> number_paths() {
        Numbering<std::pair<int32_t, int32_t>> steps;
        std::vector<int32_t> paths;
        paths.reserve(page_.elements.size());
        for (size_t i = 0; i < page_.elements.size(); i++) {
            const auto tag = static_cast<int32_t>(page_.tags[i]);
            const int64_t parent = page_.parents[i];
            paths.push_back(steps.of({parent < 0 ? -1 : paths[at(parent)], tag}));
            if (steps.size() > tags_.size()) tags_.push_back(tag);
        }
        return paths;
    }

    void add(int32_t look, int32_t tag, const Names &names, std::string_view kind, int32_t path) {
        for (const std::string &name : names.names) add(look, {tag, text(name), -1});
        if (!kind.empty()) add(look, {tag, text("[" + std::string(kind) + "]"), -1});
        if (!names.classes.empty()) add(look, {tag, text(names.classes), path});
        add(look, {tag, -1, path});
    }

    void add(int32_t look, const Key &key) {
        const auto [found, is_new] = numbers_.try_emplace(key, signatures.size());
        if (is_new) signatures.push_back({key, {}});
        signatures[found->second].looks.push_back(look);
    }

    int32_t text(const std::string &name) {
        const auto [found, is_new] = text_numbers_.try_emplace(name, static_cast<int32_t>(texts_.size()));
        if (is_new) texts_.push_back(&found->first);
        return found->second;
    }

    const Document &document_;
    const Selection &page_;
    std::vector<int32_t> tags_;         // last tag of each path
    std::deque<Names> names_;
    ScatteredMap<std::string, int32_t> text_numbers_;
    std::vector<const std::string *> texts_;
    ScatteredMap<Key, size_t> numbers_;
};

// Replace elements with their parents as long as no two share a parent; returns the number of levels climbed.
int widen(const Selection &page, std::vector<int64_t> &members) {
    std::vector<int64_t> parents(members.size());
    for (int level = 0; level < MAX_LEVELS; level++) {
        std::transform(members.begin(), members.end(), parents.begin(), [&](int64_t each) { return page.parents[at(each)]; });
        std::sort(parents.begin(), parents.end());
        if (parents[0] < 0 || std::adjacent_find(parents.begin(), parents.end()) != parents.end()) return level;
        members.swap(parents);
    }
    return MAX_LEVELS;
}

std::string path_of(const Document &document, const Selection &page, int64_t element) {
    std::vector<std::string_view> steps;
    for (; element >= 0; element = page.parents[at(element)])
        steps.push_back(document.elements[at(page.elements[at(element)])].written);
    std::string path;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) (path += '/') += *step;
    return path;
}

// Whether the digits at a position begin a date, a time or an age such as "3 h", or are a year.
bool has_date_at(const Codes &text, size_t i) {
    const auto is_any = [&](size_t place, std::u32string_view codes) {
        return place < text.size() && codes.find(text[place]) != codes.npos;
    };
    const auto digits = [&](size_t from) {
        size_t count = 0;
        while (text.is_digit(from + count)) count++;
        return count;
    };
    const size_t count = digits(i), after = i + count;
    if (is_any(after, U"年月日")) return true;
    // "5.4.2020" or "2020-4-5", within the run of digits or at its end
    if (is_any(after, U"./-")) {
        const size_t second = digits(after + 1), separator = after + 1 + second;
        if ((second == 1 || second == 2) && is_any(separator, U"./-")) {
            const size_t third = digits(separator + 1);
            if (third >= 2 || (third == 1 && count >= 4)) return true;
        }
    }
    if (i > 0 && text.is_word(i - 1)) return false;
    const size_t next = after + text.has(after, SPACE);
    if (count <= 2 && is_any(next, U":hH")) {
        const size_t minutes = next + 1 + text.has(next + 1, SPACE);
        if (digits(minutes) == 2 && !text.is_word(minutes + 2)) return true;
    }
    const bool is_century = (text[i] == '1' && text[i + 1] == '9') || (text[i] == '2' && text[i + 1] == '0');
    if (count == 4 && is_century && !text.is_word(after)) return true;
    // Most words for units begin with one of these letters.
    for (const size_t unit : {next, after}) {
        if (is_any(unit, U"smhdwySMHDWY\u017F")) return true;
        const auto has_word = [&](std::u32string_view lower, std::u32string_view upper) {
            for (size_t k = 0; k < lower.size(); k++)
                if (text[unit + k] != lower[k] && text[unit + k] != upper[k]) return false;
            return true;
        };
        if (has_word(U"tag", U"TAG") || has_word(U"jahr", U"JAHR") || has_word(U"jour", U"JOUR")
            || has_word(U"año", U"AÑO"))
            return true;
    }
    return false;
}

// Whether a text, without whitespace around it, contains a date and little else.
bool has_date(std::string_view text, const Characters &characters) {
    const auto may_be_digit = [](char c) { return (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80; };
    if (text.size() > 4 * MAX_DATE_TEXT || std::none_of(text.begin(), text.end(), may_be_digit)) return false;
    const Codes codes(text, characters);
    if (codes.size() > MAX_DATE_TEXT) return false;
    for (size_t i = 0; i < codes.size(); i++)
        if (codes.is_digit(i) && !(i > 0 && codes.is_digit(i - 1)) && has_date_at(codes, i)) return true;
    return false;
}

template <typename Value> double count_distinct(std::vector<Value> values) {
    std::sort(values.begin(), values.end());
    return static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
}

// Computes the features of candidates. A record is measured without the records nested in it.
class Measuring {
  public:
    Measuring(const Document &document, const Characters &characters, const Selection &page, Numbers words,
              const std::vector<double> &readers_before)
        : page_(page), readers_before_(readers_before), words_before_(1, 0), dates_before_(1, 0) {
        Numbering<std::string_view> numbers;
        for (size_t i = 0; i < page.texts.size(); i++) {
            const std::string_view text = stripped(document.texts[at(page.texts[i])].text, characters);
            texts_.push_back(numbers.of(text));
            words_before_.push_back(words_before_.back() + static_cast<double>(words[i]));
            dates_before_.push_back(dates_before_.back() + has_date(text, characters));
        }
    }

    void measure(Candidate &candidate) const {
        const auto &records = candidate.records;
        struct Own { double words, by_readers, dates; };
        std::vector<Own> own;
        for (const int64_t record : records) {
            const size_t start = at(page_.text_starts[at(record)]), end = at(page_.text_ends[at(record)]);
            own.push_back({words_before_[end] - words_before_[start], readers_before_[end] - readers_before_[start],
                           dates_before_[end] - dates_before_[start]});
        }
        const std::vector<Own> totals = own;
        std::vector<size_t> around;
        for (size_t i = 0; i < records.size(); i++) {
            while (!around.empty() && page_.ends[at(records[around.back()])] <= records[i]) around.pop_back();
            if (!around.empty()) {
                Own &outer = own[around.back()];
                outer.words -= totals[i].words, outer.by_readers -= totals[i].by_readers, outer.dates -= totals[i].dates;
            }
            around.push_back(i);
        }
        double words = 0, by_readers = 0, dated = 0, with_one = 0, with_words = 0, largest = own[0].words;
        std::vector<int32_t> starts;
        std::vector<std::tuple<int32_t, int32_t, double>> contents;
        for (size_t i = 0; i < records.size(); i++) {
            words += own[i].words;
            by_readers += own[i].by_readers;
            dated += own[i].dates > 0;
            with_one += own[i].dates == 1;
            with_words += own[i].words >= MIN_WORDS;
            largest = std::max(largest, own[i].words);
            starts.push_back(texts_[at(page_.text_starts[at(records[i])])]);
            contents.emplace_back(starts.back(), texts_[at(page_.text_ends[at(records[i])] - 1)], own[i].words);
        }
        const auto count = static_cast<double>(records.size());
        auto &features = candidate.features;
        features[READERS] = by_readers / std::max(readers_before_.back(), 1e-9);
        features[DATED] = dated / count;
        features[WITH_ONE_DATE] = with_one / count;
        features[WITH_WORDS] = with_words / count;
        features[LARGEST] = largest / std::max(words, 1.0);
        features[DIFFERENT] = count_distinct(std::move(contents)) / count;
        features[DIFFERENT_STARTS] = count_distinct(std::move(starts)) / count;
        features[CLIMBED] = candidate.levels;
        features[NAMED] = !candidate.name.empty();
    }

  private:
    const Selection &page_;
    const std::vector<double> &readers_before_;
    std::vector<double> words_before_, dates_before_;
    std::vector<int32_t> texts_;        // equal numbers for equal texts, so that comparing long texts is fast
};

}  // namespace

void Selection::check(const Document &document) const {
    const auto count = static_cast<int64_t>(elements.size()), text_count = static_cast<int64_t>(texts.size());
    bool fits = tags.size() == elements.size() && names.size() == elements.size()
        && parents.size() == elements.size() && ends.size() == elements.size() && text_starts.size() == elements.size() && text_ends.size() == elements.size();
    const auto is_in = [](int64_t each, int64_t first, int64_t end) { return each >= first && each < end; };
    for (int64_t i = 0; fits && i < count; i++)
        fits = is_in(elements[at(i)], 0, static_cast<int64_t>(document.elements.size()))
            && is_in(names[at(i)], 0, static_cast<int64_t>(document.elements.size())) && is_in(parents[at(i)], i > 0 ? 0 : -1, i)
            && is_in(ends[at(i)], i + 1, count + 1) && text_ends[at(i)] <= text_count
            && is_in(text_starts[at(i)], 0, text_ends[at(i)] + 1)
            && (i == 0 || (text_starts[at(parents[at(i)])] <= text_starts[at(i)] && text_ends[at(i)] <= text_ends[at(parents[at(i)])]));
    for (int64_t i = 0; fits && i < text_count; i++)
        fits = is_in(texts[at(i)], 0, static_cast<int64_t>(document.texts.size()));
    if (!fits) throw std::invalid_argument("the selection does not match the document");
}

std::vector<Candidate> find_candidates(const Document &document, const Characters &characters,
                                       const Selection &page, Numbers words,
                                       std::span<const double> by_readers) {
    page.check(document);
    if (words.size() != page.texts.size() || by_readers.size() != page.texts.size())
        throw std::invalid_argument("the counts of words do not match the texts");
    std::vector<double> readers_before{0};
    for (const double each : by_readers) readers_before.push_back(readers_before.back() + each);
    std::vector<int64_t> elements;
    for (size_t i = 0; i < page.elements.size(); i++)
        if (page.text_ends[i] > page.text_starts[i] && !is_never_record(document.elements[at(page.elements[i])]))
            elements.push_back(static_cast<int64_t>(i));
    const Looks looks(document, characters, page, elements);
    std::vector<double> words_of_looks(looks.count);
    std::vector<std::vector<int64_t>> elements_of_looks(looks.count);
    for (size_t i = 0; i < elements.size(); i++) {
        const size_t look = at(looks.of_elements[i]), element = at(elements[i]);
        words_of_looks[look] += readers_before[at(page.text_ends[element])] - readers_before[at(page.text_starts[element])];
        elements_of_looks[look].push_back(elements[i]);
    }
    std::vector<Candidate> candidates;
    ScatteredSet<std::vector<int32_t>> groups;
    ScatteredSet<std::vector<int64_t>> places;
    for (const Looks::Signature &signature : looks.signatures) {
        if (candidates.size() == MAX_CANDIDATES) break;
        double total = 0;
        for (const int32_t look : signature.looks) total += words_of_looks[at(look)];
        if (!(total >= MIN_SHARE * readers_before.back()) || !groups.insert(signature.looks).second) continue;
        std::vector<int64_t> members;
        for (const int32_t look : signature.looks) {
            const auto &more = elements_of_looks[at(look)];
            members.insert(members.end(), more.begin(), more.end());
        }
        if (members.size() < 2) continue;
        std::sort(members.begin(), members.end());
        const int64_t first = members[0];
        const int levels = widen(page, members);
        if (!places.insert(members).second) continue;
        candidates.push_back({std::string(document.elements[at(page.elements[at(first)])].written),
                              looks.name_of(signature.key),
                              std::get<2>(signature.key) < 0 ? std::string() : path_of(document, page, first), levels,
                              std::move(members), {}});
    }
    if (candidates.empty()) return candidates;
    const Measuring measuring(document, characters, page, words, readers_before);
    for (Candidate &each : candidates) measuring.measure(each);
    return candidates;
}

std::vector<int64_t> matching(const Document &document, const Characters &characters, Numbers elements,
                              std::string_view name, std::string_view path) {
    // For each element, the length of its path if `path` begins with it, or else -1.
    std::vector<int64_t> covered;
    for (const Element &each : document.elements) {
        const int64_t above = each.parent < 0 ? 0 : path.empty() ? -1 : covered[at(each.parent)];
        const bool goes_on = above >= 0 && path.substr(at(above)).starts_with('/')
            && path.substr(at(above) + 1).starts_with(each.written);
        const size_t end = goes_on ? at(above) + 1 + each.written.size() : 0;
        covered.push_back(goes_on && (end == path.size() || path[end] == '/') ? static_cast<int64_t>(end) : -1);
    }
    ScatteredMap<Classified, bool> known;
    std::vector<int64_t> found;
    for (const int64_t each : elements) {
        if (each < 0 || at(each) >= document.elements.size()) throw std::invalid_argument("no such element");
        const auto element = static_cast<int32_t>(each);
        if (!path.empty() && covered[at(each)] != static_cast<int64_t>(path.size())) continue;
        const Classified own{document.value(element, "class"), document.value(element, "id")};
        const auto [is_named, is_new] = known.try_emplace(own, false);
        if (is_new) {
            const Names names(masked(own.first, characters), masked(own.second, characters), characters);
            is_named->second = path.empty() ? std::find(names.names.begin(), names.names.end(), name) != names.names.end()
                                            : name.empty() || names.classes == name;
        }
        const std::string_view kind = kind_of(document, element);
        if (is_named->second || (path.empty() && !kind.empty() && name == "[" + std::string(kind) + "]"))
            found.push_back(each);
    }
    return found;
}

namespace {

// Whether the JSON key that ends at a quotation mark denotes an author, as in
// `detourage.comments.declared_comments`. A key with an escaped character always counts.
bool is_key_of_author(std::string_view text, size_t quote) {
    constexpr std::string_view KEYS[] = {"author", "user", "creator", "createdby", "commenter", "owner", "profile",
                                         "member", "authorname", "username", "displayname", "nickname",
                                         "commentername"};
    constexpr size_t MAX_KEY = 300;
    char letters[16];
    size_t count = sizeof letters;
    for (size_t at = quote; at > 0 && quote - at < MAX_KEY && text[at - 1] != '"';) {
        const char each = text[--at];
        const char lower = each >= 'A' && each <= 'Z' ? static_cast<char>(each + 'a' - 'A') : each;
        if (each == '\\') return true;
        if (lower < 'a' || lower > 'z') continue;
        if (count == 0) return false;
        letters[--count] = lower;
    }
    const std::string_view key(letters + count, sizeof letters - count);
    return std::ranges::find(KEYS, key) != std::end(KEYS);
}

// Whether a JSON object or array names an author. `place` advances to the end of the object or array or,
// if that is never closed, to the end of the text, so that no part of a text is read twice.
bool names_author(std::string_view text, size_t &place) {
    int depth = 0;
    bool is_quoted = false;
    for (; place < text.size() && text[place]; place++) {
        const char each = text[place];
        if (each == '\\' && is_quoted) place++;
        if (each == '"') {
            is_quoted = !is_quoted;
            size_t next = place + 1;
            while (next < text.size() && next - place < 20 && std::string_view(" \t\n\v\f\r").find(text[next]) != text.npos)
                next++;
            if (next < text.size() && text[next] == ':' && is_key_of_author(text, place)) return true;
        }
        if (is_quoted) continue;
        depth += (each == '{' || each == '[') - (each == '}' || each == ']');
        if (depth == 0) return false;
    }
    return false;
}

// Find a word that begins with two equal letters. Compilers vectorise the search for this pair in blocks,
// so it is faster than a search for a single, frequent letter.
size_t find_doubled(std::string_view text, std::string_view word, size_t from) {
    constexpr size_t BLOCK = 64;
    const char first = word[0];
    for (; from + BLOCK < text.size(); from += BLOCK) {
        const char *const block = text.data() + from;
        unsigned char is_in_block = 0;
        for (size_t i = 0; i < BLOCK; i++) is_in_block |= (block[i] == first) & (block[i + 1] == first);
        if (!is_in_block) continue;
        const size_t found = text.substr(0, from + BLOCK + word.size() - 1).find(word, from);
        if (found != text.npos) return found;
    }
    return text.find(word, from);
}

}  // namespace

bool may_hold_comments(std::string_view text) {
    if (text.find("Answer\"") != text.npos) return true;
    constexpr std::string_view WORD = "mment";  // the first two letters are compared later
    const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    const auto is_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    for (size_t place = find_doubled(text, WORD, 0); place != text.npos; place = find_doubled(text, WORD, place + 1)) {
        const std::string_view before = text.substr(0, place);
        if (!before.ends_with('o')) continue;
        size_t next = place + WORD.size();
        const auto follows = [&](std::string_view end) { return text.substr(next).starts_with(end); };
        const auto is_type = [&](std::string_view quoted, std::string_view after_slash) {
            return before.ends_with(quoted) || before.ends_with(after_slash);
        };
        if ((follows("\"") && is_type("\"Co", "/Co")) || (follows("s\"") && is_type("\"UserCo", "/UserCo"))) return true;
        // A key such as "comments", with a value that is not empty
        const auto skip = [&](size_t most, const auto &is_skipped) {
            for (size_t i = 0; i < most && next < text.size() && is_skipped(text[next]); i++) next++;
        };
        const auto skip_one_of = [&](std::string_view wanted) {
            return next < text.size() && wanted.find(text[next++]) != wanted.npos;
        };
        skip(40, is_name);
        if (!skip_one_of("\"")) continue;
        skip(5, is_space);
        if (!skip_one_of(":")) continue;
        skip(5, is_space);
        if (!skip_one_of("[{")) continue;
        place = next - 1;
        if (names_author(text, place)) return true;
    }
    return false;
}

}  // namespace detourage
