// ger as a StreamRoutine: its outputs are A's rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/stream_routine.hpp"
#include "kernel_space/update_kernel.hpp"
#include "problem/ger_problem.hpp"

namespace duoblas {

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

}  // namespace duoblas
