/* Layers of a network over the lines of a page. All numbers are integers (activations in units of 2**-10,
 * weights in units of 2**-12), so sums are exact and do not depend on the order of additions.
 *
 * Nearly always, activations fit into 16 bits and no sum of the layer can exceed 32 bits. In this case,
 * a few rows are multiplied by a block of outputs at a time, with two inputs per instruction. Otherwise,
 * sums have 64 bits.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(_M_X64)
#define HAVE_SSE2 1
#include <immintrin.h>
#if defined(__GNUC__)
#define HAVE_AVX2 1
#endif
#endif

enum { TOGETHER = 4, BLOCK = 16, BESIDE = 3, ACTIVATIONS_PER_WEIGHT = 4 };

static const int32_t MOST = 1 << 20;
static const double EPSILON = 1e-5 * (1 << 20);

/* Weights are ordered by block of outputs, then by pair of inputs, then by output. Missing inputs and
 * outputs are padded with zeros. */
typedef struct {
    const int16_t *weights, *biases;
    Py_ssize_t inputs, outputs;
    int32_t lowest, fitting;
} Layer;

static Py_ssize_t pairs_of(const Layer *layer) { return (layer->inputs + 1) / 2; }
static Py_ssize_t blocks_of(const Layer *layer) { return (layer->outputs + BLOCK - 1) / BLOCK; }

/* Return the largest activation for which no sum, including bias and rounding, exceeds 32 bits. */
static int32_t fitting(const Layer *layer) {
    int32_t most = 1;
    const int16_t *weight = layer->weights;
    for (Py_ssize_t block = 0; block < blocks_of(layer); block++) {
        int32_t sums[BLOCK] = {0};
        for (Py_ssize_t pair = 0; pair < pairs_of(layer); pair++, weight += 2 * BLOCK)
            for (int i = 0; i < BLOCK; i++) sums[i] += abs(weight[2 * i]) + abs(weight[2 * i + 1]);
        for (int i = 0; i < BLOCK; i++) most = sums[i] > most ? sums[i] : most;
    }
    const int32_t found = (INT32_MAX - (1 << 26)) / most;
    return found < INT16_MAX ? found : INT16_MAX;
}

static int32_t bounded(int64_t value, int32_t lowest) {
    return (int32_t)(value < lowest ? lowest : value > MOST ? MOST : value);
}

/* Round to the nearest activation, half to even. Adding `far` rounds, because doubles above 2**52 have no
 * fraction. */
static int32_t nearest(double value) {
    const double far = 6755399441055744.0;
    value = value < -MOST ? -MOST : value > MOST ? MOST : value;
    return (int32_t)((value + far) - far);
}

/* Sum products for `TOGETHER` rows and a block of outputs, a pair of activations at a time. */
typedef void Multiply(const int16_t *rows, Py_ssize_t pairs, const int16_t *weights, int32_t *sums);

#if !HAVE_SSE2
static void multiply(const int16_t *rows, Py_ssize_t pairs, const int16_t *weights, int32_t *sums) {
    memset(sums, 0, TOGETHER * BLOCK * sizeof *sums);
    for (Py_ssize_t pair = 0; pair < pairs; pair++, weights += 2 * BLOCK)
        for (int row = 0; row < TOGETHER; row++) {
            const int16_t *at = rows + 2 * (row * pairs + pair);
            for (int i = 0; i < BLOCK; i++)
                sums[row * BLOCK + i] += (int32_t)at[0] * weights[2 * i] + (int32_t)at[1] * weights[2 * i + 1];
        }
}
static Multiply *fastest(void) { return multiply; }
#else

/* Process two vectors of outputs at a time, so that all sums stay in registers. */
#define MULTIPLY(name, attribute, vector, load, store, zero, add, multiply_pairs, splat)                        \
    attribute static void name(const int16_t *rows, Py_ssize_t pairs, const int16_t *weights, int32_t *sums) { \
        enum { LANES = sizeof(vector) / sizeof(int32_t) };                                                      \
        for (int first = 0; first < BLOCK; first += 2 * LANES) {                                                \
            vector left[TOGETHER], right[TOGETHER];                                                             \
            for (int row = 0; row < TOGETHER; row++) left[row] = right[row] = zero();                           \
            const int16_t *weight = weights + 2 * first;                                                        \
            for (Py_ssize_t pair = 0; pair < pairs; pair++, weight += 2 * BLOCK) {                              \
                const vector p = load((const void *)weight), q = load((const void *)(weight + 2 * LANES));      \
                for (int row = 0; row < TOGETHER; row++) {                                                      \
                    int32_t both;                                                                               \
                    memcpy(&both, rows + 2 * (row * pairs + pair), sizeof both);                                \
                    const vector activations = splat(both);                                                     \
                    left[row] = add(left[row], multiply_pairs(activations, p));                                 \
                    right[row] = add(right[row], multiply_pairs(activations, q));                               \
                }                                                                                               \
            }                                                                                                   \
            for (int row = 0; row < TOGETHER; row++) {                                                          \
                store((void *)(sums + row * BLOCK + first), left[row]);                                         \
                store((void *)(sums + row * BLOCK + first + LANES), right[row]);                                \
            }                                                                                                   \
        }                                                                                                       \
    }

