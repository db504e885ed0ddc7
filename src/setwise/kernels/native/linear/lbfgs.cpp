// L-BFGS on many problems at once: descent directions by the two-loop recursion, and the pairs that it remembers.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kColumns = 64;  // most problems of one column whose directions are computed in the same passes
constexpr std::size_t kFewest = 16;   // of them for a thread of its own: a line of the cache
constexpr std::size_t kRows = 128;    // rows whose products are summed before they are added to a double

// The diagonal of the Hessian of some columns: squares[j] * curvature[c] + l2[c], but own[c] in the row of the intercept.
template <class T>
struct Diagonal {
    const double *squares;
    std::size_t intercept;
    const T *curvature, *l2, *own;

    SETWISE_INLINE T inverse(std::size_t j, std::size_t c) const {
        const T value = j == intercept ? own[c] : T(squares[j]) * curvature[c] + l2[c];
        return T(1) / (value > T(1e-12) ? value : T(1e-12));
    }
};

// Columns of a block: as many as pay, so that memory is read in long runs, but work for every thread.
std::size_t columns_at_once(std::size_t C) {
    const std::size_t n_threads = std::max(1, thread_count().load()), each = (C + n_threads - 1) / n_threads;
    return std::min(kColumns, std::max(kFewest, (each + kFewest - 1) / kFewest * kFewest));
}

// Sums over the rows: body(j, c) of row j and column c.
template <class T, class Body>
SETWISE_INLINE void sum_rows(std::size_t n, std::size_t D, T *SETWISE_RESTRICT part, double *SETWISE_RESTRICT sum,
                             const Body &body) {
    for (std::size_t c = 0; c < n; ++c) sum[c] = 0.0;
    for (std::size_t start = 0; start < D; start += kRows) {
        const std::size_t stop = std::min(D, start + kRows);
        for (std::size_t c = 0; c < n; ++c) part[c] = T(0);
        for (std::size_t j = start; j < stop; ++j)
            for (std::size_t c = 0; c < n; ++c) part[c] += body(j, c);
        for (std::size_t c = 0; c < n; ++c) sum[c] += double(part[c]);
    }
}

// One pass over the columns of `out`: factor times `added` is added, all is multiplied by the inverse diagonal over
// `bend` if it `Scales`, and the dot product with `met` is taken.
template <bool Scales, class T>
SETWISE_INLINE void pass(std::size_t width, std::size_t C, std::size_t D, const T *SETWISE_RESTRICT factor,
                         const T *SETWISE_RESTRICT added, const Diagonal<T> &diagonal, const T *SETWISE_RESTRICT bend,
                         const T *SETWISE_RESTRICT met, T *SETWISE_RESTRICT out, T *SETWISE_RESTRICT part,
                         double *SETWISE_RESTRICT dot) {
    sum_rows(width, D, part, dot, [&](std::size_t j, std::size_t c) {
        T value = out[j * C + c] + factor[c] * added[j * C + c];
        if constexpr (Scales) value *= diagonal.inverse(j, c) * bend[c];
        out[j * C + c] = value;
        return met[j * C + c] * value;
    });
}

// The problems of a block of columns: each column one, or all `together` one. Pairs are given oldest first, `rho`
// (n_pairs, width) for every column.
template <class T>
struct Columns {
    std::size_t first, width, C, D, n_pairs;
    bool together;
    const double *gradient, *coef;
    const T *const *steps, *const *changes;
    const double *rho;
    Diagonal<T> diagonal;
    T *out;
    double *slope, *pull, *square;
};

