// Texts of a document as code points.
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "document.hpp"
#include "text.hpp"

namespace detourage {

// An index that is known not to be negative.
inline size_t at(int64_t number) { return static_cast<size_t>(number); }

// The texts of a document that are not whitespace, and their ranges below each element.
struct ShownTexts {
    using Numbers = std::span<const int64_t>;
    Numbers texts, starts, ends;

    // Throws std::invalid_argument if the texts do not match the document.
    void check(const Document &document) const {
        bool fits = starts.size() == document.elements.size() && ends.size() == document.elements.size();
        for (size_t i = 0; fits && i < starts.size(); i++)
            fits = starts[i] >= 0 && starts[i] <= ends[i] && at(ends[i]) <= texts.size();
        for (const int64_t each : texts) fits = fits && each >= 0 && at(each) < document.texts.size();
        if (!fits) throw std::invalid_argument("the texts do not match the document");
    }
};

inline std::u32string decoded(std::string_view text) {
    std::u32string codes;
    codes.reserve(text.size());
    for (const char *next = text.data(), *end = next + text.size(); next < end;)
        codes.push_back(next_character(next, end));
    return codes;
}

// A text as code points with their traits; positions outside of it have none.
class Codes {
  public:
    Codes(std::string_view text, const Characters &characters) : codes_(decoded(text)), characters_(characters) {}

    size_t size() const { return codes_.size(); }
    char32_t operator[](size_t i) const { return i < codes_.size() ? codes_[i] : 0; }
    bool has(size_t i, uint32_t traits) const { return i < size() && (characters_.traits_of(codes_[i]) & traits); }
    bool is_digit(size_t i) const { return has(i, DECIMAL); }
    bool is_word(size_t i) const { return has(i, ALPHANUMERIC) || (*this)[i] == '_'; }

  private:
    std::u32string codes_;
    const Characters &characters_;
};

// Append a character to a text in UTF-8.
inline void append(std::string &text, char32_t code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else {
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        constexpr unsigned char FIRST[] = {0, 0xC0, 0xE0, 0xF0};
        text += static_cast<char>(FIRST[more] | code >> (6 * more));
        for (int i = more - 1; i >= 0; i--) text += static_cast<char>(0x80 | (code >> (6 * i) & 63));
    }
}

// A text without whitespace around it.
inline std::string_view stripped(std::string_view text, const Characters &characters) {
    const char *start = text.data(), *end = start + text.size();
    while (start < end) {
        const char *next = start;
        if (!(characters.traits_of(next_character(next, end)) & SPACE)) break;
        start = next;
    }
    while (start < end) {
        const char *last = end - 1;
        while (last > start && (static_cast<unsigned char>(*last) & 0xC0) == 0x80) last--;
        const char *next = last;
        if (!(characters.traits_of(next_character(next, end)) & SPACE)) break;
        end = last;
    }
    return {start, static_cast<size_t>(end - start)};
}

}  // namespace detourage
