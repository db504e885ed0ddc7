// CSR matrix times dense matrix: scipy's is single-threaded, and the learners spend most of their time here.
#include <cstring>
#include <type_traits>

#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

constexpr std::size_t kWidest = 64;  // columns whose sums stay in registers while a row is read
constexpr std::size_t kRows = 64;    // rows of a block

// `Size` numbers that are added and multiplied at once. Compilers unroll loops of few steps before they vectorize
// them, and then do not: where the compiler has types for vectors, these are used.
#if defined(__GNUC__)
template <class T, std::size_t Size>
struct Lanes {
    typedef T type __attribute__((vector_size(Size * sizeof(T))));
};
#else
template <class T, std::size_t Size>
struct Lanes {
    struct type {
        T lane[Size];
    };
};
#endif

template <class T, std::size_t Size>
SETWISE_INLINE void add_scaled(typename Lanes<T, Size>::type &sum, T value, const T *other) {
    typename Lanes<T, Size>::type factor;
    std::memcpy(&factor, other, sizeof factor);
#if defined(__GNUC__)
    sum += value * factor;
#else
    for (std::size_t b = 0; b < Size; ++b) sum.lane[b] += value * factor.lane[b];
#endif
}

// Adds the products of some rows with Size * Count columns of `dense`, beginning with column `first` of B; if only
// `Some` are stored, not the first `done`.
template <std::size_t Size, std::size_t Count, bool Some, class T, class I>
SETWISE_INLINE void some_columns(std::size_t begin, std::size_t end, std::size_t first, std::size_t done, std::size_t B,
                                 const T *data, const I *indices, const I *indptr, const T *dense, T *out) {
    for (std::size_t i = begin; i < end; ++i) {
        typename Lanes<T, Size>::type sum[Count];
        T *row = out + i * B + first;
        std::memcpy(&sum, row, sizeof sum);
        for (I at = indptr[i]; at < indptr[i + 1]; ++at) {
            const T *other = dense + std::size_t(indices[at]) * B + first;
            for (std::size_t k = 0; k < Count; ++k) add_scaled<T, Size>(sum[k], data[at], other + k * Size);
        }
        if constexpr (Some) {  // through a copy: sums whose address is passed on would not stay in registers
            T sums[Size * Count];
            std::memcpy(sums, &sum, sizeof sum);
            std::memcpy(row + done, sums + done, sizeof sums - done * sizeof(T));
        } else {
            std::memcpy(row, &sum, sizeof sum);
        }
    }
}

// Columns [first, last), at most kWidest, in few parts: each reads the rows of the sparse matrix again.
template <class T, class I>
SETWISE_INLINE void some_rows(std::size_t begin, std::size_t end, std::size_t first, std::size_t last, std::size_t B,
                              const T *data, const I *indices, const I *indptr, const T *dense, T *out) {
    std::size_t at = first;
    const auto add = [&](auto size, auto count) {
        constexpr std::size_t Size = decltype(size)::value, Count = decltype(count)::value;
        for (; last - at >= Size * Count; at += Size * Count)
            some_columns<Size, Count, false>(begin, end, at, 0, B, data, indices, indptr, dense, out);
    };
    using std::integral_constant;
    constexpr std::size_t kLanes = 64 / sizeof(T);  // of the widest registers
    // The last columns in one full register, which begins with columns that are done.
    const auto finish = [&] {
        if (last == at || last - at >= kLanes || last < kLanes) return;
        some_columns<kLanes, 1, true>(begin, end, last - kLanes, kLanes - (last - at), B, data, indices, indptr, dense, out);
        at = last;
    };
    add(integral_constant<std::size_t, kLanes>{}, integral_constant<std::size_t, kWidest / kLanes>{});
    add(integral_constant<std::size_t, kLanes>{}, integral_constant<std::size_t, 2>{});
    add(integral_constant<std::size_t, kLanes>{}, integral_constant<std::size_t, 1>{});
    finish();
    add(integral_constant<std::size_t, kLanes / 2>{}, integral_constant<std::size_t, 1>{});
    add(integral_constant<std::size_t, kLanes / 4>{}, integral_constant<std::size_t, 1>{});
    add(integral_constant<std::size_t, 1>{}, integral_constant<std::size_t, 2>{});
    add(integral_constant<std::size_t, 1>{}, integral_constant<std::size_t, 1>{});
}

// target_clones cannot be put on templates.
#define SETWISE_CSR_ROWS(T, I)                                                                                     \
    SETWISE_DISPATCH void rows_of(std::size_t begin, std::size_t end, std::size_t first, std::size_t last,         \
                                  std::size_t B, const T *data, const I *indices, const I *indptr, const T *dense, \
                                  T *out) {                                                                        \
        some_rows(begin, end, first, last, B, data, indices, indptr, dense, out);                                  \
    }
SETWISE_CSR_ROWS(double, std::int32_t)
SETWISE_CSR_ROWS(float, std::int32_t)
SETWISE_CSR_ROWS(double, std::int64_t)
SETWISE_CSR_ROWS(float, std::int64_t)
#undef SETWISE_CSR_ROWS

// Checked block by block, just before the same indices are read for the product.
template <class I>
void check_rows(std::size_t begin, std::size_t end, const In<I, 1> &indices, const In<I, 1> &indptr, std::size_t d) {
    const I *at = indptr.data();
    bool rising = at[begin] >= 0 && std::size_t(at[end]) <= indices.shape(0);
    for (std::size_t i = begin; i < end; ++i) rising = rising && at[i] <= at[i + 1];
    if (!rising)
        throw std::invalid_argument("indptr must rise, at most to " + std::to_string(indices.shape(0)));
    const I *columns = indices.data() + at[begin];
    const std::size_t size = std::size_t(at[end] - at[begin]);
    if (size && (d == 0 || any_outside(columns, size, I(0), I(d - 1)))) check_places("indices", indices, d);
}

// Adds the product to `out`. All rows meet the first columns of `dense` before the next ones: these columns then stay in
// the cache, and reading the sparse matrix again costs little.
template <class T, class I>
void csr_add_product(In<T, 1> data, In<I, 1> indices, In<I, 1> indptr, In<T, 2> dense, InOut<T, 2> out) {
    check_at_least("the length of indptr", indptr.shape(0), 1);
    const std::size_t n = indptr.shape(0) - 1, B = dense.shape(1);
    check_shape("indices", indices, {data.shape(0)});
    check_shape("out", out, {n, B});
    nb::gil_scoped_release release;
    for (std::size_t first = 0; first < B || first == 0; first += kWidest)
        parallel_blocks(n, kRows, [&](std::size_t, std::size_t begin, std::size_t end) {
            if (first == 0) check_rows(begin, end, indices, indptr, dense.shape(0));
            rows_of(begin, end, first, std::min(B, first + kWidest), B, data.data(), indices.data(), indptr.data(),
                    dense.data(), out.data());
        });
}

}  // namespace

void register_sparse(nb::module_ &m) {
    const auto define = [&m](auto product) {
        m.def("csr_add_product", product, "data"_a, "indices"_a, "indptr"_a, "dense"_a, "out"_a);
    };
    define(&csr_add_product<double, std::int32_t>);
    define(&csr_add_product<float, std::int32_t>);
    define(&csr_add_product<double, std::int64_t>);
    define(&csr_add_product<float, std::int64_t>);
}

}  // namespace setwise
