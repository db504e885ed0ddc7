// Upper bounds for the branch and bound over label sets (forest_search.cpp).
//
// A forest's max-sum leaves for each label l, value y and parent value v a cost >= 0 of choosing y there:
// zero for the better value. Then log p_k(y) = log max p_k - (sum of the costs), and the most probable set
// that agrees with some fixed labels follows from the same recursion on the costs alone. Those maxima, times
// the gate, summed over the components, bound the mixture's probability of every set that agrees. Both kinds
// of bounds below offer
//   start(costs)              a new row, nothing fixed
//   settle(fixed, bounds)     fixes labels for good (fixed[l] >= 0); the bounds (L, 2) of both values of every
//                             label, and as result that of what is fixed
//   both(depth, l, bounds)    the bounds of both values of label l
//   fix(depth, l, y), release(depth, l)
//
// `Linear` works on probabilities relative to the best component's mode and is the fast one; `Logs` never
// underflows.
#pragma once

#include "forest.h"

namespace setwise {

struct Linear {
    static constexpr double zero = 0.0, one = 1.0;
    static SETWISE_INLINE double times(double a, double b) { return a * b; }
    static void from_logs(std::size_t n, double *x) { exp_nonpositives(n, x); }
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
    static void from_logs(std::size_t, double *) {}
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

// Factor of the worse value of every label, given its parent's value; that of the better one is Scale::one.
template <class Scale>
void penalties(const Costs &costs, std::vector<double> &out) {
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = -std::fabs(costs.saving[c]);
    Scale::from_logs(out.size(), out.data());
}

// Sums of state * off and state * on over components, in eight lanes.
void two_sums(std::size_t width, const double *state, const double *off, const double *on, double *sums);
void multiply_into(std::size_t width, const double *a, const double *b, double *out);

// Bounds without edges: fixing a label multiplies each component by one factor.
template <class Scale>
class IndependentBounds {
  public:
    explicit IndependentBounds(const Structure &s)
        : s_(s), width_((s.K + 7) / 8 * 8), penalty_(s.tables()), factor_(2 * s.L * width_, Scale::zero),
          states_((s.L + 1) * width_, Scale::zero), work_(width_), settled_(s.L) {}

    void start(const Costs &costs) {
        penalties<Scale>(costs, penalty_);
        std::fill(settled_.begin(), settled_.end(), 0);
        for (std::size_t k = 0; k < s_.K; ++k) {
            states_[k] = Scale::from_log(costs.base[k] - costs.reference);
            for (std::size_t l = 0; l < s_.L; ++l) {
                const bool on = costs.saving[k * s_.L + l] > 0;
                factor_[2 * l * width_ + k] = on ? penalty_[k * s_.L + l] : Scale::one;
                factor_[(2 * l + 1) * width_ + k] = on ? Scale::one : penalty_[k * s_.L + l];
            }
        }
    }

    double settle(const std::int8_t *fixed, double *bounds) {
        for (std::size_t l = 0; l < s_.L; ++l)
            if (fixed[l] >= 0 && !settled_[l]) {
                settled_[l] = 1;
                multiply(states_.data(), factor(l, fixed[l]), states_.data());
            }
        for (std::size_t l = 0; l < s_.L; ++l)
            if (!settled_[l]) both(0, l, bounds + 2 * l);
        return Scale::total(s_.K, states_.data());
    }

    void both(std::size_t depth, std::size_t l, double *bounds) {
        const double *state = states_.data() + depth * width_;
        if constexpr (std::is_same_v<Scale, Linear>) {
            two_sums(width_, state, factor(l, 0), factor(l, 1), bounds);
        } else {
            for (int y = 0; y < 2; ++y) {
                multiply(state, factor(l, y), work_.data());
                bounds[y] = Scale::total(s_.K, work_.data());
            }
        }
    }

    void fix(std::size_t depth, std::size_t l, int y) {
        multiply(states_.data() + depth * width_, factor(l, y), states_.data() + (depth + 1) * width_);
    }

    void release(std::size_t, std::size_t) {}

