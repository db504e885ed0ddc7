// Gibbs sampling of label sets whose full conditionals are logistic in the other labels.
//
// The features enter as one offset per label; a label that changes shifts the logits of all others by one row of
// the couplings. Random numbers are counter-based: the uniform of (row, chain, sweep, label) is a
// hash of these, so the result is the same for any number of threads.
#include "checks.h"
#include "parallel.h"
#include "random_bits.h"
#include "vecmath.h"

#include <cmath>
#include <limits>
#include <vector>

namespace setwise {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// 2^-52 times a whole number plus a half: strictly inside (0, 1), never rounded.
SETWISE_INLINE double uniform(std::uint64_t hash) {
    const std::uint64_t bits = (hash >> 12) | 0x3FF0000000000000ull;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return (x - 1.0) + 1.1102230246251565e-16;
}

// A label is on when its logit is above logit(u) of its uniform u, that is when u is below its probability. The
// first eight bits of u bound logit(u) well enough for all but one update in 256; only then it is computed.
class Threshold {
  public:
    Threshold() {
        edges_[0] = -kInf;
        edges_[kBins] = kInf;
        for (std::size_t k = 1; k < kBins; ++k) edges_[k] = std::log(double(k) / double(kBins - k));
    }

    bool below(double logit, std::uint64_t hash) const {
        const double *edge = edges_ + (hash >> (64 - kBits));
        // Both are compared before anything is decided: a branch would be random, and mispredicted.
        const bool surely = logit > edge[1], perhaps = logit > edge[0];
        return surely == perhaps ? surely : above_exactly(logit, uniform(hash));
    }

  private:
    static bool above_exactly(double logit, double u) { return logit > std::log(u / (1.0 - u)); }

    static constexpr std::size_t kBits = 8, kBins = std::size_t(1) << kBits;
    double edges_[kBins + 1];
};

// The hashes of `sweeps` times `L` counters, those of a sweep counted from its key.
SETWISE_DISPATCH void hash_all(std::size_t sweeps, std::size_t L, const std::uint64_t *SETWISE_RESTRICT keys,
                               std::uint64_t *SETWISE_RESTRICT out) {
    for (std::size_t t = 0; t < sweeps; ++t)
        for (std::size_t l = 0; l < L; ++l) out[t * L + l] = mixed(keys[t] + (l + 1) * kGolden);
}

SETWISE_DISPATCH void add_scaled(std::size_t L, double scale, const double *SETWISE_RESTRICT row,
                                 double *SETWISE_RESTRICT logits) {
    for (std::size_t l = 0; l < L; ++l) logits[l] += scale * row[l];
}

// Of each label's value: its conditional, as 1 / factor times exp(-loss), and the conditional of its being on.
SETWISE_DISPATCH void conditionals(std::size_t size, const double *SETWISE_RESTRICT logits,
                                   const std::int8_t *SETWISE_RESTRICT y, double *SETWISE_RESTRICT factors,
                                   double *SETWISE_RESTRICT losses, double *SETWISE_RESTRICT probs) {
    for (std::size_t i = 0; i < size; ++i) {
        const double z = logits[i], length = z < 0.0 ? -z : z;
        const double e = exp_nonpositive(-length);
        factors[i] = 1.0 + e;
        losses[i] = (z > 0.0) == (y[i] == 1) ? 0.0 : length;
        probs[i] = (z > 0.0 ? 1.0 : e) / (1.0 + e);
    }
}

// One chain of one row. Several sweeps are done at a time, so that everything that does not depend on the state is
// computed for whole vectors even with few labels; a state that stays for several sweeps is scored once.
class Chain {
  public:
    Chain(std::size_t L, const double *couplings, const Threshold &threshold)
        : L_(L), some_(std::max<std::size_t>(1, 512 / L)), couplings_(couplings), threshold_(threshold), logits_(L),
          y_(L), keys_(some_), hashes_(some_ * L), run_of_(some_), states_(some_ * L), seen_(some_ * L),
          factors_(some_ * L), losses_(some_ * L), probs_(some_ * L), run_scores_(some_) {}

