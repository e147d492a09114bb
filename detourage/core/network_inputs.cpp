#include "network_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "hashing.hpp"

namespace detourage {
namespace {

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char small(char c) { return is_capital(c) ? static_cast<char>(c + 32) : c; }

// A volatile pointer, so that the compiler does not evaluate constants itself and round them differently.
float (*volatile log1p_of_library)(float) = std::log1p;

const std::array<float, 1024> LOGARITHMS = [] {
    std::array<float, 1024> made{};
    for (size_t i = 0; i < made.size(); i++) made[i] = log1p_of_library(static_cast<float>(i));
    return made;
}();

// log(1 + size); most sizes are small counts.
inline float logarithm(float size) {
    if (!(size < static_cast<float>(LOGARITHMS.size()))) return std::log1p(size);
    const auto whole = static_cast<int>(size);
    return static_cast<float>(whole) == size ? LOGARITHMS[static_cast<size_t>(whole)] : std::log1p(size);
}

// Writes the numbers of a line in a fixed order or, if `out` is null, only counts them. Their names
// document the code and are ignored.
class Row {
  public:
    explicit Row(float *out) : out_(out) {}

    void put(const char *, double value) {
        if (out_) {
            const auto size = static_cast<float>(std::fabs(value));
            out_[width_] = std::copysign(logarithm(size), static_cast<float>(value));
        }
        width_++;
    }
    void put(const char *name, int, double value) { put(name, value); }
    // Copy numbers from another row.
    void copy(const float *numbers, int count) {
        if (out_) std::copy_n(numbers, count, out_ + width_);
        width_ += count;
    }
    int width() const { return width_; }

  private:
    float *out_;
    int width_ = 0;
};

// Prefix sums over the lines.
struct Sums {
    std::vector<double> before;
    template <typename Of> Sums(size_t count, const Of &of) : before(count + 1) {
        for (size_t i = 0; i < count; i++) before[i + 1] = before[i] + of(i);
    }
    double total() const { return before.back(); }
    double of(long from, long to) const {
        const long count = static_cast<long>(before.size()) - 1;
        from = std::clamp(from, 0L, count);
        to = std::clamp(to, from, count);
        return before[static_cast<size_t>(to)] - before[static_cast<size_t>(from)];
    }
};

// A hash table of numbers, initially 0. A random factor, which has no effect on results, determines the
// slots, so that no page can force collisions.
class Table {
  public:
    explicit Table(size_t count) {
        while (size_t{1} << bits_ < 2 * count) bits_++;
        slots_.resize(size_t{1} << bits_);
    }
    int32_t &operator[](uint64_t key) {
        static const uint64_t FACTOR = uint64_t{std::random_device{}()} << 32 | std::random_device{}() | 1;
        size_t at = (key ^ key >> 32) * FACTOR >> (64 - bits_);
        while (slots_[at].is_used && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
        slots_[at].key = key;
        slots_[at].is_used = true;
        return slots_[at].number;
    }

  private:
    struct Slot {
        uint64_t key;
        int32_t number;
        bool is_used;
    };
    int bits_ = 4;
    std::vector<Slot> slots_;
};

// Lines with the same key.
struct Groups {
    std::vector<int32_t> of_line;
    std::vector<int> sizes;

    template <typename Key> Groups(size_t count, const Key &key) : of_line(count) {
        Table known(count);
        for (size_t i = 0; i < count; i++) {
            int32_t &number = known[key(i)];
            if (!number) {
                sizes.push_back(0);
                number = static_cast<int32_t>(sizes.size());
            }
            of_line[i] = number - 1;
            sizes[static_cast<size_t>(number - 1)]++;
        }
    }
    int size(size_t line) const { return sizes[static_cast<size_t>(of_line[line])]; }
    template <typename Of> std::vector<double> sums(const Of &of) const {
        std::vector<double> sums(sizes.size());
        for (size_t i = 0; i < of_line.size(); i++) sums[static_cast<size_t>(of_line[i])] += of(i);
        return sums;
    }
};

// Distinct words of a text, for comparison with those of lines.
struct Bag {
    std::vector<uint32_t> words;

