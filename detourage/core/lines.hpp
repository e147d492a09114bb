// Lines of a page: runs of text between the borders of blocks.
#pragma once
#include "document.hpp"
#include "text.hpp"

namespace detourage {

enum : int { FIRST_WORDS = 24, LAST_WORDS = 8, WORDS = FIRST_WORDS + LAST_WORDS, SHAPES = 3 };

// Counts of the characters and words of a line.
struct Counts {
    int tokens = 0, sentences = 0, weak_sentences = 0, characters = 0, capitals = 0, decimals = 0;
    int commas = 0, quotes = 0, separators = 0, ats = 0, copyrights = 0;
    int words = 0, capitalised = 0, unspaced = 0;
    int linked = 0, bold = 0, timed = 0;        // tokens in links, emphasis, and ``time`` or similar elements
    int links = 0;
    uint32_t first = 0, last = 0;               // traits of the first and last character
    bool is_greek = false;
};

struct Line {
    uint32_t start, end;                        // offsets in `Lines::text`
    uint32_t first_text;                        // index in `Document::texts`
    int32_t block, inner;                       // nearest block, and parent of the first text
    int32_t link;                               // first link, or -1
    Counts counts;
    uint16_t words[WORDS];                      // hashed words: the first ones, then the last ones
    uint16_t shapes[SHAPES];
    uint64_t text_hash;
};

struct Lines {
    std::string text;                           // cleaned texts of all lines
    std::vector<Line> lines;                    // lines that have a word
    std::vector<uint32_t> tokens;               // hashes of all tokens, line by line
    std::vector<uint32_t> token_starts;         // first token of each line, and the number of all tokens

    Lines(const Document &document, const Characters &characters);

    std::string_view of(const Line &line) const {
        return std::string_view(text).substr(line.start, line.end - line.start);
    }
};

// Hashes of the words of a text, as in `Lines::tokens`.
std::vector<uint32_t> words_of(std::string_view text, const Characters &characters);

}  // namespace detourage
