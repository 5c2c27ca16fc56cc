#include "engine/copy_routine.hpp"

#include <algorithm>

#include "gpu/matrix_copy.hpp"
#include "gpu/opened_device.hpp"

namespace duoblas {
namespace {

constexpr std::uint64_t copy_number = 2;

}  // namespace

std::string CopyRoutine::text() const {
  return std::string(1, letter(problem_.precision)) +
         "omatcopy rows=" + std::to_string(problem_.rows) +
         " columns=" + std::to_string(problem_.columns) +
         (problem_.transposes ? " transposed" : "");
}

std::uint64_t CopyRoutine::number() const {
  std::uint64_t number = copy_number;
  for (const int choice :
       {static_cast<int>(precision_index(problem_.precision)), int{problem_.transposes},
        int{problem_.conjugates}, int{problem_.alpha != std::complex<double>(1.0)}, 0})
    number = number * 4 + static_cast<std::uint64_t>(choice);
  return number;
}

CopyKernel CopyRoutine::kernel(const DeviceLimits& device) const {
  return default_copy_kernel(device, problem_.precision, problem_.transposes);
}

std::int64_t CopyRoutine::unit(const GpuSide& gpu) const {
  const CopyKernel of = kernel(gpu.limits());
  return problem_.transposes ? of.tile : std::int64_t{of.lines} * of.down;
}

void CopyRoutine::run(CpuSide& cpu, const CpuConfig& config, Interval outputs) const {
  cpu.run(rows_of(problem_, outputs), config);
}

RoutineJob CopyRoutine::start(GpuSide& gpu, Interval outputs, Interval of_host,
                              SharingMode sharing) const {
  return start_copy(gpu.device(), rows_of(problem_, outputs), kernel(gpu.limits()), sharing,
                    rows_of(problem_, of_host));
}

// A sample is every 61st element of each row, from another place in each.
WrongOutput CopyRoutine::wrong(const RoutineJob&, Interval outputs, bool all, std::uint64_t) const {
  std::string wrong = wrong_copy(rows_of(problem_, outputs), all ? 1 : 61);
  if (wrong.empty()) return {};
  return wrong;
}

bool CopyRoutine::has_program(GpuSide& gpu) const {
  return gpu.device()->routines.has(copy_program(problem_, kernel(gpu.limits())));
}

std::function<void(GpuSide&)> CopyRoutine::builder() const {
  return [problem = problem_](GpuSide& gpu) {
    built_copy(*gpu.device(), problem,
               default_copy_kernel(gpu.limits(), problem.precision, problem.transposes));
  };
}

void CopyRoutine::convict(GpuSide& gpu, const std::string& why) const {
  gpu.device()->routines.convict(copy_program(problem_, kernel(gpu.limits())), why);
}

}  // namespace duoblas
