#include "gpu/level3/leaf_inverses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/level3/triangle_leaves.hpp"
#include "opencl/wait_deadline.hpp"
#include "problem/triangle_condition.hpp"

namespace duoblas {
namespace {

// As the kernel has them.
constexpr std::int64_t rows_at_once = 4, gap = 2;
// Columns of a group; 0: the kernel has no such leaves.
std::int64_t strip_of(std::int64_t leaf) {
  for (const std::int64_t columns : {32, 16, 8})
    if (leaf % columns == 0) return columns;
  return 0;
}

// op(A) X = B is solved with the inverse computed row by row as it is stored, or column by column.
bool is_turned(const Level3Problem& p) {
  return (p.op == Op::none) != (p.side == Side::left);
}

bool has_what_is_needed(const TargetDevice& device, std::int64_t leaf) {
  const std::int64_t strip = strip_of(leaf);
  const auto local =
      static_cast<std::size_t>(leaf * (strip + 1) + 2 * rows_at_once * (leaf + gap)) *
      sizeof(double);
  const std::size_t most = device.limits.local_memory_bytes;
  return device.context.device().info.has_fp64 && strip > 0 && (most == 0 || local <= most);
}

// The leaves of any solve that stores the same triangle and turns it alike.
struct LeafProgram {
  Precision precision;
  Uplo uplo;
  bool turned;
  std::int64_t leaf;

  ProgramNumber number() const {
    return program_number({field_of(RoutineProgramKind::leaf_inverse),
                           {static_cast<int>(precision_index(precision)), 4},
                           {static_cast<int>(leaf), 1024},
                           {uplo == Uplo::upper, 2},
                           {turned, 2}});
  }

  ProgramText text() const {
    ProgramOptions options;
    options.define("WIDE", "double").define("WIDE2", "double2");
    options.define("REAL", is_double(precision) ? "double" : "float").define("LEAF", leaf);
    options.define("STRIP", strip_of(leaf)).define("UPPER", uplo == Uplo::upper);
    options.define("TURNED", turned);
    return {std::string(1, letter(precision)) + "trsm's leaves",
            {"leaf_inverse.cl"},
            options.text(),
            {"leaf_inverse"}};
  }

  std::string what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                            std::uint64_t seed) const {
    Level3Problem like;
    like.routine = Routine::trsm;
    like.precision = precision;
    like.uplo = uplo;
    like.op = turned ? Op::transpose : Op::none;
    return wrong_in_leaves(device, like, leaf, built, seed);
  }
};

LeafProgram leaf_program(const Level3Problem& p, std::int64_t leaf) {
  return {p.precision, p.uplo, is_turned(p), leaf};
}

/// The largest sum of a row, over its parts in strips that lie `leaf` numbers apart; NaN if one is.
/// (One chain of comparisons took a core 40 us for 32 leaves of 128 lines.)
double largest_sum(const double* sums, std::int64_t rows, std::int64_t strips, std::int64_t leaf) {
  constexpr std::int64_t lanes = 8;
  double largest[lanes] = {}, all[lanes] = {};
  for (std::int64_t row = 0; row < rows; row += lanes) {
    double of_row[lanes] = {};
    const std::int64_t here = std::min(lanes, rows - row);
    const auto add = [&](std::int64_t count) {
      for (std::int64_t strip = 0; strip < strips; ++strip)
        for (std::int64_t i = 0; i < count; ++i) of_row[i] += sums[strip * leaf + row + i];
    };
    here == lanes ? add(lanes) : add(here);
    for (std::int64_t i = 0; i < lanes; ++i) {
      largest[i] = of_row[i] > largest[i] ? of_row[i] : largest[i];
      all[i] += of_row[i];
    }
  }
  // They are sizes: a sum of them is NaN if one is.
  const double of_all = sum_of_sizes(all, lanes);
  return std::isnan(of_all) ? of_all : *std::ranges::max_element(largest);
}

}  // namespace