template <class T>
SETWISE_INLINE void two_loops(const Columns<T> &block) {
    const std::size_t width = block.width, C = block.C, D = block.D, n_pairs = block.n_pairs, first = block.first;
    std::vector<double> alphas(n_pairs * width), dots(width);
    std::vector<T> factors(width, T(0)), bends(width, T(1)), parts(width);
    T *at = block.out + first, *factor = factors.data(), *part = parts.data();
    const T *bend = bends.data(), *const *s = block.steps, *const *y = block.changes;
    double *dot = dots.data();
    const auto join = [&] {
        if (block.together) std::fill(dots.begin(), dots.end(), std::accumulate(dots.begin(), dots.end(), 0.0));
    };
    for (std::size_t j = 0; j < D; ++j)
        for (std::size_t c = 0; c < width; ++c) at[j * C + c] = T(-block.gradient[j * C + first + c]);
    if (!n_pairs) {
        for (std::size_t j = 0; j < D; ++j)
            for (std::size_t c = 0; c < width; ++c) at[j * C + c] *= block.diagonal.inverse(j, c);
        return;
    }
    // The diagonal assumes that the rows a problem is uncertain about are like all others. If they are not, its steps
    // are too long, and every search that halves one costs a pass over the rows: the last pair knows better.
    const T *last = y[n_pairs - 1] + first;
    sum_rows(width, D, part, dot, [&](std::size_t j, std::size_t c) {
        return last[j * C + c] * last[j * C + c] * block.diagonal.inverse(j, c);
    });
    join();
    for (std::size_t c = 0; c < width; ++c)
        bends[c] = T(1.0 / std::max(1.0, dot[c] * block.rho[(n_pairs - 1) * width + c]));
    for (std::size_t k = n_pairs; k-- > 0;) {
        pass<false>(width, C, D, factor, y[std::min(k + 1, n_pairs - 1)] + first, block.diagonal, bend, s[k] + first, at,
                       part, dot);
        join();
        for (std::size_t c = 0; c < width; ++c)
            factor[c] = T(-(alphas[k * width + c] = block.rho[k * width + c] * dot[c]));
    }
    pass<true>(width, C, D, factor, y[0] + first, block.diagonal, bend, y[0] + first, at, part, dot);
    for (std::size_t k = 0; k < n_pairs; ++k) {
        join();
        for (std::size_t c = 0; c < width; ++c)
            factor[c] = T(alphas[k * width + c] - block.rho[k * width + c] * dot[c]);
        pass<false>(width, C, D, factor, s[k] + first, block.diagonal, bend, y[std::min(k + 1, n_pairs - 1)] + first, at,
                       part, dot);
    }
}

// Products of the direction with the gradient, with the coefficients and with itself; the last two without the
// intercept.
template <class T>
SETWISE_INLINE void dots_of(const Columns<T> &block) {
    const std::size_t first = block.first, end = first + block.width;
    for (std::size_t c = first; c < end; ++c) block.slope[c] = block.pull[c] = block.square[c] = 0.0;
    for (std::size_t j = 0; j < block.D; ++j) {
        const double penalised = j == block.diagonal.intercept ? 0.0 : 1.0;
        const double *SETWISE_RESTRICT g = block.gradient + j * block.C, *SETWISE_RESTRICT w = block.coef + j * block.C;
        const T *SETWISE_RESTRICT x = block.out + j * block.C;
        for (std::size_t c = first; c < end; ++c) {
            block.slope[c] += g[c] * x[c];
            block.pull[c] += penalised * w[c] * x[c];
            block.square[c] += penalised * x[c] * x[c];
        }
    }
}

template <class T>
SETWISE_INLINE void all_of(const Columns<T> &block) {
    two_loops(block);
    dots_of(block);
}

// target_clones cannot be put on templates.
SETWISE_DISPATCH void direction_of(const Columns<double> &block) { all_of(block); }
SETWISE_DISPATCH void direction_of(const Columns<float> &block) { all_of(block); }

template <class T>
auto lbfgs_direction(In<double, 2> gradient, In<T, 3> steps, In<T, 3> changes, In<double, 2> rho,
                     In<std::int32_t, 1> order, In<double, 2> coef, In<double, 1> squares, In<double, 1> curvature,
                     In<double, 1> l2, std::size_t intercept, In<double, 1> own, In<std::int32_t, 1> first) {
    const std::size_t D = gradient.shape(0), C = gradient.shape(1), n_pairs = order.shape(0), n_stored = steps.shape(0);
    check_parts("first", first, C);
    const std::size_t B = first.shape(0) - 1;
    check_shape("steps", steps, {n_stored, D, C});
    check_shape("changes", changes, {n_stored, D, C});
    check_shape("rho", rho, {n_stored, B});
    check_places("order", order, n_stored);
    check_shape("coef", coef, {D, C});
    check_shape("squares", squares, {D});
    for (const auto &[name, array] : {std::pair{"curvature", &curvature}, {"l2", &l2}, {"own", &own}})
        check_shape(name, *array, {C});
    const bool together = B < C;
    auto out = new_array<T>({D, C});
    auto dots = new_array<double>({3, C});
    {
        nb::gil_scoped_release release;
        std::vector<const T *> s(n_pairs), y(n_pairs);
        for (std::size_t k = 0; k < n_pairs; ++k) {
            s[k] = steps.data() + order.data()[k] * D * C;
            y[k] = changes.data() + order.data()[k] * D * C;
        }
        parallel_blocks(B, together ? 1 : columns_at_once(B), [&](std::size_t, std::size_t begin, std::size_t end) {
            const std::size_t from = first.data()[begin], width = first.data()[end] - from;
            std::vector<double> pairs(n_pairs * width);
            for (std::size_t k = 0; k < n_pairs; ++k)
                for (std::size_t c = 0; c < width; ++c)
                    pairs[k * width + c] = rho.data()[order.data()[k] * B + begin + (together ? 0 : c)];
            const auto rounded = [=](const In<double, 1> &a) { return std::vector<T>(a.data() + from, a.data() + from + width); };
            const std::vector<T> bent = rounded(curvature), ridge = rounded(l2), alone = rounded(own);
            double *dot = dots.data();
            direction_of({from, width, C, D, n_pairs, together, gradient.data(), coef.data(), s.data(), y.data(), pairs.data(),
                          {squares.data(), intercept, bent.data(), ridge.data(), alone.data()}, out.data(), dot, dot + C,
                          dot + 2 * C});
        });
    }
    return nb::make_tuple(out, dots);
}

