// A call that memory bounds, as the engine sees it: something that is divided by outputs, of which
// each side computes some. gemv, ger, axpy and omatcopy are such routines;
// docs/design/memory-bound.md says how one more is added.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "check/update_check.hpp"
#include "cpu/cpu_side.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/routine_job.hpp"
#include "gpu/routine_kernels.hpp"
#include "planner/stream_plan.hpp"
#include "problem/cut.hpp"

namespace duoblas {

/// An element that a check found wrong, in words; nothing: none was.
using WrongOutput = std::optional<std::string>;

/// Routines, for StreamRoutine::number(). Learned times of earlier processes go by them.
enum class StreamNumber : std::uint64_t { gemv = 1, omatcopy, ger, axpy };

/// Of a routine, a type, and choices that are 0 to 3 each: four places.
inline std::uint64_t stream_number(StreamNumber routine, Precision precision,
                                   std::initializer_list<int> choices) {
  auto number = static_cast<std::uint64_t>(routine) * 4 + precision_index(precision);
  for (const int choice : choices) number = number * 4 + static_cast<std::uint64_t>(choice);
  for (std::size_t place = choices.size(); place < 4; ++place) number *= 4;
  return number;
}

/// Looks at all elements of an update, or at a sample that `seed` moves.
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
  /// Of each output: with the outputs it decides which calls are alike.
  virtual std::int64_t terms() const = 0;
  /// Which code runs, as a number: calls of one number, and near sizes, are alike.
  virtual std::uint64_t number() const = 0;
  /// Bytes that go through memory.
  virtual double bytes() const = 0;
  /// Of those, what is read, changed and written: where the device writes in place the host keeps a
  /// copy of it first, which a failure needs.
  virtual double kept_bytes() const { return 0; }
  /// Nothing is read but what is scaled or filled: the CPU's in any case.
  virtual bool is_trivial() const = 0;
  /// Outputs that the device computes at once.
  virtual std::int64_t unit(const GpuSide& gpu) const = 0;
  /// The device has a copy of what it reads.
  virtual bool is_resident(const GpuSide&) const { return false; }

  /// Computes some outputs. `begun`, where it is not null, is true once some of them may have
  /// changed whose old values are needed: until then another side can do it instead. \throws
  /// CpuBlasError.
  virtual void run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const = 0;
  /// What run() needs is loaded. \throws CpuBlasError where it is not there.
  virtual void require(CpuSide&, const CpuConfig&) const {}
  /// Enqueues some outputs and flushes. `of_host`: those that the host writes meanwhile.
  /// `looked_at`: wrong() will be asked, and undo() then gives old values back. \throws
  /// DeviceError.
  virtual RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                           bool looked_at) const = 0;
  /// Makes the results the caller's, of a job that was waited for and keeps them to itself.
  virtual void publish(const RoutineJob&, Interval) const {}
  /// Looks at what the device computed, before publish(), or after it where it wrote by itself.
  /// `seed` chooses elements where not `all` are looked at.
  virtual WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                            std::uint64_t seed) const = 0;

  /// Those that start() may ask for, wherever operands lie: they are built in the background, and
  /// given up where a result was wrong. Of the operands nothing is read.
  virtual std::vector<TriedProgram> programs(const GpuSide& gpu) const = 0;
  /// They were given up: what tuning chose is not used any more.
  virtual void forget_choice(GpuSide&) const {}
};

}  // namespace duoblas
