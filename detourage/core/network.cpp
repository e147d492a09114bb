#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace detourage {
namespace {

// Maximum absolute values of activations and weights, which are rounded to whole numbers.
constexpr float MAX_ACTIVATION = 2047, MAX_WEIGHT = 1023;
using Packed = Network::Packed;

// Rows of activations as whole numbers, and the scale of each row.
struct Rounded {
    const int16_t *values;
    const float *scales;
};

// The piece of a column that contains its number, as a row of `Network::table_`, and the part of that piece
// below the number, by which the piece's weights are multiplied.
struct Piece {
    int32_t row;
    float part;
};

// Two rows, to be added after they are multiplied.
struct Product {
    const float *one, *other;
};

namespace plain {
#define LANES 4
#define HIGHEST 4
#ifdef __SSE2__
#define ADD_PAIRS(sums, one, other) ((sums) + (Ints)_mm_madd_epi16((__m128i)(one), (__m128i)(other)))
#endif
#include "kernels.inc"
#undef LANES
#undef HIGHEST
#undef ADD_PAIRS
}
#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace avx2 {
#define LANES 8
#define HIGHEST 4
#define ADD_PAIRS(sums, one, other) ((sums) + (Ints)_mm256_madd_epi16((__m256i)(one), (__m256i)(other)))
#include "kernels.inc"
#undef LANES
#undef HIGHEST
#undef ADD_PAIRS
}
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512bw,avx512dq,avx512vl")
namespace avx512 {
#define LANES 16
#define HIGHEST 8
#define ADD_PAIRS(sums, one, other) ((sums) + (Ints)_mm512_madd_epi16((__m512i)(one), (__m512i)(other)))
#include "kernels.inc"
#undef ADD_PAIRS
}
#pragma GCC target("avx512vnni")
namespace vnni {
#define ADD_PAIRS(sums, one, other) ((Ints)_mm512_dpwssd_epi32((__m512i)(sums), (__m512i)(one), (__m512i)(other)))
#include "kernels.inc"
#undef LANES
#undef HIGHEST
#undef ADD_PAIRS
}
#pragma GCC pop_options
enum class Instructions { PLAIN, AVX2, AVX512, VNNI };
Instructions instructions() {
    static const Instructions found = [] {
        if (!__builtin_cpu_supports("avx2")) return Instructions::PLAIN;
        for (const bool has : {__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
                               __builtin_cpu_supports("avx512dq"), __builtin_cpu_supports("avx512vl")})
            if (!has) return Instructions::AVX2;
        return __builtin_cpu_supports("avx512vnni") ? Instructions::VNNI : Instructions::AVX512;
    }();
    return found;
}
#define DETOURAGE_DISPATCHED(name, ...)                                   \
    (instructions() == Instructions::VNNI     ? vnni::name(__VA_ARGS__)   \
     : instructions() == Instructions::AVX512 ? avx512::name(__VA_ARGS__) \
     : instructions() == Instructions::AVX2   ? avx2::name(__VA_ARGS__)   \
                                              : plain::name(__VA_ARGS__))
#define DETOURAGE_DISPATCHED_TO_8(name, ...) \
    (instructions() == Instructions::PLAIN ? plain::name(__VA_ARGS__) : avx2::name(__VA_ARGS__))
#else
#define DETOURAGE_DISPATCHED(name, ...) plain::name(__VA_ARGS__)
#define DETOURAGE_DISPATCHED_TO_8(name, ...) plain::name(__VA_ARGS__)
#endif

void prefetch(const char *from) {
#ifdef __GNUC__
    __builtin_prefetch(from);
#else
    (void)from;
#endif
}

// Number of rows that pass through consecutive layers together, so that intermediate results stay in the
// cache and their memory does not grow with the page.
constexpr int ROWS = 64;

