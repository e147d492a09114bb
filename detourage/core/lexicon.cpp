#include "lexicon.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace detourage {
namespace {

constexpr size_t MAX_STEM = 16;         // characters to which stems are truncated

// Split a text in lower case into tokens, as in `detourage.text.words.tokens`.
std::vector<std::string_view> tokens_of(std::string_view text, const Characters &characters, size_t most) {
    std::vector<std::string_view> tokens;
    bool is_in_token = false;
    for (const char *next = text.data(), *end = next + text.size(); next < end;) {
        const char *const start = next;
        const uint32_t traits = characters.traits_of(next_character(next, end));
        if (is_in_token && traits & (WORD | SIGN) && !(traits & UNSPACED)) {
            tokens.back() = {tokens.back().data(), static_cast<size_t>(next - tokens.back().data())};
            continue;
        }
        is_in_token = traits & WORD;
        if (!(traits & (WORD | UNSPACED))) continue;
        if (tokens.size() == most) break;
        tokens.emplace_back(start, static_cast<size_t>(next - start));
    }
    return tokens;
}

// The first bytes of a word as a number; numbers are in the same order as the words, or equal.
uint64_t beginning_of(std::string_view word) {
    uint64_t beginning = 0;
    for (size_t i = 0; i < sizeof beginning; i++)
        beginning = beginning << 8 | (i < word.size() ? static_cast<unsigned char>(word[i]) : 0u);
    return beginning;
}

std::string_view truncated(std::string_view word) {
    const char *end = word.data();
    for (size_t i = 0; i < MAX_STEM && end < word.data() + word.size(); i++)
        next_character(end, word.data() + word.size());
    return word.substr(0, static_cast<size_t>(end - word.data()));
}

}  // namespace

Lexicon::Lexicon(const std::vector<std::string_view> &phrases, const Characters &characters) {
    for (const std::string_view phrase : phrases) {
        unsigned concept_number = 32;
        const char *const end = phrase.data() + phrase.size();
        const char *const after = std::from_chars(phrase.data(), end, concept_number).ptr;
        const std::string_view text(after, static_cast<size_t>(end - after));
        const auto tokens = tokens_of(text, characters, text.size());
        if (concept_number >= 32 || tokens.empty()) throw std::invalid_argument("not a phrase of a lexicon");
        std::vector<Word> words;
        for (const std::string_view token : tokens) {
            const size_t next = static_cast<size_t>(token.data() - text.data()) + token.size();
            const bool is_stem = next < text.size() && text[next] == '*';
            words.push_back({std::string(is_stem ? truncated(token) : token), is_stem});
        }
        Word first = std::move(words.front());
        words.erase(words.begin());
        phrases_.push_back({uint32_t{1} << concept_number, std::move(first), std::move(words)});
    }
    std::ranges::stable_sort(phrases_, {}, [](const Phrase &each) -> std::string_view { return each.first.text; });
    for (size_t start = 0, end; start < phrases_.size(); start = end) {
        const std::string_view first = phrases_[start].first.text;
        for (end = start + 1; end < phrases_.size() && phrases_[end].first.text == first;) end++;
        ptrdiff_t shorter = static_cast<ptrdiff_t>(groups_.size()) - 1;
        while (shorter >= 0 && !first.starts_with(groups_[static_cast<size_t>(shorter)].first))
            shorter = groups_[static_cast<size_t>(shorter)].shorter;
        groups_.push_back({first, std::span(phrases_).subspan(start, end - start), shorter});
        beginnings_.push_back(beginning_of(first));
    }
}

size_t Lexicon::read(std::string_view text, const Characters &characters, size_t max_words,
                     std::vector<uint32_t> &masks) const {
    const auto tokens = tokens_of(text, characters, max_words);
    const size_t start = masks.size();
    masks.resize(start + tokens.size());
    for (size_t i = 0; i < tokens.size(); i++) {
        // All groups whose first word is a prefix of the token are on the chain of `shorter` groups that
        // starts at the last group that does not sort after the token.
        ptrdiff_t group = std::ranges::upper_bound(beginnings_, beginning_of(tokens[i])) - beginnings_.begin() - 1;
        while (group >= 0 && groups_[static_cast<size_t>(group)].first > tokens[i]) group--;
        while (group >= 0) {
            const Group &own = groups_[static_cast<size_t>(group)];
            group = own.shorter;
            if (!tokens[i].starts_with(own.first)) continue;
            for (const Phrase &phrase : own.phrases) {
                const size_t length = 1 + phrase.others.size();
                if (!phrase.first.matches(tokens[i]) || i + length > tokens.size()) continue;
                bool matches = true;
                for (size_t k = 1; matches && k < length; k++) matches = phrase.others[k - 1].matches(tokens[i + k]);
                for (size_t k = 0; matches && k < length; k++) masks[start + i + k] |= phrase.bit;
            }
        }
    }
    return tokens.size();
}

}  // namespace detourage
