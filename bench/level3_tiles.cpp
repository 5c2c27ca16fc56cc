// The CPU BLAS's level-3 routines with threads of its own against tiles that single-threaded calls
// compute, on the same cores.
//
//   bench_level3_tiles --routines syrk,trsm --precision s,d --order 128,256 --free 0,2048
//
// Ways take turns, in blocks of calls one after another, of which the first does not count: it
// wakes threads. Between blocks is a pause, in which threads of the CPU BLAS go to sleep. Printed
// are medians in milliseconds, the CPU BLAS's rate, and the best tiles' time over its time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/named_options.hpp"
#include "cpu/cpu_side.hpp"
#include "cpu/level3_tiles.hpp"
#include "cpu/workers.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_level3_tiles [--routines symm,syrk,syr2k,trmm,trsm] [--precision s,d]
                          [--order 256,512] [--free 0,2048] [--tiles 64,128,256] [--side left]
                          [--threads 0] [--core-type ""] [--seconds 0.1]

  --order    of the triangular or symmetric matrix
  --free     right-hand sides, or k; 0: as many as the order
  --tiles    lines and right-hand sides of a tile
  --seconds  per way of a call; two blocks at least
)";

constexpr int calls_of_block = 5;
constexpr std::chrono::milliseconds pause_between_blocks{2};  // spinning threads sleep after 0.4 ms

struct Variant {
  std::string name;
  std::function<void()> run;
  std::vector<double> times;
};

// Identity, so that solving and multiplying in place over and over leaves numbers as they are.
template <typename Real>
std::vector<char> identity(std::int64_t rows, std::int64_t columns, std::int64_t parts) {
  std::vector<char> memory(static_cast<std::size_t>(rows * columns * parts) * sizeof(Real));
  auto* values = reinterpret_cast<Real*>(memory.data());
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i) values[i * (columns + 1) * parts] = 1;
  return memory;
}

std::vector<char> matrix(StoredShape shape, Precision precision) {
  const std::int64_t parts = is_complex(precision) ? 2 : 1;
  return is_double(precision) ? identity<double>(shape.rows, shape.cols, parts)
                              : identity<float>(shape.rows, shape.cols, parts);
}

class Comparison {
 public:
  explicit Comparison(const NamedOptions& options)
      : options_(options), cpu_(cpu_limits("", std::stoi(options["--threads"])), "") {
    all_ = cpu_.all_cores(options["--core-type"]);
    one_ = all_;
    one_.threads = 1;
    one_.cores.clear();
    std::printf("%s; %d threads\n", cpu_.description(all_).c_str(), all_.threads);
  }

  void compare(Routine routine, Precision precision, std::int64_t order, std::int64_t free) {
    Level3Problem p;
    p.routine = routine;
    p.precision = precision;
    p.uplo = Uplo::lower;
    p.side = options_["--side"] == "right" ? Side::right : Side::left;
    p.m = p.side == Side::left ? order : free;
    p.n = p.side == Side::left ? free : order;
    if (updates_triangle(routine)) p.n = order;
    p.k = free;
    auto a = matrix(stored_a(p), precision), c = matrix(stored_c(p), precision);
    auto b = has_b(routine) ? matrix(stored_b(p), precision) : std::vector<char>();
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    p.lda = stored_a(p).cols;
    p.ldb = has_b(routine) ? stored_b(p).cols : 0;
    p.ldc = stored_c(p).cols;
    std::vector<Variant> variants;
    variants.push_back({"own", [&] { cpu_.run(p, all_); }, {}});
    for (const std::string& size : list_items(options_["--tiles"])) {
      const std::int64_t tile = std::stoll(size);
      variants.push_back({size, [this, p, tile] { run_tiles(p, {tile, tile}); }, {}});
    }
    take_turns(variants);
    print(p, order, free, variants);
  }

 private:
  void run_tiles(const Level3Problem& p, const Level3Grid& grid) {
    const std::vector<TileSteps> tiles = level3_tiles(p, grid);
    hand_out(
        static_cast<std::int64_t>(tiles.size()),
        [&](std::int64_t index) {
          for (const Step& step : tiles[static_cast<std::size_t>(index)])
            if (const auto* product = std::get_if<GemmProblem>(&step))
              cpu_.run(*product, one_);
            else
              cpu_.run(std::get<Level3Problem>(step), one_);
        },
        all_.threads);
  }

  void take_turns(std::vector<Variant>& variants) const {
    const double seconds = std::stod(options_["--seconds"]);
    double spent = 0;
    for (int round = 0; round < 2 || spent < seconds * static_cast<double>(variants.size());
         ++round)
      for (Variant& variant : variants) {
        for (int call = 0; call < calls_of_block; ++call) {
          const double took = seconds_of(variant.run);
          spent += took;
          if (call > 0) variant.times.push_back(took);
        }
        std::this_thread::sleep_for(pause_between_blocks);
      }
  }

  static void print(const Level3Problem& p, std::int64_t order, std::int64_t free,
                    const std::vector<Variant>& variants) {
    const double own = median(variants.front().times);
    double best = 0;
    std::printf("%c%-6s %5lld %5lld %8.1f %9.3f", letter(p.precision), name(p.routine),
                static_cast<long long>(order), static_cast<long long>(free), 1e-9 * flops(p) / own,
                1e3 * own);
    for (std::size_t i = 1; i < variants.size(); ++i) {
      const double took = median(variants[i].times);
      if (i == 1 || took < best) best = took;
      std::printf(" %9.3f", 1e3 * took);
    }
    std::printf("  %6.3f\n", best / own);
    std::fflush(stdout);
  }

  const NamedOptions& options_;
  CpuSide cpu_;
  CpuConfig all_, one_;
};

int run(const NamedOptions& options) {
  Comparison comparison(options);
  std::printf("ms      order  free   GFLOPS       own");
  for (const std::string& size : list_items(options["--tiles"])) std::printf(" %9s", size.c_str());
  std::printf("  best/own\n");
  for (const std::string& routine : list_items(options["--routines"]))
    for (const std::string& precision : list_items(options["--precision"]))
      for (const std::string& order : list_items(options["--order"]))
        for (const std::string& free : list_items(options["--free"])) {
          const std::int64_t lines = std::stoll(order), wanted = std::stoll(free);
          comparison.compare(routine_named(routine), precision_named(precision), lines,
                             wanted == 0 ? lines : wanted);
        }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_level3_tiles", kUsage,
                        NamedOptions({{"--routines", "symm,syrk,syr2k,trmm,trsm"},
                                      {"--precision", "s,d"},
                                      {"--order", "256,512"},
                                      {"--free", "0,2048"},
                                      {"--tiles", "64,128,256"},
                                      {"--side", "left"},
                                      {"--threads", "0"},
                                      {"--core-type", ""},
                                      {"--seconds", "0.1"}}),
                        argc, argv, run);
}
