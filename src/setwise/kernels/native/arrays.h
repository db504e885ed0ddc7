// Array types that cross the border to Python: C-ordered, on the CPU, exact dtypes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace setwise {

namespace nb = nanobind;

template <class T, int Dims>
using In = nb::ndarray<const T, nb::ndim<Dims>, nb::c_contig, nb::device::cpu>;
template <class T, int Dims>
using InOut = nb::ndarray<T, nb::ndim<Dims>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::c_contig>;

// A new, uninitialised NumPy array that owns its memory.
template <class T>
Out<T> new_array(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (std::size_t s : shape) size *= s;
    T *data = new T[size];
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return Out<T>(data, shape, owner);
}

}  // namespace setwise
