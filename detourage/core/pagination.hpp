// Links of a page that may lead to the other parts of an article.
#pragma once
#include "codes.hpp"

namespace detourage {

// The number that is the whole text of a text node, and the link with only this text, or -1.
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
    // Runs of ascending numbers, at least one of them a link, with only short texts between them
    std::vector<std::vector<Number>> runs;
    // Links whose label consists of numbers and `label_words`, or whose class or ID may denote a direction.
    // For a link without text, the class and the ID of a small parent count as well.
    std::vector<LabelledLink> labelled;

    // Throws std::invalid_argument if the texts do not match the document.
    PartLinks(const Document &document, const Characters &characters, const ShownTexts &shown,
              const WordSet &label_words);
};

}  // namespace detourage
