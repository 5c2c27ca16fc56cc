// The routines that memory bounds, as StreamRoutines.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/stream_routine.hpp"
#include "gpu/device/resident_matrix.hpp"
#include "kernel_space/copy_kernel.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "kernel_space/update_kernel.hpp"
#include "problem/axpy_problem.hpp"
#include "problem/copy_problem.hpp"
#include "problem/gemv_problem.hpp"
#include "problem/ger_problem.hpp"

namespace duoblas {

/// gemv: its outputs are y's elements.
class GemvRoutine final : public StreamRoutine {
 public:
  /// `a`: the matrix on some device that contains A; null: A is in the caller's memory only.
  GemvRoutine(const GemvProblem& problem, const ResidentMatrix* a) : problem_(problem), a_(a) {}

  std::string text() const override;
  Precision precision() const override { return problem_.precision; }
  std::int64_t outputs() const override { return problem_.outputs(); }
  std::int64_t terms() const override { return problem_.terms(); }
  std::uint64_t number() const override;
  double bytes() const override { return traffic_bytes(problem_); }
  bool is_trivial() const override { return problem_.only_scales_y(); }
  std::int64_t unit(const GpuSide& gpu) const override;
  bool is_resident(const GpuSide& gpu) const override;
  void run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const override;
  void require(CpuSide& cpu, const CpuConfig& config) const override;
  RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                   bool looked_at) const override;
  void publish(const RoutineJob& job, Interval outputs) const override;
  WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                    std::uint64_t seed) const override;
  std::vector<TriedProgram> programs(const GpuSide& gpu) const override;
  void forget_choice(GpuSide& gpu) const override;

  /// The kernel for the device's part.
  GemvKernel kernel(const GpuSide& gpu) const;

 private:
  GemvProblem problem_;
  const ResidentMatrix* a_;
};

/// ger: its outputs are A's rows.
class GerRoutine final : public StreamRoutine {
 public:
  explicit GerRoutine(const GerProblem& problem) : problem_(problem) {}

  std::string text() const override;
  Precision precision() const override { return problem_.precision; }
  std::int64_t outputs() const override { return problem_.columns == 0 ? 0 : problem_.rows; }
  std::int64_t terms() const override { return problem_.columns; }
  std::uint64_t number() const override;
  double bytes() const override { return traffic_bytes(problem_); }
  double kept_bytes() const override { return traffic_bytes(problem_) / 2; }
  bool is_trivial() const override { return problem_.changes_nothing(); }
  std::int64_t unit(const GpuSide& gpu) const override;
  void run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const override;
  void require(CpuSide& cpu, const CpuConfig& config) const override;
  RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                   bool looked_at) const override;
  void publish(const RoutineJob& job, Interval outputs) const override;
  WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                    std::uint64_t seed) const override;
  std::vector<TriedProgram> programs(const GpuSide& gpu) const override;
  void forget_choice(GpuSide& gpu) const override;

  /// The kernel for the device's part.
  UpdateKernel kernel(const GpuSide& gpu) const;

 private:
  GerProblem problem_;
};

/// axpy: its outputs are y's elements.
class AxpyRoutine final : public StreamRoutine {
 public:
  explicit AxpyRoutine(const AxpyProblem& problem) : problem_(problem) {}

  std::string text() const override;
  Precision precision() const override { return problem_.precision; }
  std::int64_t outputs() const override { return problem_.size; }
  std::int64_t terms() const override { return 1; }
  std::uint64_t number() const override;
  double bytes() const override { return traffic_bytes(problem_); }
  double kept_bytes() const override { return traffic_bytes(problem_) / 3; }
  bool is_trivial() const override {
    return problem_.changes_nothing() || !problem_.can_be_partitioned();
  }
  std::int64_t unit(const GpuSide& gpu) const override;
  void run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const override;
  void require(CpuSide& cpu, const CpuConfig& config) const override;
  RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                   bool looked_at) const override;
  void publish(const RoutineJob& job, Interval outputs) const override;
  WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                    std::uint64_t seed) const override;
  std::vector<TriedProgram> programs(const GpuSide& gpu) const override;
  void forget_choice(GpuSide& gpu) const override;

  /// The kernel for the device's part.
  UpdateKernel kernel(const GpuSide& gpu) const;

 private:
  AxpyProblem problem_;
};

/// omatcopy: its outputs are B's rows.
class CopyRoutine final : public StreamRoutine {
 public:
  explicit CopyRoutine(const CopyProblem& problem) : problem_(problem) {}

  std::string text() const override;
  Precision precision() const override { return problem_.precision; }
  std::int64_t outputs() const override { return problem_.columns == 0 ? 0 : problem_.rows; }
  std::int64_t terms() const override { return problem_.columns; }
  std::uint64_t number() const override;
  double bytes() const override { return traffic_bytes(problem_); }
  bool is_trivial() const override { return problem_.alpha == std::complex<double>(0.0); }
  std::int64_t unit(const GpuSide& gpu) const override;
  void run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const override;
  RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                   bool looked_at) const override;
  WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                    std::uint64_t seed) const override;
  std::vector<TriedProgram> programs(const GpuSide& gpu) const override;
  void forget_choice(GpuSide& gpu) const override;

  /// The kernel for the device's part.
  CopyKernel kernel(const GpuSide& gpu) const;

 private:
  CopyProblem problem_;
};

}  // namespace duoblas
