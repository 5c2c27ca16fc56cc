#include "engine/launches.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <utility>
#include <variant>

#include <duoblas/error.hpp>

#include "check/level3_check.hpp"
#include "engine/gemv_call.hpp"
#include "facts/rates.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/level3/leaf_inverses.hpp"
#include "gpu/level3/level3_job.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {
namespace {

bool any_needs_trial(const GpuSide& gpu, const std::vector<TriedProgram>& programs) {
  try {
    return std::ranges::any_of(programs, [&](const TriedProgram& tried) {
      return gpu.device()->kernels.needs_trial(tried);
    });
  } catch (const DeviceError&) {
    return false;  // what cannot be built is the device's to report, or the CPU does it
  }
}

DeviceBuild build_of(const GpuSide& gpu, std::vector<TriedProgram>&& programs) {
  const bool needs_trial = any_needs_trial(gpu, programs);
  const auto work = [programs = std::move(programs)](GpuSide& side) {
    try {
      side.device()->kernels.prepare(programs);
      return true;
    } catch (const std::exception&) {
      return false;  // calls find it out of use, or try again
    }
  };
  return {work, needs_trial};
}

// What a first check takes longer than a call without: to keep old values in new memory, and to
// compare.
double seconds_of_keeping(Precision precision, std::int64_t rows, std::int64_t columns,
                          const ResultChecks& checks) {
  const int threads = std::clamp(checks.threads().threads, 1, rates::most_threads_that_keep);
  return rates::seconds_of_keeping_a_byte / threads *
         static_cast<double>(footprint(precision, rows, columns, columns));
}

double seconds_of_first_check(const DeviceCall& call, ResultChecks& checks) {
  const Level3Problem& p = call.problem;
  if (!needs_old_c(p) || !checks.is_new(p, call.plan.kernel)) return 0;
  return seconds_of_keeping(p.precision, stored_c(p).rows, p.n, checks);
}

double seconds_of_first_check(const DeviceFactorisation& call, ResultChecks& checks) {
  const LapackProblem& p = call.problem;
  if (!checks.is_new(p, call.plan.kernel)) return 0;
  return seconds_of_keeping(p.precision, rows_of_matrix(p), p.n, checks);
}

// Calls `product` with each product of a step and its plan, or one for each kernel.
template <typename Product>
void each_product(const std::vector<CallStep>& steps, Product&& product) {
  for (const CallStep& step : steps)
    if (const auto* planned = std::get_if<PlannedProduct>(&step))
      product(planned->problem, planned->plan);
    else if (const auto* call = std::get_if<DeviceCall>(&step))
      for (const auto& [of_kernel, plan] : products_of(*call)) product(of_kernel, plan);
    else if (const auto* factors = std::get_if<DeviceFactorisation>(&step))
      for (const auto& [of_kernel, plan] : products_of(*factors)) product(of_kernel, plan);
}

// What steps launch beside products.
std::vector<TriedProgram> programs_of(const GpuSide& gpu, const std::vector<CallStep>& steps) {
  std::vector<TriedProgram> programs;
  const OpenedDevice& device = *gpu.device();
  for (const CallStep& step : steps)
    if (const auto* factors = std::get_if<DeviceFactorisation>(&step))
      std::ranges::move(programs_beside_products(device, factors->problem, factors->width),
                        std::back_inserter(programs));
    else if (const auto* call = std::get_if<DeviceCall>(&step))
      std::ranges::move(leaf_programs(device, call->problem,
                                      block_sizes(call->problem, call->in_place, call->plan.kernel),
                                      call->in_place),
                        std::back_inserter(programs));
  return programs;
}

}  // namespace

std::size_t builds_of(const GpuSide& gpu) {
  return gpu.built_kernels() + gpu.device()->kernels.builds();
}

// Correct also if the plan covers only some of C's rows.
GemmProblem ProductLaunches::part() const {
  return partition(plan_.parts(problem_).gpu, plan_.axis, plan_.gpu_extent).gpu;
}

bool ProductLaunches::are_there(const GpuSide& gpu) const {
  return !plan_.uses_gpu() || gpu.has_kernels(part(), plan_.kernel, plan_.sharing);
}

bool ProductLaunches::need_trials(const GpuSide& gpu) const {
  return plan_.uses_gpu() && gpu.needs_trials(part(), plan_.kernel, plan_.sharing);
}

std::vector<DeviceBuild> ProductLaunches::builds(const GpuSide& gpu) const {
  if (are_there(gpu)) return {};
  const auto work = [part = part(), kernel = plan_.kernel, sharing = plan_.sharing](GpuSide& side) {
    side.build_kernels(part, kernel, sharing);
    return side.has_kernels(part, kernel, sharing);
  };
  return {{work, need_trials(gpu)}};
}

bool ProductLaunches::adds_kernels(const GpuSide& gpu, std::vector<KernelVariant>& others) const {
  bool adds = false;
  if (!plan_.uses_gpu()) return adds;
  for (const KernelVariant& variant : gpu.variants(part(), plan_.kernel, plan_.sharing)) {
    if (std::ranges::find(others, variant) != others.end()) continue;
    others.push_back(variant);
    adds = true;
  }
  return adds;
}

