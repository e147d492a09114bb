// Words in the attributes of a page.
#pragma once
#include <string_view>
#include <vector>

#include "document.hpp"

namespace detourage {

// For each part, in lower case, whether the beginning of an attribute's value contains it, in any case.
std::vector<uint8_t> parts_in_values(const Document &document, const std::vector<std::string_view> &parts);

}  // namespace detourage
