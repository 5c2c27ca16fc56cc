// "Never slower": a grid of calls through the drop-in and directly, a process each.
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>

#include <duoblas/error.hpp>

#include "bench/dropin_pair.hpp"
#include "bench/overhead_cases.hpp"
#include "cpu/cpu_side.hpp"
#include "os/child_process.hpp"
#include "timing/median.hpp"
#include "tuner/core_type_probe.hpp"

namespace duoblas {
namespace {

constexpr const char* kUsage =
    R"(DROPIN [--blas libopenblas.so.0] [--core-type NAME] [--seconds 1] [--largest 4096]
     [--points dgemm:nn:512x512x512,...] [--every 1] [--repeats 2]

Every point has a fresh process. A pair is some calls of the BLAS on all cores and some through the drop-in
(libduoblas_blas.so.0 with its path), each preceded by 35 ms of untimed calls, so that no threads of the other
BLAS spin. Printed are the medians of the ratios within pairs: below 1 is a gain. "engine": the engine does the
call, at least in part on the GPU; otherwise the drop-in passes it on.
--core-type  of the BLAS; otherwise its fastest here, by measuring
--seconds    per point; three pairs at least
--largest    extent of the grid's calls
--points     instead of the grid
--every      2: every second point of the grid, and so on
--repeats    times that points over 1.05 are measured again
)";

constexpr double most_allowed = 1.05;
constexpr const char* of_one_point = "--one-point";

// Every routine and type; squares, thin shapes, odd sizes, op pairs and sides. A line: types,
// routine, letters (several between commas), sizes (one number: all extents), and perhaps "add".
constexpr const char* kGrid = R"(
sd gemm nn 96 128 192 256 333 512 768 1000 1023 1024 1500 2047 2048 4096
sd gemm nt,tn,tt 256 777 1024 2048
sd gemm nn 2048x2048x16 2048x2048x64 2048x2048x256 2048x64x2048 64x2048x2048 2048x16x2048 16x2048x2048
sd gemm nn 256x256x8192 4096x256x512 256x4096x512 511x1025x2049 1333x777x555 129x2000x300 8192x128x128 128x8192x128
sd gemm tn 2048x2048x64 256x256x8192 511x1025x2049
sd gemm nn 512 1024 2048 add
cz gemm nn 64 128 256 333 512 768 1024 2048 1024x1024x64 1024x64x1024 64x1024x1024
cz gemm nt,cn,tc 256 777
sd symm lu 256 512 768 1024 1500 2048 4096
sd syrk ln 256 512 768 1024 1500 2048 4096 2048x64 256x4096
sd syr2k ut 256 512 768 1024 1500 2048 4096
sd trmm lunn 256 512 768 1024 1500 2048 4096
sd trsm llnn 256 512 768 1024 1500 2048 4096
cz symm lu 256 512 1024
cz hemm rl 256 512 1024
cz syrk ln 256 512 1024
cz herk uc 256 512 1024
cz syr2k ut 256 512 1024
cz her2k ln 256 512 1024
cz trmm lunn 256 512 1024
cz trsm llnn 256 512 1024
sd symm rl 777x1023
sd syrk ut 1023x777
sd syr2k ln 1023x300
sd trmm rlnu 2048x512
sd trmm llnn 777x1023
sd trsm runn 2048x512
sd trsm lltn 1024x64
sd trsm lunu 777x1023
sdz gemv n,t 96 256 512 1023 2048 4096
sdz gemv t 4096x64 64x4096 4096x1000
)";

std::vector<BlasPoint> grid_points(int largest) {
  std::vector<BlasPoint> points;
  std::istringstream lines(kGrid);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string types, routine, letters, sizes;
    words >> types >> routine >> letters;
    const bool adds = line.ends_with("add");
    while (words >> sizes && sizes != "add")
      for (const std::string& letter : list_items(letters))
        for (const char type : types) {
          BlasPoint point = blas_point(type + routine + ':' + letter + ':' + sizes);
          point.adds = adds;
          if (std::ranges::max(point.sizes) <= largest) points.push_back(point);
        }
  }
  return points;
}

std::vector<BlasPoint> points_of(const NamedOptions& options) {
  std::vector<BlasPoint> chosen;
  for (const std::string& text : options.list("--points")) chosen.push_back(blas_point(text));
  if (!chosen.empty()) return chosen;
  const auto grid = grid_points(options.whole("--largest"));
  const auto step = static_cast<std::size_t>(options.whole("--every"));
  for (std::size_t i = 0; i < grid.size(); i += step) chosen.push_back(grid[i]);
  return chosen;
}

