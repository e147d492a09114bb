// The elements and texts of a page's comments, comment by comment.
#pragma once
#include "codes.hpp"

namespace detourage {

// Rows of comments: elements of the document, each with the number of its comment, and its position
// relative to the comment's element. Comments are in document order and possibly nested.
struct Rows {
    using Numbers = std::span<const int64_t>;
    Numbers elements, comments, positions;
    int64_t count = 0;                  // number of comments
};

// Columns of `detourage.comments.layout.Layout` for all comments, one after the other. Indices of
// elements and texts start from 0 in each comment.
struct Layout {
    // The first element and the first text of each comment, followed by the ends of the last comment
    std::vector<int64_t> first_elements, first_texts;
    std::vector<int64_t> elements, parents, ends, paths, text_starts, text_ends, lengths;
    std::vector<int64_t> texts, text_parents, lines, word_counts;

    // Throws std::invalid_argument if the rows or texts do not match the document.
    Layout(const Document &document, const Characters &characters, const ShownTexts &shown, const Rows &rows);
};

}  // namespace detourage
