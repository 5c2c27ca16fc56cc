// Products of more than the device may hold against the same without a limit, in turns, on the GPU
// alone: how much streaming costs.
//
//   bench_streaming 40 2G sd 2      GiB of operands, limit, types, rounds
//
// Operands are staged (copied) on every device. Sampled elements of C are computed on the host.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "gpu/gpu_side.hpp"
#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "memory/host_memory.hpp"
#include "opencl/choose_device.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

struct Options {
  double gib = 1;
  std::size_t limit = std::size_t{64} << 20;
  std::string types = "sd";
  int rounds = 3;
};

// K, M and G are powers of 1024.
std::size_t bytes_of(const char* text) {
  char* unit = nullptr;
  const double count = std::strtod(text, &unit);
  const std::string units = "KMG";
  const std::size_t at = units.find(*unit == '\0' ? ' ' : *unit);
  const double scale = at == units.npos ? 1 : std::pow(1024.0, static_cast<double>(at) + 1);
  return static_cast<std::size_t>(count * scale);
}

// A value in [-1, 1) that depends on its place alone, so that any element can be computed again.
double value_at(std::int64_t place, std::uint64_t seed) {
  std::uint64_t x = static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15u + seed;
  x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>(static_cast<std::int32_t>(x >> 32)) * 0x1p-31;
}

template <typename T>
class Matrix {
 public:
  explicit Matrix(std::int64_t elements)
      : elements_(elements),
        data_(static_cast<T*>(allocate_host(static_cast<std::size_t>(elements) * sizeof(T))),
              &free_host) {
    if (!data_) throw std::bad_alloc();
  }
  T* data() const { return data_.get(); }

  void fill(std::uint64_t seed) {
    each_part([&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) data()[i] = static_cast<T>(value_at(i, seed));
    });
  }
  void poison() {
    each_part([&](std::int64_t first, std::int64_t last) {
      std::fill(data() + first, data() + last, std::numeric_limits<T>::quiet_NaN());
    });
  }

 private:
  template <typename Work>
  void each_part(Work&& work) {
    const std::int64_t count = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::int64_t t = 0; t < count; ++t)
      threads.emplace_back([&, t] { work(elements_ * t / count, elements_ * (t + 1) / count); });
  }

  std::int64_t elements_;
  std::unique_ptr<T, decltype(&free_host)> data_;
};

// The root mean square error of sampled elements in units of roundoff, as in tuner/verify.hpp.
template <typename T>
double sampled_error(const Matrix<T>& c, std::int64_t n) {
  double squares = 0, allowed = 0;
  for (int sample = 0; sample < 64; ++sample) {
    // Corners first: each is in another block.
    const std::int64_t i = sample < 4 ? (sample & 1) * (n - 1) : sample * 7919 * 131 % n;
    const std::int64_t j = sample < 4 ? (sample >> 1) * (n - 1) : sample * 104729 % n;
    double sum = 0, magnitudes = 0;
    for (std::int64_t s = 0; s < n; ++s) {
      const double a = static_cast<T>(value_at(i * n + s, 1));
      const double b = static_cast<T>(value_at(s * n + j, 2));
      sum += a * b;
      magnitudes += a * a * b * b;
    }
    const double error = std::abs(c.data()[i * n + j] - sum);
    squares += error * error;
    allowed += static_cast<double>(n) * magnitudes;
  }
  return std::sqrt(squares / allowed) / (std::numeric_limits<T>::epsilon() / 2);
}

std::string megabytes(std::size_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

void explain(const char* what, const GemmProblem& p, const KernelParams& kernel,
             const DeviceLimits& limits) {
  const Packing packing{packs_a(kernel, p.op_a), packs_b(kernel, p.op_b)};
  const auto blocks = device_blocks(p, kernel, packing, limits);
  if (!blocks) {
    std::printf("  %s: no block fits\n", what);
    return;
  }
  std::printf("  %-9s blocks %lld x %lld, slices of %lld; %s of the device; %.1f GB over the bus\n",
              what, static_cast<long long>(blocks->m), static_cast<long long>(blocks->n),
              static_cast<long long>(blocks->k),
              megabytes(device_bytes(p, *blocks, kernel, packing).total()).c_str(),
              traffic_bytes(p, *blocks) * 1e-9);
}

template <typename T>
bool compare(const Options& options, Precision precision, const cl::Device& device) {
  const double elements = options.gib * 0x1p30 / sizeof(T) / 3;
  const auto n = static_cast<std::int64_t>(std::sqrt(elements));
  Matrix<T> a(n * n), b(n * n), c(n * n);
  a.fill(1);
  b.fill(2);
  GpuSide whole(device, {}), limited(device, {}, false, options.limit);
  const GemmProblem p = {.precision = precision,
                         .m = n,
                         .n = n,
                         .k = n,
                         .a = a.data(),
                         .lda = n,
                         .b = b.data(),
                         .ldb = n,
                         .c = c.data(),
                         .ldc = n};
  const KernelParams kernel = default_kernel(precision, whole.limits());
  std::printf("%cgemm n = %lld, %.1f GiB of operands, kernel %s\n", letter(precision),
              static_cast<long long>(n), 3 * sizeof(T) * static_cast<double>(n * n) * 0x1p-30,
              describe(kernel).c_str());
  explain("unlimited", p, kernel, whole.limits());
  explain("limited", p, kernel, limited.limits());
  std::fflush(stdout);
  double best[2] = {};
  double worst_error = 0;
  for (int round = 0; round < options.rounds; ++round)
    for (GpuSide* side : {&whole, &limited}) {
      c.poison();
      const double seconds =
          seconds_of([&] { side->submit(p, kernel, SharingMode::staged).wait(); });
      const double error = sampled_error(c, n);
      worst_error = std::isnan(error) ? error : std::max(worst_error, error);
      double& least = best[side == &limited];
      least = least == 0 ? seconds : std::min(least, seconds);
      std::printf("  round %d %-9s %8.3f s  %7.2f TFLOPS  error %.4f\n", round,
                  side == &whole ? "unlimited" : "limited", seconds, flops(p) / seconds * 1e-12,
                  error);
      std::fflush(stdout);
    }
  std::printf("  limited is %.2f of unlimited (best of each)\n", best[0] / best[1]);
  return worst_error < 1;
}

int run(const Options& options) {
  std::string problem;
  const auto chosen = cl::choose_device(cl::list_devices(), "", true, &problem);
  if (!chosen) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 1;
  }
  std::printf("%s, limit %s\n", chosen->info.name.c_str(), megabytes(options.limit).c_str());
  bool right = true;
  for (const char type : options.types)
    right &= type == 'd' ? compare<double>(options, Precision::d, *chosen)
                         : compare<float>(options, Precision::s, *chosen);
  if (!right) std::fprintf(stderr, "a result is wrong\n");
  return right ? 0 : 1;
}

}  // namespace
}  // namespace duoblas

int main(int argc, char** argv) {
  duoblas::Options options;
  if (argc > 1) options.gib = std::atof(argv[1]);
  if (argc > 2) options.limit = duoblas::bytes_of(argv[2]);
  if (argc > 3) options.types = argv[3];
  if (argc > 4) options.rounds = std::atoi(argv[4]);
  try {
    return duoblas::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
