// Characters of UTF-8 text: traits, lower case and hashes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "../text/traits.h"

namespace detourage {

// Traits and lower case of the characters below `size`; see `detourage.text.token_counts`.
struct Characters {
    const uint32_t *traits = nullptr;
    const uint32_t *lower = nullptr;
    uint32_t size = 0;

    uint32_t traits_of(uint32_t code) const {
        if (code < size) return traits[code];
        return code >= 0x20000 && code <= 0x3FFFF ? uint32_t{UNSPACED | ALPHANUMERIC} : 0;
    }
    uint32_t lower_of(uint32_t code) const { return code < size ? lower[code] : code; }
};

// Decode the character at `at`, and advance. Malformed UTF-8 yields arbitrary characters.
inline uint32_t next_character(const char *&at, const char *end) {
    const auto byte = [&](ptrdiff_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(at[i])); };
    const uint32_t first = byte(0);
    const ptrdiff_t left = end - at;
    if (first < 0x80) return at++, first;
    uint32_t code = first;
    ptrdiff_t length = 1;
    if (first >= 0xF0 && left >= 4) {
        code = (first & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63);
        length = 4;
    } else if (first >= 0xE0 && left >= 3) {
        code = (first & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63);
        length = 3;
    } else if (first >= 0xC0 && left >= 2) {
        code = (first & 31) << 6 | (byte(1) & 63);
        length = 2;
    }
    at += length;
    return code;
}

// Words in lower case.
using WordSet = std::unordered_set<std::string>;

// The words of a text (runs of letters, digits and underscores) that are in a set.
inline std::vector<std::string> words_in(std::string_view text, const WordSet &words, const Characters &characters) {
    std::vector<std::string> found;
    std::string word;
    for (const char *next = text.data(), *end = next + text.size(); next < end;) {
        const char *const start = next;
        const uint32_t code = next_character(next, end);
        const bool is_in_word = code == '_' || (code < characters.size && characters.traits[code] & ALPHANUMERIC);
        if (is_in_word) word.append(start, next);
        if (word.empty() || (is_in_word && next < end)) continue;
        if (words.contains(word)) found.push_back(word);
        word.clear();
    }
    return found;
}

// 64-bit FNV-1a hash, fed character by character.
struct Hash {
    uint64_t value = 14695981039346656037u;
    void add(uint32_t unit) { value = (value ^ unit) * 1099511628211u; }
    void add(std::string_view text) {
        for (const char c : text) add(static_cast<unsigned char>(c));
    }
    // A number from 1 to 65,535; 0 means none.
    uint16_t bucket() const {
        const uint64_t mixed = (value ^ value >> 32) * 0x9E3779B97F4A7C15u;
        return static_cast<uint16_t>((mixed >> 40) % 65535 + 1);
    }
};

inline uint64_t combined(uint64_t above, uint64_t own) {
    const uint64_t mixed = (above ^ (own + 0x9E3779B97F4A7C15u + (above << 6) + (above >> 2)));
    return (mixed ^ mixed >> 31) * 0xFF51AFD7ED558CCDu;
}

}  // namespace detourage
