#include "engine/vector_routines.hpp"

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/streams/matrix_copy.hpp"

namespace duoblas {
std::string CopyRoutine::text() const {
  return std::string(1, letter(problem_.precision)) +
         "omatcopy rows=" + std::to_string(problem_.rows) +
         " columns=" + std::to_string(problem_.columns) +
         (problem_.transposes ? " transposed" : "");
}

std::uint64_t CopyRoutine::number() const {
  return stream_number(
      RoutineProgramKind::omatcopy, problem_.precision,
      {problem_.transposes, problem_.conjugates, problem_.alpha != std::complex<double>(1.0)});
}

CopyKernel CopyRoutine::kernel(const GpuSide& gpu) const {
  return gpu.device()->choices.omatcopy.kernel(gpu.limits(), problem_.precision,
                                               problem_.transposes);
}

std::int64_t CopyRoutine::unit(const GpuSide& gpu) const {
  const CopyKernel of = kernel(gpu);
  return problem_.transposes ? of.tile : std::int64_t{of.lines} * of.down;
}

// Nobody needs the old values of B.
void CopyRoutine::run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool*) const {
  cpu.run(rows_of(problem_, outputs), config);
}

RoutineJob CopyRoutine::start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                              bool) const {
  return start_copy(gpu.device(), rows_of(problem_, outputs), kernel(gpu), sharing,
                    rows_of(problem_, of_host));
}

// A sample is every 61st element of each row, from another place in each.
WrongOutput CopyRoutine::wrong(const RoutineJob&, Interval outputs, bool all, std::uint64_t) const {
  std::string wrong = wrong_copy(rows_of(problem_, outputs), all ? 1 : 61);
  if (wrong.empty()) return {};
  return wrong;
}

std::vector<TriedProgram> CopyRoutine::programs(const GpuSide& gpu) const {
  return copy_programs(problem_, kernel(gpu));
}

void CopyRoutine::forget_choice(GpuSide& gpu) const {
  gpu.device()->choices.omatcopy.prefer(problem_.precision, problem_.transposes, std::nullopt);
}

}  // namespace duoblas
