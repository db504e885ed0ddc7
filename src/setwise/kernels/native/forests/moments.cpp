// Marginals, pairwise marginals, entropy and samples, by one downward pass.
#include "forest.h"

namespace setwise {

namespace {

// P(y_l = 1) of one component, parents before children. p (L, V) holds P(y_l = 1 | parent value).
void downward(const Structure &s, std::size_t k, const double *p, double *marginal) {
    for (std::size_t t = 0; t < s.L; ++t) {
        const std::int32_t l = s.order[k * s.L + t], parent = s.parents[k * s.L + l];
        const double off = p[l * s.V];
        marginal[l] = parent < 0 ? off : (1.0 - marginal[parent]) * off + marginal[parent] * p[l * s.V + 1];
    }
}

template <class T>
Out<double> forest_marginals(In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order) {
    const Forests<T> f(logits, parents, order);
    auto result = new_array<double>({f.n, f.K, f.L});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> p(f.tables());
        for (std::size_t i = begin; i < end; ++i) {
            sigmoids(f.tables(), f.row(i), p.data());
            for (std::size_t k = 0; k < f.K; ++k)
                downward(f, k, p.data() + k * f.L * f.V, out + (i * f.K + k) * f.L);
        }
    });
    return result;
}

// P(y_i = 1, y_j = 1) of one component: j's parent separates it from every label before it in the order.
void joint_of_pairs(const Structure &s, std::size_t k, const double *p, const double *marginal, double *joint) {
    const std::int32_t *order = s.order + k * s.L;
    for (std::size_t t = 0; t < s.L; ++t) {
        const std::size_t j = order[t];
        const std::int32_t parent = s.parents[k * s.L + j];
        const double off = p[j * s.V], on = parent < 0 ? off : p[j * s.V + 1];
        for (std::size_t u = 0; u < t; ++u) {
            const std::size_t i = order[u];
            const double with = parent < 0 ? marginal[i] : joint[i * s.L + parent];
            joint[i * s.L + j] = joint[j * s.L + i] = with * on + (marginal[i] - with) * off;
        }
        joint[j * s.L + j] = marginal[j];
    }
}

template <class T>
Out<double> forest_pairwise(In<double, 2> gate, In<T, 4> logits, In<std::int32_t, 2> parents,
                            In<std::int32_t, 2> order) {
    const Forests<T> f(logits, parents, order);
    check_shape("gate", gate, {f.n, f.K});
    auto result = new_array<double>({f.n, f.L, f.L});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> p(f.tables()), marginal(f.L), joint(f.L * f.L);
        for (std::size_t i = begin; i < end; ++i) {
            double *sum = out + i * f.L * f.L;
            std::fill(sum, sum + f.L * f.L, 0.0);
            sigmoids(f.tables(), f.row(i), p.data());
            for (std::size_t k = 0; k < f.K; ++k) {
                downward(f, k, p.data() + k * f.L * f.V, marginal.data());
                joint_of_pairs(f, k, p.data() + k * f.L * f.V, marginal.data(), joint.data());
                const double weight = gate.data()[i * f.K + k];
                for (std::size_t c = 0; c < joint.size(); ++c) sum[c] += weight * joint[c];
            }
        }
    });
    return result;
}

// Entropy in nats of a coin with logit z; zero if the outcome is certain.
double coin_entropy(double z) {
    const double size = std::fabs(z), e = exp_nonpositive(-size);
    return e == 0.0 ? 0.0 : log1p_unit(e) + size * e / (1.0 + e);
}

template <class T>
Out<double> forest_entropy(In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order) {
    const Forests<T> f(logits, parents, order);
    auto result = new_array<double>({f.n, f.K});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> p(f.tables()), marginal(f.L);
        for (std::size_t i = begin; i < end; ++i) {
            sigmoids(f.tables(), f.row(i), p.data());
            for (std::size_t k = 0; k < f.K; ++k) {
                const T *z = f.row(i) + k * f.L * f.V;
                downward(f, k, p.data() + k * f.L * f.V, marginal.data());
                double sum = 0.0;
                for (std::size_t l = 0; l < f.L; ++l) {
                    const std::int32_t parent = f.parents[k * f.L + l];
                    sum += parent < 0 ? coin_entropy(z[l * f.V])
                                      : (1.0 - marginal[parent]) * coin_entropy(z[l * f.V]) +
                                            marginal[parent] * coin_entropy(z[l * f.V + 1]);
                }
                out[i * f.K + k] = sum;
            }
        }
    });
    return result;
}

template <class T>
Out<std::int8_t> forest_sample(In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order,
                               In<std::int64_t, 2> component, In<double, 3> uniforms) {
    const Forests<T> f(logits, parents, order);
    const std::size_t S = component.shape(1);
    check_shape("component", component, {f.n, S});
    check_shape("uniforms", uniforms, {f.n, S, f.L});
    check_places("component", component, f.K);
    auto result = new_array<std::int8_t>({f.n, S, f.L});
    std::int8_t *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> p(f.tables());
        for (std::size_t i = begin; i < end; ++i) {
            sigmoids(f.tables(), f.row(i), p.data());
            for (std::size_t s = i * S; s < (i + 1) * S; ++s) {
                const std::size_t k = component.data()[s];
                const double *u = uniforms.data() + s * f.L;
                std::int8_t *y = out + s * f.L;
                for (std::size_t t = 0; t < f.L; ++t) {
                    const std::int32_t l = f.order[k * f.L + t], parent = f.parents[k * f.L + l];
                    y[l] = u[l] < p[(k * f.L + l) * f.V + (parent < 0 ? 0 : y[parent])];
                }
            }
        }
    });
    return result;
}

}  // namespace

void register_forest_moments(nb::module_ &m) {
    SETWISE_FOREST_DEF(m, forest_marginals, "logits"_a, "parents"_a, "order"_a);
    SETWISE_FOREST_DEF(m, forest_pairwise, "gate"_a, "logits"_a, "parents"_a, "order"_a);
    SETWISE_FOREST_DEF(m, forest_entropy, "logits"_a, "parents"_a, "order"_a);
    SETWISE_FOREST_DEF(m, forest_sample, "logits"_a, "parents"_a, "order"_a, "component"_a, "uniforms"_a);
}

}  // namespace setwise
