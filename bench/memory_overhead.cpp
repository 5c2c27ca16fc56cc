// How much memory a process needs beside the operands of a product: its peak while one runs on both
// sides, over what it had with the operands in place.
//
//   DUOBLAS_STANDIN=1 bench_memory_overhead [n...]     each case in a process of its own
//
// Where the device is a CPU (a stand-in), its memory is the process's own: staged operands and what
// is packed are counted then.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench_engine.hpp"
#include "planner/planner.hpp"

namespace duoblas {
namespace {

// A line of /proc/self/status, in bytes.
double status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":", 0) == 0) return std::atof(line.c_str() + name.size() + 1) * 1024;
  return 0;
}

void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

struct Case {
  Precision precision = Precision::s;
  std::int64_t n = 0;
  SharingMode sharing = SharingMode::staged;
  double beta = 0;
};

// The most bytes during the product, less those with the operands in place. Nothing if the GPU had
// no part.
std::optional<double> measured(const Case& what) {
  CallerGemm call = row_major_call(what.precision, Op::none, Op::none, what.n, what.n, what.n);
  call.args.beta = what.beta;
  const MeasuredProblem operands(call, 1);
  Engine& engine = bench_engine();
  Plan plan = engine.plans().of(operands.problem());
  plan.sharing = what.sharing;
  const double before = status_bytes("VmRSS");
  reset_peak();
  if (!engine.run(operands.problem(), plan).used_gpu) {
    std::fprintf(stderr, "the GPU had no part in it\n");
    return {};
  }
  return std::max(0.0, status_bytes("VmHWM") - before);
}

// A small product comes first: libraries and kernels that are loaded once do not count.
int run_one(Case what) {
  Engine& engine = bench_engine();
  if (engine.gpu() == nullptr) {
    std::fprintf(stderr, "%s\n", engine.facts().gpu_problem().c_str());
    return 1;
  }
  engine.plans().set_split(Share{8, 16});
  Case small = what;
  small.n = 256;
  measured(small);
  const auto over = measured(what);
  if (!over) return 1;
  const double operands = 3.0 * static_cast<double>(what.n) * static_cast<double>(what.n) *
                          static_cast<double>(element_size(what.precision));
  const double target = 0.1 * operands + 0x1p26;
  std::printf("%cgemm %6lld  %-12s beta %4.1f  operands %7.0f MiB  over them %7.1f MiB  %s\n",
              letter(what.precision), static_cast<long long>(what.n),
              std::string(name(what.sharing)).c_str(), what.beta, operands * 0x1p-20,
              *over * 0x1p-20,
              *over <= target ? "within 10 % + 64 MiB" : "MORE than 10 % + 64 MiB");
  return 0;
}

int run_all(const std::vector<std::string>& sizes) {
  int failed = 0;
  for (const char* sharing : {"host_pointer", "staged"})
    for (const char* type : {"s", "d"})
      for (const char* beta : {"0", "-0.5"})
        for (const std::string& n : sizes) {
          const std::string command =
              std::string("/proc/$PPID/exe one ") + type + " " + n + " " + sharing + " " + beta;
          failed += std::system(command.c_str()) != 0;
        }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace duoblas

int main(int argc, char** argv) {
  using namespace duoblas;
  const std::vector<std::string> given(argv + 1, argv + argc);
  try {
    if (given.size() == 5 && given[0] == "one") {
      const SharingMode sharing =
          given[3] == "staged" ? SharingMode::staged : SharingMode::host_pointer;
      return run_one({given[1] == "d" ? Precision::d : Precision::s, std::stoll(given[2]), sharing,
                      std::stod(given[4])});
    }
    return run_all(given.empty() ? std::vector<std::string>{"1024", "2048", "4096"} : given);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
