#include "attributes.hpp"

#include <algorithm>
#include <bitset>

namespace detourage {
namespace {

constexpr size_t MAX_VALUE = 300;       // length of the searched beginning of a value, in characters

unsigned char lower(char c) { return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c); }

// The beginning of a value, the only part that is searched.
std::string_view beginning(std::string_view value) {
    if (value.size() <= MAX_VALUE) return value;
    size_t end = 0;
    for (size_t count = 0; end < value.size(); end++)
        if ((value[end] & 0xC0) != 0x80 && count++ == MAX_VALUE) break;
    return value.substr(0, end);
}

}  // namespace

std::vector<uint8_t> parts_in_values(const Document &document, const std::vector<std::string_view> &parts) {
    std::vector<uint8_t> found(parts.size());
    std::bitset<65536> starts;          // the first two bytes of the parts
    for (const std::string_view part : parts)
        if (part.size() >= 2) starts.set(static_cast<size_t>(lower(part[0]) << 8 | lower(part[1])));
    for (const Attribute &attribute : document.attributes) {
        const std::string_view value = beginning(attribute.value);
        size_t pair = 0;                // the last two bytes
        for (size_t i = 0; i < value.size(); i++) {
            pair = (pair << 8 | lower(value[i])) & 0xFFFF;
            if (!starts[pair] || i == 0) continue;
            const std::string_view rest = value.substr(i - 1);
            for (size_t k = 0; k < parts.size(); k++)
                if (!found[k] && rest.size() >= parts[k].size()
                    && std::equal(parts[k].begin(), parts[k].end(), rest.begin(),
                                  [](char part, char other) { return static_cast<unsigned char>(part) == lower(other); }))
                    found[k] = 1;
        }
    }
    return found;
}

}  // namespace detourage
