// The rows of kernel_fields(). Importance is experience with PoCL on Xeon and EPYC (panel) and with
// NVIDIA GPUs (tiled; docs/experiments). Importances and places are by tens, so that a new
// parameter goes between any two. Its row is the last, because simulated machines draw a random
// number for each row in turn.
#include <array>
#include <string_view>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {
namespace {

constexpr std::array kSwitch = {0, 1};
constexpr std::array kThree = {0, 1, 2};
constexpr std::array kLanes = {0, 1, 2, 3, 4};
constexpr std::array kMatrix = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr std::array kTile = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16};
constexpr std::array kTileCols = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96};
constexpr std::array kVector = {1, 2, 4, 8, 16};
constexpr std::array kVectorM = {0, 1, 2, 4, 8, 16};
constexpr std::array kGroup = {1, 2, 4, 8, 16, 32, 64};
constexpr std::array kUnroll = {1, 2, 4, 8, 16, 32};
constexpr std::array kBlock = {24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
constexpr std::array kPrefetch = {0, 1, 2, 3, 4, 5, 6};
constexpr std::array kSplit = {1, 2, 4, 8, 16, 32, 64};
constexpr std::array kDepth = {1, 2, 4, 8};
constexpr std::array kResident = {0, 1, 2, 3, 4, 5, 6, 8};
constexpr std::array kRaster = {1, 2, 4, 8, 16};
constexpr std::array kLevel = {0, 1, 2};

// In the order in which they are explained: that of their first rows.
constexpr std::string_view kItem = "What a work-item computes";
constexpr std::string_view kWorkGroup = "What a work-group computes";
constexpr std::string_view kSteps = "Steps of k";
constexpr std::string_view kOperands = "Where the operands are read";
constexpr std::string_view kEarly = "What is on its way early";
constexpr std::string_view kOrder = "In what order";
constexpr std::string_view kCompiler = "How it is compiled";

constexpr auto kBoth = FieldFamily::both, kPanel = FieldFamily::panel, kTiled = FieldFamily::tiled;
using P = KernelParams;

constexpr KernelField::Importance importance(int panel, int tiled) {
  return {panel, tiled};
}

// Tokens, each with its place in the line.
constexpr FieldToken always(std::string_view text, int place) {
  return {text, FieldToken::When::always, place};
}
constexpr FieldToken where_it_matters(std::string_view text, int place) {
  return {text, FieldToken::When::where_it_matters, place};
}
constexpr FieldToken unless_default(std::string_view text, int place) {
  return {text, FieldToken::When::unless_default, place};
}

// name, macro, member, values, family, group, importance (panel, tiled), token, meaning
constexpr KernelField kRows[] = {
    {"family", "FAMILY", number_of<&P::family>, kSwitch, kBoth, kItem, importance(0, 0),
     always("panel|tiled", 10), "0 panel (CPU devices), 1 tiled (GPUs)"},
    {"tile_rows", "TILE_ROWS", number_of<&P::tile_rows>, kTile, kBoth, kItem, importance(130, 260),
     always(" #", 20), "rows of C that a work-item accumulates"},
    {"tile_cols", "TILE_COLS", number_of<&P::tile_cols>, kTileCols, kBoth, kItem,
     importance(120, 250), always("x#", 30), "columns of C that a work-item accumulates"},
    {"vector_width", "VECTOR_WIDTH", number_of<&P::vector_width>, kVector, kBoth, kItem,
     importance(40, 130), always(" v#", 40),
     "elements of a vector load and of a vector accumulator, along n"},
    {"group_rows", "GROUP_ROWS", number_of<&P::group_rows>, kGroup, kTiled, kWorkGroup,
     importance(0, 200), always(" wg#", 80), "work-items of a group along m"},
    {"group_cols", "GROUP_COLS", number_of<&P::group_cols>, kGroup, kTiled, kWorkGroup,
     importance(0, 190), always("x#", 90), "work-items of a group along n"},
    {"group_depth", "GROUP_DEPTH", number_of<&P::group_depth>, kDepth, kTiled, kWorkGroup,
     importance(0, 170), unless_default("x#", 100),
     "teams of group_rows x group_cols work-items, that share the slices of k of one tile"},
    {"k_unroll", "K_UNROLL", number_of<&P::k_unroll>, kUnroll, kBoth, kSteps, importance(70, 240),
     always(" k#", 110),
     "tiled: depth of a local slice (of bytes: in fours); panel: steps of k per turn of the loop",
     unless_default(" u#", 110)},
    {"block_m", "", number_of<&P::block_m>, kBlock, kPanel, kWorkGroup, importance(90, 0),
     always(" #", 50), "most rows of C per group"},
    {"block_n", "", number_of<&P::block_n>, kBlock, kPanel, kWorkGroup, importance(80, 0),
     always("x#", 60), "most columns of C per group"},
    {"block_k", "BLOCK_K", number_of<&P::block_k>, kBlock, kPanel, kSteps, importance(100, 0),
     always("x#", 70), "depth between two visits of a C tile"},
    {"pack_a", "PACK_A", number_of<&P::pack_a>, kSwitch, kBoth, kOperands, importance(110, 220),
     unless_default(" packA", 260), "1: A is copied into tile order first"},
    {"pack_b", "PACK_B", number_of<&P::pack_b>, kSwitch, kBoth, kOperands, importance(60, 210),
     unless_default(" packB", 270), "1: B is copied into tile order first"},
    {"local_a", "LOCAL_A", number_of<&P::local_a>, kSwitch, kTiled, kOperands, importance(0, 110),
     unless_default(" localA", 130), "1: slices of A go through local memory"},
    {"local_b", "LOCAL_B", number_of<&P::local_b>, kSwitch, kTiled, kOperands, importance(0, 100),
     unless_default(" localB", 140), "1: slices of B go through local memory"},
    {"image_a", "IMAGE_A", number_of<&P::image_a>, kSwitch, kTiled, kOperands, importance(0, 40),
     unless_default(" imageA", 150),
     "1: A is read as an image: packed, or in place where its rows are whole pixels of 16 bytes"},
    {"image_b", "IMAGE_B", number_of<&P::image_b>, kSwitch, kTiled, kOperands, importance(0, 30),
     unless_default(" imageB", 160),
     "1: B is read as an image: packed, or in place where its rows are whole pixels of 16 bytes"},
    {"shuffle", "SHUFFLE", number_of<&P::shuffle>, kSwitch, kTiled, kOperands, importance(0, 50),
     unless_default(" shuffle", 170),
     "1: neighbours read rows of A for one another and shuffle them"},
    {"prefetch", "PREFETCH", number_of<&P::prefetch>, kPrefetch, kTiled, kEarly, importance(0, 270),
     where_it_matters("#", 190), "slices on their way while one is multiplied"},
    {"async_copy", "ASYNC_COPY", number_of<&P::async_copy>, kSwitch, kTiled, kEarly,
     importance(0, 90), where_it_matters(" pre| async", 180),
     "1: asynchronous copies to local memory, past the registers"},
    {"fragments", "FRAGMENTS", number_of<&P::fragments>, kSwitch, kTiled, kEarly,
     importance(0, 230), unless_default(" frag", 200),
     "1: the next step's operands are read during a step, across the barrier too"},
    {"assignment", "ASSIGNMENT", number_of<&P::assignment>, kThree, kTiled, kWorkGroup,
     importance(0, 140), where_it_matters(" as#", 210),
     "a work-item's vectors are 0 neighbours, 1 spread over the group, 2 over its patch"},
    {"lane_order", "LANE_ORDER", number_of<&P::lane_order>, kLanes, kTiled, kWorkGroup,
     importance(0, 150), where_it_matters("#", 220),
     "32 neighbours are 0 in a row of the group, 1 a patch of 4 x 8, 2 of 8 x 4, 3 and 4 the same "
     "by squares of 4"},
    {"madd_order", "MADD_ORDER", number_of<&P::madd_order>, kThree, kTiled, kItem,
     importance(0, 120), unless_default(" order#", 230),
     "multiply-adds go 0 row by row, 1 there and back, 2 there and back along columns"},
    {"multiply_add", "MULTIPLY_ADD", number_of<&P::multiply_add>, kThree, kBoth, kItem,
     importance(30, 20), unless_default("| plain| mad", 310),
     "0 fma(a, b, c), 1 a * b + c, 2 mad(a, b, c)"},
    {"matrix", "MATRIX", number_of<&P::matrix>, kMatrix, kTiled, kItem, importance(0, 80),
     unless_default("| fp64-matrix| tf32x3| fp64-matrix8| integers| integers-dot| integers-dp4a"
                    "| integers-matrix",
                    120),
     "sums by 0 vectors, 1 fp64 matrix instructions, 2 three of TF32 each, 3 as 1, 8 deep, 4 bytes "
     "modulo several numbers, 5 and 6 the same by dot products of four, 7 by matrix instructions"},
    {"k_split", "K_SPLIT", number_of<&P::k_split>, kSplit, kBoth, kSteps, importance(20, 60),
     unless_default(" split#", 290), "parts of k that are summed up apart and then added"},
    {"loop_order", "LOOP_ORDER", number_of<&P::loop_order>, kSwitch, kBoth, kOrder,
     importance(50, 70), unless_default(" alongM", 280),
     "blocks of C follow one another 0 along n, 1 along m; panel: a group's tiles, the other way"},
    {"raster", "RASTER", number_of<&P::raster>, kRaster, kTiled, kOrder, importance(0, 160),
     unless_default(" raster#", 240),
     "work-groups go in bands of so many rows of tiles (columns with loop_order 1)"},
    {"resident_groups", "RESIDENT_GROUPS", number_of<&P::resident_groups>, kResident, kTiled,
     kOrder, importance(0, 180), unless_default(" fit#", 250),
     "groups that a multiprocessor's registers must have room for; 0: as the compiler has it"},
    {"inline_sizes", "INLINE_SIZES", number_of<&P::inline_sizes>, kSwitch, kBoth, kSteps,
     importance(10, 10), unless_default(" inline", 300),
     "1: n and k are compiled in (not m, which changes with the partition)"},
    {"compiler_level", "COMPILER_LEVEL", number_of<&P::compiler_level>, kLevel, kTiled, kCompiler,
     importance(0, 5), unless_default(" level#", 320),
     "0: as NVIDIA's compiler does by itself, 1 and 2: its lower levels of optimisation"},
    {"as_real", "AS_REAL", number_of<&P::as_real>, kSwitch, kTiled, kItem, importance(0, 75),
     unless_default(" asReal", 125),
     "1: a complex product is a real one, 2 n wide and 2 k deep, of operands packed for that"},
    {"vector_width_m", "VECTOR_WIDTH_M", number_of<&P::vector_width_m>, kVectorM, kTiled, kItem,
     importance(0, 125), unless_default("m#", 45),
     "elements of a vector along m (loads of A); 0: as vector_width"},
    {"wide", "", number_of<&P::wide>, kSwitch, kTiled, kItem, importance(0, 78),
     unless_default(" wide", 123),
     "1: sums by instructions of 128 work-items, that read packed slices in local memory"},
    {"split_last", "SPLIT_LAST", number_of<&P::split_last>, kSwitch, kTiled, kOrder,
     importance(0, 55), unless_default(" splitLast", 295),
     "1: k of the last tiles is split where tiles do not share out evenly over the device"},
};

}  // namespace

KernelTable kernel_fields() {
  return kRows;
}

}  // namespace duoblas
