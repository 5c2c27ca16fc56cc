#include "simulation/synthetic_machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string_view>
#include <utility>

#include "kernel_space/kernel_fields.hpp"
#include "tuner/search/kernel_list.hpp"

namespace duoblas {
namespace {

constexpr double launch_seconds = 1e-4;
constexpr int measured_again = 20;
constexpr int samples_again = 15;

// The same number from 0 to 1 for the same arguments: SplitMix64 (Steele, Lea, Flood, 2014).
double drawn(unsigned seed, unsigned what) {
  std::uint64_t x = (std::uint64_t{seed} << 32 | what) + 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

// FNV-1a: a field's number is its own, whatever other fields there are.
unsigned number_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

class Model {
 public:
  Model(const std::vector<KernelParams>& kernels, const SyntheticMachine& machine)
      : machine_(machine) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const KernelParams& kernel = kernels[i];
      const double own = drawn(machine.seed, 1000 + static_cast<unsigned>(i));
      slowness_.push_back((1 + 0.06 * own) * distance(kernel, kernels.front()));
      const auto use =
          static_cast<unsigned>(kernel.block_m * 7 + kernel.block_n * 5 + kernel.block_k * 3 +
                                kernel.pack_a * 2 + kernel.pack_b);
      contention_.push_back(1 + machine.contention * drawn(machine.seed, 100000 + use));
    }
  }

  /// Seconds without noise.
  CallSample call(const Trial& trial) const {
    const Candidate& c = trial.candidate;
    const auto kernel = static_cast<std::size_t>(c.kernel);
    // Times of all the work, so that a good kernel and the CPU side meet at gpu_share.
    const double gpu_all = machine_.call_seconds / machine_.gpu_share * slowness_[kernel];
    const double cpu_all = machine_.call_seconds / (1 - machine_.gpu_share) *
                           (1 + 0.1 * drawn(machine_.seed, 500 + static_cast<unsigned>(c.cpu)));
    CallSample call;
    if (trial.sides == Sides::gpu) call.gpu = gpu_all + launch_seconds;
    if (trial.sides == Sides::cpu) call.cpu = cpu_all;
    if (trial.sides == Sides::both) {
      const double share = static_cast<double>(c.gpu_parts) / machine_.parts;
      const bool together = c.gpu_parts < machine_.parts;
      const double slower = together ? contention_[kernel] : 1;
      call.gpu = gpu_all * share * slower + launch_seconds;
      call.cpu = cpu_all * (1 - share) * slower;
    }
    call.whole = std::max(call.gpu, call.cpu) + launch_seconds;
    return call;
  }

 private:
  // How much slower a kernel is because of its fields: each has a best value at or beside the first
  // kernel's, and a price per step away from it.
  double distance(const KernelParams& kernel, const KernelParams& first) const {
    double slower = 1;
    for (const KernelField& field : kernel_fields()) {
      const auto place = [&](const KernelParams& of) {
        return static_cast<double>(std::ranges::lower_bound(field.values, field.get(of)) -
                                   field.values.begin());
      };
      const double shift = std::floor(3 * drawn(machine_.seed, number_of(field.name))) - 1;
      const double price = 0.06 * drawn(machine_.seed, number_of(field.name) + 1);
      slower += price * std::abs(place(kernel) - place(first) - shift);
    }
    return slower;
  }

  SyntheticMachine machine_;
  std::vector<double> slowness_;
  std::vector<double> contention_;
};

class Noise {
 public:
  explicit Noise(const SyntheticMachine& machine) : machine_(machine), random_(machine.seed) {}

  /// What is measured in the given turn of the recording, from 0 to 1.
  CallSample on(CallSample call, double turn) {
    const double drift = machine_.drift * std::sin(4 * std::numbers::pi * turn);
    const double factor = 1 + drift + machine_.noise * normal_(random_);
    for (double* seconds : {&call.whole, &call.gpu, &call.cpu}) *seconds *= std::max(factor, 0.5);
    return call;
  }

 private:
  SyntheticMachine machine_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

std::vector<Trial> all_trials(const SearchSpace& space) {
  std::vector<Trial> trials;
  for (int kernel = 0; kernel < static_cast<int>(space.kernels.size()); ++kernel)
    trials.push_back(gpu_trial(kernel, 0));
  for (int cpu = 0; cpu < static_cast<int>(space.cpus.size()); ++cpu)
    trials.push_back(cpu_trial(cpu));
  for_each_candidate(space, [&](const Candidate& c) { trials.push_back(both_trial(c)); });
  return trials;
}

void measure_best_again(Recording& recording, const Model& model, Noise& noise) {
  std::vector<std::pair<double, Candidate>> best;
  for (const auto& [trial, samples] : recording.trials)
    if (trial.sides == Sides::both)
      best.emplace_back(score(samples, Goal::throughput), trial.candidate);
  std::ranges::sort(best);
  if (best.size() > measured_again) best.resize(measured_again);
  for (const auto& [seconds, candidate] : best)
    for (int i = 0; i < samples_again; ++i)
      recording.again[candidate].push_back(noise.on(model.call(both_trial(candidate)), 0));
}

}  // namespace

DeviceLimits cpu_device_limits() {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.max_work_group_size = 4096;
  limits.max_allocation_bytes = std::size_t{1} << 32;
  limits.vector_bytes = 64;
  return limits;
}

std::vector<KernelParams> some_kernels(std::size_t count) {
  return search_kernels(Precision::s, Op::none, Op::none, cpu_device_limits(), count);
}

Recording synthetic_recording(const std::vector<KernelParams>& kernels,
                              const SyntheticMachine& machine) {
  Recording recording;
  recording.space.kernels = kernels;
  recording.space.sharings = {SharingMode::host_pointer};
  recording.space.cpus.resize(static_cast<std::size_t>(machine.cpus));
  recording.space.parts = machine.parts;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const bool wrong = drawn(machine.seed, 200000 + static_cast<unsigned>(i)) < machine.failing;
    recording.build_seconds.push_back(wrong ? -machine.build_seconds : machine.build_seconds);
  }
  const Model model(kernels, machine);
  Noise noise(machine);
  const std::vector<Trial> trials = all_trials(recording.space);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto kernel = static_cast<std::size_t>(trials[i].candidate.kernel);
    if (trials[i].sides != Sides::cpu && recording.build_seconds[kernel] < 0) continue;
    const double turn = static_cast<double>(i) / static_cast<double>(trials.size());
    auto& samples = recording.trials[trials[i]];
    for (int sample = 0; sample < machine.samples; ++sample)
      samples.push_back(noise.on(model.call(trials[i]), turn));
  }
  measure_best_again(recording, model, noise);
  return recording;
}

}  // namespace duoblas
