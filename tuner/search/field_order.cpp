#include "tuner/search/field_order.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {
namespace {

constexpr std::array<std::string_view, 13> kPanel = {
    "tile_rows", "tile_cols",  "pack_a",       "block_k",      "block_m", "block_n",     "k_unroll",
    "pack_b",    "loop_order", "vector_width", "multiply_add", "k_split", "inline_sizes"};

constexpr std::array<std::string_view, 27> kTiled = {
    "prefetch",   "tile_rows",    "tile_cols",    "k_unroll",        "fragments",   "pack_a",
    "pack_b",     "group_rows",   "group_cols",   "resident_groups", "group_depth", "raster",
    "lane_order", "assignment",   "vector_width", "madd_order",      "local_a",     "local_b",
    "async_copy", "matrix",       "loop_order",   "k_split",         "shuffle",     "image_a",
    "image_b",    "multiply_add", "inline_sizes"};

}  // namespace

std::vector<int> fields_by_importance(KernelFamily family) {
  const std::span<const std::string_view> first =
      family == KernelFamily::panel ? std::span<const std::string_view>(kPanel) : kTiled;
  const auto fields = kernel_fields();
  std::vector<int> order;
  for (const std::string_view name : first)
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (fields[i].name == name) order.push_back(static_cast<int>(i));
  // What no one spoke of comes last.
  for (int i = 0; i < static_cast<int>(fields.size()); ++i)
    if (std::ranges::find(order, i) == order.end()) order.push_back(i);
  return order;
}

}  // namespace duoblas
