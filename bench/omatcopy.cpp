// omatcopy: bytes a second. On the device, operands in its memory, beside the driver's own copy of
// a buffer; and on the CPU, beside the BLAS's omatcopy.
//
// A sweep shows the fastest kernels of each vector width; a gap of 1 makes rows that start at no
// vector's bytes.
//
//   bench_omatcopy --precision s,d --size 4096,8192 [--sweep yes] [--gap 1] [--cpu yes]
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "bench/device_stopwatch.hpp"
#include "bench/stream_bench.hpp"
#include "cpu/matrix_copy.hpp"
#include "gpu/product/product.hpp"
#include "gpu/streams/matrix_copy.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_omatcopy [--precision s,d] [--size 4096,8192] [--ops t,n] [--rounds 9]
                      [--sweep no] [--gap 0] [--cpu no] [--blas libopenblas.so.0] [--device NAME]

GB/s of A and B, each once; medians of turns.
)";

CopyProblem problem_of(Precision precision, char op, std::int64_t n, std::int64_t gap) {
  CopyProblem p;
  p.precision = precision;
  p.transposes = op != 'n';
  p.conjugates = op == 'c' && is_complex(precision);
  p.rows = p.columns = n;
  p.lda = p.ldb = n + gap;
  return p;
}

std::vector<CopyKernel> of_width(int width, const DeviceLimits& device, const CopyProblem& p) {
  using Values = std::vector<int>;
  const bool walks = device.is_cpu;  // groups of one work-item
  const bool turns = p.transposes;
  const Values across_of = walks   ? Values{1}
                           : turns ? Values{8, 16, 32, 64}
                                   : Values{32, 64, 128, 256};
  const Values down_of = walks ? Values{1} : turns ? Values{4, 8, 16, 32} : Values{1, 2, 4, 8};
  std::vector<CopyKernel> all;
  for (const int tile : turns ? Values{16, 32, 64} : Values{32})
    for (const int across : across_of)
      for (const int down : down_of)
        for (const int lines : turns ? Values{1} : walks ? Values{1, 4, 16} : Values{1, 2, 4, 8}) {
          const CopyKernel kernel{tile, across, down, lines, width};
          // A GPU's work-item loads 16 bytes at once.
          const std::size_t bytes = static_cast<std::size_t>(width) * element_size(p.precision);
          const int items = across * down;
          if ((walks || (items >= 64 && items <= 512 && bytes <= 32)) &&
              CopyKernels::is_legal(kernel, device, p.precision, p.transposes))
            all.push_back(kernel);
        }
  return all;
}

void on_device(OpenedDevice& device, const CopyProblem& p, bool sweep, int rounds) {
  const auto bytes = static_cast<std::size_t>(p.rows * p.lda) * element_size(p.precision);
  const auto allocated = [&] {
    auto buffer =
        std::make_shared<cl::Buffer>(device.context.allocate(bytes, cl::Access::read_write));
    const cl::Event filled = device.queue.fill_with_zeros(*buffer, bytes);
    device.queue.finish();
    device.queue.check_ended(filled);
    return buffer;
  };
  const std::shared_ptr<const cl::Buffer> a = allocated(), b = allocated();
  const std::size_t pitch = static_cast<std::size_t>(p.lda) * element_size(p.precision);
  CopyOperands operands{{a, 0, pitch, SharingMode::staged}, {b, 0, pitch, SharingMode::staged}};
  DeviceStopwatch stopwatch(device.context, device.queue);
  const int calls = std::clamp(static_cast<int>(4e9 / traffic_bytes(p)), 4, 100);
  const auto of_driver = [&] {
    EarlierKernels copies;
    stopwatch.start();
    for (int call = 0; call < calls; ++call)
      copies.push_back(std::make_shared<cl::Event>(device.queue.copy(*a, *b, bytes)));
    cl::Event end = device.queue.mark();
    device.queue.flush();
    const double seconds = stopwatch.seconds_until(end) / calls;
    require_all(device.queue, copies);
    return seconds;
  };
  const auto of_kernel = [&](const CopyKernel& kernel) {
    operands.aligned = p.lda % kernel.vector_width == 0;
    submit_copy(device, p, kernel, operands);
    stopwatch.start();
    cl::Event last;
    for (int call = 0; call < calls; ++call) last = submit_copy(device, p, kernel, operands);
    return stopwatch.seconds_until(last) / calls;
  };
  std::vector<CopyKernel> ranked = {default_copy_kernel(device.limits, p.precision, p.transposes)};
  for (const int width : sweep ? std::vector{1, 2, 4, 8, 16} : std::vector<int>{})
    for (const CopyKernel& kernel :
         fastest_kernels(of_width(width, device.limits, p), 2, of_kernel))
      ranked.push_back(kernel);
  std::vector<std::vector<double>> times(ranked.size() + 1);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < ranked.size(); ++i) times[i].push_back(of_kernel(ranked[i]));
    times.back().push_back(of_driver());
  }
  const double giga = traffic_bytes(p) * 1e-9;
  const double driver = upper_median(times.back());
  std::printf("  %7.0f GB/s  the driver's copy\n", giga / driver);
  for (std::size_t i = 0; i < ranked.size(); ++i)
    std::printf("  %7.0f GB/s  %.3f of that  %s\n", giga / upper_median(times[i]),
                driver / upper_median(times[i]), describe(ranked[i]).c_str());
  std::fflush(stdout);
}

