// Products of doubles by integers: how often they are certified, and their errors.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <duoblas/context.hpp>
#include <duoblas/error.hpp>

#include "bench/checks_cases.hpp"
#include "engine/engine.hpp"
#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

constexpr const char* kUsage =
    R"([--n 48] [--depths 16,256,4096] [--spreads 0,2,10,50,300] [--products 4] [--numbers normal] [--times 1024,2048]

  --n         of C, n x n
  --spreads   exponents are drawn from +- so much, for each row, column or element of A and B
  --products  for each line of the table
  --numbers   normal, uniform, whole (up to 1000) or cancelling
  --times     instead of errors: seconds of products of n x n x n on the device, with copies, that
              are certified (spread 0) or not (300 by element); medians of five, in turns

A line for each spread and depth: products that were certified, the largest error of an element of
these, and of the same elements by the CPU, in roundoffs 2^-53 of |A||B|. The reference has
quadruple precision. The device is that of DUOBLAS_DEVICE, the way DUOBLAS_FP64=integers.
)";

__extension__ using Quad = __float128;

struct Matrices {
  int n, k;
  std::vector<double> a, b;  // n x k, k x n
};

// Numbers before exponents are drawn.
double number(const std::string& kind, std::mt19937_64& engine) {
  if (kind == "uniform") return std::uniform_real_distribution<double>(-1, 1)(engine);
  if (kind == "whole")
    return std::round(std::uniform_real_distribution<double>(-1000, 1000)(engine));
  return std::normal_distribution<double>()(engine);
}

Matrices drawn(int n, int k, const std::string& by, int spread, const std::string& kind,
               std::mt19937_64& engine) {
  std::uniform_int_distribution<int> exponent(-spread, spread);
  const auto matrix = [&](int rows, int columns) {
    std::vector<int> of_row, of_column;
    for (int i = 0; i < rows; ++i) of_row.push_back(by == "row" ? exponent(engine) : 0);
    for (int j = 0; j < columns; ++j) of_column.push_back(by == "column" ? exponent(engine) : 0);
    std::vector<double> values;
    for (const int of_this_row : of_row)
      for (const int of_this_column : of_column)
        values.push_back(
            std::ldexp(number(kind, engine),
                       of_this_row + of_this_column + (by == "element" ? exponent(engine) : 0)));
    return values;
  };
  Matrices drawn{n, k, matrix(n, k), matrix(k, n)};
  if (kind != "cancelling") return drawn;
  // Each second term takes nearly all of the one before it away.
  const auto at = [](int row, int column, int columns) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  };
  for (int h = 0; h + 1 < k; h += 2)
    for (int i = 0; i < n; ++i) {
      drawn.a[at(i, h + 1, k)] =
          -drawn.a[at(i, h, k)] * (1 + std::ldexp(number(kind, engine), -40));
      drawn.b[at(h + 1, i, n)] = drawn.b[at(h, i, n)];
    }
  return drawn;
}

// The largest errors of several results, in roundoffs of |A||B|.
std::vector<double> errors(const Matrices& of,
                           const std::vector<const std::vector<double>*>& results) {
  std::vector<double> largest(results.size());
  for (int i = 0; i < of.n; ++i)
    for (int j = 0; j < of.n; ++j) {
      Quad sum = 0, size = 0;
      for (int h = 0; h < of.k; ++h) {
        const Quad term =
            static_cast<Quad>(of.a[static_cast<std::size_t>(i) * static_cast<std::size_t>(of.k) +
                                   static_cast<std::size_t>(h)]) *
            of.b[static_cast<std::size_t>(h) * static_cast<std::size_t>(of.n) +
                 static_cast<std::size_t>(j)];
        sum += term;
        size += term < 0 ? -term : term;
      }
      if (size == 0) continue;
      for (std::size_t r = 0; r < results.size(); ++r) {
        const Quad error =
            (*results[r])[static_cast<std::size_t>(i) * static_cast<std::size_t>(of.n) +
                          static_cast<std::size_t>(j)] -
            sum;
        largest[r] = std::max(largest[r], std::fabs(static_cast<double>(error / size)) * 0x1p53);
      }
    }
  return largest;
}

