// The extension module: each kernel file registers its own functions.
#include "arrays.h"
#include "parallel.h"

namespace setwise {
void register_arff(nb::module_ &m);
void register_gibbs(nb::module_ &m);
void register_logistic(nb::module_ &m);
void register_softmax(nb::module_ &m);
void register_sparse(nb::module_ &m);
void register_tree_growth(nb::module_ &m);
void register_trees(nb::module_ &m);
void register_forest_messages(nb::module_ &m);
void register_forest_moments(nb::module_ &m);
void register_forest_search(nb::module_ &m);
void register_forest_anneal(nb::module_ &m);
void register_forest_by_size(nb::module_ &m);
void register_chain_draws(nb::module_ &m);
void register_chain_beam(nb::module_ &m);
void register_chain_search(nb::module_ &m);
}  // namespace setwise

NB_MODULE(_native, m) {
    m.def("set_threads", [](int n) { setwise::thread_count() = n; });
    setwise::register_arff(m);
    setwise::register_gibbs(m);
    setwise::register_logistic(m);
    setwise::register_softmax(m);
    setwise::register_sparse(m);
    setwise::register_tree_growth(m);
    setwise::register_trees(m);
    setwise::register_forest_messages(m);
    setwise::register_forest_moments(m);
    setwise::register_forest_search(m);
    setwise::register_forest_anneal(m);
    setwise::register_forest_by_size(m);
    setwise::register_chain_draws(m);
    setwise::register_chain_beam(m);
    setwise::register_chain_search(m);
}