  private:
    const double *factor(std::size_t l, int y) const { return factor_.data() + (2 * l + y) * width_; }

    void multiply(const double *a, const double *b, double *out) const {
        if constexpr (std::is_same_v<Scale, Linear>) multiply_into(width_, a, b, out);
        else
            for (std::size_t k = 0; k < s_.K; ++k) out[k] = a[k] + b[k];
    }

    const Structure &s_;
    std::size_t width_;
    std::vector<double> penalty_, factor_, states_, work_;
    std::vector<char> settled_;
};

// Bounds with edges: fixing a label changes the messages on its path to the root, in every component.
template <class Scale>
class ForestBounds {
  public:
    ForestBounds(const Structure &s, const Children &children)
        : s_(s), children_(children), penalty_(s.tables()), choice_(s.K * s.L), message_(s.K * s.L), above_(s.L),
          base_(s.K), work_(2 * s.K), by_component_(2 * s.L * s.K), fixed_(s.L) {}

    void start(const Costs &costs) {
        penalties<Scale>(costs, penalty_);
        std::fill(message_.begin(), message_.end(), Pair{{Scale::one, Scale::one}});
        changes_.clear();
        marks_.clear();
        for (std::size_t k = 0; k < s_.K; ++k) base_[k] = Scale::from_log(costs.base[k] - costs.reference);
        for (std::size_t node = 0; node < choice_.size(); ++node)
            for (int v = 0; v < 2; ++v) {
                const std::size_t c = node * s_.V + (s_.parents[node] < 0 ? 0 : v);
                const bool on = costs.saving[c] > 0;
                choice_[node].off[v] = on ? penalty_[c] : Scale::one;
                choice_[node].on[v] = on ? Scale::one : penalty_[c];
            }
    }

    double settle(const std::int8_t *fixed, double *bounds) {
        std::copy(fixed, fixed + s_.L, fixed_.begin());
        for (std::size_t k = 0; k < s_.K; ++k) {
            for (std::size_t t = s_.L; t-- > 0;) {
                const std::size_t l = s_.order[k * s_.L + t];
                message_[k * s_.L + l] = own(k, l, fixed_[l], product(k, l, -1));
            }
            work_[k] = Scale::times(base_[k], product(k, s_.L, -1).given[0]);
            downward(k);
        }
        for (std::size_t c = 0; c < 2 * s_.L; ++c) bounds[c] = Scale::total(s_.K, by_component_.data() + c * s_.K);
        return Scale::total(s_.K, work_.data());
    }

    void both(std::size_t, std::size_t l, double *bounds) {
        for (std::size_t k = 0; k < s_.K; ++k) {
            Pair top[2];
            climb<2>(k, l, top, [](std::size_t, const Pair &) {});
            work_[k] = Scale::times(base_[k], top[0].given[0]);
            work_[s_.K + k] = Scale::times(base_[k], top[1].given[0]);
        }
        bounds[0] = Scale::total(s_.K, work_.data());
        bounds[1] = Scale::total(s_.K, work_.data() + s_.K);
    }

    void fix(std::size_t, std::size_t l, int y) {
        fixed_[l] = std::int8_t(y);
        for (std::size_t k = 0; k < s_.K; ++k) {
            Pair top[1];
            climb<1>(k, l, top, [&](std::size_t node, const Pair &m) {
                const std::size_t at = k * s_.L + node;
                changes_.push_back({at, message_[at]});
                message_[at] = m;
            });
        }
        marks_.push_back(changes_.size());
    }

    // Undoes the last fix, which was of label l.
    void release(std::size_t, std::size_t l) {
        fixed_[l] = -1;
        marks_.pop_back();
        const std::size_t keep = marks_.empty() ? 0 : marks_.back();
        for (; changes_.size() > keep; changes_.pop_back()) message_[changes_.back().at] = changes_.back().old;
    }

  private:
    struct Pair {
        double given[2];
    };
    struct Choice {
        double off[2], on[2];  // factor of each value, given the parent's
    };
    struct Change {
        std::size_t at;
        Pair old;
    };