// out = x · w + b, or out += x · w + b, for at most ROWS rows.
void multiply(const float *x, int rows, const Packed &w, const float *b, float *out, bool is_added, bool is_rectified) {
    thread_local std::vector<int16_t, Aligned<int16_t>> values;
    thread_local Floats scales;
    values.resize(static_cast<size_t>(rows) * static_cast<size_t>(w.inputs));
    scales.resize(static_cast<size_t>(rows));
    DETOURAGE_DISPATCHED(round_rows, x, rows, w.inputs, values.data(), scales.data());
    DETOURAGE_DISPATCHED(multiply, {values.data(), scales.data()}, rows, w, b, out, is_added, is_rectified);
}

// Round as `std::lround` does, but without a function call per number.
int rounded(float value) { return static_cast<int>(value + std::copysign(0.5, static_cast<double>(value))); }

Packed packed(const Weights &weights) {
    Packed made;
    made.inputs = weights.rows();
    made.outputs = weights.width();
    if (made.inputs % Packed::STRIP || made.outputs % Packed::STRIP)
        throw std::runtime_error("the model file is damaged: the shape of weights");
    const auto inputs = static_cast<size_t>(made.inputs), outputs = static_cast<size_t>(made.outputs);
    made.scales.resize(outputs);
    made.values.resize(inputs * outputs);
    std::fill(made.scales.begin(), made.scales.end(), 1e-9f);
    for (size_t k = 0; k < inputs; k++)
        for (size_t column = 0; column < outputs; column++)
            made.scales[column] = std::max(made.scales[column], std::fabs(weights.values[k * outputs + column]));
    for (float &scale : made.scales) scale /= MAX_WEIGHT;
    for (size_t k = 0; k < inputs; k++)
        for (size_t column = 0; column < outputs; column++)
            made.values[(column / Packed::STRIP * inputs + k / 2 * 2) * Packed::STRIP + column % Packed::STRIP * 2 + k % 2] =
                static_cast<int16_t>(rounded(weights.values[k * outputs + column] / made.scales[column]));
    return made;
}

void add_products(float *to, const Product *products, int number, int count) {
    DETOURAGE_DISPATCHED(add_products, to, products, number, count);
}
void add_pieces(float *to, const float *table, const Piece *pieces, int number, int count) {
    DETOURAGE_DISPATCHED(add_pieces, to, table, pieces, number, count);
}
void find_pieces(const float *values, int count, const float *knots, const float *widths, int rows, int32_t *found,
                 float *parts) {
    DETOURAGE_DISPATCHED(find_pieces, values, count, knots, widths, rows, found, parts);
}
void add_rows(float *to, const char *const *rows, int number, int count) {
    DETOURAGE_DISPATCHED(add_rows, to, rows, number, count);
}
void add_all(float *to, const float *from, int count) { DETOURAGE_DISPATCHED(add_all, to, from, count); }
void normalise(const float *x, const float *gain, float *out, int rows, int width) {
    DETOURAGE_DISPATCHED_TO_8(normalise, x, gain, out, rows, width);
}

// Mean and maximum of all rows.
void pool(const Floats &x, int rows, int width, float *out) {
    std::fill_n(out, width, 0.f);
    std::fill_n(out + width, width, -9.f);
    DETOURAGE_DISPATCHED(pool, x.data(), rows, width, out, out + width);
    for (int i = 0; i < width; i++) out[i] /= static_cast<float>(std::max(1, rows));
}

float half(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint32_t made;
    if (exponent == 0) {
        const float tiny = static_cast<float>(fraction) * 0x1p-24f;
        std::memcpy(&made, &tiny, 4);
    } else {
        made = (exponent + 112) << 23 | fraction << 13;
    }
    made |= sign;
    float value;
    std::memcpy(&value, &made, 4);
    return value;
}

