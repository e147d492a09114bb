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

// What lower-case words in classes, IDs and other names say about an element, as the bits of
// `detourage.comments.names`.
using NameWords = std::unordered_map<std::string, uint32_t>;
enum NameBit : uint32_t { AUTHOR_NAME = 1, PERSON_NAME = 2, NO_AUTHOR_NAME = 4 };

// The short texts at the same place in the comments; see `detourage.comments.layout.Column`.
struct AlignedTexts {
    bool are_nodes = false;             // of elements that also contain other texts
    std::vector<int64_t> comments, elements, texts;     // the texts are indices of `short_texts`
    std::vector<double> hints;
    std::vector<int64_t> links;         // in the document, -1 for none
};

// Columns of `detourage.comments.layout.Layout` for all comments, one after the other. Indices of
// elements and texts start from 0 in each comment.
struct Layout {
    // The first element and the first text of each comment, followed by the ends of the last comment
    std::vector<int64_t> first_elements, first_texts;
    std::vector<int64_t> elements, parents, ends, paths, text_starts, text_ends, lengths;
    std::vector<int64_t> texts, text_parents, lines, word_counts;
    std::vector<int64_t> names;         // bits of the words in the names of each element
    std::vector<std::string> short_texts;
    std::vector<AlignedTexts> aligned;

    // Throws std::invalid_argument if the rows or texts do not match the document.
    Layout(const Document &document, const Characters &characters, const ShownTexts &shown, const Rows &rows,
           const NameWords &words);

  private:
    void align(const Document &document, const Characters &characters, const ShownTexts &shown);
};

}  // namespace detourage
