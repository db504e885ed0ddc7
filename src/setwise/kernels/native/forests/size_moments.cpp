// Joint moments of labels and the size of the set: E[y_l t^|y|] at given t.
#include <memory>

#include "forest.h"

namespace setwise {

namespace {

constexpr std::size_t kLanes = 8;        // number of values of t processed at a time
constexpr double kNegligible = 1e-17;    // smaller weights add nothing to an answer of order one

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

// A label of one component, or the node above the roots, with its messages given its own value.
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
    check_shape("gate", gate, {f.n, f.K});
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

}  // namespace

void register_forest_size_moments(nb::module_ &m) {
    SETWISE_FOREST_DEF(m, forest_size_moments, "gate"_a, "logits"_a, "parents"_a, "order"_a, "points"_a);
}

}  // namespace setwise