std::vector<TriedProgram> leaf_programs(const TargetDevice& device, const Level3Problem& p,
                                        const BlockSizes& sizes, MatricesInPlace in_place) {
  if (p.routine != Routine::trsm || is_complex(p.precision) || in_place.a || in_place.c ||
      sizes.block % sizes.leaf != 0 || !has_what_is_needed(device, sizes.leaf))
    return {};
  return {tried(leaf_program(p, sizes.leaf))};
}

bool prepare_leaf_inverses(OpenedDevice& device, const Level3Problem& solve, std::int64_t leaf) {
  try {
    device.kernels.get(leaf_program(solve, leaf));
    return true;
  } catch (const cl::DeviceHung&) {
    throw;
  } catch (const DeviceError&) {
    return false;
  }
}

cl::Event enqueue_leaf_inverses(cl::Queue& queue, Precision precision, BuiltProgram& built,
                                const LeafLaunch& launch) {
  cl::Kernel& kernel = built.kernel("leaf_inverse");
  const std::size_t element = element_size(precision);
  KernelArguments(kernel, precision)
      .buffer(*launch.from.buffer)
      .offset(launch.from.offset_bytes / element)
      .buffer(*launch.to.buffer)
      .offset(launch.to.offset_bytes / element)
      .size(static_cast<std::int64_t>(launch.to.pitch_bytes / element))
      .buffer(*launch.sums.buffer)
      .offset(launch.sums.offset_bytes / sizeof(double));
  const auto items = static_cast<std::size_t>(launch.leaf);
  return queue.enqueue(kernel, {{items, static_cast<std::size_t>(launch.leaves)},
                                {static_cast<std::size_t>(strip_of(launch.leaf)), 1}});
}

std::size_t leaf_sums_bytes(std::int64_t leaves, std::int64_t leaf) {
  return static_cast<std::size_t>(leaves * (leaf / strip_of(leaf)) * leaf) * sizeof(double);
}

double condition_of_leaves(std::int64_t lines, std::int64_t leaf,
                           const std::vector<double>& row_sums, const double* sums) {
  double worst = 0;
  const std::int64_t strips = leaf / strip_of(leaf);
  for (const double of_leaf : row_sums) {
    worst = larger_sum(of_leaf * largest_sum(sums, std::min(lines, leaf), strips, leaf), worst);
    sums += strips * leaf;
    lines -= leaf;
  }
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

void LeavesOnDevice::invert(const Level3Problem& solve, const LeafLaunch& launch,
                            const std::vector<double>& row_sums, const cl::Event& uploaded,
                            EarlierKernels& earlier) {
  OpenedDevice& device = queues_.device;
  precision_ = solve.precision;
  lines_ = order(solve);
  leaf_ = launch.leaf;
  row_sums_ = row_sums;
  BuiltProgram& built = device.kernels.get(leaf_program(solve, leaf_));
  const std::size_t bytes = leaf_sums_bytes(launch.leaves, leaf_);
  sums_ = queues_.panel_memory.take(device.context, queues_.downloads, bytes);
  queues_.uploads.flush();
  device.queue.start_after(uploaded);
  const auto inverted =
      std::make_shared<cl::Event>(enqueue_leaf_inverses(device.queue, precision_, built, launch));
  earlier.push_back(inverted);
  device.queue.flush();
  queues_.downloads.start_after(*inverted);
  sums_there_ = std::make_unique<cl::Event>(queues_.downloads.read_later(
      *launch.sums.buffer, sums_->data(), bytes, launch.sums.offset_bytes));
  queues_.downloads.flush();
}

void LeavesOnDevice::require_solvable() {
  if (!sums_there_) return;
  queues_.downloads.wait(*sums_there_);
  sums_there_.reset();
  const double condition =
      condition_of_leaves(lines_, leaf_, row_sums_, static_cast<const double*>(sums_->data()));
  queues_.panel_memory.give_back(std::move(sums_));
  duoblas::require_solvable(condition, precision_);
}

}  // namespace duoblas
