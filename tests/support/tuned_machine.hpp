// A machine that exists on paper only: a CPU device with a profile of round numbers.
#pragma once

#include "kernel_space/kernel_defaults.hpp"
#include "planner/planner.hpp"

namespace duoblas::test {

inline const PlanRequest automatic;
inline const PlanRequest want_gpu{Strategy::gpu, std::nullopt};
inline const PlanRequest want_hybrid{Strategy::hybrid, std::nullopt};

inline DeviceLimits paper_device() {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.max_work_group_size = 4096;
  limits.max_allocation_bytes = std::size_t{1} << 31;
  limits.compute_units = 1;
  limits.vector_bytes = 64;
  return limits;
}

inline TunedChoice paper_choice(Precision precision, Share share, double seconds) {
  return {default_kernel(precision, paper_device()), SharingMode::host_pointer, share, seconds};
}

/// n^3 with these times in milliseconds.
inline TunedPoint paper_point(Precision precision, std::int64_t n, double cpu_all, double gpu,
                              double hybrid, Share share = {9, 16}) {
  TunedPoint point;
  point.precision = precision;
  point.m = point.n = point.k = n;
  point.hybrid = paper_choice(precision, share, hybrid * 1e-3);
  point.simple = point.hybrid;
  point.gpu = paper_choice(precision, {16, 16}, gpu * 1e-3);
  point.cpu_seconds = 2 * cpu_all * 1e-3;
  point.cpu_all_seconds = cpu_all * 1e-3;
  point.gpu_side_seconds = 0.95 * hybrid * 1e-3;
  point.cpu_side_seconds = 0.9 * hybrid * 1e-3;
  point.noise = 0.03;
  return point;
}

/// Core types of the made-up CPU: doubles have another one than the other types.
inline CpuConfigs paper_configs(int threads, const std::vector<int>& cores) {
  CpuConfigs configs = every_precision({"", "Cooperlake", threads, cores, false});
  configs[precision_index(Precision::d)].core_type = "Haswell";
  return configs;
}
inline CpuConfigs paper_cpu() {
  return paper_configs(1, {1});
}
inline CpuConfigs paper_cpu_all() {
  return paper_configs(2, {0, 1});
}

inline Profile paper_profile() {
  Profile profile;
  profile.key = {"Paper device", "1.0", "Paper CPU x2", true};
  profile.cpu = paper_cpu();
  profile.cpu_all = paper_cpu_all();
  profile.origin = {"Paper vendor", "cpu", "v512"};
  profile.steadiness = {1.02, 0.99, 2100, 2950};
  profile.doubt = "other programs had up to 0.5 of 2 processors";
  profile.memory = {40e9, 45e9, 300e9, 42e9, true, 25e9, 30e9, 12e-6};
  profile.gemv[precision_index(Precision::d)][1] = TunedGemv{{2, 8, 64, 1, 8}, 280e9};
  profile.note = "sgemm nn 512: too noisy to decide between 9/16 and 10/16.";
  profile.created = "2026-11-21T10:00:00Z";
  profile.points = {paper_point(Precision::s, 512, 1.0, 2.0, 0.8),
                    paper_point(Precision::s, 2048, 64.0, 120.0, 50.0, {10, 16}),
                    paper_point(Precision::d, 1024, 16.0, 32.0, 15.0, {7, 16})};
  profile.crossover_flops[0] = 2.0 * 192 * 192 * 192;
  profile.crossover_flops[1] = 2.0 * 128 * 128 * 128;
  return profile;
}

inline PlanMachine paper_machine() {
  PlanMachine machine;
  machine.has_gpu = true;
  machine.device = paper_device();
  machine.sharing = SharingMode::host_pointer;
  machine.cpu = paper_cpu();
  machine.cpu_all = paper_cpu_all();
  machine.profile = paper_profile();
  return machine;
}

/// A problem without memory, because plans look at sizes only.
inline GemmProblem paper_problem(Precision precision, std::int64_t m, std::int64_t n,
                                 std::int64_t k) {
  GemmProblem p;
  p.precision = precision;
  p.m = m;
  p.n = n;
  p.k = k;
  p.lda = k;
  p.ldb = n;
  p.ldc = n;
  return p;
}

}  // namespace duoblas::test
