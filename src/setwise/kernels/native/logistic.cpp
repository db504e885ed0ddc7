// The element-wise half of many weighted logistic regressions on one design matrix (the other half is BLAS).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "arrays.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kRows = 256;  // rows a block: partial sums per block stay in the first cache
constexpr std::size_t kWide = 64;   // elements that are worth a vector loop

// One row: at z + t d, the residual w (p - y) of every problem, its loss and its curvature w p (1 - p); nothing
// where the target is not known (below zero).
template <class T>
SETWISE_INLINE void one_row(std::size_t n_problems, const T *SETWISE_RESTRICT z, const T *SETWISE_RESTRICT d,
                            const T *SETWISE_RESTRICT t, const T *SETWISE_RESTRICT y, const T *SETWISE_RESTRICT w,
                            T *SETWISE_RESTRICT z_out, T *SETWISE_RESTRICT residual, double *SETWISE_RESTRICT loss,
                            double *SETWISE_RESTRICT curvature) {
    for (std::size_t b = 0; b < n_problems; ++b) {
        const T s = z[b] + t[b] * d[b];
        const T e = exp_nonpositive(-std::fabs(s));
        const T inv = T(1) / (T(1) + e);
        const T p = s < 0 ? e * inv : inv;
        const T v = y[b] < 0 ? T(0) : w[b];
        // log(1 + exp(-|s|)) + max(s, 0) - y s, every term finite for finite s
        loss[b] += double(v * (log1p_unit(e) + (s < 0 ? T(0) : s) - y[b] * s));
        curvature[b] += double(v * e * inv * inv);
        z_out[b] = s;
        residual[b] = v * (p - y[b]);
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

// The values of some rows for every problem, gathered into `buffer` where need be.
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

// Few problems fill no vector: then `group` rows are taken as one long row, whose sums are folded at the end.
template <class T>
SETWISE_INLINE void some_rows(std::size_t begin, std::size_t end, std::size_t n_problems, const T *z, const T *d,
                              const double *t, const Picks<T> &targets, const Picks<T> &weights, T *z_out,
                              T *residual, double *sums) {
    const std::size_t group = n_problems < kWide ? kWide / n_problems : 1, wide = group * n_problems;
    std::vector<T> step(wide), y(wide), w(wide, T(1));
    std::vector<double> wide_sums(2 * wide, 0.0);
    for (std::size_t j = 0; j < wide; ++j) step[j] = T(t[j % n_problems]);
    for (std::size_t i = begin; i < end; i += group) {
        const std::size_t rows = std::min(group, end - i), at = i * n_problems;
        one_row(rows * n_problems, z + at, d + at, step.data(), pick(targets, i, rows, n_problems, y.data()),
                pick(weights, i, rows, n_problems, w.data()), z_out + at, residual + at, wide_sums.data(),
                wide_sums.data() + wide);
    }
    for (std::size_t j = 0; j < wide; ++j) {
        sums[j % n_problems] += wide_sums[j];
        sums[n_problems + j % n_problems] += wide_sums[wide + j];
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
auto logistic_step(In<T, 2> z, In<T, 2> d, In<double, 1> t, In<T, 2> targets, In<std::int32_t, 1> target,
                   In<T, 2> weights, In<std::int32_t, 1> weight, InOut<T, 2> z_out, InOut<T, 2> residual) {
    const std::size_t n = z.shape(0), B = z.shape(1), n_blocks = (n + kRows - 1) / kRows;
    auto loss = new_array<double>({B}), curvature = new_array<double>({B});
    {
        nb::gil_scoped_release release;
        std::vector<double> partial(n_blocks * 2 * B, 0.0);
        const Picks<T> from_targets = picks(targets, target), from_weights = picks(weights, weight);
        parallel_blocks(n, kRows, [&](std::size_t block, std::size_t begin, std::size_t end) {
            double *sums = partial.data() + block * 2 * B;
            rows_of(begin, end, B, z.data(), d.data(), t.data(), from_targets, from_weights, z_out.data(),
                    residual.data(), sums);
        });
        double *total_loss = loss.data(), *total_curvature = curvature.data();
        for (std::size_t b = 0; b < B; ++b) total_loss[b] = total_curvature[b] = 0.0;
        for (std::size_t block = 0; block < n_blocks; ++block)
            for (std::size_t b = 0; b < B; ++b) {
                total_loss[b] += partial[block * 2 * B + b];
                total_curvature[b] += partial[block * 2 * B + B + b];
            }
    }
    return nb::make_tuple(loss, curvature);
}

constexpr std::size_t kColumns = 16;  // problems of one column whose directions are found in the same passes

// One pass over the columns of `out`: factor times `added` is added, all is scaled, and its dot product with `met` is taken.
template <bool Scales, class T>
SETWISE_INLINE void pass(std::size_t width, std::size_t B, std::size_t D, const double *SETWISE_RESTRICT factor,
                         const T *SETWISE_RESTRICT added, const double *SETWISE_RESTRICT scale, const T *SETWISE_RESTRICT met,
                         double *SETWISE_RESTRICT out, double *SETWISE_RESTRICT dot) {
    for (std::size_t c = 0; c < width; ++c) dot[c] = 0.0;
    for (std::size_t j = 0; j < D * B; j += B)
        for (std::size_t c = 0; c < width; ++c) {
            double value = out[j + c] + factor[c] * added[j + c];
            if constexpr (Scales) value *= scale[j + c];
            out[j + c] = value;
            dot[c] += met[j + c] * value;
        }
}

// L-BFGS two-loop recursion of the columns `first` to `first + width`, each a problem of its own or all `together` one;
// pairs are given oldest first, `rho` (n_pairs, width) for every column. A pass that takes one pair away meets the next.
template <class T>
SETWISE_INLINE void some_columns(std::size_t first, std::size_t width, bool together, std::size_t B, std::size_t D,
                                 std::size_t n_pairs, const double *gradient, const T *const *steps, const T *const *changes,
                                 const double *rho, const double *inverse_diagonal, double *out) {
    for (std::size_t j = first; j < D * B; j += B)
        for (std::size_t c = 0; c < width; ++c) out[j + c] = -gradient[j + c] * (n_pairs ? 1.0 : inverse_diagonal[j + c]);
    if (!n_pairs) return;
    std::vector<double> alphas(n_pairs * width), factors(width, 0.0), dots(width);
    double *at = out + first, *factor = factors.data(), *dot = dots.data();
    const auto join = [&] {
        if (together) std::fill(dots.begin(), dots.end(), std::accumulate(dots.begin(), dots.end(), 0.0));
    };
    for (std::size_t k = n_pairs; k-- > 0;) {
        pass<false>(width, B, D, factor, changes[std::min(k + 1, n_pairs - 1)] + first, nullptr, steps[k] + first, at, dot);
        join();
        double *alpha = alphas.data() + k * width;
        for (std::size_t c = 0; c < width; ++c) factor[c] = -(alpha[c] = rho[k * width + c] * dot[c]);
    }
    pass<true>(width, B, D, factor, changes[0] + first, inverse_diagonal + first, changes[0] + first, at, dot);
    for (std::size_t k = 0; k < n_pairs; ++k) {
        join();
        for (std::size_t c = 0; c < width; ++c) factor[c] = alphas[k * width + c] - rho[k * width + c] * dot[c];
        pass<false>(width, B, D, factor, steps[k] + first, nullptr, changes[std::min(k + 1, n_pairs - 1)] + first, at, dot);
    }
}

// target_clones cannot be put on templates.
SETWISE_DISPATCH void direction_of(std::size_t first, std::size_t width, bool together, std::size_t B, std::size_t D,
                                   std::size_t n_pairs, const double *gradient, const double *const *steps,
                                   const double *const *changes, const double *rho, const double *inverse_diagonal,
                                   double *out) {
    some_columns(first, width, together, B, D, n_pairs, gradient, steps, changes, rho, inverse_diagonal, out);
}

SETWISE_DISPATCH void direction_of(std::size_t first, std::size_t width, bool together, std::size_t B, std::size_t D,
                                   std::size_t n_pairs, const double *gradient, const float *const *steps,
                                   const float *const *changes, const double *rho, const double *inverse_diagonal,
                                   double *out) {
    some_columns(first, width, together, B, D, n_pairs, gradient, steps, changes, rho, inverse_diagonal, out);
}

template <class T>
Out<double> lbfgs_direction(In<double, 2> gradient, In<T, 3> steps, In<T, 3> changes, In<double, 2> rho,
                            In<std::int32_t, 1> order, In<double, 2> inverse_diagonal, In<std::int32_t, 1> first) {
    const std::size_t D = gradient.shape(0), B = gradient.shape(1), n_pairs = order.shape(0);
    const std::size_t n_problems = first.shape(0) - 1;
    const bool together = n_problems < B;
    auto out = new_array<double>({D, B});
    nb::gil_scoped_release release;
    std::vector<const T *> s(n_pairs), y(n_pairs);
    for (std::size_t k = 0; k < n_pairs; ++k) {
        s[k] = steps.data() + order.data()[k] * D * B;
        y[k] = changes.data() + order.data()[k] * D * B;
    }
    parallel_blocks(n_problems, together ? 1 : kColumns, [&](std::size_t, std::size_t begin, std::size_t end) {
        const std::size_t from = first.data()[begin], width = first.data()[end] - from;
        std::vector<double> own(n_pairs * width);
        for (std::size_t k = 0; k < n_pairs; ++k)
            for (std::size_t c = 0; c < width; ++c)
                own[k * width + c] = rho.data()[order.data()[k] * n_problems + begin + (together ? 0 : c)];
        direction_of(from, width, together, B, D, n_pairs, gradient.data(), s.data(), y.data(), own.data(),
                     inverse_diagonal.data(), out.data());
    });
    return out;
}

}  // namespace

void register_logistic(nb::module_ &m) {
    // What is written to must not be converted: the other overload would fill a copy that nobody sees.
    const auto define = [&m](auto step) {
        m.def("logistic_step", step, nb::arg("z"), nb::arg("d"), nb::arg("t"), nb::arg("targets"), nb::arg("target"),
              nb::arg("weights"), nb::arg("weight"), nb::arg("z_out").noconvert(), nb::arg("residual").noconvert());
    };
    define(&logistic_step<double>);
    define(&logistic_step<float>);
    const auto define_direction = [&m](auto direction) {
        m.def("lbfgs_direction", direction, nb::arg("gradient"), nb::arg("steps").noconvert(),
              nb::arg("changes").noconvert(), nb::arg("rho"), nb::arg("order"), nb::arg("inverse_diagonal"), nb::arg("first"));
    };
    define_direction(&lbfgs_direction<double>);
    define_direction(&lbfgs_direction<float>);
}

}  // namespace setwise
