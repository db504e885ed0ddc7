// Linear chains: mean probabilities of the labels along draws, without keeping the draws.
#include <algorithm>

#include "chain.h"

namespace setwise {

namespace {

constexpr std::size_t kBlock = 32;  // labels whose probabilities are computed together

// z += what one label adds to the logits of a block.
SETWISE_DISPATCH
void add(const double *SETWISE_RESTRICT from, double *SETWISE_RESTRICT z) {
    for (std::size_t l = 0; l < kBlock; ++l) z[l] += from[l];
}

SETWISE_DISPATCH
void probabilities(const double *SETWISE_RESTRICT z, double *SETWISE_RESTRICT on) {
    for (std::size_t l = 0; l < kBlock; ++l) {
        const double e = exp_nonpositive(-std::fabs(z[l]));
        on[l] = (z[l] < 0 ? e : 1.0) / (1.0 + e);
    }
}

// The couplings by blocks of columns, which stay in the cache while all draws of a row pass through them: those of
// label i into the labels of a block are next to each other, padded with zeros.
class ColumnBlocks {
  public:
    explicit ColumnBlocks(const Coupling &c) : L_(c.L), values_((c.L + kBlock - 1) / kBlock * c.L * kBlock, 0.0) {
        for (std::size_t i = 0; i < L_; ++i)
            for (std::size_t l = i + 1; l < L_; ++l) values_[at(l / kBlock, i) + l % kBlock] = c.row(i)[l];
    }

    const double *row(std::size_t block, std::size_t i) const { return values_.data() + at(block, i); }

  private:
    std::size_t at(std::size_t block, std::size_t i) const { return (block * L_ + i) * kBlock; }

    std::size_t L_;
    std::vector<double> values_;
};

struct Row {
    const double *offsets, *angles;
    const std::int8_t *evidence;
};

class Means {
  public:
    Means(const ColumnBlocks &coupling, std::size_t L, std::size_t n_draws)
        : coupling_(coupling), L_(L), labels_(n_draws * L), n_on_(n_draws) {}

    // Adds the probabilities along all draws, which the `points`, turned by the row's angles, decide.
    void run(const Row &row, const double *points, double *total) {
        std::fill(n_on_.begin(), n_on_.end(), 0);
        for (std::size_t block = 0; block * kBlock < L_; ++block)
            for (std::size_t s = 0; s < n_on_.size(); ++s) draw(row, points + s * L_, s, block, total);
    }

  private:
    void draw(const Row &row, const double *points, std::size_t s, std::size_t block, double *total) {
        const std::size_t begin = block * kBlock, end = std::min(begin + kBlock, L_);
        std::int32_t *on_before = labels_.data() + s * L_;
        double z[kBlock] = {}, on[kBlock];
        std::copy(row.offsets + begin, row.offsets + end, z);
        for (std::size_t a = 0; a < n_on_[s]; ++a) add(coupling_.row(block, std::size_t(on_before[a])), z);
        probabilities(z, on);
        for (std::size_t j = begin; j < end; ++j) {
            const std::int8_t known = row.evidence[j];
            const double turned = points[j] + row.angles[j], p = known < 0 ? on[j - begin] : double(known);
            total[j] += p;
            if (known < 0 ? (turned >= 1.0 ? turned - 1.0 : turned) < p : known == 1) {
                on_before[n_on_[s]++] = std::int32_t(j);
                add(coupling_.row(block, j), z);
                probabilities(z, on);
            }
        }
    }

    const ColumnBlocks &coupling_;
    std::size_t L_;
    std::vector<std::int32_t> labels_;  // of each draw, those that are on
    std::vector<std::size_t> n_on_;
};

Out<double> chain_means(In<double, 2> offsets, In<double, 2> coupling, In<std::int8_t, 2> evidence,
                        In<double, 2> points, In<double, 2> angles) {
    const std::size_t n = offsets.shape(0), L = offsets.shape(1), S = points.shape(0);
    const Coupling c(coupling, L);
    check_shape("evidence", evidence, {n, L});
    check_evidence("evidence", evidence);
    check_shape("points", points, {S, L});
    check_shape("angles", angles, {n, L});
    check_at_least("the number of draws (axis 0 of points)", S, 1);
    auto result = new_array<double>({n, L});
    double *means = result.data();
    const ColumnBlocks blocks(c);
    nb::gil_scoped_release release;
    parallel_blocks(n, kChainRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        Means draws(blocks, L, S);
        for (std::size_t i = begin; i < end; ++i) {
            double *mean = means + i * L;
            std::fill_n(mean, L, 0.0);
            const Row row{offsets.data() + i * L, angles.data() + i * L, evidence.data() + i * L};
            draws.run(row, points.data(), mean);
            for (std::size_t l = 0; l < L; ++l) mean[l] /= double(S);
        }
    });
    return result;
}

}  // namespace

void register_chain_means(nb::module_ &m) {
    m.def("chain_means", &chain_means, "offsets"_a, "coupling"_a, "evidence"_a, "points"_a, "angles"_a);
}

}  // namespace setwise