MULTIPLY(multiply_sse2, , __m128i, _mm_loadu_si128, _mm_storeu_si128, _mm_setzero_si128, _mm_add_epi32,
         _mm_madd_epi16, _mm_set1_epi32)
#if HAVE_AVX2
MULTIPLY(multiply_avx2, __attribute__((target("avx2"))), __m256i, _mm256_loadu_si256, _mm256_storeu_si256,
         _mm256_setzero_si256, _mm256_add_epi32, _mm256_madd_epi16, _mm256_set1_epi32)
#endif

static Multiply *fastest(void) {
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) return multiply_avx2;
#endif
    return multiply_sse2;
}
#endif

static int64_t wide_sum(const int32_t *row, Py_ssize_t inputs, const int16_t *weights) {
    int64_t sum = 0;
    for (Py_ssize_t i = 0; i < inputs; i++) sum += (int64_t)row[i] * weights[i / 2 * 2 * BLOCK + i % 2];
    return sum;
}

/* Add biases to sums of products and round to activations, half to even. */
static void round_off(const int32_t *sums, const int16_t *biases, int outputs, int32_t lowest, int32_t *answer) {
    for (int i = 0; i < outputs; i++) {
        const int32_t sum = sums[i] + biases[i] * (1 << 10);
        const int32_t found = (sum + (1 << 11) - 1 + (sum >> 12 & 1)) >> 12;
        answer[i] = found < lowest ? lowest : found > MOST ? MOST : found;
    }
}

static int32_t round_off_wide(int64_t sum, int16_t bias, int32_t lowest) {
    sum += (int64_t)bias * (1 << 10);
    return bounded((sum + (1 << 11) - 1 + (sum >> 12 & 1)) >> 12, lowest);
}

/* Compute the outputs of at most `TOGETHER` rows, with a buffer for their activations in 16 bits. */
static void apply(const Layer *layer, const int32_t *rows, Py_ssize_t count, int32_t *answer, int16_t *room) {
    const Py_ssize_t inputs = layer->inputs, outputs = layer->outputs, pairs = pairs_of(layer);
    int32_t least = 0, most = 0;
    memset(room, 0, (size_t)(2 * pairs * TOGETHER) * sizeof *room);
    for (Py_ssize_t row = 0; row < count; row++)
        for (Py_ssize_t i = 0; i < inputs; i++) {
            const int32_t value = rows[row * inputs + i];
            least = value < least ? value : least;
            most = value > most ? value : most;
            room[row * 2 * pairs + i] = (int16_t)value;
        }
    const int fits = least >= -layer->fitting && most <= layer->fitting;
    Multiply *const multiply = fastest();
    for (Py_ssize_t first = 0; first < outputs; first += BLOCK) {
        const int16_t *weights = layer->weights + first * 2 * pairs, *biases = layer->biases + first;
        const int several = (int)(outputs - first < BLOCK ? outputs - first : BLOCK);
        int32_t sums[TOGETHER * BLOCK];
        if (fits) multiply(room, pairs, weights, sums);
        for (Py_ssize_t row = 0; row < count; row++) {
            int32_t *found = answer + row * outputs + first;
            if (fits) {
                round_off(sums + row * BLOCK, biases, several, layer->lowest, found);
                continue;
            }
            for (int i = 0; i < several; i++)
                found[i] = round_off_wide(wide_sum(rows + row * inputs, inputs, weights + 2 * i), biases[i],
                                          layer->lowest);
        }
    }
}

static int16_t *room_for(const Layer *layer) {
    return malloc((size_t)(2 * pairs_of(layer) * TOGETHER) * sizeof(int16_t));
}

static int apply_to_all(const Layer *layer, const int32_t *rows, Py_ssize_t count, int32_t *answer) {
    int16_t *room = room_for(layer);
    const int is_done = room != NULL;
    for (Py_ssize_t first = 0; is_done && first < count; first += TOGETHER) {
        const Py_ssize_t several = count - first < TOGETHER ? count - first : TOGETHER;
        apply(layer, rows + first * layer->inputs, several, answer + first * layer->outputs, room);
    }
    free(room);
    return is_done;
}

