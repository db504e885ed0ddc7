// Upper bounds for the branch and bound over label sets (search.cpp).
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
    static void from_logs(std::size_t n, double *x) { exp_nonpositives(n, x); }
    static SETWISE_INLINE double plus(double a, double b) { return a + b; }
    static double log(double a) { return std::log(a); }
    static double from_log(double a) { return std::exp(a); }
    // Relative difference that counts as rounding: the search does not continue for a tie.
    static double slack(double a) { return a * (1.0 + 1e-12); }
    static bool underflows(double a) { return a < 1e-250; }
};

struct Logs {
    static constexpr double zero = -kInf, one = 0.0;
    static SETWISE_INLINE double times(double a, double b) { return a + b; }
    static void from_logs(std::size_t, double *) {}
    static double plus(double a, double b) { return log_add(a, b); }
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

    // `tilt` (K) may be added to the log-odds of every label if the sets searched have `size` labels each:
    // it changes no set's value, but the completions that the bounds consist of.
    template <class T>
    void set(const Structure &s, const T *logits, const double *log_gate, const double *tilt, std::size_t size) {
        log_sigmoids(s.tables(), logits, log_p0.data(), log_p1.data());
        for (std::size_t k = 0; k < s.K; ++k) {
            const double shift = tilt ? tilt[k] : 0.0;
            for (std::size_t c = k * s.L * s.V; c < (k + 1) * s.L * s.V; ++c) log_p1[c] += shift;
            base[k] = log_gate[k] + upward(s, k) - shift * double(size);
        }
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

    // The mode of the component whose mode has the largest weighted probability.
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
          base_(width_, Scale::zero), state_(width_), work_(width_, Scale::zero) {}

    void start(const Costs &costs) {
        penalties<Scale>(costs, penalty_);
        for (std::size_t k = 0; k < s_.K; ++k) {
            base_[k] = Scale::from_log(costs.base[k] - costs.reference);
            for (std::size_t l = 0; l < s_.L; ++l) {
                const bool on = costs.saving[k * s_.L + l] > 0;
                factor_[2 * l * width_ + k] = on ? penalty_[k * s_.L + l] : Scale::one;
                factor_[(2 * l + 1) * width_ + k] = on ? Scale::one : penalty_[k * s_.L + l];
            }
        }
    }

    // The bound of the labels fixed (>= 0), and the bounds (L, 2) of both values of the others.
    double all(const std::int8_t *fixed, double *bounds) {
        state_ = base_;
        for (std::size_t l = 0; l < s_.L; ++l)
            if (fixed[l] >= 0) multiply(factor(l, fixed[l]), state_.data());
        for (std::size_t l = 0; l < s_.L; ++l)
            if (fixed[l] < 0) both(l, bounds + 2 * l);
        return total(state_);
    }

  private:
    static double total(const std::vector<double> &x) {
        double sum = Scale::zero;
        for (double one : x) sum = Scale::plus(sum, one);
        return sum;
    }

    const double *factor(std::size_t l, int y) const { return factor_.data() + (2 * l + y) * width_; }

    void multiply(const double *by, double *out) {
        if constexpr (std::is_same_v<Scale, Linear>) multiply_into(width_, state_.data(), by, out);
        else
            for (std::size_t k = 0; k < s_.K; ++k) out[k] = state_[k] + by[k];
    }

    void both(std::size_t l, double *bounds) {
        if constexpr (std::is_same_v<Scale, Linear>) {
            two_sums(width_, state_.data(), factor(l, 0), factor(l, 1), bounds);
        } else {
            for (int y = 0; y < 2; ++y) {
                multiply(factor(l, y), work_.data());
                bounds[y] = total(work_);
            }
        }
    }

    const Structure &s_;
    std::size_t width_;
    std::vector<double> penalty_, factor_, base_, state_, work_;
};

// Bounds with edges: a pass up and a pass down every component. Nodes are numbered by their place in the
// component's order; the place L stands above the roots.
template <class Scale>
class ForestBounds {
  public:
    explicit ForestBounds(const Structure &s)
        : s_(s), penalty_(s.tables()), nodes_(s.K * s.L), base_(s.K), allowed_(s.L), inside_(s.L + 1),
          before_(s.L + 1), after_(s.L), message_(s.L), above_(s.L + 1) {
        std::vector<std::int32_t> place(s.L);
        for (std::size_t k = 0; k < s.K; ++k) {
            for (std::size_t t = 0; t < s.L; ++t) place[s.order[k * s.L + t]] = std::int32_t(t);
            for (std::size_t t = 0; t < s.L; ++t) {
                const std::int32_t l = s.order[k * s.L + t], p = s.parents[k * s.L + l];
                nodes_[k * s.L + t].label = l;
                nodes_[k * s.L + t].parent = p < 0 ? std::int32_t(s.L) : place[p];
            }
        }
    }

