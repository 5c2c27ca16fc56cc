#include "profile/profile_part.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>

namespace duoblas {
namespace {

// The slower side ends a call of both.
double slowness_of_both(const TunedPoint& point, const Slowness& slowness) {
  const double before = std::max(point.cpu_side_seconds, point.gpu_side_seconds);
  if (!(before > 0)) return std::max(slowness.cpu, slowness.gpu);
  return std::max(slowness.cpu * point.cpu_side_seconds, slowness.gpu * point.gpu_side_seconds) /
         before;
}

void slow_down(TunedPoint& point, const Slowness& slowness) {
  const double both = slowness_of_both(point, slowness);
  point.hybrid.seconds *= both;
  point.simple.seconds *= both;
  for (double* seconds : {&point.cpu_seconds, &point.cpu_all_seconds, &point.cpu_side_seconds})
    *seconds *= slowness.cpu;
  for (double* seconds : {&point.gpu.seconds, &point.gpu_side_seconds}) *seconds *= slowness.gpu;
  for (auto& [use, kernel] : point.uses) kernel.seconds *= slowness.gpu;
}

}  // namespace

Profile for_sides(Profile profile, const Slowness& slowness) {
  for (TunedPoint& point : profile.points) slow_down(point, slowness);
  for (UpdateTimes& times : profile.updates) {
    times.cpu_writes *= slowness.cpu;
    times.cpu_adds *= slowness.cpu;
    times.gpu_writes *= slowness.gpu;
    times.gpu_adds *= slowness.gpu;
  }
  // Below it the GPU's overhead is what counts, and the CPU's rate.
  for (double& flops : profile.crossover_flops) flops *= slowness.gpu / slowness.cpu;
  return profile;
}

int cores_in_key(const std::string& cpu) {
  const auto at = cpu.rfind(" x");
  int cores = 0;
  if (at != cpu.npos) std::from_chars(cpu.data() + at + 2, cpu.data() + cpu.size(), cores);
  return std::max(cores, 0);
}

// On which cores each works changes no plan.
std::string profile_digest(Profile profile) {
  for (CpuConfigs* configs : {&profile.cpu, &profile.cpu_all})
    for (CpuConfig& config : *configs) config.cores.clear();
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a, RFC 9923
  for (const char c : to_json(profile)) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
  return digits;
}

}  // namespace duoblas
