// The number of labels that are on: its distribution, and the best set of every size.
#include "forest.h"

namespace setwise {

namespace {

// Distributions of the number of labels on in each subtree, given the value of its top label or its parent.
struct Sizes {
    std::size_t stride;
    std::vector<double> below[2], message, product;
    std::vector<std::size_t> length;  // entries in use: one more than the labels counted

    explicit Sizes(std::size_t L) : stride(L + 2), message(L + 2), product(L + 2), length(L + 1) {
        for (auto &b : below) b.resize((L + 1) * stride);
    }

    // below[v] of `node` times the first `m` entries of `message`.
    void multiply(std::size_t node, int v, std::size_t m) {
        double *to = below[v].data() + node * stride;
        const std::size_t n = length[node];
        std::fill(product.begin(), product.begin() + n + m - 1, 0.0);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < m; ++b) product[a + b] += to[a] * message[b];
        std::copy(product.begin(), product.begin() + n + m - 1, to);
    }

    // The distribution of one component is left in below[0] of the extra node L, the parent of all roots.
    const double *run(const Structure &s, std::size_t k, const double *p) {
        for (std::size_t node = 0; node <= s.L; ++node) {
            length[node] = 1;
            below[0][node * stride] = below[1][node * stride] = 1.0;
        }
        for (std::size_t t = s.L; t-- > 0;) {
            const std::size_t l = s.order[k * s.L + t], m = length[l] + 1;
            const std::int32_t parent = s.parents[k * s.L + l];
            const std::size_t to = parent < 0 ? s.L : parent;
            const double *off = below[0].data() + l * stride, *on = below[1].data() + l * stride;
            for (int v = 0; v < (parent < 0 ? 1 : 2); ++v) {
                const double q = p[l * s.V + v];
                message[0] = (1.0 - q) * off[0];
                for (std::size_t a = 1; a + 1 < m; ++a) message[a] = (1.0 - q) * off[a] + q * on[a - 1];
                message[m - 1] = q * on[m - 2];
                multiply(to, v, m);
            }
            length[to] += m - 1;
        }
        return below[0].data() + s.L * stride;
    }
};

template <class T>
Out<double> forest_sizes(In<double, 2> gate, In<T, 4> logits, In<std::int32_t, 2> parents,
                         In<std::int32_t, 2> order) {
    const Forests<T> f(logits, parents, order);
    auto result = new_array<double>({f.n, f.L + 1});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> p(f.tables());
        Sizes sizes(f.L);
        for (std::size_t i = begin; i < end; ++i) {
            double *sum = out + i * (f.L + 1);
            std::fill(sum, sum + f.L + 1, 0.0);
            sigmoids(f.tables(), f.row(i), p.data());
            for (std::size_t k = 0; k < f.K; ++k) {
                const double *one = sizes.run(f, k, p.data() + k * f.L * f.V);
                const double weight = gate.data()[i * f.K + k];
                for (std::size_t c = 0; c <= f.L; ++c) sum[c] += weight * one[c];
            }
        }
    });
    return result;
}

// The largest log-probability of every number of labels on in each subtree: convolutions with maxima for sums.
struct BestSizes {
    std::size_t stride;
    std::vector<double> below[2], message, product;
    std::vector<std::size_t> length;  // entries in use: one more than the labels counted

    explicit BestSizes(std::size_t L) : stride(L + 2), message(L + 2), product(L + 2), length(L + 1) {
        for (auto &b : below) b.resize((L + 1) * stride);
    }

    void join(std::size_t node, int v, std::size_t m) {
        double *to = below[v].data() + node * stride;
        const std::size_t n = length[node];
        std::fill(product.begin(), product.begin() + n + m - 1, -kInf);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < m; ++b) {
                const double both = to[a] + message[b];
                product[a + b] = both > product[a + b] ? both : product[a + b];
            }
        std::copy(product.begin(), product.begin() + n + m - 1, to);
    }

    void run(const Structure &s, std::size_t k, const double *log_p0, const double *log_p1, double *out) {
        for (std::size_t node = 0; node <= s.L; ++node) {
            length[node] = 1;
            below[0][node * stride] = below[1][node * stride] = 0.0;
        }
        for (std::size_t t = s.L; t-- > 0;) {
            const std::size_t l = s.order[k * s.L + t], m = length[l] + 1;
            const std::int32_t parent = s.parents[k * s.L + l];
            const std::size_t to = parent < 0 ? s.L : parent;
            const double *off = below[0].data() + l * stride, *on = below[1].data() + l * stride;
            for (int v = 0; v < (parent < 0 ? 1 : 2); ++v) {
                const double q0 = log_p0[l * s.V + v], q1 = log_p1[l * s.V + v];
                message[0] = q0 + off[0];
                for (std::size_t a = 1; a + 1 < m; ++a) message[a] = std::max(q0 + off[a], q1 + on[a - 1]);
                message[m - 1] = q1 + on[m - 2];
                join(to, v, m);
            }
            length[to] += m - 1;
        }
        std::copy(&below[0][s.L * stride], &below[0][s.L * stride] + s.L + 1, out);
    }
};

template <class T>
Out<double> forest_best_sizes(In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order) {
    const Forests<T> f(logits, parents, order);
    auto result = new_array<double>({f.n, f.K, f.L + 1});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> log_p0(f.tables()), log_p1(f.tables());
        BestSizes sizes(f.L);
        for (std::size_t i = begin; i < end; ++i) {
            log_sigmoids(f.tables(), f.row(i), log_p0.data(), log_p1.data());
            for (std::size_t k = 0; k < f.K; ++k) {
                const std::size_t at = k * f.L * f.V;
                sizes.run(f, k, &log_p0[at], &log_p1[at], out + (i * f.K + k) * (f.L + 1));
            }
        }
    });
    return result;
}

}  // namespace

void register_forest_sizes(nb::module_ &m) {
    SETWISE_FOREST_DEF(m, forest_sizes);
    SETWISE_FOREST_DEF(m, forest_best_sizes);
}

}  // namespace setwise
