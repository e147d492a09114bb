// Candidates for a page's comments: groups of similar elements.
#pragma once
#include <array>
#include <span>

#include "document.hpp"
#include "text.hpp"

namespace detourage {

// A selection of a document's elements and texts, with the columns of a `FlatDocument`.
struct Selection {
    using Numbers = std::span<const int64_t>;
    Numbers elements, tags, names;      // equal tags, and equal classes and IDs, have equal numbers
    Numbers parents, ends, text_starts, text_ends;
    Numbers texts;                      // indices in the document

    // Throws std::invalid_argument if the columns do not match the document.
    void check(const Document &document) const;
};

// The features of candidates; see `detourage.comments.candidates`.
enum Feature {
    READERS, DATED, WITH_ONE_DATE, WITH_WORDS, LARGEST, DIFFERENT, DIFFERENT_STARTS, CLIMBED, NAMED,
    FEATURES
};

// Similar elements, each of which is or contains exactly one element with the signature.
struct Candidate {
    std::string tag, name, path;        // the signature
    int levels;                         // levels from the element with the signature up to the record
    std::vector<int64_t> records;       // indices in the selection
    std::array<double, FEATURES> features;
};

// The candidates of a page, given the number of words, and of words by readers, in each text.
std::vector<Candidate> find_candidates(const Document &document, const Characters &characters,
                                       const Selection &page, Selection::Numbers words,
                                       std::span<const double> by_readers);

// The given elements that have a signature's name and path; all given elements must have the signature's tag.
std::vector<int64_t> matching(const Document &document, const Characters &characters,
                              Selection::Numbers elements, std::string_view name, std::string_view path);

// Whether a text of a page in UTF-8, such as a script, may contain comments as JSON: the name of a type
// of comments, or a key such as "comments" whose value names an author.
bool may_hold_comments(std::string_view text);

}  // namespace detourage