class File {
  public:
    File(const char *data, size_t size) : at_(data), end_(data + size) {}
    bool is_done() const { return at_ == end_; }
    template <typename T> T take() {
        T value;
        std::memcpy(&value, bytes(sizeof value), sizeof value);
        return value;
    }
    const char *bytes(size_t count) {
        if (static_cast<size_t>(end_ - at_) < count) throw std::runtime_error("the model file is truncated");
        const char *from = at_;
        at_ += count;
        return from;
    }

  private:
    const char *at_, *end_;
};

enum : int { POSITIONS = 3, PAIRS = 5, KERNEL = 5, BEFORE = KERNEL / 2, PARTS = 8, GROUPED = 32 };
// The kernels require the number of outputs to be a multiple of this.
constexpr int PADDED = 16;
constexpr char MAGIC[] = "detourage-reader-1\n";
enum Stored : uint8_t { FLOATS, HALVES, BYTES };
constexpr size_t MAX_VALUES = 1 << 24;
constexpr int MAX_COLUMNS = 10'000;

}  // namespace

Network::Network(const char *data, size_t size) {
    File file(data, size);
    if (std::memcmp(file.bytes(sizeof MAGIC - 1), MAGIC, sizeof MAGIC - 1) != 0)
        throw std::runtime_error("not a model file of this version");
    while (!file.is_done()) {
        const auto length = file.take<uint8_t>();
        std::string name(file.bytes(length), length);
        const auto stored = file.take<uint8_t>();
        const auto dimensions = file.take<uint8_t>();
        Weights weights;
        size_t count = 1;
        for (int i = 0; i < dimensions; i++) {
            const auto extent = file.take<uint32_t>();
            if (!extent || extent > MAX_VALUES || (count *= extent) > MAX_VALUES)
                throw std::runtime_error("the model file is damaged");
            weights.shape.push_back(static_cast<int>(extent));
        }
        if (stored == BYTES) {
            const auto width = static_cast<size_t>(weights.width());
            const char *rows = file.bytes(count / width * (sizeof(float) + width));
            embeddings_[std::move(name)] = {rows, weights.rows(), weights.width()};
            continue;
        }
        weights.values.resize(count);
        if (stored == FLOATS) {
            for (float &value : weights.values) value = file.take<float>();
        } else {
            for (float &value : weights.values) value = half(file.take<uint16_t>());
        }
        arrays_[std::move(name)] = std::move(weights);
    }
    check();
    for (const auto &[name, weights] : arrays_)
        if (name.ends_with(".w") && name != "numbers.w") packed_[name] = packed(weights);
    read_pieces();
}

void Network::read_pieces() {
    const Floats &columns = array("piece.column").values, &lows = array("piece.low").values;
    const Floats &wide = array("piece.width").values, &weights = array("numbers.w").values;
    const size_t width = static_cast<size_t>(width_), pieces = columns.size();
    for (size_t i = 0; i < pieces; i++) {
        const int column = static_cast<int>(columns[i]);
        if (column < 0 || column >= MAX_COLUMNS) throw std::runtime_error("the model file is damaged: piece.column");
        while (static_cast<int>(piece_starts_.size()) <= column) piece_starts_.push_back(static_cast<int>(i));
    }
    piece_starts_.push_back(static_cast<int>(pieces));
    const size_t count = piece_starts_.size() - 1;
    for (size_t i = 0; i < count; i++) most_knots_ = std::max(most_knots_, piece_starts_[i + 1] - piece_starts_[i]);
    const size_t padded = (count + PADDED - 1) / PADDED * PADDED;
    knots_.assign(padded * static_cast<size_t>(most_knots_), NAN);
    widths_.assign(padded * static_cast<size_t>(most_knots_), 1.f);
    table_.resize(2 * pieces * width);
    Floats sum(width);
    for (size_t column = 0; column < count; column++) {
        std::fill(sum.begin(), sum.end(), 0.f);
        const auto first = static_cast<size_t>(piece_starts_[column]);
        for (size_t i = first; i < static_cast<size_t>(piece_starts_[column + 1]); i++) {
            knots_[(i - first) * padded + column] = lows[i];
            widths_[(i - first) * padded + column] = wide[i];
            for (size_t k = 0; k < width; k++) {
                table_[2 * i * width + k] = sum[k];
                table_[2 * i * width + width + k] = weights[i * width + k];
                sum[k] += weights[i * width + k];
            }
        }
    }
}

