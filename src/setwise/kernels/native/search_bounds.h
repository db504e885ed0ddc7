// Upper bounds for the branch and bound over label sets (forest_search.cpp).
//
// A forest's max-sum leaves for each label l, value y and parent value v a cost >= 0 of choosing y there:
// zero for the better value. Then log p_k(y) = log max p_k - (sum of the costs), and the most probable set
// that agrees with some fixed labels follows from the same recursion on the costs alone. Those maxima, times
// the gate, summed over the components, bound the mixture's probability of every set that agrees.
//
// `Linear` works on probabilities relative to the best component's mode and is the fast one; `Logs` never
// underflows.
#pragma once

#include "forest.h"

namespace setwise {

struct Linear {
    static constexpr double zero = 0.0, one = 1.0;
    static SETWISE_INLINE double times(double a, double b) { return a * b; }
    static void from_costs(std::size_t n, const double *negated, double *out) { exp_nonpositives(n, negated, out); }
    static double total(std::size_t n, const double *x) {
        double sum = 0.0;
        for (std::size_t k = 0; k < n; ++k) sum += x[k];
        return sum;
    }
    static double log(double a) { return std::log(a); }
    static double from_log(double a) { return std::exp(a); }
    // A tie up to rounding is no reason to go on.
    static double slack(double a) { return a * (1.0 + 1e-12); }
    static bool underflows(double a) { return a < 1e-250; }
};

struct Logs {
    static constexpr double zero = -kInf, one = 0.0;
    static SETWISE_INLINE double times(double a, double b) { return a + b; }
    static void from_costs(std::size_t n, const double *negated, double *out) { std::copy(negated, negated + n, out); }
    static double total(std::size_t n, const double *x) { return log_sum(n, x); }
    static double log(double a) { return a; }
    static double from_log(double a) { return a; }
    static double slack(double a) { return a + 1e-12; }
    static bool underflows(double) { return false; }
};

// The max-sum of every component of one row, as costs.
struct Costs {
    std::vector<double> base;    // (K,) log w_k + log of the component's largest probability
    std::vector<double> saving;  // (K, L, V) cost of 0 minus cost of 1, given the parent's value; one of them is 0
    double reference = 0.0;      // largest entry of base

    explicit Costs(const Structure &s) : base(s.K), saving(s.tables()), log_p0(s.tables()), log_p1(s.tables()),
                                         below(2 * s.L) {}

    template <class T>
    void set(const Structure &s, const T *logits, const double *log_gate) {
        log_sigmoids(s.tables(), logits, log_p0.data(), log_p1.data());
        for (std::size_t k = 0; k < s.K; ++k) base[k] = log_gate[k] + upward(s, k);
        reference = *std::max_element(base.begin(), base.end());
    }

    // Joint log-probability of a complete set.
    double log_prob(const Structure &s, const std::int8_t *y, double *work) const {
        for (std::size_t k = 0; k < s.K; ++k) {
            double sum = base[k];
            for (std::size_t l = 0; l < s.L; ++l) {
                const std::int32_t p = s.parents[k * s.L + l];
                const double d = saving[(k * s.L + l) * s.V + (p < 0 ? 0 : y[p])];
                sum -= y[l] ? (d < 0 ? -d : 0.0) : (d > 0 ? d : 0.0);
            }
            work[k] = sum;
        }
        return log_sum(s.K, work);
    }

    // The most probable set of the component whose own mode weighs most.
    void best_mode(const Structure &s, std::int8_t *y) const {
        const std::size_t k = std::max_element(base.begin(), base.end()) - base.begin();
        for (std::size_t t = 0; t < s.L; ++t) {
            const std::int32_t l = s.order[k * s.L + t], p = s.parents[k * s.L + l];
            y[l] = saving[(k * s.L + l) * s.V + (p < 0 ? 0 : y[p])] > 0;
        }
    }

  private:
    std::vector<double> log_p0, log_p1, below;

