// Where rows end in randomized trees, and the share of each label set among the training rows they meet there.
#include <algorithm>
#include <vector>

#include "parallel.h"
#include "tree.h"

namespace setwise {

namespace {

// A node as rows read it on their way: 16 bytes, so that a step costs one access to memory instead of four.
struct Step {
    double threshold;
    std::int32_t feature, left;  // no feature: rows stay here
};

constexpr std::int32_t CLOSED = -2;  // rows turn back to the parent
constexpr std::size_t LANES = 8;     // rows on their way through a tree together: one waits for memory, others walk

std::vector<Step> steps_of(In<std::int32_t, 1> root, In<std::int32_t, 1> feature, In<double, 1> threshold,
                           In<std::int32_t, 1> left, In<double, 1> weight, double min_weight) {
    const std::size_t n_nodes = feature.shape(0);
    std::vector<Step> steps(n_nodes);
    for (std::size_t node = 0; node < n_nodes; ++node) {
        if (feature.data()[node] >= 0 &&
            (left.data()[node] <= std::int64_t(node) || std::size_t(left.data()[node]) + 1 >= n_nodes))
            refuse_entry("left", left, node, "be after its parent and below " + std::to_string(n_nodes - 1));
        const bool open = weight.data()[node] >= min_weight;
        steps[node] = {threshold.data()[node], open ? feature.data()[node] : CLOSED, left.data()[node]};
    }
    for (std::size_t t = 0; t < root.shape(0); ++t) steps[root.data()[t]].feature = feature.data()[root.data()[t]];
    return steps;
}

// The places of `lanes` rows of d values, one after another from x, in the tree below `root`.
void walk(const std::vector<Step> &steps, std::int32_t root, const double *x, std::size_t d, std::size_t lanes,
          std::int32_t *place) {
    std::int32_t before[LANES];
    for (std::size_t k = 0; k < lanes; ++k) before[k] = place[k] = root;
    for (bool moving = true; moving;) {
        moving = false;
        for (std::size_t k = 0; k < lanes; ++k) {
            const Step &step = steps[place[k]];
            if (step.feature < 0) continue;
            before[k] = place[k];
            place[k] = step.left + !(x[k * d + step.feature] <= step.threshold);
            moving = true;
        }
    }
    for (std::size_t k = 0; k < lanes; ++k)
        if (steps[place[k]].feature == CLOSED) place[k] = before[k];
}

// The node (n, T) of each tree at which each row of X stays: the last one on its way whose weight is at least
// min_weight, or the root. A row with x <= threshold goes to the left child, any other to the one after it.
Out<std::int32_t> tree_leaves(In<double, 2> X, In<std::int32_t, 1> root, In<std::int32_t, 1> feature,
                              In<double, 1> threshold, In<std::int32_t, 1> left, In<double, 1> weight,
                              double min_weight) {
    const std::size_t n = X.shape(0), d = X.shape(1), n_trees = root.shape(0), n_nodes = feature.shape(0);
    check_places("root", root, n_nodes);
    check_between("feature", feature, -1, std::int64_t(d) - 1);
    check_shape("threshold", threshold, {n_nodes});
    check_shape("left", left, {n_nodes});
    check_shape("weight", weight, {n_nodes});
    const std::vector<Step> steps = steps_of(root, feature, threshold, left, weight, min_weight);
    auto out = new_array<std::int32_t>({n, n_trees});
    nb::gil_scoped_release release;
    parallel_blocks(n, 32, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::int32_t place[LANES];
        // Trees outside, rows inside: the upper nodes of one tree stay in the cache.
        for (std::size_t t = 0; t < n_trees; ++t)
            for (std::size_t i = begin; i < end; i += LANES) {
                const std::size_t lanes = std::min(LANES, end - i);
                walk(steps, root.data()[t], X.data() + i * d, d, lanes, place);
                for (std::size_t k = 0; k < lanes; ++k) out.data()[(i + k) * n_trees + t] = place[k];
            }
    });
    return out;
}

// Adds to out (n, M) the weights of the members of each row's leaves, each leaf summing to `share[i]`. The members of
// a node are places begin to end of `member` and `member_weight`; a leaf of -1 is passed over.
void add_members(In<std::int32_t, 2> leaves, In<std::int32_t, 1> begin, In<std::int32_t, 1> end,
                 In<double, 1> weight, In<std::int32_t, 1> member, In<double, 1> member_weight, In<double, 1> share,
                 InOut<double, 2> out) {
    const std::size_t n = leaves.shape(0), n_trees = leaves.shape(1), n_nodes = begin.shape(0), M = out.shape(1);
    check_between("leaves", leaves, -1, std::int64_t(n_nodes) - 1);
    check_between("begin", begin, 0, std::int64_t(member.shape(0)));
    check_shape("end", end, {n_nodes});
    check_between("end", end, 0, std::int64_t(member.shape(0)));
    check_shape("weight", weight, {n_nodes});
    check_places("member", member, M);
    check_shape("member_weight", member_weight, {member.shape(0)});
    check_shape("share", share, {n});
    check_shape("out", out, {n, M});
    nb::gil_scoped_release release;
    parallel_blocks(n, 8, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            double *row = out.data() + i * M;
            for (std::size_t t = 0; t < n_trees; ++t) {
                const std::int32_t leaf = leaves.data()[i * n_trees + t];
                if (leaf < 0) continue;
                const double scale = share.data()[i] / weight.data()[leaf];
                for (std::int32_t j = begin.data()[leaf]; j < end.data()[leaf]; ++j)
                    row[member.data()[j]] += scale * member_weight.data()[j];
            }
        }
    });
}

}  // namespace

void register_tree_leaves(nb::module_ &m) {
    m.def("tree_leaves", &tree_leaves, "X"_a, "root"_a, "feature"_a, "threshold"_a, "left"_a, "weight"_a,
          "min_weight"_a);
    m.def("add_members", &add_members, "leaves"_a, "begin"_a, "end"_a, "weight"_a, "member"_a, "member_weight"_a,
          "share"_a, "out"_a);
}

}  // namespace setwise