// Check the shapes of the arrays that `judge` uses; throws std::runtime_error if one is wrong.
void Network::check() {
    const auto expect = [&](const std::string &name, std::initializer_list<int> shape) {
        const Weights &found = array(name);
        bool fits = found.shape.size() == shape.size();
        for (size_t i = 0; fits && i < shape.size(); i++) fits = *(shape.begin() + i) < 0 || found.shape[i] == *(shape.begin() + i);
        if (!fits) throw std::runtime_error("the model file is damaged: " + name);
    };
    const auto padded = [](int outputs) { return (outputs + PADDED - 1) / PADDED * PADDED; };
    const auto expect_dense = [&](const std::string &name, int inputs, int outputs) {
        const int width = outputs < 0 ? padded(array(name + ".w").width()) : outputs;
        expect(name + ".w", {inputs, width});
        expect(name + ".b", {width});
    };
    width_ = array("two.w").width();
    embedding_ = embeddings("words").width;
    if (width_ % PADDED || embedding_ % PADDED) throw std::runtime_error("the model file is damaged: its width");
    for (const char *name : {"words", "positions", "names", "signs", "page_words"})
        if (embeddings(name).width != embedding_)
            throw std::runtime_error(std::string("the model file is damaged: ") + name);
    expect("levels", {LEVELS - 2, embedding_});
    const int pieces = array("piece.column").rows();
    for (const char *name : {"piece.column", "piece.low", "piece.width"}) expect(name, {pieces});
    expect_dense("numbers", pieces, width_);
    expect_dense("embedded", PARTS * embedding_, width_);
    expect_dense("page", embedding_, width_);
    for (const char *name : {"two", "hidden"}) expect_dense(name, width_, width_);
    for (const char *name : {"roles", "kind"}) expect_dense(name, width_, -1);
    expect_dense("kinds", 2 * width_ + embedding_, width_);
    expect("dilations", {-1});
    expect("mixed", {-1});
    for (int i = 0; i < array("dilations").rows(); i++) {
        const std::string name = "conv" + std::to_string(i);
        expect(name + ".gain", {width_});
        expect(name + ".kernel", {KERNEL, width_});
        expect_dense(name + ".in", width_, width_);
        expect_dense(name + ".out", width_, width_);
    }
    for (int i = 0; i < array("mixed").rows(); i++) {
        const std::string name = "mix" + std::to_string(i);
        expect(name + ".gain", {width_});
        expect_dense(name + ".values", width_, 3 * GROUPED);
        expect_dense(name + ".page", 2 * width_, width_);
        expect_dense(name + ".out", 3 * GROUPED, width_);
    }
}

const Weights &Network::array(const std::string &name) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) throw std::runtime_error("the model file lacks " + name);
    return found->second;
}

const Embeddings &Network::embeddings(const std::string &name) const {
    const auto found = embeddings_.find(name);
    if (found == embeddings_.end()) throw std::runtime_error("the model file lacks " + name);
    return found->second;
}

