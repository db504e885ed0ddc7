// CSR matrix times dense matrix: scipy's is single-threaded, and the learners spend most of their time here.
#include "checks.h"
#include "parallel.h"
#include "vecmath.h"

namespace setwise {

namespace {

template <class T, class I>
SETWISE_INLINE void some_rows(std::size_t begin, std::size_t end, std::size_t B, const T *data, const I *indices,
                              const I *indptr, const T *dense, T *out) {
    for (std::size_t i = begin; i < end; ++i) {
        T *SETWISE_RESTRICT row = out + i * B;
        for (std::size_t b = 0; b < B; ++b) row[b] = T(0);
        for (I at = indptr[i]; at < indptr[i + 1]; ++at) {
            const T value = data[at];
            const T *SETWISE_RESTRICT other = dense + std::size_t(indices[at]) * B;
            for (std::size_t b = 0; b < B; ++b) row[b] += value * other[b];
        }
    }
}

// target_clones cannot be put on templates.
#define SETWISE_CSR_ROWS(T, I)                                                                                     \
    SETWISE_DISPATCH void rows_of(std::size_t begin, std::size_t end, std::size_t B, const T *data,                \
                                  const I *indices, const I *indptr, const T *dense, T *out) {                     \
        some_rows(begin, end, B, data, indices, indptr, dense, out);                                               \
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

template <class T, class I>
Out<T> csr_matmul(In<T, 1> data, In<I, 1> indices, In<I, 1> indptr, In<T, 2> dense) {
    check_at_least("the length of indptr", indptr.shape(0), 1);
    const std::size_t n = indptr.shape(0) - 1, B = dense.shape(1);
    check_shape("indices", indices, {data.shape(0)});
    auto out = new_array<T>({n, B});
    nb::gil_scoped_release release;
    parallel_blocks(n, 64, [&](std::size_t, std::size_t begin, std::size_t end) {
        check_rows(begin, end, indices, indptr, dense.shape(0));
        rows_of(begin, end, B, data.data(), indices.data(), indptr.data(), dense.data(), out.data());
    });
    return out;
}

}  // namespace

void register_sparse(nb::module_ &m) {
    const auto define = [&m](auto product) {
        m.def("csr_matmul", product, "data"_a, "indices"_a, "indptr"_a, "dense"_a);
    };
    define(&csr_matmul<double, std::int32_t>);
    define(&csr_matmul<float, std::int32_t>);
    define(&csr_matmul<double, std::int64_t>);
    define(&csr_matmul<float, std::int64_t>);
}

}  // namespace setwise
