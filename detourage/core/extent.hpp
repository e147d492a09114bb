// The elements around the lines of a body, and the elements that are left out of it.
#pragma once
#include "surroundings.hpp"

namespace detourage {

// The displayed elements of a document with their parents, ends and ranges of texts, and the texts with
// their lines and numbers of tokens. All numbers but `elements` refer to the selection itself.
struct DisplayedElements {
    Numbers elements, parents, ends, text_starts, text_ends, lines, sizes;
};

// The lines of a body, one or more, with the elements that contain them and their numbers of words.
struct BodyLines {
    Numbers lines, blocks, words;
};

// The smallest element with all words of a body, the smallest with most of them (its core), and the
// outermost elements without lines of the body: those to drop and those to mute, which contribute only
// images and embeds.
struct Extent {
    int64_t container = 0, core = 0;
    std::vector<int64_t> dropped, muted;

    // `core_share` is the minimum share of the body's words in its core, in which elements of at most
    // `max_caption_tokens` are muted. Throws std::invalid_argument if anything does not fit.
    Extent(const Document &document, const DisplayedElements &displayed, const BodyLines &body, double core_share,
           int64_t max_caption_tokens);
};

}  // namespace detourage
