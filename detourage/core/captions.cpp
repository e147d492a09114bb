#include "captions.hpp"

#include <array>
#include <string>
#include <unordered_set>

#include "names.hpp"

namespace detourage {
bool denotes_caption(std::string_view name) {
    static const std::unordered_set<std::string_view> words{
        "caption", "cap", "captions", "cutline", "legend", "legende", "bildunterschrift", "bildtext", "bildetekst",
        "billedtekst", "didascalia", "leyenda", "legenda", "onderschrift", "kuvateksti", "podpis", "altyazi"};
    bool found = false;
    for_words_of_name(name, [&](std::string_view word) { found |= words.contains(lowered(word)); });
    return found;
}

namespace {

constexpr int64_t MAX_TOKENS = 100;             // tokens in a caption
constexpr int64_t MAX_TOKENS_BELOW_IMAGE = 40;  // tokens in a caption recognised only by its place
constexpr double MAX_LINKED_SHARE = 0.5;        // share of linked words; a text with more is a teaser
constexpr int MIN_WIDTH = 100;                  // declared width, in pixels, of an image that has a caption below it
constexpr size_t MAX_DIGITS = 6;                // digits of a width that are read
constexpr std::string_view QUOTES[] = {"“", "„", "«", "»", "\"", "「", "『"};

bool has_word_caption(std::string_view name) {
    if (name.find("aption") == name.npos && name.find("APTION") == name.npos) return false;
    bool found = false;
    for_words_of_name(name, [&](std::string_view word) { found |= lowered(word) == "caption"; });
    return found;
}

class Finder {
  public:
    Finder(const Document &document, const Characters &characters, const DisplayedPage &page)
        : document_(document), characters_(characters), page_(page),
          parents_(parents_of(document, page.texts, {page.lines, page.sizes})),
          places_(document.elements.size(), -1), is_caption_(page.elements.size(), UNKNOWN),
          is_named_(page.elements.size(), UNKNOWN) {
        if (page.starts.size() != page.elements.size() || page.ends.size() != page.elements.size())
            throw std::invalid_argument("the columns of the elements are inconsistent");
        for (size_t i = 0; i < page.elements.size(); i++) {
            const int64_t element = page.elements[i], start = page.starts[i], end = page.ends[i];
            if (element < 0 || static_cast<size_t>(element) >= places_.size() || start < 0 || end < start ||
                static_cast<size_t>(end) > parents_.size())
                throw std::invalid_argument("the elements do not match the document");
            places_[static_cast<size_t>(element)] = static_cast<int32_t>(i);
        }
        tokens_before_.push_back(0);
        for (const int64_t size : page.sizes) tokens_before_.push_back(tokens_before_.back() + size);
    }

    std::vector<uint8_t> find() {
        std::vector<uint8_t> found(page_.elements.size());
        for (size_t i = 0; i < found.size(); i++) {
            const auto element = static_cast<int32_t>(page_.elements[i]);
            if (tokens(i) <= MAX_TOKENS && (has_word_caption(document_.value(element, "class")) ||
                                            has_word_caption(document_.value(element, "id"))))
                found[i] |= NAMED_CAPTION;
            if (at(element).tag != Tag::img_) continue;
            const int32_t block = block_below(element);
            if (block >= 0 && is_caption(static_cast<size_t>(block)) && !is_narrow(element))
                found[static_cast<size_t>(block)] |= BELOW_IMAGE;
        }
        return found;
    }

  private:
    enum : int8_t { UNKNOWN = -1 };

    const Element &at(int32_t element) const { return document_.elements[static_cast<size_t>(element)]; }
    int32_t place_of(int32_t element) const { return places_[static_cast<size_t>(element)]; }
    int64_t start(int32_t place) const { return page_.starts[static_cast<size_t>(place)]; }
    int64_t tokens(size_t place) const {
        const auto before = [&](int64_t text) { return tokens_before_[static_cast<size_t>(text)]; };
        return before(page_.ends[place]) - before(page_.starts[place]);
    }
    bool has_tokens(int32_t element) const {
        const int32_t place = place_of(element);
        return place >= 0 && tokens(static_cast<size_t>(place)) > 0;
    }

