// Products of doubles by integers: how often they are certified, and their largest errors beside
// those of the CPU's doubles, by how far exponents spread.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <duoblas/context.hpp>

#include "bench/named_options.hpp"

namespace {

using namespace duoblas;
constexpr const char* kUsage =
    R"(usage: bench_integer_errors [--n 48] [--depths 16,256,4096] [--spreads 0,2,10,50,300]
                            [--products 4] [--numbers normal]

  --n         of C, n x n
  --spreads   exponents are drawn from +- so much, for each row, column or element of A and B
  --products  for each line of the table
  --numbers   normal, uniform, whole (up to 1000) or cancelling

A line for each spread and depth: products that were certified, the largest error of an element of
these, and of the same elements by the CPU, in roundoffs 2^-53 of |A||B|. The reference has quadruple
precision. The device is that of DUOBLAS_DEVICE, the way DUOBLAS_FP64=integers.
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

Context on(Strategy strategy) {
  Settings settings = Settings::from_environment();
  settings.strategy = strategy;
  settings.fp64 = Fp64Mode::integers;
  settings.adapt = false;
  return Context(settings);
}

int run(const NamedOptions& options) {
  Context device = on(Strategy::gpu), cpu = on(Strategy::cpu);
  const int n = positive(options, "--n"), products = positive(options, "--products");
  const std::string& kind = options["--numbers"];
  std::mt19937_64 engine(1);
  std::printf("%-8s %7s %6s %10s %10s %10s\n", "by", "spread", "k", "certified", "error", "CPU's");
  for (const std::string by : {"row", "column", "element"})
    for (const std::string& spread : list_items(options["--spreads"]))
      for (const std::string& depth : list_items(options["--depths"])) {
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
          device.gemm<double>(Layout::row_major, Op::none, Op::none, n, n, k, 1, of.a.data(), k,
                              of.b.data(), n, 0, by_integers.data(), n);
          const CallSummary call = Context::last_call();
          if (call.strategy != Strategy::gpu || call.recovered) continue;
          ++certified;
          const std::vector<double> found = errors(of, {&by_integers, &by_cpu});
          error = std::max(error, found[0]);
          error_of_cpu = std::max(error_of_cpu, found[1]);
        }
        std::printf("%-8s %7s %6d %7d/%-2d ", by.c_str(), spread.c_str(), k, certified, products);
        if (certified > 0) std::printf("%10.2f %10.2f", error, error_of_cpu);
        std::printf("\n");
        std::fflush(stdout);
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_integer_errors", kUsage,
                        NamedOptions({{"--n", "48"},
                                      {"--depths", "16,256,4096"},
                                      {"--spreads", "0,2,10,50,300"},
                                      {"--products", "4"},
                                      {"--numbers", "normal"}}),
                        argc, argv, run);
}
