// Newton directions of many logistic regressions on sparse rows, each by conjugate gradients on the rows that carry its
// curvature: a rare label is sure of most rows, and a product with them would change nothing.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kTogether = 8;    // problems whose gradients and curvatures share lines of the cache
constexpr double kKept = 0.99;          // least share of the curvature in the rows that are kept
constexpr double kFaint = 0.1;          // curvature along a row, beside the penalty, with which it is kept in any case
constexpr std::size_t kExact = 64;      // most rows that the preconditioner takes as they are: .4 of the steps
constexpr std::size_t kLanes = 16;      // sums side by side, which the compiler turns into one register
constexpr std::size_t kLong = 1024;     // numbers that are summed before they are added to a double
constexpr std::size_t kBins = 512;      // of curvatures: two for each power of two

SETWISE_INLINE double dot(std::size_t n, const float *SETWISE_RESTRICT a, const float *SETWISE_RESTRICT b) {
    double sum = 0.0;
    std::size_t i = 0;
    for (; i + kLong <= n; i += kLong) {
        float part[kLanes] = {};
        for (std::size_t at = i; at < i + kLong; at += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) part[lane] += a[at + lane] * b[at + lane];
        for (float each : part) sum += double(each);
    }
    for (; i < n; ++i) sum += double(a[i] * b[i]);
    return sum;
}

// Rows of stored values in single precision, one after the other.
struct Rows {
    std::vector<float> value;
    std::vector<std::int32_t> column, start{0};

    std::size_t size() const { return start.size() - 1; }

    SETWISE_INLINE float product(std::size_t i, const float *v) const {
        float sum[4] = {};
        std::int32_t at = start[i];
        const std::int32_t to = start[i + 1];
        for (; at + 4 <= to; at += 4)
            for (std::int32_t lane = 0; lane < 4; ++lane) sum[lane] += value[at + lane] * v[column[at + lane]];
        for (; at < to; ++at) sum[0] += value[at] * v[column[at]];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    SETWISE_INLINE void add_to(std::size_t i, float factor, float *out) const {
        for (std::int32_t at = start[i]; at < start[i + 1]; ++at) out[column[at]] += factor * value[at];
    }
};

// The rows that a problem keeps, with their curvatures; the columns filled in them are numbered anew.
struct KeptRows : Rows {
    std::vector<float> curvature;
    std::vector<std::int32_t> columns, place;

    explicit KeptRows(std::size_t D) : place(D, -1) {}

    void clear() {
        for (std::int32_t j : columns) place[std::size_t(j)] = -1;
        value.clear(), curvature.clear(), column.clear(), columns.clear();
        start.assign(1, 0);
    }

    void add(std::size_t j, float x) {
        if (place[j] < 0) {
            place[j] = std::int32_t(columns.size());
            columns.push_back(std::int32_t(j));
        }
        column.push_back(place[j]);
        value.push_back(x);
    }

    void close(float k) {
        curvature.push_back(k);
        start.push_back(std::int32_t(column.size()));
    }
};

// The Hessian of the kept rows, from which the intercept is eliminated: l2 + sum_i k_i x_i x_i' - a a' / q with
// a = sum_i k_i x_i and q the curvature of the intercept. `diagonal` is that of the sum.
struct Hessian {
    const KeptRows &rows;
    double l2, q;
    std::vector<float> a, diagonal;

    Hessian(const KeptRows &kept, double ridge, double own)
        : rows(kept), l2(ridge), q(own), a(kept.columns.size()), diagonal(kept.columns.size()) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::int32_t at = rows.start[i]; at < rows.start[i + 1]; ++at) {
                const float part = rows.curvature[i] * rows.value[at];
                a[std::size_t(rows.column[at])] += part;
                diagonal[std::size_t(rows.column[at])] += part * rows.value[at];
            }
    }

    SETWISE_INLINE void multiply(const float *SETWISE_RESTRICT v, float *SETWISE_RESTRICT out) const {
        const std::size_t d = a.size();
        const float shift = float(dot(d, a.data(), v) / q), ridge = float(l2), *SETWISE_RESTRICT met = a.data();
        for (std::size_t j = 0; j < d; ++j) out[j] = ridge * v[j] - shift * met[j];
        for (std::size_t i = 0; i < rows.size(); ++i) rows.add_to(i, rows.curvature[i] * rows.product(i, v), out);
    }
};

