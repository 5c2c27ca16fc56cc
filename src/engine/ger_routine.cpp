#include "engine/vector_routines.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/update_check.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/ger.hpp"
#include "gpu/streams/update_job.hpp"

namespace duoblas {
std::string GerRoutine::text() const {
  const bool conjugates = problem_.conjugates_x || problem_.conjugates_y;
  const char* const name = !is_complex(problem_.precision) ? "ger" : conjugates ? "gerc" : "geru";
  return std::string(1, letter(problem_.precision)) + name +
         " rows=" + std::to_string(problem_.rows) + " columns=" + std::to_string(problem_.columns);
}

std::uint64_t GerRoutine::number() const {
  return stream_number(RoutineProgramKind::ger, problem_.precision,
                       {problem_.conjugates_x, problem_.conjugates_y});
}

UpdateKernel GerRoutine::kernel(const GpuSide& gpu) const {
  return gpu.device()->choices.ger.kernel(gpu.limits(), problem_.precision, false);
}

std::int64_t GerRoutine::unit(const GpuSide& gpu) const {
  const UpdateKernel of = kernel(gpu);
  return std::int64_t{of.lines} * of.down;
}

void GerRoutine::run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const {
  cpu.run(rows_of(problem_, outputs), config, begun);
}

void GerRoutine::require(CpuSide& cpu, const CpuConfig& config) const {
  cpu.require(routine_of(problem_), problem_.precision, config);
}

RoutineJob GerRoutine::start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                             bool looked_at) const {
  return start_ger(gpu.device(), rows_of(problem_, outputs), kernel(gpu), sharing,
                   rows_of(problem_, of_host), looked_at);
}

void GerRoutine::publish(const RoutineJob& job, Interval outputs) const {
  const GerProblem part = rows_of(problem_, outputs);
  copy_back(job, rect_of(part.a, part.rows, part.columns, part.lda, part.precision));
}

WrongOutput GerRoutine::wrong(const RoutineJob& job, Interval outputs, bool all,
                              std::uint64_t seed) const {
  const GerProblem part = rows_of(problem_, outputs);
  if (reads_what_it_writes(part)) return {};
  return wrong_in(part, places_of(job, part.a, part.lda, part.columns), all, seed);
}

std::vector<TriedProgram> GerRoutine::programs(const GpuSide& gpu) const {
  return ger_programs(problem_, kernel(gpu));
}

void GerRoutine::forget_choice(GpuSide& gpu) const {
  gpu.device()->choices.ger.prefer(problem_.precision, false, std::nullopt);
}

}  // namespace duoblas