/* Normalise a row to mean 0 and variance 1, then scale and shift it. */
static void normalise(const int32_t *row, Py_ssize_t width, const int16_t *scales, const int16_t *shifts,
                      int32_t *answer) {
    int64_t sum = 0, squares = 0;
    for (Py_ssize_t i = 0; i < width; i++) {
        sum += row[i];
        squares += (int64_t)row[i] * row[i];
    }
    const double mean = (double)sum / (double)width;
    const double squared = mean * mean, variance = (double)squares / (double)width - squared;
    const double deviation = sqrt((variance > 0 ? variance : 0) + EPSILON);
    for (Py_ssize_t i = 0; i < width; i++) {
        const double scaled = (row[i] - mean) / deviation * scales[i];
        answer[i] = nearest((scaled + shifts[i]) / ACTIVATIONS_PER_WEIGHT);
    }
}

typedef struct {
    const int16_t *scales, *shifts;
    Py_ssize_t width, dilation;
} Around;

static int convolve(const Layer *layer, const Around *around, const int32_t *rows, Py_ssize_t count,
                    int32_t *answer) {
    const Py_ssize_t width = around->width;
    const size_t size = (size_t)width * sizeof(int32_t);
    int32_t *normal = malloc((size_t)count * size + 1);
    int32_t *beside = malloc(TOGETHER * BESIDE * size);
    int16_t *room = room_for(layer);
    const int is_done = normal && beside && room;
    for (Py_ssize_t row = 0; is_done && row < count; row++)
        normalise(rows + row * width, width, around->scales, around->shifts, normal + row * width);
    for (Py_ssize_t first = 0; is_done && first < count; first += TOGETHER) {
        const Py_ssize_t several = count - first < TOGETHER ? count - first : TOGETHER;
        for (Py_ssize_t place = 0; place < several * BESIDE; place++) {
            const Py_ssize_t row = first + place / BESIDE + (place % BESIDE - 1) * around->dilation;
            int32_t *to = beside + place * width;
            if (row < 0 || row >= count)
                memset(to, 0, size);
            else
                memcpy(to, normal + row * width, size);
        }
        int32_t *found = answer + first * width;
        apply(layer, beside, several, found, room);
        for (Py_ssize_t i = 0; i < several * width; i++)
            found[i] = bounded((int64_t)found[i] + rows[first * width + i], -MOST);
    }
    free(room);
    free(normal);
    free(beside);
    return is_done;
}

/* Set a layer's buffers and allocate the result for its rows. Return NULL if the sizes do not match. */
static PyObject *prepare(Layer *layer, const Py_buffer *weights, const Py_buffer *biases, Py_ssize_t rows) {
    const Py_ssize_t weight = (Py_ssize_t)sizeof(int16_t);
    layer->weights = weights->buf, layer->biases = biases->buf;
    layer->outputs = biases->len / weight;
    if (layer->inputs < 1 || layer->inputs > INT16_MAX || layer->outputs < 1 ||
        weights->len != blocks_of(layer) * pairs_of(layer) * 2 * BLOCK * weight) {
        PyErr_SetString(PyExc_ValueError, "invalid layer: the sizes of weights, biases and inputs do not match");
        return NULL;
    }
    layer->fitting = fitting(layer);
    return PyBytes_FromStringAndSize(NULL, rows * layer->outputs * (Py_ssize_t)sizeof(int32_t));
}

static PyObject *unless_out_of_memory(PyObject *answer, int is_done) {
    if (is_done) return answer;
    Py_XDECREF(answer);
    return PyErr_NoMemory();
}

PyDoc_STRVAR(linear_doc,
             "linear(rows, inputs, weights, biases, lowest) -> bytes\n\n"
             "Return the outputs for rows as int32, clipped to a lower limit. Rows are int32, with a\n"
             "given number of inputs. Weights are int16, ordered by block of 16 outputs, pair of inputs\n"
             "and output, and padded with zeros. Biases are int16.");

static PyObject *layers_linear(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer rows, weights, biases;
    Layer layer;
    int lowest, is_done = 0;
    if (!PyArg_ParseTuple(args, "y*ny*y*i", &rows, &layer.inputs, &weights, &biases, &lowest)) return NULL;
    const Py_ssize_t number = (Py_ssize_t)sizeof(int32_t);
    const Py_ssize_t count = layer.inputs > 0 ? rows.len / number / layer.inputs : 0;
    layer.lowest = lowest;
    PyObject *answer = prepare(&layer, &weights, &biases, count);
    if (answer != NULL) {
        int32_t *found = (int32_t *)PyBytes_AsString(answer);
        Py_BEGIN_ALLOW_THREADS
        is_done = apply_to_all(&layer, rows.buf, count, found);
        Py_END_ALLOW_THREADS
        answer = unless_out_of_memory(answer, is_done);
    }
    PyBuffer_Release(&rows);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&biases);
    return answer;
}

