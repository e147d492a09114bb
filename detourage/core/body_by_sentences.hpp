// Search for the element with the most sentences; see `detourage.reader.body_by_sentences`.
#pragma once
#include "surroundings.hpp"

namespace detourage {

// The displayed texts of a page: their indices in the document, their lengths, in which characters of
// scripts without spaces count double, and their numbers of sentences.
struct SentenceTexts {
    Numbers pieces, lengths, sentences;
};

// The element with the most sentences, -1 if there is none, and those of its children that are
// not part of the text.
struct Packet {
    int32_t element = -1;
    bool is_cleaned = true;             // whether the elements to clean were left out
    std::vector<int64_t> muted;

    // Throws std::invalid_argument if the texts or the elements left out do not match the document.
    Packet(const Document &document, const SentenceTexts &texts, Numbers cleaned);
};

}  // namespace detourage
