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

// Weights as whole numbers, in pairs of inputs, and the scale of each output.
constexpr float MAX_ACTIVATION = 2047, MAX_WEIGHT = 1023;
using Packed = Network::Packed;
struct Rounded {
    const int16_t *values;
    const float *scales;
};

// A part of the weights of a column, to be added to the sum of the parts below it.
struct Piece {
    const float *sum, *weights;
    float part;
};

namespace plain {
#define LANES 4
#ifdef __SSE2__
#define MULTIPLY_PAIRS(one, other) ((Ints)_mm_madd_epi16((__m128i)(one), (__m128i)(other)))
#endif
#include "kernels.inc"
#undef LANES
#undef MULTIPLY_PAIRS
}
#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace avx2 {
#define LANES 8
#define MULTIPLY_PAIRS(one, other) ((Ints)_mm256_madd_epi16((__m256i)(one), (__m256i)(other)))
#include "kernels.inc"
#undef LANES
#undef MULTIPLY_PAIRS
}
#pragma GCC pop_options
#define DETOURAGE_DISPATCHED(name, ...) (has_avx2() ? avx2::name(__VA_ARGS__) : plain::name(__VA_ARGS__))
bool has_avx2() {
    static const bool has = __builtin_cpu_supports("avx2");
    return has;
}
#else
#define DETOURAGE_DISPATCHED(name, ...) plain::name(__VA_ARGS__)
#endif

// Number of rows that pass through a layer together: what lies between two layers stays in the cache,
// and the memory for it does not grow with the page.
constexpr int ROWS = 512;

// out = x · w + b, or out += x · w + b, for at most ROWS rows.
void multiply(const float *x, int rows, const Packed &w, const float *b, float *out, bool is_added, bool is_rectified) {
    thread_local std::vector<int16_t> values;
    thread_local std::vector<float> scales;
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
    const auto inputs = static_cast<size_t>(made.inputs), outputs = static_cast<size_t>(made.outputs);
    made.scales.resize(outputs);
    made.values.resize(inputs * outputs);
    for (size_t column = 0; column < outputs; column++) {
        float most = 1e-9f;
        for (size_t k = 0; k < inputs; k++) most = std::max(most, std::fabs(weights.values[k * outputs + column]));
        made.scales[column] = most / MAX_WEIGHT;
    }
    for (size_t k = 0; k < inputs; k++)
        for (size_t column = 0; column < outputs; column++)
            made.values[(k / 2 * outputs + column) * 2 + k % 2] =
                static_cast<int16_t>(rounded(weights.values[k * outputs + column] / made.scales[column]));
    return made;
}

void add_scaled(float *to, const float *from, const float *scale, int count) {
    DETOURAGE_DISPATCHED(add_scaled, to, from, scale, count);
}
void add_pieces(float *to, const Piece *pieces, int number, int count) {
    DETOURAGE_DISPATCHED(add_pieces, to, pieces, number, count);
}
void add_rows(float *to, const char *const *rows, int number, int count) {
    DETOURAGE_DISPATCHED(add_rows, to, rows, number, count);
}
void add_all(float *to, const float *from, int count) { DETOURAGE_DISPATCHED(add_all, to, from, count); }
void normalise(const float *x, const float *gain, float *out, int rows, int width) {
    DETOURAGE_DISPATCHED(normalise, x, gain, out, rows, width);
}

// Mean and maximum of all rows.
void pool(const std::vector<float> &x, int rows, int width, float *out) {
    std::fill_n(out, width, 0.f);
    std::fill_n(out + width, width, -9.f);
    for (int row = 0; row < rows; row++) {
        const float *from = &x[static_cast<size_t>(row) * static_cast<size_t>(width)];
        for (int i = 0; i < width; i++) {
            out[i] += from[i];
            out[width + i] = std::max(out[width + i], from[i]);
        }
    }
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
        if (static_cast<size_t>(end_ - at_) < count) throw std::runtime_error("the model file is cut off");
        const char *from = at_;
        at_ += count;
        return from;
    }

  private:
    const char *at_, *end_;
};

