// The blocks and links around the elements of a document, and the texts that it displays.
#pragma once
#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "document.hpp"

namespace detourage {

using Numbers = std::span<const int64_t>;

// The nearest block and link around each element, which may be the element itself; -1 for no link.
struct Surroundings {
    std::vector<int32_t> blocks, links;

    explicit Surroundings(const Document &document) {
        for (size_t i = 0; i < document.elements.size(); i++) {
            const Element &each = document.elements[i];
            const auto own = static_cast<int32_t>(i);
            const auto above = static_cast<size_t>(std::max(each.parent, 0));
            blocks.push_back(i && each.kind & WITHIN ? blocks[above] : own);
            const bool is_link = each.tag == Tag::a_ && !document.value(own, "href").empty();
            links.push_back(is_link ? own : i ? links[above] : -1);
        }
    }
};

// The parents of displayed texts, which are given by their indices in the document. Throws
// std::invalid_argument if an index is invalid, if a column of the texts has another length, or if it has
// a number that is out of range, because sums of such numbers may overflow.
inline std::vector<int32_t> parents_of(const Document &document, Numbers pieces, std::initializer_list<Numbers> columns) {
    std::vector<int32_t> parents;
    for (const Numbers &column : columns) {
        if (column.size() != pieces.size()) throw std::invalid_argument("the columns of the texts differ in length");
        if (std::any_of(column.begin(), column.end(), [](int64_t each) { return each < 0 || each > INT32_MAX; }))
            throw std::invalid_argument("the columns of the texts are inconsistent");
    }
    for (const int64_t piece : pieces) {
        if (piece < 0 || static_cast<size_t>(piece) >= document.texts.size())
            throw std::invalid_argument("the texts do not match the document");
        parents.push_back(document.texts[static_cast<size_t>(piece)].parent);
    }
    return parents;
}

}  // namespace detourage
