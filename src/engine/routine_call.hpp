// A memory-bound routine (stream_routine.hpp) as a Call: the device has the first outputs, the CPU
// the others.
#pragma once

#include <string>
#include <vector>

#include "engine/call.hpp"
#include "engine/stream_routine.hpp"

namespace duoblas {

class RoutineCall final : public Call {
 public:
  RoutineCall(const StreamRoutine& routine, Outcome& told)
      : Call(told), routine_(routine), launches_(routine) {}

  Precision precision() const override { return routine_.precision(); }
  bool launches_plans_kernel() const override { return false; }
  const Launches& launches() override { return launches_; }
  void run_alone(CpuSide& cpu) override;
  void require(CpuSide& cpu) override;
  void start(GpuSide& gpu) override;
  void run_beside(CpuSide& cpu) override;
  bool has_begun() const override { return has_begun_; }
  bool take_over(GpuSide& gpu) noexcept override;
  void give_up() noexcept override;
  void wait() override;
  GpuJobTimes times(double now) const override;
  void finish(CpuSide& cpu) override;
  void run_part(CpuSide& cpu) override { finish(cpu); }
  void end() noexcept override { job_ = {}; }
  void begin_check(ResultChecks& checks, GpuSide& gpu, Manner manner) noexcept override;
  PartCheck check(bool done) override;
  std::string describe(const PartCheck&) const override { return *wrong_; }
  void publish() override { routine_.publish(job_, of_gpu()); }
  void undo() noexcept override { job_.undo(); }
  Suspect suspect(const ResultChecks& checks) const noexcept override;
  bool convict(GpuSide& gpu, const std::string& why) override;

 private:
  Interval of_gpu() const { return {0, plan.gpu_extent}; }
  Interval of_cpu() const { return {plan.gpu_extent, routine_.outputs() - plan.gpu_extent}; }

  const StreamRoutine& routine_;
  RoutineLaunches launches_;
  StreamCheck stream_check_;
  std::vector<TriedProgram> programs_;  ///< that are checked
  RoutineJob job_;
  WrongOutput wrong_;
  bool has_begun_ = false, is_done_ = false;
};

}  // namespace duoblas
