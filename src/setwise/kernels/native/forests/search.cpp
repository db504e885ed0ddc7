// The k most probable label sets of a mixture of forests, by branch and bound over the labels.
#include <numeric>

#include "search_bounds.h"

namespace setwise {

SETWISE_DISPATCH void two_sums(std::size_t width, const double *state, const double *off, const double *on,
                               double *sums) {
    double a[8] = {}, b[8] = {};
    for (std::size_t k = 0; k < width; k += 8)
        for (std::size_t j = 0; j < 8; ++j) {
            a[j] += state[k + j] * off[k + j];
            b[j] += state[k + j] * on[k + j];
        }
    sums[0] = ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
    sums[1] = ((b[0] + b[4]) + (b[1] + b[5])) + ((b[2] + b[6]) + (b[3] + b[7]));
}

SETWISE_DISPATCH void multiply_into(std::size_t width, const double *a, const double *b, double *out) {
    for (std::size_t k = 0; k < width; ++k) out[k] = a[k] * b[k];
}

namespace {

// Labels whose worse value has a bound below exp(-2) times the current one are decided several at a time.
constexpr double kCostly = -2.0;

struct Limits {
    std::size_t k, min_labels, max_labels, budget;
};

// The best k sets seen so far; a heap with the worst of them on top.
class Best {
  public:
    Best(std::size_t k, std::size_t L) : k_(k), L_(L), labels_(k * L) {}

    void clear() { heap_.clear(); }
    std::size_t size() const { return heap_.size(); }
    bool full() const { return heap_.size() == k_; }
    double worst() const { return heap_.front().first; }
    const std::int8_t *labels(std::size_t i) const { return labels_.data() + heap_[i].second * L_; }

    void add(double value, const std::int8_t *y) {
        std::size_t slot = heap_.size();
        if (full()) {
            std::pop_heap(heap_.begin(), heap_.end(), worse_first);
            slot = heap_.back().second;
            heap_.pop_back();
        }
        std::copy(y, y + L_, labels_.begin() + slot * L_);
        heap_.push_back({value, slot});
        std::push_heap(heap_.begin(), heap_.end(), worse_first);
    }

  private:
    using Entry = std::pair<double, std::size_t>;
    static bool worse_first(const Entry &a, const Entry &b) { return a.first > b.first; }
    std::size_t k_, L_;
    std::vector<std::int8_t> labels_;
    std::vector<Entry> heap_;
};

// Depth-first over the labels, the better value first. A branch is cut when its bound does not beat the k-th
// best set known; labels whose worse value would be cut are settled without branching. Best-first would need
// as few steps, but memory for all open branches.
template <class Scale, class Bounds>
class Search {
  public:
    explicit Search(const Structure &s)
        : s_(s), bounds_(s), both_(2 * s.L), y_(s.L), other_(s.L), stack_((s.L + 1) * s.L), work_(s.K) {
        open_.reserve(s.L + 1);
    }

    std::size_t steps = 0;  // evaluations of the bounds

    // Fills `best`; returns whether the search was complete.
    bool run(const Costs &costs, const Limits &limits, Best &best) {
        steps = 0;
        best.clear();
        open_.clear();
        bounds_.start(costs);
        if (limits.k == 1) try_set(costs, limits, best, [&](std::int8_t *y) { costs.best_mode(s_, y); });
        std::fill(y_.begin(), y_.end(), std::int8_t(-1));
        reached_ = kInf;
        do {
            while (reached_ > threshold(best) && settle(costs, limits, best)) {
                if (steps >= limits.budget) return open_.push_back(reached_), false;
                branch();
            }
        } while (resume());
        return true;
    }

    // Log of the largest bound left unexplored when the budget ended.
    double log_open() const {
        return open_.empty() ? -kInf : Scale::log(*std::max_element(open_.begin(), open_.end()));
    }

  private:
    double threshold(const Best &best) const { return best.full() ? Scale::slack(best.worst()) : Scale::zero; }

    template <class Make>
    void try_set(const Costs &costs, const Limits &limits, Best &best, Make make) {
        make(other_.data());
        const std::size_t on = std::accumulate(other_.begin(), other_.end(), 0);
        if (on < limits.min_labels || on > limits.max_labels) return;
        const double value = Scale::from_log(costs.log_prob(s_, other_.data(), work_.data()) - costs.reference);
        if (value > threshold(best)) best.add(value, other_.data());
    }

