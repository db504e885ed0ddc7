// What the kernels of linear chains share: the logit of position j is offsets[j] plus coupling[i, j] for every
// earlier position i that is on.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::size_t kChainRows = 16;

struct LogPair {
    double off, on;  // log P(y = 0), log P(y = 1)
};

inline LogPair log_pair(double logit) {
    const double low = -std::log1p(std::exp(-std::fabs(logit)));
    return logit > 0 ? LogPair{low - logit, low} : LogPair{low, low + logit};
}

struct Coupling {
    const double *values;
    std::size_t L;

    Coupling(const In<double, 2> &coupling, std::size_t L) : values(coupling.data()), L(L) {
        check_shape("coupling", coupling, {L, L});
    }

    const double *row(std::size_t i) const { return values + i * L; }

    // The logit of `position` after the labels y[0..position).
    double logit(const double *offsets, const std::int8_t *y, std::size_t position) const {
        double z = offsets[position];
        for (std::size_t i = 0; i < position; ++i)
            if (y[i]) z += values[i * L + position];
        return z;
    }
};

}  // namespace setwise
