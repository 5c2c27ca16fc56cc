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
constexpr std::string_view names[] = {"whole",           "small",  "by size",     "odd rows",
                                      "odd rows packed", "tf32x3", "tf32x3 wide", "batch",
                                      "search teams",    "search", "refused"};

using OfType = std::array<std::vector<BuiltInKernel>, precision_count>;
using Table = std::array<OfType, std::size(names)>;

bool replaces_another(KernelUse use) {
  return use == KernelUse::odd_rows || use == KernelUse::odd_rows_packed;
}

Table read() {
  Table table;
  KernelParams replaced;
  for (const BuiltInRow& row : built_in_rows()) {
    const auto name = std::ranges::find(names, row.use);
    if (name == std::end(names)) continue;
    const auto use = static_cast<KernelUse>(name - std::begin(names));
    const KernelParams kernel = kernel_from(row.kernel);
    if (!replaces_another(use)) replaced = kernel;
    for (const Precision type : all_precisions)
      if (row.is_for(type))
        table[static_cast<std::size_t>(use)][precision_index(type)].push_back(
            {&row, kernel, replaced});
  }
  return table;
}

}  // namespace

std::span<const BuiltInKernel> built_in_kernels(KernelUse use, Precision precision) {
  static constinit std::atomic<const Table*> place = nullptr;
  const Table& table = made_once(place, read);
  return table[static_cast<std::size_t>(use)][precision_index(precision)];
}

}  // namespace duoblas
