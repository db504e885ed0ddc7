// Randomized trees grown once for all labels: extremely randomized trees (Geurts, Ernst and Wehenkel 2006) on binned
// columns, whose leaves hold training rows.
//
// A node tries some of the features that vary among its rows, each at a random place, and takes the split that lowers
// the sum of squares of the rows' targets most. Targets are sparse: a row has few labels. Which features and places a
// node tries is a hash of its number and of the feature, so that neither the order of the rows nor the storage of X
// changes a tree.
#include <algorithm>
#include <limits>
#include <vector>

#include "parallel.h"
#include "random_bits.h"
#include "tree.h"

namespace setwise {

namespace {

// The bins of rows: full columns, or of each row the columns that it lists; the others have the code `absent`.
struct RowCodes {
    const std::uint8_t *codes;
    const std::int32_t *columns;  // rising in each row; null if columns are full
    const std::int64_t *bounds;
    const std::uint8_t *absent;
    std::size_t n_features, n_rows;

    const std::uint8_t *full_column(std::int32_t feature) const { return codes + std::size_t(feature) * n_rows; }
};

struct Targets {  // of each row: places and values
    const std::int64_t *bounds;
    const std::int32_t *places;
    const double *values;
    std::size_t n_places;
};

struct Rows {
    const std::int32_t *classes;  // rows of one class are never parted
    const double *weights;
};

struct Node {
    std::size_t begin, end;  // its rows
    double weight = 0.0;
    std::int32_t feature = -1, bin = 0, left = -1;  // the right child comes after the left
};

struct Candidate {
    std::uint64_t hash;
    std::int32_t feature;

    bool operator<(const Candidate &other) const {  // the smallest hash on top of a heap
        return hash != other.hash ? hash > other.hash : feature > other.feature;
    }
};

struct Cell {
    std::uint32_t place;  // of its row among the members
    std::uint8_t code;
};

// A column that rows of a node list.
struct Column {
    Candidate candidate;
    std::uint8_t least, most;
    std::vector<Cell> cells;
};

// The best split so far; none, if the weights are not positive numbers.
struct Best {
    double gain = -std::numeric_limits<double>::infinity();
    std::int32_t feature = -1;
    std::uint8_t bin = 0;
    std::size_t drawn = 0;
};

struct Listing {  // of a column in the rows of a node
    std::int64_t node = -1;
    std::uint32_t n_cells = 0;
    std::int32_t drawn = -1;
    std::uint8_t least = 255, most = 0;

    void add(std::uint8_t code) {
        ++n_cells;
        least = std::min(least, code);
        most = std::max(most, code);
    }
};

class SetTree {
  public:
    SetTree(const RowCodes &codes, const Targets &targets, const Rows &rows, std::uint64_t seed, std::size_t n_draws,
            std::vector<std::uint32_t> in_bag)
        : members(std::move(in_bag)), codes_(codes), targets_(targets), rows_(rows),
          key_(mixed((seed + 1) * kGolden)), n_draws_(n_draws), aside_(members.size()), chosen_(members.size()),
          column_(members.size()), products_(members.size()), sums_(targets.n_places, 0.0),
          side_(targets.n_places, 0.0), listings_(codes.columns ? codes.n_features : 0) {}

    void grow() {
        add_node(0, members.size());
        for (std::size_t number = 0; number < nodes.size(); ++number)
            if (!of_one_class(nodes[number])) find_split(number);
    }

    std::vector<std::uint32_t> members;
    std::vector<Node> nodes;

  private:
    static constexpr double kTie = 1e-9;

    void add_node(std::size_t begin, std::size_t end) {
        Node node{begin, end};
        for (std::size_t i = begin; i < end; ++i) node.weight += rows_.weights[members[i]];
        nodes.push_back(node);
    }

    bool of_one_class(const Node &node) const {
        for (std::size_t i = node.begin; i < node.end; ++i)
            if (rows_.classes[members[i]] != rows_.classes[members[node.begin]]) return false;
        return true;
    }

