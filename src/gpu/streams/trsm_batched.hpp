// Many small trsm of one shape on operands that the device can reach (kernels/trsm_batched.cl).
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/streams/routine_job.hpp"
#include "memory/bound_operand.hpp"
#include "problem/trsm_batch.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

/// The first solve's matrices, and the distances to the next one's, in elements.
struct TrsmOperands {
  BoundOperand a, b;
  std::int64_t a_stride = 0, b_stride = 0;
  /// For each solve two 64-bit offsets, of A and B, which are added to their places; the distances
  /// are 0 then. Null: only equal distances.
  std::shared_ptr<const cl::Buffer> places = {};
};

/// The program for solves of this shape, of which type and sizes count, with its trial.
TriedProgram trsm_program(const Level3Problem& shape);
/// Solves that a work-group does at once.
std::int64_t solves_at_once(const Level3Problem& shape);

/// Enqueues `count` solves and flushes. Uses the sizes, choices and alpha of `shape`; if that is 0,
/// B = 0. \pre not empty. The caller holds the device's mutex. \throws DeviceError.
cl::Event submit_trsm_batch(OpenedDevice& device, const Level3Problem& shape, std::int64_t count,
                            const TrsmOperands& operands);

/// The GPU's part of a batch in the caller's memory. `of_host`: the part that the host does
/// meanwhile. X is written where B is if the driver shares that, and its rows are equally far
/// apart; else it arrives in job.results(), without gaps. `looked_at` as for begin_update().
/// \throws DeviceError.
RoutineJob start_trsm_batch(const std::shared_ptr<OpenedDevice>& device, const TrsmBatch& part,
                            SharingMode sharing, const TrsmBatch& of_host, bool looked_at);

/// Copies results that arrived apart to the caller's memory.
void publish_trsm_batch(const RoutineJob& job, const TrsmBatch& part);

}  // namespace duoblas
