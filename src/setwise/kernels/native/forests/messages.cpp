// Sum-product, max-sum and conditioning: one upward pass over each forest, in log space.
#include "forest.h"

namespace setwise {

namespace {

// Tables of one row as log-probabilities, and the messages of one component.
struct Upward {
    std::vector<double> log_p0, log_p1;  // (K, L, V)
    std::vector<double> below;           // (L, 2): log-probability of the evidence below l, given y_l
    std::vector<char> touched;           // whether there is evidence in l's subtree

    explicit Upward(const Structure &s)
        : log_p0(s.tables()), log_p1(s.tables()), below(2 * s.L), touched(s.L) {}

    // log p_k(evidence); afterwards `below` holds the messages of component k.
    double run(const Structure &s, std::size_t k, const std::int8_t *evidence) {
        const std::int32_t *parents = s.parents + k * s.L, *order = s.order + k * s.L;
        const double *q0 = log_p0.data() + k * s.L * s.V, *q1 = log_p1.data() + k * s.L * s.V;
        std::fill(below.begin(), below.end(), 0.0);
        for (std::size_t l = 0; l < s.L; ++l) touched[l] = evidence[l] >= 0;
        double total = 0.0;
        for (std::size_t t = s.L; t-- > 0;) {
            const std::size_t l = order[t];
            if (!touched[l]) continue;  // sums to one
            const std::int32_t p = parents[l];
            for (std::size_t v = 0; v < (p < 0 ? 1u : 2u); ++v) {
                const double a0 = q0[l * s.V + v] + below[2 * l], a1 = q1[l * s.V + v] + below[2 * l + 1];
                const double message = evidence[l] == 0 ? a0 : evidence[l] == 1 ? a1 : log_add(a0, a1);
                (p < 0 ? total : below[2 * p + v]) += message;
            }
            if (p >= 0) touched[p] = 1;
        }
        return total;
    }
};

bool is_complete(std::size_t L, const std::int8_t *evidence) {
    for (std::size_t l = 0; l < L; ++l)
        if (evidence[l] < 0) return false;
    return true;
}

// One term per label: signed logits, +inf (probability one) if the label is free.
template <class T>
void signed_logits(const Structure &s, const T *logits, const std::int8_t *y, double *out) {
    for (std::size_t k = 0; k < s.K; ++k)
        for (std::size_t l = 0; l < s.L; ++l) {
            const std::int32_t p = s.parents[k * s.L + l];
            const double z = logits[(k * s.L + l) * s.V + (p >= 0 ? y[p] : 0)];
            out[k * s.L + l] = y[l] < 0 ? kInf : y[l] ? z : -z;
        }
}

template <class T>
Out<double> forest_log_evidence(In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order,
                                In<std::int8_t, 2> evidence) {
    const Forests<T> f(logits, parents, order);
    check_shape("evidence", evidence, {f.n, f.L});
    check_evidence("evidence", evidence);
    auto result = new_array<double>({f.n, f.K});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        Upward up(f);
        std::vector<double> terms(f.K * f.L);
        for (std::size_t i = begin; i < end; ++i) {
            const std::int8_t *y = evidence.data() + i * f.L;
            if (f.V == 1 || is_complete(f.L, y)) {
                signed_logits(f, f.row(i), y, terms.data());
                log_sigmoid_in_place(terms.size(), terms.data());
                for (std::size_t k = 0; k < f.K; ++k) {
                    double sum = 0.0;
                    for (std::size_t l = 0; l < f.L; ++l) sum += terms[k * f.L + l];
                    out[i * f.K + k] = sum;
                }
            } else {
                log_sigmoids(f.tables(), f.row(i), up.log_p0.data(), up.log_p1.data());
                for (std::size_t k = 0; k < f.K; ++k) out[i * f.K + k] = up.run(f, k, y);
            }
        }
    });
    return result;
}

// The messages from below shift the table of a free label. A parent value that the evidence rules out leaves
// nothing to normalise (the difference is NaN); any finite table will do, as it has no weight.
template <class T>
void condition_tables(const Structure &s, const T *logits, const std::int8_t *evidence, const double *below, T *out) {
    for (std::size_t l = 0; l < s.L; ++l)
        for (std::size_t v = 0; v < s.V; ++v) {
            const double z = double(logits[l * s.V + v]) + (below[2 * l + 1] - below[2 * l]);
            out[l * s.V + v] = evidence[l] >= 0 ? T(evidence[l] ? kInf : -kInf) : std::isnan(z) ? T(0) : T(z);
        }
}