    void start(const Costs &costs) {
        penalties<Scale>(costs, penalty_);
        for (std::size_t k = 0; k < s_.K; ++k) {
            base_[k] = Scale::from_log(costs.base[k] - costs.reference);
            for (std::size_t t = 0; t < s_.L; ++t) set_factors(costs, k, nodes_[k * s_.L + t]);
        }
    }

    // The bound of the labels fixed (>= 0), and the bounds (L, 2) of both values of every label.
    double all(const std::int8_t *fixed, double *bounds) {
        for (std::size_t l = 0; l < s_.L; ++l)
            allowed_[l] = {{fixed[l] == 1 ? Scale::zero : Scale::one, fixed[l] == 0 ? Scale::zero : Scale::one}};
        std::fill(bounds, bounds + 2 * s_.L, Scale::zero);
        double sum = Scale::zero;
        for (std::size_t k = 0; k < s_.K; ++k) {
            upward(nodes_.data() + k * s_.L);
            sum = Scale::plus(sum, Scale::times(base_[k], inside_[s_.L].given[0]));
            downward(base_[k], nodes_.data() + k * s_.L, bounds);
        }
        return sum;
    }

  private:
    struct Pair {
        double given[2];
    };
    struct Node {
        Pair off, on;  // factor of each value, given the parent's
        std::int32_t label, parent;
    };

    void set_factors(const Costs &costs, std::size_t k, Node &node) const {
        for (int v = 0; v < 2; ++v) {
            const std::size_t c = (k * s_.L + node.label) * s_.V + (node.parent == std::int32_t(s_.L) ? 0 : v);
            const bool on = costs.saving[c] > 0;
            node.off.given[v] = on ? penalty_[c] : Scale::one;
            node.on.given[v] = on ? Scale::one : penalty_[c];
        }
    }

    static SETWISE_INLINE Pair times(const Pair &a, const Pair &b) {
        return {{Scale::times(a.given[0], b.given[0]), Scale::times(a.given[1], b.given[1])}};
    }

    static SETWISE_INLINE double larger(double a, double b) { return a > b ? a : b; }

    // message: best factor of a node's subtree given its parent's value; inside: the product of its children's
    // messages given its own; after: the product of its later siblings' messages.
    void upward(const Node *nodes) {
        std::fill(inside_.begin(), inside_.end(), Pair{{Scale::one, Scale::one}});
        for (std::size_t t = s_.L; t-- > 0;) {
            const Node &node = nodes[t];
            const Pair in = inside_[t] = times(inside_[t], allowed_[node.label]);
            const Pair off = times(node.off, {{in.given[0], in.given[0]}});
            const Pair on = times(node.on, {{in.given[1], in.given[1]}});
            message_[t] = {{larger(off.given[0], on.given[0]), larger(off.given[1], on.given[1])}};
            after_[t] = inside_[node.parent];
            inside_[node.parent] = times(after_[t], message_[t]);
        }
    }

    // above: best factor of all outside a node's subtree and of the node itself, given its value; before: the
    // product of the messages of the children already visited.
    void downward(double base, const Node *nodes, double *bounds) {
        std::fill(before_.begin(), before_.end(), Pair{{Scale::one, Scale::one}});
        above_[s_.L] = {{base, Scale::zero}};
        for (std::size_t t = 0; t < s_.L; ++t) {
            const Node &node = nodes[t];
            const Pair before = before_[node.parent];
            before_[node.parent] = times(before, message_[t]);
            const Pair outside = times(above_[node.parent], times(before, after_[t]));
            const Pair off = times(outside, node.off), on = times(outside, node.on);
            above_[t] = times(allowed_[node.label],
                              {{larger(off.given[0], off.given[1]), larger(on.given[0], on.given[1])}});
            const Pair bound = times(above_[t], inside_[t]);
            double *sum = bounds + 2 * node.label;
            sum[0] = Scale::plus(sum[0], bound.given[0]);
            sum[1] = Scale::plus(sum[1], bound.given[1]);
        }
    }

    const Structure &s_;
    std::vector<double> penalty_;
    std::vector<Node> nodes_;
    std::vector<double> base_;
    std::vector<Pair> allowed_, inside_, before_, after_, message_, above_;
};

}  // namespace setwise
