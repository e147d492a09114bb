// Division of a body into blocks of text, and the places of its images and embeds.
#pragma once
#include <span>

#include "document.hpp"
#include "text.hpp"

namespace detourage {

// Limits on the tokens in a cell of a data table (tables with longer cells are layout), and on the
// elements of a figure that are searched for a caption.
enum : int { MAX_CELL_TOKENS = 40, MAX_FIGURE_ELEMENTS = 200 };

// Types of blocks, as in `detourage.article.BlockType`.
enum class BlockType : uint8_t { none, heading, paragraph, list_item, quote, caption, code, table };

// A uniformly formatted range of a text, in characters; the mark is the element of a link, or `BOLD`
// or `ITALIC`.
enum : int32_t { BOLD = -1, ITALIC = -2 };
struct Span {
    int32_t start, end, mark;
};

enum : int64_t { NO_MARKER = -2, BULLET = -1 };
struct Block {
    BlockType type;
    std::string text;
    std::vector<Span> spans;
    std::vector<int32_t> pieces;        // text nodes
    int level = 0;                      // of a heading or list item; 0 for other blocks
    int64_t marker = NO_MARKER;         // number of the list item, or one of the above
    int32_t element = -1;               // element of code, or -1
    int32_t role = -1;                  // most probable role, or -1
    double probability = 0;
};

enum class Medium : uint8_t { image, embed, noscript, post };
struct Place {
    Medium medium;
    int32_t element;
    int32_t block;                      // number of blocks before it
    int32_t caption = -1;               // index in `Blocks::captions`, or -1
    int32_t muted = -1;                 // muted element around it, or -1
    int32_t link = -1;                  // link around it, if in a muted element, or -1
};

// A body, as in `detourage.reader.found_body.FoundBody`, by indices of elements and texts of the document.
struct Body {
    using Numbers = std::span<const int64_t>;
    Numbers pieces, lines, sizes;       // displayed texts, each with its line and number of tokens
    int64_t container = 0;
    Numbers dropped, muted;             // elements
    Numbers captions;                   // elements that are captions because of their name or place
    bool has_all_lines = true;
    Numbers body_lines;                 // lines of the body; ignored if it has all lines
    Numbers role_lines, roles;          // lines with a role, and their roles
    std::span<const double> probabilities;
};

struct Blocks {
    std::vector<Block> blocks;
    std::vector<Place> places;
    std::vector<std::string> captions;

    // Throws std::invalid_argument if the body does not match the document.
    Blocks(const Document &document, const Characters &characters, const Body &body);
};

}  // namespace detourage
