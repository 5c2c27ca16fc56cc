#include "engine/vector_routines.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/update_check.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/axpy.hpp"
#include "gpu/streams/update_job.hpp"

namespace duoblas {

std::string AxpyRoutine::text() const {
  return std::string(1, letter(problem_.precision)) + "axpy n=" + std::to_string(problem_.size);
}

// Elements with gaps are read together with the gaps, and the device works on copies of them.
std::uint64_t AxpyRoutine::number() const {
  return stream_number(RoutineProgramKind::axpy, problem_.precision,
                       {problem_.x.increment != 1, problem_.y.increment != 1});
}

UpdateKernel AxpyRoutine::kernel(const GpuSide& gpu) const {
  return gpu.device()->choices.axpy.kernel(gpu.limits(), problem_.precision, false);
}

std::int64_t AxpyRoutine::unit(const GpuSide& gpu) const {
  const UpdateKernel of = kernel(gpu);
  return std::int64_t{of.across} * of.lines * of.vector_width;
}

void AxpyRoutine::run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const {
  cpu.run(elements_of(problem_, outputs), config, begun);
}

void AxpyRoutine::require(CpuSide& cpu, const CpuConfig& config) const {
  cpu.require(routine_of(problem_), problem_.precision, config);
}

RoutineJob AxpyRoutine::start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                              bool looked_at) const {
  return start_axpy(gpu.device(), elements_of(problem_, outputs), kernel(gpu), sharing,
                    elements_of(problem_, of_host), looked_at);
}

void AxpyRoutine::publish(const RoutineJob& job, Interval outputs) const {
  copy_back(job, rect_of_y(elements_of(problem_, outputs)));
}

WrongOutput AxpyRoutine::wrong(const RoutineJob& job, Interval outputs, bool all,
                               std::uint64_t seed) const {
  const AxpyProblem part = elements_of(problem_, outputs);
  std::array<double, 2> one{1.0, 0.0};
  std::array<float, 2> single{1.0F, 0.0F};
  void* const factor = is_double(part.precision) ? static_cast<void*>(&one) : &single;
  const GerProblem update = as_ger(part, factor);
  if (reads_what_it_writes(update)) return {};
  return wrong_in(update, places_of(job, part.y.data, part.y.increment, 1), all, seed);
}

std::vector<TriedProgram> AxpyRoutine::programs(const GpuSide& gpu) const {
  return axpy_programs(problem_.precision, kernel(gpu));
}

void AxpyRoutine::forget_choice(GpuSide& gpu) const {
  gpu.device()->choices.axpy.prefer(problem_.precision, false, std::nullopt);
}

}  // namespace duoblas
