// omatcopy as a StreamRoutine: its outputs are B's rows.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/stream_routine.hpp"
#include "kernel_space/copy_kernel.hpp"
#include "problem/copy_problem.hpp"

namespace duoblas {

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