enum : int { POSITIONS = 3, PAIRS = 5, KERNEL = 5, BEFORE = KERNEL / 2, PARTS = 8, GROUPED = 32 };
// The numbers of outputs are padded to a multiple, for the kernels.
constexpr int PADDED = 16;
constexpr char MAGIC[] = "detourage-reader-1\n";
enum Stored : uint8_t { FLOATS, HALVES, BYTES };
constexpr size_t MAX_VALUES = 1 << 24;

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
    // Sum up the weights of each column's pieces, so that a value costs one row.
    const Weights &columns = array("piece.column"), &weights = array("numbers.w");
    numbers_ = &weights;
    knots_ = array("piece.low").values;
    widths_ = array("piece.width").values;
    const auto width = static_cast<size_t>(width_);
    const size_t count = columns.values.size();
    std::vector<float> sum(width);
    int column = -1;
    for (size_t i = 0; i < count; i++) {
        while (column < static_cast<int>(columns.values[i])) {
            column++;
            piece_starts_.push_back(static_cast<int>(i));
            std::fill(sum.begin(), sum.end(), 0.f);
        }
        for (size_t k = 0; k < width; k++) {
            pieces_.push_back(sum[k]);
            sum[k] += weights.values[i * width + k];
        }
    }
    piece_starts_.push_back(static_cast<int>(count));
}

// The arrays that `judge` uses have the shapes that it relies on.
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

constexpr int MAX_WORDS = std::max({int{FIRST_WORDS}, int{LAST_WORDS}, int{SHAPES}, int{NAMES}, int{LINK_WORDS}, int{PAGE_WORDS}});

// Add the embeddings of at most `MAX_WORDS` hashed words; 0 means none. Returns their number.
int add_words(const Embeddings &table, const uint16_t *words, int count, float *out) {
    const char *rows[MAX_WORDS];
    int found = 0;
    for (int i = 0; i < count; i++)
        if (words[i]) rows[found++] = table.row(static_cast<size_t>(words[i] % table.count));
    add_rows(out, rows, found, table.width);
    return found;
}

void scale(float *out, int width, float by) {
    for (int i = 0; i < width; i++) out[i] *= by;
}

// Hashes of the first words with their positions, and of neighbouring words.
int positions_and_pairs(const uint16_t *words, uint32_t rows, uint32_t *out) {
    int count = 0;
    for (uint32_t i = 0; i < POSITIONS; i++)
        if (words[i]) out[count++] = (words[i] * 31u + i * 7919u + 1) % rows;
    for (int i = 0; i < PAIRS; i++)
        if (words[i] && words[i + 1]) out[count++] = (words[i] * 40503u + words[i + 1] + 1) % rows;
    return count;
}

}  // namespace

void Network::put_numbers(const Columns &columns, std::vector<float> &out) const {
    const size_t count = columns.paths.size();
    const auto width = static_cast<size_t>(width_);
    std::vector<Piece> pieces(static_cast<size_t>(columns.width + KNOWN));
    int used = 0;
    // Without branches on the values, which no processor could predict.
    const auto put = [&](size_t column, float value) {
        const auto first = static_cast<size_t>(piece_starts_[column]), end = static_cast<size_t>(piece_starts_[column + 1]);
        size_t at = first;
        for (size_t next = first + 1; next < end; next++) at += value >= knots_[next];
        const float part = std::clamp((value - knots_[at]) / widths_[at], 0.f, 1.f);
        pieces[static_cast<size_t>(used)] = {&pieces_[at * width], &numbers_->values[at * width], part};
        used += at != first || part != 0.f;
    };
    const auto own = static_cast<size_t>(columns.width);
    if (piece_starts_.size() != own + KNOWN + 1)
        throw std::runtime_error("the model was trained on other columns: train it again");
    for (size_t line = 0; line < count; line++) {
        used = 0;
        for (size_t i = 0; i < own; i++) put(i, columns.numbers[line * own + i]);
        for (size_t i = 0; i < KNOWN && !columns.known.empty(); i++) put(own + i, columns.known[line * KNOWN + i]);
        add_pieces(&out[line * width], pieces.data(), used, width_);
    }
}

