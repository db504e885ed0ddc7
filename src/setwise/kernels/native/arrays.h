// Array types for arguments from Python: on the CPU, of one dtype and number of dimensions, C-ordered, aligned.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <new>

namespace setwise {

namespace nb = nanobind;
using namespace nb::literals;

template <class T, int Dims>
using Contiguous = nb::ndarray<T, nb::ndim<Dims>, nb::c_contig, nb::device::cpu>;

// Only read. Python may pass any strides, which costs a copy, but no other dtype: a cast could change the values.
template <class T, int Dims>
struct In : Contiguous<const T, Dims> {};

// Also written to. A copy would be filled instead, so the array must fit as it is.
template <class T, int Dims>
struct InOut : Contiguous<T, Dims> {};

template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::c_contig>;

// A new, uninitialised NumPy array that owns its memory.
template <class T>
Out<T> new_array(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (std::size_t s : shape) {
        if (s && size > std::numeric_limits<std::size_t>::max() / s) throw std::bad_alloc();
        size *= s;
    }
    T *data = new T[size];
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return Out<T>(data, shape, owner);
}

}  // namespace setwise

namespace nanobind::detail {

// Whether `src` is an array that fits without a copy, which `array` then refers to.
template <class T, int Dims>
bool borrow_array(handle src, cleanup_list *cleanup, setwise::Contiguous<T, Dims> &array) noexcept {
    make_caster<setwise::Contiguous<T, Dims>> caster;
    if (!caster.from_python(src, 0, cleanup)) return false;
    if (reinterpret_cast<std::uintptr_t>(caster.value.data()) % alignof(T)) return false;
    array = std::move(caster.value);
    return true;
}

template <class T, int Dims>
struct type_caster<setwise::In<T, Dims>> {
    using Array = setwise::In<T, Dims>;
    using Strided = ndarray<const T, ndim<Dims>, device::cpu>;
    NB_TYPE_CASTER(Array, make_caster<Strided>::Name)

    template <class Flags>
    bool from_python(handle src, Flags flags, cleanup_list *cleanup) noexcept {
        if (borrow_array<const T, Dims>(src, cleanup, value)) return true;
        make_caster<Strided> strided;
        if (!(flags & Flags(cast_flags::convert)) || !strided.from_python(src, 0, cleanup)) return false;
        try {
            const object copy = module_::import_("numpy").attr("array")(src, arg("order") = "C");
            return borrow_array<const T, Dims>(copy, cleanup, value);
        } catch (...) {
            return false;
        }
    }
};

template <class T, int Dims>
struct type_caster<setwise::InOut<T, Dims>> {
    using Array = setwise::InOut<T, Dims>;
    using Base = setwise::Contiguous<T, Dims>;
    NB_TYPE_CASTER(Array, make_caster<Base>::Name)

    template <class Flags>
    bool from_python(handle src, Flags, cleanup_list *cleanup) noexcept {
        return borrow_array<T, Dims>(src, cleanup, value);
    }
};

}  // namespace nanobind::detail