    // The index of the block that may contain an image's caption: around or below the image. -1 if neither may.
    int32_t block_below(int32_t image) {
        int32_t frame = image;          // the largest element around the image that has no words
        while (frame > 0 && !has_tokens(at(frame).parent)) frame = at(frame).parent;
        const int32_t below = at(frame).end;
        if (static_cast<size_t>(below) >= places_.size() || frame == 0) return -1;
        const int32_t own = place_of(frame), next = place_of(below);
        if (own < 0 || next < 0 || start(own) != start(next)) return -1;
        if (at(below).tag == Tag::br_) {
            int32_t block = at(frame).parent;
            while (block > 0 && at(block).kind & WITHIN) block = at(block).parent;
            const Tag tag = at(block).tag;
            const bool may_be = tag == Tag::p_ || (tag == Tag::div_ && !at(block).is_styled) || tag == Tag::center_ ||
                                tag == Tag::td_;
            const int32_t place = may_be ? place_of(block) : -1;
            return place >= 0 && start(place) == start(own) ? place : -1;
        }
        int8_t &is_named = is_named_[static_cast<size_t>(next)];
        if (is_named == UNKNOWN)
            is_named = denotes_caption(document_.value(below, "class")) || denotes_caption(document_.value(below, "id"));
        return is_named ? next : -1;
    }

    // Whether the text of a block may be a caption: it is short, has few lines and links, and is not a quotation.
    bool is_caption(size_t place) {
        int8_t &found = is_caption_[place];
        if (found != UNKNOWN) return found;
        const int64_t size = tokens(place);
        found = 0;
        if (size == 0 || size > MAX_TOKENS_BELOW_IMAGE) return false;
        const auto first = static_cast<size_t>(page_.starts[place]), end = static_cast<size_t>(page_.ends[place]);
        if (page_.lines[end - 1] > page_.lines[first] + 1 || is_quote(page_.texts[first])) return false;
        int64_t linked = 0;
        for (size_t i = first; i < end; i++)
            if (page_.sizes[i] && is_in_link(parents_[i])) linked += page_.sizes[i];
        found = static_cast<double>(linked) <= MAX_LINKED_SHARE * static_cast<double>(size);
        return found;
    }

    bool is_quote(int64_t text) const {
        std::string_view shown = document_.texts[static_cast<size_t>(text)].text;
        while (!shown.empty()) {
            const char *next = shown.data();
            if (!(characters_.traits_of(next_character(next, shown.data() + shown.size())) & SPACE)) break;
            shown.remove_prefix(static_cast<size_t>(next - shown.data()));
        }
        return std::ranges::any_of(QUOTES, [&](std::string_view quote) { return shown.starts_with(quote); });
    }

    bool is_in_link(int32_t element) const {
        for (; element >= 0; element = at(element).parent)
            if (at(element).tag == Tag::a_ && !document_.value(element, "href").empty()) return true;
        return false;
    }

    bool is_narrow(int32_t image) const {
        std::string_view width = stripped(document_.value(image, "width"));
        if (width.ends_with("px")) width.remove_suffix(2);
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        if (width.empty() || !std::ranges::all_of(width, is_digit)) return false;
        int pixels = 0;
        for (const char c : width.substr(0, MAX_DIGITS)) pixels = pixels * 10 + (c - '0');
        return pixels < MIN_WIDTH;
    }

    const Document &document_;
    const Characters &characters_;
    const DisplayedPage &page_;
    const std::vector<int32_t> parents_;        // parents of the texts
    std::vector<int32_t> places_;               // index of each element among those displayed, or -1
    std::vector<int8_t> is_caption_, is_named_; // cached answers, because many images may share an element
    std::vector<int64_t> tokens_before_;
};

}  // namespace

std::vector<uint8_t> captions(const Document &document, const Characters &characters, const DisplayedPage &page) {
    return Finder(document, characters, page).find();
}

}  // namespace detourage
