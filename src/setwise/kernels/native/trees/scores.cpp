// Sums of many small regression trees: thousands of ensembles of a few trees, over flat node arrays.
#include "arrays.h"
#include "parallel.h"

namespace setwise {

namespace {

// Adds to out (n, E) the value of every tree at every row; tree t belongs to column ensemble[t] and starts at
// node root[t]. A node with feature -1 is a leaf; elsewhere rows with x <= threshold go left.
void tree_scores(In<double, 2> X, In<std::int32_t, 1> feature, In<double, 1> threshold, In<std::int32_t, 1> left,
                 In<std::int32_t, 1> right, In<double, 1> value, In<std::int32_t, 1> root,
                 In<std::int32_t, 1> ensemble, InOut<double, 2> out) {
    const std::size_t n = X.shape(0), d = X.shape(1), E = out.shape(1), n_trees = root.shape(0);
    nb::gil_scoped_release release;
    parallel_blocks(n, 32, [&](std::size_t, std::size_t begin, std::size_t end) {
        // Trees outside, rows inside: the nodes of one tree stay in the first cache.
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

}  // namespace

void register_tree_scores(nb::module_ &m) { m.def("tree_scores", &tree_scores); }

}  // namespace setwise
