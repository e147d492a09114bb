// The document of a page, from the columns of `detourage.html.flat.FlatDocument`.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detourage {

// Names of elements that the reader distinguishes; all others are `other_`.
#define DETOURAGE_TAGS(X)                                                                          \
    X(other) X(html) X(head) X(body) X(title) X(meta) X(link) X(base) X(script) X(style)           \
    X(noscript) X(template) X(iframe) X(object) X(embed) X(applet) X(audio) X(video) X(canvas)     \
    X(frame) X(frameset) X(noframes) X(noembed) X(xmp) X(area) X(basefont) X(datalist) X(param)    \
    X(rp) X(rtc) X(source) X(track) X(button) X(input) X(optgroup) X(option) X(select) X(textarea) \
    X(map) X(math) X(svg) X(a) X(abbr) X(acronym) X(b) X(bdi) X(bdo) X(big) X(blink) X(cite)       \
    X(code) X(del) X(dfn) X(em) X(font) X(i) X(ins) X(kbd) X(label) X(mark) X(nobr) X(q) X(rb)     \
    X(rt) X(ruby) X(s) X(samp) X(small) X(span) X(strike) X(strong) X(sub) X(sup) X(time) X(tt)    \
    X(u) X(var) X(wbr) X(br) X(hr) X(img) X(picture) X(figure) X(figcaption) X(p) X(div)           \
    X(section) X(article) X(main) X(nav) X(header) X(footer) X(aside) X(form) X(fieldset)          \
    X(ul) X(ol) X(li) X(dl) X(dt) X(dd) X(table) X(thead) X(tbody) X(tfoot) X(tr) X(td) X(th)      \
    X(caption) X(col) X(bgsound) X(keygen) X(blockquote) X(pre) X(h1) X(h2) X(h3) X(h4) X(h5)      \
    X(h6) X(address) X(details) X(summary) X(dialog) X(center)

enum class Tag : uint8_t {
#define DETOURAGE_TAG(name) name##_,
    DETOURAGE_TAGS(DETOURAGE_TAG)
#undef DETOURAGE_TAG
        count_
};

// The tag with the given name; `other_` if the reader does not distinguish it.
Tag tag_of(std::string_view name);

// Kinds of elements, as in `detourage.html.visible_text`.
enum Kind : uint8_t {
    SILENT = 1,   // no article text below
    WITHIN = 2,   // does not interrupt a line
};

struct Attribute {
    std::string_view name, value;
};

struct Element {
    int32_t parent, end;          // end: after the last descendant
    int32_t attributes, attributes_end;
    int32_t depth;
    int32_t rank;                 // among its siblings
    int32_t children;
    Tag tag;
    uint8_t kind;
    bool is_silent_inside;        // has a SILENT ancestor
    bool is_in_paragraph;         // is a paragraph or heading, or has such an ancestor
    std::string_view name;        // the tag; "span" for a button in a text, "div" for a styled ``span``
    bool is_styled = false;       // a ``span`` that a style makes a block; its tag is ``div``
    std::string_view written;     // the name of the tag in the page
};

// A text node with its parent and its position among the elements.
struct Text {
    std::string_view text;
    int32_t parent;
    int32_t after;                // last element that starts before it
    bool is_blank;                // consists of ASCII whitespace

    // The text as part of a line, where a single whitespace character separates words.
    std::string_view in_line() const { return is_blank ? text.substr(0, 1) : text; }
};

// Elements, attributes and texts in document order. The strings belong to the caller.
struct Document {
    std::vector<Element> elements;
    std::vector<Attribute> attributes;
    std::vector<Text> texts;
    size_t characters = 0;        // total size of the texts as parts of lines, in bytes

    void reserve(size_t element_count, size_t text_count, size_t attribute_count);
    // Add the next element, with the tag of its name; returns false if the element is not inside its parent.
    bool add_element(std::string_view name, Tag tag, int64_t parent, int64_t end);
    // Add an attribute of the last element.
    void add_attribute(std::string_view name, std::string_view value);
    // Turn the last element into a ``div`` if it is a ``span`` with a style such as "display: block".
    void apply_style();
    // Add the next text; returns false if an element is out of range.
    bool add_text(std::string_view text, int64_t parent, int64_t after);
    // Decide which unknown elements are within a line, after everything has been added.
    void place_inline();

    // The value of an attribute; empty if the element does not have it.
    std::string_view value(int32_t element, std::string_view name) const {
        const Attribute *const found = find(element, name);
        return found ? found->value : std::string_view();
    }
    bool has(int32_t element, std::string_view name) const { return find(element, name); }

  private:
    const Attribute *find(int32_t element, std::string_view name) const;
};

}  // namespace detourage
