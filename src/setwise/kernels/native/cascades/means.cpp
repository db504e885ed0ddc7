// Cascades by naive Bayes: mean inclusion of each label along draws, without keeping the draws.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr std::size_t kCascadeRows = 4;

SETWISE_DISPATCH
void add(const double *SETWISE_RESTRICT from, double *SETWISE_RESTRICT to, std::size_t m) {
    for (std::size_t l = 0; l < m; ++l) to[l] += from[l];
}

SETWISE_DISPATCH
void exponentials(const double *SETWISE_RESTRICT scores, double top, double *SETWISE_RESTRICT out, std::size_t m) {
    for (std::size_t l = 0; l < m; ++l) out[l] = exp_nonpositive(scores[l] - top);
}

// The first place where the running sum of `shares` exceeds the number in 0..1 times their sum.
std::size_t place(const double *shares, std::size_t m, double number) {
    double total = 0.0;
    for (std::size_t l = 0; l < m; ++l) total += shares[l];
    const double point = number * total;
    double sum = 0.0;
    std::size_t last = 0;
    for (std::size_t l = 0; l < m; ++l) {
        if (shares[l] > 0.0) last = l;
        if ((sum += shares[l]) > point) return l;
    }
    return last;
}

struct Steps {
    const double *sizes, *pairs;  // (L + 1, L) and (L, L)
    std::size_t L;
};

class CascadeMeans {
  public:
    explicit CascadeMeans(const Steps &steps) : steps_(steps), scores_(steps.L), shares_(steps.L) {}

    // Adds the labels of one draw of a size; the last label is not drawn, its probabilities are added.
    void draw(const double *labels, std::size_t size, const double *points, const double *angles, double *total) {
        const std::size_t L = steps_.L;
        std::copy_n(labels, L, scores_.begin());
        add(steps_.sizes + size * L, scores_.data(), L);
        for (std::size_t step = 0; step < size; ++step) {
            const double top = *std::max_element(scores_.begin(), scores_.end());
            if (top == kNone) return;
            exponentials(scores_.data(), top, shares_.data(), L);
            if (step + 1 == size) return spread(total);
            const double turned = points[step] + angles[step];
            const std::size_t chosen = place(shares_.data(), L, turned >= 1.0 ? turned - 1.0 : turned);
            total[chosen] += 1.0;
            add(steps_.pairs + chosen * L, scores_.data(), L);
            scores_[chosen] = kNone;
        }
    }

  private:
    void spread(double *total) const {
        double sum = 0.0;
        for (const double share : shares_) sum += share;
        for (std::size_t l = 0; l < steps_.L; ++l) total[l] += shares_[l] / sum;
    }

    const Steps &steps_;
    std::vector<double> scores_, shares_;
};

Out<double> cascade_means(In<double, 2> size_probs, In<double, 2> labels, In<double, 2> sizes, In<double, 2> pairs,
                          In<double, 2> points, In<double, 2> angles) {
    const std::size_t n = labels.shape(0), L = labels.shape(1), S = points.shape(0);
    check_shape("size_probs", size_probs, {n, L + 1});
    check_shape("sizes", sizes, {L + 1, L});
    check_shape("pairs", pairs, {L, L});
    check_shape("points", points, {S, L + 1});
    check_shape("angles", angles, {n, L + 1});
    check_at_least("the number of draws (axis 0 of points)", S, 1);
    auto result = new_array<double>({n, L});
    double *means = result.data();
    const Steps steps{sizes.data(), pairs.data(), L};
    nb::gil_scoped_release release;
    parallel_blocks(n, kCascadeRows, [&](std::size_t, std::size_t begin, std::size_t end) {
        CascadeMeans draws(steps);
        for (std::size_t i = begin; i < end; ++i) {
            double *mean = means + i * L;
            const double *angle = angles.data() + i * (L + 1);
            std::fill_n(mean, L, 0.0);
            for (std::size_t s = 0; s < S; ++s) {
                const double *point = points.data() + s * (L + 1);
                const double turned = point[0] + angle[0];
                const std::size_t size =
                    place(size_probs.data() + i * (L + 1), L + 1, turned >= 1.0 ? turned - 1.0 : turned);
                draws.draw(labels.data() + i * L, size, point + 1, angle + 1, mean);
            }
            for (std::size_t l = 0; l < L; ++l) mean[l] /= double(S);
        }
    });
    return result;
}

}  // namespace

void register_cascade_means(nb::module_ &m) {
    m.def("cascade_means", &cascade_means, "size_probs"_a, "labels"_a, "sizes"_a, "pairs"_a, "points"_a, "angles"_a);
}

}  // namespace setwise
