#include "lines.hpp"

#include <algorithm>

namespace detourage {
namespace {

// A token while its characters are read.
struct Token {
    Hash hash;
    int characters = 0;
    bool is_number = true;

    void add(uint32_t code, uint32_t traits) {
        hash.add(code);
        characters++;
        is_number = is_number && (traits & DECIMAL);
    }
    uint32_t value() const {
        if (!is_number) return static_cast<uint32_t>(hash.value ^ hash.value >> 32);
        // All numbers of the same length have equal values, and so do all numbers with five digits or more.
        return static_cast<uint32_t>(std::min(characters, 5));
    }
};

// Add a character to a token, or end the token before it.
template <typename End>
void read_character(Token &token, uint32_t code, uint32_t lower, uint32_t traits, const End &end) {
    if (traits & UNSPACED) {
        end();
        token.add(code, traits);
        end();
    } else if (traits & (WORD | SIGN) && (token.characters || traits & WORD)) {
        token.add(lower, traits);
    } else {
        end();
    }
}

uint16_t bucket_of(uint32_t token, uint32_t place) {
    Hash hash;
    hash.add(token & 0xFFFF);
    hash.add(token >> 16);
    hash.add(place);
    return hash.bucket();
}

// Hash of a text's shape: its capitals and punctuation, and runs of other letters, digits and spaces.
struct Shape {
    Hash hash;
    uint32_t last = 0;
    int length = 0, limit;

    explicit Shape(uint32_t seed, int limit) : limit(limit) { hash.add(seed); }
    void add(uint32_t code, uint32_t traits, uint32_t lower) {
        if (length == limit) return;
        uint32_t kind = code;
        if (traits & UPPER) kind = 'X';
        else if (traits & DECIMAL) kind = '0';
        else if (traits & SPACE) kind = '_';
        else if (traits & (UNSPACED | SIGN)) kind = 'z';
        else if (traits & WORD) kind = lower == code && code < 0x600 ? 'x' : 'z';
        if (kind == last && (kind == 'x' || kind == '_' || kind == '0' || kind == 'z')) return;
        last = kind;
        length++;
        hash.add(kind);
    }
};

class Reading {
  public:
    Reading(const Document &document, const Characters &characters, Lines &lines)
        : document_(document), characters_(characters), lines_(lines) {
        const size_t count = document.elements.size();
        blocks_.resize(count);
        links_.resize(count);
        styles_.resize(count);
        for (size_t i = 0; i < count; i++) {
            const Element &each = document.elements[i];
            const auto own = static_cast<int32_t>(i);
            const auto above = static_cast<size_t>(each.parent < 0 ? 0 : each.parent);
            blocks_[i] = each.parent < 0 || !(each.kind & WITHIN) ? own : blocks_[above];
            links_[i] = i ? links_[above] : -1;
            if (each.tag == Tag::a_ && !document.value(own, "href").empty()) links_[i] = own;
            styles_[i] = i ? styles_[above] : uint8_t{0};
            using enum Tag;
            if (each.tag == b_ || each.tag == strong_ || each.tag == em_ || each.tag == i_) styles_[i] |= 1;
            if (each.tag == time_ || each.tag == address_ || each.tag == cite_ || each.tag == small_)
                styles_[i] |= 2;
        }
    }

    void run() {
        lines_.text.reserve(document_.characters + 4096);
        size_t from = 0;
        const auto &texts = document_.texts;
        for (size_t i = 0; i <= texts.size(); i++) {
            if (i < texts.size() && !(i > from && is_border(texts[i - 1], texts[i]))) continue;
            line(from, i);
            from = i;
        }
        lines_.token_starts.push_back(static_cast<uint32_t>(lines_.tokens.size()));
    }

  private:
    // Whether a block begins or ends between two texts.
    bool is_border(const Text &one, const Text &other) const {
        if (blocks_[index(one.parent)] != blocks_[index(other.parent)]) return true;
        // Elements that start between the texts, including those that contain neither.
        for (int32_t i = one.after + 1; i <= other.after; i++)
            if (!(document_.elements[index(i)].kind & WITHIN)) return true;
        return false;
    }
    static size_t index(int32_t i) { return static_cast<size_t>(i); }

