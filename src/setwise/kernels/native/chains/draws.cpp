// Linear chains: the probability of given sets, and draws with the weight of the evidence.
#include "chain.h"

namespace setwise {

namespace {

Out<double> chain_log_prob(In<double, 2> offsets, In<double, 2> coupling, In<std::int8_t, 3> sets) {
    const std::size_t n = offsets.shape(0), L = offsets.shape(1), S = sets.shape(1);
    const Coupling c(coupling, L);
    check_shape("sets", sets, {n, S, L});
    check_labels("sets", sets);
    auto result = new_array<double>({n, S});
    double *out = result.data();
    nb::gil_scoped_release release;
    parallel_blocks(n, kChainRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> z(L);
        for (std::size_t at = begin * S; at < end * S; ++at) {
            const std::int8_t *y = sets.data() + at * L;
            std::copy_n(offsets.data() + (at / S) * L, L, z.begin());
            double total = 0.0;
            for (std::size_t j = 0; j < L; ++j) {
                const LogPair p = log_pair(z[j]);
                total += y[j] ? p.on : p.off;
                if (y[j])
                    for (std::size_t l = j + 1; l < L; ++l) z[l] += c.row(j)[l];
            }
            out[at] = total;
        }
    });
    return result;
}

nb::tuple chain_sample(In<double, 2> offsets, In<double, 2> coupling, In<std::int8_t, 2> evidence,
                       In<double, 3> uniforms) {
    const std::size_t n = offsets.shape(0), L = offsets.shape(1), S = uniforms.shape(1);
    const Coupling c(coupling, L);
    check_shape("evidence", evidence, {n, L});
    check_evidence("evidence", evidence);
    check_shape("uniforms", uniforms, {n, S, L});
    auto sets = new_array<std::int8_t>({n, S, L});
    auto weights = new_array<double>({n, S});
    auto means = new_array<double>({n, L});
    std::int8_t *draws = sets.data();
    double *log_weight = weights.data(), *mean = means.data();
    {
        nb::gil_scoped_release release;
        parallel_blocks(n, kChainRows, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<double> z(L);
            for (std::size_t i = begin; i < end; ++i) {
                double *average = mean + i * L;
                std::fill(average, average + L, 0.0);
                for (std::size_t s = 0; s < S; ++s) {
                    const std::size_t at = i * S + s;
                    std::copy_n(offsets.data() + i * L, L, z.begin());
                    double weight = 0.0;
                    for (std::size_t j = 0; j < L; ++j) {
                        std::int8_t y = evidence.data()[i * L + j];
                        double on = y;
                        if (y >= 0) {
                            const LogPair p = log_pair(z[j]);
                            weight += y ? p.on : p.off;
                        } else {
                            on = 1.0 / (1.0 + std::exp(-z[j]));
                            y = uniforms.data()[at * L + j] < on;
                        }
                        average[j] += on / double(S);
                        draws[at * L + j] = y;
                        if (y)
                            for (std::size_t l = j + 1; l < L; ++l) z[l] += c.row(j)[l];
                    }
                    log_weight[at] = weight;
                }
            }
        });
    }
    return nb::make_tuple(sets, weights, means);
}

}  // namespace

void register_chain_draws(nb::module_ &m) {
    m.def("chain_log_prob", &chain_log_prob, "offsets"_a, "coupling"_a, "sets"_a);
    m.def("chain_sample", &chain_sample, "offsets"_a, "coupling"_a, "evidence"_a, "uniforms"_a);
}

}  // namespace setwise
