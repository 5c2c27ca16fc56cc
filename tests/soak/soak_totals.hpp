// What a soak counts, and how it says so.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "problem/precision.hpp"
#include "soak/device_part.hpp"

namespace duoblas::soak {

struct TypeTotals {
  std::uint64_t calls = 0;
  std::uint64_t wrong = 0;
  std::uint64_t with_device = 0;
  std::uint64_t recovered = 0;
  double flops = 0;
  double on_device = 0;
  double worst_error = 0;
};

struct SoakTotals {
  std::array<TypeTotals, precision_count> types;
  std::uint64_t in_children = 0;
  std::uint64_t of_lapack = 0, of_lapack_with_device = 0;

  void add(const SoakCall& call, const DevicePart& part, const Verdict& verdict);
  std::uint64_t calls() const;
  std::uint64_t wrong() const;
  /// A line per type that had calls.
  std::string text(double seconds) const;
};

}  // namespace duoblas::soak
