// Phrases of several concepts, such as "login", found in texts in linear time.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace detourage {

class Lexicon {
  public:
    // Each phrase follows the number of its concept and a space, as in "3 no such pag*". An asterisk
    // at the end of a word matches any suffix.
    Lexicon(const std::vector<std::string_view> &phrases, const Characters &characters);

    // Append a mask for each of the first `max_words` tokens of a text in lower case: the bits of the
    // concepts of the phrases that contain the token. Return the number of tokens.
    size_t read(std::string_view text, const Characters &characters, size_t max_words,
                std::vector<uint32_t> &masks) const;

  private:
    struct Word {
        std::string text;
        bool is_stem;
        bool matches(std::string_view word) const { return is_stem ? word.starts_with(text) : word == text; }
    };
    struct Phrase {
        uint32_t bit;
        Word first;
        std::vector<Word> others;
    };
    // Phrases with the same first word or stem, which are consecutive. `shorter` is the group with the
    // longest first word that is a prefix of this group's first word; -1 if there is none.
    struct Group {
        std::string_view first;
        std::span<const Phrase> phrases;
        ptrdiff_t shorter;
    };

    std::vector<Phrase> phrases_;       // sorted by first word
    std::vector<Group> groups_;         // sorted by first word
    std::vector<uint64_t> beginnings_;  // first bytes of the first words, as numbers that are fast to compare
};

}  // namespace detourage
