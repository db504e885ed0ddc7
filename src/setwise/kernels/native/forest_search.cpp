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

struct Limits {
    std::size_t k, min_labels, budget;
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

// Labels whose worse value is already cut are settled at once; then depth-first over the others, the better
// value first. A branch is cut when its bound does not beat the k-th best set known. Best-first would need as
// few nodes, but memory for all that are open.
template <class Scale, class Bounds>
class Search {
  public:
    Search(const Structure &s, Bounds bounds)
        : s_(s), bounds_(std::move(bounds)), root_(2 * s.L), alternative_(s.L), y_(s.L), work_(s.K) {}

    std::size_t nodes = 0;

    // Fills `best`; returns whether the search was complete.
    bool run(const Costs &costs, const Limits &limits, Best &best) {
        nodes = depth_ = 0;
        open_ = Scale::zero;
        best.clear();
        bounds_.start(costs);
        if (limits.k == 1) try_component_mode(costs, limits, best);
        settle(best);
        for (bool down = reached_ > threshold(best) && on_ + order_.size() >= limits.min_labels;;) {
            if (down && depth_ == order_.size()) {
                best.add(reached_, y_.data());
                down = false;
            } else if (down) {
                if (nodes == limits.budget) return stop();
                ++nodes;
                down = descend(limits, best);
            } else {
                if (depth_ == 0) return true;
                down = turn(best);
            }
        }
    }

    // Log of the largest bound left unexplored when the budget ended.
    double log_open() const { return Scale::log(open_); }

  private:
    double threshold(const Best &best) const { return best.full() ? Scale::slack(best.worst()) : Scale::zero; }

    void try_component_mode(const Costs &costs, const Limits &limits, Best &best) {
        costs.best_mode(s_, y_.data());
        if (std::size_t(std::accumulate(y_.begin(), y_.end(), 0)) >= limits.min_labels)
            best.add(Scale::from_log(costs.log_prob(s_, y_.data(), work_.data()) - costs.reference), y_.data());
    }

    // Fixes what is certain and orders the other labels: the one whose worse value costs most comes first.
    void settle(const Best &best) {
        std::fill(y_.begin(), y_.end(), std::int8_t(-1));
        for (bool changed = true; changed;) {
            changed = false;
            reached_ = bounds_.settle(y_.data(), root_.data());
            for (std::size_t l = 0; l < s_.L && best.full(); ++l)
                if (y_[l] < 0 && !(worse(l) > threshold(best))) {
                    y_[l] = root_[2 * l + 1] > root_[2 * l];
                    changed = true;
                }
        }
        on_ = 0;
        order_.clear();
        for (std::size_t l = 0; l < s_.L; ++l) {
            if (y_[l] < 0) order_.push_back(l);
            else on_ += y_[l];
        }
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return worse(a) < worse(b); });
    }

    double worse(std::size_t l) const { return std::min(root_[2 * l], root_[2 * l + 1]); }

    // Goes to the better value of the next label, or reports that both are cut.
    bool descend(const Limits &limits, const Best &best) {
        double both[2];
        bounds_.both(depth_, order_[depth_], both);
        if (on_ + order_.size() - depth_ - 1 < limits.min_labels) both[0] = Scale::zero;
        const int y = both[1] > both[0];
        if (!(both[y] > threshold(best))) return false;
        alternative_[depth_] = both[1 - y];
        take(y, both[y]);
        return true;
    }

    void take(int y, double bound) {
        const std::size_t l = order_[depth_];
        bounds_.fix(depth_++, l, y);
        y_[l] = std::int8_t(y);
        on_ += y;
        reached_ = bound;
    }

    // Back to the last label decided: takes its other value if that can still win.
    bool turn(const Best &best) {
        const std::size_t l = order_[--depth_];
        bounds_.release(depth_, l);
        on_ -= y_[l];
        const double bound = alternative_[depth_];
        alternative_[depth_] = Scale::zero;
        if (!(bound > threshold(best))) return false;
        take(1 - y_[l], bound);
        return true;
    }

    bool stop() {
        open_ = reached_;
        for (std::size_t d = 0; d < depth_; ++d) open_ = std::max(open_, alternative_[d]);
        return false;
    }

    const Structure &s_;
    Bounds bounds_;
    std::vector<std::size_t> order_;
    std::vector<double> root_, alternative_;  // bounds (L, 2) at the root; bound of the value not taken yet
    std::vector<std::int8_t> y_;
    std::vector<double> work_;
    std::size_t depth_ = 0, on_ = 0;
    double reached_ = Scale::zero, open_ = Scale::zero;
};

