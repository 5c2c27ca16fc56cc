#include "problem/strided_vector.hpp"

#include <cstddef>
#include <cstring>

namespace duoblas {
namespace {

std::int64_t bytes_apart(const StridedVector& vector, Precision precision) {
  return vector.increment * static_cast<std::int64_t>(element_size(precision));
}

template <std::size_t bytes>
void copy(const char* from, std::int64_t from_step, char* to, std::int64_t to_step,
          std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i)
    std::memcpy(to + i * to_step, from + i * from_step, bytes);
}

void copy(const void* from, std::int64_t from_step, void* to, std::int64_t to_step,
          std::int64_t size, std::size_t element) {
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  const auto dense = static_cast<std::int64_t>(element);
  if (from_step == dense && to_step == dense) {
    if (size > 0) std::memcpy(to, from, static_cast<std::size_t>(size) * element);
    return;
  }
  switch (element) {
    case 4: return copy<4>(source, from_step, target, to_step, size);
    case 8: return copy<8>(source, from_step, target, to_step, size);
    default: return copy<16>(source, from_step, target, to_step, size);
  }
}

}  // namespace

StridedVector vector_of(const void* given, std::int64_t size, std::int64_t increment,
                        Precision precision) {
  StridedVector vector{const_cast<void*>(given), increment};
  if (increment >= 0 || size == 0 || given == nullptr) return vector;
  return behind(vector, 1 - size, precision);
}

StridedVector behind(const StridedVector& vector, std::int64_t elements, Precision precision) {
  return {advanced(vector.data, elements * vector.increment, precision), vector.increment};
}

void* lowest_address(const StridedVector& vector, std::int64_t size, Precision precision) {
  return vector.increment >= 0 || size == 0 ? vector.data
                                            : behind(vector, size - 1, precision).data;
}

void gather(const StridedVector& from, std::int64_t size, Precision precision, void* to) {
  const std::size_t element = element_size(precision);
  copy(from.data, bytes_apart(from, precision), to, static_cast<std::int64_t>(element), size,
       element);
}

void scatter(const void* from, std::int64_t size, Precision precision, const StridedVector& to) {
  const std::size_t element = element_size(precision);
  copy(from, static_cast<std::int64_t>(element), to.data, bytes_apart(to, precision), size,
       element);
}

}  // namespace duoblas
