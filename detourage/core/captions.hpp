// Captions, recognised by their names or by their places below images.
#pragma once
#include <cstdint>
#include <vector>

#include "surroundings.hpp"
#include "text.hpp"

namespace detourage {

// Signs of a caption.
enum : uint8_t { NAMED_CAPTION = 1, BELOW_IMAGE = 2 };

// Whether a name has a word that, next to an image, denotes a caption.
bool denotes_caption(std::string_view name);

// The displayed elements of a page, each with the range of the displayed texts below it; and these
// texts, each with its index in the document, its line number and its number of tokens.
struct DisplayedPage {
    Numbers elements, starts, ends, texts, lines, sizes;
};

// The evidence that each displayed element is a caption, as bits. Text below an image is its caption if
// only a line break separates them in the same block. A separate block must have a name that denotes a
// caption, because most images precede a paragraph. Throws std::invalid_argument if the page does not
// match the document.
std::vector<uint8_t> captions(const Document &document, const Characters &characters, const DisplayedPage &page);

}  // namespace detourage
