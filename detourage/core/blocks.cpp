#include "blocks.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace detourage {
namespace {

bool is_cjk(uint32_t code) {
    return (code >= 0x3000 && code <= 0x30FF) || (code >= 0x3400 && code <= 0x9FFF) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0xFF00 && code <= 0xFFEF);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

constexpr ptrdiff_t MAX_BREAK = 200;   // whitespace on each side of a line break that is removed between CJK characters

// Append a text with line breaks replaced by spaces or, between CJK characters, removed, as browsers do.
void append_with_breaks_as_spaces(std::string &out, std::string_view text) {
    if (text.find('\n') == text.npos) {
        out += text;
        return;
    }
    const char *at = text.data(), *const end = at + text.size();
    bool is_after_cjk = false;
    while (at < end) {
        const char *const begin = at;
        if (!is_blank(*at)) {
            is_after_cjk = is_cjk(next_character(at, end));
            out.append(begin, at);
            continue;
        }
        at = std::find_if_not(at, end, is_blank);
        const char *const broken = std::find(begin, at, '\n');
        const bool is_short = broken != at && broken - begin <= MAX_BREAK && at - broken - 1 <= MAX_BREAK;
        const char *next = at;
        if (is_short && is_after_cjk && at < end && is_cjk(next_character(next, end))) continue;
        const size_t from = out.size();
        out.append(begin, at);
        std::replace(out.begin() + static_cast<ptrdiff_t>(from), out.end(), '\n', ' ');
        is_after_cjk = false;
    }
}

// Formatting of a piece of text.
struct Marks {
    std::array<int32_t, 3> marks{};
    size_t count = 0;

    void add(int32_t mark) { marks[count++] = mark; }
    const int32_t *begin() const { return marks.data(); }
    const int32_t *end() const { return begin() + count; }
    bool has(int32_t mark) const { return std::find(begin(), end(), mark) != end(); }
};

// Joins pieces of formatted text, without superfluous whitespace, and finds the spans in the result.
class InlineText {
  public:
    explicit InlineText(const Characters &characters, bool is_single_line = false)
        : characters_(characters), is_single_line_(is_single_line) {}

    void add(std::string_view piece, const Marks &marks) {
        bool is_marked = false;
        const char *at = piece.data(), *const end = at + piece.size();
        while (at < end) {
            const char *const begin = at;
            const uint32_t code = next_character(at, end), traits = characters_.traits_of(code);
            if (code == '\n' && !is_single_line_) {
                gap_ = '\n';
            } else if (traits & INVISIBLE) {
                continue;
            } else if (traits & (SPACE | ILLEGAL)) {
                if (!gap_) gap_ = ' ';
            } else {
                if (!is_marked) end_spans(&marks);
                if (length_ && gap_) {
                    text_ += gap_;
                    length_++;
                }
                gap_ = 0;
                if (!is_marked) begin_spans(marks);
                is_marked = true;
                text_.append(begin, at);
                length_++;
            }
        }
    }

    // End the text, and append the text, and its spans shifted by an offset.
    void finish(std::string &text, std::vector<Span> &spans, int32_t offset = 0) {
        end_spans(nullptr);
        std::stable_sort(spans_.begin(), spans_.end(), [](const Span &one, const Span &other) {
            return std::pair(one.start, one.end) < std::pair(other.start, other.end);
        });
        for (const Span &each : spans_) spans.push_back({each.start + offset, each.end + offset, each.mark});
        text += text_;
    }
    int32_t length() const { return length_; }

  private:
    void begin_spans(const Marks &marks) {
        for (const int32_t mark : marks) {
            const bool is_open = std::any_of(open_.begin(), open_.end(),
                                             [&](const Span &each) { return each.mark == mark; });
            if (!is_open) open_.push_back({length_, length_, mark});
        }
    }
    // End the spans of all marks but those given.
    void end_spans(const Marks *kept) {
        const auto is_kept = [&](const Span &each) { return kept && kept->has(each.mark); };
        for (const Span &each : open_)
            if (!is_kept(each)) spans_.push_back({each.start, length_, each.mark});
        std::erase_if(open_, [&](const Span &each) { return !is_kept(each); });
    }

