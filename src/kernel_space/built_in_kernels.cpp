#include "kernel_space/built_in_kernels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include "kernel_space/kernel_description.hpp"
#include "kernel_space/made_once.hpp"

namespace duoblas {
namespace {

// In the order of the enumeration.
constexpr std::string_view names[] = {
    "whole",        "small",         "by size",    "call",     "resident",
    "update",       "narrow update", "last tiles", "odd rows", "odd rows packed",
    "tf32x3",       "tf32x3 wide",   "batch",      "integers", "search integers",
    "search teams", "search",        "refused"};

using OfType = std::array<std::vector<BuiltInKernel>, precision_count>;
using Table = std::array<OfType, std::size(names)>;

bool replaces_another(KernelUse use) {
  return use == KernelUse::call || use == KernelUse::odd_rows || use == KernelUse::odd_rows_packed;
}

Table read() {
  Table table;
  KernelParams replaced;
  for (const BuiltInRow& row : built_in_rows()) {
    if (std::ranges::find(names, row.use) == std::end(names)) continue;
    const KernelUse use = use_named(row.use);
    const KernelParams kernel =
        row.kernel.starts_with("tiled") ? kernel_from(row.kernel) : KernelParams{};
    if (!replaces_another(use)) replaced = kernel;
    for (const Precision type : all_precisions)
      if (row.is_for(type))
        table[static_cast<std::size_t>(use)][precision_index(type)].push_back(
            {&row, kernel, replaced});
  }
  return table;
}

}  // namespace

KernelUse use_named(std::string_view name) {
  return static_cast<KernelUse>(std::ranges::find(names, name) - std::begin(names));
}

std::string_view name(KernelUse use) {
  return names[static_cast<std::size_t>(use)];
}

std::span<const BuiltInKernel> built_in_kernels(KernelUse use, Precision precision) {
  static constinit std::atomic<const Table*> place = nullptr;
  const Table& table = made_once(place, read);
  return table[static_cast<std::size_t>(use)][precision_index(precision)];
}

}  // namespace duoblas
