// exp and log1p that the compiler can vectorize: no branches, no library calls.
// Each loop that uses them is compiled once per CPU level (SETWISE_DISPATCH) and chosen at load time.
#pragma once

#include <cstdint>
#include <cstring>

// (Not under AddressSanitizer: the choice would be made before it is ready.)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define SETWISE_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SETWISE_DISPATCH
#endif
#if defined(_MSC_VER)
#define SETWISE_RESTRICT __restrict
#else
#define SETWISE_RESTRICT __restrict__
#endif
#if defined(__GNUC__)
#define SETWISE_INLINE inline __attribute__((always_inline))
#else
#define SETWISE_INLINE inline
#endif

namespace setwise {

// exp(x) for x <= 0, relative error below 2e-15; 0 below -708 (where exp is subnormal) and at -inf.
SETWISE_INLINE double exp_nonpositive(double x) {
    const double clipped = x < -708.0 ? -708.0 : x;
    // 2^k by adding a magic number: k lands in the low bits of the sum.
    const double magic = 6755399441055744.0;  // 1.5 * 2^52
    const double shifted = clipped * 1.4426950408889634 + magic;
    const double k = shifted - magic;
    double r = clipped - k * 6.93145751953125e-1;
    r -= k * 1.42860682030941723212e-6;
    double p = 2.08767569878681e-9;             // 1/12!
    p = p * r + 2.50521083854417188e-8;
    p = p * r + 2.75573192239858907e-7;
    p = p * r + 2.75573192239858907e-6;
    p = p * r + 2.48015873015873016e-5;
    p = p * r + 1.98412698412698413e-4;
    p = p * r + 1.38888888888888889e-3;
    p = p * r + 8.33333333333333333e-3;
    p = p * r + 4.16666666666666667e-2;
    p = p * r + 1.66666666666666667e-1;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    std::uint64_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    const std::uint64_t scale_bits = (bits + 1023) << 52;
    double scale;
    std::memcpy(&scale, &scale_bits, sizeof scale);
    return x < -708.0 ? 0.0 : p * scale;
}

// log(1 + u) for 0 <= u <= 1, absolute error below 4e-16: one halving step, then the series of
// atanh(s) = s + s^3/3 + ... with s = (m - 1)/(m + 1), |s| <= 0.1716.
SETWISE_INLINE double log1p_unit(double u) {
    const bool large = u > 0.41421356237309515;  // 1 + u > sqrt(2)
    const double num = large ? u - 1.0 : u;      // m - 1 times 1 or 2
    const double den = large ? u + 3.0 : u + 2.0;
    const double s = num / den, q = s * s;
    double p = 1.0 / 21.0;
    p = p * q + 1.0 / 19.0;
    p = p * q + 1.0 / 17.0;
    p = p * q + 1.0 / 15.0;
    p = p * q + 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    return 2.0 * (s + s * q * p) + (large ? 0.6931471805599453 : 0.0);
}

// The same in single precision, twice as many lanes and half the terms: relative error below 2e-7.
SETWISE_INLINE float exp_nonpositive(float x) {
    const float clipped = x < -87.0f ? -87.0f : x;
    const float magic = 12582912.0f;  // 1.5 * 2^23
    const float shifted = clipped * 1.44269504f + magic;
    const float k = shifted - magic;
    float r = clipped - k * 6.93359375e-1f;
    r -= k * -2.12194440e-4f;
    float p = 1.3888889e-3f;  // 1/6!
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    std::uint32_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    const std::uint32_t scale_bits = (bits + 127) << 23;
    float scale;
    std::memcpy(&scale, &scale_bits, sizeof scale);
    return x < -87.0f ? 0.0f : p * scale;
}

SETWISE_INLINE float log1p_unit(float u) {
    const bool large = u > 0.41421356f;
    const float num = large ? u - 1.0f : u;
    const float den = large ? u + 3.0f : u + 2.0f;
    const float s = num / den, q = s * s;
    float p = 1.0f / 9.0f;
    p = p * q + 1.0f / 7.0f;
    p = p * q + 1.0f / 5.0f;
    p = p * q + 1.0f / 3.0f;
    return 2.0f * (s + s * q * p) + (large ? 0.69314718f : 0.0f);
}

// log(x) for normal positive x, relative error below 1e-15 away from 1: exponent and mantissa apart, the
// exponent turned into a double by placing it in the low bits of 2^52, then the series of log1p_unit.
SETWISE_INLINE double log_positive(double x) {
    std::int64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const std::int64_t exponent_bits = (bits >> 52) | 0x4330000000000000ll;
    const std::int64_t mantissa_bits = (bits & 0x000FFFFFFFFFFFFFll) | 0x3FF0000000000000ll;
    double exponent, mantissa;
    std::memcpy(&exponent, &exponent_bits, sizeof exponent);
    std::memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
    return (exponent - 4503599627371519.0) * 0.6931471805599453 + log1p_unit(mantissa - 1.0);
}

}  // namespace setwise
