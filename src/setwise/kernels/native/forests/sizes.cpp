// The number of labels that are on: its distribution, and the best set of every size.
//
// Both are one convolution up each forest, over two semirings: sums of probabilities, and maxima of log-probabilities.
#include "forest.h"

namespace setwise {

namespace {

struct Probabilities {
    static constexpr double zero = 0.0, one = 1.0;
    static SETWISE_INLINE double plus(double a, double b) { return a + b; }
    static SETWISE_INLINE double times(double a, double b) { return a * b; }
};

struct Maxima {
    static constexpr double zero = -kInf, one = 0.0;
    static SETWISE_INLINE double plus(double a, double b) { return b > a ? b : a; }
    static SETWISE_INLINE double times(double a, double b) { return a + b; }
};

// The value of every number of labels that are on in each subtree, given the value of its top label or its parent.
template <class Semiring>
class BySize {
  public:
    explicit BySize(std::size_t L) : stride_(L + 2), message_(L + 2), product_(L + 2), length_(L + 1) {
        for (auto &below : below_) below.resize((L + 1) * stride_);
    }

    // The values (L + 1) of one component, whose labels have the values off and on (L, V) given their parents'.
    const double *run(const Structure &s, std::size_t k, const double *off, const double *on) {
        for (std::size_t node = 0; node <= s.L; ++node) {
            length_[node] = 1;
            below_[0][node * stride_] = below_[1][node * stride_] = Semiring::one;
        }
        for (std::size_t t = s.L; t-- > 0;) {
            const std::size_t l = s.order[k * s.L + t];
            const std::int32_t parent = s.parents[k * s.L + l];
            const std::size_t above = parent < 0 ? s.L : parent;  // node L stands above the roots
            for (int v = 0; v < (parent < 0 ? 1 : 2); ++v) {
                set_message(l, off[l * s.V + v], on[l * s.V + v]);
                multiply(above, v, length_[l] + 1);
            }
            length_[above] += length_[l];
        }
        return below_[0].data() + s.L * stride_;
    }

  private:
    // From label l to its parent: one entry more than l has received.
    void set_message(std::size_t l, double off, double on) {
        const std::size_t n = length_[l];
        const double *below0 = below_[0].data() + l * stride_, *below1 = below_[1].data() + l * stride_;
        double *SETWISE_RESTRICT message = message_.data();
        message[0] = Semiring::times(off, below0[0]);
        for (std::size_t a = 1; a < n; ++a)
            message[a] = Semiring::plus(Semiring::times(off, below0[a]), Semiring::times(on, below1[a - 1]));
        message[n] = Semiring::times(on, below1[n - 1]);
    }

    // below_[v] of `node` times the first `m` entries of the message. The longer of the two is the inner loop, so that it
    // fills vectors; both ways add the terms of a product in the same order.
    void multiply(std::size_t node, int v, std::size_t m) {
        double *to = below_[v].data() + node * stride_, *message = message_.data(), *product = product_.data();
        const std::size_t n = length_[node];
        std::fill_n(product, n + m - 1, Semiring::zero);
        if (n < m)
            for (std::size_t a = 0; a < n; ++a) add(m, to[a], message, product + a);
        else
            for (std::size_t b = m; b-- > 0;) add(n, message[b], to, product + b);
        std::copy_n(product, n + m - 1, to);
    }

    static void add(std::size_t size, double factor, const double *SETWISE_RESTRICT values, double *SETWISE_RESTRICT sums) {
        for (std::size_t a = 0; a < size; ++a) sums[a] = Semiring::plus(sums[a], Semiring::times(factor, values[a]));
    }

    std::size_t stride_;
    std::vector<double> below_[2], message_, product_;
    std::vector<std::size_t> length_;  // entries in use: one more than the labels counted
};

template <class T>
Out<double> forest_sizes(In<double, 2> gate, In<T, 4> logits, In<std::int32_t, 2> parents,
                         In<std::int32_t, 2> order) {
    const Forests<T> f(logits, parents, order);
    check_shape("gate", gate, {f.n, f.K});
    auto result = new_array<double>({f.n, f.L + 1});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> off(f.tables()), on(f.tables());
        BySize<Probabilities> sizes(f.L);
        for (std::size_t i = begin; i < end; ++i) {
            double *sum = out + i * (f.L + 1);
            std::fill_n(sum, f.L + 1, 0.0);
            sigmoids(f.tables(), f.row(i), on.data());
            std::transform(on.begin(), on.end(), off.begin(), [](double p) { return 1.0 - p; });
            for (std::size_t k = 0; k < f.K; ++k) {
                const std::size_t at = k * f.L * f.V;
                const double *one = sizes.run(f, k, &off[at], &on[at]), weight = gate.data()[i * f.K + k];
                for (std::size_t c = 0; c <= f.L; ++c) sum[c] += weight * one[c];
            }
        }
    });
    return result;
}

template <class T>
Out<double> forest_best_sizes(In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order) {
    const Forests<T> f(logits, parents, order);
    auto result = new_array<double>({f.n, f.K, f.L + 1});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> log_p0(f.tables()), log_p1(f.tables());
        BySize<Maxima> sizes(f.L);
        for (std::size_t i = begin; i < end; ++i) {
            log_sigmoids(f.tables(), f.row(i), log_p0.data(), log_p1.data());
            for (std::size_t k = 0; k < f.K; ++k) {
                const std::size_t at = k * f.L * f.V;
                std::copy_n(sizes.run(f, k, &log_p0[at], &log_p1[at]), f.L + 1, out + (i * f.K + k) * (f.L + 1));
            }
        }
    });
    return result;
}

}  // namespace

void register_forest_sizes(nb::module_ &m) {
    SETWISE_FOREST_DEF(m, forest_sizes, "gate"_a, "logits"_a, "parents"_a, "order"_a);
    SETWISE_FOREST_DEF(m, forest_best_sizes, "logits"_a, "parents"_a, "order"_a);
}

}  // namespace setwise