namespace {

// Rows of embeddings, prefetched some time before they are added.
template <int ROOM> struct Rows {
    const char *rows[ROOM];
    int count = 0;
    void add(const Embeddings &table, size_t number) {
        const char *const row = rows[count++] = table.row(number);
        prefetch(row);
        prefetch(row + sizeof(float) + table.width - 1);
    }
    // Hashed words; 0 means none.
    void add_words(const Embeddings &table, const uint16_t *words, int number) {
        for (int i = 0; i < number; i++)
            if (words[i]) add(table, words[i] % static_cast<unsigned>(table.count));
    }
    void put(float *out, int width) const { add_rows(out, rows, count, width); }
};

void scale(float *out, int width, float by) {
    for (int i = 0; i < width; i++) out[i] *= by;
}

// The rows of a line: those of its first words, its last words, its first words with their positions, its
// pairs of adjacent first words, its shapes, and the words of its link.
struct LineRows {
    Rows<FIRST_WORDS> first;
    Rows<LAST_WORDS> last;
    Rows<POSITIONS + PAIRS> places;
    Rows<int{SHAPES} + int{LINK_WORDS}> signs;
};

}  // namespace

void Network::put_numbers(const Columns &columns, Floats &out) const {
    const size_t count = columns.paths.size(), width = static_cast<size_t>(width_), own = static_cast<size_t>(columns.width);
    const size_t all = piece_starts_.size() - 1, given = columns.known.empty() ? own : all;
    if (all != own + KNOWN) throw std::runtime_error("the model was trained on other columns: train it again");
    const int padded = static_cast<int>(all + PADDED - 1) / PADDED * PADDED;
    Floats numbers(static_cast<size_t>(padded)), parts(static_cast<size_t>(padded));
    std::vector<int32_t> found(static_cast<size_t>(padded));
    std::vector<Piece> pieces(all + 1);
    for (size_t line = 0; line < count; line++) {
        std::copy_n(&columns.numbers[line * own], own, numbers.begin());
        if (given > own) std::copy_n(&columns.known[line * KNOWN], int{KNOWN}, &numbers[own]);
        find_pieces(numbers.data(), padded, knots_.data(), widths_.data(), most_knots_, found.data(), parts.data());
        Piece *next = pieces.data();
        for (size_t i = 0; i < given; i++) {
            *next = {piece_starts_[i] + found[i], parts[i]};
            // Branchless, because a branch would be unpredictable.
            next += (found[i] != 0) | (parts[i] != 0.f);
        }
        add_pieces(&out[line * width], table_.data(), pieces.data(), static_cast<int>(next - pieces.data()), width_);
    }
}

// A vector for each distinct kind of element.
Floats Network::kinds_of(const Columns &columns) const {
    const auto width = static_cast<size_t>(embedding_);
    const Embeddings &names = embeddings("names");
    const size_t kinds = columns.names.size() / NAMES;
    Floats of_kinds(kinds * width);
    const auto rows_of = [&](size_t kind) {
        Rows<NAMES> rows;
        rows.add_words(names, columns.names.data() + kind * NAMES, kind < kinds ? NAMES : 0);
        return rows;
    };
    Rows<NAMES> rows = kinds > 1 ? rows_of(1) : Rows<NAMES>{};
    for (size_t kind = 1; kind < kinds; kind++) {
        const Rows<NAMES> next = rows_of(kind + 1);
        float *to = &of_kinds[kind * width];
        rows.put(to, embedding_);
        scale(to, embedding_, 1 / std::sqrt(static_cast<float>(std::max(1, rows.count))));
        rows = next;
    }
    return of_kinds;
}

