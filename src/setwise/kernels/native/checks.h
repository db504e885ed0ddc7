// Arguments from Python are checked once per call, before any of them is used as an index: a wrong one
// is a ValueError that names the argument, never a read out of bounds. The twins check the same (kernels/checks.py).
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "arrays.h"

namespace setwise {

inline std::string joined(const std::vector<std::size_t> &values) {
    std::string text;
    for (std::size_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
}

// As Python writes a tuple.
inline std::string as_shape(const std::vector<std::size_t> &shape) {
    return "(" + joined(shape) + (shape.size() == 1 ? ",)" : ")");
}

template <class Array>
std::vector<std::size_t> shape_of(const Array &array) {
    std::vector<std::size_t> shape(array.ndim());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) shape[axis] = array.shape(axis);
    return shape;
}

template <class Array>
void check_shape(const char *name, const Array &array, std::initializer_list<std::size_t> shape) {
    std::size_t axis = 0;
    bool right = array.ndim() == shape.size();
    for (std::size_t size : shape) right = right && array.shape(axis++) == size;
    if (!right)
        throw std::invalid_argument(name + (" must have shape " + as_shape(shape)) + ", got " +
                                    as_shape(shape_of(array)));
}

inline void check_at_least(const char *name, std::size_t value, std::size_t least) {
    if (value < least)
        throw std::invalid_argument(name + (" must be at least " + std::to_string(least)) + ", got " +
                                    std::to_string(value));
}

// Says which entry of an array is wrong.
template <class Array>
[[noreturn]] void refuse_entry(const char *name, const Array &array, std::size_t at, const std::string &rule) {
    std::vector<std::size_t> place(array.ndim());
    std::size_t rest = at;
    for (std::size_t axis = place.size(); axis-- > 0; rest /= array.shape(axis)) place[axis] = rest % array.shape(axis);
    throw std::invalid_argument(name + (" must " + rule) + ", got " + std::to_string(array.data()[at]) + " at [" +
                                joined(place) + "]");
}

// Whether any entry is out of range; without branches, so that the compiler vectorizes it.
template <class T>
bool any_outside(const T *values, std::size_t size, T low, T high) {
    using Bits = std::make_unsigned_t<T>;
    const Bits range = Bits(Bits(high) - Bits(low));
    Bits outside = 0;
    for (std::size_t i = 0; i < size; ++i) outside |= Bits(Bits(Bits(values[i]) - Bits(low)) > range);
    return outside;
}

// Every entry is at least `low` and at most `high`, which are values of the array's dtype; none is, if low > high.
template <class T, int Dims>
void check_between(const char *name, const In<T, Dims> &array, std::int64_t low, std::int64_t high) {
    const std::size_t size = array.size();
    if (size == 0 || (low <= high && !any_outside(array.data(), size, T(low), T(high)))) return;
    const T *first = std::find_if(array.data(), array.data() + size,
                                  [=](T value) { return std::int64_t(value) < low || std::int64_t(value) > high; });
    refuse_entry(name, array, std::size_t(first - array.data()),
                 "be between " + std::to_string(low) + " and " + std::to_string(high));
}

// Indices into an axis of `size` entries.
template <class T, int Dims>
void check_places(const char *name, const In<T, Dims> &array, std::size_t size) {
    check_between(name, array, 0, std::int64_t(size) - 1);
}

template <int Dims>
void check_labels(const char *name, const In<std::int8_t, Dims> &array) {
    check_between(name, array, 0, 1);
}

// -1 is a label that is free.
template <int Dims>
void check_evidence(const char *name, const In<std::int8_t, Dims> &array) {
    check_between(name, array, -1, 1);
}

// Uniform random numbers that become indices; also refuses NaN.
template <int Dims>
void check_unit_interval(const char *name, const In<double, Dims> &array) {
    const double *first = array.data(), *end = first + array.size();
    const double *wrong = std::find_if(first, end, [](double value) { return !(value >= 0.0 && value <= 1.0); });
    if (wrong != end) refuse_entry(name, array, std::size_t(wrong - first), "be between 0 and 1");
}

// Bounds of consecutive parts of an axis, none of them empty: they rise from 0 to `size`.
inline void check_parts(const char *name, const In<std::int32_t, 1> &first, std::size_t size) {
    const std::size_t n = first.shape(0);
    const std::int32_t *bounds = first.data();
    bool right = n > 0 && bounds[0] == 0 && std::size_t(bounds[n - 1]) == size;
    for (std::size_t b = 1; b < n; ++b) right = right && bounds[b - 1] < bounds[b];
    if (!right) throw std::invalid_argument(name + (" must rise from 0 to " + std::to_string(size)));
}

}  // namespace setwise