// A step along the direction: coefficients and gradient are replaced, and both changes are written down.
template <class T>
struct Update {
    std::size_t D, C, intercept;
    double *coef, *gradient;
    const T *direction;
    const double *length;
    const T *product;
    const double *l2;
    T *step, *change;
    double *meeting, *most_change, *most_gradient;
};

template <class T>
SETWISE_INLINE void some_update(const Update<T> &u, std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) u.meeting[c] = u.most_change[c] = u.most_gradient[c] = 0.0;
    for (std::size_t j = 0; j < u.D; ++j) {
        const double penalised = j == u.intercept ? 0.0 : 1.0;
        const std::size_t at = j * u.C;
        double *SETWISE_RESTRICT coef = u.coef + at, *SETWISE_RESTRICT gradient = u.gradient + at;
        const T *SETWISE_RESTRICT direction = u.direction + at, *SETWISE_RESTRICT product = u.product + at;
        T *SETWISE_RESTRICT step = u.step + at, *SETWISE_RESTRICT change = u.change + at;
        double *SETWISE_RESTRICT meeting = u.meeting, *SETWISE_RESTRICT most_change = u.most_change,
                                 *SETWISE_RESTRICT most_gradient = u.most_gradient;
        for (std::size_t c = begin; c < end; ++c) {
            const double s = u.length[c] * direction[c], w = coef[c] + s;
            const double g = product[c] + penalised * u.l2[c] * w, y = g - gradient[c];
            coef[c] = w;
            gradient[c] = g;
            step[c] = T(s);
            change[c] = T(y);
            meeting[c] += s * y;
            const double big_y = std::fabs(y), big_g = std::fabs(g);
            most_change[c] = big_y > most_change[c] ? big_y : most_change[c];
            most_gradient[c] = big_g > most_gradient[c] ? big_g : most_gradient[c];
        }
    }
}

SETWISE_DISPATCH void update_of(const Update<double> &u, std::size_t begin, std::size_t end) { some_update(u, begin, end); }
SETWISE_DISPATCH void update_of(const Update<float> &u, std::size_t begin, std::size_t end) { some_update(u, begin, end); }

template <class T>
Out<double> lbfgs_update(InOut<double, 2> coef, InOut<double, 2> gradient, In<T, 2> direction, In<double, 1> length,
                         In<T, 2> product, In<double, 1> l2, std::size_t intercept, InOut<T, 2> step, InOut<T, 2> change) {
    const std::size_t D = coef.shape(0), C = coef.shape(1);
    check_shape("gradient", gradient, {D, C});
    check_shape("direction", direction, {D, C});
    check_shape("length", length, {C});
    check_shape("product", product, {D, C});
    check_shape("l2", l2, {C});
    check_shape("step", step, {D, C});
    check_shape("change", change, {D, C});
    auto sums = new_array<double>({3, C});
    const Update<T> update{D, C, intercept, coef.data(), gradient.data(), direction.data(), length.data(), product.data(),
                           l2.data(), step.data(), change.data(), sums.data(), sums.data() + C, sums.data() + 2 * C};
    nb::gil_scoped_release release;
    parallel_blocks(C, columns_at_once(C), [&](std::size_t, std::size_t begin, std::size_t end) { update_of(update, begin, end); });
    return sums;
}

}  // namespace

void register_lbfgs(nb::module_ &m) {
    const auto define = [&m](auto direction, auto update) {
        m.def("lbfgs_direction", direction, "gradient"_a, "steps"_a, "changes"_a, "rho"_a, "order"_a, "coef"_a,
              "squares"_a, "curvature"_a, "l2"_a, "intercept"_a, "own"_a, "first"_a);
        m.def("lbfgs_update", update, "coef"_a, "gradient"_a, "direction"_a, "length"_a, "product"_a, "l2"_a,
              "intercept"_a, "step"_a, "change"_a);
    };
    define(&lbfgs_direction<double>, &lbfgs_update<double>);
    define(&lbfgs_direction<float>, &lbfgs_update<float>);
}

}  // namespace setwise