// A result that arrives through page-locked memory is checked before it is copied to C.
double ProductLaunches::seconds_of_first_check(ResultChecks& checks) const noexcept {
  if (problem_.overwrites_c() || !plan_.uses_gpu() || plan_.sharing != SharingMode::host_pointer)
    return 0;
  const GemmProblem of_gpu = part();
  if (!checks.is_new(of_gpu, plan_.kernel)) return 0;
  return seconds_of_keeping(of_gpu.precision, of_gpu.m, of_gpu.n, checks);
}

bool BatchLaunches::are_there(const GpuSide& gpu) const {
  return gpu.has_kernels(part_, plan_.sharing);
}

bool BatchLaunches::need_trials(const GpuSide& gpu) const {
  return gpu.needs_trials(part_, plan_.sharing);
}

// The caller's arrays of pointers are gone by then; only the shapes are read.
std::vector<DeviceBuild> BatchLaunches::builds(const GpuSide& gpu) const {
  BatchProblem shapes{part_.precision, {}};
  for (const BatchGroup& group : part_.groups) {
    BatchGroup& shape = shapes.groups.emplace_back();
    shape.shape = group.shape;
    shape.count = group.count;
  }
  const auto work = [shapes = std::move(shapes), sharing = plan_.sharing](GpuSide& side) {
    side.build_kernels(shapes, sharing);
    return side.has_kernels(shapes, sharing);
  };
  return {{work, need_trials(gpu)}};
}

bool GemvLaunches::are_there(const GpuSide& gpu) const {
  const KernelCache& kernels = gpu.device()->kernels;
  return std::ranges::all_of(programs_of(gpu, problem_), [&](const TriedProgram& tried) {
    return tried.is_spare || kernels.has(tried.number);
  });
}

bool GemvLaunches::lack_spares(const GpuSide& gpu) const {
  return !gpu.device()->kernels.has_all(programs_of(gpu, problem_));
}

std::vector<DeviceBuild> GemvLaunches::builds(const GpuSide& gpu) const {
  return {build_of(gpu, programs_of(gpu, problem_))};
}

bool StepLaunches::are_there(const GpuSide& gpu) const {
  bool all = gpu.device()->kernels.has_all(programs_of(gpu, steps_));
  each_product(steps_, [&](const GemmProblem& problem, const Plan& plan) {
    all = all && ProductLaunches(problem, plan).are_there(gpu);
  });
  return all;
}

bool StepLaunches::need_trials(const GpuSide& gpu) const {
  bool any = false;
  each_product(steps_, [&](const GemmProblem& problem, const Plan& plan) {
    any = any || ProductLaunches(problem, plan).need_trials(gpu);
  });
  return any || any_needs_trial(gpu, programs_of(gpu, steps_));
}

std::vector<DeviceBuild> StepLaunches::builds(const GpuSide& gpu) const {
  std::vector<DeviceBuild> all;
  std::vector<KernelVariant> kernels;
  each_product(steps_, [&](const GemmProblem& problem, const Plan& plan) {
    const ProductLaunches product(problem, plan);
    if (product.are_there(gpu) || !product.adds_kernels(gpu, kernels)) return;
    std::ranges::move(product.builds(gpu), std::back_inserter(all));
  });
  std::vector<TriedProgram> programs = programs_of(gpu, steps_);
  if (!gpu.device()->kernels.has_all(programs)) all.push_back(build_of(gpu, std::move(programs)));
  return all;
}

double StepLaunches::seconds_of_first_check(ResultChecks& checks) const noexcept {
  double seconds = 0;
  for (const CallStep& step : steps_)
    if (const auto* product = std::get_if<PlannedProduct>(&step))
      seconds += ProductLaunches(product->problem, product->plan).seconds_of_first_check(checks);
    else if (const auto* job = std::get_if<DeviceCall>(&step))
      seconds += duoblas::seconds_of_first_check(*job, checks);
    else if (const auto* factors = std::get_if<DeviceFactorisation>(&step))
      seconds += duoblas::seconds_of_first_check(*factors, checks);
  return seconds;
}

std::vector<PlannedProduct> products_of(const DeviceCall& call) {
  std::vector<PlannedProduct> products;
  for (const GemmProblem& product : products_by_kernel(
           call.problem, call.plan.kernel,
           block_sizes(call.problem, call.in_place, call.plan.kernel), call.in_place)) {
    PlannedProduct& planned = products.emplace_back(PlannedProduct{product, call.plan});
    planned.plan.entry_rows = 0;
    planned.plan.axis = Axis::rows;
    planned.plan.gpu_extent = product.m;
    if (planned.plan.sharing == SharingMode::pinned) planned.plan.sharing = SharingMode::staged;
    planned.plan.kernel.inline_sizes = false;  // as PipelinedLevel3 has it
  }
  return products;
}

std::vector<PlannedProduct> products_of(const DeviceFactorisation& call) {
  std::vector<PlannedProduct> products;
  for (const GemmProblem& product :
       products_by_kernel(call.problem, call.plan.kernel, call.width)) {
    PlannedProduct& planned = products.emplace_back(PlannedProduct{product, call.plan});
    planned.plan.gpu_extent = product.m;
    planned.plan.sharing = SharingMode::staged;
    planned.plan.kernel.inline_sizes = false;  // as MatrixOnDevice has it
  }
  return products;
}

}  // namespace duoblas