void Network::embed(const Lines &lines, const Columns &columns, const Floats &of_kinds, size_t first,
                    size_t end, Floats &out) const {
    const auto width = static_cast<size_t>(embedding_);
    const Embeddings &words = embeddings("words"), &positions = embeddings("positions"), &signs = embeddings("signs");
    const Weights &levels = array("levels");
    const auto rows_of = [&](size_t i) {
        LineRows rows;
        const uint16_t *const own = lines.lines[i].words;
        rows.first.add_words(words, own, FIRST_WORDS);
        rows.last.add_words(words, own + FIRST_WORDS, LAST_WORDS);
        const auto number = static_cast<uint32_t>(positions.count);
        for (uint32_t k = 0; k < POSITIONS; k++)
            if (own[k]) rows.places.add(positions, (own[k] * 31u + k * 7919u + 1) % number);
        for (int k = 0; k < PAIRS; k++)
            if (own[k] && own[k + 1]) rows.places.add(positions, (own[k] * 40503u + own[k + 1] + 1) % number);
        rows.signs.add_words(signs, lines.lines[i].shapes, SHAPES);
        rows.signs.add_words(signs, &columns.link_words[i * LINK_WORDS], LINK_WORDS);
        return rows;
    };
    out.assign((end - first) * width * PARTS, 0.f);
    LineRows rows = rows_of(first);
    for (size_t i = first; i < end; i++) {
        const LineRows next = i + 1 < end ? rows_of(i + 1) : LineRows{};
        float *to = &out[(i - first) * width * PARTS];
        const auto part = [&](size_t number) { return to + number * width; };
        const auto put = [&](size_t number, const auto &of, bool is_mean) {
            of.put(part(number), embedding_);
            const auto count = static_cast<float>(std::max(1, of.count));
            scale(part(number), embedding_, 1 / (is_mean ? count : std::sqrt(count)));
        };
        put(0, rows.first, true);
        put(1, rows.last, true);
        put(2, rows.places, false);
        put(3, rows.signs, false);
        const uint16_t *places = &columns.places[i * PLACES];
        const auto kind = [&](int place) { return &of_kinds[places[place] * width]; };
        add_all(part(4), kind(0), embedding_);
        add_all(part(5), kind(1), embedding_);
        Product products[LEVELS - 2];
        for (int level = 2; level < LEVELS; level++)
            products[level - 2] = {kind(level), &levels.values[static_cast<size_t>(level - 2) * width]};
        add_products(part(6), products, LEVELS - 2, embedding_);
        add_all(part(7), kind(LEVELS), embedding_);
        add_all(part(7), kind(LEVELS + 1), embedding_);
        rows = next;
    }
}

