// Checks of callers' arguments, with the words of their errors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <duoblas/error.hpp>
#include <duoblas/types.hpp>

namespace duoblas {

/// \throws ArgumentError where it does not hold.
inline void require(bool holds, int position, const char* name, const char* reason) {
  if (!holds) throw ArgumentError(position, name, reason);
}

inline void require_layout(Layout layout) {
  require(layout == Layout::row_major || layout == Layout::column_major, 1, "layout",
          "is neither row-major nor column-major");
}

inline void require_op(Op op, int position) {
  require(op == Op::none || op == Op::transpose || op == Op::conj_transpose, position, "op",
          "is not none, transpose or conj_transpose");
}

inline void require_size(std::int64_t size, int position, const char* name) {
  require(size >= 0, position, name, "is negative");
}

/// Pointers that are not read or written through may be null, as in the reference BLAS.
inline void require_memory(const void* data, bool is_used, int position, const char* name) {
  require(data != nullptr || !is_used, position, name, "is a null pointer");
}

inline void require_ld(std::int64_t given, std::int64_t least, int position, const char* name) {
  least = std::max<std::int64_t>(1, least);
  if (given < least)
    throw ArgumentError(
        position, name,
        "must be at least " + std::to_string(least) + ", is " + std::to_string(given));
}

/// The vector lies within what memory can address: then a product of sizes fits 64 bits.
inline void require_reachable(std::int64_t increment, std::int64_t size, int position,
                              const char* name) {
  constexpr std::int64_t most = std::int64_t{1} << 58;
  require(size <= 1 || (increment <= most / size && increment >= -most / size), position, name,
          "reaches beyond any memory");
}

inline void require_increment(std::int64_t increment, std::int64_t size, int position,
                              const char* name) {
  require(increment != 0, position, name, "is 0");
  require_reachable(increment, size, position, name);
}

}  // namespace duoblas
