// The extension module. Each file of kernels registers its own functions.
#include "arrays.h"
#include "parallel.h"

#define SETWISE_EACH_FILE(DO)                                                                              \
    DO(forest_messages) DO(forest_moments) DO(forest_sizes) DO(forest_size_moments) DO(forest_search)      \
    DO(forest_annealing) DO(chain_draws) DO(chain_means) DO(chain_beam) DO(chain_search) DO(cascade_means)  \
    DO(gibbs) DO(logistic) DO(lbfgs) DO(newton) DO(softmax) DO(sparse) DO(tree_growth) DO(tree_scores) DO(set_trees) DO(tree_leaves) DO(arff)

#define SETWISE_DECLARE(FILE) void register_##FILE(nb::module_ &m);
#define SETWISE_REGISTER(FILE) setwise::register_##FILE(m);

namespace setwise {
SETWISE_EACH_FILE(SETWISE_DECLARE)
}  // namespace setwise

NB_MODULE(_native, m) {
    m.def("set_threads", [](int n) { setwise::thread_count() = n; });
    SETWISE_EACH_FILE(SETWISE_REGISTER)
}
