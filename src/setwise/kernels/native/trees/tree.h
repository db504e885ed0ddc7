// What the kernels of trees share: nodes as flat arrays. A node with feature -1 is a leaf.
#pragma once

#include "checks.h"

namespace setwise {

constexpr std::size_t kCodes = 256;  // codes of binned values are bytes

inline void check_children(const char *name, const In<std::int32_t, 1> &child, const In<std::int32_t, 1> &feature) {
    const std::int32_t *to = child.data(), *f = feature.data(), end = std::int32_t(feature.shape(0));
    const auto wrong = [=](std::int32_t node) { return (f[node] >= 0) & ((to[node] <= node) | (to[node] >= end)); };
    std::int32_t any = 0;
    for (std::int32_t node = 0; node < end; ++node) any |= wrong(node);
    for (std::int32_t node = 0; any && node < end; ++node)
        if (wrong(node)) refuse_entry(name, child, node, "be after its parent and below " + std::to_string(end));
}

// Features exist, and the children of a node come after it: every walk ends at a leaf.
inline void check_tree(const In<std::int32_t, 1> &feature, const In<std::int32_t, 1> &left,
                       const In<std::int32_t, 1> &right, const In<double, 1> &value, std::size_t n_features) {
    const std::size_t n_nodes = feature.shape(0);
    if (n_nodes > std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("feature has too many nodes");
    check_shape("left", left, {n_nodes});
    check_shape("right", right, {n_nodes});
    check_shape("value", value, {n_nodes});
    check_between("feature", feature, -1, std::int64_t(n_features) - 1);
    check_children("left", left, feature);
    check_children("right", right, feature);
}

}  // namespace setwise
