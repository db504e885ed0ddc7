// The element-wise half of softmax regressions with soft targets.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kRows = 256;

constexpr std::size_t kTile = 16;

// Rows [first, first + rows) of the K columns of one problem of C in all: scores z + t d, residual w p - h with w = sum
// of h, loss w log sum exp - h'z, curvature, slope along d. The rows lie side by side in the innermost loops, so that sums over the
// classes need no reduction. `scratch` holds 2 K kTile values.
SETWISE_DISPATCH std::pair<double, double> softmax_tile(std::size_t first, std::size_t rows, std::size_t K, std::size_t C,
                                     const double *z_in, const double *d, double t, const double *targets,
                                     double *z_out, double *residual, double *curvature, double *scratch) {
    double *SETWISE_RESTRICT e = scratch, *SETWISE_RESTRICT h = scratch + K * kTile;
    double top[kTile], weight[kTile], total[kTile], fit[kTile], loss = 0.0, slope = 0.0;
    for (std::size_t r = 0; r < kTile; ++r) {
        top[r] = -std::numeric_limits<double>::infinity();
        weight[r] = total[r] = fit[r] = 0.0;
    }
    for (std::size_t r = 0; r < kTile; ++r) {
        // A tile that is not full repeats its last row, and the results of the copies are discarded.
        const std::size_t i = (first + (r < rows ? r : rows - 1)) * C;
        for (std::size_t k = 0; k < K; ++k) {
            const double z = z_in[i + k] + t * d[i + k];
            z_out[i + k] = z;
            e[k * kTile + r] = z;
            h[k * kTile + r] = targets[i + k];
        }
    }
    for (std::size_t k = 0; k < K; ++k)
        for (std::size_t r = 0; r < kTile; ++r) {
            top[r] = e[k * kTile + r] > top[r] ? e[k * kTile + r] : top[r];
            weight[r] += h[k * kTile + r];
        }
    for (std::size_t k = 0; k < K; ++k)
        for (std::size_t r = 0; r < kTile; ++r) {
            const double below = e[k * kTile + r] - top[r], value = exp_nonpositive(below);
            fit[r] += h[k * kTile + r] * below;
            total[r] += value;
            e[k * kTile + r] = value;
        }
    for (std::size_t r = 0; r < rows; ++r) loss += weight[r] * std::log(total[r]) - fit[r];
    for (std::size_t r = rows; r < kTile; ++r) weight[r] = 0.0;
    for (std::size_t r = 0; r < kTile; ++r) total[r] = 1.0 / total[r];
    for (std::size_t k = 0; k < K; ++k) {
        double bent[kTile];
        for (std::size_t r = 0; r < kTile; ++r) {
            const double p = e[k * kTile + r] * total[r];
            bent[r] = weight[r] * p * (1.0 - p);
            e[k * kTile + r] = weight[r] * p - h[k * kTile + r];
        }
        for (std::size_t half = kTile / 2; half > 0; half /= 2)
            for (std::size_t r = 0; r < half; ++r) bent[r] += bent[r + half];
        curvature[k] += bent[0];
    }
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t k = 0; k < K; ++k) {
            const std::size_t at = (first + r) * C + k;
            residual[at] = e[k * kTile + r];
            slope += e[k * kTile + r] * d[at];
        }
    return {loss, slope};
}

// Problem b has the columns first[b] to first[b + 1] and the step t[b]; only the problems `which` are evaluated.
auto softmax_step(In<double, 2> z, In<double, 2> d, In<double, 1> t, In<double, 2> targets, In<std::int32_t, 1> first,
                  In<std::int32_t, 1> which, InOut<double, 2> z_out, InOut<double, 2> residual) {
    const std::size_t n = z.shape(0), C = z.shape(1), B = t.shape(0), n_blocks = (n + kRows - 1) / kRows;
    check_shape("d", d, {n, C});
    check_shape("targets", targets, {n, C});
    check_shape("first", first, {B + 1});
    check_parts("first", first, C);
    check_places("which", which, B);
    check_shape("z_out", z_out, {n, C});
    check_shape("residual", residual, {n, C});
    auto loss = new_array<double>({B}), curvature = new_array<double>({C}), slope = new_array<double>({B});
    {
        nb::gil_scoped_release release;
        std::vector<double> partial(n_blocks * (C + 2 * B), 0.0);
        parallel_blocks(n, kRows, [&](std::size_t block, std::size_t begin, std::size_t end) {
            double *sums = partial.data() + block * (C + 2 * B);
            std::vector<double> scratch(2 * C * kTile);
            // All problems of a tile before the next tile: its rows stay in the cache.
            for (std::size_t row = begin; row < end; row += kTile)
                for (std::size_t m = 0; m < which.shape(0); ++m) {
                    const std::size_t b = which.data()[m], at = first.data()[b], K = first.data()[b + 1] - at;
                    const auto [tile_loss, tile_slope] =
                        softmax_tile(row, std::min(kTile, end - row), K, C, z.data() + at, d.data() + at, t.data()[b],
                                     targets.data() + at, z_out.data() + at, residual.data() + at, sums + at,
                                     scratch.data());
                    sums[C + b] += tile_loss;
                    sums[C + B + b] += tile_slope;
                }
        });
        for (std::size_t c = 0; c < C; ++c) curvature.data()[c] = 0.0;
        for (std::size_t b = 0; b < B; ++b) loss.data()[b] = slope.data()[b] = 0.0;
        for (std::size_t block = 0; block < n_blocks; ++block) {
            const double *sums = partial.data() + block * (C + 2 * B);
            for (std::size_t c = 0; c < C; ++c) curvature.data()[c] += sums[c];
            for (std::size_t b = 0; b < B; ++b) {
                loss.data()[b] += sums[C + b];
                slope.data()[b] += sums[C + B + b];
            }
        }
    }
    return nb::make_tuple(loss, curvature, slope);
}

}  // namespace

void register_softmax(nb::module_ &m) {
    m.def("softmax_step", &softmax_step, "z"_a, "d"_a, "t"_a, "targets"_a, "first"_a, "which"_a, "z_out"_a,
          "residual"_a);
}

}  // namespace setwise
