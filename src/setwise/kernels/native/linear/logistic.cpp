// The element-wise half of many weighted logistic regressions on one design matrix (the other half is BLAS).
#include <algorithm>
#include <cmath>
#include <vector>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kRows = 256;  // rows per block: its partial sums stay in the L1 cache
constexpr std::size_t kWide = 64;   // smallest number of elements for a vector loop
constexpr std::size_t kFlush = 16;  // rows of sums in the precision of the scores, before they are added to a double
constexpr std::size_t kSums = 3;    // loss, curvature, slope

// One row: at z + t d, the residual w (p - y) of every problem, its loss, its curvature w p (1 - p) and its slope along
// d; nothing if the target is unknown (below zero).
template <class T>
SETWISE_INLINE void one_row(std::size_t n_problems, const T *SETWISE_RESTRICT z, const T *SETWISE_RESTRICT d,
                            const T *SETWISE_RESTRICT t, const T *SETWISE_RESTRICT y, const T *SETWISE_RESTRICT w,
                            T *SETWISE_RESTRICT z_out, T *SETWISE_RESTRICT residual, T *SETWISE_RESTRICT loss,
                            T *SETWISE_RESTRICT curvature, T *SETWISE_RESTRICT slope) {
    for (std::size_t b = 0; b < n_problems; ++b) {
        const T s = z[b] + t[b] * d[b];
        const T e = exp_nonpositive(-std::fabs(s));
        const T inv = T(1) / (T(1) + e);
        const T p = s < 0 ? e * inv : inv;
        const T v = y[b] < 0 ? T(0) : w[b];
        // log(1 + exp(-|s|)) + max(s, 0) - y s, every term finite for finite s
        loss[b] += v * (log1p_unit(e) + (s < 0 ? T(0) : s) - y[b] * s);
        curvature[b] += v * e * inv * inv;
        z_out[b] = s;
        residual[b] = v * (p - y[b]);
        slope[b] += residual[b] * d[b];
    }
}

template <class T>
struct Picks {  // column b of a problem is column index[b] of a matrix; no column: ones
    const T *values;
    std::size_t n_columns;
    const std::int32_t *index;
    bool as_it_is;  // index is 0, 1, 2, ... and there are no other columns: nothing to gather
};

template <class T>
Picks<T> picks(const In<T, 2> &values, const In<std::int32_t, 1> &index) {
    bool as_it_is = values.shape(1) == index.shape(0);
    for (std::size_t b = 0; b < index.shape(0); ++b) as_it_is = as_it_is && index.data()[b] == std::int32_t(b);
    return {values.data(), values.shape(1), index.data(), as_it_is};
}

template <class T>
void check_picks(const char *values_name, const In<T, 2> &values, const char *index_name,
                 const In<std::int32_t, 1> &index, std::size_t n, std::size_t n_problems) {
    check_shape(values_name, values, {n, values.shape(1)});
    check_shape(index_name, index, {n_problems});
    check_places(index_name, index, values.shape(1));
}

// The values of some rows for every problem, gathered into `buffer` if necessary.
template <class T>
SETWISE_INLINE const T *pick(const Picks<T> &from, std::size_t first, std::size_t n_rows, std::size_t n_problems,
                             T *SETWISE_RESTRICT buffer) {
    const T *values = from.values + first * from.n_columns;
    if (from.as_it_is || !from.n_columns) return from.n_columns ? values : buffer;
    for (std::size_t r = 0; r < n_rows; ++r)
        for (std::size_t b = 0; b < n_problems; ++b)
            buffer[r * n_problems + b] = values[r * from.n_columns + from.index[b]];
    return buffer;
}

// Adds the sums of `wide` elements to those of the problems, and clears them.
template <class T>
SETWISE_INLINE void flush(std::size_t n_problems, std::size_t wide, T *wide_sums, double *sums) {
    for (std::size_t kind = 0; kind < kSums; ++kind)
        for (std::size_t from = 0; from < wide; from += n_problems)
            for (std::size_t b = 0; b < n_problems; ++b) {
                sums[kind * n_problems + b] += double(wide_sums[kind * wide + from + b]);
                wide_sums[kind * wide + from + b] = T(0);
            }
}

