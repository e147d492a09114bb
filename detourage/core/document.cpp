#include "document.hpp"

#include <unordered_map>

namespace detourage {
namespace {

const std::unordered_map<std::string_view, Tag> &tags() {
    static const std::unordered_map<std::string_view, Tag> found{
#define DETOURAGE_TAG(name) {#name, Tag::name##_},
        DETOURAGE_TAGS(DETOURAGE_TAG)
#undef DETOURAGE_TAG
    };
    return found;
}

bool is_paragraph(Tag tag) {
    using enum Tag;
    return tag == p_ || tag == h1_ || tag == h2_ || tag == h3_ || tag == h4_ || tag == h5_ || tag == h6_;
}

// Custom elements are inline in a paragraph; elsewhere, they may contain one.
bool is_inline(std::string_view name, bool is_in_paragraph) {
    return name == "data" || name == "output"
        || (is_in_paragraph && name.find('-') != std::string_view::npos);
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

constexpr int32_t MAX_ATTRIBUTES = 1000;

}  // namespace

void Document::reserve(size_t element_count, size_t text_count, size_t attribute_count) {
    elements.reserve(element_count);
    texts.reserve(text_count);
    attributes.reserve(attribute_count);
}

bool Document::add_element(std::string_view name, int64_t parent, int64_t end) {
    static const auto KINDS = kinds();
    const auto own = static_cast<int64_t>(elements.size());
    if (parent >= own || (own > 0) != (parent >= 0) || end <= own) return false;
    const auto known = tags().find(name);
    const Tag tag = known == tags().end() ? Tag::other_ : known->second;
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
    if (tag == Tag::other_ && is_inline(name, element.is_in_paragraph)) element.kind |= WITHIN;
    elements.push_back(element);
    return true;
}

void Document::add_attribute(std::string_view name, std::string_view value) {
    Element &own = elements.back();
    if (own.attributes_end - own.attributes >= MAX_ATTRIBUTES) return;
    attributes.push_back({name, value});
    own.attributes_end++;
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

const Attribute *Document::find(int32_t element, std::string_view name) const {
    const Element &of = elements[static_cast<size_t>(element)];
    for (int32_t i = of.attributes; i < of.attributes_end; i++)
        if (attributes[static_cast<size_t>(i)].name == name) return &attributes[static_cast<size_t>(i)];
    return nullptr;
}

}  // namespace detourage