Judged Network::judge(const Lines &lines, const Columns &columns) const {
    Judged judged;
    const auto count = static_cast<int>(lines.lines.size());
    const auto rows = static_cast<size_t>(count), width = static_cast<size_t>(width_);
    const auto apply_to_block = [&](const Dense &dense, const float *x, int number, float *out, bool is_added,
                                    bool is_rectified) {
        multiply(x, number, *dense.weights, dense.bias->values.data(), out, is_added, is_rectified);
    };
    const auto in_blocks = [&](int number, const auto &use) {
        for (int first = 0; first < number; first += ROWS) use(static_cast<size_t>(first), std::min(ROWS, number - first));
    };
    const auto apply = [&](const std::string &name, const Floats &x, int number, Floats &out,
                           bool is_added, bool is_rectified) {
        const Dense dense = this->dense(name);
        const auto inputs = static_cast<size_t>(dense.weights->inputs), outputs = static_cast<size_t>(dense.weights->outputs);
        if (!is_added) out.resize(static_cast<size_t>(number) * outputs);
        in_blocks(number, [&](size_t first, int size) {
            apply_to_block(dense, &x[first * inputs], size, &out[first * outputs], is_added, is_rectified);
        });
    };
    if (!count) return judged;
    Floats of_page_words(static_cast<size_t>(embedding_)), of_page, x(rows * width), embedded, y, z, hidden;
    Rows<PAGE_WORDS> page_words;
    page_words.add_words(embeddings("page_words"), columns.page_words.data(), PAGE_WORDS);
    page_words.put(of_page_words.data(), embedding_);
    scale(of_page_words.data(), embedding_, 1 / static_cast<float>(std::max(1, page_words.count)));
    apply("page", of_page_words, 1, of_page, false, false);
    const Weights &bias = array("numbers.b");
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < width; k++) x[i * width + k] = of_page[k] + bias.values[k];
    put_numbers(columns, x);
    const Dense of_embedded = dense("embedded");
    const Floats of_kinds = kinds_of(columns);
    in_blocks(count, [&](size_t first, int size) {
        embed(lines, columns, of_kinds, first, first + static_cast<size_t>(size), embedded);
        apply_to_block(of_embedded, embedded.data(), size, &x[first * width], true, true);
    });
    apply("two", x, count, y, false, true);
    x.swap(y);

    const Weights &dilations = array("dilations"), &mixed = array("mixed");
    Floats pooled(2 * width), change, values, mean;
    y.resize(rows * width);
    z.resize(rows * width);
    int mix = 0;
    for (int layer = 0; layer < dilations.rows(); layer++) {
        const std::string name = "conv" + std::to_string(layer);
        normalise(x.data(), array(name + ".gain").values.data(), y.data(), count, width_);
        const Weights &kernel = array(name + ".kernel");
        const int step = static_cast<int>(dilations.values[static_cast<size_t>(layer)]);
        std::fill(z.begin(), z.end(), 0.f);
        for (int i = 0; i < count; i++) {
            Product products[KERNEL];
            int number = 0;
            for (int k = 0; k < KERNEL; k++) {
                const int from = i - (BEFORE - k) * step;
                if (from < 0 || from >= count) continue;
                products[number++] = {&y[static_cast<size_t>(from) * width], &kernel.values[static_cast<size_t>(k) * width]};
            }
            add_products(&z[static_cast<size_t>(i) * width], products, number, width_);
        }
        const Dense in = dense(name + ".in"), out = dense(name + ".out");
        hidden.resize(static_cast<size_t>(ROWS) * static_cast<size_t>(in.weights->outputs));
        in_blocks(count, [&](size_t first, int size) {
            apply_to_block(in, &z[first * width], size, hidden.data(), false, true);
            apply_to_block(out, hidden.data(), size, &x[first * width], true, false);
        });
        if (std::find(mixed.values.begin(), mixed.values.end(), static_cast<float>(layer)) == mixed.values.end()) continue;
        const std::string mix_name = "mix" + std::to_string(mix++);
        normalise(x.data(), array(mix_name + ".gain").values.data(), y.data(), count, width_);
        pool(y, count, width_, pooled.data());
        apply(mix_name + ".page", pooled, 1, change, false, true);
        apply(mix_name + ".values", y, count, values, false, false);
        const std::vector<int32_t> *groups[] = {&columns.paths, &columns.parents, &columns.grandparents};
        mean.assign(rows * 3 * GROUPED, 0.f);
        for (size_t grouping = 0; grouping < 3; grouping++) {
            const std::vector<int32_t> &of = *groups[grouping];
            const auto group_count = static_cast<size_t>(*std::max_element(of.begin(), of.end())) + 1;
            Floats sums(group_count * GROUPED);
            std::vector<int> sizes(group_count);
            for (size_t i = 0; i < rows; i++) {
                sizes[static_cast<size_t>(of[i])]++;
                add_all(&sums[static_cast<size_t>(of[i]) * GROUPED], &values[(i * 3 + grouping) * GROUPED], GROUPED);
            }
            for (size_t i = 0; i < rows; i++) {
                const auto group = static_cast<size_t>(of[i]);
                for (size_t k = 0; k < GROUPED; k++)
                    mean[(i * 3 + grouping) * GROUPED + k] = sums[group * GROUPED + k] / static_cast<float>(sizes[group]);
            }
        }
        apply(mix_name + ".out", mean, count, x, true, false);
        for (size_t i = 0; i < rows; i++) add_all(&x[i * width], change.data(), width_);
    }
    apply("hidden", x, count, y, false, true);
    apply("roles", y, count, judged.of_roles, false, false);
    pool(x, count, width_, pooled.data());
    pooled.insert(pooled.end(), of_page_words.begin(), of_page_words.end());
    apply("kinds", pooled, 1, hidden, false, true);
    apply("kind", hidden, 1, judged.of_kinds, false, false);
    return judged;
}

}  // namespace detourage
