// gemv as a StreamRoutine: its outputs are y's elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/stream_routine.hpp"
#include "gpu/device/resident_matrix.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

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

}  // namespace duoblas
