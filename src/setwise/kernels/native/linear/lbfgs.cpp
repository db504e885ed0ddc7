// Descent directions of many problems at once, by the two-loop recursion of L-BFGS.
#include <algorithm>
#include <numeric>
#include <vector>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kColumns = 16;  // problems of one column whose directions are computed in the same passes

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

// L-BFGS two-loop recursion of the columns `first` to `first + width`, each a separate problem or all `together` one;
// pairs are given oldest first, `rho` (n_pairs, width) for every column. A pass subtracts one pair and computes the product with the next.
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
    const std::size_t D = gradient.shape(0), B = gradient.shape(1), n_pairs = order.shape(0), n_stored = steps.shape(0);
    check_parts("first", first, B);
    const std::size_t n_problems = first.shape(0) - 1;
    check_shape("steps", steps, {n_stored, D, B});
    check_shape("changes", changes, {n_stored, D, B});
    check_shape("rho", rho, {n_stored, n_problems});
    check_places("order", order, n_stored);
    check_shape("inverse_diagonal", inverse_diagonal, {D, B});
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

void register_lbfgs(nb::module_ &m) {
    const auto define = [&m](auto direction) {
        m.def("lbfgs_direction", direction, "gradient"_a, "steps"_a, "changes"_a, "rho"_a, "order"_a,
              "inverse_diagonal"_a, "first"_a);
    };
    define(&lbfgs_direction<double>);
    define(&lbfgs_direction<float>);
}

}  // namespace setwise