// Few problems do not fill a vector: then `group` rows are treated as one long row, whose sums are folded at the end.
template <class T>
SETWISE_INLINE void some_rows(std::size_t begin, std::size_t end, std::size_t n_problems, const T *z, const T *d,
                              const double *t, const Picks<T> &targets, const Picks<T> &weights, T *z_out,
                              T *residual, double *sums) {
    const std::size_t group = n_problems < kWide ? kWide / n_problems : 1, wide = group * n_problems;
    std::vector<T> step(wide), y(wide), w(wide, T(1)), wide_sums(kSums * wide, T(0));
    T *sum = wide_sums.data();
    for (std::size_t j = 0; j < wide; ++j) step[j] = T(t[j % n_problems]);
    for (std::size_t first = begin; first < end; first += group * kFlush) {
        for (std::size_t i = first; i < std::min(end, first + group * kFlush); i += group) {
            const std::size_t rows = std::min(group, end - i), at = i * n_problems;
            one_row(rows * n_problems, z + at, d + at, step.data(), pick(targets, i, rows, n_problems, y.data()),
                    pick(weights, i, rows, n_problems, w.data()), z_out + at, residual + at, sum, sum + wide,
                    sum + 2 * wide);
        }
        flush(n_problems, wide, sum, sums);
    }
}

// target_clones cannot be put on templates.
SETWISE_DISPATCH void rows_of(std::size_t begin, std::size_t end, std::size_t n_problems, const double *z,
                              const double *d, const double *t, const Picks<double> &targets, const Picks<double> &weights,
                              double *z_out, double *residual, double *sums) {
    some_rows(begin, end, n_problems, z, d, t, targets, weights, z_out, residual, sums);
}

SETWISE_DISPATCH void rows_of(std::size_t begin, std::size_t end, std::size_t n_problems, const float *z,
                              const float *d, const double *t, const Picks<float> &targets, const Picks<float> &weights,
                              float *z_out, float *residual, double *sums) {
    some_rows(begin, end, n_problems, z, d, t, targets, weights, z_out, residual, sums);
}

template <class T>
Out<double> logistic_step(In<T, 2> z, In<T, 2> d, In<double, 1> t, In<T, 2> targets, In<std::int32_t, 1> target,
                   In<T, 2> weights, In<std::int32_t, 1> weight, InOut<T, 2> z_out, InOut<T, 2> residual) {
    const std::size_t n = z.shape(0), B = z.shape(1), n_blocks = (n + kRows - 1) / kRows;
    check_at_least("the number of problems (axis 1 of z)", B, 1);
    check_shape("d", d, {n, B});
    check_shape("t", t, {B});
    check_picks("targets", targets, "target", target, n, B);
    if (weights.shape(1)) check_picks("weights", weights, "weight", weight, n, B);
    check_shape("z_out", z_out, {n, B});
    check_shape("residual", residual, {n, B});
    auto sums = new_array<double>({kSums, B});
    {
        nb::gil_scoped_release release;
        std::vector<double> partial(n_blocks * kSums * B, 0.0);
        const Picks<T> from_targets = picks(targets, target), from_weights = picks(weights, weight);
        parallel_blocks(n, kRows, [&](std::size_t block, std::size_t begin, std::size_t end) {
            rows_of(begin, end, B, z.data(), d.data(), t.data(), from_targets, from_weights, z_out.data(),
                    residual.data(), partial.data() + block * kSums * B);
        });
        double *total = sums.data();
        std::fill(total, total + kSums * B, 0.0);
        for (std::size_t block = 0; block < n_blocks; ++block)
            for (std::size_t b = 0; b < kSums * B; ++b) total[b] += partial[block * kSums * B + b];
    }
    return sums;
}

}  // namespace

void register_logistic(nb::module_ &m) {
    const auto define = [&m](auto step) {
        m.def("logistic_step", step, "z"_a, "d"_a, "t"_a, "targets"_a, "target"_a, "weights"_a, "weight"_a, "z_out"_a,
              "residual"_a);
    };
    define(&logistic_step<double>);
    define(&logistic_step<float>);
}

}  // namespace setwise
