// The vectors of BLAS levels 1 and 2: elements at equal distances.
#pragma once

#include <cstdint>

#include "problem/precision.hpp"

namespace duoblas {

/// Element i is `i * increment` elements behind `data`, which is element 0.
struct StridedVector {
  void* data = nullptr;
  std::int64_t increment = 1;
};

/// In BLAS a vector with a negative increment begins at the end of its memory: `given` is the
/// lowest address. Vectors that are only read are never written through `data`.
StridedVector vector_of(const void* given, std::int64_t size, std::int64_t increment,
                        Precision precision);

/// The vector that begins `elements` further on.
StridedVector behind(const StridedVector& vector, std::int64_t elements, Precision precision);

/// The pointer that BLAS expects: the lowest address.
void* lowest_address(const StridedVector& vector, std::int64_t size, Precision precision);

/// Copies the elements, to memory without gaps and back.
void gather(const StridedVector& from, std::int64_t size, Precision precision, void* to);
void scatter(const void* from, std::int64_t size, Precision precision, const StridedVector& to);

}  // namespace duoblas
