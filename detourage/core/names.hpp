// Words in the classes and IDs of elements.
#pragma once
#include <string>
#include <string_view>

namespace detourage {

inline bool is_small(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
// Whitespace in ASCII, as Python defines it.
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

inline std::string_view stripped(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

inline std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char &c : lower) c = is_capital(c) ? static_cast<char>(c + 32) : c;
    return lower;
}

// The end of the word that starts at a letter. A word begins at a capital after a lower-case letter, and
// at the last of several capitals if a lower-case letter follows it.
inline size_t end_of_word(std::string_view name, size_t at) {
    const size_t start = at;
    while (at < name.size() && is_capital(name[at])) at++;
    if (at == name.size() || !is_small(name[at])) return at;
    if (at - start > 1) return at - 1;
    while (at < name.size() && is_small(name[at])) at++;
    return at;
}

// Call a function with each word of a class or an ID, as in `detourage.html.class_name_splitting.split_words`.
template <typename Use> void for_words_of_name(std::string_view name, const Use &use) {
    for (size_t at = 0, end; at < name.size(); at = end) {
        end = at + 1;
        if (!is_small(name[at]) && !is_capital(name[at])) continue;
        end = end_of_word(name, at);
        use(name.substr(at, end - at));
    }
}

}  // namespace detourage