struct RowAnswer {
    std::int8_t *labels;  // (k, L)
    double *log_prob;     // (k,)
    bool certified;
    double log_open;      // log of the largest bound left unexplored
    std::size_t nodes;
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

// Runs the fast search; where even the k-th best set underflows beside the best, the careful one.
template <class Fast, class Careful>
void search_row(const Costs &costs, const Limits &limits, Fast &fast, Careful &careful, Best &best,
                RowAnswer &answer) {
    answer.certified = fast.run(costs, limits, best);
    double open = fast.log_open();
    answer.nodes = fast.nodes;
    if (answer.certified && (!best.full() || Linear::underflows(best.worst()))) {
        answer.certified = careful.run(costs, limits, best);
        open = careful.log_open();
        answer.nodes = careful.nodes;
    }
    answer.log_open = open + costs.reference;
}

template <class T, class MakeFast, class MakeCareful>
void search_rows(const Forests<T> &f, const double *log_gate, const Limits &limits, MakeFast make_fast,
                 MakeCareful make_careful, std::int8_t *labels, double *log_prob, bool *certified, double *gap,
                 std::int64_t *nodes) {
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        Costs costs(f);
        auto fast = make_fast();
        auto careful = make_careful();
        Best best(limits.k, f.L);
        std::vector<std::pair<double, std::size_t>> ranked;
        std::vector<double> work(f.K);
        for (std::size_t i = begin; i < end; ++i) {
            RowAnswer answer{labels + i * limits.k * f.L, log_prob + i * limits.k, false, 0.0, 0};
            costs.set(f, f.row(i), log_gate + i * f.K);
            search_row(costs, limits, fast, careful, best, answer);
            write(f, costs, best, limits.k, answer, ranked, work.data());
            certified[i] = answer.certified;
            gap[i] = answer.certified ? 0.0 : answer.log_open - answer.log_prob[limits.k - 1];
            nodes[i] = std::int64_t(answer.nodes);
        }
    });
}

template <class T>
auto mixture_top_k(In<double, 2> log_gate, In<T, 4> logits, In<std::int32_t, 2> parents, In<std::int32_t, 2> order,
                   std::size_t k, std::size_t min_labels, std::size_t budget) {
    const Forests<T> f(logits, parents, order);
    auto labels = new_array<std::int8_t>({f.n, k, f.L});
    auto log_prob = new_array<double>({f.n, k}), gap = new_array<double>({f.n});
    auto certified = new_array<bool>({f.n});
    auto nodes = new_array<std::int64_t>({f.n});
    {
        nb::gil_scoped_release release;
        const Limits limits{k, min_labels, std::max(budget, f.L)};
        const Structure &s = f;
        auto rows = [&](auto fast, auto careful) {
            search_rows(f, log_gate.data(), limits, fast, careful, labels.data(), log_prob.data(), certified.data(),
                        gap.data(), nodes.data());
        };
        if (f.V == 1) {
            rows([&] { return Search<Linear, IndependentBounds<Linear>>(s, IndependentBounds<Linear>(s)); },
                 [&] { return Search<Logs, IndependentBounds<Logs>>(s, IndependentBounds<Logs>(s)); });
        } else {
            const Children children(s);
            rows([&] { return Search<Linear, ForestBounds<Linear>>(s, ForestBounds<Linear>(s, children)); },
                 [&] { return Search<Logs, ForestBounds<Logs>>(s, ForestBounds<Logs>(s, children)); });
        }
    }
    return nb::make_tuple(labels, log_prob, certified, gap, nodes);
}

}  // namespace

void register_forest_search(nb::module_ &m) { SETWISE_FOREST_DEF(m, mixture_top_k); }

}  // namespace setwise