    // Fixes the labels that are certain. Returns whether there are others to branch on; a set that is complete
    // by then is kept.
    bool settle(const Costs &costs, const Limits &limits, Best &best) {
        for (;;) {
            std::size_t on = 0, free = 0;
            for (std::int8_t y : y_) on += y == 1, free += y < 0;
            if (on + free < limits.min_labels || on > limits.max_labels) return false;
            if (free > 0 && on + free == limits.min_labels) free = fill(1);
            else if (free > 0 && on == limits.max_labels) free = fill(0);
            reached_ = bounds_.all(y_.data(), both_.data());
            // The set of the values with the larger bounds is often the answer.
            if (steps++ == 0 && limits.k == 1)
                try_set(costs, limits, best, [&](std::int8_t *y) {
                    for (std::size_t l = 0; l < s_.L; ++l) y[l] = better(l);
                });
            if (!(reached_ > threshold(best))) return false;
            if (free == 0) return best.add(reached_, y_.data()), false;
            if (settle_certain(threshold(best)) < free) return true;
        }
    }

    // Gives every free label the one value that the size of the set leaves it.
    std::size_t fill(std::int8_t value) {
        for (std::int8_t &y : y_)
            if (y < 0) y = value;
        return 0;
    }

    std::size_t settle_certain(double cut) {
        std::size_t settled = 0;
        for (std::size_t l = 0; l < s_.L; ++l)
            if (y_[l] < 0 && !(worse(l) > cut)) y_[l] = better(l), ++settled;
        return settled;
    }

    std::int8_t better(std::size_t l) const { return both_[2 * l + 1] > both_[2 * l]; }
    double worse(std::size_t l) const { return std::min(both_[2 * l], both_[2 * l + 1]); }

    // Decides the label whose worse value costs most, and with it all whose worse value costs a lot; those
    // values are left open for later.
    void branch() {
        std::size_t first = s_.L;
        for (std::size_t l = 0; l < s_.L; ++l)
            if (y_[l] < 0 && (first == s_.L || worse(l) < worse(first))) first = l;
        const double costly = Scale::times(reached_, Scale::from_log(kCostly));
        decide(first);
        for (std::size_t l = 0; l < s_.L; ++l)
            if (y_[l] < 0 && worse(l) < costly) decide(l);
    }

    void decide(std::size_t l) {
        y_[l] = 1 - better(l);
        std::copy(y_.begin(), y_.end(), stack_.begin() + open_.size() * s_.L);
        open_.push_back(worse(l));
        y_[l] = better(l);
        reached_ = std::min(reached_, both_[2 * l + better(l)]);
    }

    // Continues with the partial set left open last, if any.
    bool resume() {
        if (open_.empty()) return false;
        reached_ = open_.back();
        open_.pop_back();
        const auto from = stack_.begin() + open_.size() * s_.L;
        std::copy(from, from + s_.L, y_.begin());
        return true;
    }

