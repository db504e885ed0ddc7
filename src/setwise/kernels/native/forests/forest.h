// What the forest kernels share: n rows of K forests over L labels.
//
// logits[i, k, l, v] is the logit of P(y_l = 1 | parent value v) in component k of row i; V = 1 if no
// component has an edge. parents[k, l] is -1 for a root, and order[k] lists parents before their children.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::size_t kForestRows = 64;  // rows per block, whose workspace is allocated once

struct Structure {
    std::size_t K, L, V;
    const std::int32_t *parents, *order;

    std::size_t tables() const { return K * L * V; }
};

// Parents are labels, and the order lists every label once, after its parent.
inline void check_structure(const Structure &s, const In<std::int32_t, 2> &parents, const In<std::int32_t, 2> &order) {
    check_shape("parents", parents, {s.K, s.L});
    check_shape("order", order, {s.K, s.L});
    check_between("parents", parents, -1, std::int64_t(s.L) - 1);
    const std::int32_t *end = s.parents + s.K * s.L;
    const std::int32_t *edge = s.V > 1 ? end : std::find_if(s.parents, end, [](std::int32_t p) { return p >= 0; });
    if (edge != end) refuse_entry("parents", parents, std::size_t(edge - s.parents), "be -1 if V is 1");
    check_places("order", order, s.L);
    std::vector<char> listed(s.L);
    for (std::size_t first = 0; first < s.K * s.L; first += s.L) {
        std::fill(listed.begin(), listed.end(), 0);
        for (std::size_t at = first; at < first + s.L; ++at) {
            const std::int32_t label = s.order[at], parent = s.parents[first + label];
            if (listed[label] || (parent >= 0 && !listed[parent]))
                refuse_entry("order", order, at, "list every label once, after its parent");
            listed[label] = 1;
        }
    }
}

template <class T>
struct Forests : Structure {
    const T *logits;
    std::size_t n;

    Forests(const In<T, 4> &logits, const In<std::int32_t, 2> &parents, const In<std::int32_t, 2> &order)
        : Structure{logits.shape(1), logits.shape(2), logits.shape(3), parents.data(), order.data()},
          logits(logits.data()),
          n(logits.shape(0)) {
        check_at_least("the number of components (axis 1 of logits)", K, 1);
        check_at_least("the number of labels (axis 2 of logits)", L, 1);
        if (V != 1 && V != 2) check_shape("logits", logits, {n, K, L, 2});
        check_structure(*this, parents, order);
    }

    const T *row(std::size_t i) const { return logits + i * tables(); }
};

// Children of each node of each component; node L stands above the roots.
struct Children {
    std::vector<std::int32_t> first, list;

    explicit Children(const Structure &s) : first(s.K * (s.L + 2), 0), list(s.K * s.L) {
        for (std::size_t k = 0; k < s.K; ++k) {
            std::int32_t *at = first.data() + k * (s.L + 2);
            const std::int32_t *parents = s.parents + k * s.L;
            auto slot = [&](std::size_t l) { return parents[l] < 0 ? s.L : std::size_t(parents[l]); };
            for (std::size_t l = 0; l < s.L; ++l) ++at[slot(l) + 1];
            for (std::size_t node = 0; node <= s.L; ++node) at[node + 1] += at[node];
            std::vector<std::int32_t> next(at, at + s.L + 1);
            for (std::size_t l = 0; l < s.L; ++l) list[k * s.L + next[slot(l)]++] = std::int32_t(l);
        }
    }
};

// Vectorised conversions of a row's tables; +-inf logits give probabilities of exactly 0 and 1.
void log_sigmoids(std::size_t n, const float *z, double *log_p0, double *log_p1);
void log_sigmoids(std::size_t n, const double *z, double *log_p0, double *log_p1);
void sigmoids(std::size_t n, const float *z, double *p);
void sigmoids(std::size_t n, const double *z, double *p);
void log_sigmoid_in_place(std::size_t n, double *z);
void exp_nonpositives(std::size_t n, double *x);  // in place

inline double log_add(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    return high == -kInf ? high : high + log1p_unit(exp_nonpositive(low - high));
}

inline double log_sum(std::size_t n, const double *x) {
    double high = -kInf, sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) high = x[k] > high ? x[k] : high;
    if (high == -kInf) return high;
    for (std::size_t k = 0; k < n; ++k) sum += exp_nonpositive(x[k] - high);
    return high + std::log(sum);
}

// Registers one kernel for float and double logits under one name; the names of its arguments follow.
#define SETWISE_FOREST_DEF(m, NAME, ...)           \
    (m).def(#NAME, &NAME<double>, __VA_ARGS__);    \
    (m).def(#NAME, &NAME<float>, __VA_ARGS__)

}  // namespace setwise