    double upward(const Structure &s, std::size_t k) {
        const std::size_t at = k * s.L * s.V;
        std::fill(below.begin(), below.end(), 0.0);
        double total = 0.0;
        for (std::size_t t = s.L; t-- > 0;) {
            const std::size_t l = s.order[k * s.L + t];
            const std::int32_t p = s.parents[k * s.L + l];
            for (std::size_t v = 0; v < s.V; ++v) {
                const std::size_t c = at + l * s.V + v;
                const double a0 = log_p0[c] + below[2 * l], a1 = log_p1[c] + below[2 * l + 1];
                saving[c] = a1 - a0;
                if (p >= 0) below[2 * p + v] += a1 > a0 ? a1 : a0;
                else if (v == 0) total += a1 > a0 ? a1 : a0;
            }
        }
        return total;
    }
};

// Factor of choosing 0 and 1 in each table: one of the two is Scale::one.
template <class Scale>
void factors(const Costs &costs, std::vector<double> &off, std::vector<double> &on) {
    const std::size_t n = costs.saving.size();
    for (std::size_t c = 0; c < n; ++c) {
        const double d = costs.saving[c];
        off[c] = d > 0 ? -d : 0.0;
        on[c] = d < 0 ? d : 0.0;
    }
    Scale::from_costs(n, off.data(), off.data());
    Scale::from_costs(n, on.data(), on.data());
}

SETWISE_INLINE std::size_t padded(std::size_t K) { return (K + 7) / 8 * 8; }

// Sums of state * off and state * on over components, in eight lanes.
void two_sums(std::size_t width, const double *state, const double *off, const double *on, double *sums);
void multiply_into(std::size_t width, const double *a, const double *b, double *out);

// Bounds without edges: fixing a label multiplies each component by one factor.
template <class Scale>
class IndependentBounds {
  public:
    explicit IndependentBounds(const Structure &s)
        : s_(s), width_(padded(s.K)), off_(s.tables()), on_(s.tables()), by_label_(2 * s.L * width_, Scale::zero),
          states_((s.L + 1) * width_, Scale::zero), work_(width_) {}

    void start(const Costs &costs) {
        factors<Scale>(costs, off_, on_);
        for (std::size_t k = 0; k < s_.K; ++k) {
            states_[k] = Scale::from_log(costs.base[k] - costs.reference);
            for (std::size_t l = 0; l < s_.L; ++l) {
                by_label_[2 * l * width_ + k] = off_[k * s_.L + l];
                by_label_[(2 * l + 1) * width_ + k] = on_[k * s_.L + l];
            }
        }
    }

    // Bounds of both values of label l at this depth.
    void both(std::size_t depth, std::size_t l, double *bounds) {
        const double *state = states_.data() + depth * width_, *factor = by_label_.data() + 2 * l * width_;
        if constexpr (std::is_same_v<Scale, Linear>) {
            two_sums(width_, state, factor, factor + width_, bounds);
        } else {
            for (int y = 0; y < 2; ++y) {
                for (std::size_t k = 0; k < s_.K; ++k) work_[k] = state[k] + factor[y * width_ + k];
                bounds[y] = log_sum(s_.K, work_.data());
            }
        }
    }

    void fix(std::size_t depth, std::size_t l, int y) {
        const double *state = states_.data() + depth * width_, *factor = by_label_.data() + (2 * l + y) * width_;
        double *next = states_.data() + (depth + 1) * width_;
        if constexpr (std::is_same_v<Scale, Linear>) multiply_into(width_, state, factor, next);
        else
            for (std::size_t k = 0; k < s_.K; ++k) next[k] = state[k] + factor[k];
    }

    void release(std::size_t, std::size_t) {}

  private:
    const Structure &s_;
    std::size_t width_;
    std::vector<double> off_, on_, by_label_, states_, work_;
};

// Bounds with edges: fixing a label changes the messages on its path to the root, in every component.
// message (K, L, 2): best factor of l's subtree given its parent's value; Scale::one until something is fixed.
template <class Scale>
class ForestBounds {
  public:
    ForestBounds(const Structure &s, const Children &children)
        : s_(s), children_(children), off_(s.tables()), on_(s.tables()), message_(2 * s.K * s.L), base_(s.K),
          work_(2 * s.K), fixed_(s.L) {}

    void start(const Costs &costs) {
        factors<Scale>(costs, off_, on_);
        std::fill(message_.begin(), message_.end(), Scale::one);
        std::fill(fixed_.begin(), fixed_.end(), std::int8_t(-1));
        changes_.clear();
        for (std::size_t k = 0; k < s_.K; ++k)
            base_[k] = Scale::from_log(costs.base[k] - costs.reference);
    }

