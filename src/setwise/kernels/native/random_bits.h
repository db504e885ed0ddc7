// Counter-based random numbers: each is a hash of its position, so the order of work does not change it.
#pragma once

#include <cstdint>

#include "vecmath.h"

namespace setwise {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;

// Steele, Lea and Flood's finaliser.
SETWISE_INLINE std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
    return bits ^ (bits >> 31);
}

}  // namespace setwise