// A vector for each distinct kind of element.
std::vector<float> Network::kinds_of(const Columns &columns) const {
    const auto width = static_cast<size_t>(embedding_);
    const Embeddings &names = embeddings("names");
    const size_t kinds = columns.names.size() / NAMES;
    std::vector<float> of_kinds(kinds * width);
    for (size_t kind = 1; kind < kinds; kind++) {
        float *to = &of_kinds[kind * width];
        const int found = add_words(names, &columns.names[kind * NAMES], NAMES, to);
        scale(to, embedding_, 1 / std::sqrt(static_cast<float>(std::max(1, found))));
    }
    return of_kinds;
}

void Network::embed(const Lines &lines, const Columns &columns, const std::vector<float> &of_kinds, size_t first,
                    size_t end, std::vector<float> &out) const {
    const auto width = static_cast<size_t>(embedding_);
    const Embeddings &words = embeddings("words"), &positions = embeddings("positions"), &signs = embeddings("signs");
    const Weights &levels = array("levels");
    out.assign((end - first) * width * PARTS, 0.f);
    for (size_t i = first; i < end; i++) {
        const Line &line = lines.lines[i];
        float *to = &out[(i - first) * width * PARTS];
        const auto part = [&](size_t number) { return to + number * width; };
        scale(part(0), embedding_, 1 / static_cast<float>(std::max(1, add_words(words, line.words, FIRST_WORDS, part(0)))));
        scale(part(1), embedding_, 1 / static_cast<float>(std::max(1, add_words(words, line.words + FIRST_WORDS, LAST_WORDS, part(1)))));
        uint32_t found[POSITIONS + PAIRS];
        const int count = positions_and_pairs(line.words, static_cast<uint32_t>(positions.count), found);
        const char *rows[POSITIONS + PAIRS];
        for (int k = 0; k < count; k++) rows[k] = positions.row(found[k]);
        add_rows(part(2), rows, count, embedding_);
        scale(part(2), embedding_, 1 / std::sqrt(static_cast<float>(std::max(1, count))));
        int given = add_words(signs, line.shapes, SHAPES, part(3));
        given += add_words(signs, &columns.link_words[i * LINK_WORDS], LINK_WORDS, part(3));
        scale(part(3), embedding_, 1 / std::sqrt(static_cast<float>(std::max(1, given))));
        const uint16_t *places = &columns.places[i * PLACES];
        const auto kind = [&](int place) { return &of_kinds[places[place] * width]; };
        add_all(part(4), kind(0), embedding_);
        add_all(part(5), kind(1), embedding_);
        for (int level = 2; level < LEVELS; level++)
            add_scaled(part(6), kind(level), &levels.values[static_cast<size_t>(level - 2) * width], embedding_);
        add_all(part(7), kind(LEVELS), embedding_);
        add_all(part(7), kind(LEVELS + 1), embedding_);
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
    const auto apply = [&](const std::string &name, const std::vector<float> &x, int number, std::vector<float> &out,
                           bool is_added, bool is_rectified) {
        const Dense dense = this->dense(name);
        const auto inputs = static_cast<size_t>(dense.weights->inputs), outputs = static_cast<size_t>(dense.weights->outputs);
        if (!is_added) out.resize(static_cast<size_t>(number) * outputs);
        in_blocks(number, [&](size_t first, int size) {
            apply_to_block(dense, &x[first * inputs], size, &out[first * outputs], is_added, is_rectified);
        });
    };
    if (!count) return judged;
    std::vector<float> said(static_cast<size_t>(embedding_)), of_page, x(rows * width), embedded, y, z, hidden;
    const int given = add_words(embeddings("page_words"), columns.page_words.data(), PAGE_WORDS, said.data());
    scale(said.data(), embedding_, 1 / static_cast<float>(std::max(1, given)));
    apply("page", said, 1, of_page, false, false);
    const Weights &bias = array("numbers.b");
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < width; k++) x[i * width + k] = of_page[k] + bias.values[k];
    put_numbers(columns, x);
    const Dense of_embedded = dense("embedded");
    const std::vector<float> of_kinds = kinds_of(columns);
    in_blocks(count, [&](size_t first, int size) {
        embed(lines, columns, of_kinds, first, first + static_cast<size_t>(size), embedded);
        apply_to_block(of_embedded, embedded.data(), size, &x[first * width], true, true);
    });
    apply("two", x, count, y, false, true);
    x.swap(y);

    const Weights &dilations = array("dilations"), &mixed = array("mixed");
    std::vector<float> pooled(2 * width), change, values, mean;
    y.resize(rows * width);
    z.resize(rows * width);
    int mix = 0;
    for (int layer = 0; layer < dilations.rows(); layer++) {
        const std::string name = "conv" + std::to_string(layer);
        normalise(x.data(), array(name + ".gain").values.data(), y.data(), count, width_);
        const Weights &kernel = array(name + ".kernel");
        const int step = static_cast<int>(dilations.values[static_cast<size_t>(layer)]);
        std::fill(z.begin(), z.end(), 0.f);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < KERNEL; k++) {
                const int from = i - (BEFORE - k) * step;
                if (from < 0 || from >= count) continue;
                add_scaled(&z[static_cast<size_t>(i) * width], &y[static_cast<size_t>(from) * width],
                           &kernel.values[static_cast<size_t>(k) * width], width_);
            }
        const Dense in = dense(name + ".in"), out = dense(name + ".out");
        hidden.resize(static_cast<size_t>(ROWS) * static_cast<size_t>(in.weights->outputs));
        in_blocks(count, [&](size_t first, int size) {
            apply_to_block(in, &z[first * width], size, hidden.data(), false, true);
            apply_to_block(out, hidden.data(), size, &x[first * width], true, false);
        });
        if (std::find(mixed.values.begin(), mixed.values.end(), static_cast<float>(layer)) == mixed.values.end()) continue;
        const std::string its = "mix" + std::to_string(mix++);
        normalise(x.data(), array(its + ".gain").values.data(), y.data(), count, width_);
        pool(y, count, width_, pooled.data());
        apply(its + ".page", pooled, 1, change, false, true);
        apply(its + ".values", y, count, values, false, false);
        const std::vector<int32_t> *groups[] = {&columns.paths, &columns.parents, &columns.grandparents};
        mean.assign(rows * 3 * GROUPED, 0.f);
        for (size_t sort = 0; sort < 3; sort++) {
            const std::vector<int32_t> &of = *groups[sort];
            const auto number = static_cast<size_t>(*std::max_element(of.begin(), of.end())) + 1;
            std::vector<float> sums(number * GROUPED);
            std::vector<int> sizes(number);
            for (size_t i = 0; i < rows; i++) {
                sizes[static_cast<size_t>(of[i])]++;
                add_all(&sums[static_cast<size_t>(of[i]) * GROUPED], &values[(i * 3 + sort) * GROUPED], GROUPED);
            }
            for (size_t i = 0; i < rows; i++) {
                const auto group = static_cast<size_t>(of[i]);
                for (size_t k = 0; k < GROUPED; k++)
                    mean[(i * 3 + sort) * GROUPED + k] = sums[group * GROUPED + k] / static_cast<float>(sizes[group]);
            }
        }
        apply(its + ".out", mean, count, x, true, false);
        for (size_t i = 0; i < rows; i++) add_all(&x[i * width], change.data(), width_);
    }
    apply("hidden", x, count, y, false, true);
    apply("roles", y, count, judged.of_roles, false, false);
    pool(x, count, width_, pooled.data());
    pooled.insert(pooled.end(), said.begin(), said.end());
    apply("kinds", pooled, 1, hidden, false, true);
    apply("kind", hidden, 1, judged.of_kinds, false, false);
    return judged;
}

}  // namespace detourage
