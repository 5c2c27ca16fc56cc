#include "kernel_space/kernel_rules.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_footprint.hpp"

namespace duoblas {
namespace {

using Limits = DeviceLimits;

bool is_panel(const KernelParams& p) {
  return p.family == KernelFamily::panel;
}

bool uses_matrix(const KernelParams& p) {
  return p.matrix != MatrixUnit::none && !is_by_integers(p);
}

// The work-items of a team, which share a tile and its slices.
int items(const KernelParams& p) {
  return p.group_rows * p.group_cols;
}

int group_items(const KernelParams& p) {
  return items(p) * p.group_depth;
}

// Of a tile of C.
int elements(const KernelParams& p) {
  return items(p) * p.tile_rows * p.tile_cols / (p.as_real ? 2 : 1);
}

int packing_items(const KernelParams& p) {
  return is_panel(p) || !(p.pack_a || p.pack_b) ? 1 : tiled_packing_items;
}

// A rule for slices that go through registers. With asynchronous copies only slices of operands
// that lie along k do.
bool shares_slices_evenly(const KernelParams& p, Precision, const Limits&) {
  const auto even = [&](bool packed, int tile, int width) {
    if (is_by_integers(p) || (p.async_copy && (packed || uses_matrix(p)))) return true;
    return (tile * p.k_unroll) % (items(p) * width) == 0 && p.k_unroll % width == 0;
  };
  return is_panel(p) ||
         ((!p.local_a || even(p.pack_a, p.group_rows * p.tile_rows, width_along_m(p))) &&
          (!p.local_b || even(p.pack_b, p.group_cols * p.tile_cols, p.vector_width)));
}

bool fits_vector_registers(const KernelParams& p, Precision precision, const Limits& limits) {
  if (!is_panel(p)) return true;
  // Registers: 32 with AVX-512 and with Arm's 128 bits, 16 with AVX. A vector wider than the
  // machine's takes several.
  const int registers = limits.vector_bytes == 32 ? 16 : 32;
  const int bytes = p.vector_width * static_cast<int>(element_size(precision));
  const int pieces = std::max(1, bytes / limits.vector_bytes);
  return live_vectors(p, precision) * pieces <= registers;
}

// The type whose footprint the kernel has at most: products by integers hold bytes and ints.
Precision held(const KernelParams& p, Precision precision) {
  return is_by_integers(p) ? Precision::s : precision;
}

bool fits_local_memory(const KernelParams& p, Precision precision, const Limits& limits) {
  // 0 bytes: emulated in global memory, where size does not matter.
  if (limits.local_memory_bytes == 0) return true;
  const std::size_t most = std::max(limits.local_memory_bytes, limits.static_local_bytes);
  return local_bytes(p, held(p, precision)) <= static_cast<std::int64_t>(most);
}

bool lanes_form_patches(const KernelParams& p, Precision, const Limits&) {
  switch (p.lane_order) {
    case LaneOrder::row: return true;
    case LaneOrder::squares_4x8:
    case LaneOrder::patch_4x8: return p.group_rows % 4 == 0 && p.group_cols % 8 == 0;
    case LaneOrder::squares_8x4:
    case LaneOrder::patch_8x4: return p.group_rows % 8 == 0 && p.group_cols % 4 == 0;
  }
  return false;
}

// Lines are dealt out whole: the units of one and the work-items must divide, either way, whether a
// unit is 16 bytes or, for operands that are not aligned, one number.
bool deals_out_lines(int tile, const KernelParams& p, Precision precision) {
  const int number = is_double(precision) ? 8 : 4;
  const int bytes = tile * static_cast<int>(element_size(precision));
  const auto divide = [&](int units) { return items(p) % units == 0 || units % items(p) == 0; };
  const bool rows = !uses_matrix(p) || items(p) <= 4 * tile;
  return rows && bytes % 16 == 0 && divide(bytes / 16) && divide(bytes / number);
}

bool copies_whole_units(const KernelParams& p, Precision precision, const Limits&) {
  return !p.async_copy || is_by_integers(p) ||
         ((!p.local_a || deals_out_lines(p.group_rows * p.tile_rows, p, precision)) &&
          (!p.local_b || deals_out_lines(p.group_cols * p.tile_cols, p, precision)));
}

bool shuffles_in_rows(const KernelParams& p, Precision, const Limits&) {
  return !p.shuffle ||
         (!is_panel(p) && !p.local_a && !p.fragments && !uses_matrix(p) &&
          p.lane_order == LaneOrder::row && p.k_unroll % p.group_cols == 0 && items(p) % 32 == 0);
}

bool matrix_shape(const KernelParams& p, Precision precision, const Limits&) {
  return !uses_matrix(p) ||
         (p.tile_rows % 2 == 0 && p.tile_cols % 2 == 0 && p.group_rows % 8 == 0 &&
          p.group_cols % 4 == 0 && p.k_unroll % steps_per_turn(p, precision) == 0);
}

bool device_has_matrix(const KernelParams& p, Precision precision, const Limits& limits) {
  switch (p.matrix) {
    case MatrixUnit::none: return !limits.multiplies_by_integers(precision);
    case MatrixUnit::fp64:
    case MatrixUnit::fp64_deep: return limits.fp64_matrix && precision == Precision::d;
    case MatrixUnit::tf32x3:
      return limits.tf32_matrix && precision == Precision::s && (!p.wide || limits.wide_matrix);
    case MatrixUnit::integers:
    case MatrixUnit::integers_dot:
    case MatrixUnit::integers_dp4a:
    case MatrixUnit::integers_matrix:
      return limits.doubles_by_integers && is_double(precision) &&
             (p.matrix == MatrixUnit::integers ||
              (p.matrix == MatrixUnit::integers_dot    ? limits.byte_dot_products
               : p.matrix == MatrixUnit::integers_dp4a ? limits.byte_dp4a
                                                       : limits.byte_matrix)) &&
             (!p.wide || limits.wide_bytes);
  }
  return false;
}

// 128 neighbours take 64 rows of the tile, and 128 columns at a time: a pair of every 8 of these is
// a work-item's, of two rows.
bool wide_shape(const KernelParams& p) {
  return p.tile_rows == 2 && p.tile_cols % 32 == 0 && p.group_rows % 32 == 0 && p.group_cols == 4 &&
         p.group_depth == 1 && p.prefetch >= 1 && p.resident_groups == 0;
}

// Whole tiles of 32 lines, whole units of 16 bytes, words of four residues; and with matrix
// instructions whole blocks of 16 x 8 sums. Scratch memory is padded by a tile.
bool bytes_shape(const KernelParams& p, Precision, const Limits&) {
  const int rows = p.group_rows * p.tile_rows, cols = p.group_cols * p.tile_cols;
  const bool blocks = p.matrix != MatrixUnit::integers_matrix || p.wide ||
                      (p.tile_rows % 2 == 0 && p.group_rows % 8 == 0 && p.group_cols % 4 == 0);
  return !is_by_integers(p) || (rows % 32 == 0 && cols % 32 == 0 && std::max(rows, cols) <= 256 &&
                                p.tile_cols % 4 == 0 && p.k_unroll >= 8 && blocks);
}

// PoCL 3.1 keeps all work-items' numbers on one thread's stack of 8 MiB, 4.5 times as many as
// live_words() counts (a kernel of 2048 work-items took 8.06 MiB, and crashed).
bool fits_stack(const KernelParams& p, Precision precision, const Limits& limits) {
  return !limits.is_cpu || is_panel(p) ||
         group_items(p) * live_words(p, held(p, precision)) <= 1 << 17;
}

// PoCL 3.1, 180 random kernels, two cores of an Intel Xeon that others used too, CPU time: with
// 320 at most, the median is 1.0 s and 95 % take less than 2.3 s; without a limit 1.5 s and 4 s,
// the slowest 7.8 s. The shortest take 0.6 s. At 320 every value of every field is left in some
// kernel.
bool compiles_soon(const KernelParams& p, Precision precision, const Limits& limits) {
  return !limits.is_cpu || is_panel(p) || code_length(p, held(p, precision)) <= 320;
}

// The other rules are about what the loops work on: real numbers where this one speaks.
constexpr std::string_view of_complex_elements = "complex_as_real";

constexpr auto kRules = std::to_array<KernelRule>({
    {"whole_vectors", "tile_cols must be a multiple of vector_width", true,
     [](const KernelParams& p, Precision, const Limits&) {
       return p.tile_cols % p.vector_width == 0;
     }},
    {"whole_row_vectors", "a tiled kernel reads A by vectors too: tile_rows must be a multiple",
     true,
     [](const KernelParams& p, Precision, const Limits&) {
       return is_panel(p) || p.tile_rows % width_along_m(p) == 0;
     }},
    {"lone_work_item",
     "a panel kernel runs one work-item per group and reads plain memory: no group, local memory, "
     "image, shuffle or matrix instruction",
     true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !is_panel(p) || (items(p) == 1 && !p.local_a && !p.local_b && !p.image_a &&
                               !p.image_b && !p.async_copy && !p.shuffle && !uses_matrix(p));
     }},
    {"short_unroll",
     "a panel kernel's k loop is unrolled by 4 at most: it gains 4 to 8 % on a recent Xeon, and "
     "the code grows",
     true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !is_panel(p) || p.k_unroll <= 4;
     }},
    {"even_slices", "the work-items of a tiled group must share the loads of a slice evenly", true,
     shares_slices_evenly},
    {"image_to_local",
     "pixels of an operand that is not packed may lie along k: image needs pack or local", true,
     [](const KernelParams& p, Precision, const Limits&) {
       return (!p.image_a || p.pack_a || p.local_a) && (!p.image_b || p.pack_b || p.local_b);
     }},
    {"image_or_copy", "asynchronous copies read buffers, not images", true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !p.async_copy || (!p.image_a && !p.image_b);
     }},
    {"copy_to_local", "asynchronous copies go to local memory: local_a or local_b must be 1", true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !p.async_copy || p.local_a || p.local_b;
     }},
    {"one_slice_in_registers", "more than one slice ahead needs async_copy: registers hold one",
     true,
     [](const KernelParams& p, Precision, const Limits&) {
       return p.async_copy || p.prefetch <= 1;
     }},
    {"fragments_ahead", "fragments across the barrier need the next slice there: prefetch >= 1",
     true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !p.fragments || p.prefetch >= 1;
     }},
    {"lane_patches", "32 neighbours must fill patches of the group", true, lanes_form_patches},
    {"shuffled_rows",
     "a shuffle is of rows of A that are not in local memory, along whole rows of the group, with "
     "k_unroll a multiple of group_cols and no fragments ahead",
     true, shuffles_in_rows},
    {"matrix_operands", "matrix instructions read slices that asynchronous copies brought", true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !uses_matrix(p) || (p.local_a && p.local_b && p.async_copy);
     }},
    {"guarded_whole", "a product of TF32 parts is guarded as a whole: it does not split k", true,
     [](const KernelParams& p, Precision, const Limits&) {
       return p.matrix != MatrixUnit::tf32x3 || p.k_split == 1;
     }},
    {"whole_last_tiles",
     "the last tiles are split where nothing else is (teams, k_split, guarded products), and 64 "
     "work-items that add parts are of one tile",
     true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !p.split_last || (p.group_depth == 1 && p.k_split == 1 &&
                                p.matrix != MatrixUnit::tf32x3 && elements(p) % 64 == 0);
     }},
    {of_complex_elements, "only a complex product is computed as a real one", false,
     [](const KernelParams& p, Precision precision, const Limits&) {
       return !p.as_real || is_complex(precision);
     }},
    {"packed_as_real",
     "a complex product as a real one packs both operands, for buffers, does not split k, and has "
     "both parts of an element in a vector: vector_width 2 or more",
     true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !p.as_real || (p.pack_a && p.pack_b && !p.image_a && !p.image_b && p.k_split == 1 &&
                             p.vector_width % 2 == 0);
     }},
    {"bytes_shape",
     "products of bytes have tiles in units of 32, of 256 at most, tile_cols in units of 4, slices "
     "of 32 bytes or more; matrix instructions blocks of 16 x 8",
     true, bytes_shape},
    {"wide_operands",
     "instructions of 128 work-items are of TF32 parts or bytes, and of buffers that were packed "
     "for them, in asynchronous copies",
     true,
     [](const KernelParams& p, Precision, const Limits&) {
       return !p.wide ||
              ((p.matrix == MatrixUnit::tf32x3 || p.matrix == MatrixUnit::integers_matrix) &&
               p.async_copy && p.pack_a && p.pack_b && !p.image_a && !p.image_b);
     }},
    {"wide_shape",
     "instructions of 128 work-items want tile_rows 2, tile_cols in units of 32, group_rows in "
     "units of 32, group_cols 4, one team, prefetch and no resident_groups",
     true,
     [](const KernelParams& p, Precision, const Limits&) { return !p.wide || wide_shape(p); }},
    {"matrix_shape", "matrix instructions want whole blocks of 16 x 8 and slabs of 64 bytes of k",
     false, matrix_shape},
    {"matrix_instructions",
     "the device has no such matrix instructions for this element type, or multiplies the type by "
     "integers only",
     false,
     device_has_matrix},
    {"whole_copies",
     "asynchronous copies deal out lines of the tile: their 16-byte units and the "
     "work-items must divide one another",
     false, copies_whole_units},
    {"device_extensions",
     "the device has no asynchronous copies, no images or no shuffle this wide", false,
     [](const KernelParams& p, Precision, const Limits& limits) {
       return (!p.async_copy || limits.async_copies) &&
              (!(p.image_a || p.image_b) || limits.max_image_pixels > 0) &&
              (!p.shuffle || p.group_cols <= limits.shuffle_width);
     }},
    {"whole_pixels", "an image is read 16 bytes at a time: its operand's vectors must be as much",
     false,
     [](const KernelParams& p, Precision precision, const Limits&) {
       const auto is_pixel = [&](int width) {
         return width * static_cast<int>(element_size(precision)) == 16;
       };
       return (!p.image_a || is_pixel(width_along_m(p))) &&
              (!p.image_b || is_pixel(p.vector_width));
     }},
    {"hardware_fma", "the device has no fma instruction for this element type", false,
     [](const KernelParams& p, Precision precision, const Limits& limits) {
       return p.multiply_add != MultiplyAdd::fma || p.matrix != MatrixUnit::none ||
              (is_double(precision) ? limits.fma_double : limits.fma_single);
     }},
    {"vector_exists", "OpenCL vectors have at most 16 numbers", false,
     [](const KernelParams& p, Precision precision, const Limits&) {
       return std::max(p.vector_width, width_along_m(p)) * reals_of(precision) <= 16;
     }},
    {"registers", "the sums and fragments must stay in registers (CPU: 16 or 32; GPU: 255 words)",
     false,
     [](const KernelParams& p, Precision precision, const Limits& limits) {
       return is_panel(p) ? fits_vector_registers(p, precision, limits)
                          : live_words(p, precision) <= 232;
     }},
    {"register_share",
     "so many groups share a multiprocessor's registers where the device's compiler takes a limit, "
     "and a share must hold the sums, fragments and 8 addresses and counters",
     false,
     [](const KernelParams& p, Precision precision, const Limits& limits) {
       return p.resident_groups == 0 ||
              (limits.register_shares && live_words(p, precision) + 8 <= register_share(p));
     }},
    {"told_level", "only NVIDIA's compiler is told a level of optimisation", false,
     [](const KernelParams& p, Precision, const Limits& limits) {
       return p.compiler_level == 0 || limits.register_shares;
     }},
    {"group_size", "the device takes no work-group this large", false,
     [](const KernelParams& p, Precision, const Limits& limits) {
       return std::max(group_items(p), packing_items(p)) <=
              static_cast<std::int64_t>(limits.max_work_group_size);
     }},
    {"stack_of_group", "a CPU device keeps what all work-items of a group hold on one stack", false,
     fits_stack},
    {"local_memory", "the slices do not fit the device's local memory", false, fits_local_memory},
    {"short_code", "a CPU device's compiler takes seconds for a tiled kernel this long", false,
     compiles_soon},
});

}  // namespace

std::span<const KernelRule> kernel_rules() {
  return kRules;
}

const KernelRule* violated_rule(const KernelParams& params, Precision precision,
                                const DeviceLimits& limits) {
  for (const KernelRule& rule : kRules) {
    const bool of_elements = rule.name == of_complex_elements;
    if (!rule.holds(params, of_elements ? precision : loop_precision(params, precision), limits))
      return &rule;
  }
  return nullptr;
}

const KernelRule* violated_static_rule(const KernelParams& params) {
  for (const KernelRule& rule : kRules)
    if (rule.is_static && !rule.holds(params, Precision::s, DeviceLimits{})) return &rule;
  return nullptr;
}

}  // namespace duoblas