    void both(std::size_t, std::size_t l, double *bounds) {
        for (std::size_t k = 0; k < s_.K; ++k) {
            Message top[2];
            climb<2>(k, l, top, [](std::size_t, const Message &) {});
            work_[k] = Scale::times(base_[k], top[0].given[0]);
            work_[s_.K + k] = Scale::times(base_[k], top[1].given[0]);
        }
        bounds[0] = Scale::total(s_.K, work_.data());
        bounds[1] = Scale::total(s_.K, work_.data() + s_.K);
    }

    void fix(std::size_t, std::size_t l, int y) {
        fixed_[l] = std::int8_t(y);
        for (std::size_t k = 0; k < s_.K; ++k) {
            Message top[1];
            climb<1>(k, l, top, [&](std::size_t node, const Message &m) {
                double *to = message_.data() + 2 * (k * s_.L + node);
                changes_.push_back({std::uint32_t(k * s_.L + node), {to[0], to[1]}});
                to[0] = m.given[0];
                to[1] = m.given[1];
            });
        }
        marks_.push_back(changes_.size());
    }

    // Undoes the last fix, which was of label l.
    void release(std::size_t, std::size_t l) {
        fixed_[l] = -1;
        marks_.pop_back();
        const std::size_t keep = marks_.empty() ? 0 : marks_.back();
        for (; changes_.size() > keep; changes_.pop_back()) {
            const Change &c = changes_.back();
            message_[2 * c.at] = c.old.given[0];
            message_[2 * c.at + 1] = c.old.given[1];
        }
    }

  private:
    struct Message {
        double given[2];
    };
    struct Change {
        std::uint32_t at;
        Message old;
    };

    // Product of the messages of node's children other than `but`, given the node's value 0 and 1.
    Message product(std::size_t k, std::size_t node, std::int32_t but) const {
        const std::int32_t *at = children_.first.data() + k * (s_.L + 2) + node;
        Message m{{Scale::one, Scale::one}};
        for (std::int32_t c = at[0]; c < at[1]; ++c) {
            const std::int32_t child = children_.list[k * s_.L + c];
            if (child == but) continue;
            const double *from = message_.data() + 2 * (k * s_.L + child);
            m.given[0] = Scale::times(m.given[0], from[0]);
            m.given[1] = Scale::times(m.given[1], from[1]);
        }
        return m;
    }

    // New messages from label l up to the top of component k. With two lanes, one for each value of l;
    // with one lane l has the value in fixed_.
    template <int Lanes, class Visit>
    void climb(std::size_t k, std::size_t l, Message *lane, Visit &&visit) const {
        Message inside = product(k, l, -1);
        std::int32_t parent = s_.parents[k * s_.L + l];
        for (int a = 0; a < Lanes; ++a) lane[a] = own(k, l, Lanes == 2 ? a : fixed_[l], parent, inside);
        visit(l, lane[0]);
        while (parent >= 0) {
            const std::size_t node = parent;
            inside = product(k, node, std::int32_t(l));
            parent = s_.parents[k * s_.L + node];
            for (int a = 0; a < Lanes; ++a) {
                const Message with{{Scale::times(inside.given[0], lane[a].given[0]),
                                    Scale::times(inside.given[1], lane[a].given[1])}};
                lane[a] = own(k, node, fixed_[node], parent, with);
            }
            visit(node, lane[0]);
            l = node;
        }
        inside = product(k, s_.L, std::int32_t(l));
        for (int a = 0; a < Lanes; ++a) lane[a].given[0] = Scale::times(inside.given[0], lane[a].given[0]);
    }

    // Message of a node whose children's product is `inside` and whose value is y, or free (-1).
    SETWISE_INLINE Message own(std::size_t k, std::size_t node, int y, std::int32_t parent, const Message &inside) const {
        const std::size_t c = (k * s_.L + node) * s_.V;
        Message m;
        for (int v = 0; v < 2; ++v) {
            const std::size_t at = c + (parent < 0 ? 0 : v);
            const double a0 = Scale::times(off_[at], inside.given[0]), a1 = Scale::times(on_[at], inside.given[1]);
            m.given[v] = y == 0 ? a0 : y == 1 ? a1 : a0 > a1 ? a0 : a1;
        }
        return m;
    }

    const Structure &s_;
    const Children &children_;
    std::vector<double> off_, on_, message_, base_, work_;
    std::vector<std::int8_t> fixed_;
    std::vector<Change> changes_;
    std::vector<std::size_t> marks_;
};

}  // namespace setwise
