#include "body_by_sentences.hpp"

namespace detourage {
namespace {

constexpr int64_t MIN_CHARACTERS = 20;  // minimum length of content, as in Wutsi (`detourage.papers.wutsi`)

bool is_heading(Tag tag) {
    using enum Tag;
    return tag == h1_ || tag == h2_ || tag == h3_ || tag == h4_ || tag == h5_ || tag == h6_;
}

// Whether an element is a part of a text, such as a paragraph or a list.
bool is_division(Tag tag) {
    using enum Tag;
    return is_heading(tag) || tag == p_ || tag == ul_ || tag == ol_ || tag == li_ || tag == dl_ || tag == dt_ ||
           tag == dd_ || tag == blockquote_ || tag == pre_ || tag == center_ || tag == figure_ || tag == figcaption_;
}

class Search {
  public:
    Search(Packet &found, const Document &document, const SentenceTexts &texts, Numbers cleaned)
        : found_(found), document_(document), texts_(texts), around_(document),
          parents_(parents_of(document, texts.pieces, {texts.lengths, texts.sentences})) {
        const size_t count = document.elements.size();
        is_cleaned_.resize(count);
        for (const int64_t each : cleaned) {
            if (each < 0 || static_cast<size_t>(each) >= count)
                throw std::invalid_argument("the elements do not match the document");
            is_cleaned_[static_cast<size_t>(each)] = true;
        }
        for (size_t i = 0; i < count; i++) {
            const auto above = static_cast<size_t>(std::max(document.elements[i].parent, 0));
            is_cleaned_[i] = is_cleaned_[i] || is_cleaned_[above];
            divided_.push_back(i && is_division(document.elements[i].tag) ? divided_[above] : static_cast<int32_t>(i));
        }
    }

    void run() {
        // If no text qualifies, relax the conditions one by one.
        if (choose(MIN_CHARACTERS, false, true) || choose(1, false, true) || choose(1, true, true)) mute();
        else if (choose(1, true, false)) mute();
    }

  private:
    template <typename T> static T &at(std::vector<T> &values, int32_t index) { return values[static_cast<size_t>(index)]; }
    const Element &element(int32_t index) const { return document_.elements[static_cast<size_t>(index)]; }

    // Choose the packet with the most sentences; returns false if no text is content.
    bool choose(int64_t min_characters, bool in_links, bool is_cleaned) {
        std::vector<int64_t> sentences(divided_.size()), characters(divided_.size());
        blocks_.clear();
        for (size_t i = 0; i < parents_.size(); i++) {
            const int32_t parent = parents_[i], block = at(around_.blocks, parent);
            const bool is_apart = at(around_.links, parent) >= 0 || is_heading(element(block).tag);
            if (texts_.lengths[i] < min_characters || (is_apart && !in_links)) continue;
            if (is_cleaned && is_cleaned_[static_cast<size_t>(parent)]) continue;
            blocks_.push_back(block);
            at(sentences, at(divided_, block)) += texts_.sentences[i];
            at(characters, at(divided_, block)) += texts_.lengths[i];
        }
        int32_t best = -1;
        for (int32_t i = 0; i < static_cast<int32_t>(divided_.size()); i++) {
            if (!at(characters, i)) continue;
            if (best < 0 || std::pair(at(sentences, i), at(characters, i)) > std::pair(at(sentences, best), at(characters, best)))
                best = i;
        }
        found_.element = best;
        found_.is_cleaned = is_cleaned;
        return best >= 0;
    }

    // Find the packet's children whose text is not content, except those that `is_kept` keeps.
    void mute() {
        std::vector<bool> is_selected(divided_.size());
        for (const int32_t block : blocks_) {
            if (at(divided_, block) != found_.element) continue;
            for (int32_t i = block; i != found_.element && !is_selected[static_cast<size_t>(i)]; i = element(i).parent)
                is_selected[static_cast<size_t>(i)] = true;
        }
        std::vector<int32_t> texts_before(divided_.size() + 1), linked_before(divided_.size() + 1);
        for (const int32_t parent : parents_) {
            at(texts_before, parent + 1)++;
            at(linked_before, parent + 1) += at(around_.links, parent) >= 0;
        }
        for (size_t i = 0; i < divided_.size(); i++) {
            texts_before[i + 1] += texts_before[i];
            linked_before[i + 1] += linked_before[i];
        }
        for (int32_t child = found_.element + 1; child < element(found_.element).end; child = element(child).end) {
            const int32_t end = element(child).end;
            const bool has_text = at(texts_before, end) > at(texts_before, child);
            const bool has_link = at(linked_before, end) > at(linked_before, child);
            if (has_text && !is_selected[static_cast<size_t>(child)] && !is_kept(element(child), has_link))
                found_.muted.push_back(child);
        }
    }

    // Headings, quotations and inline elements are kept, as are paragraphs, lists and tables without links.
    static bool is_kept(const Element &child, bool has_link) {
        using enum Tag;
        const bool is_custom = child.tag == other_ && child.name.find('-') != std::string_view::npos;
        if (child.is_styled || is_heading(child.tag) || child.tag == blockquote_) return true;
        if (child.kind & WITHIN && !is_custom) return true;
        return !has_link && (child.tag == table_ || (is_division(child.tag) && child.tag != center_));
    }

    Packet &found_;
    const Document &document_;
    const SentenceTexts &texts_;
    Surroundings around_;
    std::vector<int32_t> parents_;              // parents of the texts
    std::vector<bool> is_cleaned_;              // whether each element is within one removed by cleaning
    std::vector<int32_t> divided_;              // each element or its nearest ancestor that is not a division
    std::vector<int32_t> blocks_;               // blocks of the texts that are content
};

}  // namespace

Packet::Packet(const Document &document, const SentenceTexts &texts, Numbers cleaned) {
    if (!document.elements.empty()) Search(*this, document, texts, cleaned).run();
}

}  // namespace detourage
