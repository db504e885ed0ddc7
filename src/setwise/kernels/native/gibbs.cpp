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
SETWISE_INLINE double uniform(std::uint64_t counter) {
    const std::uint64_t bits = (mixed(counter) >> 12) | 0x3FF0000000000000ull;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return (x - 1.0) + 1.1102230246251565e-16;
}

// logit(u) of the counters' uniforms: a label is on when its logit is above its own threshold.
SETWISE_DISPATCH void thresholds(std::size_t size, const std::uint64_t *SETWISE_RESTRICT counters,
                                 double *SETWISE_RESTRICT out) {
    for (std::size_t i = 0; i < size; ++i) {
        const double u = uniform(counters[i]);
        out[i] = log_positive(u / (1.0 - u));
    }
}

SETWISE_DISPATCH void add_scaled(std::size_t L, double scale, const double *SETWISE_RESTRICT row,
                                 double *SETWISE_RESTRICT logits) {
    for (std::size_t l = 0; l < L; ++l) logits[l] += scale * row[l];
}

// Logs of the conditionals of the labels' values, and the conditionals of their being on.
SETWISE_DISPATCH void conditionals(std::size_t size, const double *SETWISE_RESTRICT logits,
                                   const std::int8_t *SETWISE_RESTRICT y, double *SETWISE_RESTRICT logs,
                                   double *SETWISE_RESTRICT probs) {
    for (std::size_t i = 0; i < size; ++i) {
        const double z = logits[i], length = z < 0.0 ? -z : z;
        const double e = exp_nonpositive(-length);
        logs[i] = ((z > 0.0) == (y[i] == 1) ? 0.0 : -length) - log1p_unit(e);
        probs[i] = (z > 0.0 ? 1.0 : e) / (1.0 + e);
    }
}

// One chain of one row. Sweeps are walked some at a time, so that all that does not depend on the state is
// computed for whole vectors even where labels are few.
class Chain {
  public:
    Chain(std::size_t L, const double *couplings)
        : L_(L), some_(std::max<std::size_t>(1, 512 / L)), couplings_(couplings), logits_(L), y_(L),
          counters_(some_ * L), levels_(some_ * L), seen_(some_ * L), logs_(some_ * L), probs_(some_ * L) {}

    void start(std::uint64_t key, const double *offsets, const std::int8_t *evidence, const std::int32_t *order) {
        key_ = key;
        sweep_ = 0;
        evidence_ = evidence;
        order_ = order;
        std::copy(offsets, offsets + L_, logits_.begin());
        const std::uint64_t first = mixed(key + kGolden);
        for (std::size_t l = 0; l < L_; ++l)
            y_[l] = evidence[l] < 0 ? uniform(first + (l + 1) * kGolden) < 0.5 : evidence[l];
        for (std::size_t l = 0; l < L_; ++l) add_scaled(L_, y_[l] ? 1.0 : -1.0, couplings_ + l * L_, logits_.data());
    }

    // Walks `sweeps` sweeps; where `samples` is given, keeps their states and scores and adds up `sums`.
    void walk(std::size_t sweeps, std::int8_t *samples, double *scores, double *sums) {
        while (sweeps) {
            const std::size_t now = std::min(sweeps, some_);
            draw_levels(now);
            for (std::size_t t = 0; t < now; ++t) {
                sweep(levels_.data() + t * L_);
                if (!samples) continue;
                std::copy(y_.begin(), y_.end(), samples + t * L_);
                std::copy(logits_.begin(), logits_.end(), seen_.begin() + t * L_);
            }
            if (samples) {
                collect(now, samples, scores, sums);
                samples += now * L_;
                scores += now;
            }
            sweeps -= now;
        }
    }

  private:
    void draw_levels(std::size_t now) {
        for (std::size_t t = 0; t < now; ++t) {
            const std::uint64_t key = mixed(key_ + (sweep_++ + 2) * kGolden);
            for (std::size_t l = 0; l < L_; ++l) counters_[t * L_ + l] = key + (l + 1) * kGolden;
        }
        thresholds(now * L_, counters_.data(), levels_.data());
    }

    void sweep(const double *levels) {
        for (std::size_t p = 0; p < L_; ++p) {
            const std::size_t l = order_[p];
            const std::int8_t value = logits_[l] > levels[l];
            if (value == y_[l] || evidence_[l] >= 0) continue;
            y_[l] = value;
            add_scaled(L_, value ? 2.0 : -2.0, couplings_ + l * L_, logits_.data());
        }
    }

    void collect(std::size_t now, const std::int8_t *samples, double *scores, double *sums) {
        conditionals(now * L_, seen_.data(), samples, logs_.data(), probs_.data());
        for (std::size_t t = 0; t < now; ++t) {
            double score = 0.0;
            for (std::size_t l = 0; l < L_; ++l) {
                score += logs_[t * L_ + l];
                sums[l] += probs_[t * L_ + l];
            }
            scores[t] = score;
        }
    }

    std::size_t L_, some_;
    const double *couplings_;
    const std::int8_t *evidence_ = nullptr;
    const std::int32_t *order_ = nullptr;
    std::uint64_t key_ = 0, sweep_ = 0;
    std::vector<double> logits_;
    std::vector<std::int8_t> y_;
    std::vector<std::uint64_t> counters_;
    std::vector<double> levels_, seen_, logs_, probs_;
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
            Chain chain(L, couplings.data());
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t c = 0; c < chains; ++c) {
                    const std::size_t at = i * chains + c;
                    double *sums = probs.data() + at * L;
                    std::fill(sums, sums + L, 0.0);
                    chain.start(mixed(streams.data()[i] + (c + 1) * kGolden), offsets.data() + i * L,
                                evidence.data() + i * L, order.data() + c * L);
                    chain.walk(n_burn_in, nullptr, nullptr, nullptr);
                    chain.walk(n_collect, samples.data() + at * n_collect * L, scores.data() + at * n_collect, sums);
                    for (std::size_t l = 0; l < L; ++l) sums[l] /= double(n_collect);
                }
        });
    }
    return nb::make_tuple(samples, scores, probs);
}

}  // namespace

void register_gibbs(nb::module_ &m) { m.def("gibbs_linear", &gibbs_linear); }

}  // namespace setwise
