// Recognition of pages that list other pages, from the words of their lines.
#pragma once
#include "surroundings.hpp"

namespace detourage {

// The displayed texts of a page: each has its index in the document, its line number, its number of
// tokens, and the number of those that are single characters of scripts without spaces.
struct DisplayedTexts {
    Numbers pieces, lines, sizes, unspaced;
};

// The linked headlines of a page, and the number of all its words.
//
// The page is a list if it has enough teasers, which are texts below headlines with the same tag path,
// or if it consists of headlines, provided that its prose (the text outside lists) is short.
struct Headlines {
    std::vector<std::string_view> addresses;
    double page_words = 0;
    bool are_list = false;

    // Throws std::invalid_argument if the texts do not match the document.
    Headlines(const Document &document, const DisplayedTexts &texts);
};

}  // namespace detourage
