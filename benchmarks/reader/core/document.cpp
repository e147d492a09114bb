// Scan of serialised HTML (HTML standard, section 13.3): attribute values are quoted, all elements
// except empty ones have end tags, and text is escaped. The scan tolerates any other input.
#include "document.hpp"

#include <cstring>
#include <unordered_map>

namespace detourage {
namespace {

struct Name {
    const char *text;
    Tag tag;
};

const std::unordered_map<std::string_view, Tag> &tags() {
    static const std::unordered_map<std::string_view, Tag> found{
#define DETOURAGE_TAG(name) {#name, Tag::name##_},
        DETOURAGE_TAGS(DETOURAGE_TAG)
#undef DETOURAGE_TAG
    };
    return found;
}

std::array<uint8_t, static_cast<size_t>(Tag::count_)> kinds() {
    std::array<uint8_t, static_cast<size_t>(Tag::count_)> kinds{};
    const auto mark = [&](std::initializer_list<Tag> marked, uint8_t kind) {
        for (const Tag tag : marked) kinds[static_cast<size_t>(tag)] |= kind;
    };
    using enum Tag;
    mark({applet_, audio_, canvas_, embed_, frame_, frameset_, head_, iframe_, noframes_, noscript_,
          object_, script_, style_, template_, video_, button_, input_, optgroup_, option_, select_,
          textarea_, map_, math_, svg_},
         SILENT);
    mark({a_,    abbr_, acronym_, b_,    bdi_,  bdo_, big_,    blink_, cite_,  code_, del_,
          dfn_,  em_,   font_,    i_,    ins_,  kbd_, label_,  mark_,  nobr_,  q_,    rb_,
          rt_,   ruby_, s_,       samp_, small_, span_, strike_, strong_, sub_, sup_, time_,
          tt_,   u_,    var_,     wbr_,  rp_},
         WITHIN);
    mark({area_, base_, basefont_, bgsound_, br_, col_, embed_, frame_, hr_, img_, input_, keygen_,
          link_, meta_, param_, source_, track_, wbr_},
         EMPTY);
    mark({script_, style_, xmp_, iframe_, noembed_, noframes_, noscript_}, RAW);
    return kinds;
}

bool is_letter(char c) { return static_cast<unsigned char>((c | 32) - 'a') < 26; }

bool is_blank_byte(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

class Scan {
  public:
    Scan(std::string_view html, Document &document)
        : at_(html.data()), end_(html.data() + html.size()), document_(document) {
        document_.decoded.reserve(html.size() + 16);
        document_.elements.reserve(html.size() / 40);
        document_.attributes.reserve(html.size() / 40);
    }

    void run() {
        while (at_ < end_ && !is_closed_) {
            const char *next = find('<');
            if (next > at_) text(at_, next, true);
            at_ = next;
            if (at_ == end_) break;
            const char c = end_ - at_ > 1 ? at_[1] : '\0';
            if (c == '/')
                end_tag();
            else if (starts("<!--"))
                skip("-->", 4);
            else if (c == '!' || c == '?')
                skip(">", 1);
            else if (is_letter(c))
                start_tag();
            else {
                text(at_, at_ + 1, false);
                at_++;
            }
        }
        while (!open_.empty()) close();
    }

  private:
    const char *find(char c) const {
        const void *found = std::memchr(at_, c, static_cast<size_t>(end_ - at_));
        return found ? static_cast<const char *>(found) : end_;
    }
    bool starts(std::string_view with) const {
        return std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(with);
    }
    const char *find(std::string_view wanted, const char *from) const {
        const std::string_view left(from, static_cast<size_t>(end_ - from));
        const size_t found = left.find(wanted);
        return found == left.npos ? end_ : from + found;
    }
    void skip(std::string_view wanted, size_t passed) {
        const char *found = find(wanted, at_ + passed < end_ ? at_ + passed : end_);
        at_ = found == end_ ? end_ : found + wanted.size();
    }

    // Copy a text with its references decoded.
    std::string_view decode(const char *from, const char *to) {
        if (!std::memchr(from, '&', static_cast<size_t>(to - from)))
            return {from, static_cast<size_t>(to - from)};
        static constexpr std::pair<std::string_view, std::string_view> REFERENCES[] = {
            {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", "\xc2\xa0"}};
        std::string &out = document_.decoded;
        const size_t start = out.size();
        while (from < to) {
            const void *found = std::memchr(from, '&', static_cast<size_t>(to - from));
            const char *next = found ? static_cast<const char *>(found) : to;
            out.append(from, next);
            if ((from = next) == to) break;
            const std::string_view left(from, static_cast<size_t>(to - from));
            std::string_view instead = "&";
            size_t taken = 1;
            for (const auto &[written, meant] : REFERENCES)
                if (left.starts_with(written)) {
                    instead = meant;
                    taken = written.size();
                    break;
                }
            out += instead;
            from += taken;
        }
        // The storage was reserved for the whole page, and decoding never lengthens a text.
        return {out.data() + start, out.size() - start};
    }

    void text(const char *from, const char *to, bool is_escaped) {
        if (open_.empty()) return;
        bool is_blank = true;
        for (const char *c = from; is_blank && c < to; c++) is_blank = is_blank_byte(*c);
        auto &texts = document_.texts;
        const int32_t parent = open_.back();
        const auto after = static_cast<int32_t>(document_.elements.size()) - 1;
        if (is_blank) {
            // White space between two texts of a line separates their words.
            texts.push_back({{from, 1}, parent, after});
            return;
        }
        const auto size = static_cast<size_t>(to - from);
        texts.push_back({is_escaped ? decode(from, to) : std::string_view{from, size}, parent, after});
    }

    void start_tag() {
        const char *name = ++at_;
        while (at_ < end_ && *at_ != ' ' && *at_ != '>') at_++;
        const std::string_view written(name, static_cast<size_t>(at_ - name));
        const auto known = tags().find(written);
        const Tag tag = known == tags().end() ? Tag::other_ : known->second;
        auto &elements = document_.elements;
        const auto own = static_cast<int32_t>(elements.size());
        const int32_t parent = open_.empty() ? -1 : open_.back();
        const auto first = static_cast<int32_t>(document_.attributes.size());
        while (at_ < end_ && *at_ == ' ') {
            const char *attribute = ++at_;
            const char *equals = find("=\"", attribute);
            if (equals == end_) {
                at_ = end_;
                break;
            }
            const char *value = equals + 2;
            at_ = value;
            const char *quote = find('"');
            const std::string_view attribute_name(attribute, static_cast<size_t>(equals - attribute));
            if (static_cast<size_t>(document_.attributes.size()) - static_cast<size_t>(first) < 1000)
                document_.attributes.push_back({attribute_name, decode(value, quote)});
            at_ = quote < end_ ? quote + 1 : end_;
        }
        at_ = at_ < end_ && *at_ == '>' ? at_ + 1 : end_;
        bool is_silent = false;
        int32_t rank = 0, depth = 0;
        if (parent >= 0) {
            Element &above = elements[static_cast<size_t>(parent)];
            is_silent = above.is_silent_inside || (above.kind & SILENT);
            rank = above.children++;
            depth = above.depth + 1;
        }
        const uint8_t kind = kind_of(tag);
        elements.push_back({parent, own + 1, first, static_cast<int32_t>(document_.attributes.size()),
                            depth, rank, 0, tag, kind, is_silent, written});
        open_.push_back(own);
        const bool is_foreign = is_silent && is_in_foreign();
        if ((kind & EMPTY) && !is_foreign)
            close();
        else if ((kind & RAW) && !is_foreign)
            raw(written);
    }

    bool is_in_foreign() const {
        for (size_t i = open_.size() - 1; i-- > 0;) {
            const Element &each = document_.elements[static_cast<size_t>(open_[i])];
            if (each.tag == Tag::svg_ || each.tag == Tag::math_) return true;
            if (!each.is_silent_inside && !(each.kind & SILENT)) return false;
            if (each.name == "foreignObject") return false;
        }
        return false;
    }

    // Store the content of an element that is not markup, up to its end tag.
    void raw(std::string_view name) {
        std::string tag = "</";
        tag += name;
        if (name != "script") tag += '>';
        const char *found = name == "script" ? end_of_script() : find(tag, at_);
        if (found > at_) text(at_, found, false);
        at_ = found;
    }

    bool is_script_tag(const char *at, std::string_view tag) const {
        if (static_cast<size_t>(end_ - at) <= tag.size()) return false;
        for (size_t i = 0; i < tag.size(); i++)
            if ((tag[i] == '/' || tag[i] == '<' ? at[i] : at[i] | 32) != tag[i]) return false;
        return is_blank_byte(at[tag.size()]) || at[tag.size()] == '/' || at[tag.size()] == '>';
    }

    // Inside what looks like a comment, a script may contain other scripts (section 13.2.5.15).
    const char *end_of_script() const {
        bool is_escaped = false, is_doubly = false;
        for (const char *at = at_; at < end_; at++) {
            if (!is_escaped) {
                const void *found = std::memchr(at, '<', static_cast<size_t>(end_ - at));
                if (!found) return end_;
                at = static_cast<const char *>(found);
            }
            const std::string_view left(at, static_cast<size_t>(end_ - at));
            if (*at == '<') {
                if (!is_escaped && left.starts_with("<!--")) {
                    is_escaped = true;
                    at++;
                } else if (is_script_tag(at, "</script")) {
                    if (!is_doubly) return at;
                    is_doubly = false;
                } else if (is_escaped && is_script_tag(at, "<script"))
                    is_doubly = true;
            } else if (is_escaped && left.starts_with("-->"))
                is_escaped = is_doubly = false;
        }
        return end_;
    }

    void end_tag() {
        const char *name = at_ + 2;
        const char *close_at = find('>');
        const std::string_view written(name, static_cast<size_t>(close_at > name ? close_at - name : 0));
        at_ = close_at < end_ ? close_at + 1 : end_;
        if (!open_.empty() && document_.elements[static_cast<size_t>(open_.back())].name == written) close();
    }

    void close() {
        Element &element = document_.elements[static_cast<size_t>(open_.back())];
        element.end = static_cast<int32_t>(document_.elements.size());
        open_.pop_back();
        // Anything after the root is not part of the document.
        if (open_.empty()) is_closed_ = true;
    }

    const char *at_, *end_;
    Document &document_;
    std::vector<int32_t> open_;
    bool is_closed_ = false;
};

}  // namespace

uint8_t kind_of(Tag tag) {
    static const auto KINDS = kinds();
    return KINDS[static_cast<size_t>(tag)];
}

Document::Document(std::string_view html) { Scan(html, *this).run(); }

std::string_view Document::value(int32_t element, std::string_view name) const {
    const Element &of = elements[static_cast<size_t>(element)];
    for (int32_t i = of.attributes; i < of.attributes_end; i++)
        if (attributes[static_cast<size_t>(i)].name == name) return attributes[static_cast<size_t>(i)].value;
    return {};
}

}  // namespace detourage
