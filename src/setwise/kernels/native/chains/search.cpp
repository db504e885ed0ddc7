// A* search in linear chains: the label sets of a row in decreasing order of probability, with a certificate.
//
// A prefix has the log-probability g. Whatever comes later, the logit of a later position l lies between its
// value so far plus the negative couplings of the positions in between, and the same with the positive ones; the
// better value at the better end bounds log P(y_l | ...) from above. g plus these bounds is the priority: no
// completion is more probable, and for a complete set it is its log-probability.
#include <algorithm>

#include "chain.h"

namespace setwise {

namespace {

struct Node {
    double g, bound;
    std::int32_t parent;  // index of the prefix without its last label
    std::int32_t depth, on;
    std::int8_t value;
};

// low[j, l] and high[j, l]: the most that the positions j..l-1 can subtract from and add to the logit of l.
class Ranges {
  public:
    explicit Ranges(const Coupling &c) : c_(c), low_((c.L + 1) * c.L), high_((c.L + 1) * c.L) {}

    void set(const std::int8_t *evidence) {
        const std::size_t L = c_.L;
        std::fill(low_.begin(), low_.end(), 0.0);
        std::fill(high_.begin(), high_.end(), 0.0);
        for (std::size_t j = L; j-- > 0;)
            for (std::size_t l = j + 1; l < L; ++l) {
                const double c = c_.row(j)[l];
                const double least = evidence[j] < 0 ? std::min(c, 0.0) : evidence[j] * c;
                const double most = evidence[j] < 0 ? std::max(c, 0.0) : evidence[j] * c;
                low_[j * L + l] = low_[(j + 1) * L + l] + least;
                high_[j * L + l] = high_[(j + 1) * L + l] + most;
            }
    }

    const double *low(std::size_t j) const { return low_.data() + j * c_.L; }
    const double *high(std::size_t j) const { return high_.data() + j * c_.L; }

  private:
    const Coupling &c_;
    std::vector<double> low_, high_;
};

// The largest log-probability of a position whose logit is at most `on` and at least -`off`.
SETWISE_INLINE double best_log_prob(double on, double off) {
    const double best = on > off ? on : off;
    const double tail = log1p_unit(exp_nonpositive(-std::fabs(best)));
    return (best < 0 ? best : 0.0) - tail;
}

// That of m positions with logits between z + v c + low and z + v c + high. A value that was observed as the other one
// has -inf in `on` or `off`.
SETWISE_DISPATCH
void best_log_probs(const double *SETWISE_RESTRICT z, const double *SETWISE_RESTRICT c, double v,
                    const double *SETWISE_RESTRICT low, const double *SETWISE_RESTRICT high,
                    const double *SETWISE_RESTRICT on, const double *SETWISE_RESTRICT off,
                    double *SETWISE_RESTRICT best, std::size_t m) {
    for (std::size_t l = 0; l < m; ++l) {
        const double mean = z[l] + v * c[l];
        best[l] = best_log_prob(mean + high[l] + on[l], off[l] - mean - low[l]);
    }
}

constexpr std::size_t kMostSteps = (std::size_t(1) << 30) - 1;  // two nodes each, numbered by 32 bits

struct Limits {
    std::size_t k, min_labels, budget;
};

class Search {
  public:
    Search(const Coupling &c, const Limits &limits)
        : c_(c), limits_(limits), ranges_(c), unobserved_(c.L, std::int8_t(-1)), y_(c.L), z_(c.L), best_(c.L) {
        ranges_.set(unobserved_.data());
    }

    // Writes the sets found, padded with -1; returns the largest open bound, -inf if none exceeds the last set.
    double run(const double *offsets, const std::int8_t *evidence, std::int8_t *sets, double *log_prob,
               std::int64_t *steps) {
        start(evidence);
        std::size_t found = 0, taken = 0;
        double open = kNever;
        while (!heap_.empty() && found < limits_.k) {
            const std::int32_t at = pop();
            if (std::size_t(pool_[at].depth) == c_.L) {
                read(at, sets + found * c_.L);
                log_prob[found++] = pool_[at].g;
            } else if (taken == limits_.budget) {
                open = pool_[at].bound;
                break;
            } else {
                ++taken;
                expand(at, offsets, evidence);
            }
        }
        for (std::size_t r = found; r < limits_.k; ++r) {
            log_prob[r] = kNever;
            std::fill_n(sets + r * c_.L, c_.L, std::int8_t(-1));
        }
        *steps = std::int64_t(taken);
        return open;
    }

  private:
    void start(const std::int8_t *evidence) {
        const bool observed = std::any_of(evidence, evidence + c_.L, [](std::int8_t e) { return e >= 0; });
        if (observed || narrowed_) ranges_.set(evidence);
        narrowed_ = observed;
        may_be_on_.assign(c_.L, 0.0);
        may_be_off_.assign(c_.L, 0.0);
        for (std::size_t l = 0; l < c_.L; ++l)
            if (evidence[l] >= 0) (evidence[l] ? may_be_off_ : may_be_on_)[l] = kNever;
        pool_.assign(1, Node{0.0, 0.0, -1, 0, 0, 0});
        heap_.assign(1, 0);
        possible_.assign(c_.L + 1, 0);
        for (std::size_t j = c_.L; j-- > 0;) possible_[j] = possible_[j + 1] + (evidence[j] != 0);
    }

