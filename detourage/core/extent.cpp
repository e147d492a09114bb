#include "extent.hpp"

namespace detourage {
namespace {

void check(bool fits) {
    if (!fits) throw std::invalid_argument("the body does not fit the displayed elements");
}

class Measuring {
  public:
    Measuring(const Document &document, const DisplayedElements &displayed, const BodyLines &body)
        : document_(document), displayed_(displayed), words_before_(displayed.ends.size() + 1) {
        const size_t count = displayed.ends.size(), texts = displayed.lines.size();
        check(count && displayed.elements.size() == count && displayed.parents.size() == count);
        check(displayed.text_starts.size() == count && displayed.text_ends.size() == count);
        check(displayed.sizes.size() == texts && body.blocks.size() == body.lines.size() &&
              body.words.size() == body.lines.size());
        const auto is_within = [](int64_t number, int64_t least, size_t limit) {
            return number >= least && static_cast<uint64_t>(number) < limit;
        };
        for (size_t i = 0; i < count; i++) {
            const auto own = static_cast<int64_t>(i);
            check(is_within(displayed.elements[i], 0, document.elements.size()));
            check(displayed.parents[i] < own && (displayed.parents[i] >= 0 || !i));
            check(is_within(displayed.ends[i], own + 1, count + 1));
            check(displayed.text_starts[i] >= 0 && is_within(displayed.text_ends[i], displayed.text_starts[i], texts + 1));
        }
        for (size_t i = 0; i < body.blocks.size(); i++) {
            check(is_within(body.blocks[i], 0, count) && body.lines[i] >= 0);
            words_before_[static_cast<size_t>(body.blocks[i]) + 1] += static_cast<double>(body.words[i]);
        }
        for (size_t i = 0; i < count; i++) words_before_[i + 1] += words_before_[i];
        // A line begins at the start or end of an element.
        std::vector<bool> is_kept(2 * document.elements.size() + 1);
        for (const int64_t line : body.lines)
            if (static_cast<size_t>(line) < is_kept.size()) is_kept[static_cast<size_t>(line)] = true;
        for (size_t i = 0; i < texts; i++) {
            check(is_within(displayed.lines[i], 0, is_kept.size()) && is_within(displayed.sizes[i], 0, INT32_MAX));
            kept_before_.push_back(kept_before_.back() + is_kept[static_cast<size_t>(displayed.lines[i])]);
            tokens_before_.push_back(tokens_before_.back() + displayed.sizes[i]);
        }
        size_t end_of_figure = 0;
        for (size_t i = 0; i < count; i++) {
            const bool is_outermost = i >= end_of_figure && element(i).written == "figure";
            if (is_outermost) end_of_figure = end(i);
            in_figures_before_.push_back(in_figures_before_.back() + (is_outermost ? tokens(i) : 0));
        }
    }

    // The smallest element with at least a share of the words; of nested elements with the same words,
    // the innermost one.
    size_t smallest_with(double share) const {
        size_t smallest = 0;
        for (size_t i = 1; i < displayed_.ends.size(); i++)
            if (words(i) >= share * words(0) && words(i) <= words(smallest)) smallest = i;
        return smallest;
    }

    const Element &element(size_t i) const { return document_.elements[static_cast<size_t>(displayed_.elements[i])]; }
    size_t end(size_t i) const { return static_cast<size_t>(displayed_.ends[i]); }
    bool has_lines(size_t i) const { return below(i, kept_before_) > 0; }
    int64_t tokens(size_t i) const { return below(i, tokens_before_); }

    // The number of tokens below an element that are in the page's outermost figures.
    int64_t tokens_in_figures(size_t i) const { return in_figures_before_[end(i)] - in_figures_before_[i]; }

  private:
    double words(size_t i) const { return words_before_[end(i)] - words_before_[i]; }
    int64_t below(size_t i, const std::vector<int64_t> &before) const {
        return before[static_cast<size_t>(displayed_.text_ends[i])] - before[static_cast<size_t>(displayed_.text_starts[i])];
    }

    const Document &document_;
    const DisplayedElements &displayed_;
    std::vector<double> words_before_;                              // of the body, by element
    std::vector<int64_t> kept_before_{0}, tokens_before_{0};        // texts of the body and tokens, by text
    std::vector<int64_t> in_figures_before_{0};                     // tokens in the outermost figures, by element
};

}  // namespace

Extent::Extent(const Document &document, const DisplayedElements &displayed, const BodyLines &body, double core_share,
               int64_t max_caption_tokens) {
    const Measuring page(document, displayed, body);
    const size_t around = page.smallest_with(1);
    size_t inner = page.smallest_with(core_share);
    container = static_cast<int64_t>(around);
    core = static_cast<int64_t>(inner);
    // The pictures of an article with a single paragraph are outside this paragraph.
    if (inner > around && page.element(inner).written == "p") inner = static_cast<size_t>(displayed.parents[inner]);
    for (size_t i = around + 1; i < page.end(around);) {
        const bool is_in_core = inner <= i && i < page.end(inner), is_short = page.tokens(i) <= max_caption_tokens;
        // An inline element without children may hold the space between two words.
        const bool is_space = page.element(i).kind & WITHIN && page.end(i) == i + 1;
        // A gallery, which has no text except captions, is not dropped as a whole.
        const bool is_gallery = is_in_core && !is_short && page.tokens_in_figures(i) == page.tokens(i);
        if (page.has_lines(i) || is_gallery) {
            i++;
            continue;
        }
        (is_short && (is_in_core || is_space) ? muted : dropped).push_back(static_cast<int64_t>(i));
        i = page.end(i);
    }
}

}  // namespace detourage