    explicit Bag(std::vector<uint32_t> given) : words(std::move(given)) { sort(); }
    void fill(const uint32_t *given, size_t count) {
        words.assign(given, given + (count <= MAX_BAG ? count : 0));
        sort();
    }
    // The number of words that are in both bags.
    int common(const Bag &other) const {
        int found = 0;
        for (auto one = words.begin(), two = other.words.begin(); one != words.end() && two != other.words.end();) {
            const uint32_t left = *one, right = *two;
            found += left == right;
            one += left <= right;
            two += right <= left;
        }
        return found;
    }

  private:
    enum : size_t { MAX_BAG = 400 };
    void sort() {
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
    }
};

// Kinds of elements that are counted between each line and the next.
enum Thing { IMAGES, EMBEDS, CONTROLS, RULES, SCRIPTS, DRAWINGS, THINGS };

int thing_of(Tag tag) {
    using enum Tag;
    switch (tag) {
        case img_: case picture_: return IMAGES;
        case iframe_: case video_: case audio_: case object_: case embed_: case canvas_: return EMBEDS;
        case input_: case select_: case textarea_: case button_: case option_: return CONTROLS;
        case hr_: case br_: return RULES;
        case script_: case noscript_: case style_: return SCRIPTS;
        case svg_: return DRAWINGS;
        default: return -1;
    }
}

// Kinds of elements that are counted around each line.
enum Around { ARTICLE, MAIN, NAV, HEADER, FOOTER, ASIDE, FORM, LIST, TABLE, BLOCKQUOTE, FIGURE, PRE, H1,
              H2, H4, P, DL, SECTION, DETAILS, AROUNDS };

int around_of(Tag tag) {
    using enum Tag;
    switch (tag) {
        case article_: return ARTICLE;
        case main_: return MAIN;
        case nav_: return NAV;
        case header_: return HEADER;
        case footer_: return FOOTER;
        case aside_: return ASIDE;
        case form_: return FORM;
        case ul_: case ol_: return LIST;
        case table_: return TABLE;
        case blockquote_: return BLOCKQUOTE;
        case figure_: case figcaption_: return FIGURE;
        case pre_: case code_: return PRE;
        case h1_: return H1;
        case h2_: case h3_: return H2;
        case h4_: case h5_: case h6_: return H4;
        case p_: return P;
        case dl_: return DL;
        case section_: return SECTION;
        case details_: case dialog_: return DETAILS;
        default: return -1;
    }
}

// Whether a text contains `wanted`, which is in lower case, ignoring case and spaces.
bool has_spaced(std::string_view text, std::string_view wanted) {
    for (size_t from = 0; from < text.size(); from++) {
        size_t found = 0;
        for (size_t i = from; i < text.size() && found < wanted.size(); i++) {
            if (i > from && text[i] == ' ') continue;
            if (small(text[i]) != wanted[found]) break;
            found++;
        }
        if (found == wanted.size()) return true;
    }
    return false;
}

bool is_hiding(const Document &document, int32_t element) {
    const Element &of = document.elements[static_cast<size_t>(element)];
    for (int32_t i = of.attributes; i < of.attributes_end; i++) {
        const auto &[name, value] = document.attributes[static_cast<size_t>(i)];
        // With "until-found", the browser displays the element when a search in the page finds it.
        if (name == "hidden" && value != "until-found") return true;
        if (name == "aria-hidden" && value == "true") return true;
        if (name != "style" || value.size() > 4096) continue;
        if (has_spaced(value, "display:none") || has_spaced(value, "visibility:hidden")) return true;
    }
    return false;
}

// Hashed words of the names of an element: its tag, classes, ID and a few informative attributes.
class Names {
  public:
    std::vector<uint16_t> rows = std::vector<uint16_t>(NAMES, 0);

    explicit Names(size_t elements) : known_(elements) {}

