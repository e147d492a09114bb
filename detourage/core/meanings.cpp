#include "meanings.hpp"

#include <string>
#include <unordered_map>

#include "names.hpp"

namespace detourage {
namespace {

constexpr int MAX_ENCLOSING = 3;        // ancestors of an element whose names also count
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

// The meanings of a word, as bits, regardless of case.
int16_t meaning_of(std::string_view word) {
    const std::string lower = lowered(word);
    const auto known = known_words().find(lower);
    int16_t found = known == known_words().end() ? 0 : known->second;
    for (const std::string_view author : AUTHORS)
        if (lower.starts_with(author)) found |= AUTHOR;
    return found;
}

int16_t meaning_of_names(const Document &document, int32_t element) {
    int16_t found = meaning_of(document.elements[static_cast<size_t>(element)].name);
    for (const std::string_view name : {document.value(element, "class"), document.value(element, "id")})
        for_words_of_name(name, [&](std::string_view word) { found |= meaning_of(word); });
    for (const std::string_view value : {document.value(element, "rel"), document.value(element, "itemprop")})
        found |= meaning_of(stripped(value));
    return found;
}

}  // namespace

std::vector<uint8_t> meanings(const Document &document, Numbers elements, Numbers displayed, Numbers sizes) {
    const auto count = static_cast<int64_t>(document.elements.size());
    const auto is_outside = [&](int64_t each) { return each < 0 || each >= count; };
    if (displayed.size() != sizes.size() || std::ranges::any_of(displayed, is_outside) ||
        std::ranges::any_of(elements, is_outside))
        throw std::invalid_argument("the elements do not match the document");
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
