// Logits to probabilities, a whole row of tables at a time.
#include "forest.h"

namespace setwise {

namespace {

template <class T>
SETWISE_INLINE void log_sigmoids_of(std::size_t n, const T *z, double *log_p0, double *log_p1) {
    for (std::size_t i = 0; i < n; ++i) {
        const double s = double(z[i]);
        const double tail = log1p_unit(exp_nonpositive(s < 0 ? s : -s));
        log_p0[i] = (s > 0 ? -s : 0.0) - tail;
        log_p1[i] = (s < 0 ? s : 0.0) - tail;
    }
}

template <class T>
SETWISE_INLINE void sigmoids_of(std::size_t n, const T *z, double *p) {
    for (std::size_t i = 0; i < n; ++i) {
        const double s = double(z[i]);
        const double e = exp_nonpositive(s < 0 ? s : -s);
        p[i] = (s < 0 ? e : 1.0) / (1.0 + e);
    }
}

}  // namespace

SETWISE_DISPATCH void log_sigmoids(std::size_t n, const float *z, double *log_p0, double *log_p1) {
    log_sigmoids_of(n, z, log_p0, log_p1);
}
SETWISE_DISPATCH void log_sigmoids(std::size_t n, const double *z, double *log_p0, double *log_p1) {
    log_sigmoids_of(n, z, log_p0, log_p1);
}
SETWISE_DISPATCH void sigmoids(std::size_t n, const float *z, double *p) { sigmoids_of(n, z, p); }
SETWISE_DISPATCH void sigmoids(std::size_t n, const double *z, double *p) { sigmoids_of(n, z, p); }

SETWISE_DISPATCH void log_sigmoid_in_place(std::size_t n, double *z) {
    for (std::size_t i = 0; i < n; ++i) {
        const double s = z[i];
        z[i] = (s < 0 ? s : 0.0) - log1p_unit(exp_nonpositive(s < 0 ? s : -s));
    }
}

SETWISE_DISPATCH void exp_nonpositives(std::size_t n, double *x) {
    for (std::size_t i = 0; i < n; ++i) x[i] = exp_nonpositive(x[i]);
}

}  // namespace setwise
