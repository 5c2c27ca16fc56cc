// The names of a function's arguments in order, from which errors get their positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <duoblas/error.hpp>

namespace duoblas {

class NamedArguments {
 public:
  /// `names`: "layout m n".
  explicit constexpr NamedArguments(std::string_view names) : names_(names) {}

  /// Does nothing for arguments that the function does not have. \throws ArgumentError.
  void require(bool holds, std::string_view name, const std::string& reason) const {
    const int at = position(name);
    if (!holds && at > 0) throw ArgumentError(at, std::string(name), reason);
  }
  void at_least(std::int64_t bound, std::int64_t given, std::string_view name) const {
    bound = std::max<std::int64_t>(1, bound);
    require(given >= bound, name,
            "must be at least " + std::to_string(bound) + ", is " + std::to_string(given));
  }

 private:
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
