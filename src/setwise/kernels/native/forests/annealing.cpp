// Simulated annealing over label sets by single-label flips; a flip changes one label and its children.
#include "forest.h"

namespace setwise {

namespace {

// log w_k + log p_k(y) of the current set. Terms of -inf are counted, so that a flip can undo them.
class State {
  public:
    State(const Structure &s, const Children &children)
        : s_(s), children_(children), log_p0_(s.tables()), log_p1_(s.tables()), y_(s.L), finite_(s.K),
          impossible_(s.K), work_(s.K) {}

    template <class T>
    void start(const T *logits, const double *log_gate, const std::int8_t *y) {
        log_sigmoids(s_.tables(), logits, log_p0_.data(), log_p1_.data());
        std::copy(y, y + s_.L, y_.begin());
        std::fill(finite_.begin(), finite_.end(), 0.0);
        std::fill(impossible_.begin(), impossible_.end(), 0);
        for (std::size_t k = 0; k < s_.K; ++k) {
            add(k, log_gate[k], 1);
            for (std::size_t l = 0; l < s_.L; ++l) add(k, term(k, l), 1);
        }
    }

    void flip(std::size_t l) {
        for (std::size_t k = 0; k < s_.K; ++k) family(k, l, -1);
        y_[l] = 1 - y_[l];
        for (std::size_t k = 0; k < s_.K; ++k) family(k, l, 1);
    }

    double log_prob() {
        for (std::size_t k = 0; k < s_.K; ++k) work_[k] = impossible_[k] ? -kInf : finite_[k];
        return log_sum(s_.K, work_.data());
    }

    const std::vector<std::int8_t> &labels() const { return y_; }

  private:
    double term(std::size_t k, std::size_t l) const {
        const std::int32_t p = s_.parents[k * s_.L + l];
        const std::size_t at = (k * s_.L + l) * s_.V + (p < 0 ? 0 : y_[p]);
        return y_[l] ? log_p1_[at] : log_p0_[at];
    }

    void add(std::size_t k, double term, int sign) {
        if (term == -kInf) impossible_[k] += sign;
        else finite_[k] += sign * term;
    }

    void family(std::size_t k, std::size_t l, int sign) {
        add(k, term(k, l), sign);
        const std::int32_t *at = children_.first.data() + k * (s_.L + 2) + l;
        for (std::int32_t c = at[0]; c < at[1]; ++c) add(k, term(k, children_.list[k * s_.L + c]), sign);
    }

    const Structure &s_;
    const Children &children_;
    std::vector<double> log_p0_, log_p1_;
    std::vector<std::int8_t> y_;
    std::vector<double> finite_;
    std::vector<std::int32_t> impossible_;
    std::vector<double> work_;
};

struct Schedule {
    const double *temperatures;
    std::size_t steps, min_labels;
};

// Flips one of the `free` labels at a time; returns the best set visited in `best`.
void anneal(State &state, const Schedule &schedule, const double *uniforms, const std::vector<std::size_t> &free,
            std::int8_t *best) {
    std::copy(state.labels().begin(), state.labels().end(), best);
    if (free.empty()) return;
    double value = state.log_prob(), best_value = value;
    std::size_t on = 0;
    for (std::int8_t y : state.labels()) on += y;
    for (std::size_t t = 0; t < schedule.steps; ++t) {
        const std::size_t l = free[std::min(free.size() - 1, std::size_t(uniforms[2 * t] * double(free.size())))];
        const std::size_t new_on = state.labels()[l] ? on - 1 : on + 1;
        if (new_on < schedule.min_labels && new_on < on) continue;
        state.flip(l);
        const double proposal = state.log_prob();
        if (proposal >= value || std::log(uniforms[2 * t + 1]) * schedule.temperatures[t] < proposal - value) {
            value = proposal;
            on = new_on;
            if (value > best_value) {
                best_value = value;
                std::copy(state.labels().begin(), state.labels().end(), best);
            }
        } else {
            state.flip(l);
        }
    }
}

template <class T>
Out<std::int8_t> mixture_anneal(In<double, 2> log_gate, In<T, 4> logits, In<std::int32_t, 2> parents,
                                In<std::int32_t, 2> order, In<std::int8_t, 2> evidence, In<std::int8_t, 2> start,
                                In<double, 3> uniforms, In<double, 1> temperatures, std::size_t min_labels) {
    const Forests<T> f(logits, parents, order);
    check_shape("log_gate", log_gate, {f.n, f.K});
    check_shape("evidence", evidence, {f.n, f.L});
    check_evidence("evidence", evidence);
    check_shape("start", start, {f.n, f.L});
    check_labels("start", start);
    check_shape("uniforms", uniforms, {f.n, temperatures.shape(0), 2});
    check_unit_interval("uniforms", uniforms);
    auto result = new_array<std::int8_t>({f.n, f.L});
    std::int8_t *out = result.data();
    const Schedule schedule{temperatures.data(), temperatures.shape(0), min_labels};
    nb::gil_scoped_release release;
    const Children children(f);
    parallel_blocks(f.n, kForestRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        State state(f, children);
        std::vector<std::size_t> free;
        for (std::size_t i = begin; i < end; ++i) {
            free.clear();
            for (std::size_t l = 0; l < f.L; ++l)
                if (evidence.data()[i * f.L + l] < 0) free.push_back(l);
            state.start(f.row(i), log_gate.data() + i * f.K, start.data() + i * f.L);
            anneal(state, schedule, uniforms.data() + i * 2 * schedule.steps, free, out + i * f.L);
        }
    });
    return result;
}

}  // namespace

void register_forest_annealing(nb::module_ &m) {
    SETWISE_FOREST_DEF(m, mixture_anneal, "log_gate"_a, "logits"_a, "parents"_a, "order"_a, "evidence"_a, "start"_a, "uniforms"_a,
                       "temperatures"_a, "min_labels"_a);
}

}  // namespace setwise