    // Return the row of words for an element, adding it if it is new; 0 if there are too many rows.
    uint16_t of(const Document &document, const Element &element) {
        SipHash key;
        key.add(element.name);
        std::string_view classes, id;
        std::string_view extra[4];
        int extras = 0;
        for (int32_t i = element.attributes; i < element.attributes_end; i++) {
            const auto &[name, value] = document.attributes[static_cast<size_t>(i)];
            if (name == "class") classes = value.substr(0, 200);
            else if (name == "id") id = value.substr(0, 200);
            else if (extras < 4 && is_telling(name)) extra[extras++] = value;
            else continue;
            key.add(uint64_t{name.size()});
            key.add(value.substr(0, 200));
        }
        int32_t &known = known_[key.result()];
        if (known) return static_cast<uint16_t>(known);
        const size_t row = rows.size() / NAMES;
        if (row > 65535) return 0;
        known = static_cast<int32_t>(row);
        words_.clear();
        Hash tag;
        tag.add('<');
        tag.add(element.name);
        words_.push_back(tag.bucket());
        add(classes, '.');
        add(id, '#');
        for (int i = 0; i < extras; i++) add_whole(extra[i], '@');
        rows.resize(rows.size() + NAMES, 0);
        uint16_t *out = rows.data() + rows.size() - NAMES;
        for (int filled = 0; const uint16_t word : words_) {
            if (filled == NAMES) break;
            if (std::find(out, out + filled, word) == out + filled) out[filled++] = word;
        }
        return static_cast<uint16_t>(row);
    }

  private:
    static bool is_telling(std::string_view name) {
        return name == "itemprop" || name == "role" || name == "data-testid" || name == "data-component" ||
               name == "data-type" || name == "aria-label" || name == "rel" || name == "itemtype";
    }
    void add(std::string_view names, char sort) {
        size_t at = 0;
        for (int count = 0; count < 5 && at < names.size(); count++) {
            while (at < names.size() && names[at] <= ' ') at++;
            size_t to = at;
            while (to < names.size() && names[to] > ' ') to++;
            const std::string_view name = names.substr(at, to - at);
            at = to;
            if (parts(name) > 1) add_whole(name, sort);
        }
    }
    // Add the words in a name ("articleBody" and "article-body" have the same words).
    int parts(std::string_view name) {
        int count = 0;
        size_t i = 0;
        while (i < name.size() && count < 4) {
            Hash part;
            size_t from = i;
            if (is_digit(name[i])) {
                while (i < name.size() && is_digit(name[i])) i++;
                part.add('0');
            } else if (is_small(name[i]) || is_capital(name[i])) {
                part.add(static_cast<uint32_t>(small(name[i++])));
                while (i < name.size() && (is_small(name[i]) || (is_capital(name[i]) && !is_small(name[i - 1]))))
                    part.add(static_cast<uint32_t>(small(name[i++])));
                if (i - from < 2) {
                    count++;
                    continue;
                }
            } else {
                i++;
                continue;
            }
            count++;
            words_.push_back(part.bucket());
        }
        return count;
    }
    void add_whole(std::string_view name, char sort) {
        Hash whole;
        whole.add(static_cast<uint32_t>(sort));
        size_t length = 0;
        for (size_t i = 0; i < name.size() && length < 40; i++) {
            if (is_digit(name[i]) && i && is_digit(name[i - 1])) continue;
            whole.add(is_digit(name[i]) ? '0' : static_cast<uint32_t>(small(name[i])));
            length++;
        }
        words_.push_back(whole.bucket());
    }

    Table known_;
    std::vector<uint16_t> words_;
};

// A short list of hashed words without repetitions.
class HashedWords {
  public:
    HashedWords(uint16_t *out, int room) : out_(out), room_(room) {}
    void add(uint16_t word) {
        if (filled_ < room_ && std::find(out_, out_ + filled_, word) == out_ + filled_) out_[filled_++] = word;
    }
    void add(std::string_view sort, std::string_view text) {
        Hash hash;
        hash.add(sort);
        for (size_t i = 0; i < text.size(); i++) {
            if (is_digit(text[i]) && i && is_digit(text[i - 1])) continue;
            hash.add(is_digit(text[i]) ? '0' : static_cast<unsigned char>(small(text[i])));
        }
        add(hash.bucket());
    }

  private:
    uint16_t *out_;
    int room_, filled_ = 0;
};

struct Address {
    std::string_view scheme, host, path, query, fragment;

