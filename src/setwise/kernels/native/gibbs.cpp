// Gibbs sampling of label sets whose full conditionals are logistic in the other labels.
//
// The features enter as one offset a label; a label that changes moves the logits of all others by one row of
// the couplings. Random numbers are counted, not drawn in turn: the uniform of (row, chain, sweep, label) is a
// hash of these, so the result is the same for any number of threads.
#include "arrays.h"
#include "parallel.h"
#include "vecmath.h"

#include <vector>

namespace setwise {

namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;

// Steele, Lea and Flood's finaliser.
SETWISE_INLINE std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
    return bits ^ (bits >> 31);
}

// 2^-52 times a whole number plus a half: strictly inside (0, 1), never rounded.
SETWISE_INLINE double uniform(std::uint64_t key, std::uint64_t at) {
    const std::uint64_t bits = (mixed(key + (at + 1) * kGolden) >> 12) | 0x3FF0000000000000ull;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return (x - 1.0) + 1.1102230246251565e-16;
}

// logit(u) of the sweep's uniforms: a label is on when its logit is above its own threshold.
SETWISE_DISPATCH void thresholds(std::uint64_t key, std::size_t L, double *SETWISE_RESTRICT out) {
    for (std::size_t l = 0; l < L; ++l) {
        const double u = uniform(key, l);
        out[l] = log_positive(u / (1.0 - u));
    }
}

SETWISE_DISPATCH void add_scaled(std::size_t L, double scale, const double *SETWISE_RESTRICT row,
                                 double *SETWISE_RESTRICT logits) {
    for (std::size_t l = 0; l < L; ++l) logits[l] += scale * row[l];
}

// Log of the product of the conditionals of every label's value; the conditionals are added to `probs`.
SETWISE_DISPATCH double pseudo_log_prob(std::size_t L, const double *SETWISE_RESTRICT logits,
                                        const std::int8_t *SETWISE_RESTRICT y, double *SETWISE_RESTRICT probs) {
    double total = 0.0;
    for (std::size_t l = 0; l < L; ++l) {
        const double z = logits[l], size = z < 0.0 ? -z : z;
        const double e = exp_nonpositive(-size);
        total += ((z > 0.0) == (y[l] == 1) ? 0.0 : -size) - log1p_unit(e);
        probs[l] += (z > 0.0 ? 1.0 : e) / (1.0 + e);
    }
    return total;
}

struct Chain {
    std::size_t L;
    const double *couplings;
    const std::int8_t *evidence;
    const std::int32_t *order;
    std::vector<double> logits, level;
    std::vector<std::int8_t> y;

    void start(std::uint64_t key, const double *offsets) {
        logits.assign(offsets, offsets + L);
        level.resize(L);
        y.resize(L);
        for (std::size_t l = 0; l < L; ++l) y[l] = evidence[l] < 0 ? uniform(key, l) < 0.5 : evidence[l];
        for (std::size_t l = 0; l < L; ++l) add_scaled(L, y[l] ? 1.0 : -1.0, couplings + l * L, logits.data());
    }

    void sweep(std::uint64_t key) {
        thresholds(key, L, level.data());
        for (std::size_t p = 0; p < L; ++p) {
            const std::size_t l = order[p];
            if (evidence[l] >= 0) continue;
            const std::int8_t value = logits[l] > level[l];
            if (value == y[l]) continue;
            y[l] = value;
            add_scaled(L, value ? 2.0 : -2.0, couplings + l * L, logits.data());
        }
    }
};

nb::tuple gibbs_linear(In<double, 2> offsets, In<double, 2> couplings, In<std::int8_t, 2> evidence,
                       In<std::uint64_t, 1> streams, In<std::int32_t, 2> order, std::size_t n_burn_in,
                       std::size_t n_collect) {
    const std::size_t n = offsets.shape(0), L = offsets.shape(1), chains = order.shape(0);
    auto samples = new_array<std::int8_t>({n, chains, n_collect, L});
    auto scores = new_array<double>({n, chains, n_collect});
    auto probs = new_array<double>({n, chains, L});
    {
        nb::gil_scoped_release release;
        parallel_blocks(n, 4, [&](std::size_t, std::size_t begin, std::size_t end) {
            Chain chain{L, couplings.data(), nullptr, nullptr, {}, {}, {}};
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t c = 0; c < chains; ++c) {
                    const std::uint64_t key = mixed(streams.data()[i] + (c + 1) * kGolden);
                    chain.evidence = evidence.data() + i * L;
                    chain.order = order.data() + c * L;
                    chain.start(mixed(key + kGolden), offsets.data() + i * L);
                    std::size_t at = (i * chains + c) * n_collect;
                    double *sums = probs.data() + (i * chains + c) * L;
                    std::fill(sums, sums + L, 0.0);
                    for (std::size_t t = 0; t < n_burn_in + n_collect; ++t) {
                        chain.sweep(mixed(key + (t + 2) * kGolden));
                        if (t < n_burn_in) continue;
                        std::copy(chain.y.begin(), chain.y.end(), samples.data() + at * L);
                        scores.data()[at++] = pseudo_log_prob(L, chain.logits.data(), chain.y.data(), sums);
                    }
                    for (std::size_t l = 0; l < L; ++l) sums[l] /= double(n_collect);
                }
        });
    }
    return nb::make_tuple(samples, scores, probs);
}

}  // namespace

void register_gibbs(nb::module_ &m) { m.def("gibbs_linear", &gibbs_linear); }

}  // namespace setwise
