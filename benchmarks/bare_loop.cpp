// The least work of a Gibbs site update: one uniform and one exponential. Built and timed by cdn.py.
#include <cmath>
#include <cstdint>

extern "C" std::int64_t bare_loop(std::int64_t updates, double logit) {
    std::uint64_t state = 1;
    std::int64_t on = 0;
    for (std::int64_t i = 0; i < updates; ++i) {
        state += 0x9E3779B97F4A7C15ull;
        std::uint64_t bits = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        const double u = double((bits ^ (bits >> 31)) >> 11) * 0x1.0p-53;
        on += u * (1.0 + std::exp(-(logit + 1e-9 * double(i & 1023)))) < 1.0;
    }
    return on;
}
