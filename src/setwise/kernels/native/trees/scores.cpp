// Regression trees at given rows: sums of many small ones, and one on binned columns.
#include "parallel.h"
#include "tree.h"
#include "vecmath.h"

namespace setwise {

namespace {

// Adds to out (n, E) the value of every tree at every row; tree t belongs to column ensemble[t] and starts at
// node root[t]. A node with feature -1 is a leaf; elsewhere rows with x <= threshold go left.
void tree_scores(In<double, 2> X, In<std::int32_t, 1> feature, In<double, 1> threshold, In<std::int32_t, 1> left,
                 In<std::int32_t, 1> right, In<double, 1> value, In<std::int32_t, 1> root,
                 In<std::int32_t, 1> ensemble, InOut<double, 2> out) {
    const std::size_t n = X.shape(0), d = X.shape(1), E = out.shape(1), n_trees = root.shape(0);
    const std::size_t n_nodes = feature.shape(0);
    check_tree(feature, left, right, value, d);
    check_shape("threshold", threshold, {n_nodes});
    check_places("root", root, n_nodes);
    check_shape("ensemble", ensemble, {n_trees});
    check_places("ensemble", ensemble, E);
    check_shape("out", out, {n, E});
    nb::gil_scoped_release release;
    parallel_blocks(n, 32, [&](std::size_t, std::size_t begin, std::size_t end) {
        // Trees in the outer loop, rows in the inner: the nodes of one tree stay in the L1 cache.
        for (std::size_t t = 0; t < n_trees; ++t) {
            double *column = out.data() + ensemble.data()[t];
            for (std::size_t i = begin; i < end; ++i) {
                const double *x = X.data() + i * d;
                std::int32_t node = root.data()[t];
                while (feature.data()[node] >= 0)
                    node = x[feature.data()[node]] <= threshold.data()[node] ? left.data()[node] : right.data()[node];
                column[i * E] += value.data()[node];
            }
        }
    });
}

// Moves the rows at a node to its children; all bytes, so that a vector holds many.
SETWISE_DISPATCH void send(std::size_t n, const std::uint8_t *SETWISE_RESTRICT column, std::uint8_t bin,
                           std::uint8_t node, std::uint8_t left, std::uint8_t right,
                           std::uint8_t *SETWISE_RESTRICT at) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t child = column[i] <= bin ? left : right;
        at[i] = at[i] == node ? child : at[i];
    }
}

// Adds to out (n,) the value of a tree's leaf at every row of `codes` (d, n). Node by node instead of row by
// row: a few passes over bytes cost less than a walk down the tree for every row.
void add_tree(In<std::uint8_t, 2> codes, In<std::int32_t, 1> feature, In<std::int32_t, 1> bin,
              In<std::int32_t, 1> left, In<std::int32_t, 1> right, In<double, 1> value, InOut<double, 1> out) {
    const std::size_t n = codes.shape(1), n_nodes = feature.shape(0);
    check_at_least("the number of nodes (length of feature)", n_nodes, 1);
    if (n_nodes > kCodes) throw std::invalid_argument("feature must have at most 256 nodes, got " + std::to_string(n_nodes));
    check_tree(feature, left, right, value, codes.shape(0));
    check_shape("bin", bin, {n_nodes});
    check_between("bin", bin, 0, kCodes - 1);
    check_shape("out", out, {n});
    nb::gil_scoped_release release;
    parallel_blocks(n, std::size_t(1) << 16, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<std::uint8_t> at(end - begin, 0);
        for (std::size_t k = 0; k < n_nodes; ++k)
            if (feature.data()[k] >= 0)
                send(at.size(), codes.data() + std::size_t(feature.data()[k]) * n + begin,
                     std::uint8_t(bin.data()[k]), std::uint8_t(k), std::uint8_t(left.data()[k]),
                     std::uint8_t(right.data()[k]), at.data());
        for (std::size_t i = begin; i < end; ++i) out.data()[i] += value.data()[at[i - begin]];
    });
}

}  // namespace

void register_tree_scores(nb::module_ &m) {
    m.def("tree_scores", &tree_scores, "X"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a, "value"_a, "root"_a,
          "ensemble"_a, "out"_a);
    m.def("add_tree", &add_tree, "codes"_a, "feature"_a, "bin"_a, "left"_a, "right"_a, "value"_a, "out"_a);
}

}  // namespace setwise