    void find_split(std::size_t number) {
        const Node node = nodes[number];
        const std::uint64_t key = mixed(key_ + number * kGolden);
        sum_targets(node);
        const Best best = codes_.columns ? try_listed(node, number, key) : try_full(node, key);
        for (std::size_t i = node.begin; i < node.end; ++i) clear(members[i], sums_);
        if (best.feature < 0) return;
        codes_.columns ? read_listed(node, drawn_[best.drawn]) : (void)read_full(node, best.feature);
        split(number, best);
    }

    void offer(std::int32_t feature, std::uint64_t key) {
        candidates_.push_back({mixed(key + std::uint64_t(feature + 1) * kGolden), feature});
    }

    Candidate take_candidate() {
        std::pop_heap(candidates_.begin(), candidates_.end());
        const Candidate candidate = candidates_.back();
        candidates_.pop_back();
        return candidate;
    }

    static std::uint8_t draw_bin(const Candidate &candidate, std::uint8_t least, std::uint8_t most) {
        return std::uint8_t(least + (((mixed(candidate.hash + kGolden) >> 32) * (most - least)) >> 32));
    }

    // Keeps a split that is clearly better, however the order of the rows rounds their sums.
    static void keep(Best &best, double gain, std::int32_t feature, std::uint8_t bin, std::size_t drawn) {
        if (gain > best.gain + kTie * std::max(1.0, std::abs(gain))) best = {gain, feature, bin, drawn};
    }

    Best try_full(const Node &node, std::uint64_t key) {
        candidates_.clear();
        for (std::size_t feature = 0; feature < codes_.n_features; ++feature) offer(std::int32_t(feature), key);
        std::make_heap(candidates_.begin(), candidates_.end());
        Best best;
        for (std::size_t n_tried = 0; n_tried < n_draws_ && !candidates_.empty();) {
            const Candidate candidate = take_candidate();
            const auto [least, most] = read_full(node, candidate.feature);
            if (least == most) continue;
            const std::uint8_t bin = draw_bin(candidate, least, most);
            choose_smaller_side(node, bin);
            keep(best, gain(node), candidate.feature, bin, n_tried++);
        }
        return best;
    }

    // Reads the codes of a node's rows, and returns the least and the largest.
    std::pair<std::uint8_t, std::uint8_t> read_full(const Node &node, std::int32_t feature) {
        const std::uint8_t *column = codes_.full_column(feature);
        std::uint8_t least = 255, most = 0;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const std::uint8_t code = column[members[i]];
            column_[i] = code;
            least = std::min(least, code);
            most = std::max(most, code);
        }
        return {least, most};
    }

    void choose_smaller_side(const Node &node, std::uint8_t bin) {
        std::size_t n_left = 0;
        for (std::size_t i = node.begin; i < node.end; ++i) n_left += column_[i] <= bin;
        const bool left = 2 * n_left <= node.end - node.begin;
        n_chosen_ = 0;
        // Written in any case and kept or not: a jump would be mispredicted half of the time.
        for (std::size_t i = node.begin; i + 1 < node.end; ++i) {
            chosen_[n_chosen_] = std::uint32_t(i);
            n_chosen_ += (column_[i] <= bin) == left;
        }
        if ((column_[node.end - 1] <= bin) == left) chosen_[n_chosen_++] = std::uint32_t(node.end - 1);
    }

    // Calls visit(place of the row, place of the cell) for the cells of all rows of a node.
    template <class Visit>
    void each_cell(const Node &node, Visit visit) const {
        for (std::size_t i = node.begin; i < node.end; ++i)
            for (std::int64_t c = codes_.bounds[members[i]]; c < codes_.bounds[members[i] + 1]; ++c) visit(i, c);
    }

    Best try_listed(const Node &node, std::size_t number, std::uint64_t key) {
        draw_listed(node, number, key);
        Best best;
        for (std::size_t c = 0; c < n_drawn_; ++c) {
            const Column &column = drawn_[c];
            const std::uint8_t bin = draw_bin(column.candidate, column.least, column.most);
            choose_listed_side(node, column, bin);
            keep(best, gain(node), column.candidate.feature, bin, c);
        }
        return best;
    }

