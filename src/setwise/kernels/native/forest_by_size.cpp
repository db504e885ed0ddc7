// Labels and the size of the set together: E[y_l t^|y|] at given t, and the best set of every size.
#include <memory>

#include "forest.h"

namespace setwise {

namespace {

constexpr std::size_t kLanes = 8;        // values of t worked on at a time
constexpr double kNegligible = 1e-17;    // weights below add nothing to an answer of order one

using Lanes = double[kLanes];

// Adds weight * E[y_l t^|y|] of independent labels: products of the factors of all other labels, without
// divisions. `before` (L) is workspace; out (L, stride).
SETWISE_DISPATCH void independent_moments(std::size_t L, const double *p, const double *t, double weight,
                                          Lanes *before, double *out, std::size_t stride) {
    Lanes product;
    for (std::size_t j = 0; j < kLanes; ++j) product[j] = weight;
    for (std::size_t l = 0; l < L; ++l)
        for (std::size_t j = 0; j < kLanes; ++j) {
            before[l][j] = product[j];
            product[j] *= 1.0 - p[l] + p[l] * t[j];
        }
    for (std::size_t j = 0; j < kLanes; ++j) product[j] = 1.0;
    for (std::size_t l = L; l-- > 0;)
        for (std::size_t j = 0; j < kLanes; ++j) {
            out[l * stride + j] += p[l] * t[j] * before[l][j] * product[j];
            product[j] *= 1.0 - p[l] + p[l] * t[j];
        }
}

// A label of one component, or what stands above the roots, with its messages given its own value.
struct Node {
    Lanes inside[2];   // product of its children's messages
    Lanes before[2];   // product of the messages of the children already visited on the way down
    Lanes message[2];  // from it to its parent, given the parent's value
    Lanes after[2];    // product of its later siblings' messages
    Lanes above[2];    // everything outside its subtree, and the label itself
};

SETWISE_DISPATCH void forest_moments_up(const Structure &s, std::size_t k, const double *p, const double *t,
                                        Node *nodes) {
    for (std::size_t l = 0; l <= s.L; ++l)
        for (int v = 0; v < 2; ++v)
            for (std::size_t j = 0; j < kLanes; ++j) nodes[l].inside[v][j] = nodes[l].before[v][j] = 1.0;
    for (std::size_t place = s.L; place-- > 0;) {
        const std::int32_t l = s.order[k * s.L + place], parent = s.parents[k * s.L + l];
        Node &node = nodes[l], &up = nodes[parent < 0 ? s.L : parent];
        for (int v = 0; v < 2; ++v) {
            const double q = p[l * s.V + (parent < 0 ? 0 : v)];
            for (std::size_t j = 0; j < kLanes; ++j) {
                node.message[v][j] = (1.0 - q) * node.inside[0][j] + q * t[j] * node.inside[1][j];
                node.after[v][j] = up.inside[v][j];
                up.inside[v][j] *= node.message[v][j];
            }
        }
    }
}

SETWISE_DISPATCH void forest_moments_down(const Structure &s, std::size_t k, const double *p, const double *t,
                                          double weight, Node *nodes, double *out, std::size_t stride) {
    for (std::size_t j = 0; j < kLanes; ++j) nodes[s.L].above[0][j] = weight, nodes[s.L].above[1][j] = 0.0;
    for (std::size_t place = 0; place < s.L; ++place) {
        const std::int32_t l = s.order[k * s.L + place], parent = s.parents[k * s.L + l];
        Node &node = nodes[l], &up = nodes[parent < 0 ? s.L : parent];
        const double q0 = p[l * s.V], q1 = p[l * s.V + (parent < 0 ? 0 : 1)];
        for (std::size_t j = 0; j < kLanes; ++j) {
            const double off = up.above[0][j] * up.before[0][j] * node.after[0][j];
            const double on = up.above[1][j] * up.before[1][j] * node.after[1][j];
            up.before[0][j] *= node.message[0][j];
            up.before[1][j] *= node.message[1][j];
            node.above[0][j] = (1.0 - q0) * off + (1.0 - q1) * on;
            node.above[1][j] = t[j] * (q0 * off + q1 * on);
            out[l * stride + j] += node.above[1][j] * node.inside[1][j];
        }
    }
}

template <class T>
Out<double> forest_size_moments(In<double, 2> gate, In<T, 4> logits, In<std::int32_t, 2> parents,
                                In<std::int32_t, 2> order, In<double, 1> points) {
    const Forests<T> f(logits, parents, order);
    const std::size_t Q = points.shape(0), width = (Q + kLanes - 1) / kLanes * kLanes;
    auto result = new_array<double>({f.n, f.L, Q});
    double *out = result.data();
    std::vector<double> t(width, 0.0);
    std::copy(points.data(), points.data() + Q, t.begin());
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> p(f.tables()), sum(f.L * width);
        std::vector<Node> nodes(f.V == 1 ? 0 : f.L + 1);
        std::unique_ptr<Lanes[]> before(new Lanes[f.L]);
        for (std::size_t i = begin; i < end; ++i) {
            sigmoids(f.tables(), f.row(i), p.data());
            std::fill(sum.begin(), sum.end(), 0.0);
            for (std::size_t k = 0; k < f.K; ++k) {
                const double weight = gate.data()[i * f.K + k], *table = p.data() + k * f.L * f.V;
                if (weight < kNegligible) continue;
                for (std::size_t q = 0; q < width; q += kLanes) {
                    if (f.V == 1) {
                        independent_moments(f.L, table, &t[q], weight, before.get(), &sum[q], width);
                    } else {
                        forest_moments_up(f, k, table, &t[q], nodes.data());
                        forest_moments_down(f, k, table, &t[q], weight, nodes.data(), &sum[q], width);
                    }
                }
            }
            for (std::size_t l = 0; l < f.L; ++l)
                std::copy(&sum[l * width], &sum[l * width] + Q, out + (i * f.L + l) * Q);
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

void register_forest_by_size(nb::module_ &m) {
    SETWISE_FOREST_DEF(m, forest_size_moments);
    SETWISE_FOREST_DEF(m, forest_best_sizes);
}

}  // namespace setwise