    explicit Address(std::string_view url) {
        url = url.substr(0, 300);
        if (const size_t at = url.find('#'); at != url.npos) {
            fragment = url.substr(at);
            url = url.substr(0, at);
        }
        if (const size_t at = url.find('?'); at != url.npos) {
            query = url.substr(at);
            url = url.substr(0, at);
        }
        const size_t colon = url.find(':');
        if (colon != url.npos && colon < url.find('/')) {
            scheme = url.substr(0, colon);
            url.remove_prefix(colon + 1);
        }
        if (url.starts_with("//")) {
            url.remove_prefix(2);
            host = url.substr(0, url.find('/'));
            url.remove_prefix(host.size());
        }
        path = url;
    }
    // The last two labels of the host.
    std::string_view domain() const {
        size_t at = host.rfind('.');
        if (at == host.npos || at == 0) return host;
        at = host.rfind('.', at - 1);
        return at == host.npos ? host : host.substr(at + 1);
    }
};

void put_link(std::string_view url, std::string_view own_domain, uint16_t *out) {
    HashedWords words(out, LINK_WORDS);
    const Address address(url);
    const bool is_other = !address.scheme.empty() && !address.scheme.starts_with("http");
    if (is_other) words.add("@", address.scheme);
    else if (address.path.empty() && address.host.empty() && !address.fragment.empty()) words.add("@", "#");
    else if (address.host.empty() || address.domain() == own_domain) words.add("@", "own");
    else words.add("@", address.domain());
    int depth = 0, hyphens = 0;
    std::string_view segments[2];
    size_t at = 0;
    while (at < address.path.size()) {
        while (at < address.path.size() && address.path[at] == '/') at++;
        const size_t to = std::min(address.path.find('/', at), address.path.size());
        if (to == at) break;
        const std::string_view segment = address.path.substr(at, to - at);
        if (depth < 2) segments[depth] = segment.substr(0, 20);
        hyphens = static_cast<int>(std::count(segment.begin(), segment.end(), '-'));
        depth++;
        at = to;
    }
    const char counts[] = {'d', static_cast<char>('a' + std::min(6, depth)),
                           address.query.empty() ? '-' : 'q', static_cast<char>('a' + std::min(8, hyphens))};
    words.add("@", {counts, 2});
    words.add("@", {counts + 2, 1});
    words.add("@h", {counts + 3, 1});
    for (int i = 0; i < std::min(2, depth); i++) words.add("/", segments[i]);
}

class Building {
  public:
    Building(Columns &columns, const Document &document, const Lines &lines, const Characters &characters,
             std::string_view url)
        : columns_(columns), document_(document), lines_(lines), characters_(characters), url_(url),
          names_(document.elements.size()) {}

    void run() {
        survey_elements();
        survey_declarations();
        survey_lines();
        write();
    }

  private:
    static size_t at(int32_t i) { return static_cast<size_t>(i); }
    const Line &line(size_t i) const { return lines_.lines[i]; }
    size_t count() const { return lines_.lines.size(); }
    bool is_prose(size_t i) const {
        const Counts &counts = line(i).counts;
        return counts.sentences > 0 && 2 * counts.linked < counts.tokens;
    }
    double prose(size_t i) const { return is_prose(i) ? line(i).counts.tokens : 0; }

    void survey_elements() {
        const auto &elements = document_.elements;
        const size_t total = elements.size();
        rows_.resize(total);
        same_.resize(total);
        paths_.resize(total);
        tags_.resize(total);
        hidden_.resize(total);
        around_.resize(total * AROUNDS);
        things_.resize((total + 1) * THINGS);
        Table siblings(total);
        for (size_t i = 0; i < total; i++) {
            const Element &each = elements[i];
            const bool has_parent = each.parent >= 0;
            const size_t above = has_parent ? at(each.parent) : 0;
            std::copy_n(&things_[i * THINGS], THINGS, &things_[(i + 1) * THINGS]);
            if (const int thing = thing_of(each.tag); thing >= 0) things_[(i + 1) * THINGS + static_cast<size_t>(thing)]++;
            if (each.is_silent_inside) continue;
            rows_[i] = names_.of(document_, each);
            const uint64_t own = rows_[i];
            paths_[i] = combined(has_parent ? paths_[above] : 7, own);
            tags_[i] = combined(has_parent ? tags_[above] : 7, hash_of(each.name));
            siblings[combined(above, own)]++;
            hidden_[i] = (has_parent && hidden_[above]) || is_hiding(document_, static_cast<int32_t>(i));
            if (has_parent) std::copy_n(&around_[above * AROUNDS], AROUNDS, &around_[i * AROUNDS]);
            if (const int kind = around_of(each.tag); kind >= 0) {
                uint8_t &number = around_[i * AROUNDS + static_cast<size_t>(kind)];
                number = static_cast<uint8_t>(std::min(4, number + 1));
            }
        }
        for (size_t i = 0; i < total; i++) {
            if (elements[i].is_silent_inside) continue;
            const size_t above = elements[i].parent >= 0 ? at(elements[i].parent) : 0;
            same_[i] = siblings[combined(above, rows_[i])];
        }
    }
    static uint64_t hash_of(std::string_view text) {
        Hash hash;
        hash.add(text);
        return hash.value;
    }