    // Columns that vary are found by what the rows list, and only those drawn are read.
    void draw_listed(const Node &node, std::size_t number, std::uint64_t key) {
        candidates_.clear();
        each_cell(node, [&](std::size_t, std::int64_t c) {
            Listing &listing = listings_[codes_.columns[c]];
            if (listing.node != std::int64_t(number)) {
                listing = Listing{std::int64_t(number)};
                offer(codes_.columns[c], key);
            }
            listing.add(codes_.codes[c]);
        });
        std::make_heap(candidates_.begin(), candidates_.end());
        for (n_drawn_ = 0; n_drawn_ < n_draws_ && !candidates_.empty();) {
            const Candidate candidate = take_candidate();
            Listing &listing = listings_[candidate.feature];
            if (listing.n_cells < node.end - node.begin) listing.add(codes_.absent[candidate.feature]);
            if (listing.least == listing.most) continue;
            listing.drawn = std::int32_t(n_drawn_);
            if (n_drawn_ == drawn_.size()) drawn_.emplace_back();
            Column &column = drawn_[n_drawn_++];  // its memory is kept from node to node
            column.candidate = candidate;
            column.least = listing.least;
            column.most = listing.most;
            column.cells.clear();
        }
        each_cell(node, [&](std::size_t i, std::int64_t c) {
            const std::int32_t drawn = listings_[codes_.columns[c]].drawn;
            if (drawn >= 0) drawn_[drawn].cells.push_back({std::uint32_t(i), codes_.codes[c]});
        });
    }

    // Of the two sides, the one without the rows that list nothing: it needs no look at them.
    void choose_listed_side(const Node &node, const Column &column, std::uint8_t bin) {
        if (column.cells.size() == node.end - node.begin) {
            read_listed(node, column);
            return choose_smaller_side(node, bin);
        }
        const bool left = codes_.absent[column.candidate.feature] > bin;
        n_chosen_ = 0;
        for (const Cell &cell : column.cells)
            if ((cell.code <= bin) == left) chosen_[n_chosen_++] = cell.place;
    }

    void read_listed(const Node &node, const Column &column) {
        std::fill(column_.begin() + node.begin, column_.begin() + node.end, codes_.absent[column.candidate.feature]);
        for (const Cell &cell : column.cells) column_[cell.place] = cell.code;
    }

    // Sums of the targets in the node; of each row the product of its targets with them.
    void sum_targets(const Node &node) {
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const std::uint32_t row = members[i];
            for (std::int64_t t = targets_.bounds[row]; t < targets_.bounds[row + 1]; ++t)
                sums_[targets_.places[t]] += targets_.values[t] * rows_.weights[row];
        }
        squares_ = 0.0;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const std::uint32_t row = members[i];
            double product = 0.0;
            for (std::int64_t t = targets_.bounds[row]; t < targets_.bounds[row + 1]; ++t)
                product += targets_.values[t] * sums_[targets_.places[t]];
            products_[i] = product * rows_.weights[row];
            squares_ += products_[i];
        }
    }

    void clear(std::uint32_t row, std::vector<double> &sums) const {
        for (std::int64_t t = targets_.bounds[row]; t < targets_.bounds[row + 1]; ++t) sums[targets_.places[t]] = 0.0;
    }

    // How much the sum of squared means rises by parting the chosen rows from the rest.
    double gain(const Node &node) {
        double weight = 0.0, squares = 0.0, product = 0.0;
        for (std::size_t c = 0; c < n_chosen_; ++c) {
            const std::uint32_t row = members[chosen_[c]];
            const double w = rows_.weights[row];
            weight += w;
            product += products_[chosen_[c]];
            for (std::int64_t t = targets_.bounds[row]; t < targets_.bounds[row + 1]; ++t) {
                const double v = targets_.values[t] * w;
                double &sum = side_[targets_.places[t]];
                squares += v * (2.0 * sum + v);
                sum += v;
            }
        }
        for (std::size_t c = 0; c < n_chosen_; ++c) clear(members[chosen_[c]], side_);
        const double rest = squares_ - 2.0 * product + squares;
        return squares / weight + rest / (node.weight - weight) - squares_ / node.weight;
    }

    // Parts the rows by the column that was read. Those of the left child come first; in both they stay in order.
    void split(std::size_t number, const Best &best) {
        const Node node = nodes[number];
        std::size_t n_left = node.begin, n_right = 0;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const std::uint32_t row = members[i];
            const bool left = column_[i] <= best.bin;
            members[n_left] = row;
            aside_[n_right] = row;
            n_left += left;
            n_right += !left;
        }
        std::copy_n(aside_.begin(), n_right, members.begin() + n_left);
        nodes[number].feature = best.feature;
        nodes[number].bin = best.bin;
        nodes[number].left = std::int32_t(nodes.size());
        add_node(node.begin, n_left);
        add_node(n_left, node.end);
    }

    const RowCodes &codes_;
    const Targets &targets_;
    const Rows &rows_;
    std::uint64_t key_;
    std::size_t n_draws_, n_drawn_ = 0, n_chosen_ = 0;
    std::vector<std::uint32_t> aside_, chosen_;  // chosen_: places of the rows on the side that is summed
    std::vector<std::uint8_t> column_;           // codes of the column that is looked at
    std::vector<double> products_, sums_, side_;
    std::vector<Listing> listings_;
    std::vector<Candidate> candidates_;
    std::vector<Column> drawn_;
    double squares_ = 0.0;
};

