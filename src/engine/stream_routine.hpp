// The interface of a memory-bound call (gemv, ger, axpy, omatcopy) to the engine: it has outputs,
// and each side computes some of them. docs/design/memory-bound.md says how to add one.
//
// An object refers to the caller's vectors and matrices and lives for one call, on its thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "check/update_check.hpp"
#include "cpu/cpu_side.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/kernels/program_number.hpp"
#include "gpu/streams/routine_job.hpp"
#include "planner/stream_plan.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// An element that a check found wrong, in words; nothing: none.
using WrongOutput = std::optional<std::string>;

/// For StreamRoutine::number(): one number for a routine, a type and up to four choices of 0 to 3
/// each.
inline std::uint64_t stream_number(RoutineProgramKind routine, Precision precision,
                                   std::initializer_list<int> choices) {
  auto number = static_cast<std::uint64_t>(routine) * 4 + precision_index(precision);
  for (const int choice : choices) number = number * 4 + static_cast<std::uint64_t>(choice);
  for (std::size_t place = choices.size(); place < 4; ++place) number *= 4;
  return number;
}

/// Checks all elements of an update, or a sample that depends on `seed`.
inline WrongOutput wrong_in(const GerProblem& update, const UpdatePlaces& places, bool all,
                            std::uint64_t seed) {
  const std::int64_t step = all ? 1 : sample_step(update);
  std::string wrong = wrong_update(
      update, places, step, static_cast<std::int64_t>(seed % static_cast<std::uint64_t>(step)));
  if (wrong.empty()) return {};
  return wrong;
}

class StreamRoutine {
 public:
  virtual ~StreamRoutine() = default;

  /// "dgemv rows=3 columns=4": for DUOBLAS_VERBOSE=2.
  virtual std::string text() const = 0;
  virtual Precision precision() const = 0;
  virtual std::int64_t outputs() const = 0;
  /// The terms of an output's sum. Outputs and terms decide which calls are alike.
  virtual std::int64_t terms() const = 0;
  /// A number for the code that runs. Calls with the same number and similar sizes are alike.
  virtual std::uint64_t number() const = 0;
  /// Bytes that go through memory.
  virtual double bytes() const = 0;
  /// The bytes that are both read and written. If the device writes in place, the host first copies
  /// them, in case the device fails.
  virtual double kept_bytes() const { return 0; }
  /// Whether it only scales or fills its result. The CPU always does such a call.
  virtual bool is_trivial() const = 0;
  /// Outputs that the device computes at once.
  virtual std::int64_t unit(const GpuSide& gpu) const = 0;
  /// Whether the device has a copy of the inputs.
  virtual bool is_resident(const GpuSide&) const { return false; }

  /// Computes some outputs. `begun`, if not null, becomes true before an output changes whose old
  /// value is needed. Until then the other side can do the work instead. \throws CpuBlasError.
  virtual void run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const = 0;
  /// Loads what run() needs. \throws CpuBlasError if it is missing.
  virtual void require(CpuSide&, const CpuConfig&) const {}
  /// Enqueues some outputs and flushes. `of_host`: outputs that the host writes meanwhile.
  /// `looked_at`: wrong() will be called, so undo() must be able to restore old values. \throws
  /// DeviceError.
  virtual RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                           bool looked_at) const = 0;
  /// Copies the results to the caller's memory, if the job holds them. \pre the job has ended.
  virtual void publish(const RoutineJob&, Interval) const {}
  /// Checks the device's results: before publish(), or in the caller's memory if the device wrote
  /// there. `seed` chooses the elements unless `all` are checked.
  virtual WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                            std::uint64_t seed) const = 0;

  /// All programs that start() may need, wherever operands lie. They are built in the background,
  /// and not used any more after a wrong result. Reads no operand.
  virtual std::vector<TriedProgram> programs(const GpuSide& gpu) const = 0;
  /// Those programs gave wrong results: drops the kernel that tuning chose.
  virtual void forget_choice(GpuSide&) const {}
};

}  // namespace duoblas