    const Characters &characters_;
    const bool is_single_line_;
    std::string text_;
    std::vector<Span> spans_, open_;
    int32_t length_ = 0;
    char gap_ = 0;
};

// Clean the text of code: keep its lines and indentation, and remove blank lines.
std::string verbatim(std::string_view text, const Characters &characters) {
    std::string out;
    size_t start = 0, shown = 0;   // start of the line, and end of its last word
    const auto end_line = [&] {
        if (shown > start) {
            out.resize(shown);
            out += '\n';
        } else {
            out.resize(start);
        }
        start = shown = out.size();
    };
    const char *at = text.data(), *const end = at + text.size();
    while (at < end) {
        const char *const begin = at;
        const uint32_t code = next_character(at, end), traits = characters.traits_of(code);
        if (traits & (INVISIBLE | ILLEGAL)) continue;
        if (code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029) {
            end_line();
            continue;
        }
        out.append(begin, at);
        if (!(traits & SPACE)) shown = out.size();
    }
    end_line();
    if (!out.empty()) out.pop_back();
    return out;
}

BlockType type_of(Tag tag) {
    using enum Tag;
    switch (tag) {
        case h1_: case h2_: case h3_: case h4_: case h5_: case h6_: return BlockType::heading;
        case li_: case dt_: case dd_: return BlockType::list_item;
        case blockquote_: return BlockType::quote;
        case figcaption_: case caption_: return BlockType::caption;
        case pre_: return BlockType::code;
        default: return BlockType::none;
    }
}

bool is_image(const Element &element) {
    return element.tag == Tag::img_ || element.name.ends_with("-img");
}

// Whether an element shows that the table around it is used for layout.
bool is_layout(Tag tag) {
    using enum Tag;
    return type_of(tag) == BlockType::heading || tag == table_ || tag == section_ || tag == article_ ||
           tag == form_ || tag == iframe_ || tag == pre_;
}

// An element whose descendants are being read, and its effect on the text inside it.
struct Open {
    int32_t element;
    BlockType type;
    int32_t typed;                      // index in `open_` of the nearest element with a type, or -1
    int32_t caption;                    // element with a caption, or -1
    int level = 0;
    int64_t marker = NO_MARKER;
};

// A range of displayed texts, excluding `last`.
struct Range {
    size_t first, last;
};

// Reads the elements and texts of a body in document order.
class Building {
  public:
    Building(Blocks &found, const Document &document, const Characters &characters, const Body &body)
        : found_(found), document_(document), characters_(characters), body_(body) {
        const size_t elements = document.elements.size(), texts = document.texts.size();
        const auto check = [](bool fits) {
            if (!fits) throw std::invalid_argument("the body does not match the document");
        };
        check(body.container >= 0 && static_cast<size_t>(body.container) < elements);
        check(body.lines.size() == body.pieces.size() && body.sizes.size() == body.pieces.size());
        check(body.roles.size() == body.role_lines.size() && body.probabilities.size() == body.role_lines.size());
        container_ = static_cast<int32_t>(body.container);
        flags_.resize(elements);
        const auto mark = [&](Body::Numbers numbers, uint8_t flag) {
            for (const int64_t each : numbers) {
                check(each >= 0 && static_cast<size_t>(each) < elements);
                flags_[static_cast<size_t>(each)] |= flag;
            }
        };
        mark(body.dropped, DROPPED);
        mark(body.muted, MUTED);
        mark(body.captions, CAPTION);
        // Lines begin at the start or end of an element, so there are at most two per element.
        lines_.resize(2 * elements + 1, OfLine{body.has_all_lines, -1, 0});
        const auto line_of = [&](int64_t number) -> OfLine & {
            check(number >= 0 && static_cast<size_t>(number) < lines_.size());
            return lines_[static_cast<size_t>(number)];
        };
        for (const int64_t each : body.body_lines) line_of(each).is_in_body = true;
        for (size_t i = 0; i < body.role_lines.size(); i++) {
            line_of(body.role_lines[i]).role = static_cast<int32_t>(body.roles[i]);
            line_of(body.role_lines[i]).probability = body.probabilities[i];
        }
        displayed_.resize(texts + 1);
        sizes_.resize(body.pieces.size() + 1);
        unseen_.resize(body.pieces.size(), -1);
        for (size_t i = 0; i < body.pieces.size(); i++) {
            check(body.pieces[i] >= 0 && static_cast<size_t>(body.pieces[i]) < texts);
            displayed_[static_cast<size_t>(body.pieces[i]) + 1] = 1;
            line_of(body.lines[i]);
            check(body.sizes[i] >= 0 && body.sizes[i] <= INT32_MAX);
            sizes_[i + 1] = sizes_[i] + body.sizes[i];
        }
        for (size_t i = 0; i < texts; i++) displayed_[i + 1] += displayed_[i];
        check(displayed_[texts] == body.pieces.size());
    }

