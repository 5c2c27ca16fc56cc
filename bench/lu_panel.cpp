// A panel of LU by threads of our own (cpu/lu_panel) against the CPU BLAS's getrf of it.
//
//   bench_lu_panel --precision s,d --rows 1024,4096,8192 --columns 128 --threads 1,8,16
//
// In turns, each on a fresh copy that is not in the caches of who computes it; microseconds and
// GFLOPS of the median calls.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <duoblas/buffer.hpp>
#include <duoblas/error.hpp>

#include "bench/named_options.hpp"
#include "cpu/lu_panel.hpp"
#include "cpu/thread_team.hpp"
#include "engine/engine.hpp"
#include "problem/element_types.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_lu_panel [--precision s,d,c,z] [--rows 1024,2048,4096,8192] [--columns 128]
                      [--threads 1,2,4,8,16] [--rounds 15]
)";

void fill(void* memory, std::size_t count, Precision precision) {
  with_element_type(precision, [&](auto zero) {
    using Real = decltype(std::abs(zero));
    std::mt19937_64 random(1);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    const std::size_t numbers = count * sizeof(zero) / sizeof(Real);
    for (std::size_t i = 0; i < numbers; ++i) static_cast<Real*>(memory)[i] = uniform(random);
  });
}

void compare(Engine& engine, const NamedOptions& options, Precision precision, std::int64_t rows,
             std::int64_t columns) {
  const auto count = static_cast<std::size_t>(rows * columns);
  const std::size_t bytes = count * element_size(precision);
  Buffer<std::byte> original(bytes), a(bytes);
  fill(original.data(), count, precision);
  std::vector<std::int32_t> pivots(static_cast<std::size_t>(columns));
  LapackProblem p;
  p.routine = LapackRoutine::getrf;
  p.precision = precision;
  p.m = p.lda = rows;
  p.n = columns;
  p.a = a.data();
  p.pivots = pivots.data();
  const CpuConfig all = engine.plans().cpu_alone(precision, Reason::cpu_asked_for).cpu;
  const auto report = [&](const std::string& who, auto&& work) {
    std::vector<double> seconds;
    for (int round = -2; round < std::stoi(options["--rounds"]); ++round) {
      std::memcpy(a.data(), original.data(), bytes);
      const double took = seconds_of(work);
      if (round >= 0) seconds.push_back(took);
    }
    const double took = median(seconds);
    std::printf("%cgetrf %6lld x %4lld %-12s %10.1f us %8.1f GFLOPS\n", letter(precision),
                static_cast<long long>(rows), static_cast<long long>(columns), who.c_str(),
                1e6 * took, 1e-9 * flops(p) / took);
  };
  report("CPU BLAS", [&] { engine.cpu().run(p, all); });
  for (const std::string& threads : list_items(options["--threads"])) {
    ThreadTeam team(std::stoi(threads));
    LuPanel panel(team, precision, rows, columns);
    if (!panel.suits(p)) throw SettingError("--columns must not be more than --rows");
    report("threads " + threads, [&] { panel.factorise(p); });
  }
  std::fflush(stdout);
}

int run(const NamedOptions& options) {
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  for (const std::string& precision : list_items(options["--precision"])) {
    const auto known =
        std::ranges::find(all_precisions, precision[0], [](Precision of) { return letter(of); });
    if (precision.size() != 1 || known == std::end(all_precisions))
      throw SettingError("--precision is of s, d, c and z, not " + precision);
    for (const std::string& rows : list_items(options["--rows"]))
      compare(engine, options, *known, std::stoll(rows), std::stoll(options["--columns"]));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_lu_panel", kUsage,
                        NamedOptions({{"--precision", "s,d"},
                                      {"--rows", "1024,2048,4096,8192"},
                                      {"--columns", "128"},
                                      {"--threads", "1,2,4,8,16"},
                                      {"--rounds", "15"}}),
                        argc, argv, run);
}