// The inverse of a positive definite matrix (m, m), whose lower triangle is overwritten.
std::vector<float> inverse(std::size_t m, std::vector<double> &G) {
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = G[i * m + j];
            for (std::size_t k = 0; k < j; ++k) sum -= G[i * m + k] * G[j * m + k];
            G[i * m + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / G[j * m + j];
        }
    std::vector<double> triangle(m * m, 0.0), sums(m * m, 0.0);  // triangle: the transposed inverse of the factor
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t i = j; i < m; ++i) {
            double sum = i == j ? 1.0 : 0.0;
            for (std::size_t k = j; k < i; ++k) sum -= G[i * m + k] * triangle[j * m + k];
            triangle[j * m + i] = sum / G[i * m + i];
        }
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j)
            for (std::size_t k = std::max(i, j); k < m; ++k) sums[i * m + j] += triangle[i * m + k] * triangle[j * m + k];
    return {sums.begin(), sums.end()};
}

// What conjugate gradients divide by: the Hessian with the rows U of most curvature as they are (times the roots s of
// their curvatures) and a diagonal D for the others, D + U' (1 - s s' / q) U, inverted by Woodbury's formula.
struct Preconditioner {
    Rows exact;
    std::vector<float> scale, small;  // of D: its inverse, zero in columns that are not allowed

    Preconditioner(const Hessian &H, const std::vector<char> &allowed) : scale(H.a.size()) {
        const std::vector<double> roots = take_most_curved(H);
        std::vector<float> rest = H.diagonal;
        for (std::size_t at = 0; at < exact.value.size(); ++at)
            rest[std::size_t(exact.column[at])] -= exact.value[at] * exact.value[at];
        for (std::size_t j = 0; j < scale.size(); ++j)
            scale[j] = allowed[j] ? float(1.0 / (H.l2 + std::max(0.0, double(rest[j])))) : 0.0f;
        const std::size_t m = roots.size();
        double left = H.q;
        for (double root : roots) left -= root * root;
        left = std::max(left, 1e-6 * H.q);
        std::vector<double> G(m * m);
        std::vector<float> spread(scale.size());
        for (std::size_t r = 0; r < m; ++r) {
            std::fill(spread.begin(), spread.end(), 0.0f);
            exact.add_to(r, 1.0f, spread.data());
            for (std::size_t j = 0; j < scale.size(); ++j) spread[j] *= scale[j];
            for (std::size_t t = 0; t <= r; ++t)
                G[r * m + t] = double(exact.product(t, spread.data())) + roots[r] * roots[t] / left + (r == t);
        }
        small = inverse(m, G);
    }

    std::vector<double> take_most_curved(const Hessian &H) {
        const KeptRows &rows = H.rows;
        const std::size_t m = std::min(kExact, rows.size());
        std::vector<std::pair<float, std::size_t>> order(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t from = std::size_t(rows.start[i]), to = std::size_t(rows.start[i + 1]);
            const float size = rows.curvature[i] * float(dot(to - from, rows.value.data() + from, rows.value.data() + from));
            order[i] = {size > 0.0f ? -size : 0.0f, i};  // NaN has no order
        }
        std::nth_element(order.begin(), order.begin() + std::ptrdiff_t(m), order.end());
        std::vector<double> roots(m);
        for (std::size_t r = 0; r < m; ++r) {
            const std::size_t i = order[r].second;
            roots[r] = std::sqrt(double(rows.curvature[i]));
            for (std::int32_t at = rows.start[i]; at < rows.start[i + 1]; ++at) {
                exact.column.push_back(rows.column[at]);
                exact.value.push_back(float(roots[r]) * rows.value[at]);
            }
            exact.start.push_back(std::int32_t(exact.column.size()));
        }
        return roots;
    }

    SETWISE_INLINE void divide(const float *SETWISE_RESTRICT r, float *SETWISE_RESTRICT z) const {
        const std::size_t d = scale.size(), m = exact.size();
        const float *SETWISE_RESTRICT by = scale.data();
        for (std::size_t j = 0; j < d; ++j) z[j] = by[j] * r[j];
        float share[kExact] = {};
        for (std::size_t i = 0; i < m; ++i) {
            const float met = exact.product(i, z);
            for (std::size_t j = 0; j < m; ++j) share[j] += met * small[i * m + j];
        }
        for (std::size_t i = 0; i < m; ++i)
            for (std::int32_t at = exact.start[i]; at < exact.start[i + 1]; ++at)
                z[exact.column[at]] -= share[i] * exact.value[at] * by[exact.column[at]];
    }
};

