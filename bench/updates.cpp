// axpy and ger from small to large: what a launch costs, and what memory brings.
//
//   bench_updates --routine axpy --precision s,d --log2 10,14,18,22,26 [--sweep yes] [--host yes]
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/device_stopwatch.hpp"
#include "bench/stream_bench.hpp"
#include "engine/vector_routines.hpp"
#include "gpu/streams/axpy.hpp"
#include "gpu/streams/ger.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_updates [--routine axpy] [--precision s,d] [--log2 10,12,14,16,18,20,22,24,26]
                     [--rounds 9] [--sweep no] [--host no] [--device NAME] [--top 3]

  --routine    axpy or ger
  --log2       elements that are updated, as powers of two: of y, or of a square A
  --sweep yes  tries vector widths and divisions around the default one, and prints the best
  --host yes   of the host's memory instead, through the engine: its settings are the environment's

Microseconds of a call, and GB/s of what is read and written; medians of turns. On the device calls
come back to back, cuBLAS's in turns with them where it is at hand; "alone" is one that is waited for.
)";

struct Operands {
  AxpyProblem axpy;
  GerProblem ger;
  bool is_axpy = true;
  std::vector<char> x, y, a;

  double bytes() const { return is_axpy ? traffic_bytes(axpy) : traffic_bytes(ger); }
  Precision precision() const { return axpy.precision; }
};

Operands operands_of(bool is_axpy, Precision precision, int log2) {
  Operands o;
  o.is_axpy = is_axpy;
  const std::int64_t elements = std::int64_t{1} << log2, rows = std::int64_t{1} << (log2 / 2);
  const std::int64_t columns = elements / rows;
  const auto random = [&](std::int64_t count, std::uint64_t seed) {
    return random_numbers(static_cast<std::size_t>(count), precision, seed);
  };
  o.x = random(is_axpy ? elements : rows, 1);
  o.y = random(is_axpy ? elements : columns, 2);
  o.axpy.precision = o.ger.precision = precision;
  o.axpy.size = elements;
  o.ger.rows = rows;
  o.ger.columns = o.ger.lda = columns;
  o.axpy.alpha = o.ger.alpha = 1e-3;  // many calls add up to something finite
  o.axpy.x = o.ger.x = {o.x.data(), 1};
  o.axpy.y = o.ger.y = {o.y.data(), 1};
  if (!is_axpy) o.a = random(elements, 3);
  o.ger.a = o.a.data();
  return o;
}

std::vector<UpdateKernel> candidates(const DeviceLimits& device, Precision precision, bool is_axpy,
                                     bool sweep) {
  const UpdateKernel first =
      is_axpy ? default_axpy_kernel(device, precision) : default_ger_kernel(device, precision);
  std::vector<UpdateKernel> all = {first};
  if (!sweep) return all;
  using Values = std::vector<int>;
  const bool walks = device.is_cpu;  // groups of one work-item
  for (const int width : {1, 2, 4, 8, 16})
    for (const int across : walks     ? Values{1}
                            : is_axpy ? Values{64, 128, 256, 512}
                                      : Values{16, 32, 64, 128})
      for (const int down : walks || is_axpy ? Values{1} : Values{1, 2, 4, 8})
        for (const int lines : !is_axpy ? Values{1, 2, 4, 8, 16}
                               : walks  ? Values{32, 128, 512, 2048}
                                        : Values{1, 2, 4, 8}) {
          const UpdateKernel kernel{width, across, down, lines};
          if (is_legal(kernel, device, precision) && kernel != first) all.push_back(kernel);
        }
  return all;
}

class OnDevice {
 public:
  OnDevice(OpenedDevice& device, VectorPeer* peer, const Operands& o)
      : device_(device), peer_(peer), o_(o), stopwatch_(device.context, device.queue) {
    const std::size_t pitch = static_cast<std::size_t>(o.ger.columns) * element_size(o.precision());
    ger_.x = axpy_.x = {uploaded(device, o.x), 0, 1};
    ger_.y = axpy_.y = {uploaded(device, o.y), 0, 1};
    if (!o.is_axpy) ger_.a = {uploaded(device, o.a), 0, pitch, SharingMode::staged};
    if (peer != nullptr && o.is_axpy) peer->prepare(o.axpy, o.x, o.y);
    if (peer != nullptr && !o.is_axpy) peer->prepare(o.ger, o.x, o.y, o.a);
    calls_ = std::clamp(static_cast<int>(4e9 / o.bytes()), 4, 200);
  }

