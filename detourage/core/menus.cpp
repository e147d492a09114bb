#include "menus.hpp"

#include <map>
#include <tuple>

namespace detourage {
namespace {

constexpr double MIN_HEADLINE_WORDS = 3;         // words in a headline; shorter links are navigation
constexpr double MAX_HEADLINE_WORDS = 45;        // words in a headline; some sites link a whole article
constexpr double MIN_LINKED_SHARE = 0.8;         // share of linked words in a line that is a headline
constexpr double MIN_TEASER_WORDS = 5;           // words in a teaser; a shorter text is a date or an author
constexpr int MIN_TEASERS = 6;                   // teasers with the same path that form a list
constexpr double MAX_TEASER_WORDS = 60;          // words in a teaser; a longer one is an article
constexpr double MAX_PROSE_WORDS = 80;           // words in a text outside lists; a longer one is an article
constexpr double MIN_TEASERS_TO_PROSE = 4;       // words in teasers, relative to the longest other text
constexpr double MIN_HEADLINES_SHARE = 0.6;      // share of words in headlines, if there are no teasers
constexpr double MIN_HEADLINES_TO_PROSE = 20;    // words in headlines, relative to the longest text
constexpr double MIN_HEADLINES_WORDS = 100;      // words in the headlines of a list without teasers

// A text between headlines: its number of words, and the path of the headline above it, or -1.
struct Between {
    int path;
    double words;
};

class Reading {
  public:
    Reading(Headlines &found, const Document &document, const DisplayedTexts &texts)
        : found_(found), document_(document), texts_(texts), around_(document),
          parents_(parents_of(document, texts.pieces, {texts.lines, texts.sizes, texts.unspaced})) {}

    void run() {
        for (size_t first = 0, last = 0; first < texts_.pieces.size(); first = last) {
            while (last < texts_.pieces.size() && texts_.lines[last] == texts_.lines[first]) last++;
            read_line(first, last);
        }
        between_.back().words = prose_;
        found_.are_list = are_list();
    }

  private:
    // Count the words of a line, and decide whether it is a headline.
    void read_line(size_t first, size_t last) {
        double words = 0, linked = 0, longest = 0;
        int32_t line_link = -1;
        for (size_t i = first; i < last; i++) {
            // Two characters of a script without spaces count as a word.
            const double own = static_cast<double>(texts_.sizes[i]) - static_cast<double>(texts_.unspaced[i]) / 2;
            const int32_t link = around_.links[static_cast<size_t>(parents_[i])];
            words += own;
            if (link < 0) continue;
            // A link may have several lines.
            words_in_link_ = (link == link_ ? words_in_link_ : 0) + own;
            link_ = link;
            linked += own;
            longest = std::max(longest, words_in_link_);
            line_link = std::max(line_link, link);
        }
        found_.page_words += words;
        // A line with a long link or few linked words is prose; any other line, unless short, is a headline.
        if (longest > MAX_HEADLINE_WORDS) {
            prose_ += words;
        } else if (linked < MIN_LINKED_SHARE * words) {
            prose_ += words - linked;
        } else if (words >= MIN_HEADLINE_WORDS) {
            between_.back().words = prose_;
            prose_ = 0;
            headline_words_ += words;
            between_.push_back({around_.blocks[static_cast<size_t>(parents_[first])], 0});
            found_.addresses.push_back(line_link < 0 ? std::string_view() : document_.value(line_link, "href"));
        }
    }

    bool are_list() {
        // A page with a longer text in any place is not a list.
        for (const Between &each : between_)
            if (each.words > MAX_PROSE_WORDS) return false;
        for (Between &each : between_) each.path = path_of(each.path);
        std::map<int, int> teasers;             // number of teasers, by path
        for (const Between &each : between_)
            if (each.path >= 0 && each.words >= MIN_TEASER_WORDS) teasers[each.path]++;
        double prose = 0, longest_teaser = 0, teaser_words = 0;
        for (const Between &each : between_) {
            const auto same = teasers.find(each.path);
            if (same == teasers.end() || same->second < MIN_TEASERS) {
                prose = std::max(prose, each.words);
            } else if (each.words >= MIN_TEASER_WORDS) {
                longest_teaser = std::max(longest_teaser, each.words);
                teaser_words += each.words;
            }
        }
        const bool has_teasers = teaser_words > 0 && teaser_words >= MIN_TEASERS_TO_PROSE * prose;
        const bool has_only_headlines =
            headline_words_ >= MIN_HEADLINES_WORDS && headline_words_ >= MIN_HEADLINES_SHARE * found_.page_words &&
            headline_words_ >= MIN_HEADLINES_TO_PROSE * std::max(prose, longest_teaser);
        return longest_teaser <= MAX_TEASER_WORDS && (has_teasers || has_only_headlines);
    }

    // The number of the tag path of a block, such as ``html/body/div/p``; -1 for none.
    int path_of(int32_t block) {
        if (block < 0) return -1;
        std::vector<int32_t> waiting;
        int path = -1;
        for (int32_t each = block;;) {
            if (const auto known = paths_.find(each); known != paths_.end()) {
                path = known->second;
                break;
            }
            waiting.push_back(each);
            const int32_t parent = document_.elements[static_cast<size_t>(each)].parent;
            if (parent < 0) break;
            each = around_.blocks[static_cast<size_t>(parent)];
        }
        for (auto each = waiting.rbegin(); each != waiting.rend(); ++each) {
            const Element &own = document_.elements[static_cast<size_t>(*each)];
            const auto next = static_cast<int>(numbers_.size());
            path = paths_[*each] = numbers_.try_emplace({path, own.name, own.is_styled}, next).first->second;
        }
        return path;
    }

    Headlines &found_;
    const Document &document_;
    const DisplayedTexts &texts_;
    Surroundings around_;
    std::vector<int32_t> parents_;              // parents of the texts
    std::vector<Between> between_{{-1, 0}};     // since the last headline, whose block is the first path
    double prose_ = 0;                          // words of prose since the last headline
    double headline_words_ = 0;                 // words in all headlines
    int32_t link_ = -1;                         // the last link
    double words_in_link_ = 0;                  // words read so far in the last link
    // No hash tables, because pages can be crafted so that many hashes are equal.
    std::map<int32_t, int> paths_;
    std::map<std::tuple<int, std::string_view, bool>, int> numbers_;
};

}  // namespace

Headlines::Headlines(const Document &document, const DisplayedTexts &texts) {
    Reading(*this, document, texts).run();
}

}  // namespace detourage
