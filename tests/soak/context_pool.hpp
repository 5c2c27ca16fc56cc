// The contexts that random calls are made in: one of each kind, used by very many calls.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include <duoblas/context.hpp>

#include "soak/draw.hpp"

namespace duoblas::soak {

/// Where a call is made: which context, and its split.
struct Setting {
  std::size_t kind = 0;
  std::optional<Share> split;
};

Setting draw_setting(Draw& draw);
std::string text(const Setting& setting);

class ContextPool {
 public:
  /// The context, made at its first use, with the split set. \throws what making it throws.
  Context& get(const Setting& setting);

  static constexpr std::size_t kinds = 10;

 private:
  std::array<std::unique_ptr<Context>, kinds> contexts_;
};

}  // namespace duoblas::soak
