// The elements and texts of a page's comments, comment by comment.
#pragma once
#include <unordered_map>

#include "codes.hpp"

namespace detourage {

// Rows of comments: elements of the document, each with the number of its comment, and its position
// relative to the comment's element. Comments are in document order and possibly nested.
struct Rows {
    using Numbers = std::span<const int64_t>;
    Numbers elements, comments, positions;
    int64_t count = 0;                  // number of comments
};

// The bits of lower-case words in classes, IDs and other names, as in `detourage.comments.part_words`.
using NameWords = std::unordered_map<std::string, uint32_t>;
enum NameBit : uint32_t { AUTHOR_NAME = 1, PERSON_NAME = 2, NO_AUTHOR_NAME = 4 };

// The short texts at the same place in the comments; see `detourage.comments.layout.Column`.
struct AlignedTexts {
    bool are_nodes = false;             // text nodes of elements that also contain other texts
    std::vector<int64_t> comments, elements, texts;     // `texts` are indices of `Layout::short_texts`
    std::vector<double> hints;
    std::vector<int64_t> links;         // indices in the document; -1 for none
};

// Columns of `detourage.comments.layout.Layout` for all comments, one after the other. Indices of
// elements and texts start from 0 in each comment.
struct Layout {
    // The first element and the first text of each comment, followed by the ends of the last comment
    std::vector<int64_t> first_elements, first_texts;
    std::vector<int64_t> elements, parents, ends, paths, text_starts, text_ends, lengths;
    std::vector<int64_t> texts, text_parents, lines, word_counts;
    std::vector<int64_t> names;         // bits of the words in each element's names
    std::vector<std::string> short_texts;
    std::vector<AlignedTexts> aligned;

    // Throws std::invalid_argument if the rows or texts do not match the document.
    Layout(const Document &document, const Characters &characters, const ShownTexts &shown, const Rows &rows,
           const NameWords &words);

  private:
    void align(const Document &document, const Characters &characters, const ShownTexts &shown);
};

}  // namespace detourage