    bool is_shown(const Text &text) const {
        const Element &parent = document_.elements[index(text.parent)];
        return !parent.is_silent_inside && !(parent.kind & SILENT);
    }

    void line(size_t from, size_t to) {
        std::string &out = lines_.text;
        Line line{};
        line.start = static_cast<uint32_t>(out.size());
        line.link = -1;
        Counts &counts = line.counts;
        const auto first_token = static_cast<uint32_t>(lines_.tokens.size());
        Token token;
        Shape start('s', 12), longer('S', 14);
        Hash whole;
        uint32_t last_character = 0;
        bool is_space = false, is_first_in_word = true, is_any = false, is_mark = false, is_sure = false;
        int unmarked = 0;               // latest letters of a script whose sentences end at a space
        int32_t link = -1;
        const auto end_token = [&](const Text &text) {
            if (!token.characters) return;
            add_token(token, text, counts);
            whole.add(token.value());
            token = {};
        };
        const auto end_sentence = [&] {
            if (is_mark) (is_sure ? counts.sentences : counts.weak_sentences)++;
            is_mark = is_sure = false;
        };
        for (size_t i = from; i < to; i++) {
            const Text &text = document_.texts[i];
            if (!is_shown(text)) continue;
            const int32_t own_link = links_[index(text.parent)];
            const std::string_view read = text.in_line();
            const char *at = read.data(), *end = at + read.size();
            while (at < end) {
                const char *begin = at;
                const uint32_t code = next_character(at, end);
                const uint32_t traits = characters_.traits_of(code);
                if (traits & INVISIBLE) continue;
                if (traits & (SPACE | ILLEGAL)) {
                    end_token(text);
                    end_sentence();
                    is_space = is_any;
                    is_first_in_word = true;
                    continue;
                }
                if (is_space) {
                    counts.sentences += unmarked >= MIN_UNMARKED;
                    unmarked = 0;
                    out += ' ';
                    start.add(' ', SPACE, ' ');
                    longer.add(' ', SPACE, ' ');
                    is_space = false;
                }
                if (!is_any) {
                    is_any = true;
                    counts.first = traits | (traits & WORD && characters_.lower_of(code) == code ? LOWER : 0u);
                    line.first_text = static_cast<uint32_t>(i);
                    line.inner = text.parent;
                    line.block = blocks_[index(text.parent)];
                }
                out.append(begin, at);
                last_character = code;
                const uint32_t lower = characters_.lower_of(code);
                start.add(code, traits, lower);
                longer.add(code, traits, lower);
                count(traits, is_first_in_word, counts);
                is_first_in_word = false;
                read_character(token, code, lower, traits, [&] { end_token(text); });
                unmarked = is_unmarked(code) ? unmarked + 1 : 0;
                sentences(traits, is_mark, is_sure, end_sentence, counts);
            }
            end_of_text(i, to, text, end_token);
            if (own_link != link && own_link >= 0 && has_word(text)) {
                counts.links++;
                if (line.link < 0) line.link = own_link;
                link = own_link;
            }
        }
        end_sentence();
        line.end = static_cast<uint32_t>(out.size());
        if (!counts.tokens) {
            out.resize(line.start);
            return;
        }
        if (counts.is_greek) counts.sentences += counts.weak_sentences;
        counts.last = characters_.traits_of(last_character);
        hash_words(first_token, line);
        line.shapes[0] = start.hash.bucket();
        line.shapes[1] = longer.hash.bucket();
        line.shapes[2] = end_shape(line);
        line.text_hash = whole.value;
        lines_.token_starts.push_back(first_token);
        lines_.lines.push_back(line);
    }

    enum : uint32_t { LOWER = 1u << 31 };

    // A word may continue in the next text of the line.
    template <typename End>
    void end_of_text(size_t i, size_t to, const Text &text, const End &end_token) const {
        for (size_t next = i + 1; next < to; next++)
            if (is_shown(document_.texts[next])) {
                const bool same = links_[index(text.parent)] == links_[index(document_.texts[next].parent)];
                if (!same) end_token(text);
                return;
            }
        end_token(text);
    }