    void run() {
        const auto &texts = document_.texts;
        const int32_t end = element(container_).end;
        size_t text = first_text(container_);
        const size_t last = first_text(end);
        std::vector<int32_t> walked;    // open elements, the outermost first
        const auto leave_below = [&](int32_t parent) {
            while (!walked.empty() && walked.back() != parent) {
                leave(walked.back());
                walked.pop_back();
            }
        };
        for (int32_t index = container_; index < end;) {
            leave_below(element(index).parent);
            if (enter(index)) {
                walked.push_back(index++);
            } else {
                // The element is left out, with all texts inside it.
                const int32_t next = element(index).end;
                while (text < last && texts[text].parent >= index && texts[text].after < next) text++;
                index = next;
            }
            for (; text < last && texts[text].after < index; text++) {
                leave_below(texts[text].parent);
                if (!walked.empty()) add_text(text);
            }
        }
        leave_below(-1);
        end_block();
    }

  private:
    enum : uint8_t { DROPPED = 1, MUTED = 2, CAPTION = 4 };
    struct OfLine {
        bool is_in_body;
        int32_t role;
        double probability;
    };
    struct Part {
        size_t start, end;              // in `text_`
        Marks marks;
    };
    struct LineSize {
        int64_t line, size;
    };

    const Element &element(int32_t index) const { return document_.elements[static_cast<size_t>(index)]; }
    bool is_flagged(int32_t index, uint8_t flag) const { return flags_[static_cast<size_t>(index)] & flag; }
    bool is_inline(int32_t index) const { return element(index).kind & WITHIN; }
    const std::string_view &text_at(size_t number) const { return document_.texts[number].text; }

    // The first text after the start of an element.
    size_t first_text(int32_t index) const {
        const auto found = std::partition_point(document_.texts.begin(), document_.texts.end(),
                                                [&](const Text &each) { return each.after < index; });
        return static_cast<size_t>(found - document_.texts.begin());
    }
    // The index after the last text below an element. Texts that follow the same start tag are in order of
    // depth, the innermost first.
    size_t end_of_texts(int32_t index) const {
        const int32_t last = element(index).end - 1;
        const auto found = std::partition_point(
            document_.texts.begin(), document_.texts.end(),
            [&](const Text &each) { return each.after < last || (each.after == last && each.parent >= index); });
        return static_cast<size_t>(found - document_.texts.begin());
    }
    Range displayed_below(int32_t index) const {
        const size_t first = displayed_[first_text(index)];
        return {first, std::max<size_t>(first, displayed_[end_of_texts(index)])};
    }
    int64_t size(int32_t index) const {
        const auto [first, last] = displayed_below(index);
        return sizes_[last] - sizes_[first];
    }

