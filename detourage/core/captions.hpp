// Captions, recognised by their names or by their places below images.
#pragma once
#include <cstdint>
#include <vector>

#include "surroundings.hpp"
#include "text.hpp"

namespace detourage {

// Signs of a caption.
enum : uint8_t { NAMED_CAPTION = 1, BELOW_IMAGE = 2 };

// Whether a name has a word that denotes a caption if an image is beside it.
bool denotes_caption(std::string_view name);

// The displayed elements of a page, each with the range of the displayed texts below it; and these
// texts, each with its place in the document, the number of its line and that of its tokens.
struct DisplayedPage {
    Numbers elements, starts, ends, texts, lines, sizes;
};

// The signs of each displayed element. Text below an image is its caption if a line break separates
// them within one block; a block of its own must have a name that denotes a caption, because a
// paragraph follows most images. Throws std::invalid_argument if the page does not fit the document.
std::vector<uint8_t> captions(const Document &document, const Characters &characters, const DisplayedPage &page);

}  // namespace detourage