void on_cpu(CopyProblem p, const std::string& blas, int rounds) {
  const auto elements =
      static_cast<std::size_t>(p.rows * p.columns) * (is_complex(p.precision) ? 2 : 1);
  std::vector<double> a(elements, 1.0), b(elements);
  p.a = a.data();
  p.b = b.data();
  using Real = void (*)(int, int, int, int, double, const void*, int, void*, int);
  using Single = void (*)(int, int, int, int, float, const void*, int, void*, int);
  void* library = dlopen(blas.c_str(), RTLD_NOW);
  void* peer =
      library == nullptr || is_complex(p.precision)
          ? nullptr
          : dlsym(library, p.precision == Precision::s ? "cblas_somatcopy" : "cblas_domatcopy");
  const auto n = static_cast<int>(p.rows);
  const int op = p.transposes ? 112 : 111;
  std::vector<double> own, theirs;
  for (int round = 0; round < rounds + 1; ++round) {
    const Stopwatch watch;
    copy_matrix(p, 0);
    const double of_own = watch.seconds();
    if (peer != nullptr && p.precision == Precision::s)
      reinterpret_cast<Single>(peer)(101, op, n, n, 1, p.a, n, p.b, n);
    else if (peer != nullptr)
      reinterpret_cast<Real>(peer)(101, op, n, n, 1, p.a, n, p.b, n);
    if (round == 0) continue;
    own.push_back(of_own);
    theirs.push_back(watch.seconds() - of_own);
  }
  const double giga = traffic_bytes(p) * 1e-9;
  std::printf("  cpu: %.1f GB/s, the BLAS's %.1f\n", giga / upper_median(own),
              peer == nullptr ? 0 : giga / upper_median(theirs));
}

int run(const NamedOptions& options) {
  const int rounds = positive(options, "--rounds");
  const bool cpu = options["--cpu"] == "yes";
  const long gap = std::stol(options["--gap"]);
  if (gap < 0 || (cpu && gap > 0))
    throw SettingError("--gap must be 0 or more, and is of the device's matrices");
  std::unique_ptr<OpenedDevice> device;
  if (!cpu) device = opened_device(options["--device"]);
  for (const std::string& precision : list_items(options["--precision"]))
    for (const std::string& op : list_items(options["--ops"]))
      for (const std::string& size : list_items(options["--size"])) {
        const CopyProblem p =
            problem_of(precision_named(precision), op.at(0), std::stol(size), gap);
        std::printf("%somatcopy %s n = %s\n", precision.c_str(), op.c_str(), size.c_str());
        if (cpu)
          on_cpu(p, options["--blas"], rounds);
        else
          on_device(*device, p, options["--sweep"] == "yes", rounds);
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_omatcopy", kUsage,
                        NamedOptions({{"--precision", "s,d"},
                                      {"--size", "4096,8192"},
                                      {"--ops", "t,n"},
                                      {"--rounds", "9"},
                                      {"--sweep", "no"},
                                      {"--gap", "0"},
                                      {"--cpu", "no"},
                                      {"--blas", "libopenblas.so.0"},
                                      {"--device", ""}}),
                        argc, argv, run);
}