    // Call `visit` with the descendants of an element that may display text, until `visit` returns false.
    template <typename Visit> bool descend(int32_t index, const Visit &visit) const {
        const int32_t end = element(index).end;
        for (int32_t below = index + 1; below < end;) {
            if (!visit(below)) return false;
            below = element(below).kind & SILENT ? element(below).end : below + 1;
        }
        return true;
    }

    // Open an element; returns false if its contents are left out.
    bool enter(int32_t index) {
        const Element &own = element(index);
        if (own.tag == Tag::li_) count_item(index);
        if (is_flagged(index, DROPPED)) {
            end_block();
            return false;
        }
        if (own.kind & SILENT || is_image(own)) {
            add_media(index);
            return false;
        }
        if (own.tag == Tag::br_) {
            add_break();
            return false;
        }
        if (own.kind & WITHIN) {
            if (link_ < 0 && own.tag == Tag::a_ && !document_.value(index, "href").empty()) link_ = index;
            if (int *const depth = emphasis_of(own.tag)) ++*depth;
            mute(index);
            return true;
        }
        if (own.is_styled && type() == BlockType::code) {
            // Some pages style each line of code as a block.
            end_line();
            return true;
        }
        end_block();
        mute(index);
        if (index == container_) return true;
        if (own.tag == Tag::table_ && muted_ < 0 && add_data_table(index)) return false;
        if (document_.has(index, "data-href") || (own.tag == Tag::blockquote_ && type() != BlockType::quote))
            add_place({Medium::post, index, 0});
        open_block(index);
        return true;
    }

    // If an element is muted, leave out all text until it ends.
    void mute(int32_t index) {
        if (muted_ < 0 && is_flagged(index, MUTED)) muted_ = index;
    }

    // Close an element after its contents.
    void leave(int32_t index) {
        const Element &own = element(index);
        if (index == link_) link_ = -1;
        if (own.is_styled && type() == BlockType::code) end_line();
        else if (!(own.kind & WITHIN)) end_block();
        else if (int *const depth = emphasis_of(own.tag)) --*depth;
        if (index == muted_) muted_ = -1;
        if (!open_.empty() && open_.back().element == index) open_.pop_back();
    }

    int *emphasis_of(Tag tag) {
        if (tag == Tag::b_ || tag == Tag::strong_) return &bold_;
        return tag == Tag::em_ || tag == Tag::i_ ? &italic_ : nullptr;
    }

    // The nearest enclosing element that has a type, or null.
    Open *typed() {
        const int32_t place = open_.empty() ? -1 : open_.back().typed;
        return place < 0 ? nullptr : &open_[static_cast<size_t>(place)];
    }
    BlockType type() {
        const Open *const found = typed();
        return found ? found->type : BlockType::none;
    }

    // Open a block element if it has a type or a caption.
    void open_block(int32_t index) {
        const Element &own = element(index);
        const bool is_caption = is_flagged(index, CAPTION), is_figure = own.tag == Tag::figure_;
        Open opened{index, type_of(own.tag), -1, -1};
        if (is_caption && opened.type == BlockType::none) opened.type = BlockType::caption;
        if (is_caption || is_figure) {
            opened.caption = caption_within(index);
            if (opened.caption < 0 && !is_figure && has_words(index)) opened.caption = index;
        }
        if (opened.type == BlockType::none && opened.caption < 0) return;
        if (opened.type == BlockType::heading) {
            opened.level = own.name[1] - '0';
        } else if (opened.type == BlockType::list_item) {
            const auto item = std::find_if(open_.rbegin(), open_.rend(), [](const Open &each) {
                return each.type == BlockType::list_item;
            });
            opened.level = (item == open_.rend() ? 0 : item->level) + 1;
            const auto number = item_numbers_.find(own.parent);
            opened.marker = own.tag == Tag::li_ && number != item_numbers_.end() ? number->second : BULLET;
        }
        const auto place = static_cast<int32_t>(open_.size());
        const int32_t outer = open_.empty() ? -1 : open_.back().typed;
        opened.typed = opened.type == BlockType::none ? outer : place;
        open_.push_back(opened);
    }

