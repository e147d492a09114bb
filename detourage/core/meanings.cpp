#include "meanings.hpp"

#include <string>
#include <unordered_map>

namespace detourage {
namespace {

constexpr int MAX_ENCLOSING = 3;        // elements around a text's own whose names count as well
constexpr int64_t MAX_WORDS = 60;       // words in an element whose names describe its lines
constexpr int16_t UNKNOWN = -1;

// Beginnings of the words for an author.
constexpr std::string_view AUTHORS[] = {"author", "autor",  "auteur",     "byline", "zuozhe",
                                        "redaktor", "writer", "journalist", "creator"};
constexpr std::pair<Meaning, std::string_view> WORDS_OF_MEANINGS[] = {
    {DATE, "date time datetime published publish pubdate datum dateline datepublished timestamp posted fecha data "
           "created submitted meta entry info pubtime"},
    {UPDATE, "updated modified datemodified"},
    // Comments and teasers
    {COMMENT, "comment comments commentlist commentary reply replies respond discussion related teaser blockquote"},
    // Pictures and their captions
    {PICTURE, "caption captions figcaption cap credit credits cred illo photo photos image images img picture gallery "
              "media figure bild fot foto bildunterschrift legende"},
    {BYLINE, "author authors byline autor auteur source agency agence agentur quelle fonte"},
};

using Words = std::unordered_map<std::string_view, uint8_t>;

const Words &known_words() {
    static const Words known = [] {
        Words found;
        for (const auto &[meaning, words] : WORDS_OF_MEANINGS)
            for (size_t start = 0; start < words.size();) {
                const size_t end = std::min(words.find(' ', start), words.size());
                found[words.substr(start, end - start)] |= meaning;
                start = end + 1;
            }
        return found;
    }();
    return known;
}

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

// The bits of a word, which may have capitals.
int16_t meaning_of(std::string_view word) {
    std::string lower(word);
    for (char &c : lower) c = is_capital(c) ? static_cast<char>(c + 32) : c;
    const auto known = known_words().find(lower);
    int16_t found = known == known_words().end() ? 0 : known->second;
    for (const std::string_view author : AUTHORS)
        if (lower.starts_with(author)) found |= AUTHOR;
    return found;
}

// The end of the word at a letter. A capital begins a word, and so does the last of several capitals
// if a small letter follows it.
size_t end_of_word(std::string_view name, size_t at) {
    const size_t start = at;
    while (at < name.size() && is_capital(name[at])) at++;
    if (at == name.size() || !is_small(name[at])) return at;
    if (at - start > 1) return at - 1;
    while (at < name.size() && is_small(name[at])) at++;
    return at;
}

int16_t meaning_of_names(const Document &document, int32_t element) {
    int16_t found = meaning_of(document.elements[static_cast<size_t>(element)].name);
    for (const std::string_view name : {document.value(element, "class"), document.value(element, "id")})
        for (size_t at = 0; at < name.size();) {
            if (!is_small(name[at]) && !is_capital(name[at])) {
                at++;
                continue;
            }
            const size_t end = end_of_word(name, at);
            found |= meaning_of(name.substr(at, end - at));
            at = end;
        }
    for (std::string_view value : {document.value(element, "rel"), document.value(element, "itemprop")}) {
        while (!value.empty() && is_space(value.front())) value.remove_prefix(1);
        while (!value.empty() && is_space(value.back())) value.remove_suffix(1);
        found |= meaning_of(value);
    }
    return found;
}

}  // namespace

std::vector<uint8_t> meanings(const Document &document, Numbers elements, Numbers displayed, Numbers sizes) {
    const auto count = static_cast<int64_t>(document.elements.size());
    const auto is_outside = [&](int64_t each) { return each < 0 || each >= count; };
    if (displayed.size() != sizes.size() || std::ranges::any_of(displayed, is_outside) ||
        std::ranges::any_of(elements, is_outside))
        throw std::invalid_argument("the elements do not fit the document");
    std::vector<int16_t> own(document.elements.size(), UNKNOWN);
    for (size_t i = 0; i < displayed.size(); i++)
        if (sizes[i] > MAX_WORDS) own[static_cast<size_t>(displayed[i])] = 0;
    std::vector<uint8_t> found;
    for (const int64_t element : elements) {
        auto each = static_cast<int32_t>(element);
        uint8_t bits = 0;
        for (int level = 0; level <= MAX_ENCLOSING && each >= 0; level++) {
            int16_t &known = own[static_cast<size_t>(each)];
            if (known == UNKNOWN) known = meaning_of_names(document, each);
            bits |= static_cast<uint8_t>(known);
            each = document.elements[static_cast<size_t>(each)].parent;
        }
        found.push_back(bits);
    }
    return found;
}

}  // namespace detourage