    void start(std::uint64_t key, const double *offsets, const std::int8_t *evidence, const std::int32_t *order) {
        key_ = key;
        sweep_ = 0;
        evidence_ = evidence;
        order_ = order;
        std::copy(offsets, offsets + L_, logits_.begin());
        const std::uint64_t first = mixed(key + kGolden);
        for (std::size_t l = 0; l < L_; ++l)
            y_[l] = evidence[l] < 0 ? uniform(mixed(first + (l + 1) * kGolden)) < 0.5 : evidence[l];
        for (std::size_t l = 0; l < L_; ++l) add_scaled(L_, y_[l] ? 1.0 : -1.0, couplings_ + l * L_, logits_.data());
    }

    void burn_in(std::size_t sweeps) {
        while (sweeps) {
            const std::size_t now = draw(sweeps);
            for (std::size_t t = 0; t < now; ++t) sweep(hashes_.data() + t * L_);
            sweeps -= now;
        }
    }

    // Walks `sweeps` sweeps, keeps their states and scores, and adds up the labels' conditionals in `sums`.
    void collect(std::size_t sweeps, std::int8_t *samples, double *scores, double *sums) {
        while (sweeps) {
            const std::size_t now = draw(sweeps);
            std::size_t runs = 0;
            for (std::size_t t = 0; t < now; ++t) {
                if (sweep(hashes_.data() + t * L_) || !runs) {
                    std::copy(y_.begin(), y_.end(), states_.begin() + runs * L_);
                    std::copy(logits_.begin(), logits_.end(), seen_.begin() + runs * L_);
                    ++runs;
                }
                run_of_[t] = runs - 1;
            }
            score_runs(runs);
            for (std::size_t t = 0; t < now; ++t) keep(run_of_[t], samples + t * L_, scores + t, sums);
            samples += now * L_;
            scores += now;
            sweeps -= now;
        }
    }

  private:
    // Random numbers of the next sweeps, as many as fit.
    std::size_t draw(std::size_t sweeps) {
        const std::size_t now = std::min(sweeps, some_);
        for (std::size_t t = 0; t < now; ++t) keys_[t] = mixed(key_ + (sweep_++ + 2) * kGolden);
        hash_all(now, L_, keys_.data(), hashes_.data());
        return now;
    }

    bool sweep(const std::uint64_t *hashes) {
        bool moved = false;
        for (std::size_t p = 0; p < L_; ++p) {
            const std::size_t l = order_[p];
            const std::int8_t value = threshold_.below(logits_[l], hashes[l]);
            if (value == y_[l] || evidence_[l] >= 0) continue;
            y_[l] = value;
            moved = true;
            add_scaled(L_, value ? 2.0 : -2.0, couplings_ + l * L_, logits_.data());
        }
        return moved;
    }

    // A factor is at most 2, so that hundreds can be multiplied before one logarithm is taken.
    void score_runs(std::size_t runs) {
        conditionals(runs * L_, seen_.data(), states_.data(), factors_.data(), losses_.data(), probs_.data());
        for (std::size_t r = 0; r < runs; ++r) {
            double score = 0.0, product = 1.0;
            for (std::size_t l = 0; l < L_; ++l) {
                score -= losses_[r * L_ + l];
                product *= factors_[r * L_ + l];
                if (l % 512 != 511) continue;
                score -= std::log(product);
                product = 1.0;
            }
            run_scores_[r] = score - std::log(product);
        }
    }

    void keep(std::size_t run, std::int8_t *sample, double *score, double *sums) const {
        std::copy(states_.begin() + run * L_, states_.begin() + (run + 1) * L_, sample);
        *score = run_scores_[run];
        for (std::size_t l = 0; l < L_; ++l) sums[l] += probs_[run * L_ + l];
    }

