#include "document.hpp"

#include <algorithm>
#include <unordered_map>

#include "captions.hpp"

namespace detourage {
namespace {

using namespace std::string_view_literals;

bool is_paragraph(Tag tag) {
    using enum Tag;
    return tag == p_ || tag == h1_ || tag == h2_ || tag == h3_ || tag == h4_ || tag == h5_ || tag == h6_;
}

// Whether the name of an element without its own `Tag` is unknown in HTML, such as that of a custom element.
bool is_unknown(std::string_view name) {
    static constexpr std::array KNOWN{"colgroup"sv, "dir"sv,    "hgroup"sv,    "legend"sv,   "listing"sv, "marquee"sv, "menu"sv,
                                      "menuitem"sv, "meter"sv,  "plaintext"sv, "progress"sv, "search"sv,  "slot"sv};
    return std::find(KNOWN.begin(), KNOWN.end(), name) == KNOWN.end();
}

std::array<uint8_t, static_cast<size_t>(Tag::count_)> kinds() {
    std::array<uint8_t, static_cast<size_t>(Tag::count_)> kinds{};
    const auto mark = [&](std::initializer_list<Tag> marked, uint8_t kind) {
        for (const Tag tag : marked) kinds[static_cast<size_t>(tag)] |= kind;
    };
    using enum Tag;
    mark({applet_, audio_, canvas_, embed_, frame_, frameset_, head_, iframe_, noframes_, noscript_,
          object_, script_, style_, template_, video_, button_, input_, optgroup_, option_, select_,
          textarea_, map_, math_, rp_, rt_, rtc_, svg_},
         SILENT);
    mark({a_,    abbr_, acronym_, b_,    bdi_,  bdo_, big_,    blink_, cite_,  code_, del_,
          dfn_,  em_,   font_,    i_,    ins_,  kbd_, label_,  mark_,  nobr_,  q_,    rb_,
          rt_,   ruby_, s_,       samp_, small_, span_, strike_, strong_, sub_, sup_, time_,
          tt_,   u_,    var_,     wbr_,  rp_},
         WITHIN);
    return kinds;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c & 0x80); }

// Whether an inline style makes its element a block.
bool is_block_style(std::string_view style) {
    static constexpr std::array BLOCKS{"block"sv, "flex"sv, "grid"sv, "list-item"sv, "table"sv};
    std::string lower(style);
    for (char &c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const std::string_view all = lower;
    for (size_t from = 0; from < all.size();) {
        const size_t end = std::min(all.find(';', from), all.size()), colon = std::min(all.substr(0, end).find(':', from), end);
        const auto trimmed = [&](size_t start, size_t stop) {
            while (start < stop && is_blank(all[start])) start++;
            while (start < stop && is_blank(all[stop - 1])) stop--;
            return all.substr(start, stop - start);
        };
        if (colon < end && trimmed(from, colon) == "display") {
            const std::string_view value = trimmed(colon + 1, end);
            for (const std::string_view block : BLOCKS)
                if (value.starts_with(block) && (value.size() == block.size() || !is_word(value[block.size()]))) return true;
        }
        from = end + 1;
    }
    return false;
}

constexpr int32_t MAX_ATTRIBUTES = 1000;

}  // namespace

Tag tag_of(std::string_view name) {
    static const std::unordered_map<std::string_view, Tag> TAGS{
#define DETOURAGE_TAG(name) {#name, Tag::name##_},
        DETOURAGE_TAGS(DETOURAGE_TAG)
#undef DETOURAGE_TAG
    };
    const auto found = TAGS.find(name);
    return found == TAGS.end() ? Tag::other_ : found->second;
}

void Document::reserve(size_t element_count, size_t text_count, size_t attribute_count) {
    elements.reserve(element_count);
    texts.reserve(text_count);
    attributes.reserve(attribute_count);
}

bool Document::add_element(std::string_view name, Tag tag, int64_t parent, int64_t end) {
    static const auto KINDS = kinds();
    const auto own = static_cast<int64_t>(elements.size());
    // In document order, the parent of an element is the last one that has not ended.
    int64_t open = own - 1;
    while (open >= 0 && elements[static_cast<size_t>(open)].end <= own) open = elements[static_cast<size_t>(open)].parent;
    if (parent != open || (own > 0) != (parent >= 0) || end <= own) return false;
    if (parent >= 0 && end > elements[static_cast<size_t>(parent)].end) return false;
    const auto first = static_cast<int32_t>(attributes.size());
    Element element{static_cast<int32_t>(parent), static_cast<int32_t>(end), first, first, 0, 0, 0,
                    tag, KINDS[static_cast<size_t>(tag)], false, is_paragraph(tag), name};
    if (parent >= 0) {
        Element &above = elements[static_cast<size_t>(parent)];
        element.is_silent_inside = above.is_silent_inside || (above.kind & SILENT);
        element.is_in_paragraph |= above.is_in_paragraph;
        element.rank = above.children++;
        element.depth = above.depth + 1;
    }
    if (tag == Tag::other_ && (name == "data" || name == "output")) element.kind |= WITHIN;
    elements.push_back(element);
    return true;
}

void Document::add_attribute(std::string_view name, std::string_view value) {
    Element &own = elements.back();
    if (own.attributes_end - own.attributes >= MAX_ATTRIBUTES) return;
    attributes.push_back({name, value});
    own.attributes_end++;
}

void Document::apply_style() {
    Element &own = elements.back();
    if (own.tag != Tag::span_ || !is_block_style(value(static_cast<int32_t>(elements.size()) - 1, "style"))) return;
    own.tag = Tag::div_;
    own.name = "div";
    own.kind = 0;
    own.is_styled = true;
}

bool Document::add_text(std::string_view text, int64_t parent, int64_t after) {
    const auto count = static_cast<int64_t>(elements.size());
    if (parent < 0 || parent >= count || after < parent || after >= count) return false;
    size_t shown = 0;
    while (shown < text.size() && is_blank(text[shown])) shown++;
    texts.push_back({text, static_cast<int32_t>(parent), static_cast<int32_t>(after), shown == text.size()});
    characters += texts.back().in_line().size();
    return true;
}

// Browsers render unknown elements inline. In a paragraph, they count as inline; elsewhere, only if they
// contain no block and have text next to them. A ``span`` around an image and its caption counts as a
// block, because style sheets display it apart from the paragraph.
void Document::place_inline() {
    std::vector<bool> has_text(elements.size()), has_block(elements.size()), has_image(elements.size());
    std::vector<bool> has_caption(elements.size());
    for (const Text &each : texts)
        if (!each.is_blank) has_text[static_cast<size_t>(each.parent)] = true;
    for (size_t i = elements.size(); i-- > 1;) {
        Element &own = elements[i];
        const auto above = static_cast<size_t>(own.parent);
        if (own.tag == Tag::other_ && !own.is_silent_inside && is_unknown(own.name) &&
            (own.is_in_paragraph || (has_text[above] && !has_block[i])))
            own.kind |= WITHIN;
        if (own.tag == Tag::img_) has_image[i] = true;
        if (own.tag == Tag::span_ && own.is_in_paragraph) {
            has_caption[i] = has_caption[i] || denotes_caption(value(static_cast<int32_t>(i), "class"));
            if (has_image[i] && has_caption[i]) own.kind &= static_cast<uint8_t>(~WITHIN);
        }
        if (has_image[i]) has_image[above] = true;
        if (has_caption[i]) has_caption[above] = true;
        if (!(own.kind & WITHIN) || has_block[i]) has_block[above] = true;
    }
}

const Attribute *Document::find(int32_t element, std::string_view name) const {
    const Element &of = elements[static_cast<size_t>(element)];
    for (int32_t i = of.attributes; i < of.attributes_end; i++)
        if (attributes[static_cast<size_t>(i)].name == name) return &attributes[static_cast<size_t>(i)];
    return nullptr;
}

}  // namespace detourage
