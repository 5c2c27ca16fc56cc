// A call that memory bounds, as the engine sees it: something that is divided by outputs, of which
// each side computes some. gemv, ger, axpy and omatcopy are such routines; docs/design.md says how
// one more is added.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cpu/cpu_side.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/routine_job.hpp"
#include "planner/stream_plan.hpp"
#include "problem/cut.hpp"

namespace duoblas {

/// An element that a check found wrong, in words; nothing: none was.
using WrongOutput = std::optional<std::string>;

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
  /// Nothing is read but what is scaled or filled: the CPU's in any case.
  virtual bool is_trivial() const = 0;
  /// Outputs that the device computes at once.
  virtual std::int64_t unit(const GpuSide& gpu) const = 0;
  /// The device has a copy of what it reads.
  virtual bool is_resident(const GpuSide&) const { return false; }

  /// Computes some outputs. \throws CpuBlasError.
  virtual void run(CpuSide& cpu, const CpuConfig& config, Interval outputs) const = 0;
  /// Enqueues some outputs and flushes. `of_host`: those that the host writes meanwhile. \throws
  /// DeviceError.
  virtual RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host,
                           SharingMode sharing) const = 0;
  /// Makes the results the caller's, of a job that was waited for and keeps them to itself.
  virtual void publish(const RoutineJob&, Interval) const {}
  /// Looks at what the device computed, before publish(), or after it where it wrote by itself.
  /// `seed` chooses elements where not `all` are looked at.
  virtual WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                            std::uint64_t seed) const = 0;

  /// Whether start() finds its program built, wherever operands lie.
  virtual bool has_program(GpuSide& gpu) const = 0;
  /// Builds and tries it, after this object has gone; of the operands nothing is read. \throws
  /// DeviceError.
  virtual std::function<void(GpuSide&)> builder() const = 0;
  /// The program is of no use any more.
  virtual void convict(GpuSide& gpu, const std::string& why) const = 0;
};

}  // namespace duoblas