// Preconditioned conjugate gradients from zero: `x` receives the solution for `rest`, which becomes the residual. They
// are the more exact, the nearer the optimum is beside the `value` of the objective: faster than linear convergence.
SETWISE_INLINE void some_solve(const Hessian &H, const Preconditioner &P, double value, std::size_t max_iter,
                               std::vector<float> &x, std::vector<float> &rest) {
    const std::size_t d = rest.size();
    std::vector<float> along(d), product(d), divided(d);
    float *SETWISE_RESTRICT z = divided.data(), *SETWISE_RESTRICT r = rest.data(), *SETWISE_RESTRICT p = along.data(),
                            *SETWISE_RESTRICT h = product.data(), *SETWISE_RESTRICT s = x.data();
    P.divide(r, z);
    std::copy(z, z + d, p);
    double size = dot(d, r, z);
    const double enough = size * std::min(0.03, std::max(1e-8, size / std::max(value, 1e-6)));
    for (std::size_t iteration = 0; iteration < max_iter && size > enough; ++iteration) {
        H.multiply(p, h);
        const double bend = dot(d, p, h);
        if (!(bend > 0.0)) return;
        const float step = float(size / bend);
        for (std::size_t j = 0; j < d; ++j) {
            s[j] += step * p[j];
            r[j] -= step * h[j];
        }
        P.divide(r, z);
        const double next = dot(d, r, z);
        const float turn = float(next / size);
        for (std::size_t j = 0; j < d; ++j) p[j] = z[j] + turn * p[j];
        size = next;
    }
}

SETWISE_DISPATCH void solve(const Hessian &H, const Preconditioner &P, double value, std::size_t max_iter,
                            std::vector<float> &x, std::vector<float> &rest) {
    some_solve(H, P, value, max_iter, x, rest);
}

template <class T, class I>
struct Problems {
    std::size_t n, f, m, D, B, max_iter;
    double square;  // mean of the squared lengths of the rows
    const T *data;
    const I *indices, *indptr;
    const T *extra;  // (n, m), ones first
    const float *curvature;
    const double *gradient, *mean, *l2, *own, *value;
    const std::uint8_t *allowed;  // (D, B), or null
    double *out;

    double centre(std::size_t j) const { return j < f ? mean[j] : 0.0; }
    bool may_use(std::size_t j, std::size_t b) const { return !allowed || allowed[j * B + b]; }
    // Centred features act through the intercept: the gradient as if they were not.
    double plain_gradient(std::size_t j, std::size_t b) const { return gradient[j * B + b] + centre(j) * gradient[f * B + b]; }
};

// The upper bits of a number that is not negative: its exponent, and half of an octave.
SETWISE_INLINE std::size_t bin_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7fffffff) >> 22;
}

// The rows of each problem of a block: those of the largest curvatures, which make up kKept of the sum, and those along
// which the Hessian is more than the penalty.
template <class T, class I>
std::vector<std::vector<std::int32_t>> kept_rows(const Problems<T, I> &all, std::size_t begin, std::size_t end,
                                                 double *sums) {
    const std::size_t width = end - begin;
    std::vector<double> bins(width * kBins, 0.0);
    for (std::size_t i = 0; i < all.n; ++i)
        for (std::size_t c = 0; c < width; ++c) {
            const float k = all.curvature[i * all.B + begin + c];
            bins[c * kBins + bin_of(k)] += k;
        }
    std::array<std::size_t, kTogether> lowest{};
    for (std::size_t c = 0; c < width; ++c) {
        const double *bin = &bins[c * kBins];
        double kept = 0.0;
        sums[c] = 0.0;
        for (std::size_t at = 0; at < kBins; ++at) sums[c] += bin[at];
        for (lowest[c] = kBins; lowest[c] > 1 && kept < kKept * sums[c];) kept += bin[--lowest[c]];
        lowest[c] = std::min(lowest[c], std::max(std::size_t(1), bin_of(float(kFaint * all.l2[begin + c] / all.square))));
    }
    std::vector<std::vector<std::int32_t>> rows(width);
    for (std::size_t i = 0; i < all.n; ++i)
        for (std::size_t c = 0; c < width; ++c)
            if (bin_of(all.curvature[i * all.B + begin + c]) >= lowest[c]) rows[c].push_back(std::int32_t(i));
    return rows;
}

template <class T, class I>
void gather(const Problems<T, I> &all, std::size_t b, const std::vector<std::int32_t> &chosen, KeptRows &rows) {
    rows.clear();
    for (std::int32_t i : chosen) {
        for (I at = all.indptr[i]; at < all.indptr[i + 1]; ++at) rows.add(std::size_t(all.indices[at]), float(all.data[at]));
        for (std::size_t e = 1; e < all.m; ++e) rows.add(all.f + e, float(all.extra[std::size_t(i) * all.m + e]));
        rows.close(all.curvature[std::size_t(i) * all.B + b]);
    }
}

