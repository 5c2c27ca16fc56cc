#include "memory/triangle_part.hpp"

#include <algorithm>
#include <cstring>

#include "problem/element_types.hpp"

namespace duoblas {

void copy_stored(const TrianglePart& part, std::size_t row, std::size_t at, std::size_t bytes,
                 char* to, const char* from) noexcept {
  const auto element = static_cast<std::int64_t>(element_size(part.precision));
  const std::int64_t first = static_cast<std::int64_t>(at);
  const std::int64_t last = first + static_cast<std::int64_t>(bytes);
  const std::int64_t diagonal = (part.diagonal + static_cast<std::int64_t>(row)) * element;
  const bool lower = part.uplo == Uplo::lower;
  const std::int64_t begin = lower ? first : std::clamp(diagonal, first, last);
  const std::int64_t end = lower ? std::clamp(diagonal + element, first, last) : last;
  const auto fill = [&](std::int64_t some, std::int64_t up_to) {
    std::memset(to + (some - first), 0, static_cast<std::size_t>(up_to - some));
  };
  fill(first, begin);
  std::memcpy(to + (begin - first), from + (begin - first), static_cast<std::size_t>(end - begin));
  fill(end, last);
  if (!part.unit || diagonal < first || diagonal >= last) return;
  with_element_type(part.precision, [&](auto zero) {
    const decltype(zero) one(1);
    std::memcpy(to + (diagonal - first), &one, sizeof one);
  });
}

}  // namespace duoblas