struct Grown {  // trees one after the other
    std::vector<std::vector<Node>> nodes;
    std::vector<std::vector<std::uint32_t>> members;
};

template <class T, class Value>
Out<T> of_nodes(const Grown &trees, std::size_t size, Value value) {
    auto out = new_array<T>({size});
    T *at = out.data();
    std::size_t first_node = 0, first_member = 0;
    for (std::size_t t = 0; t < trees.nodes.size(); ++t) {
        for (const Node &node : trees.nodes[t]) *at++ = T(value(node, first_node, first_member));
        first_node += trees.nodes[t].size();
        first_member += trees.members[t].size();
    }
    return out;
}

nb::tuple as_arrays(const Grown &trees) {
    std::size_t n_nodes = 0, n_members = 0;
    auto root = new_array<std::int32_t>({trees.nodes.size()});
    for (std::size_t t = 0; t < trees.nodes.size(); ++t) {
        root.data()[t] = std::int32_t(n_nodes);
        n_nodes += trees.nodes[t].size();
        n_members += trees.members[t].size();
    }
    if (std::max(n_nodes, n_members) > std::size_t(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("the trees have too many nodes; grow fewer at a time");
    auto members = new_array<std::int32_t>({n_members});
    std::int32_t *at = members.data();
    for (const auto &own : trees.members) at = std::copy(own.begin(), own.end(), at);
    const auto left = [](const Node &node, std::size_t nodes, std::size_t) {
        return node.left < 0 ? -1 : node.left + std::int64_t(nodes);
    };
    return nb::make_tuple(
        root, of_nodes<std::int32_t>(trees, n_nodes, [](const Node &node, auto, auto) { return node.feature; }),
        of_nodes<std::int32_t>(trees, n_nodes, [](const Node &node, auto, auto) { return node.bin; }),
        of_nodes<std::int32_t>(trees, n_nodes, left),
        of_nodes<std::int32_t>(trees, n_nodes, [](const Node &node, auto, auto first) { return node.begin + first; }),
        of_nodes<std::int32_t>(trees, n_nodes, [](const Node &node, auto, auto first) { return node.end + first; }),
        of_nodes<double>(trees, n_nodes, [](const Node &node, auto, auto) { return node.weight; }), members);
}

void check_bounds(const char *name, const In<std::int64_t, 1> &bounds, std::size_t n_rows, std::size_t size) {
    check_shape(name, bounds, {n_rows + 1});
    const std::int64_t *b = bounds.data();
    bool right = b[0] == 0 && std::size_t(b[n_rows]) == size;
    for (std::size_t i = 0; i < n_rows; ++i) right = right && b[i] <= b[i + 1];
    if (!right) throw std::invalid_argument(name + (" must not fall, from 0 to " + std::to_string(size)));
}

// Places of every row rise, so that they can be searched.
void check_rising(const char *name, const In<std::int32_t, 1> &places, const In<std::int64_t, 1> &bounds) {
    for (std::size_t i = 0; i + 1 < bounds.shape(0); ++i)
        for (std::int64_t c = bounds.data()[i] + 1; c < bounds.data()[i + 1]; ++c)
            if (places.data()[c] <= places.data()[c - 1])
                refuse_entry(name, places, std::size_t(c), "rise within a row");
}

// T trees on the rows with in_bag (T, n) of n rows: root (T,) of each, and of all nodes in a row feature, last bin that
// goes left, left child (the right one comes next), begin and end of its rows in members, weight; members.
//
// Row i lists the columns bounds[i] to bounds[i + 1], rising, and their codes; if nothing is listed, codes may be those of
// all rows, column by column. Its targets are those from target_bounds[i] on. A leaf has the feature -1; parents come before their children.
nb::tuple grow_set_trees(In<std::uint8_t, 1> codes, In<std::int32_t, 1> columns, In<std::int64_t, 1> bounds,
                         In<std::uint8_t, 1> absent, In<std::int64_t, 1> target_bounds, In<std::int32_t, 1> targets,
                         In<double, 1> values, std::size_t n_targets, In<std::int32_t, 1> classes,
                         In<double, 1> weights, In<std::uint8_t, 2> in_bag, In<std::uint64_t, 1> seeds,
                         std::size_t n_draws) {
    const std::size_t n = classes.shape(0), d = absent.shape(0), n_trees = seeds.shape(0);
    if (n >= std::size_t(std::numeric_limits<std::int32_t>::max())) throw std::invalid_argument("classes has too many rows");
    check_bounds("bounds", bounds, n, columns.shape(0));
    const bool full = columns.shape(0) == 0 && codes.shape(0) == n * d;
    if (!full) {
        check_shape("codes", codes, {columns.shape(0)});
        check_places("columns", columns, d);
        check_rising("columns", columns, bounds);
    }
    check_bounds("target_bounds", target_bounds, n, targets.shape(0));
    check_places("targets", targets, n_targets);
    check_shape("values", values, {targets.shape(0)});
    check_shape("weights", weights, {n});
    check_shape("in_bag", in_bag, {n_trees, n});
    check_between("in_bag", in_bag, 0, 1);
    Grown trees{std::vector<std::vector<Node>>(n_trees), std::vector<std::vector<std::uint32_t>>(n_trees)};
    {
        nb::gil_scoped_release release;
        const RowCodes row_codes{codes.data(), full ? nullptr : columns.data(), bounds.data(), absent.data(), d,
                                 n};
        const Targets row_targets{target_bounds.data(), targets.data(), values.data(), n_targets};
        const Rows rows{classes.data(), weights.data()};
        parallel_blocks(n_trees, 1, [&](std::size_t t, std::size_t, std::size_t) {
            std::vector<std::uint32_t> members;
            for (std::size_t i = 0; i < n; ++i)
                if (in_bag.data()[t * n + i]) members.push_back(std::uint32_t(i));
            SetTree tree(row_codes, row_targets, rows, seeds.data()[t], n_draws, std::move(members));
            tree.grow();
            trees.nodes[t] = std::move(tree.nodes);
            trees.members[t] = std::move(tree.members);
        });
    }
    return as_arrays(trees);
}

}  // namespace

void register_set_trees(nb::module_ &m) {
    m.def("grow_set_trees", &grow_set_trees, "codes"_a, "columns"_a, "bounds"_a, "absent"_a, "target_bounds"_a,
          "targets"_a, "values"_a, "n_targets"_a, "classes"_a, "weights"_a, "in_bag"_a, "seeds"_a, "n_draws"_a);
}

}  // namespace setwise