    // The first caption in an element, or -1.
    int32_t caption_within(int32_t index) {
        int32_t found = -1;
        int count = 0;
        descend(index, [&](int32_t below) {
            if (count++ == MAX_FIGURE_ELEMENTS) return false;
            if (element(below).tag != Tag::figcaption_ && !is_flagged(below, CAPTION)) return true;
            if (has_words(below)) found = below;
            return false;
        });
        return found;
    }

    // Whether any displayed text of an element has a visible character. The answer for each text is
    // cached, because hundreds of elements may contain it.
    bool has_words(int32_t index) {
        const auto [first, last] = displayed_below(index);
        for (size_t i = first; i < last; i++) {
            int8_t &is_unseen = unseen_[i];
            if (is_unseen < 0)
                is_unseen = consists_of(text_at(static_cast<size_t>(body_.pieces[i])), SPACE | ILLEGAL | INVISIBLE);
            if (!is_unseen) return true;
        }
        return false;
    }

    // Whether all characters of a text have one of the given traits.
    bool consists_of(std::string_view text, uint32_t traits) const {
        const char *at = text.data(), *const end = at + text.size();
        while (at < end)
            if (!(characters_.traits_of(next_character(at, end)) & traits)) return false;
        return true;
    }

    // Join the texts of an element on a single line; `add` adds each text.
    template <typename Add> void join(int32_t index, InlineText &line, const Add &add) const {
        const auto [first, last] = displayed_below(index);
        for (size_t i = first; i < last; i++) {
            if (i > first && body_.lines[i] != body_.lines[i - 1]) line.add(" ", {});
            add(document_.texts[static_cast<size_t>(body_.pieces[i])]);
        }
    }

    // Count an item of an ordered list, whether or not the item is displayed.
    void count_item(int32_t index) {
        const int32_t parent = element(index).parent;
        if (parent < 0 || element(parent).tag != Tag::ol_) return;
        int64_t number = integer(document_.value(index, "value"));
        const auto last = item_numbers_.find(parent);
        if (number < 0 && last != item_numbers_.end()) number = last->second + 1;
        else if (number < 0) number = integer(document_.value(parent, "start"));
        item_numbers_[parent] = number < 0 ? 1 : number;
    }

    // The natural number in an attribute that contains nothing else, at most MAX; -1 for other values.
    int64_t integer(std::string_view text) const {
        constexpr int64_t MAX = 1'000'000;
        const auto is_space = [&](uint32_t code) { return characters_.traits_of(code) & SPACE; };
        int64_t number = -1;
        int digits = 0;
        bool is_ended = false;
        const char *at = text.data(), *const end = at + text.size();
        while (at < end) {
            const uint32_t code = next_character(at, end);
            if (is_space(code)) {
                is_ended = digits > 0;
            } else if (is_ended || code < '0' || code > '9' || ++digits > 7) {
                return -1;
            } else {
                number = std::max<int64_t>(number, 0) * 10 + (code - '0');
            }
        }
        return std::min(number, MAX);
    }

    // Add a line break, or end the block at the second one.
    void add_break() {
        if (++breaks_ == 2) end_block();
        else add_part([&] { text_ += '\n'; }, {});
    }

    void end_line() {
        if (!parts_.empty() && !text_.ends_with('\n')) add_part([&] { text_ += '\n'; }, {});
    }

    template <typename Append> void add_part(const Append &append, const Marks &marks) {
        const size_t start = text_.size();
        append();
        parts_.push_back({start, text_.size(), marks});
    }

