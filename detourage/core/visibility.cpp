#include "visibility.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace detourage {
namespace {

constexpr size_t MAX_STYLE_CHARACTERS = 200'000;    // length of a page's styles searched for hidden classes
constexpr int MAX_SPACES = 20;                      // spaces on each side of the colon of ``display: none``
// Value of ``hidden`` for an element that the browser displays when a search in the page finds it.
constexpr std::string_view UNTIL_FOUND = "until-found";

using Strings = std::set<std::string_view>;

// Reads the characters of a style or of an attribute.
class Reader {
  public:
    Reader(std::string_view text, const Characters &characters, size_t at = 0)
        : text_(text), characters_(characters), at_(at) {}

    size_t at() const { return at_; }
    bool is_space() const { return at_ < text_.size() && traits() & SPACE; }
    bool is_in_name() const {
        return at_ < text_.size() && (text_[at_] == '_' || traits() & ALPHANUMERIC);
    }
    void step() {
        const char *next = text_.data() + at_;
        next_character(next, text_.data() + text_.size());
        at_ = static_cast<size_t>(next - text_.data());
    }
    void skip_space(int most = INT32_MAX) {
        while (most-- > 0 && is_space()) step();
    }
    // Advance past `wanted`, an ASCII text in lower case; returns false if it does not follow.
    bool pass(std::string_view wanted, bool ignores_case = false) {
        const std::string_view here = text_.substr(at_, wanted.size());
        const auto is_same = [&](char own, char other) {
            return own == other || (ignores_case && own >= 'A' && own <= 'Z' && own + 32 == other);
        };
        if (!std::equal(here.begin(), here.end(), wanted.begin(), wanted.end(), is_same)) return false;
        at_ += wanted.size();
        return true;
    }

  private:
    uint32_t traits() const {
        const char *here = text_.data() + at_;
        return characters_.traits_of(next_character(here, text_.data() + text_.size()));
    }

    std::string_view text_;
    const Characters &characters_;
    size_t at_;
};

// Call a function with each word of a text, as separated by whitespace.
template <typename Use> void for_words(std::string_view text, const Characters &characters, const Use &use) {
    Reader reader(text, characters);
    while (true) {
        reader.skip_space();
        const size_t start = reader.at();
        while (reader.at() < text.size() && !reader.is_space()) reader.step();
        if (reader.at() == start) return;
        use(text.substr(start, reader.at() - start));
    }
}

}  // namespace

bool hides(std::string_view style, const Characters &characters) {
    for (size_t at = 0; at <= style.size();) {
        Reader reader(style, characters, at);
        reader.skip_space();
        const bool is_display = reader.pass("display", true);
        if (is_display || reader.pass("visibility", true)) {
            reader.skip_space();
            const bool has_value = reader.pass(":", true);
            reader.skip_space();
            const bool is_hiding = is_display ? reader.pass("none", true)
                                              : reader.pass("hidden", true) || reader.pass("collapse", true);
            if (has_value && is_hiding && !reader.is_in_name()) return true;
        }
        const size_t end = style.find(';', at);
        if (end == style.npos) return false;
        at = end + 1;
    }
    return false;
}

