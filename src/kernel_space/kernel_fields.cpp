#include "kernel_space/kernel_fields.hpp"

#include <algorithm>
#include <array>

namespace duoblas {
namespace {

constexpr std::array kSwitch = {0, 1};
constexpr std::array kThree = {0, 1, 2};
constexpr std::array kLanes = {0, 1, 2, 3, 4};
constexpr std::array kMatrix = {0, 1, 2, 3};
constexpr std::array kTile = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16};
constexpr std::array kTileCols = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96};
constexpr std::array kVector = {1, 2, 4, 8, 16};
constexpr std::array kGroup = {1, 2, 4, 8, 16, 32, 64};
constexpr std::array kUnroll = {1, 2, 4, 8, 16, 32};
constexpr std::array kBlock = {24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
constexpr std::array kPrefetch = {0, 1, 2, 3, 4, 5, 6};
constexpr std::array kSplit = {1, 2, 4, 8, 16, 32, 64};
constexpr std::array kDepth = {1, 2, 4, 8};
constexpr std::array kResident = {0, 1, 2, 3, 4, 5, 6, 8};
constexpr std::array kRaster = {1, 2, 4, 8, 16};

using P = KernelParams;

constexpr std::array<KernelField, 31> kFields = {{
    {"family", "FAMILY", &P::family, kSwitch, "0 panel (CPU devices), 1 tiled (GPUs)"},
    {"tile_rows", "TILE_ROWS", &P::tile_rows, kTile, "rows of C that a work-item accumulates"},
    {"tile_cols", "TILE_COLS", &P::tile_cols, kTileCols,
     "columns of C that a work-item accumulates"},
    {"vector_width", "VECTOR_WIDTH", &P::vector_width, kVector,
     "elements of a vector load and of a vector accumulator"},
    {"group_rows", "GROUP_ROWS", &P::group_rows, kGroup, "tiled: work-items of a group along m"},
    {"group_cols", "GROUP_COLS", &P::group_cols, kGroup, "tiled: work-items of a group along n"},
    {"group_depth", "GROUP_DEPTH", &P::group_depth, kDepth,
     "tiled: teams of group_rows x group_cols work-items, that share the slices of k of one tile"},
    {"k_unroll", "K_UNROLL", &P::k_unroll, kUnroll,
     "tiled: depth of a local slice; panel: steps of k per turn of the loop"},
    {"block_m", "", &P::block_m, kBlock, "panel: most rows of C per group"},
    {"block_n", "", &P::block_n, kBlock, "panel: most columns of C per group"},
    {"block_k", "BLOCK_K", &P::block_k, kBlock, "panel: depth between two visits of a C tile"},
    {"pack_a", "PACK_A", &P::pack_a, kSwitch, "1: A is copied into tile order first"},
    {"pack_b", "PACK_B", &P::pack_b, kSwitch, "1: B is copied into tile order first"},
    {"local_a", "LOCAL_A", &P::local_a, kSwitch, "tiled: 1: slices of A go through local memory"},
    {"local_b", "LOCAL_B", &P::local_b, kSwitch, "tiled: 1: slices of B go through local memory"},
    {"image_a", "IMAGE_A", &P::image_a, kSwitch, "tiled: 1: packed A is read as an image"},
    {"image_b", "IMAGE_B", &P::image_b, kSwitch, "tiled: 1: packed B is read as an image"},
    {"shuffle", "SHUFFLE", &P::shuffle, kSwitch,
     "tiled: 1: neighbours read rows of A for one another and shuffle them"},
    {"prefetch", "PREFETCH", &P::prefetch, kPrefetch,
     "tiled: slices on their way while one is multiplied"},
    {"async_copy", "ASYNC_COPY", &P::async_copy, kSwitch,
     "tiled: 1: asynchronous copies to local memory, past the registers"},
    {"fragments", "FRAGMENTS", &P::fragments, kSwitch,
     "tiled: 1: the next step's operands are read during a step, across the barrier too"},
    {"assignment", "ASSIGNMENT", &P::assignment, kThree,
     "tiled: a work-item's vectors are 0 neighbours, 1 spread over the group, 2 over its patch"},
    {"lane_order", "LANE_ORDER", &P::lane_order, kLanes,
     "tiled: 32 neighbours are 0 in a row of the group, 1 a patch of 4 x 8, 2 of 8 x 4, 3 and 4 "
     "the same by squares of 4"},
    {"madd_order", "MADD_ORDER", &P::madd_order, kThree,
     "tiled: multiply-adds go 0 row by row, 1 there and back, 2 there and back along columns"},
    {"multiply_add", "MULTIPLY_ADD", &P::multiply_add, kThree,
     "0 fma(a, b, c), 1 a * b + c, 2 mad(a, b, c)"},
    {"matrix", "MATRIX", &P::matrix, kMatrix,
     "tiled: sums by 0 vectors, 1 fp64 matrix instructions, 2 three of TF32 each, 3 as 1, 8 deep"},
    {"k_split", "K_SPLIT", &P::k_split, kSplit,
     "parts of k that are summed up apart and then added"},
    {"loop_order", "LOOP_ORDER", &P::loop_order, kSwitch,
     "blocks of C follow one another 0 along n, 1 along m; panel: a group's tiles, the other way"},
    {"raster", "RASTER", &P::raster, kRaster,
     "tiled: work-groups go in bands of so many rows of tiles (columns with loop_order 1)"},
    {"resident_groups", "RESIDENT_GROUPS", &P::resident_groups, kResident,
     "tiled: groups that a multiprocessor's registers must have room for; 0: as the compiler has "
     "it"},
    {"inline_sizes", "INLINE_SIZES", &P::inline_sizes, kSwitch,
     "1: n and k are compiled in (not m, which changes with the cut)"},
}};

}  // namespace

int KernelField::get(const KernelParams& params) const {
  return std::visit([&](auto m) { return static_cast<int>(params.*m); }, member);
}

void KernelField::set(KernelParams& params, int value) const {
  std::visit(
      [&](auto m) { params.*m = static_cast<std::remove_reference_t<decltype(params.*m)>>(value); },
      member);
}

bool KernelField::is_legal(int value) const {
  return std::ranges::binary_search(values, value);
}

std::span<const KernelField> kernel_fields() {
  return kFields;
}

}  // namespace duoblas
