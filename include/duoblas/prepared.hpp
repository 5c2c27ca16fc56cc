// A matrix that several products use, copied to the GPU once.
#ifndef DUOBLAS_PREPARED_HPP
#define DUOBLAS_PREPARED_HPP

#include <complex>
#include <cstdint>
#include <memory>

#include <duoblas/export.hpp>
#include <duoblas/types.hpp>

namespace duoblas {

struct PreparedState;

/// The result of Context::prepare: A B, A C and A D then copy A once. Move-only; any number of
/// threads may multiply with one. The CPU side reads the caller's memory in every product, so that
/// must stay in place and unchanged as long as this object lives. Destroy it before main() ends.
template <typename T>
class Prepared {
 public:
  Prepared() noexcept = default;
  Prepared(Prepared&&) noexcept = default;
  Prepared& operator=(Prepared&&) noexcept = default;

  /// Whether there is a copy on the device. There is none if the device shares the host's memory,
  /// has not enough of its own, or does not compute; and none in a forked child. Products are then
  /// as with plain operands.
  bool on_device() const noexcept;

 private:
  friend class Context;
  explicit Prepared(std::shared_ptr<const PreparedState> state) noexcept;
  std::shared_ptr<const PreparedState> state_;
};

/// An operand of a product: memory with its leading dimension, {a, lda}; or a prepared matrix,
/// which must outlive the call.
template <typename T>
class Operand {
 public:
  Operand(const T* data, std::int64_t ld) : data_(data), ld_(ld) {}
  Operand(const Prepared<T>& prepared) : prepared_(&prepared) {}

 private:
  friend class Context;
  const T* data_ = nullptr;
  std::int64_t ld_ = 0;
  const Prepared<T>* prepared_ = nullptr;
};

extern template class DUOBLAS_API Prepared<float>;
extern template class DUOBLAS_API Prepared<double>;
extern template class DUOBLAS_API Prepared<std::complex<float>>;
extern template class DUOBLAS_API Prepared<std::complex<double>>;

/// The type of A or B of a product: {a, lda} or a Prepared<T>.
template <typename T>
using OperandOf = typename ScalarOf<Operand<T>>::type;

}  // namespace duoblas

#endif
