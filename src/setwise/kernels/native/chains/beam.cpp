// Beam search through linear chains, level by level.
#include <algorithm>
#include <functional>

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

constexpr std::int32_t kNoLabel = -1;

// A prefix is the list of its labels that are on, from the last one back. Prefixes share the ends of their lists, so
// that a level copies no labels.
struct OnLabel {
    std::int32_t position, before;
};

struct Prefix {
    double log_prob;
    std::int32_t last;
    std::size_t on;
};

class Beam {
  public:
    // into[j, i] is what position i adds to the logit of j.
    Beam(const std::vector<double> &into, std::size_t n_labels, const Rules &rules)
        : into_(into), L_(n_labels), rules_(rules) {}

    // Writes the best k sets; returns the largest log-probability that a completed prefix which was dropped can have.
    double run(const double *offsets, const std::int8_t *evidence, const double *later, std::int8_t *sets,
               double *log_prob) {
        const std::size_t L = L_;
        list_.clear();
        beam_.assign(1, Prefix{0.0, kNoLabel, 0});
        dropped_ = kNever;
        for (std::size_t j = 0; j < L; ++j) {
            later_ = later[j + 1];
            expand(offsets, evidence[j], j);
            select(L - j - 1);
            step(j);
        }
        for (std::size_t r = 0; r < rules_.k; ++r) {
            const bool found = r < beam_.size();
            log_prob[r] = found ? beam_[r].log_prob : kNever;
            std::fill_n(sets + r * L, L, std::int8_t(found ? 0 : -1));
            for (std::int32_t at = found ? beam_[r].last : kNoLabel; at != kNoLabel; at = list_[at].before)
                sets[r * L + std::size_t(list_[at].position)] = 1;
        }
        for (std::size_t r = rules_.k; r < beam_.size(); ++r) drop(beam_[r].log_prob);
        return dropped_;
    }

  private:
    void drop(double log_prob) { dropped_ = std::max(dropped_, log_prob + later_); }

    double logit(const double *offsets, const Prefix &prefix, std::size_t j) const {
        double z = offsets[j];
        const double *into = into_.data() + j * L_;
        for (std::int32_t at = prefix.last; at != kNoLabel; at = list_[at].before) z += into[list_[at].position];
        return z;
    }

    void expand(const double *offsets, std::int8_t observed, std::size_t j) {
        candidates_.clear();
        for (std::size_t s = 0; s < beam_.size(); ++s) {
            const LogPair p = log_pair(logit(offsets, beam_[s], j));
            const double child[2] = {beam_[s].log_prob + p.off, beam_[s].log_prob + p.on};
            const bool weak = std::max(child[0], child[1]) < rules_.log_epsilon;
            for (std::int8_t v = 0; v < 2; ++v) {
                if ((observed >= 0 && observed != v) || child[v] == kNever) continue;
                const bool better = v ? child[1] > child[0] : child[0] >= child[1];
                if (observed >= 0 || (weak ? better : child[v] >= rules_.log_epsilon))
                    candidates_.push_back({child[v], s, v});
                else
                    drop(child[v]);
            }
        }
    }

    std::size_t grade(const Candidate &a) const {
        return std::min(rules_.classes, beam_[a.parent].on + std::size_t(a.value));
    }

    // Without classes only the best `width` matter: those surely below them need not be sorted.
    void discard() {
        if (rules_.classes || candidates_.size() <= rules_.width) return;
        values_.clear();
        for (const Candidate &a : candidates_) values_.push_back(a.log_prob);
        std::nth_element(values_.begin(), values_.begin() + std::ptrdiff_t(rules_.width) - 1, values_.end(),
                         std::greater<double>());
        const double least = values_[rules_.width - 1];
        std::size_t to = 0;
        for (const Candidate &a : candidates_) {
            if (a.log_prob < least) drop(a.log_prob);
            else candidates_[to++] = a;
        }
        candidates_.resize(to);
    }

    // Keeps the best `width` of each class that can still grow large enough, in falling order.
    void select(std::size_t left) {
        discard();
        const auto before = [](const Candidate &a, const Candidate &b) { return a.log_prob > b.log_prob; };
        if (!std::is_sorted(candidates_.begin(), candidates_.end(), before))
            std::stable_sort(candidates_.begin(), candidates_.end(), before);
        kept_.assign(rules_.classes + 1, 0);
        std::size_t to = 0;
        for (const Candidate &a : candidates_) {
            const std::size_t g = grade(a);
            if (g + left < rules_.classes) continue;
            if (kept_[g] < rules_.width) {
                ++kept_[g];
                candidates_[to++] = a;
            } else {
                drop(a.log_prob);
            }
        }
        candidates_.resize(to);
    }

    void step(std::size_t j) {
        next_.clear();
        for (const Candidate &a : candidates_) {
            Prefix prefix{a.log_prob, beam_[a.parent].last, beam_[a.parent].on + std::size_t(a.value)};
            if (a.value) {
                list_.push_back({std::int32_t(j), prefix.last});
                prefix.last = std::int32_t(list_.size() - 1);
            }
            next_.push_back(prefix);
        }
        beam_.swap(next_);
    }

    const std::vector<double> &into_;
    const std::size_t L_;
    const Rules &rules_;
    std::vector<double> values_;
    std::vector<OnLabel> list_;
    std::vector<Prefix> beam_, next_;
    std::vector<std::size_t> kept_;
    std::vector<Candidate> candidates_;
    double dropped_ = kNever, later_ = 0.0;
};

std::vector<double> transposed(const Coupling &c) {
    std::vector<double> into(c.L * c.L);
    for (std::size_t i = 0; i < c.L; ++i)
        for (std::size_t j = 0; j < c.L; ++j) into[j * c.L + i] = c.row(i)[j];
    return into;
}

nb::tuple chain_beam(In<double, 2> offsets, In<double, 2> coupling, In<std::int8_t, 2> evidence, In<double, 2> later,
                     std::size_t k, std::size_t width, double log_epsilon, std::size_t classes) {
    const std::size_t n = offsets.shape(0), L = offsets.shape(1);
    const Coupling c(coupling, L);
    check_shape("evidence", evidence, {n, L});
    check_evidence("evidence", evidence);
    check_shape("later", later, {n, L + 1});
    check_at_least("k", k, 1);
    check_at_least("width", width, 1);
    auto labels = new_array<std::int8_t>({n, k, L});
    auto values = new_array<double>({n, k});
    auto bounds = new_array<double>({n});
    std::int8_t *sets = labels.data();
    double *log_prob = values.data(), *dropped = bounds.data();
    const Rules rules{k, width, log_epsilon, std::min(classes, L + 1)};  // no set has more than L labels
    {
        nb::gil_scoped_release release;
        const std::vector<double> into = transposed(c);
        parallel_blocks(n, kChainRows, [&](std::size_t, std::size_t begin, std::size_t end) {
            Beam beam(into, L, rules);
            for (std::size_t i = begin; i < end; ++i)
                dropped[i] = beam.run(offsets.data() + i * L, evidence.data() + i * L,
                                      later.data() + i * (L + 1), sets + i * k * L, log_prob + i * k);
        });
    }
    return nb::make_tuple(labels, values, bounds);
}

}  // namespace

void register_chain_beam(nb::module_ &m) {
    m.def("chain_beam", &chain_beam, "offsets"_a, "coupling"_a, "evidence"_a, "later"_a, "k"_a, "width"_a,
          "log_epsilon"_a, "classes"_a);
}

}  // namespace setwise
