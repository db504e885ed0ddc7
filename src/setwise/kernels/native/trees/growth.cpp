// Regression trees for the Newton steps of boosting, grown on binned columns, the best split first.
//
// A split is chosen by the gain of the sums G of the gradient and H of the hessian over the rows of a node,
// G^2 / (H + penalty), among some features drawn for that node. Sums run over rows in their order, so that they are
// the same numbers in the NumPy twin.
#include <algorithm>
#include <numeric>
#include <vector>

#include "random_bits.h"
#include "tree.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kMostRows = std::size_t(1) << 32;  // the number of a row has 32 bits

struct Binned {  // column-major: the histogram of a column reads consecutive bytes
    const std::uint8_t *codes;
    const std::int32_t *sizes;
    std::size_t n_features, n_rows;

    const std::uint8_t *column(std::int32_t feature) const { return codes + std::size_t(feature) * n_rows; }
};

struct Limits {
    std::size_t n_draws, max_leaves;
    double min_weight, penalty;
};

struct Row {
    double gradient, hessian, weight;
    std::uint32_t row;
};

struct Cell {
    double gradient = 0.0, hessian = 0.0, weight = 0.0;
};

struct Node {
    std::size_t begin, end;  // its rows
    double gradient = 0.0, hessian = 0.0, weight = 0.0;
    double gain = 0.0;  // of its best split, empty if none helps
    std::int32_t feature = -1, bin = 0, left = -1, right = -1;
};

// Features in a random order that depends on the seed and the node only: a shuffle of which only the part that
// is needed is computed.
class Draws {
  public:
    Draws(std::size_t n_features, std::uint64_t key) : key_(key), order_(n_features) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    bool more() const { return n_drawn_ < order_.size(); }
    std::size_t n_drawn() const { return n_drawn_; }

    std::int32_t next() {
        const std::uint64_t bits = mixed(key_ + (n_drawn_ + 1) * kGolden) >> 32;
        std::swap(order_[n_drawn_], order_[n_drawn_ + ((bits * (order_.size() - n_drawn_)) >> 32)]);
        return order_[n_drawn_++];
    }

  private:
    std::uint64_t key_;
    std::size_t n_drawn_ = 0;
    std::vector<std::int32_t> order_;
};

class Growth {
  public:
    Growth(const Binned &binned, const Limits &limits, std::uint64_t seed, std::vector<Row> rows)
        : binned_(binned), limits_(limits), key_(mixed((seed + 1) * kGolden)), rows_(std::move(rows)),
          aside_(rows_.size()), cells_(kCodes) {}

    std::vector<Node> grow() {
        add_node(0, rows_.size());
        find_split(0);
        for (std::size_t n_leaves = 2; n_leaves <= limits_.max_leaves; ++n_leaves) {
            const auto best = std::max_element(nodes_.begin(), nodes_.end(), [](const Node &a, const Node &b) {
                return open_gain(a) < open_gain(b);
            });
            if (open_gain(*best) <= 0.0) break;
            split(std::size_t(best - nodes_.begin()));
            if (n_leaves == limits_.max_leaves) break;  // the last two leaves are not split
            find_split(nodes_.size() - 2);
            find_split(nodes_.size() - 1);
        }
        for (Node &node : nodes_)
            if (node.left < 0) node.feature = -1, node.bin = 0;
        return std::move(nodes_);
    }

  private:
    static double open_gain(const Node &node) { return node.left < 0 ? node.gain : 0.0; }

    double worth(double gradient, double hessian) const { return gradient * gradient / (hessian + limits_.penalty); }

    void add_node(std::size_t begin, std::size_t end) {
        Node node{begin, end};
        for (std::size_t i = begin; i < end; ++i) {
            node.gradient += rows_[i].gradient;
            node.hessian += rows_[i].hessian;
            node.weight += rows_[i].weight;
        }
        nodes_.push_back(node);
    }

    // At least n_draws features are tried, and more until one of them can split the rows at all.
    void find_split(std::size_t number) {
        Node &node = nodes_[number];
        if (node.weight < 2.0 * limits_.min_weight) return;
        Draws draws(binned_.n_features, mixed(key_ + number * kGolden));
        for (bool parts = false; draws.more() && (draws.n_drawn() < limits_.n_draws || !parts);) {
            const std::int32_t feature = draws.next();
            fill_histogram(node, feature);
            parts = try_bins(node, feature) || parts;
        }
    }

    void fill_histogram(const Node &node, std::int32_t feature) {
        std::fill_n(cells_.begin(), binned_.sizes[feature], Cell{});
        const std::uint8_t *column = binned_.column(feature);
        for (std::size_t i = node.begin; i < node.end; ++i) {
            Cell &cell = cells_[column[rows_[i].row]];
            cell.gradient += rows_[i].gradient;
            cell.hessian += rows_[i].hessian;
            cell.weight += rows_[i].weight;
        }
    }

