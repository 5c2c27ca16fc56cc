// An operand of a C program: memory, or a prepared matrix.
#pragma once

#include <complex>
#include <variant>

#include <duoblas/duoblas.h>
#include <duoblas/context.hpp>

struct duoblas_prepared {
  std::variant<duoblas::Prepared<float>, duoblas::Prepared<double>,
               duoblas::Prepared<std::complex<float>>, duoblas::Prepared<std::complex<double>>>
      matrix;
};

namespace duoblas {

/// \throws ArgumentError if it was prepared with another element type than T.
template <typename T>
Operand<T> operand_of(const duoblas_operand& given, int position, const char* name) {
  if (given.prepared == nullptr) return {static_cast<const T*>(given.data), given.ld};
  const auto* prepared = std::get_if<Prepared<T>>(&given.prepared->matrix);
  if (prepared == nullptr)
    throw ArgumentError(position, name, "was prepared with another element type");
  return *prepared;
}

}  // namespace duoblas
