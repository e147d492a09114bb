// Words in the attributes of a page.
#pragma once
#include <string_view>
#include <vector>

#include "document.hpp"

namespace detourage {

// For each part, whether the beginning of any attribute's value contains it, ignoring case. Parts are in
// lower case and have two bytes or more.
std::vector<uint8_t> parts_in_values(const Document &document, const std::vector<std::string_view> &parts);

}  // namespace detourage
