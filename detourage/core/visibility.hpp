// Elements that a page's attributes or styles hide, permanently or until a reader opens them.
#pragma once
#include <cstdint>
#include <vector>

#include "document.hpp"
#include "text.hpp"

namespace detourage {

using Mask = std::vector<uint8_t>;  // whether each element is marked

// The elements hidden by ``hidden``, an inline style or a hidden class, with their descendants. A class
// is hidden by a rule for that class alone: ``.x {display: none}``. Rules in a block, such as ``@media``, and
// styles for certain media are ignored because they do not always apply.
Mask hidden(const Document &document, const Characters &characters);

// Whether an inline style hides its element.
bool hides(std::string_view style, const Characters &characters);

// The elements that readers can expand, and the controls that do so, according to tags and attributes.
Mask collapsible(const Document &document, const Characters &characters);

}  // namespace detourage
