#include "planner/call_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "facts/rates.hpp"
#include "kernel_space/device_blocks.hpp"
#include "planner/way.hpp"
#include "problem/blas_call.h"

namespace duoblas {
namespace {

double log_extent(std::int64_t extent) {
  return std::log(static_cast<double>(std::max<std::int64_t>(extent, 1)));
}

// A core does half as many double multiply-adds per second as float ones, and a complex one takes
// four.
double work_of_type(Precision precision) {
  return (is_double(precision) ? 2.0 : 1.0) * (is_complex(precision) ? 4.0 : 1.0);
}

double bytes_of(Precision precision) {
  return static_cast<double>(element_size(precision));
}

double c_bytes(const GemmProblem& p, const WorkSizes& part) {
  return bytes_of(p.precision) * part.m * part.n;
}

}  // namespace

CallEstimate::CallEstimate(const CostModel& model, const ModelGroup& group, const Profile& profile,
                           const GemmProblem& problem, const LearnedTimes* learned)
    : group_(group), learned_(learned) {
  const double m = log_extent(problem.m), n = log_extent(problem.n), k = log_extent(problem.k);
  std::array<double, timed_models + 1> sums{}, weights{};
  double nearest = endless;
  const ModelPoint* const points = model.points(group);
  for (std::size_t i = 0; i < group.count; ++i) {
    const ModelPoint& point = points[i];
    const double dm = point.log_m - m, dn = point.log_n - n, dk = point.log_k - k;
    const double squared = dm * dm + dn * dn + dk * dk;
    if (squared < nearest) {
      nearest = squared;
      nearest_ = &profile.points[point.place];
      log_distance_ = std::max({std::abs(dm), std::abs(dn), std::abs(dk)});
    }
    // The fourth power, so that near points count much more; never a division by 0.
    const double weight = 1 / (squared * squared + 1e-20);
    for (std::size_t time_model = 0; time_model < sums.size(); ++time_model) {
      sums[time_model] += weight * point.log_residual[time_model];
      weights[time_model] += weight * point.measured[time_model];
    }
  }
  for (std::size_t time_model = 0; time_model < sums.size(); ++time_model)
    residual_[time_model] =
        weights[time_model] > 0 ? std::exp(sums[time_model] / weights[time_model]) : 1.0;
  const TypeRatio of_type{work_of_type(problem.precision) / work_of_type(nearest_->precision),
                          bytes_of(problem.precision) / bytes_of(nearest_->precision)};
  for (std::size_t i = 0; i < timed_models; ++i) {
    time_models_[i] = group.time_models[i].of_type(of_type);
    factors_[i] = learned == nullptr ? 1 : std::exp(learned->posteriors[i].mean);
  }
  estimate(problem);
}

// Both sides share the memory, so a memory-bound call takes at least this long with every strategy.
void CallEstimate::estimate(const GemmProblem& problem) {
  problem_ = &problem;
  is_tuned_ = nearest_->m == problem.m && nearest_->n == problem.n && nearest_->k == problem.k;
  const WorkSizes all = cpu_work(problem, {});
  least_seconds_ = operand_bytes(problem.precision, all) / group_.bytes_per_second;
  modelled_cpu_ = std::max(updating(timed(Timed::cpu_all, all), group_.cpu_update_seconds, all),
                           least_seconds_);
}

double CallEstimate::needed_gain_by_sharing() const {
  // Counts in full from half or twice the size of the nearest tuned shape on. On a machine whose
  // calls differ by 5 to 10 %, 8 % was the best of 0 to 30 %.
  constexpr double far = 0.69;
  return std::min(group_.noise, 1 - worthwhile) * std::min(log_distance_ / far, 1.0);
}

double CallEstimate::timed(Timed what, const WorkSizes& sizes) const {
  return time_models_[place_of(what)].seconds(sizes) * residual_[place_of(what)];
}

// Copies that were not there while tuning: staging on a driver that no longer shares.
double CallEstimate::added_copies(const WorkSizes& part) const {
  if (!part.copied || nearest_->gpu.sharing != SharingMode::host_pointer) return 0;
  return operand_bytes(problem_->precision, part) / rates::copied_bytes_per_second;
}

// Points are tuned with beta == 0. Otherwise C is read, and saved or copied to the device, and is
// not filled with zeros. A small C may have been in a cache all along: then that saves half at
// most.
double CallEstimate::updating(double seconds, double seconds_per_byte,
                              const WorkSizes& part) const {
  if (problem_->overwrites_c()) return seconds;
  return std::max(seconds + seconds_per_byte * c_bytes(*problem_, part), 0.5 * seconds);
}

// The transfers of a part that does not fit the device, block by block. The kernels work meanwhile,
// so this is a lower bound. The bus was not measured; no call was seen to transfer faster than
// bytes_per_second.
double CallEstimate::streaming_seconds(const PlannedPartition& at,
                                       const GpuConfig& gpu_config) const {
  if (gpu_config.device == nullptr) return 0;
  const GemmProblem part = partition(*problem_, at.axis, at.gpu_extent).gpu;
  if (part.empty() || part.only_scales_c()) return 0;
  const bool staged = copies(gpu_config.sharing);
  DeviceBytes bytes = bytes_at_once(part, gpu_config.kernel, {staged, staged, staged});
  // By integers the scratch memory is what copies leave.
  const bool packs = !is_by_integers(gpu_config.kernel);
  if (!packs) bytes.packed_a = bytes.packed_b = 0;
  if (fits_at_once(part, bytes, gpu_config.kernel, *gpu_config.device)) return 0;
  const Packing packing{packs && packs_a(gpu_config.kernel, part.op_a),
                        packs && packs_b(gpu_config.kernel, part.op_b)};
  const auto blocks = device_blocks(part, gpu_config.kernel, packing, *gpu_config.device);
  return blocks ? traffic_bytes(part, *blocks) / group_.bytes_per_second : endless;
}

double CallEstimate::log_part(double part) const {
  return std::log(part_ * std::max(part, 1e-6));
}

// The factor that calls showed for a part of C.
double CallEstimate::factor(Timed what, double part) const {
  const double of_last_part = factors_[place_of(what)];
  if (learned_ == nullptr || learned_->of(what).slope == 0) return of_last_part;
  const Posterior& known = learned_->of(what);
  return of_last_part * std::exp(known.slope * (log_part(part) - known.log_part));
}

bool CallEstimate::follows_calls() const {
  return learned_ != nullptr &&
         (learned_->has_seen(Timed::gpu_side) || learned_->has_seen(Timed::cpu_side));
}

double CallEstimate::cpu_seconds() const {
  return factor(Timed::cpu_all, 1) * modelled_cpu_;
}

double CallEstimate::gpu_seconds(const GpuConfig& gpu_config) const {
  return factor(Timed::gpu_alone, 1) * modelled_gpu(gpu_config);
}

double CallEstimate::modelled_gpu(const GpuConfig& gpu_config) const {
  const PlannedPartition all{Axis::rows, problem_->m};
  const WorkSizes sizes = gpu_work(*problem_, all, gpu_config);
  const double seconds = std::max(
      {timed(Timed::gpu_alone, sizes), least_seconds_, streaming_seconds(all, gpu_config)});
  return updating(seconds, group_.gpu_update_seconds, sizes) + added_copies(sizes);
}

// A side is not faster beside the other one than alone. The time models of whole calls rest on more
// points than those of parts, which between tuned shapes may promise nearly nothing: once 0.09 ms
// for a product that took the GPU 0.23 ms, the CPU 0.22 ms and both 0.29 ms.
double CallEstimate::at_least_alone(double beside, Timed alone, const WorkSizes& sizes) const {
  if (is_tuned() || !time_models_[place_of(alone)].known) return beside;
  return std::max(beside, timed(alone, sizes));
}

double CallEstimate::gpu_side(const PlannedPartition& partition,
                              const GpuConfig& gpu_config) const {
  return factor(Timed::gpu_side, partition.gpu_part(*problem_)) *
         modelled_gpu_side(partition, gpu_config);
}

double CallEstimate::cpu_side(const PlannedPartition& partition) const {
  return factor(Timed::cpu_side, 1 - partition.gpu_part(*problem_)) * modelled_cpu_side(partition);
}

double CallEstimate::modelled_gpu_side(const PlannedPartition& partition,
                                       const GpuConfig& gpu_config) const {
  const WorkSizes sizes = gpu_work(*problem_, partition, gpu_config);
  const double seconds =
      std::max(at_least_alone(timed(Timed::gpu_side, sizes), Timed::gpu_alone, sizes),
               streaming_seconds(partition, gpu_config));
  return updating(seconds, group_.gpu_update_seconds, sizes) + added_copies(sizes);
}

double CallEstimate::modelled_cpu_side(const PlannedPartition& partition) const {
  const WorkSizes sizes = cpu_work(*problem_, partition);
  const double seconds = at_least_alone(timed(Timed::cpu_side, sizes), Timed::cpu_all, sizes);
  return updating(seconds, group_.cpu_update_seconds, sizes);
}

double CallEstimate::hybrid_seconds(const PlannedPartition& partition,
                                    const GpuConfig& gpu_config) const {
  return whole_seconds(gpu_side(partition, gpu_config), cpu_side(partition));
}

double CallEstimate::whole_seconds(double gpu_side, double cpu_side) const {
  const double slower = std::max(gpu_side, cpu_side);
  const double whole = (slower + group_.join_seconds) * residual_.back();
  return follows_calls() ? whole : std::max(whole, least_seconds_);
}

SplitCall CallEstimate::split_call(const PlannedPartition& partition, Share share,
                                   const GpuConfig& gpu_config) const {
  SplitCall call{share, partition};
  if (partition.is_split(*problem_)) call.seconds = hybrid_seconds(partition, gpu_config);
  return call;
}

SplitCall CallEstimate::balanced_along(Axis axis, const GpuConfig& gpu_config) const {
  // The smallest share for which the GPU is the slower side, or the next smaller one, is best. The
  // search meets both, as the last ones that moved its ends. Several may be rounded to one extent.
  SplitCall less{{0, finest_share_parts}, {axis, -1}}, more = less;  // -1: not met
  int low = 1, high = finest_share_parts;
  while (low < high) {
    const int middle = (low + high) / 2;
    const Share share{middle, finest_share_parts};
    const PlannedPartition partition = partition_along(axis, *problem_, gpu_config.kernel, share);
    bool is_less = partition.gpu_extent == less.partition.gpu_extent;
    if (!is_less && partition.gpu_extent != more.partition.gpu_extent) {
      const double gpu = gpu_side(partition, gpu_config), cpu = cpu_side(partition);
      is_less = gpu < cpu;
      SplitCall& end = is_less ? less : more;
      end = {share, partition};
      if (partition.is_split(*problem_)) end.seconds = whole_seconds(gpu, cpu);
    }
    if (is_less)
      low = middle + 1;
    else
      high = middle;
  }
  return more.seconds < less.seconds ? more : less;
}

SplitCall CallEstimate::balanced(const GpuConfig& gpu_config) const {
  const Share tuned = nearest_->hybrid.share;
  const bool as_tuned = is_tuned() && (problem_->overwrites_c() || !group_.knows_updates);
  if (as_tuned && tuned.gpu_parts > 0 && !follows_calls())
    return split_call(planned_partition(*problem_, gpu_config.kernel, tuned), tuned, gpu_config);
  SplitCall best = balanced_along(Axis::rows, gpu_config);
  if (rounds_rows_coarsely(*problem_, gpu_config.kernel)) {
    const SplitCall columns = balanced_along(Axis::columns, gpu_config);
    if (columns.seconds < best.seconds) best = columns;
  }
  // The nearest of the shares that are rounded to this partition.
  const double part = best.partition.gpu_part(*problem_);
  best.share.gpu_parts = static_cast<int>(std::lround(part * finest_share_parts));
  return best;
}

SplitCall CallEstimate::careful(const GpuConfig& gpu_config, double worst, double allowance) const {
  const SplitCall rows = careful_along(Axis::rows, gpu_config, worst, allowance);
  const bool is_flat = rounds_rows_coarsely(*problem_, gpu_config.kernel);
  if (rows.partition.is_split(*problem_) || !is_flat) return rows;
  return careful_along(Axis::columns, gpu_config, worst, allowance);
}

SplitCall CallEstimate::careful_along(Axis axis, const GpuConfig& gpu_config, double worst,
                                      double allowance) const {
  const double alone = cpu_seconds(), seconds = alone + allowance;
  const auto partition_at = [&](int parts) {
    return partition_along(axis, *problem_, gpu_config.kernel, {parts, finest_share_parts});
  };
  int low = 0, high = finest_share_parts - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (worst * gpu_side(partition_at(middle), gpu_config) <= seconds)
      low = middle;
    else
      high = middle - 1;
  }
  const SplitCall most = split_call(partition_at(low), {low, finest_share_parts}, gpu_config);
  const bool helps = most.partition.is_split(*problem_) &&
                     cpu_side(most.partition) <= alone + for_explorations * allowance &&
                     worst * gpu_side(most.partition, gpu_config) <= seconds;
  return helps ? most : SplitCall{{0, finest_share_parts}, {}};
}

