// The element-wise half of a softmax regression with soft targets.
#include <cmath>
#include <limits>
#include <vector>

#include "arrays.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kRows = 256;

// Rows [begin, end): scores z + t d, residual w p - h with w = sum of h, loss w log sum exp - h'z, curvature.
SETWISE_DISPATCH double softmax_rows(std::size_t begin, std::size_t end, std::size_t K, const double *z_in,
                                     const double *d, double t, const double *targets, double *z_out,
                                     double *residual, double *SETWISE_RESTRICT curvature) {
    double loss = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
        const double *SETWISE_RESTRICT h = targets + i * K;
        double *SETWISE_RESTRICT z = z_out + i * K, *SETWISE_RESTRICT r = residual + i * K;
        double top = -std::numeric_limits<double>::infinity(), weight = 0.0, total = 0.0, fit = 0.0;
        for (std::size_t k = 0; k < K; ++k) {
            z[k] = z_in[i * K + k] + t * d[i * K + k];
            top = z[k] > top ? z[k] : top;
            weight += h[k];
        }
        for (std::size_t k = 0; k < K; ++k) r[k] = exp_nonpositive(z[k] - top);
        for (std::size_t k = 0; k < K; ++k) total += r[k];
        for (std::size_t k = 0; k < K; ++k) fit += h[k] * (z[k] - top);
        loss += weight * std::log(total) - fit;
        const double scale = 1.0 / total;
        for (std::size_t k = 0; k < K; ++k) {
            const double p = r[k] * scale;
            curvature[k] += weight * p * (1.0 - p);
            r[k] = weight * p - h[k];
        }
    }
    return loss;
}

auto softmax_step(In<double, 2> z, In<double, 2> d, double t, In<double, 2> targets, InOut<double, 2> z_out,
                  InOut<double, 2> residual) {
    const std::size_t n = z.shape(0), K = z.shape(1), n_blocks = (n + kRows - 1) / kRows;
    auto curvature = new_array<double>({K});
    double loss = 0.0;
    {
        nb::gil_scoped_release release;
        std::vector<double> partial(n_blocks * (K + 1), 0.0);
        parallel_blocks(n, kRows, [&](std::size_t block, std::size_t begin, std::size_t end) {
            double *sums = partial.data() + block * (K + 1);
            sums[K] = softmax_rows(begin, end, K, z.data(), d.data(), t, targets.data(), z_out.data(),
                                   residual.data(), sums);
        });
        double *out = curvature.data();
        for (std::size_t k = 0; k < K; ++k) out[k] = 0.0;
        for (std::size_t block = 0; block < n_blocks; ++block) {
            for (std::size_t k = 0; k < K; ++k) out[k] += partial[block * (K + 1) + k];
            loss += partial[block * (K + 1) + K];
        }
    }
    return nb::make_tuple(loss, curvature);
}

}  // namespace

void register_softmax(nb::module_ &m) { m.def("softmax_step", &softmax_step); }

}  // namespace setwise
