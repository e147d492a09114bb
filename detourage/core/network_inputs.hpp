// Inputs of the network for each line: numbers, hashed names and groups of lines.
#pragma once
#include <string>
#include <vector>

#include "lines.hpp"

namespace detourage {

// Numbers per line from other pages of the template; see `TemplateKnowledge.compare`.
enum : int { KNOWN = 5 };
enum : int { LEVELS = 7, PLACES = LEVELS + 2, NAMES = 12, LINK_WORDS = 6, PAGE_WORDS = 32 };

// Columns of a page's lines, row by row.
struct Columns {
    int width = 0;
    std::vector<float> numbers;          // lines × width, each as sign(x) log(1 + |x|)
    std::vector<float> known;            // lines × KNOWN, or empty
    std::vector<uint16_t> link_words;    // lines × LINK_WORDS
    std::vector<uint16_t> places;        // lines × PLACES: rows of `names`, 0 for none
    std::vector<uint16_t> names;         // distinct kinds of elements × NAMES; the first is empty
    std::vector<uint16_t> page_words;    // PAGE_WORDS words of the page's address and data, 0 for none
    std::vector<int32_t> paths, parents, grandparents;   // groups of lines, numbered from 0

    Columns(const Document &document, const Lines &lines, const Characters &characters,
            std::string_view url);
};

}  // namespace detourage