CallEstimate CallEstimate::of_part(const GemmProblem& part) const {
  CallEstimate of = *this;
  of.part_ *= static_cast<double>(part.m) / static_cast<double>(problem_->m);
  of.estimate(part);
  return of;
}

// It costs the time by which these rows take longer than on the CPU alone.
EntryRows CallEstimate::entry_of(const GemmProblem& first, const SplitCall& at,
                                 const GpuConfig& gpu_config) const {
  const CallEstimate of_first = of_part(first);
  const GemmProblem others = duoblas::partition(*problem_, Axis::rows, first.m).cpu;
  EntryRows entry{first.m, at, at.seconds + of_part(others).cpu_seconds(),
                  of_first.forecast(at.partition, gpu_config)};
  entry.forecast.best_seconds = of_first.cpu_seconds();
  // The call may still be left to the CPU, with all of its rows.
  entry.forecast.modelled[place_of(Timed::cpu_all)] = modelled_cpu_;
  entry.forecast.log_parts[place_of(Timed::cpu_all)] = log_part(1);
  return entry;
}

EntryRows CallEstimate::entry(const GpuConfig& gpu_config, double worst, double allowance) const {
  for (std::int64_t part = 2; part <= 16; part *= 2) {
    const GemmProblem first = partition(*problem_, Axis::rows, problem_->m / part).gpu;
    if (flops(first) < DUOBLAS_SMALLEST_GPU_FLOPS) break;
    const CallEstimate of_first = of_part(first);
    const SplitCall at = of_first.balanced(gpu_config);
    if (!at.partition.is_split(first)) break;
    if (worst * at.seconds <= of_first.cpu_seconds() + allowance)
      return entry_of(first, at, gpu_config);
  }
  return {};
}

Forecast CallEstimate::forecast(const PlannedPartition& partition,
                                const GpuConfig& gpu_config) const {
  Forecast of;
  const auto set = [&](Timed what, double part, double seconds) {
    if (!std::isfinite(seconds)) return;
    of.modelled[place_of(what)] = seconds;
    of.log_parts[place_of(what)] = log_part(part);
  };
  set(Timed::cpu_all, 1, modelled_cpu_);
  if (partition.gpu_extent == 0) return of;
  if (!partition.is_split(*problem_)) {
    set(Timed::gpu_alone, 1, modelled_gpu(gpu_config));
  } else {
    const double part = partition.gpu_part(*problem_);
    set(Timed::gpu_side, part, modelled_gpu_side(partition, gpu_config));
    set(Timed::cpu_side, 1 - part, modelled_cpu_side(partition));
  }
  return of;
}

}  // namespace duoblas
