#include "engine/vector_routines.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "check/product_check.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/gemv.hpp"
#include "gpu/streams/vector_product.hpp"

namespace duoblas {
namespace {

// Elements of a sample. Computing their sums takes a small part of the device's work.
constexpr std::int64_t sampled_outputs = 8;

WrongOutput wrong_sums(const GemvProblem& part, const void* sums) {
  const VectorProduct product(part, sums);
  if (!can_check(product.problem())) return {};
  const auto wrong = wrong_element(product.problem(), nullptr);
  if (!wrong) return {};
  return describe(*wrong, product.problem());
}

}  // namespace

std::string GemvRoutine::text() const {
  return std::string(1, letter(problem_.precision)) + "gemv rows=" + std::to_string(problem_.rows) +
         " columns=" + std::to_string(problem_.columns) +
         (problem_.transposes ? " transposed" : "");
}

std::uint64_t GemvRoutine::number() const {
  return stream_number(
      RoutineProgramKind::gemv, problem_.precision,
      {problem_.transposes, problem_.conjugates, problem_.overwrites_y(), a_ != nullptr});
}

GemvKernel GemvRoutine::kernel(const GpuSide& gpu) const {
  return gpu.device()->choices.gemv.kernel(gpu.limits(), problem_.precision, problem_.transposes);
}

std::int64_t GemvRoutine::unit(const GpuSide& gpu) const {
  const GemvKernel of = kernel(gpu);
  return of.lines * (problem_.transposes ? of.across * of.vector_width : 1);
}

bool GemvRoutine::is_resident(const GpuSide& gpu) const {
  return a_ != nullptr && a_->is_on(*gpu.device());
}

void GemvRoutine::run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const {
  cpu.run(outputs_of(problem_, outputs), config, begun);
}

void GemvRoutine::require(CpuSide& cpu, const CpuConfig& config) const {
  cpu.require(VectorRoutine::gemv, problem_.precision, config);
}

RoutineJob GemvRoutine::start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                              bool) const {
  return start_gemv(gpu.device(), outputs_of(problem_, outputs), kernel(gpu), sharing,
                    outputs_of(problem_, of_host), a_);
}

void GemvRoutine::publish(const RoutineJob& job, Interval outputs) const {
  add_sums(outputs_of(problem_, outputs), job.results());
}

WrongOutput GemvRoutine::wrong(const RoutineJob& job, Interval outputs, bool all,
                               std::uint64_t seed) const {
  const GemvProblem part = outputs_of(problem_, outputs);
  if (all || outputs.count <= sampled_outputs) return wrong_sums(part, job.results());
  std::mt19937_64 engine(seed);
  std::uniform_int_distribution<std::int64_t> first(0, outputs.count - 1);
  for (std::int64_t i = 0; i < sampled_outputs; ++i) {
    const std::int64_t output = first(engine);
    const auto* sums = static_cast<const char*>(job.results()) +
                       output * static_cast<std::int64_t>(element_size(part.precision));
    if (auto wrong = wrong_sums(outputs_of(part, {output, 1}), sums)) return wrong;
  }
  return {};
}

std::vector<TriedProgram> GemvRoutine::programs(const GpuSide& gpu) const {
  return gemv_programs(*gpu.device(), problem_, kernel(gpu));
}

void GemvRoutine::forget_choice(GpuSide& gpu) const {
  gpu.device()->choices.gemv.prefer(problem_.precision, problem_.transposes, std::nullopt);
}

}  // namespace duoblas