    bool has_word(const Text &text) const {
        const char *at = text.text.data(), *end = at + text.text.size();
        while (at < end)
            if (characters_.traits_of(next_character(at, end)) & (WORD | UNSPACED)) return true;
        return false;
    }

    void add_token(const Token &token, const Text &text, Counts &counts) {
        lines_.tokens.push_back(token.value());
        counts.tokens++;
        const auto parent = index(text.parent);
        counts.linked += links_[parent] >= 0;
        counts.bold += styles_[parent] & 1;
        counts.timed += styles_[parent] >> 1 & 1;
    }

    static void count(uint32_t traits, bool is_first_in_word, Counts &counts) {
        counts.characters++;
        counts.capitals += (traits & UPPER) != 0;
        counts.decimals += (traits & DECIMAL) != 0;
        counts.commas += (traits & COMMA) != 0;
        counts.quotes += (traits & QUOTE) != 0;
        counts.separators += (traits & SEPARATOR) != 0;
        counts.ats += (traits & AT) != 0;
        counts.copyrights += (traits & COPYRIGHT) != 0;
        counts.unspaced += (traits & UNSPACED) != 0;
        counts.is_greek = counts.is_greek || (traits & GREEK);
        if (is_first_in_word) {
            counts.words++;
            counts.capitalised += (traits & UPPER) != 0;
        }
    }

    // A final mark ends a sentence before a space or a closing quotation mark; in scripts without spaces,
    // it ends a sentence anywhere.
    template <typename End>
    static void sentences(uint32_t traits, bool &is_mark, bool &is_sure, const End &end_sentence,
                          Counts &counts) {
        if (traits & UNSPACED_MARK) {
            counts.sentences++;
            is_mark = is_sure = false;
        } else if (traits & SENTENCE_MARK) {
            is_mark = true;
            is_sure = is_sure || !(traits & WEAK_MARK);
        } else if (traits & AFTER_SENTENCE) {
            end_sentence();
        } else {
            is_mark = is_sure = false;
        }
    }

    void hash_words(uint32_t first, Line &line) const {
        const auto count = static_cast<int>(lines_.tokens.size() - first);
        for (int i = 0; i < std::min<int>(count, FIRST_WORDS); i++)
            line.words[i] = bucket_of(lines_.tokens[first + static_cast<uint32_t>(i)], 0);
        if (count <= 4) return;
        for (int i = 0; i < std::min<int>(count, LAST_WORDS); i++) {
            const auto from = first + static_cast<uint32_t>(std::max(0, count - LAST_WORDS) + i);
            line.words[FIRST_WORDS + i] = bucket_of(lines_.tokens[from], 1);
        }
    }

    uint16_t end_shape(const Line &line) const {
        const std::string_view text = lines_.of(line);
        size_t from = text.size();
        for (int characters = 0; from > 0 && characters < 8; characters++) {
            from--;
            while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) from--;
        }
        Shape shape('e', 8);
        const char *at = text.data() + from, *end = text.data() + text.size();
        while (at < end) {
            const uint32_t code = next_character(at, end);
            shape.add(code, characters_.traits_of(code), characters_.lower_of(code));
        }
        return shape.hash.bucket();
    }

    const Document &document_;
    const Characters &characters_;
    Lines &lines_;
    std::vector<int32_t> blocks_, links_;
    std::vector<uint8_t> styles_;
};

}  // namespace

Lines::Lines(const Document &document, const Characters &characters) {
    Reading(document, characters, *this).run();
}

std::vector<uint32_t> words_of(std::string_view text, const Characters &characters) {
    std::vector<uint32_t> found;
    Token token;
    const auto end_token = [&] {
        if (token.characters) found.push_back(token.value());
        token = {};
    };
    const char *at = text.data(), *end = at + text.size();
    while (at < end) {
        const uint32_t code = next_character(at, end);
        const uint32_t traits = characters.traits_of(code);
        if (traits & INVISIBLE) continue;
        read_character(token, code, characters.lower_of(code), traits, end_token);
    }
    end_token();
    return found;
}

}  // namespace detourage