namespace {

// The styles of a page for all media, without comments.
std::string styles_of(const Document &document) {
    std::string joined;
    const auto &texts = document.texts;
    for (size_t i = 0; i < texts.size(); i++) {
        const Element &parent = document.elements[static_cast<size_t>(texts[i].parent)];
        const bool is_first = texts[i].after == texts[i].parent && (i == 0 || texts[i - 1].parent != texts[i].parent);
        if (parent.tag != Tag::style_ || !is_first || !document.value(texts[i].parent, "media").empty()) continue;
        if (texts[i].text.find("none") == std::string_view::npos) continue;
        if (!joined.empty()) joined += '\n';
        joined += texts[i].text;
    }
    size_t characters = 0, end = joined.size() <= MAX_STYLE_CHARACTERS ? joined.size() : 0;
    while (end < joined.size() && (characters += (joined[end] & 0xC0) != 0x80) <= MAX_STYLE_CHARACTERS) end++;
    const std::string_view styles = std::string_view(joined).substr(0, end);
    size_t open = styles.find("/*");
    std::string plain(styles.substr(0, open));
    while (open != styles.npos) {
        const size_t next = styles.find("/*", open + 2);
        const std::string_view comment = styles.substr(open + 2, next == styles.npos ? next : next - open - 2);
        const size_t close = comment.find("*/");
        if (close != comment.npos) plain += comment.substr(close + 2);
        open = next;
    }
    return plain;
}

// The class that a selector consists of, if it is a single class.
std::optional<std::string_view> class_of(std::string_view selector, const Characters &characters) {
    std::optional<std::string_view> found;
    bool is_single = true;
    for_words(selector, characters, [&](std::string_view word) {
        Reader reader(word, characters);
        is_single = is_single && !found && reader.pass(".");
        const size_t start = reader.at();
        while (reader.is_in_name() || (reader.at() < word.size() && word[reader.at()] == '-')) reader.step();
        is_single = is_single && reader.at() == word.size() && reader.at() > start;
        if (is_single) found = word.substr(start);
    });
    return is_single ? found : std::nullopt;
}

bool is_before_declaration(std::string_view styles, size_t at, const Characters &characters) {
    if (at == 0) return false;
    size_t before = at - 1;
    while (before > 0 && (styles[before] & 0xC0) == 0x80) before--;
    return styles[before] == '{' || styles[before] == ';' || Reader(styles, characters, before).is_space();
}

// The classes hidden by a rule for a single class.
Strings hidden_classes(std::string_view styles, const Characters &characters) {
    Strings classes;
    int64_t depth = 0;                  // number of open braces
    size_t last = 0;                    // end of the part in which braces have been counted
    size_t rule_start = 0;              // opening brace of the previous rule that hides elements
    constexpr std::string_view DISPLAY = "display";
    for (size_t at = 0; (at = styles.find(DISPLAY, at)) != styles.npos;) {
        Reader reader(styles, characters, at + DISPLAY.size());
        reader.skip_space(MAX_SPACES);
        const bool has_value = reader.pass(":");
        reader.skip_space(MAX_SPACES);
        const bool is_hiding = has_value && reader.pass("none") && !reader.is_in_name() &&
                               is_before_declaration(styles, at, characters);
        if (!is_hiding) {
            at += DISPLAY.size();
            continue;
        }
        const std::string_view passed = styles.substr(last, at - last);
        depth += std::count(passed.begin(), passed.end(), '{') - std::count(passed.begin(), passed.end(), '}');
        depth = std::max<int64_t>(depth, 0);
        const size_t brace_in_passed = passed.rfind('{');
        if (depth == 1 && brace_in_passed != passed.npos) {
            const size_t brace = last + brace_in_passed;
            std::string_view selectors = styles.substr(rule_start, brace - rule_start);
            if (const size_t end = selectors.rfind('}'); end != selectors.npos) selectors.remove_prefix(end + 1);
            for (size_t start = 0; start <= selectors.size();) {
                const size_t comma = std::min(selectors.find(',', start), selectors.size());
                if (const auto found = class_of(selectors.substr(start, comma - start), characters))
                    classes.insert(*found);
                start = comma + 1;
            }
            rule_start = brace;
        }
        last = at;
        at = reader.at();
    }
    return classes;
}

}  // namespace

Mask hidden(const Document &document, const Characters &characters) {
    const std::string styles = styles_of(document);
    const Strings classes = hidden_classes(styles, characters);
    Mask mask(document.elements.size());
    for (size_t i = 0; i < mask.size(); i++) {
        const Element &element = document.elements[i];
        for (auto place = element.attributes; place < element.attributes_end; place++) {
            const auto &[name, value] = document.attributes[static_cast<size_t>(place)];
            if (name == "hidden") mask[i] |= value != UNTIL_FOUND;
            else if (name == "style") mask[i] |= hides(value, characters);
            else if (name == "class" && !classes.empty())
                for_words(value, characters, [&](std::string_view word) { mask[i] |= classes.contains(word); });
        }
    }
    for (size_t i = 1; i < mask.size(); i++) mask[i] |= mask[static_cast<size_t>(document.elements[i].parent)];
    return mask;
}

Mask collapsible(const Document &document, const Characters &characters) {
    Mask mask(document.elements.size());
    Strings controlled;
    std::vector<std::pair<size_t, std::string_view>> ids;
    for (size_t i = 0; i < mask.size(); i++) {
        const Element &element = document.elements[i];
        if (element.is_silent_inside) continue;
        mask[i] = element.tag == Tag::details_;
        for (auto place = element.attributes; place < element.attributes_end; place++) {
            const auto &[name, value] = document.attributes[static_cast<size_t>(place)];
            if (name == "id") ids.emplace_back(i, value);
            mask[i] |= name == "aria-expanded" || name == "aria-controls" || (name == "hidden" && value == UNTIL_FOUND);
            if (name == "aria-controls")
                for_words(value, characters, [&](std::string_view id) { controlled.insert(id); });
        }
    }
    if (!controlled.empty())
        for (const auto &[element, id] : ids) mask[element] |= controlled.contains(id);
    return mask;
}

}  // namespace detourage
