// Search for the element with the most sentences; see `detourage.reader.sentences`.
#pragma once
#include "surroundings.hpp"

namespace detourage {

// The displayed texts of a page: their places in the document, lengths and numbers of sentences. Of
// the length, characters of scripts without spaces count double.
struct SentenceTexts {
    Numbers pieces, lengths, sentences;
};

// The element with the most sentences, -1 if there is none, and those of its children that are
// not part of the text.
struct Packet {
    int32_t element = -1;
    bool is_cleaned = true;             // whether the given elements were left out
    std::vector<int64_t> muted;

    // Throws std::invalid_argument if the texts or the elements left out do not fit the document.
    Packet(const Document &document, const SentenceTexts &texts, Numbers cleaned);
};

}  // namespace detourage
