// Links of a page that may lead to the other parts of an article.
#pragma once
#include <unordered_set>

#include "codes.hpp"

namespace detourage {

// Lower-case words with which the label of such a link may begin.
using FirstWords = std::unordered_set<std::string>;

// A text that consists of a number, and the link of which it is the only text, or -1.
struct Number {
    int32_t number, link;
};

// A link with a label, which is empty if its texts are long or many.
struct LabelledLink {
    int32_t element;
    bool has_text;
    std::string label;
};

struct PartLinks {
    // Ascending numbers with only short texts between them, of which at least one is a link
    std::vector<std::vector<Number>> runs;
    // Links whose label begins with one of the words or without letters, or whose names may denote a
    // direction; of links without text, those of a small parent count, too
    std::vector<LabelledLink> labelled;

    // Throws std::invalid_argument if the texts do not fit the document.
    PartLinks(const Document &document, const Characters &characters, const ShownTexts &shown, const FirstWords &words);
};

}  // namespace detourage