Settings settings_of(Strategy strategy) {
  Settings settings = Settings::from_environment();
  settings.strategy = strategy;
  settings.fp64 = Fp64Mode::integers;
  settings.adapt = false;
  return settings;
}

// Whether the device's product was certified.
bool multiply(GpuSide& gpu, const Matrices& of, std::vector<double>& c) {
  GemmProblem p;
  p.precision = Precision::d;
  p.m = p.n = p.ldb = p.ldc = of.n;
  p.k = p.lda = of.k;
  p.a = of.a.data();
  p.b = of.b.data();
  p.c = c.data();
  try {
    gpu.submit(p, integers_kernel(gpu.limits()), gpu.best_sharing()).wait();
  } catch (const UnsuitedNumbers&) {
    return false;
  }
  return true;
}

int print_times(GpuSide& gpu, const std::vector<std::string>& sizes) {
  std::mt19937_64 engine(1);
  const Table table({{"n", 6}, {"certified", 12}, {"refused", 12}});
  for (const std::string& size : sizes) {
    const int n = std::stoi(size);
    const Matrices suited = drawn(n, n, "row", 0, "normal", engine),
                   unsuited = drawn(n, n, "element", 300, "normal", engine);
    std::vector<double> c(suited.a.size());
    const auto timed = [&](const Matrices& of, bool is_certified) {
      return [&, is_certified] {
        return seconds_of([&] {
          if (multiply(gpu, of, c) != is_certified) throw Error("it was not as expected");
        });
      };
    };
    const std::vector<Taken> taken =
        in_turns({{"certified", timed(suited, true)}, {"refused", timed(unsuited, false)}}, {5, 5});
    table.row({size, fixed(taken[0].median, 6), fixed(taken[1].median, 6)});
  }
  return 0;
}

int run(const NamedOptions& options) {
  Engine device(settings_of(Strategy::gpu));
  if (device.gpu() == nullptr) throw DeviceError(device.facts().gpu_problem());
  GpuSide& gpu = *device.gpu();
  if (!options["--times"].empty()) return print_times(gpu, options.list("--times"));
  Context cpu(settings_of(Strategy::cpu));
  const int n = options.whole("--n"), products = options.whole("--products");
  const std::string& kind = options["--numbers"];
  std::mt19937_64 engine(1);
  const Table table(
      {{"by", -8}, {"spread", 7}, {"k", 6}, {"certified", 10}, {"error", 10}, {"CPU's", 10}});
  for (const std::string by : {"row", "column", "element"})
    for (const std::string& spread : options.list("--spreads"))
      for (const std::string& depth : options.list("--depths")) {
        int certified = 0;
        double error = 0, error_of_cpu = 0;
        const int k = std::stoi(depth);
        for (int product = 0; product < products; ++product) {
          const Matrices of = drawn(n, k, by, std::stoi(spread), kind, engine);
          std::vector<double> by_integers(static_cast<std::size_t>(n) *
                                          static_cast<std::size_t>(n)),
              by_cpu = by_integers;
          cpu.gemm<double>(Layout::row_major, Op::none, Op::none, n, n, k, 1, of.a.data(), k,
                           of.b.data(), n, 0, by_cpu.data(), n);
          if (!multiply(gpu, of, by_integers)) continue;
          ++certified;
          const std::vector<double> found = errors(of, {&by_integers, &by_cpu});
          error = std::max(error, found[0]);
          error_of_cpu = std::max(error_of_cpu, found[1]);
        }
        const bool any = certified > 0;
        table.row({by, spread, depth, std::to_string(certified) + "/" + std::to_string(products),
                   any ? fixed(error, 2) : "", any ? fixed(error_of_cpu, 2) : ""});
      }
  return 0;
}

}  // namespace

BenchCase integers_case() {
  return {"integers", kUsage,
          NamedOptions({{"--n", "48"},
                        {"--depths", "16,256,4096"},
                        {"--spreads", "0,2,10,50,300"},
                        {"--products", "4"},
                        {"--numbers", "normal"},
                        {"--times", ""}}),
          run};
}

}  // namespace duoblas