// The fastest of both precisions together; the library's own choice comes first among equals.
std::string fastest_core_type(const std::string& blas) {
  const auto found = probe_core_types(blas, "/proc/self/exe");
  if (found.empty()) return "";
  const auto worth = [&](const CoreTypeFinding& type) {
    return type.sgemm_gflops / found.front().sgemm_gflops +
           type.dgemm_gflops / found.front().dgemm_gflops;
  };
  const auto best = std::ranges::max_element(found, {}, worth);
  return worth(*best) > 1.02 * worth(found.front()) ? best->core_type : "";
}

// What the process of one point says.
struct Answer {
  bool by_engine = false;
  double direct = 0, dropin = 0, ratio = 0;
  std::string state;
};

int answer(const NamedOptions& options) {
  const DropinPair pair(options.word(), options["--blas"], options["--core-type"]);
  const PairTiming timing =
      pair.measure(blas_point(options["--points"]), options.positive("--seconds"));
  std::cout.precision(9);
  std::cout << timing.by_engine << ' ' << timing.direct_seconds << ' ' << timing.dropin_seconds
            << ' ' << timing.ratio << ' ' << pair.description()
            << "; engine: " << pair.engine_state() << std::endl;
  return 0;
}

Answer asked(const NamedOptions& options, const std::string& core_type, const std::string& point) {
  ChildProcess child({"/proc/self/exe", "grid", options.word(), "--blas", options["--blas"],
                      "--core-type", core_type, "--seconds", options["--seconds"], "--points",
                      point, of_one_point, "yes"});
  std::string output;
  pollfd waiting{child.channel(), POLLIN, 0};
  while (poll(&waiting, 1, -1) > 0 && child.receive(output)) {
  }
  child.end();
  Answer answer;
  std::istringstream text(output);
  text >> answer.by_engine >> answer.direct >> answer.dropin >> answer.ratio;
  if (!text) throw Error("the process of " + point + " gave no answer");
  std::getline(text, answer.state);
  return answer;
}

double mean(const std::vector<double>& ratios) {
  double logs = 0;
  for (const double ratio : ratios) logs += std::log(ratio);
  return ratios.empty() ? 1 : std::exp(logs / static_cast<double>(ratios.size()));
}

int run(const NamedOptions& options) {
  if (options.is(of_one_point, "yes")) return answer(options);
  const std::string core_type = options.is("--core-type", "?")
                                    ? fastest_core_type(options["--blas"])
                                    : options["--core-type"];
  const Table table({{"call", -28},
                     {"by", -6},
                     {"GFLOPS", 9},
                     {"direct ms", 10},
                     {"drop-in ms", 10},
                     {"ratio", 6},
                     {"again", -1}});
  std::vector<double> ratios, of_engine;
  int over = 0, unanswered = 0;
  for (const BlasPoint& point : points_of(options)) try {
      const Answer told = asked(options, core_type, text_of(point));
      if (ratios.empty()) std::cout << told.state << '\n';
      std::vector<double> all = {told.ratio};
      std::string again;
      for (int i = 0; i < options.whole("--repeats", 0) && told.ratio > most_allowed; ++i) {
        all.push_back(asked(options, core_type, text_of(point)).ratio);
        again += fixed(all.back(), 3) + ' ';
      }
      ratios.push_back(upper_median(all));
      if (told.by_engine) of_engine.push_back(ratios.back());
      const bool stays = ratios.back() > most_allowed;
      over += stays ? 1 : 0;
      table.row({text_of(point), told.by_engine ? "engine" : "passed",
                 fixed(1e-9 * flops(point) / told.dropin, 1), fixed(1e3 * told.direct, 4),
                 fixed(1e3 * told.dropin, 4), fixed(told.ratio, 3), again + (stays ? "OVER" : "")});
    } catch (const Error& error) {
      std::cerr << error.what() << '\n';
      ++unanswered;
    }
  std::cout << ratios.size() << " points, " << over << " stay over " << fixed(most_allowed, 2)
            << "; geometric mean of the ratios " << fixed(mean(ratios), 4) << ", of the "
            << of_engine.size() << " that the engine does " << fixed(mean(of_engine), 4) << '\n';
  return unanswered > 0;
}

}  // namespace

BenchCase grid_case() {
  return {"grid", kUsage,
          NamedOptions({{"--blas", "libopenblas.so.0"},
                        {"--core-type", "?"},
                        {"--seconds", "1"},
                        {"--largest", "4096"},
                        {"--points", ""},
                        {"--every", "1"},
                        {"--repeats", "2"},
                        {of_one_point, ""}},
                       "drop-in"),
          run};
}

std::optional<int> answered_for_parent(int argc, char** argv) {
  if (argc != 4 || std::string(argv[1]) != core_type_probe_argument) return std::nullopt;
  try {
    std::cout << run_core_type_probe(argv[2], argv[3]) << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_overhead: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace duoblas