    std::size_t L_, some_;
    const double *couplings_;
    const Threshold &threshold_;
    const std::int8_t *evidence_ = nullptr;
    const std::int32_t *order_ = nullptr;
    std::uint64_t key_ = 0, sweep_ = 0;
    std::vector<double> logits_;
    std::vector<std::int8_t> y_;
    std::vector<std::uint64_t> keys_, hashes_;
    std::vector<std::size_t> run_of_;
    std::vector<std::int8_t> states_;
    std::vector<double> seen_, factors_, losses_, probs_, run_scores_;
};

nb::tuple gibbs_linear(In<double, 2> offsets, In<double, 2> couplings, In<std::int8_t, 2> evidence,
                       In<std::uint64_t, 1> streams, In<std::int32_t, 2> order, std::size_t n_burn_in,
                       std::size_t n_collect) {
    const std::size_t n = offsets.shape(0), L = offsets.shape(1), chains = order.shape(0);
    check_at_least("the number of labels (axis 1 of offsets)", L, 1);
    check_shape("couplings", couplings, {L, L});
    check_shape("evidence", evidence, {n, L});
    check_evidence("evidence", evidence);
    check_shape("streams", streams, {n});
    check_shape("order", order, {chains, L});
    check_places("order", order, L);
    check_at_least("n_collect", n_collect, 1);
    auto samples = new_array<std::int8_t>({n, chains, n_collect, L});
    auto scores = new_array<double>({n, chains, n_collect});
    auto probs = new_array<double>({n, chains, L});
    const Threshold threshold;
    {
        nb::gil_scoped_release release;
        parallel_blocks(n, 4, [&](std::size_t, std::size_t begin, std::size_t end) {
            Chain chain(L, couplings.data(), threshold);
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t c = 0; c < chains; ++c) {
                    const std::size_t at = i * chains + c;
                    double *sums = probs.data() + at * L;
                    std::fill(sums, sums + L, 0.0);
                    chain.start(mixed(streams.data()[i] + (c + 1) * kGolden), offsets.data() + i * L,
                                evidence.data() + i * L, order.data() + c * L);
                    chain.burn_in(n_burn_in);
                    chain.collect(n_collect, samples.data() + at * n_collect * L, scores.data() + at * n_collect, sums);
                    for (std::size_t l = 0; l < L; ++l) sums[l] /= double(n_collect);
                }
        });
    }
    return nb::make_tuple(samples, scores, probs);
}

// The states of one row with at least `min_labels` labels, the `n_keep` of highest score first and in any order.
std::size_t choose(const std::int8_t *samples, const double *scores, std::size_t S, std::size_t L, std::size_t n_keep,
                   std::size_t min_labels, std::vector<std::size_t> &at) {
    at.clear();
    for (std::size_t s = 0; s < S; ++s) {
        std::size_t size = 0;
        for (std::size_t l = 0; l < L; ++l) size += samples[s * L + l];
        // NaN has no place in an order: nth_element would leave the array.
        if (size >= min_labels && scores[s] > -kInf) at.push_back(s);
    }
    if (at.size() <= n_keep) return at.size();
    // Of equal scores the earlier state is kept.
    const auto before = [&](std::size_t a, std::size_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    };
    std::nth_element(at.begin(), at.begin() + n_keep, at.end(), before);
    return n_keep;
}

Out<double> kept_shares(In<std::int8_t, 3> samples, In<double, 2> scores, std::size_t n_keep,
                        std::size_t min_labels) {
    const std::size_t n = samples.shape(0), S = samples.shape(1), L = samples.shape(2);
    check_labels("samples", samples);
    check_shape("scores", scores, {n, S});
    auto shares = new_array<double>({n, L});
    {
        nb::gil_scoped_release release;
        parallel_blocks(n, 16, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<std::size_t> at;
            std::vector<std::uint32_t> counts(L);
            for (std::size_t i = begin; i < end; ++i) {
                const std::int8_t *row = samples.data() + i * S * L;
                const std::size_t kept = choose(row, scores.data() + i * S, S, L, n_keep, min_labels, at);
                std::fill(counts.begin(), counts.end(), 0);
                for (std::size_t k = 0; k < kept; ++k)
                    for (std::size_t l = 0; l < L; ++l) counts[l] += row[at[k] * L + l];
                for (std::size_t l = 0; l < L; ++l)
                    shares.data()[i * L + l] = kept ? double(counts[l]) / double(kept) : 0.0;
            }
        });
    }
    return shares;
}

}  // namespace

void register_gibbs(nb::module_ &m) {
    m.def("gibbs_linear", &gibbs_linear, "offsets"_a, "couplings"_a, "evidence"_a, "streams"_a, "order"_a,
          "n_burn_in"_a, "n_collect"_a);
    m.def("kept_shares", &kept_shares, "samples"_a, "scores"_a, "n_keep"_a, "min_labels"_a);
}

}  // namespace setwise