    const Structure &s_;
    Bounds bounds_;
    std::vector<double> both_;             // (L, 2) bounds of both values of every free label
    std::vector<std::int8_t> y_, other_;   // the current partial set; a complete one
    std::vector<std::int8_t> stack_;       // (depth, L) partial sets left open
    std::vector<double> open_, work_;      // their bounds
    double reached_ = Scale::zero;         // the bound of y_
};

struct RowAnswer {
    std::int8_t *labels;  // (k, L)
    double *log_prob;     // (k,)
    bool certified;
    double log_open;      // log of the largest bound left unexplored
    std::size_t steps;
};

// Best first, with exact log-probabilities; absent sets are -1 and -inf.
void write(const Structure &s, const Costs &costs, const Best &best, std::size_t k, RowAnswer &answer,
           std::vector<std::pair<double, std::size_t>> &ranked, double *work) {
    ranked.clear();
    for (std::size_t i = 0; i < best.size(); ++i) ranked.push_back({-costs.log_prob(s, best.labels(i), work), i});
    std::sort(ranked.begin(), ranked.end());
    std::fill(answer.labels, answer.labels + k * s.L, std::int8_t(-1));
    std::fill(answer.log_prob, answer.log_prob + k, -kInf);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        std::copy(best.labels(ranked[i].second), best.labels(ranked[i].second) + s.L, answer.labels + i * s.L);
        answer.log_prob[i] = -ranked[i].first;
    }
}

// Runs the fast search; if the k-th best set underflows relative to the best, the careful one.
template <class Fast, class Careful>
void search_row(const Costs &costs, const Limits &limits, Fast &fast, Careful &careful, Best &best,
                RowAnswer &answer) {
    answer.certified = fast.run(costs, limits, best);
    double open = fast.log_open();
    answer.steps = fast.steps;
    if (answer.certified && (!best.full() || Linear::underflows(best.worst()))) {
        answer.certified = careful.run(costs, limits, best);
        open = careful.log_open();
        answer.steps = careful.steps;
    }
    answer.log_open = open + costs.reference;
}

// The sizes (n) and tilts (n, K) of a search among sets of one size per row; null if sizes are not fixed.
struct Sized {
    const std::int64_t *sizes;
    const double *tilt;
};

template <class T, template <class> class Bounds>
void search_rows(const Forests<T> &f, const double *log_gate, const Limits &shared, const Sized &sized, std::int8_t *labels,
                 double *log_prob, bool *certified, double *gap, std::int64_t *steps) {
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        Limits limits = shared;
        Costs costs(f);
        Search<Linear, Bounds<Linear>> fast(f);
        Search<Logs, Bounds<Logs>> careful(f);
        Best best(limits.k, f.L);
        std::vector<std::pair<double, std::size_t>> ranked;
        std::vector<double> work(f.K);
        for (std::size_t i = begin; i < end; ++i) {
            RowAnswer answer{labels + i * limits.k * f.L, log_prob + i * limits.k, false, 0.0, 0};
            if (sized.sizes) limits.min_labels = limits.max_labels = std::size_t(sized.sizes[i]);
            costs.set(f, f.row(i), log_gate + i * f.K, sized.tilt ? sized.tilt + i * f.K : nullptr, limits.min_labels);
            search_row(costs, limits, fast, careful, best, answer);
            write(f, costs, best, limits.k, answer, ranked, work.data());
            certified[i] = answer.certified;
            gap[i] = answer.certified ? 0.0 : answer.log_open - answer.log_prob[limits.k - 1];
            steps[i] = std::int64_t(answer.steps);
        }
    });
}

template <class T>
auto search(const In<double, 2> &log_gate, const Forests<T> &f, const Limits &limits, const Sized &sized) {
    check_shape("log_gate", log_gate, {f.n, f.K});
    check_at_least("k", limits.k, 1);
    auto labels = new_array<std::int8_t>({f.n, limits.k, f.L});
    auto log_prob = new_array<double>({f.n, limits.k}), gap = new_array<double>({f.n});
    auto certified = new_array<bool>({f.n});
    auto steps = new_array<std::int64_t>({f.n});
    {
        nb::gil_scoped_release release;
        auto rows = f.V == 1 ? search_rows<T, IndependentBounds> : search_rows<T, ForestBounds>;
        rows(f, log_gate.data(), limits, sized, labels.data(), log_prob.data(), certified.data(), gap.data(),
             steps.data());
    }
    return nb::make_tuple(labels, log_prob, certified, gap, steps);
}

template <class T>
auto mixture_top_k(In<double, 2> log_gate, In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order,
                   std::size_t k, std::size_t min_labels, std::size_t budget) {
    const Forests<T> f(logits, parents, order);
    return search(log_gate, f, Limits{k, min_labels, f.L, std::max(budget, f.L + 1)}, Sized{nullptr, nullptr});
}

template <class T>
auto mixture_top_k_of_size(In<double, 2> log_gate, In<T, 4> logits, In<std::int32_t, 2> parents,
                           In<std::int32_t, 2> order, std::size_t k, In<std::int64_t, 1> sizes, In<double, 2> tilt,
                           std::size_t budget) {
    const Forests<T> f(logits, parents, order);
    check_shape("sizes", sizes, {f.n});
    check_between("sizes", sizes, 0, std::int64_t(f.L));
    check_shape("tilt", tilt, {f.n, f.K});
    return search(log_gate, f, Limits{k, 0, f.L, std::max(budget, f.L + 1)}, Sized{sizes.data(), tilt.data()});
}

}  // namespace

void register_forest_search(nb::module_ &m) {
    SETWISE_FOREST_DEF(m, mixture_top_k, "log_gate"_a, "logits"_a, "parents"_a, "order"_a, "k"_a, "min_labels"_a, "budget"_a);
    SETWISE_FOREST_DEF(m, mixture_top_k_of_size, "log_gate"_a, "logits"_a, "parents"_a, "order"_a, "k"_a, "sizes"_a, "tilt"_a,
                       "budget"_a);
}

}  // namespace setwise
