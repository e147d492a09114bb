// The network that reads the lines of a page.
#pragma once
#include <map>
#include <new>
#include <string>
#include <vector>

#include "network_inputs.hpp"

namespace detourage {

// Allocates memory that is aligned for vector instructions.
template <typename T> struct Aligned {
    using value_type = T;
    Aligned() = default;
    template <typename U> Aligned(const Aligned<U> &) {}
    T *allocate(size_t count) { return static_cast<T *>(::operator new(count * sizeof(T), std::align_val_t{64})); }
    void deallocate(T *from, size_t) { ::operator delete(from, std::align_val_t{64}); }
    bool operator==(const Aligned &) const = default;
};

using Floats = std::vector<float, Aligned<float>>;

// A named array of the model file.
struct Weights {
    std::vector<int> shape;
    Floats values;
    int rows() const { return shape.empty() ? 0 : shape[0]; }
    int width() const { return shape.size() < 2 ? 1 : shape[1]; }
};

// Embeddings, which stay in the model file, so that processes share its memory and only the rows that
// a page needs are read. Each row is a scale followed by signed bytes.
struct Embeddings {
    const char *rows;
    int count, width;
    const char *row(size_t number) const { return rows + number * (sizeof(float) + static_cast<size_t>(width)); }
};

// Outputs of the network for the lines of a page, and for the page.
struct Judged {
    Floats of_roles;      // lines × roles, logits
    Floats of_kinds;      // logits
};

class Network {
  public:
    // Read a model file, which must outlive the network; throws std::runtime_error if it is damaged.
    Network(const char *data, size_t size);

    // Weights as whole numbers, in strips of outputs and there in pairs of inputs, with the scale of each
    // output. The numbers of inputs and outputs are multiples of 16.
    struct Packed {
        enum : int { STRIP = 16 };
        int inputs = 0, outputs = 0;
        std::vector<int16_t, Aligned<int16_t>> values;
        Floats scales;
        // The weights of an output for the first pair of inputs.
        const int16_t *of(int output) const {
            return values.data() + static_cast<ptrdiff_t>(output / STRIP) * inputs * STRIP + output % STRIP * 2;
        }
    };

    Judged judge(const Lines &lines, const Columns &columns) const;

  private:
    struct Dense {
        const Packed *weights;
        const Weights *bias;
    };
    void check();
    void read_pieces();
    const Weights &array(const std::string &name) const;
    const Embeddings &embeddings(const std::string &name) const;
    Dense dense(const std::string &name) const { return {&packed_.at(name + ".w"), &array(name + ".b")}; }
    Floats kinds_of(const Columns &columns) const;
    void embed(const Lines &lines, const Columns &columns, const Floats &of_kinds, size_t first, size_t end,
               Floats &out) const;
    void put_numbers(const Columns &columns, Floats &out) const;

    std::map<std::string, Weights> arrays_;
    std::map<std::string, Embeddings> embeddings_;
    std::map<std::string, Packed> packed_;
    int width_ = 0, embedding_ = 0;
    // Each column of numbers is piecewise linear. For each piece, the table has a row with the sum of the
    // weights of all lower pieces and the weights of this piece, so only one row is read per number. All
    // columns have the same number of knots, padded with NaN, which no number reaches.
    Floats table_, knots_, widths_;
    int most_knots_ = 0;
    std::vector<int> piece_starts_;
};

}  // namespace detourage