    static SETWISE_INLINE Pair times(const Pair &a, const Pair &b) {
        return {{Scale::times(a.given[0], b.given[0]), Scale::times(a.given[1], b.given[1])}};
    }

    // Product of the messages of node's children other than `but`, given the node's value 0 and 1.
    SETWISE_INLINE Pair product(std::size_t k, std::size_t node, std::int32_t but) const {
        const std::int32_t *at = children_.first.data() + k * (s_.L + 2) + node;
        Pair m{{Scale::one, Scale::one}};
        for (std::int32_t c = at[0]; c < at[1]; ++c) {
            const std::int32_t child = children_.list[k * s_.L + c];
            if (child != but) m = times(m, message_[k * s_.L + child]);
        }
        return m;
    }

    // Message of a node whose children's product is `inside` and whose value is y, or free (-1).
    SETWISE_INLINE Pair own(std::size_t k, std::size_t node, int y, const Pair &inside) const {
        const Choice &choice = choice_[k * s_.L + node];
        Pair m;
        for (int v = 0; v < 2; ++v) {
            const double a0 = y == 1 ? Scale::zero : Scale::times(choice.off[v], inside.given[0]);
            const double a1 = y == 0 ? Scale::zero : Scale::times(choice.on[v], inside.given[1]);
            m.given[v] = a0 > a1 ? a0 : a1;
        }
        return m;
    }

    // New messages from label l up to the top of component k. With two lanes, one for each value of l;
    // with one lane l has the value in fixed_.
    template <int Lanes, class Visit>
    SETWISE_INLINE void climb(std::size_t k, std::size_t l, Pair *lane, Visit &&visit) const {
        const Pair inside = product(k, l, -1);
        for (int a = 0; a < Lanes; ++a) lane[a] = own(k, l, Lanes == 2 ? a : fixed_[l], inside);
        visit(l, lane[0]);
        for (std::int32_t up; (up = s_.parents[k * s_.L + l]) >= 0; l = up) {
            const Pair others = product(k, up, std::int32_t(l));
            for (int a = 0; a < Lanes; ++a) lane[a] = own(k, up, fixed_[up], times(others, lane[a]));
            visit(up, lane[0]);
        }
        const Pair others = product(k, s_.L, std::int32_t(l));
        for (int a = 0; a < Lanes; ++a) lane[a] = times(others, lane[a]);
    }

    // The best of everything outside a label's subtree, from the roots down; with what is inside, the bound.
    void downward(std::size_t k) {
        for (std::size_t t = 0; t < s_.L; ++t) {
            const std::size_t l = s_.order[k * s_.L + t];
            const std::int32_t p = s_.parents[k * s_.L + l];
            const Pair others = product(k, p < 0 ? s_.L : p, std::int32_t(l));
            const Pair outside = p < 0 ? Pair{{Scale::times(base_[k], others.given[0]), Scale::zero}}
                                       : times(above_[p], others);
            const Choice &choice = choice_[k * s_.L + l];
            above_[l] = {{fixed_[l] == 1 ? Scale::zero : best(outside, choice.off),
                          fixed_[l] == 0 ? Scale::zero : best(outside, choice.on)}};
            const Pair bound = times(above_[l], product(k, l, -1));
            by_component_[2 * l * s_.K + k] = bound.given[0];
            by_component_[(2 * l + 1) * s_.K + k] = bound.given[1];
        }
    }

    static SETWISE_INLINE double best(const Pair &outside, const double *factor) {
        const double a = Scale::times(outside.given[0], factor[0]), b = Scale::times(outside.given[1], factor[1]);
        return a > b ? a : b;
    }

    const Structure &s_;
    const Children &children_;
    std::vector<double> penalty_;
    std::vector<Choice> choice_;
    std::vector<Pair> message_;  // best factor of a label's subtree given its parent's value
    std::vector<Pair> above_;    // best factor of all outside a label's subtree and the label itself, given its value
    std::vector<double> base_, work_, by_component_;
    std::vector<std::int8_t> fixed_;
    std::vector<Change> changes_;
    std::vector<std::size_t> marks_;
};

}  // namespace setwise
