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

// The device's part; correct also if the plan covers only some of C's rows.
GemmProblem part_of(const GemmProblem& problem, const Plan& plan) {
  return partition(plan.parts(problem).gpu, plan.axis, plan.gpu_extent).gpu;
}

void add_kernels(const GpuSide& gpu, const GemmProblem& problem, const Plan& plan,
                 std::vector<KernelVariant>& kernels) {
  if (!plan.uses_gpu()) return;
  for (const KernelVariant& variant :
       gpu.variants(part_of(problem, plan), plan.kernel, plan.sharing))
    if (std::ranges::find(kernels, variant) == kernels.end()) kernels.push_back(variant);
}

// What a first check takes longer than a call without: to keep old values in new memory, and to
// compare.
double seconds_of_keeping(Precision precision, std::int64_t rows, std::int64_t columns,
                          const ResultChecks& checks) {
  const int threads = std::clamp(checks.threads().threads, 1, rates::most_threads_that_keep);
  return rates::seconds_of_keeping_a_byte / threads *
         static_cast<double>(footprint(precision, rows, columns, columns));
}

// A result that arrives through page-locked memory is checked before it is copied to C.
double seconds_of_first_check(const GemmProblem& product, const Plan& plan, ResultChecks& checks) {
  if (product.overwrites_c() || !plan.uses_gpu() || plan.sharing != SharingMode::host_pointer)
    return 0;
  const GemmProblem of_gpu = part_of(product, plan);
  if (!checks.is_new(of_gpu, plan.kernel)) return 0;
  return seconds_of_keeping(of_gpu.precision, of_gpu.m, of_gpu.n, checks);
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

}  // namespace

std::size_t builds_of(const GpuSide& gpu) {
  return gpu.built_kernels() + gpu.device()->kernels.builds();
}

bool Launches::are_there(const GpuSide& gpu) const {
  const std::vector<TriedProgram> beside = programs(gpu);
  return gpu.has_kernels(kernels(gpu)) &&
         std::ranges::all_of(beside, [&](const TriedProgram& tried) {
           return tried.is_spare || gpu.device()->kernels.has(tried.number);
         });
}

bool Launches::need_trials(const GpuSide& gpu) const {
  return gpu.need_trials(kernels(gpu)) || any_needs_trial(gpu, programs(gpu));
}

bool Launches::lack_spares(const GpuSide& gpu) const {
  const std::vector<TriedProgram> beside = programs(gpu);
  return std::ranges::any_of(beside, &TriedProgram::is_spare) &&
         !gpu.device()->kernels.has_all(beside);
}

std::vector<DeviceBuild> Launches::builds(const GpuSide& gpu) const {
  std::vector<DeviceBuild> all;
  for (const KernelVariant& variant : kernels(gpu)) {
    if (gpu.has_kernels({variant})) continue;
    const auto work = [variant](GpuSide& side) {
      side.build_kernels({variant});
      return side.has_kernels({variant});
    };
    all.push_back({work, gpu.need_trials({variant})});
  }
  std::vector<TriedProgram> beside = programs(gpu);
  if (gpu.device()->kernels.has_all(beside)) return all;
  const bool needs_trial = any_needs_trial(gpu, beside);
  const auto work = [beside = std::move(beside)](GpuSide& side) {
    try {
      side.device()->kernels.prepare(beside);
      return true;
    } catch (const std::exception&) {
      return false;  // calls find it out of use, or try again
    }
  };
  all.push_back({work, needs_trial});
  return all;
}

std::vector<KernelVariant> Launches::kernels(const GpuSide& gpu) const {
  std::vector<KernelVariant> all;
  const auto add = [&](const std::vector<PlannedProduct>& products) {
    for (const auto& [product, plan] : products) add_kernels(gpu, product, plan, all);
  };
  if (product_ != nullptr) add_kernels(gpu, *product_, *plan_, all);
  if (steps_ == nullptr) return all;
  for (const CallStep& step : *steps_)
    if (const auto* product = std::get_if<PlannedProduct>(&step))
      add_kernels(gpu, product->problem, product->plan, all);
    else if (const auto* call = std::get_if<DeviceCall>(&step))
      add(products_of(*call));
    else if (const auto* factors = std::get_if<DeviceFactorisation>(&step))
      add(products_of(*factors));
  return all;
}

std::vector<TriedProgram> Launches::programs(const GpuSide& gpu) const {
  std::vector<TriedProgram> all;
  if (gemv_ != nullptr) all = programs_of(gpu, *gemv_);
  if (steps_ == nullptr) return all;
  const OpenedDevice& device = *gpu.device();
  for (const CallStep& step : *steps_)
    if (const auto* factors = std::get_if<DeviceFactorisation>(&step))
      std::ranges::move(programs_beside_products(device, factors->problem, factors->width),
                        std::back_inserter(all));
    else if (const auto* call = std::get_if<DeviceCall>(&step))
      std::ranges::move(leaf_programs(device, call->problem,
                                      block_sizes(call->problem, call->in_place, call->plan.kernel),
                                      call->in_place),
                        std::back_inserter(all));
  return all;
}

double Launches::seconds_of_first_check(ResultChecks& checks) const noexcept {
  double seconds =
      product_ != nullptr ? duoblas::seconds_of_first_check(*product_, *plan_, checks) : 0;
  if (steps_ == nullptr) return seconds;
  for (const CallStep& step : *steps_)
    if (const auto* product = std::get_if<PlannedProduct>(&step))
      seconds += duoblas::seconds_of_first_check(product->problem, product->plan, checks);
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
