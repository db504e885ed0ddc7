// Beam search through linear chains, level by level.
#include <algorithm>

#include "chain.h"

namespace setwise {

namespace {

struct Rules {
    std::size_t k, width;
    double log_epsilon;
    std::size_t classes;  // prefixes compete with those that have as many labels on, counted up to this
};

struct Candidate {
    double log_prob;
    std::size_t parent;
    std::int8_t value;
};

class Beam {
  public:
    Beam(const Coupling &coupling, const Rules &rules) : c_(coupling), rules_(rules) {}

    // Writes the best k sets; returns the largest log-probability of a prefix that was dropped.
    double run(const double *offsets, const std::int8_t *evidence, std::int8_t *sets, double *log_prob) {
        const std::size_t L = c_.L;
        labels_.assign(L, 0);
        values_.assign(1, 0.0);
        on_.assign(1, 0);
        dropped_ = kNever;
        for (std::size_t j = 0; j < L; ++j) {
            expand(offsets, evidence[j], j);
            select(L - j - 1);
            step(j);
        }
        for (std::size_t r = 0; r < rules_.k; ++r) {
            const bool found = r < values_.size();
            log_prob[r] = found ? values_[r] : kNever;
            if (found) std::copy_n(labels_.data() + r * L, L, sets + r * L);
            else std::fill_n(sets + r * L, L, std::int8_t(-1));
        }
        for (std::size_t r = rules_.k; r < values_.size(); ++r) dropped_ = std::max(dropped_, values_[r]);
        return dropped_;
    }

  private:
    void expand(const double *offsets, std::int8_t observed, std::size_t j) {
        candidates_.clear();
        for (std::size_t s = 0; s < values_.size(); ++s) {
            const LogPair p = log_pair(c_.logit(offsets, labels_.data() + s * c_.L, j));
            const double child[2] = {values_[s] + p.off, values_[s] + p.on};
            const bool weak = std::max(child[0], child[1]) < rules_.log_epsilon;
            for (std::int8_t v = 0; v < 2; ++v) {
                if ((observed >= 0 && observed != v) || child[v] == kNever) continue;
                const bool better = v ? child[1] > child[0] : child[0] >= child[1];
                if (observed >= 0 || (weak ? better : child[v] >= rules_.log_epsilon))
                    candidates_.push_back({child[v], s, v});
                else
                    dropped_ = std::max(dropped_, child[v]);
            }
        }
    }

    std::size_t grade(const Candidate &a) const { return std::min(rules_.classes, on_[a.parent] + std::size_t(a.value)); }

    // Keeps the best `width` of each class that can still grow large enough, in falling order.
    void select(std::size_t left) {
        std::stable_sort(candidates_.begin(), candidates_.end(),
                         [](const Candidate &a, const Candidate &b) { return a.log_prob > b.log_prob; });
        kept_.assign(rules_.classes + 1, 0);
        std::size_t to = 0;
        for (const Candidate &a : candidates_) {
            const std::size_t g = grade(a);
            if (g + left < rules_.classes) continue;
            if (kept_[g] < rules_.width) {
                ++kept_[g];
                candidates_[to++] = a;
            } else {
                dropped_ = std::max(dropped_, a.log_prob);
            }
        }
        candidates_.resize(to);
    }

    void step(std::size_t j) {
        const std::size_t L = c_.L;
        next_labels_.resize(candidates_.size() * L);
        next_values_.resize(candidates_.size());
        next_on_.resize(candidates_.size());
        for (std::size_t s = 0; s < candidates_.size(); ++s) {
            const Candidate &a = candidates_[s];
            std::copy_n(labels_.data() + a.parent * L, j, next_labels_.data() + s * L);
            next_labels_[s * L + j] = a.value;
            next_values_[s] = a.log_prob;
            next_on_[s] = on_[a.parent] + std::size_t(a.value);
        }
        labels_.swap(next_labels_);
        values_.swap(next_values_);
        on_.swap(next_on_);
    }

    const Coupling &c_;
    const Rules &rules_;
    std::vector<std::int8_t> labels_, next_labels_;
    std::vector<double> values_, next_values_;
    std::vector<std::size_t> on_, next_on_, kept_;
    std::vector<Candidate> candidates_;
    double dropped_ = kNever;
};

nb::tuple chain_beam(In<double, 2> offsets, In<double, 2> coupling, In<std::int8_t, 2> evidence, std::size_t k,
                     std::size_t width, double log_epsilon, std::size_t classes) {
    const std::size_t n = offsets.shape(0), L = offsets.shape(1);
    const Coupling c(coupling, L);
    check_shape("evidence", evidence, {n, L});
    check_evidence("evidence", evidence);
    check_at_least("k", k, 1);
    auto labels = new_array<std::int8_t>({n, k, L});
    auto values = new_array<double>({n, k});
    auto bounds = new_array<double>({n});
    std::int8_t *sets = labels.data();
    double *log_prob = values.data(), *dropped = bounds.data();
    const Rules rules{k, width, log_epsilon, std::min(classes, L + 1)};  // no set has more than L labels
    {
        nb::gil_scoped_release release;
        parallel_blocks(n, kChainRows, [&](std::size_t, std::size_t begin, std::size_t end) {
            Beam beam(c, rules);
            for (std::size_t i = begin; i < end; ++i)
                dropped[i] = beam.run(offsets.data() + i * L, evidence.data() + i * L, sets + i * k * L,
                                      log_prob + i * k);
        });
    }
    return nb::make_tuple(labels, values, bounds);
}

}  // namespace

void register_chain_beam(nb::module_ &m) {
    m.def("chain_beam", &chain_beam, "offsets"_a, "coupling"_a, "evidence"_a, "k"_a, "width"_a, "log_epsilon"_a,
          "classes"_a);
}

}  // namespace setwise