// Where no kept row has a value, the Hessian is the penalty alone.
template <class T, class I>
void write_direction(const Problems<T, I> &all, std::size_t b, double sum, const KeptRows &rows) {
    const std::size_t B = all.B, d = rows.columns.size();
    const double at_intercept = all.gradient[all.f * B + b], ridge = std::max(1e-12, all.l2[b]);
    const Hessian H(rows, ridge, std::max(1e-12, sum + all.own[b]));
    std::vector<float> x(d), rest(d);
    std::vector<char> allowed(d);
    for (std::size_t c = 0; c < d; ++c) {
        const std::size_t j = std::size_t(rows.columns[c]);
        allowed[c] = all.may_use(j, b);
        rest[c] = allowed[c] ? float(H.a[c] * at_intercept / H.q - all.plain_gradient(j, b)) : 0.0f;
    }
    solve(H, Preconditioner(H, allowed), all.value[b], all.max_iter, x, rest);
    double intercept = -(at_intercept + dot(d, H.a.data(), x.data())) / H.q;
    for (std::size_t j = 0; j < all.D; ++j) {
        if (j == all.f) continue;
        const std::int32_t c = rows.place[j];
        const double step = c >= 0 ? double(x[std::size_t(c)]) : all.may_use(j, b) ? -all.plain_gradient(j, b) / ridge : 0.0;
        all.out[j * B + b] = step;
        intercept += all.centre(j) * step;
    }
    all.out[all.f * B + b] = intercept;
}

template <class T, class I>
Out<double> newton_directions(In<T, 1> data, In<I, 1> indices, In<I, 1> indptr, In<T, 2> extra, In<float, 2> curvature,
                              In<double, 2> gradient, In<double, 1> mean, In<double, 1> l2, In<double, 1> own,
                              In<double, 1> value, In<std::uint8_t, 2> allowed, std::size_t max_iter) {
    const std::size_t n = curvature.shape(0), B = curvature.shape(1), m = extra.shape(1), f = mean.shape(0), D = f + m;
    check_at_least("the number of extra columns (axis 1)", m, 1);
    check_shape("extra", extra, {n, m});
    check_shape("indptr", indptr, {n + 1});
    check_shape("indices", indices, {data.shape(0)});
    check_between("indptr", indptr, 0, std::int64_t(data.shape(0)));
    if (!std::is_sorted(indptr.data(), indptr.data() + n + 1)) throw std::invalid_argument("indptr must rise");
    check_places("indices", indices, f);
    check_shape("gradient", gradient, {D, B});
    for (const auto &[name, array] : {std::pair{"l2", &l2}, {"own", &own}, {"value", &value}}) check_shape(name, *array, {B});
    check_shape("allowed", allowed, {allowed.shape(0) ? D : 0, B});
    auto out = new_array<double>({D, B});
    nb::gil_scoped_release release;
    double square = 1e-30;
    for (std::size_t at = 0; at < data.shape(0); ++at) square += double(data.data()[at]) * double(data.data()[at]) / double(n);
    const Problems<T, I> all{n, f, m, D, B, max_iter, square, data.data(), indices.data(), indptr.data(), extra.data(),
                             curvature.data(), gradient.data(), mean.data(), l2.data(), own.data(), value.data(),
                             allowed.shape(0) ? allowed.data() : nullptr, out.data()};
    parallel_blocks(B, kTogether, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::array<double, kTogether> sums{};
        const auto kept = kept_rows(all, begin, end, sums.data());
        KeptRows rows(D);
        for (std::size_t b = begin; b < end; ++b) {
            gather(all, b, kept[b - begin], rows);
            write_direction(all, b, sums[b - begin], rows);
        }
    });
    return out;
}

}  // namespace

void register_newton(nb::module_ &m) {
    const auto define = [&m](auto directions) {
        m.def("newton_directions", directions, "data"_a, "indices"_a, "indptr"_a, "extra"_a, "curvature"_a, "gradient"_a,
              "mean"_a, "l2"_a, "own"_a, "value"_a, "allowed"_a, "max_iter"_a);
    };
    define(&newton_directions<double, std::int32_t>);
    define(&newton_directions<float, std::int32_t>);
    define(&newton_directions<double, std::int64_t>);
    define(&newton_directions<float, std::int64_t>);
}

}  // namespace setwise