    // Add a text to the current block if it belongs to the body.
    void add_text(size_t number) {
        const size_t displayed = displayed_[number];
        const std::string_view text = text_at(number);
        if (displayed_[number + 1] > displayed) {
            const int64_t line = body_.lines[displayed];
            const bool is_other = !lines_[static_cast<size_t>(line)].is_in_body;
            // A line without words, such as a full stop after an image or a formula, continues a block.
            if ((is_other && (body_.sizes[displayed] || pieces_.empty())) || muted_ >= 0) return;
            breaks_ = 0;
            pieces_.push_back(static_cast<int32_t>(number));
            if (line_sizes_.empty() || line_sizes_.back().line != line) line_sizes_.push_back({line, 0});
            line_sizes_.back().size += std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
        }
        Marks marks;
        if (link_ >= 0) marks.add(link_);
        if (bold_ > 0) marks.add(BOLD);
        if (italic_ > 0) marks.add(ITALIC);
        add_part([&] {
            if (type() == BlockType::code) text_ += text;
            else append_with_breaks_as_spaces(text_, text);
        }, marks);
    }

    // Add a formula, in TeX if available, unless the page also displays the formula as text.
    void add_formula(int32_t index) {
        const int32_t parent = element(index).parent, around = parent < 0 ? -1 : element(parent).parent;
        if (muted_ >= 0 && size(muted_)) return;
        if (around >= 0 && is_inline(around) && has_visual(around)) return;
        int32_t source = index;
        for (int32_t below = index; below < element(index).end; below++)
            if (element(below).name == "annotation" && document_.value(below, "encoding") == "application/x-tex")
                source = below;
        for (size_t i = first_text(source); i < end_of_texts(source); i++) {
            const std::string_view text = text_at(i);
            add_part([&] { append_with_breaks_as_spaces(text_, text); }, {});
            if (!consists_of(text, SPACE)) pieces_.push_back(static_cast<int32_t>(i));
        }
    }

    // Whether an element contains an element hidden from screen readers, such as the drawing of a formula.
    bool has_visual(int32_t around) {
        if (!visuals_) {
            visuals_.emplace();
            for (int32_t i = 0; i < static_cast<int32_t>(document_.elements.size()); i++)
                if (document_.has(i, "aria-hidden") && size(i)) visuals_->push_back(i);
        }
        const auto first = std::lower_bound(visuals_->begin(), visuals_->end(), around);
        return first != visuals_->end() && *first < element(around).end;
    }

    // Add the current block, if it has text, and begin the next one.
    void end_block() {
        breaks_ = 0;
        if (parts_.empty()) return;
        if (!pieces_.empty()) add_text_block();
        parts_.clear();
        text_.clear();
        pieces_.clear();
        line_sizes_.clear();
        // Media may have been placed after a block that turned out to be empty.
        const auto blocks = static_cast<int32_t>(found_.blocks.size());
        for (auto place = found_.places.rbegin(); place != found_.places.rend() && place->block > blocks; ++place)
            place->block = blocks;
    }

    // Add a block of text, unless it would contain no letter or digit.
    void add_text_block() {
        Open *const around = typed();
        Block block{around ? around->type : BlockType::paragraph, {}, {}, {}};
        if (block.type == BlockType::code) {
            block.text = verbatim(text_, characters_);
        } else {
            InlineText joined(characters_);
            for (const Part &part : parts_)
                joined.add(std::string_view(text_).substr(part.start, part.end - part.start), part.marks);
            joined.finish(block.text, block.spans);
        }
        if (!has_letter(block.text)) return;
        if (block.type == BlockType::code) {
            block.element = around->element;
        } else if (around) {
            block.level = around->level;
            // Only the first block of a list item has the marker.
            block.marker = std::exchange(around->marker, NO_MARKER);
        }
        block.pieces = pieces_;
        add_block(std::move(block));
    }