    // Relative difference that counts as rounding, so that the first of equally good splits wins in any order of rows.
    static constexpr double kTie = 1e-12;

    // Whether any bin of the feature splits the node's rows; the best such split is kept if it is better.
    bool try_bins(Node &node, std::int32_t feature) const {
        const double whole = worth(node.gradient, node.hessian);
        bool parts = false;
        Cell left;
        for (std::int32_t bin = 0; bin + 1 < binned_.sizes[feature]; ++bin) {
            left.gradient += cells_[bin].gradient;
            left.hessian += cells_[bin].hessian;
            left.weight += cells_[bin].weight;
            if (left.weight < limits_.min_weight) continue;
            if (node.weight - left.weight < limits_.min_weight) break;
            parts = true;
            const double halves = worth(left.gradient, left.hessian) +
                                  worth(node.gradient - left.gradient, node.hessian - left.hessian);
            if (halves - whole > node.gain + kTie * halves) {
                node.gain = halves - whole;
                node.feature = feature;
                node.bin = bin;
            }
        }
        return parts;
    }

    // The rows of the left child come first; both children keep the order of the rows.
    void split(std::size_t number) {
        const Node node = nodes_[number];
        const std::uint8_t *column = binned_.column(node.feature);
        std::size_t n_left = node.begin, n_right = 0;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const bool left = column[rows_[i].row] <= node.bin;
            const Row row = rows_[i];
            // Both are written and one is kept: a branch would be random, and mispredicted.
            rows_[n_left] = row;
            aside_[n_right] = row;
            n_left += left;
            n_right += !left;
        }
        std::copy_n(aside_.begin(), n_right, rows_.begin() + n_left);
        nodes_[number].left = std::int32_t(nodes_.size());
        nodes_[number].right = std::int32_t(nodes_.size() + 1);
        add_node(node.begin, n_left);
        add_node(n_left, node.end);
    }

    const Binned &binned_;
    const Limits &limits_;
    std::uint64_t key_;
    std::vector<Row> rows_, aside_;
    std::vector<Cell> cells_;
    std::vector<Node> nodes_;
};

template <class T, class Field>
Out<T> column_of(const std::vector<Node> &nodes, Field field) {
    auto out = new_array<T>({nodes.size()});
    std::transform(nodes.begin(), nodes.end(), out.data(), [field](const Node &node) { return T(node.*field); });
    return out;
}

// Feature, last bin that goes left, left and right child, sum of the gradient and of the hessian of each node of a
// tree on `rows` (m,) of `codes` (d, n), whose feature f has the bins 0 to sizes[f] - 1. Each row counts as `weights`
// (m,) of them, and a leaf has at least min_weight. Parents come before their children; a leaf has the feature -1.
auto grow_tree(In<std::uint8_t, 2> codes, In<std::int32_t, 1> sizes, In<std::int64_t, 1> rows, In<double, 1> gradient,
               In<double, 1> hessian, In<double, 1> weights, std::uint64_t seed, std::size_t n_draws,
               std::size_t max_leaves, double min_weight, double penalty) {
    const std::size_t n_rows = rows.shape(0);
    check_shape("sizes", sizes, {codes.shape(0)});
    check_between("sizes", sizes, 1, kCodes);
    check_places("rows", rows, std::min(codes.shape(1), kMostRows));
    check_shape("gradient", gradient, {n_rows});
    check_shape("hessian", hessian, {n_rows});
    check_shape("weights", weights, {n_rows});
    std::vector<Node> nodes;
    {
        nb::gil_scoped_release release;
        std::vector<Row> weighted(n_rows);
        for (std::size_t i = 0; i < weighted.size(); ++i)
            weighted[i] = {gradient.data()[i], hessian.data()[i], weights.data()[i], std::uint32_t(rows.data()[i])};
        const Binned binned{codes.data(), sizes.data(), codes.shape(0), codes.shape(1)};
        const Limits limits{n_draws, max_leaves, min_weight, penalty};
        nodes = Growth(binned, limits, seed, std::move(weighted)).grow();
    }
    return nb::make_tuple(column_of<std::int32_t>(nodes, &Node::feature), column_of<std::int32_t>(nodes, &Node::bin),
                          column_of<std::int32_t>(nodes, &Node::left), column_of<std::int32_t>(nodes, &Node::right),
                          column_of<double>(nodes, &Node::gradient), column_of<double>(nodes, &Node::hessian));
}

}  // namespace

void register_tree_growth(nb::module_ &m) {
    m.def("grow_tree", &grow_tree, "codes"_a, "sizes"_a, "rows"_a, "gradient"_a, "hessian"_a, "weights"_a, "seed"_a,
          "n_draws"_a, "max_leaves"_a, "min_weight"_a, "penalty"_a);
}

}  // namespace setwise
