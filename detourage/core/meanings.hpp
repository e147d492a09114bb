// What elements contain, such as a date, judging by their tag, class, ID, ``rel`` and ``itemprop``.
#pragma once
#include <vector>

#include "surroundings.hpp"

namespace detourage {

// Bits for the meanings of names, as in `detourage.metadata.surroundings.Meaning`.
enum Meaning : uint8_t { AUTHOR = 1, DATE = 2, UPDATE = 4, COMMENT = 8, PICTURE = 16, BYLINE = 32 };

// The bits of each given element, including those of its nearest ancestors but not of elements with many
// words. `displayed` are the elements that may display text, and `sizes` their numbers of words. Throws
// std::invalid_argument if an element is not in the document or the sizes do not match.
std::vector<uint8_t> meanings(const Document &document, Numbers elements, Numbers displayed, Numbers sizes);

}  // namespace detourage