    bool has_letter(std::string_view text) const {
        const char *at = text.data(), *const end = at + text.size();
        while (at < end)
            if (characters_.traits_of(next_character(at, end)) & ALPHANUMERIC) return true;
        return false;
    }

    // Add a block, with the most probable role of its lines, weighted by size.
    void add_block(Block &&block) {
        std::vector<std::pair<int32_t, double>> weights;
        int64_t total = 0;
        for (const auto &[line, size] : line_sizes_) {
            total += size;
            const OfLine &of_line = lines_[static_cast<size_t>(line)];
            if (of_line.role < 0) continue;
            auto weight = std::find_if(weights.begin(), weights.end(),
                                       [&](const auto &each) { return each.first == of_line.role; });
            if (weight == weights.end()) weight = weights.insert(weight, {of_line.role, 0.0});
            weight->second += of_line.probability * static_cast<double>(size);
        }
        for (const auto &[role, weight] : weights) {
            if (block.role >= 0 && weight <= block.probability) continue;
            block.role = role;
            block.probability = weight;
        }
        block.probability /= static_cast<double>(std::max<int64_t>(1, total));
        found_.blocks.push_back(std::move(block));
    }

    // Add a data table as a block; returns false if the table is used for layout.
    bool add_data_table(int32_t index) {
        const auto [first, last] = displayed_below(index);
        for (size_t i = first; i < last; i++)
            if (!lines_[static_cast<size_t>(body_.lines[i])].is_in_body && !is_in_caption(body_.pieces[i])) return false;
        std::vector<std::vector<int32_t>> rows;
        int32_t cell_end = 0;
        const bool is_data = descend(index, [&](int32_t below) {
            const Tag tag = element(below).tag;
            if (is_layout(tag)) return false;
            if (tag == Tag::tr_) rows.emplace_back();
            if (tag != Tag::td_ && tag != Tag::th_) return true;
            // In XHTML, cells may contain cells, and the text of the inner ones would be repeated.
            if (rows.empty() || below < cell_end || size(below) > MAX_CELL_TOKENS) return false;
            rows.back().push_back(below);
            cell_end = element(below).end;
            return true;
        });
        const bool has_columns = std::any_of(rows.begin(), rows.end(), [](const auto &row) { return row.size() > 1; });
        if (!is_data || rows.size() < 2 || !has_columns) return false;
        descend(index, [&](int32_t below) {
            if (is_image(element(below))) add_media(below);
            return true;
        });
        Block block{BlockType::table, {}, {}, {}};
        int32_t length = 0;
        for (const std::vector<int32_t> &row : rows) add_row(row, block, length);
        if (block.text.empty()) return false;
        for (size_t i = first; i < last; i++) {
            if (line_sizes_.empty() || line_sizes_.back().line != body_.lines[i]) line_sizes_.push_back({body_.lines[i], 0});
            line_sizes_.back().size = body_.sizes[i];
        }
        for (size_t i = first_text(index); i < end_of_texts(index); i++)
            if (!is_in_caption(static_cast<int64_t>(i))) block.pieces.push_back(static_cast<int32_t>(i));
        add_block(std::move(block));
        line_sizes_.clear();
        return true;
    }

    // Whether a text is in the caption of a table, which is not part of a row.
    bool is_in_caption(int64_t text) const {
        int32_t around = document_.texts[static_cast<size_t>(text)].parent;
        while (around >= 0 && element(around).tag != Tag::table_ && element(around).name != "caption")
            around = element(around).parent;
        return around >= 0 && element(around).name == "caption";
    }

