// Many small triangular solves in one call, beside a loop of trsm, in host memory; and the device's
// kernel alone, on matrices that are there.
//
// Calls take turns, so that drift of the clock affects all alike. Printed are medians.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/context.hpp>
#include <duoblas/error.hpp>

#include "bench/named_options.hpp"
#include "gpu/streams/trsm_batched.hpp"
#include "opencl/choose_device.hpp"
#include "problem/element_types.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* usage =
    "bench_trsm_batches [--precision s,d] [--size 8,16,32,64,128,256] [--sides 0]\n"
    "  [--count 0] [--rounds 15] [--device NAME]\n"
    "  --sides   right-hand sides of each solve; 0: as many as the order\n"
    "  --count   solves of a call; 0: as many as have 64 MB\n"
    "The context is the environment's. Ratios above 1: the batch is faster than the loop.";

struct Shape {
  std::int64_t order, sides, count;
};

double median_of(std::vector<double> seconds) {
  return upper_median(seconds);
}

template <typename T>
void compare_host(Context& context, const Shape& s, int rounds) {
  const auto [n, sides, count] = s;
  // Solving over and over leaves the numbers as they are.
  std::vector<T> a(static_cast<std::size_t>(count * n * n), T(0)),
      b(static_cast<std::size_t>(count * n * sides), T(1));
  for (std::int64_t i = 0; i < count * n; ++i) a[static_cast<std::size_t>(i * n + i % n)] = T(1);
  const auto batch = [&, n = n, sides = sides, count = count] {
    context.trsm_strided_batched<T>(Layout::column_major, Side::left, Uplo::lower, Op::none,
                                    Diag::non_unit, n, sides, T(1), a.data(), n, n * n, b.data(), n,
                                    n * sides, count);
  };
  const auto loop = [&, n = n, sides = sides, count = count] {
    for (std::int64_t i = 0; i < count; ++i)
      context.trsm<T>(Layout::column_major, Side::left, Uplo::lower, Op::none, Diag::non_unit, n,
                      sides, T(1), a.data() + i * n * n, n, b.data() + i * n * sides, n);
  };
  constexpr int warming_calls = 8;
  for (int i = 0; i < warming_calls; ++i) batch();
  loop();
  std::vector<double> of_batch, of_loop;
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch first;
    batch();
    of_batch.push_back(first.seconds());
    const Stopwatch second;
    loop();
    of_loop.push_back(second.seconds());
  }
  batch();
  const CallSummary did = Context::last_call();
  const double seconds = median_of(of_batch);
  std::printf(
      "  host    %9.3f ms, %7.3f us a solve, %6.2f of the loop's speed, gpu %ld of %ld (%s)\n",
      seconds * 1e3, seconds * 1e6 / static_cast<double>(count), median_of(of_loop) / seconds,
      static_cast<long>(did.gpu_products), static_cast<long>(count), did.reason.c_str());
}

template <typename T>
void measure_resident(OpenedDevice& device, const Shape& s, int rounds) {
  std::vector<T> a(static_cast<std::size_t>(s.count * s.order * s.order), T(0)),
      b(static_cast<std::size_t>(s.count * s.order * s.sides), T(1));
  for (std::int64_t i = 0; i < s.count * s.order; ++i)
    a[static_cast<std::size_t>(i * s.order + i % s.order)] = T(1);
  const auto uploaded = [&](const std::vector<T>& numbers, std::int64_t ld) {
    const std::size_t bytes = numbers.size() * sizeof(T);
    auto buffer =
        std::make_shared<cl::Buffer>(device.context.allocate(bytes, cl::Access::read_write));
    device.queue.write(*buffer, numbers.data(), {1, bytes, bytes, bytes, 0}, true);
    return BoundOperand{std::move(buffer), 0, static_cast<std::size_t>(ld) * sizeof(T),
                        SharingMode::staged};
  };
  Level3Problem p;
  p.routine = Routine::trsm;
  p.precision = precision_of<T>;
  // Column-major, from the left, lower.
  p.side = Side::right;
  p.uplo = Uplo::upper;
  p.m = s.sides;
  p.n = s.order;
  const TrsmOperands operands{uploaded(a, s.order), uploaded(b, s.order), s.order * s.order,
                              s.order * s.sides};
  std::vector<double> seconds;
  for (int round = 0; round < rounds + 2; ++round) {
    const Stopwatch watch;
    submit_trsm_batch(device, p, s.count, operands);
    device.queue.finish();
    if (round >= 2) seconds.push_back(watch.seconds());
  }
  TrsmBatch batch;
  batch.shape = p;
  batch.count = s.count;
  const double once = median_of(seconds);
  std::printf("  device  %9.3f ms, %7.3f us a solve, %8.1f GFLOPS, %7.1f GB/s\n", once * 1e3,
              once * 1e6 / static_cast<double>(s.count), flops(batch) / once * 1e-9,
              traffic_bytes(batch) / once * 1e-9);
}

int compare(const NamedOptions& options) {
  Context context(Settings::from_environment());
  std::string why;
  const auto chosen = cl::choose_device(cl::list_devices(&why), options["--device"], true, &why);
  std::optional<OpenedDevice> device;
  if (chosen)
    device.emplace(*chosen, GpuFolders{"", Settings::from_environment().kernel_dir}, true);
  else
    std::printf("no device: %s\n", why.c_str());
  const int rounds = positive(options, "--rounds");
  for (const std::string& letters : list_items(options["--precision"]))
    for (const std::string& size : list_items(options["--size"])) {
      const Precision precision = precision_named(letters);
      Shape shape{std::stol(size), std::stol(options["--sides"]), std::stol(options["--count"])};
      if (shape.sides == 0) shape.sides = shape.order;
      const double bytes_of_one = static_cast<double>(element_size(precision)) *
                                  static_cast<double>(shape.order * (shape.order + shape.sides));
      if (shape.count == 0)
        shape.count =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(64e6 / bytes_of_one), 2, 100'000);
      std::printf("%ctrsm x %ld, order %ld, %ld right-hand sides\n", letter(precision),
                  static_cast<long>(shape.count), static_cast<long>(shape.order),
                  static_cast<long>(shape.sides));
      with_element_type(precision, [&](auto zero) {
        using T = decltype(zero);
        compare_host<T>(context, shape, rounds);
        if (device && (device->limits.has_fp64 || !is_double(precision)))
          measure_resident<T>(*device, shape, rounds);
      });
      std::fflush(stdout);
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_trsm_batches", usage,
                        NamedOptions({{"--precision", "s,d"},
                                      {"--size", "8,16,32,64,128,256"},
                                      {"--sides", "0"},
                                      {"--count", "0"},
                                      {"--rounds", "15"},
                                      {"--device", ""}}),
                        argc, argv, compare);
}
