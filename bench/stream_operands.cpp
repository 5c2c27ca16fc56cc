#include "bench/stream_operands.hpp"

#include <cstdio>
#include <random>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "opencl/choose_device.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

std::vector<char> random_numbers(std::size_t elements, Precision precision, std::uint64_t seed) {
  std::vector<char> bytes(elements * element_size(precision));
  std::mt19937_64 engine(seed);
  const auto fill = [&](auto zero) {
    using R = decltype(zero);
    auto* numbers = reinterpret_cast<R*>(bytes.data());
    std::uniform_real_distribution<R> values(-1, 1);
    for (std::size_t i = 0; i < bytes.size() / sizeof(R); ++i) numbers[i] = values(engine);
  };
  is_double(precision) ? fill(0.0) : fill(0.0F);
  return bytes;
}

std::unique_ptr<OpenedDevice> opened_device(const std::string& name) {
  std::string why;
  const auto chosen = cl::choose_device(cl::list_devices(&why), name, true, &why);
  if (!chosen) throw DeviceError(why);
  std::printf("%s\n", chosen->info.name.c_str());
  return std::make_unique<OpenedDevice>(
      *chosen, GpuFolders{"", Settings::from_environment().kernel_dir}, true);
}

std::shared_ptr<const cl::Buffer> uploaded(OpenedDevice& device, const std::vector<char>& bytes) {
  auto buffer =
      std::make_shared<cl::Buffer>(device.context.allocate(bytes.size(), cl::Access::read_write));
  device.queue.write(*buffer, bytes.data(), {1, bytes.size(), bytes.size(), bytes.size(), 0}, true);
  return buffer;
}

void StrategyTimes::print() const {
  const double giga = bytes * 1e-9;
  std::printf("  GB/s: cpu %.1f, gpu %.1f, both %.1f, auto %.1f\n", giga / cpu, giga / gpu,
              giga / both, giga / automatic);
  std::fflush(stdout);
}

HostStrategies::HostStrategies() {
  constexpr Strategy strategies[] = {Strategy::cpu, Strategy::gpu, Strategy::hybrid,
                                     Strategy::automatic};
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    Settings settings = Settings::from_environment();
    settings.strategy = strategies[i];
    engines_[i] = new Engine(settings);
  }
}

StrategyTimes HostStrategies::compare(const GemvProblem& problem, int rounds) {
  std::array<std::vector<double>, 4> times;
  for (int warm = 0; warm < 8; ++warm)
    for (Engine* engine : engines_) engine->run(problem);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      engines_[i]->run(problem);
      const Stopwatch watch;
      engines_[i]->run(problem);
      times[i].push_back(watch.seconds());
    }
  return {upper_median(times[0]), upper_median(times[1]), upper_median(times[2]),
          upper_median(times[3]), traffic_bytes(problem)};
}

}  // namespace duoblas
