// The inverses of a solve's leaves, computed by the device (kernels/leaf_inverse.cl). The host
// learns how well conditioned the leaves are before any result of theirs can come back:
//
//   uploads    leaves | right-hand sides ..
//   kernels           | inverses | products ..
//   downloads                    | sums | results ..
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/level3/level3_blocks.hpp"
#include "gpu/product/product.hpp"
#include "memory/bound_operand.hpp"
#include "memory/pinned_memory.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

struct TransferQueues;

/// Leaves of `leaf` lines below one another, whose rows lie as far apart as those of the inverses.
struct LeafLaunch {
  std::int64_t leaves = 0, leaf = 0;
  BoundOperand from, to;
  BoundOperand sums;  ///< has room for leaf_sums_bytes()
};

/// The program by which a level-3 job has leaves inverted, which is tried before its first use.
/// None for other jobs than solves of real numbers whose operands are copied, and for devices that
/// do not have what the kernel needs.
std::vector<TriedProgram> leaf_programs(const TargetDevice& device, const Level3Problem& problem,
                                        const BlockSizes& sizes, MatricesInPlace in_place);

/// Builds and tries it in the call. False: the host has to invert the leaves. \throws DeviceHung.
bool prepare_leaf_inverses(OpenedDevice& device, const Level3Problem& solve, std::int64_t leaf);

cl::Event enqueue_leaf_inverses(cl::Queue& queue, Precision precision, BuiltProgram& built,
                                const LeafLaunch& launch);

/// What the kernel tells of so many leaves' inverses.
std::size_t leaf_sums_bytes(std::int64_t leaves, std::int64_t leaf);

/// The largest condition number of the leaves of so many lines. `row_sums`: the largest of each
/// leaf (copy_leaves()). NaN counts as infinite.
double condition_of_leaves(std::int64_t lines, std::int64_t leaf,
                           const std::vector<double>& row_sums, const double* sums);

/// TriedProgram::trial.
std::string wrong_in_leaves(const TargetDevice& device, const Level3Problem& solve,
                            std::int64_t leaf, BuiltProgram& built, std::uint64_t seed);

/// One solve's.
class LeavesOnDevice {
 public:
  explicit LeavesOnDevice(TransferQueues& queues) : queues_(queues) {}

  /// Enqueues the inverses of a solve's leaves, which are there after `uploaded`, and sends for
  /// their sums. `earlier` gets the kernel's event. \throws DeviceError.
  void invert(const Level3Problem& solve, const LeafLaunch& launch,
              const std::vector<double>& row_sums, const cl::Event& uploaded,
              EarlierKernels& earlier);
  /// Call it before anything is done with a result. Waits for the sums, once. \throws
  /// UnsuitedNumbers where invert_solvable() would; DeviceError.
  void require_solvable();

 private:
  TransferQueues& queues_;
  Precision precision_ = Precision::d;
  std::int64_t lines_ = 0, leaf_ = 0;
  std::vector<double> row_sums_;
  std::unique_ptr<PinnedMemory> sums_;
  std::unique_ptr<const cl::Event> sums_there_;  ///< null: nothing is to be looked at
};

}  // namespace duoblas