PyDoc_STRVAR(convolution_doc,
             "convolution(rows, scales, shifts, weights, biases, dilation) -> bytes\n\n"
             "Return, as int32, each row plus the layer's output for this row and those `dilation` rows\n"
             "before and after it. Rows are int32; everything else is int16 (see `linear`).");

static PyObject *layers_convolution(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer rows, scales, shifts, weights, biases;
    Layer layer;
    Around around;
    int is_done = 0;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*n", &rows, &scales, &shifts, &weights, &biases, &around.dilation))
        return NULL;
    PyObject *answer = NULL;
    around.scales = scales.buf, around.shifts = shifts.buf;
    around.width = scales.len / (Py_ssize_t)sizeof(int16_t);
    const Py_ssize_t count = around.width ? rows.len / (Py_ssize_t)sizeof(int32_t) / around.width : 0;
    layer.lowest = 0;
    layer.inputs = BESIDE * around.width;
    if (biases.len != scales.len || shifts.len != scales.len || around.dilation < 1 || around.dilation > INT16_MAX) {
        PyErr_SetString(PyExc_ValueError, "invalid convolution: check the dilation and the sizes of scales, shifts and biases");
        goto done;
    }
    answer = prepare(&layer, &weights, &biases, count);
    if (answer == NULL) goto done;
    int32_t *found = (int32_t *)PyBytes_AsString(answer);
    Py_BEGIN_ALLOW_THREADS
    is_done = convolve(&layer, &around, rows.buf, count, found);
    Py_END_ALLOW_THREADS
    answer = unless_out_of_memory(answer, is_done);
done:
    PyBuffer_Release(&rows);
    PyBuffer_Release(&scales);
    PyBuffer_Release(&shifts);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&biases);
    return answer;
}

static int add_vectors(const int32_t *numbers, Py_ssize_t words, const int16_t *table, Py_ssize_t known,
                       Py_ssize_t size, int32_t *answer) {
    Py_ssize_t count = 0;
    memset(answer, 0, (size_t)size * sizeof(int32_t));
    for (Py_ssize_t word = 0; word < words; word++) {
        if (numbers[word] < 0 || numbers[word] >= known) return 0;
        count += numbers[word] != 0;
        const int16_t *vector = table + numbers[word] * size;
        for (Py_ssize_t i = 0; i < size; i++) answer[i] += vector[i];
    }
    for (Py_ssize_t i = 0; i < size; i++)
        answer[i] = nearest((double)answer[i] / (double)(count ? count : 1) / ACTIVATIONS_PER_WEIGHT);
    return 1;
}

PyDoc_STRVAR(means_doc,
             "means(numbers, table, rows, size) -> bytes\n\n"
             "Return the mean vector of each row's words as int32. The numbers of the words are int32;\n"
             "rows are padded with 0 to the same length. The table is int16, with one vector per word.");

static PyObject *layers_means(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer numbers, table;
    Py_ssize_t rows, size;
    if (!PyArg_ParseTuple(args, "y*y*nn", &numbers, &table, &rows, &size)) return NULL;
    PyObject *answer = NULL;
    const Py_ssize_t words = rows > 0 ? numbers.len / (Py_ssize_t)sizeof(int32_t) / rows : 0;
    if (rows < 0 || size < 1 || size > INT16_MAX || words > INT16_MAX ||
        numbers.len != rows * words * (Py_ssize_t)sizeof(int32_t)) {
        PyErr_SetString(PyExc_ValueError, "rows have different numbers of words");
        goto done;
    }
    answer = PyBytes_FromStringAndSize(NULL, rows * size * (Py_ssize_t)sizeof(int32_t));
    if (answer == NULL) goto done;
    int32_t *found = (int32_t *)PyBytes_AsString(answer);
    const Py_ssize_t known = table.len / (Py_ssize_t)sizeof(int16_t) / size;
    int is_done = 1;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t row = 0; is_done && row < rows; row++)
        is_done = add_vectors((const int32_t *)numbers.buf + row * words, words, table.buf, known, size,
                              found + row * size);
    Py_END_ALLOW_THREADS
    if (!is_done) {
        Py_CLEAR(answer);
        PyErr_SetString(PyExc_IndexError, "word number out of range");
    }
done:
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&table);
    return answer;
}

static PyMethodDef methods[] = {
    {"linear", layers_linear, METH_VARARGS, linear_doc},
    {"convolution", layers_convolution, METH_VARARGS, convolution_doc},
    {"means", layers_means, METH_VARARGS, means_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_layers", "Native kernel of detourage.inference.networks.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__layers(void) { return PyModuleDef_Init(&definition); }
