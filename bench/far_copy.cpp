// ?copy of vectors whose elements lie far apart: the columns of a matrix that lies row by row, and
// back, as NumPy's linalg copies matrices for LAPACK. By the BLAS's ?copy, by the caller's thread
// and by teams of threads, in turns.
//
//   bench_far_copy --precision d --size 4096 --threads 2,4,8 [--pad 1]
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/named_options.hpp"
#include "cpu/far_copy.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_far_copy [--precision s,d] [--size 2048,4096] [--pad 0] [--threads 2] [--rounds 5]
                      [--blas libopenblas.so.0]

A matrix of `size` rows, with `pad` elements behind each, column by column into a matrix whose columns
lie one after another ("from rows"), and back ("to rows"). Microseconds for each column, medians of
turns of all columns.
)";

using BlasCopy = void (*)(const int*, const void*, const int*, void*, const int*);

struct Ways {
  BlasCopy blas = nullptr;
  std::vector<int> threads;
  ThreadTeam* team = nullptr;
};

struct Matrices {
  int n, size, pitch;
  std::vector<std::byte> rows, columns;

  Matrices(int order, int pad, int bytes)
      : n(order),
        size(bytes),
        pitch(order + pad),
        rows(static_cast<std::size_t>(n) * static_cast<std::size_t>(pitch * size)),
        columns(static_cast<std::size_t>(n) * static_cast<std::size_t>(n * size)) {}

  FarCopy column(int j, bool from_rows) {
    std::byte* const far = rows.data() + static_cast<std::ptrdiff_t>(j) * size;
    std::byte* const near = columns.data() + static_cast<std::ptrdiff_t>(j) * n * size;
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(pitch) * size;
    if (from_rows) return {n, size, far, step, near, size};
    return {n, size, near, size, far, step};
  }
};

template <typename Copy>
double seconds_of(Matrices& of, bool from_rows, const Copy& copy) {
  const Stopwatch stopwatch;
  for (int j = 0; j < of.n; ++j) copy(of.column(j, from_rows));
  return stopwatch.seconds();
}

void compare(Matrices& of, bool from_rows, const Ways& ways, int rounds, const std::string& what) {
  std::vector<std::vector<double>> times(2 + ways.threads.size());
  for (int round = 0; round < rounds; ++round) {
    times[0].push_back(seconds_of(of, from_rows, [&](const FarCopy& copy) {
      const int incx = static_cast<int>(copy.step_x / of.size);
      const int incy = static_cast<int>(copy.step_y / of.size);
      ways.blas(&of.n, copy.x, &incx, copy.y, &incy);
    }));
    times[1].push_back(
        seconds_of(of, from_rows, [](const FarCopy& copy) { copy_elements(copy, 0, copy.n); }));
    for (std::size_t i = 0; i < ways.threads.size(); ++i)
      times[2 + i].push_back(seconds_of(of, from_rows, [&](const FarCopy& copy) {
        copy_by_team(copy, *ways.team, ways.threads[i]);
      }));
  }
  std::printf("%s  BLAS %.2f  one thread %.2f", what.c_str(), upper_median(times[0]) / of.n * 1e6,
              upper_median(times[1]) / of.n * 1e6);
  for (std::size_t i = 0; i < ways.threads.size(); ++i)
    std::printf("  %d threads %.2f", ways.threads[i], upper_median(times[2 + i]) / of.n * 1e6);
  std::printf("  us\n");
}

BlasCopy copy_of_blas(const std::string& library, const std::string& precision) {
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = loaded != nullptr ? dlsym(loaded, (precision + "copy_").c_str()) : nullptr;
  if (found == nullptr) throw SettingError(library + " has no " + precision + "copy_");
  return reinterpret_cast<BlasCopy>(found);
}

int run(const NamedOptions& options) {
  Ways ways;
  int most = 1;
  for (const std::string& threads : list_items(options["--threads"])) {
    ways.threads.push_back(std::stoi(threads));
    most = std::max(most, ways.threads.back());
  }
  ThreadTeam team(most);
  ways.team = &team;
  for (const std::string& precision : list_items(options["--precision"])) {
    ways.blas = copy_of_blas(options["--blas"], precision);
    const auto bytes = static_cast<int>(element_size(precision_named(precision)));
    for (const std::string& size : list_items(options["--size"])) {
      Matrices of(std::stoi(size), std::stoi(options["--pad"]), bytes);
      for (const bool from_rows : {true, false})
        compare(of, from_rows, ways, positive(options, "--rounds"),
                precision + "copy " + size + (from_rows ? " from rows" : " to rows  "));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const NamedOptions options({{"--precision", "s,d"},
                              {"--size", "2048,4096"},
                              {"--pad", "0"},
                              {"--threads", "2"},
                              {"--rounds", "5"},
                              {"--blas", "libopenblas.so.0"}});
  return benchmark_main("bench_far_copy", kUsage, options, argc, argv, run);
}