    // The higher bound first; ties: the deeper, then the older node.
    bool after(std::int32_t a, std::int32_t b) const {
        const Node &p = pool_[a], &q = pool_[b];
        if (p.bound != q.bound) return p.bound < q.bound;
        return p.depth != q.depth ? p.depth < q.depth : a > b;
    }

    std::int32_t pop() {
        std::pop_heap(heap_.begin(), heap_.end(), [this](auto a, auto b) { return after(a, b); });
        const std::int32_t at = heap_.back();
        heap_.pop_back();
        return at;
    }

    void read(std::int32_t at, std::int8_t *y) const {
        for (; pool_[at].depth > 0; at = pool_[at].parent) y[pool_[at].depth - 1] = pool_[at].value;
    }

    void expand(std::int32_t at, const double *offsets, const std::int8_t *evidence) {
        const Node node = pool_[at];
        const std::size_t j = std::size_t(node.depth), L = c_.L;
        read(at, y_.data());
        std::copy(offsets + j, offsets + L, z_.begin() + j);
        for (std::size_t i = 0; i < j; ++i)
            if (y_[i])
                for (std::size_t l = j; l < L; ++l) z_[l] += c_.row(i)[l];
        const LogPair p = log_pair(z_[j]);
        for (std::int8_t v = 0; v < 2; ++v) {
            const double g = node.g + (v ? p.on : p.off);
            if ((evidence[j] >= 0 && evidence[j] != v) || g == kNever) continue;
            if (std::size_t(node.on + v) + possible_[j + 1] < limits_.min_labels) continue;
            pool_.push_back({g, g + ahead(j, v), at, node.depth + 1, node.on + v, v});
            heap_.push_back(std::int32_t(pool_.size() - 1));
            std::push_heap(heap_.begin(), heap_.end(), [this](auto a, auto b) { return after(a, b); });
        }
    }

    // Upper bound of what the positions after j can contribute, given the value v at j.
    double ahead(std::size_t j, std::int8_t v) {
        const std::size_t from = j + 1, m = c_.L - from;
        best_log_probs(z_.data() + from, c_.row(j) + from, double(v), ranges_.low(from) + from,
                       ranges_.high(from) + from, may_be_on_.data() + from, may_be_off_.data() + from, best_.data(), m);
        double even = 0.0, odd = 0.0;
        for (std::size_t l = 0; l + 1 < m; l += 2) {
            even += best_[l];
            odd += best_[l + 1];
        }
        return even + odd + (m % 2 ? best_[m - 1] : 0.0);
    }

    const Coupling &c_;
    const Limits limits_;
    Ranges ranges_;
    bool narrowed_ = false;
    std::vector<std::int8_t> unobserved_, y_;
    std::vector<double> z_, best_, may_be_on_, may_be_off_;  // the last two: 0 or -inf
    std::vector<std::size_t> possible_;
    std::vector<Node> pool_;
    std::vector<std::int32_t> heap_;
};

nb::tuple chain_search(In<double, 2> offsets, In<double, 2> coupling, In<std::int8_t, 2> evidence, std::size_t k,
                       std::size_t min_labels, std::size_t budget) {
    const std::size_t n = offsets.shape(0), L = offsets.shape(1);
    const Coupling c(coupling, L);
    check_shape("evidence", evidence, {n, L});
    check_evidence("evidence", evidence);
    check_at_least("k", k, 1);
    auto labels = new_array<std::int8_t>({n, k, L});
    auto values = new_array<double>({n, k});
    auto bounds = new_array<double>({n});
    auto counts = new_array<std::int64_t>({n});
    std::int8_t *sets = labels.data();
    double *log_prob = values.data(), *open = bounds.data();
    std::int64_t *steps = counts.data();
    const Limits limits{k, min_labels, std::min(budget, kMostSteps)};
    {
        nb::gil_scoped_release release;
        parallel_blocks(n, kChainRows, [&](std::size_t, std::size_t begin, std::size_t end) {
            Search search(c, limits);
            for (std::size_t i = begin; i < end; ++i)
                open[i] = search.run(offsets.data() + i * L, evidence.data() + i * L, sets + i * k * L,
                                     log_prob + i * k, steps + i);
        });
    }
    return nb::make_tuple(labels, values, bounds, counts);
}

}  // namespace

void register_chain_search(nb::module_ &m) {
    m.def("chain_search", &chain_search, "offsets"_a, "coupling"_a, "evidence"_a, "k"_a, "min_labels"_a, "budget"_a);
}

}  // namespace setwise