template <class T>
auto forest_condition(In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order,
                      In<std::int8_t, 2> evidence) {
    const Forests<T> f(logits, parents, order);
    check_shape("evidence", evidence, {f.n, f.L});
    check_evidence("evidence", evidence);
    auto tables = new_array<T>({f.n, f.K, f.L, f.V});
    auto log_evidence = new_array<double>({f.n, f.K});
    T *out = tables.data();
    double *log_p = log_evidence.data();
    {
        nb::gil_scoped_release release;
        parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
            Upward up(f);
            for (std::size_t i = begin; i < end; ++i) {
                const std::int8_t *y = evidence.data() + i * f.L;
                log_sigmoids(f.tables(), f.row(i), up.log_p0.data(), up.log_p1.data());
                for (std::size_t k = 0; k < f.K; ++k) {
                    const std::size_t at = k * f.L * f.V;
                    log_p[i * f.K + k] = up.run(f, k, y);
                    condition_tables(f, f.row(i) + at, y, up.below.data(), out + i * f.tables() + at);
                }
            }
        });
    }
    return nb::make_tuple(tables, log_evidence);
}

// Max-sum on one component: `best` (L, 2) receives the better value of each label given its parent's.
double max_sum_upward(const Structure &s, std::size_t k, const Upward &tables, const std::int8_t *evidence,
                      double *below, std::int8_t *best) {
    const std::int32_t *parents = s.parents + k * s.L, *order = s.order + k * s.L;
    const double *q0 = tables.log_p0.data() + k * s.L * s.V, *q1 = tables.log_p1.data() + k * s.L * s.V;
    std::fill(below, below + 2 * s.L, 0.0);
    double total = 0.0;
    for (std::size_t t = s.L; t-- > 0;) {
        const std::size_t l = order[t];
        const std::int32_t p = parents[l];
        for (std::size_t v = 0; v < (p < 0 ? 1u : 2u); ++v) {
            const double a0 = q0[l * s.V + v] + below[2 * l], a1 = q1[l * s.V + v] + below[2 * l + 1];
            const bool on = evidence[l] >= 0 ? evidence[l] == 1 : a1 > a0;
            best[2 * l + v] = on;
            (p < 0 ? total : below[2 * p + v]) += on ? a1 : a0;
        }
    }
    return total;
}

template <class T>
auto forest_max_sum(In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order,
                    In<std::int8_t, 2> evidence) {
    const Forests<T> f(logits, parents, order);
    check_shape("evidence", evidence, {f.n, f.L});
    check_evidence("evidence", evidence);
    auto labels = new_array<std::int8_t>({f.n, f.K, f.L});
    auto values = new_array<double>({f.n, f.K});
    std::int8_t *out = labels.data();
    double *value = values.data();
    {
        nb::gil_scoped_release release;
        parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
            Upward tables(f);
            std::vector<std::int8_t> best(2 * f.L);
            for (std::size_t i = begin; i < end; ++i) {
                log_sigmoids(f.tables(), f.row(i), tables.log_p0.data(), tables.log_p1.data());
                for (std::size_t k = 0; k < f.K; ++k) {
                    value[i * f.K + k] = max_sum_upward(f, k, tables, evidence.data() + i * f.L, tables.below.data(),
                                                        best.data());
                    std::int8_t *y = out + (i * f.K + k) * f.L;
                    for (std::size_t t = 0; t < f.L; ++t) {
                        const std::int32_t l = f.order[k * f.L + t], p = f.parents[k * f.L + l];
                        y[l] = best[2 * l + (p < 0 ? 0 : y[p])];
                    }
                }
            }
        });
    }
    return nb::make_tuple(labels, values);
}

}  // namespace

void register_forest_messages(nb::module_ &m) {
    SETWISE_FOREST_DEF(m, forest_log_evidence, "logits"_a, "parents"_a, "order"_a, "evidence"_a);
    SETWISE_FOREST_DEF(m, forest_condition, "logits"_a, "parents"_a, "order"_a, "evidence"_a);
    SETWISE_FOREST_DEF(m, forest_max_sum, "logits"_a, "parents"_a, "order"_a, "evidence"_a);
}

}  // namespace setwise
