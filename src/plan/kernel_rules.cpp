#include "plan/kernel_rules.hpp"

#include <algorithm>
#include <array>

namespace duoblas {
namespace {

bool is_panel(const KernelParams& p) {
  return p.family == KernelFamily::panel;
}

// Elements between the rows of a local slice beyond the tile: kernels/tiled.cl adds one vector, so
// that a transposed store does not hit one bank with every work-item.
int slice_pitch(int tile, const KernelParams& p) {
  return tile + p.vector_width;
}

constexpr std::array<KernelRule, 10> kRules = {{
    {"whole_vectors", "tile_cols must be a multiple of vector_width", true,
     [](const KernelParams& p, Precision, const DeviceLimits&) {
       return p.tile_cols % p.vector_width == 0;
     }},
    {"whole_row_vectors", "a tiled kernel reads A by vectors too: tile_rows must be a multiple",
     true,
     [](const KernelParams& p, Precision, const DeviceLimits&) {
       return is_panel(p) || p.tile_rows % p.vector_width == 0;
     }},
    {"lone_work_item", "a panel kernel runs one work-item per group and has no local memory", true,
     [](const KernelParams& p, Precision, const DeviceLimits&) {
       return !is_panel(p) || (p.group_rows * p.group_cols == 1 && !p.local_a && !p.local_b);
     }},
    {"short_unroll", "a panel kernel's k loop is unrolled by 4 at most: code grows, speed does not",
     true,
     [](const KernelParams& p, Precision, const DeviceLimits&) {
       return !is_panel(p) || p.k_unroll <= 4;
     }},
    {"even_slices", "the work-items of a tiled group must share the loads of a slice evenly", true,
     [](const KernelParams& p, Precision, const DeviceLimits&) {
       if (is_panel(p)) return true;
       const int items = p.group_rows * p.group_cols;
       const int per_turn = items * p.vector_width;
       const bool a = !p.local_a || (p.group_rows * p.tile_rows * p.k_unroll) % per_turn == 0;
       const bool b = !p.local_b || (p.group_cols * p.tile_cols * p.k_unroll) % per_turn == 0;
       return a && b && p.k_unroll % p.vector_width == 0;
     }},
    {"vector_exists", "OpenCL vectors have at most 16 numbers, and panel accumulators at least 2",
     false,
     [](const KernelParams& p, Precision precision, const DeviceLimits&) {
       const int numbers = p.vector_width * (is_complex(precision) ? 2 : 1);
       return numbers <= 16 && (!is_panel(p) || numbers >= 2);
     }},
    {"panel_registers", "the panel's tile must stay in the vector registers of a CPU", false,
     [](const KernelParams& p, Precision precision, const DeviceLimits& limits) {
       if (!is_panel(p)) return true;
       // Registers: 32 with AVX-512 and with Arm's 128 bits, 16 with AVX. A vector wider than the
       // machine's takes several.
       const int registers = limits.vector_bytes == 32 ? 16 : 32;
       const int bytes = p.vector_width * static_cast<int>(element_size(precision));
       const int pieces = std::max(1, bytes / limits.vector_bytes);
       return live_vectors(p, precision) * pieces <= registers;
     }},
    {"tile_registers", "a work-item of a GPU has 255 registers of 32 bits at most", false,
     [](const KernelParams& p, Precision precision, const DeviceLimits&) {
       return is_panel(p) || live_words(p, precision) <= 232;
     }},
    {"group_size", "the device takes no work-group this large", false,
     [](const KernelParams& p, Precision, const DeviceLimits& limits) {
       return static_cast<std::size_t>(p.group_rows * p.group_cols) <= limits.max_work_group_size;
     }},
    {"local_memory", "the slices do not fit the device's local memory", false,
     [](const KernelParams& p, Precision precision, const DeviceLimits& limits) {
       // 0 bytes: emulated in global memory, where size does not matter.
       return limits.local_memory_bytes == 0 ||
              local_bytes(p, precision) <= static_cast<std::int64_t>(limits.local_memory_bytes);
     }},
}};

}  // namespace

int live_vectors(const KernelParams& p, Precision precision) {
  // Per vector of the tile's row one vector of B; a broadcast of A; complex values take one
  // accumulator for the real and one for the imaginary part of A.
  const int vectors = p.tile_cols / p.vector_width;
  const int parts = is_complex(precision) ? 2 : 1;
  return p.tile_rows * vectors * parts + vectors + 1;
}

int live_words(const KernelParams& p, Precision precision) {
  const int words = static_cast<int>(element_size(precision)) / 4;
  return words * (p.tile_rows * p.tile_cols + p.tile_rows + p.tile_cols);
}

std::int64_t local_bytes(const KernelParams& p, Precision precision) {
  if (is_panel(p)) return 0;
  std::int64_t elements = 0;
  if (p.local_a) elements += slice_pitch(p.group_rows * p.tile_rows, p);
  if (p.local_b) elements += slice_pitch(p.group_cols * p.tile_cols, p);
  constexpr int stages = 2;
  return stages * elements * p.k_unroll * static_cast<std::int64_t>(element_size(precision));
}

std::span<const KernelRule> kernel_rules() {
  return kRules;
}

const KernelRule* violated_rule(const KernelParams& params, Precision precision,
                                const DeviceLimits& limits) {
  for (const KernelRule& rule : kRules)
    if (!rule.holds(params, precision, limits)) return &rule;
  return nullptr;
}

const KernelRule* violated_static_rule(const KernelParams& params) {
  for (const KernelRule& rule : kRules)
    if (rule.is_static && !rule.holds(params, Precision::s, DeviceLimits{})) return &rule;
  return nullptr;
}

}  // namespace duoblas
