#include "pagination.hpp"

#include "names.hpp"

#include <algorithm>
#include <optional>

namespace detourage {
namespace {

constexpr size_t MAX_LINKS = 20'000;    // links read from a page, to bound the work on hostile pages
constexpr size_t MAX_LABEL = 48;        // characters of a label
constexpr int64_t MAX_TEXTS = 3;        // text nodes in a label
constexpr int32_t MAX_PARENT = 6;       // elements in a parent that names the direction of a link
constexpr size_t MAX_BETWEEN = 2;       // texts, such as separators, between two numbers of a run
constexpr size_t MAX_SEPARATOR = 12;    // characters of a text between two numbers
constexpr size_t MAX_DIGITS = 5;        // digits of a page number; longer numbers count readers or votes

bool is_around_label(char32_t code) {
    constexpr std::u32string_view AROUND =
        U"…–—·•\u200e\u200f\ufe0e\ufe0f\u00a0⏮⏭⏤⇥⇤‹›«»←→⟨⟩▶►◀◄❮❯⇒⇐";
    constexpr std::string_view ASCII_AROUND = " .,:;!/\\()[]{}-_*|<>";
    if (code >= 0x80) return AROUND.find(code) != AROUND.npos;
    return ASCII_AROUND.find(static_cast<char>(code)) != ASCII_AROUND.npos;
}

std::u32string_view bare(std::u32string_view text) {
    while (!text.empty() && is_around_label(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_around_label(text.back())) text.remove_suffix(1);
    return text;
}

// The number in a text that contains nothing else, such as "[ 2 ]", "2." or "1,097".
std::optional<int32_t> number_in(std::string_view text, const Characters &characters) {
    if (text.size() > 4 * MAX_LABEL) return std::nullopt;
    const auto is_decimal = [&](char32_t code) { return (characters.traits_of(code) & DECIMAL) != 0; };
    bool has_decimal = false;
    for (const char *next = text.data(), *end = next + text.size(); next < end;) {
        const char32_t code = next_character(next, end);
        if (is_decimal(code)) has_decimal = true;
        else if (!is_around_label(code)) return std::nullopt;
    }
    if (!has_decimal) return std::nullopt;
    const std::u32string codes = decoded(text);
    if (codes.size() > MAX_LABEL) return std::nullopt;
    std::u32string digits(bare(codes));
    const size_t comma = digits.find(U',');
    if (comma != digits.npos) {
        if (comma < 1 || comma > 2 || digits.size() != comma + 4) return std::nullopt;
        digits.erase(comma, 1);
    }
    if (digits.empty() || digits.size() > MAX_DIGITS || !std::all_of(digits.begin(), digits.end(), is_decimal))
        return std::nullopt;
    int32_t number = 0;
    for (const char32_t digit : digits) {
        // In Unicode, the ten digits of a script are consecutive, from 0 to 9.
        char32_t zero = digit;
        while (is_decimal(zero - 1)) zero--;
        number = 10 * number + static_cast<int32_t>((digit - zero) % 10);
    }
    return number;
}

size_t count_codes(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Whether the result of Python's ``casefold`` for a character may differ from its lower case.
bool folds_specially(char32_t code) {
    constexpr std::pair<char32_t, char32_t> RANGES[] = {
        {0xB5, 0xB5},   {0xDF, 0xDF},     {0x130, 0x130},   {0x149, 0x149},   {0x17F, 0x17F},   {0x1F0, 0x1F0},  {0x345, 0x3FF},
        {0x587, 0x587}, {0x13A0, 0x13FF}, {0x1C80, 0x1C8F}, {0x1E96, 0x1FFF}, {0xAB70, 0xABBF}, {0xFB00, 0xFB17}};
    return std::ranges::any_of(RANGES, [&](const auto &range) { return range.first <= code && code <= range.second; });
}

// Whether each word of a label is a number, or may be one of the given words.
bool may_be_label(std::string_view label, const Characters &characters, const WordSet &words) {
    const std::u32string codes = decoded(label);
    const auto is_space = [&](char32_t code) { return (characters.traits_of(code) & SPACE) != 0; };
    const auto is_decimal = [&](char32_t code) { return (characters.traits_of(code) & DECIMAL) != 0; };
    for (auto start = codes.begin(), end = start; start < codes.end(); start = end + (end < codes.end())) {
        end = std::find_if(start, codes.end(), is_space);
        const std::u32string_view word = bare({start, end});
        std::string lower;
        for (const char32_t code : word) append(lower, characters.lower_of(code));
        const bool may_be_known = words.contains(lower) || std::ranges::any_of(word, folds_specially);
        if (!may_be_known && !std::ranges::all_of(word, is_decimal)) return false;
    }
    return true;
}

// Whether the class and the ID of an element may name a direction.
bool may_name_direction(const Document &document, int32_t element) {
    const std::string_view name = document.value(element, "class"), id = document.value(element, "id");
    const auto has = [](std::string_view text, auto... parts) { return ((text.find(parts) != text.npos) || ...); };
    if (!has(name, "ext", "rev") && !has(id, "ext", "rev")) return false;
    return has(lowered(name), "next", "prev", "first", "last") || has(lowered(id), "next", "prev", "first", "last");
}

}  // namespace

PartLinks::PartLinks(const Document &document, const Characters &characters, const ShownTexts &shown,
                     const WordSet &label_words) {
    shown.check(document);
    const size_t count = shown.texts.size();
    const auto text_at = [&](size_t i) { return document.texts[at(shown.texts[i])].text; };
    std::vector<int32_t> links(count, -1);
    size_t link_count = 0;
    for (size_t i = 0; i < document.elements.size() && link_count < MAX_LINKS; i++) {
        const Element &element = document.elements[i];
        const auto own = static_cast<int32_t>(i);
        if (element.tag != Tag::a_ || !document.has(own, "href")) continue;
        link_count++;
        const int64_t start = shown.starts[i], size = shown.ends[i] - start;
        if (size == 1) links[at(start)] = own;
        std::string label;
        if (size > 0 && size <= MAX_TEXTS) {
            for (int64_t text = start; text < start + size; text++) (label += text > start ? " " : "") += text_at(at(text));
            label = std::string(stripped(label, characters));
            if (label.size() > 4 * MAX_LABEL || count_codes(label) > MAX_LABEL || !may_be_label(label, characters, label_words))
                label.clear();
        }
        const bool has_small_parent =
            element.parent >= 0 && document.elements[at(element.parent)].end - element.parent <= MAX_PARENT;
        if (!label.empty() || may_name_direction(document, own)
            || (size == 0 && has_small_parent && may_name_direction(document, element.parent)))
            labelled.push_back({own, size > 0, std::move(label)});
    }
    std::vector<Number> run;
    size_t last = 0;
    const auto end_run = [&] {
        if (std::any_of(run.begin(), run.end(), [](const Number &each) { return each.link >= 0; })) runs.push_back(run);
        run.clear();
    };
    for (size_t i = 0; i < count; i++) {
        const auto number = number_in(text_at(i), characters);
        if (!number) continue;
        bool goes_on = !run.empty() && i - last <= MAX_BETWEEN + 1 && run.back().number < *number;
        for (size_t between = last + 1; goes_on && between < i; between++)
            goes_on = count_codes(stripped(text_at(between), characters)) <= MAX_SEPARATOR;
        if (!goes_on) end_run();
        run.push_back({*number, links[i]});
        last = i;
    }
    end_run();
}

}  // namespace detourage