    // Add a row to a table unless the row is empty; `length` is the table's length in characters.
    void add_row(const std::vector<int32_t> &row, Block &table, int32_t &length) const {
        const size_t size = table.text.size();
        const int32_t start = length;
        if (size) {
            table.text += '\n';
            length++;
        }
        bool has_text = false;
        for (const int32_t &cell : row) {
            if (&cell != row.data()) {
                table.text += '\t';
                length++;
            }
            InlineText text(characters_);
            join(cell, text, [&](const Text &own) {
                Marks marks;
                if (const int32_t link = link_around(own.parent); link >= 0) marks.add(link);
                std::string joined;
                append_with_breaks_as_spaces(joined, own.text);
                text.add(joined, marks);
            });
            has_text = has_text || text.length();
            text.finish(table.text, table.spans, length);
            length += text.length();
        }
        if (has_text) return;
        table.text.resize(size);
        length = start;
    }

    // The nearest link around an element, or -1.
    int32_t link_around(int32_t index) const {
        while (index >= 0 && !(element(index).tag == Tag::a_ && !document_.value(index, "href").empty()))
            index = element(index).parent;
        return index;
    }

    // Add a formula, or the place of an image or embed.
    void add_media(int32_t index) {
        Place place{Medium::image, index, 0};
        switch (element(index).tag) {
            case Tag::math_: return add_formula(index);
            case Tag::noscript_: place.medium = Medium::noscript; break;
            case Tag::iframe_: case Tag::video_: case Tag::audio_: case Tag::object_: case Tag::embed_:
                place.medium = Medium::embed;
                break;
            default:
                if (!is_image(element(index))) return;
        }
        place.muted = muted_;
        if (muted_ >= 0) place.link = link_;
        add_place(place);
    }

    void add_place(Place place) {
        place.block = static_cast<int32_t>(found_.blocks.size() + !pieces_.empty());
        if (place.medium == Medium::image || place.medium == Medium::noscript) {
            const auto around = std::find_if(open_.rbegin(), open_.rend(),
                                             [](const Open &each) { return each.caption >= 0; });
            if (around != open_.rend()) place.caption = caption_of(around->caption);
        }
        found_.places.push_back(place);
    }

    // The index of an element's text in the captions, or -1 if nested captions repeat too much text.
    int32_t caption_of(int32_t index) {
        if (captions_size_ > 2 * document_.characters) return -1;
        const auto [known, is_new] = captions_.try_emplace(index, static_cast<int32_t>(found_.captions.size()));
        if (is_new) {
            InlineText text(characters_, true);
            std::vector<Span> spans;
            join(index, text, [&](const Text &own) { text.add(own.text, {}); });
            text.finish(found_.captions.emplace_back(), spans);
            captions_size_ += found_.captions.back().size();
        }
        return known->second;
    }

    Blocks &found_;
    const Document &document_;
    const Characters &characters_;
    const Body &body_;
    std::vector<uint8_t> flags_;
    std::vector<OfLine> lines_;
    std::vector<uint32_t> displayed_;   // number of displayed texts before each text
    std::vector<int64_t> sizes_;        // number of tokens before each displayed text
    std::vector<int8_t> unseen_;        // whether each displayed text is invisible; -1 if unknown
    std::optional<std::vector<int32_t>> visuals_;   // elements hidden from screen readers
    // State of the traversal of the elements.
    int32_t container_ = 0;
    std::vector<Open> open_;
    int32_t link_ = -1, muted_ = -1;
    int bold_ = 0, italic_ = 0;
    std::unordered_map<int32_t, int64_t> item_numbers_;   // number of the last item, by ordered list
    std::unordered_map<int32_t, int32_t> captions_;       // index of each caption found, by element
    size_t captions_size_ = 0;                            // size of all captions, in bytes
    // The current block.
    std::string text_;
    std::vector<Part> parts_;
    std::vector<int32_t> pieces_;
    std::vector<LineSize> line_sizes_;  // characters of each line (in a table, tokens of its last text)
    int breaks_ = 0;                    // consecutive ``br`` elements at the end of the block
};

}  // namespace

Blocks::Blocks(const Document &document, const Characters &characters, const Body &body) {
    Building(*this, document, characters, body).run();
}

}  // namespace detourage
