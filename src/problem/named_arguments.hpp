// Checks of callers' arguments, with the words of their errors. A function's names are given in
// order, and errors get their positions from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <duoblas/error.hpp>
#include <duoblas/types.hpp>

namespace duoblas {

constexpr bool is_op(Op op) {
  return op == Op::none || op == Op::transpose || op == Op::conj_transpose;
}

/// Every check does nothing for arguments that the function does not have, and otherwise \throws
/// ArgumentError where it does not hold.
class NamedArguments {
 public:
  /// `names`: "layout m n".
  explicit constexpr NamedArguments(std::string_view names) : names_(names) {}

  void require(bool holds, std::string_view name, std::string_view reason) const {
    if (!holds) refuse(name, reason);
  }
  void layout(Layout given) const {
    require(given == Layout::row_major || given == Layout::column_major, "layout",
            "is neither row-major nor column-major");
  }
  void side(Side given) const {
    require(given == Side::left || given == Side::right, "side", "is neither left nor right");
  }
  void uplo(Uplo given) const {
    require(given == Uplo::upper || given == Uplo::lower, "uplo", "is neither upper nor lower");
  }
  void diag(Diag given) const {
    require(given == Diag::non_unit || given == Diag::unit, "diag", "is neither non_unit nor unit");
  }
  void op(Op given, std::string_view name = "op") const {
    require(is_op(given), name, "is not none, transpose or conj_transpose");
  }
  void size(std::int64_t given, std::string_view name) const {
    require(given >= 0, name, "is negative");
  }
  /// Pointers that nothing is read or written through may be null, as in the reference BLAS.
  void memory(const void* data, bool is_used, std::string_view name) const {
    require(data != nullptr || !is_used, name, "is a null pointer");
  }
  void at_least(std::int64_t bound, std::int64_t given, std::string_view name) const {
    bound = std::max<std::int64_t>(1, bound);
    if (given < bound && position(name) > 0)
      refuse(name, "must be at least " + std::to_string(bound) + ", is " + std::to_string(given));
  }
  /// The vector lies within what memory can address: then a product of sizes fits 64 bits.
  void reachable(std::int64_t increment, std::int64_t size, std::string_view name) const {
    constexpr std::int64_t most = std::int64_t{1} << 58;
    require(size <= 1 || (increment <= most / size && increment >= -most / size), name,
            "reaches beyond any memory");
  }
  void increment(std::int64_t given, std::int64_t size, std::string_view name) const {
    require(given != 0, name, "is 0");
    reachable(given, size, name);
  }

 private:
  void refuse(std::string_view name, std::string_view reason) const {
    const int at = position(name);
    if (at > 0) throw ArgumentError(at, std::string(name), std::string(reason));
  }
  /// Counted from 1; 0 where there is no such argument.
  constexpr int position(std::string_view wanted) const {
    std::string_view names = names_;
    for (int at = 1; !names.empty(); ++at) {
      const std::size_t end = std::min(names.find(' '), names.size());
      if (names.substr(0, end) == wanted) return at;
      names.remove_prefix(std::min(end + 1, names.size()));
    }
    return 0;
  }

  std::string_view names_;
};

}  // namespace duoblas