    // Read the titles and the description that the page declares, and hash words of its address and data.
    void survey_declarations() {
        std::string_view title, og_title, description, og_description, og_type, generator;
        columns_.page_words.assign(PAGE_WORDS, 0);
        HashedWords words(columns_.page_words.data(), PAGE_WORDS);
        put_address(words);
        std::vector<std::string_view> types;
        for (size_t i = 0; i < document_.elements.size(); i++) {
            const Element &each = document_.elements[i];
            const auto own = static_cast<int32_t>(i);
            if (each.tag == Tag::title_ && title.empty() && !is_in_drawing(each)) title = text_in(own);
            if (each.tag == Tag::script_ && types.size() < 8 &&
                document_.value(own, "type").find("ld+json") != std::string_view::npos)
                find_types(text_in(own), types);
            if (each.tag != Tag::meta_) continue;
            const std::string_view content = document_.value(own, "content");
            for (const char *attribute : {"property", "name"}) {
                const std::string_view name = document_.value(own, attribute);
                const auto keep = [&](std::string_view wanted, std::string_view &kept) {
                    if (kept.empty() && is_same(name, wanted)) kept = content;
                };
                keep("og:title", og_title);
                keep("description", description);
                keep("og:description", og_description);
                keep("og:type", og_type);
                keep("generator", generator);
            }
        }
        words.add("og:", og_type.substr(0, 40));
        words.add("g:", generator.substr(0, 10));
        for (const std::string_view type : types) words.add("t:", type);
        if (description.empty()) description = og_description;
        for (const std::string_view text : {title, og_title, description})
            said_.emplace_back(words_of(text.substr(0, 4096), characters_));
    }
    bool is_in_drawing(const Element &element) const {
        return element.parent >= 0 && document_.elements[at(element.parent)].tag == Tag::svg_;
    }
    static bool is_same(std::string_view name, std::string_view wanted) {
        if (name.size() != wanted.size()) return false;
        for (size_t i = 0; i < name.size(); i++)
            if (small(name[i]) != wanted[i]) return false;
        return true;
    }
    std::string_view text_in(int32_t element) const {
        const auto &texts = document_.texts;
        const auto found = std::lower_bound(texts.begin(), texts.end(), element,
                                            [](const Text &text, int32_t i) { return text.after < i; });
        return found != texts.end() && found->parent == element ? found->text : std::string_view{};
    }
    static void find_types(std::string_view data, std::vector<std::string_view> &types) {
        data = data.substr(0, 200'000);
        size_t from = 0;
        while (types.size() < 8 && (from = data.find("\"@type\"", from)) != data.npos) {
            from += 7;
            size_t i = from;
            while (i < data.size() && (data[i] == ' ' || data[i] == ':' || data[i] == '[' || data[i] == '\n')) i++;
            if (i >= data.size() || data[i] != '"') continue;
            const size_t to = data.find('"', ++i);
            if (to == data.npos || to - i > 40) continue;
            const std::string_view type = data.substr(i, to - i);
            if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
        }
    }
    void put_address(HashedWords &words) {
        const Address address(url_);
        domain_ = address.domain();
        const auto put = [&](std::string_view sort, std::string_view text, int most) {
            for (size_t i = 0; i < text.size() && most > 0;) {
                const bool number = is_digit(text[i]);
                size_t to = i;
                while (to < text.size() && (number ? is_digit(text[to]) : is_small(small(text[to])))) to++;
                if (to > i) {
                    words.add(sort, text.substr(i, to - i));
                    most--;
                }
                i = std::max(to, i + 1);
            }
        };
        put("u:", address.host, 6);
        put("p:", address.path, 10);
    }

    void survey_lines() {
        const size_t total = document_.elements.size();
        lines_before_.assign(total + 1, 0);
        heading_ = -1;
        for (size_t i = 0; i < count(); i++)
            if (heading_ < 0 && around_[at(line(i).inner) * AROUNDS + H1]) heading_ = static_cast<int>(i);
        std::vector<uint32_t> first_heading;
        if (heading_ >= 0) first_heading = tokens(static_cast<size_t>(heading_));
        said_.emplace_back(std::move(first_heading));
        // Lines are in document order, so the lines below an element are a range.
        size_t next = 0;
        for (size_t element = 0; element <= total; element++) {
            while (next < count() && at(line(next).inner) < element) next++;
            lines_before_[element] = static_cast<int>(next);
        }
    }
    std::vector<uint32_t> tokens(size_t i) const {
        return {lines_.tokens.begin() + lines_.token_starts[i], lines_.tokens.begin() + lines_.token_starts[i + 1]};
    }

    void write() {
        const size_t n = count();
        const Sums words(n, [&](size_t i) { return line(i).counts.tokens; });
        const Sums linked(n, [&](size_t i) { return line(i).counts.linked; });
        const Sums prose_words(n, [&](size_t i) { return prose(i); });
        const Sums sentences(n, [&](size_t i) { return line(i).counts.sentences; });
        const auto parent = [&](int32_t element) { return std::max(0, document_.elements[at(element)].parent); };
        const Groups by_path(n, [&](size_t i) { return combined(paths_[at(line(i).block)], rows_[at(line(i).inner)]); });
        const Groups by_tags(n, [&](size_t i) { return tags_[at(line(i).block)]; });
        const Groups by_parent(n, [&](size_t i) { return uint64_t(parent(line(i).block)); });
        const Groups by_grandparent(n, [&](size_t i) { return uint64_t(parent(parent(line(i).block))); });
        const Groups by_text(n, [&](size_t i) { return line(i).text_hash; });
        const auto path_words = by_path.sums([&](size_t i) { return line(i).counts.tokens; });
        const auto path_prose = by_path.sums([&](size_t i) { return prose(i); });
        const auto path_linked = by_path.sums([&](size_t i) { return line(i).counts.linked; });
        std::vector<int> ranks(by_path.sizes.size());

        columns_.paths = by_path.of_line;
        columns_.parents = by_parent.of_line;
        columns_.grandparents = by_grandparent.of_line;
        columns_.places.assign(n * PLACES, 0);
        columns_.link_words.assign(n * LINK_WORDS, 0);
        const PageSums sums{words, linked, prose_words, sentences};
        ancestors_.resize(document_.elements.size());
        Row first(nullptr);
        if (n) write_row(first, 0, sums, {});
        columns_.width = first.width();
        columns_.numbers.resize(n * at(columns_.width));
        for (size_t i = 0; i < n; i++) {
            Row row(&columns_.numbers[i * at(columns_.width)]);
            const auto group = at(by_path.of_line[i]);
            const PathFigures path{by_path.size(i), by_tags.size(i), by_parent.size(i), by_text.size(i),
                                   path_words[group], path_prose[group], path_linked[group], ranks[group]++};
            write_row(row, i, sums, path);
            if (line(i).link >= 0)
                put_link(document_.value(line(i).link, "href"), domain_, &columns_.link_words[i * LINK_WORDS]);
        }
        columns_.names = std::move(names_.rows);
    }

    struct PageSums {
        const Sums &words, &linked, &prose, &sentences;
    };
    struct PathFigures {
        int same_path, same_tags, same_parent, same_text;
        double words, prose, linked;
        int rank;
    };

    void write_row(Row &row, size_t i, const PageSums &page, const PathFigures &path) {
        const Line &own = line(i);
        const Counts &counts = own.counts;
        const double tokens = std::max(1, counts.tokens), characters = std::max(1, counts.characters);
        const double total = std::max(1.0, page.words.total()), all_prose = std::max(1.0, page.prose.total());
        const auto n = static_cast<long>(count()), here = static_cast<long>(i);
        const auto share = [](double part, double of) { return part / std::max(1.0, of); };

        row.put("tokens", counts.tokens);
        row.put("sentences", counts.sentences);
        row.put("linked", counts.linked / tokens);
        row.put("links", counts.links);
        row.put("bold", counts.bold / tokens);
        row.put("timed", counts.timed / tokens);
        row.put("characters", counts.characters);
        row.put("capitals", counts.capitals);
        row.put("capitals_share", counts.capitals / characters);
        row.put("decimals", counts.decimals);
        row.put("decimals_share", counts.decimals / characters);
        row.put("commas", counts.commas);
        row.put("commas_share", counts.commas / characters);
        row.put("quotes", counts.quotes);
        row.put("separators", counts.separators);
        row.put("ats", counts.ats);
        row.put("copyrights", counts.copyrights);
        row.put("words", counts.words);
        row.put("capitalised_share", share(counts.capitalised, counts.words));
        row.put("unspaced", counts.unspaced);
        row.put("mean_word", counts.characters / tokens);
        row.put("sentence_length", share(counts.tokens, counts.sentences));
        for (const uint32_t trait : {uint32_t{UPPER}, uint32_t{DECIMAL}, uint32_t{QUOTE}, uint32_t{START_MARK}, 1u << 31})
            row.put("first_", static_cast<int>(__builtin_ctz(trait)), (counts.first & trait) != 0);
        for (const uint32_t trait : {DECIMAL, COMMA, COLON, QUESTION_MARK, QUOTE, END_MARK, AFTER_SENTENCE, SENTENCE_MARK, UNSPACED_MARK})
            row.put("last_", static_cast<int>(__builtin_ctz(trait)), (counts.last & trait) != 0);

        row.put("place", double(here) / std::max(1L, n - 1));
        row.put("index", double(here));
        row.put("from_end", double(n - 1 - here));
        row.put("word_place", page.words.of(0, here) / total);
        row.put("prose_place", page.prose.of(0, here) / all_prose);
        row.put("words_before", page.words.of(0, here));
        row.put("words_after", page.words.of(here + 1, n));
        row.put("prose_before", page.prose.of(0, here));
        row.put("prose_after", page.prose.of(here + 1, n));
        for (const int width : {1, 2, 4}) {
            row.put("words_before_", width, page.words.of(here - width, here));
            row.put("words_after_", width, page.words.of(here + 1, here + 1 + width));
            row.put("prose_before_", width, page.prose.of(here - width, here));
            row.put("prose_after_", width, page.prose.of(here + 1, here + 1 + width));
            row.put("linked_before_", width, page.linked.of(here - width, here));
            row.put("linked_after_", width, page.linked.of(here + 1, here + 1 + width));
        }

        const auto &elements = document_.elements;
        const int32_t before = i ? line(i - 1).inner : 0;
        const int32_t after = i + 1 < count() ? line(i + 1).inner : static_cast<int32_t>(elements.size()) - 1;
        const int depth = elements[at(own.block)].depth;
        row.put("start", share(own.block, double(elements.size())));
        row.put("gap_before", own.inner - before);
        row.put("gap_after", after - own.inner);
        row.put("depth", depth);
        row.put("depth_before", i ? depth - elements[at(line(i - 1).block)].depth : 0);
        row.put("depth_after", i + 1 < count() ? elements[at(line(i + 1).block)].depth - depth : 0);
        row.put("inline_depth", elements[at(own.inner)].depth - depth);
        for (size_t thing = 0; thing < THINGS; thing++) {
            const auto upto = [&](int32_t element) { return things_[at(element + 1) * THINGS + thing]; };
            row.put("things_before", std::max(0, upto(own.inner) - (i ? upto(before) : 0)));
            row.put("things_after", std::max(0, upto(after) - upto(own.inner)));
        }
        row.put("hidden", hidden_[at(own.inner)]);
        for (size_t kind = 0; kind < AROUNDS; kind++) row.put("around", around_[at(own.inner) * AROUNDS + kind]);
        write_likeness(row, i);

        row.put("same_path", path.same_path);
        row.put("same_tags", path.same_tags);
        row.put("same_parent", path.same_parent);
        row.put("same_text", path.same_text);
        row.put("path_words", path.words);
        row.put("path_share", path.words / total);
        row.put("path_prose", share(path.prose, path.words));
        row.put("path_linked", share(path.linked, path.words));
        row.put("path_mean", share(path.words, path.same_path));
        row.put("rank_in_path", path.rank);

        int32_t element = own.block;
        uint16_t *places = &columns_.places[i * PLACES];
        for (int level = 0; level < LEVELS; level++) {
            write_ancestor(row, level, element, here, page, total, all_prose);
            if (element < 0) continue;
            places[level] = rows_[at(element)];
            element = elements[at(element)].parent;
        }
        if (own.inner != own.block) {
            places[LEVELS] = rows_[at(own.inner)];
            const int32_t above = elements[at(own.inner)].parent;
            if (above >= 0 && above != own.block) places[LEVELS + 1] = rows_[at(above)];
        }

        row.put("page_lines", double(n));
        row.put("page_words", total);
        row.put("page_elements", double(elements.size()));
        row.put("page_linked", page.linked.total() / total);
        row.put("page_prose", all_prose / total);
        row.put("page_sentences", page.sentences.total());
    }

    // The numbers of an ancestor, except the place of a line in it, are the same for all lines below the
    // ancestor, so they are computed once.
    void write_ancestor(Row &row, int level, int32_t element, long here, const PageSums &page, double total,
                        double all_prose) {
        if (element < 0) {
            for (int i = 0; i <= OF_ANCESTOR; i++) row.put("ancestor", level, -1);
            return;
        }
        const Element &own = document_.elements[at(element)];
        const int first = lines_before_[at(element)], end = lines_before_[at(own.end)];
        const double lines = end - first;
        int32_t &known = ancestors_[at(element)];
        if (!known) {
            known = static_cast<int32_t>(of_ancestors_.size()) + 1;
            of_ancestors_.resize(of_ancestors_.size() + OF_ANCESTOR);
            Row of_ancestor(&of_ancestors_[at(known) - 1]);
            const double words = page.words.of(first, end);
            of_ancestor.put("kids", own.children);
            of_ancestor.put("words", words);
            of_ancestor.put("share", words / total);
            of_ancestor.put("link", page.linked.of(first, end) / std::max(1.0, words));
            of_ancestor.put("prose", page.prose.of(first, end) / std::max(1.0, words));
            of_ancestor.put("prose_share", page.prose.of(first, end) / all_prose);
            of_ancestor.put("lines", lines);
            of_ancestor.put("rank", own.rank);
            of_ancestor.put("same", same_[at(element)]);
        }
        row.copy(&of_ancestors_[at(known) - 1], OF_ANCESTOR);
        row.put("at", level, double(here - first) / std::max(1.0, lines));
    }

    // Shares of words that the line has in common with the titles and the description that the page
    // declares, and with the first ``h1``.
    void write_likeness(Row &row, size_t i) {
        own_.fill(lines_.tokens.data() + lines_.token_starts[i], lines_.token_starts[i + 1] - lines_.token_starts[i]);
        const Bag &own = own_;
        for (const Bag &said : said_) {
            const double common = own.common(said);
            const double either = double(own.words.size() + said.words.size()) - common;
            row.put("like_said", either > 0 ? common / either : 0);
            row.put("in_said", own.words.empty() ? 0 : common / double(own.words.size()));
        }
    }

    Columns &columns_;
    const Document &document_;
    const Lines &lines_;
    const Characters &characters_;
    std::string_view url_, domain_;
    Names names_;
    std::vector<uint16_t> rows_;
    std::vector<int> same_;
    std::vector<uint64_t> paths_, tags_;
    std::vector<uint8_t> hidden_, around_;
    std::vector<int32_t> things_;
    std::vector<int> lines_before_;
    enum : int { OF_ANCESTOR = 9 };
    std::vector<int32_t> ancestors_;    // 1 + start of each ancestor's numbers in `of_ancestors_`; 0 if not computed
    std::vector<float> of_ancestors_;
    std::vector<Bag> said_;
    Bag own_{{}};
    int heading_ = -1;

};

}  // namespace

Columns::Columns(const Document &document, const Lines &lines, const Characters &characters, std::string_view url) {
    Building(*this, document, lines, characters, url).run();
}

}  // namespace detourage
