#include "cpu/cholesky_block.hpp"

#include <cstddef>

namespace duoblas {
namespace {

// An upper triangle is computed as the lower one that it mirrors.
template <typename T>
int factorise(T* a, std::int64_t ld, std::int64_t order, Uplo uplo, T* own) {
  const std::int64_t down = uplo == Uplo::lower ? 1 : ld, across = uplo == Uplo::lower ? ld : 1;
  const std::int64_t own_ld = in_whole_vectors(order);
  for (std::int64_t j = 0; j < order; ++j)
    for (std::int64_t i = 0; i < own_ld; ++i)
      own[j * own_ld + i] = i >= j && i < order ? a[i * down + j * across] : T(0);
  const int info = panel_loops<T>().factorise_definite(own, own_ld, order);
  const std::int64_t done = info > 0 ? info - 1 : order;
  for (std::int64_t j = 0; j < done; ++j)
    for (std::int64_t i = j; i < order; ++i) a[i * down + j * across] = own[j * own_ld + i];
  return info;
}

}  // namespace

CholeskyBlock::CholeskyBlock(Precision precision, Uplo uplo, std::int64_t order)
    : precision_(precision),
      uplo_(uplo),
      memory_(panel_memory(static_cast<std::size_t>(in_whole_vectors(order) * order) *
                           element_size(precision))) {}

int CholeskyBlock::factorise(void* a, std::int64_t ld, std::int64_t order) {
  if (precision_ == Precision::d)
    return duoblas::factorise(static_cast<double*>(a), ld, order, uplo_,
                              static_cast<double*>(memory_.get()));
  return duoblas::factorise(static_cast<float*>(a), ld, order, uplo_,
                            static_cast<float*>(memory_.get()));
}

}  // namespace duoblas