  // Buffers start at a multiple of a vector's size; rows of small matrices may not.
  cl::Event enqueue(const UpdateKernel& kernel) {
    if (o_.is_axpy) {
      axpy_.aligned = true;
      return submit_axpy(device_, o_.axpy, kernel, axpy_);
    }
    return submit_ger(device_, o_.ger, kernel, ger_, o_.ger.columns % kernel.vector_width == 0);
  }

  double back_to_back(const UpdateKernel& kernel, int calls) {
    device_.queue.wait(enqueue(kernel));
    stopwatch_.start();
    cl::Event last;
    for (int call = 0; call < calls; ++call) last = enqueue(kernel);
    return stopwatch_.seconds_until(last) / calls;
  }

  double alone(const UpdateKernel& kernel) {
    const Stopwatch watch;
    device_.queue.wait(enqueue(kernel));
    return watch.seconds();
  }

  void run(const std::vector<UpdateKernel>& kernels, std::size_t top, int rounds) {
    const auto ranked = fastest_kernels(kernels, top, [this](const UpdateKernel& kernel) {
      return back_to_back(kernel, calls_ / 4 + 1);
    });
    std::vector<std::vector<double>> times(ranked.size() + 1), waited(ranked.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < ranked.size(); ++i) {
        times[i].push_back(back_to_back(ranked[i], calls_));
        waited[i].push_back(alone(ranked[i]));
      }
      if (peer_ != nullptr) times.back().push_back(peer_->seconds_per_call(calls_));
    }
    if (peer_ != nullptr) print(upper_median(times.back()), "cuBLAS");
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      char alone_us[40];
      std::snprintf(alone_us, sizeof alone_us, ", alone %.1f us", upper_median(waited[i]) * 1e6);
      print(upper_median(times[i]), describe(ranked[i]) + alone_us);
    }
    std::fflush(stdout);
  }

 private:
  void print(double seconds, const std::string& what) const {
    std::printf("  %9.1f us %7.1f GB/s  %s\n", seconds * 1e6, o_.bytes() / seconds * 1e-9,
                what.c_str());
  }

  OpenedDevice& device_;
  VectorPeer* peer_;
  const Operands& o_;
  UpdateOperands ger_;
  AxpyOperands axpy_;
  DeviceStopwatch stopwatch_;
  int calls_ = 1;
};

void of_host(HostStrategies& strategies, const Operands& o, int rounds) {
  const StrategyTimes times = o.is_axpy ? strategies.compare(AxpyRoutine(o.axpy), rounds)
                                        : strategies.compare(GerRoutine(o.ger), rounds);
  std::printf("  us: cpu %.1f, gpu %.1f, both %.1f, auto %.1f\n", times.cpu * 1e6, times.gpu * 1e6,
              times.both * 1e6, times.automatic * 1e6);
  times.print();
}

int run(const NamedOptions& options) {
  const bool is_axpy = options["--routine"] == "axpy";
  if (!is_axpy && options["--routine"] != "ger") throw SettingError("--routine is axpy or ger");
  StreamBench bench(options);
  for (const std::string& precision : list_items(options["--precision"]))
    for (const std::string& log2 : list_items(options["--log2"])) {
      const int power = std::stoi(log2);
      if (power < 0 || power > 34) throw SettingError("--log2 is of 0 to 34");
      const Operands o = operands_of(is_axpy, precision_named(precision), power);
      std::printf("%s%s 2^%d\n", precision.c_str(), options["--routine"].c_str(), power);
      if (bench.strategies) {
        of_host(*bench.strategies, o, bench.rounds);
        continue;
      }
      OnDevice(*bench.device, bench.peer.get(), o)
          .run(candidates(bench.device->limits, o.precision(), is_axpy, bench.sweep), bench.top,
               bench.rounds);
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main(
      "bench_updates", kUsage,
      stream_options({{"--routine", "axpy"}, {"--log2", "10,12,14,16,18,20,22,24,26"}}), argc, argv,
      run);
}
