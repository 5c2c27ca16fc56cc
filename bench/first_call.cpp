// The first large call of a process: how long it takes beyond the driver's own start, and whether
// `auto` makes a caller wait for that start. Every figure is of new processes; the caches on disk
// are those of an earlier run.
//
//   bench_first_call build/release/lib/libduoblas_blas.so.0 --call sgemm:nn:2048x2048x2048
#include <dlfcn.h>
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "bench/blas_call.hpp"
#include "bench/named_options.hpp"
#include "opencl/choose_device.hpp"
#include "opencl/program_cache.hpp"
#include "os/child_process.hpp"
#include "os/host_environment.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;
constexpr const char* kUsage =
    R"(usage: bench_first_call DROPIN [--blas libopenblas.so.0] [--call sgemm:nn:2048x2048x2048]
                        [--strategy gpu] [--processes 5] [--calls 40]

  DROPIN       libduoblas_blas.so.0 with its path
  --call       the large call, as bench_never_slower names them
  --strategy   asked for where the first call waits for the device: gpu or hybrid
  --processes  of each kind; medians are printed
  --calls      of a process with `auto`

driver: a context, a queue, a trivial kernel from a cached binary, and its end. first, second: with
the strategy given, the process's first call of BLAS and its next. auto: the longest of the calls of
a process, the BLAS's own time for such a call, and the difference.
)";

constexpr double allowed_seconds = 0.1;

// Seconds that any program needs to start this driver.
double driver_start() {
  const Settings settings = Settings::from_environment();
  const Stopwatch watch;
  std::string problem;
  const auto devices = cl::list_devices(&problem);
  const auto device = cl::choose_device(devices, settings.device, true, &problem);
  if (!device) throw DeviceError(problem);
  const cl::Context context(*device);
  cl::Queue queue(context);
  cl::ProgramCache cache(settings.cache_dir);
  const cl::Program program =
      cache.build(context, "__kernel void set(__global int* x) { x[get_global_id(0)] = 1; }", "");
  cl::Kernel kernel = program.kernel("set");
  const cl::Buffer memory = context.allocate(sizeof(int), cl::Access::write_only);
  kernel.set_argument(0, memory);
  queue.wait(queue.submit(kernel, {}));
  return 1e3 * watch.seconds();
}

void* function_of(const std::string& path, int scope, const std::string& name) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | scope);
  void* function = handle != nullptr ? dlsym(handle, name.c_str()) : nullptr;
  if (function == nullptr) throw Error(dlerror());
  return function;
}

double timed(const BlasCall& call, void* function) {
  return 1e3 * seconds_of([&] { call.make(function); });
}

// The work of one new process, which prints its milliseconds in a line.
int play(const NamedOptions& options) {
  const std::string& role = options["--role"];
  if (role == "driver") {
    std::printf("%.4f\n", driver_start());
    std::fflush(stdout);
    std::_Exit(0);  // drivers may crash while their objects end
  }
  const BlasCall call(blas_point(options["--call"]));
  const std::string name = symbol_of(call.point());
  void* const direct = function_of(options["--blas"], RTLD_GLOBAL, name);
  void* const dropin = function_of(options.word(), RTLD_LOCAL, name);
  for (int i = 0; i < 3; ++i) timed(call, direct);  // its own threads are awake
  if (role == "forced") {
    const double first = timed(call, dropin);
    std::printf("%.4f %.4f\n", first, timed(call, dropin));
    return 0;
  }
  const int calls = std::atoi(options["--calls"].c_str());
  std::vector<double> plain, times;
  for (int i = 0; i < calls; ++i) plain.push_back(timed(call, direct));
  for (int i = 0; i < calls; ++i) times.push_back(timed(call, dropin));
  std::sort(plain.begin(), plain.end());
  const auto longest = std::max_element(times.begin(), times.end());
  std::printf("%.4f %.4f %.4f %td\n", *longest, plain[plain.size() / 2], plain.back(),
              longest - times.begin() + 1);
  return 0;
}

std::vector<double> of_process(const NamedOptions& options, const std::string& role) {
  std::vector<std::string> command = {"/proc/self/exe", options.word(), "--role", role};
  for (const char* name : {"--blas", "--call", "--calls"})
    command.insert(command.end(), {name, options[name]});
  ChildProcess child(command);
  std::string output;
  pollfd waiting{child.channel(), POLLIN, 0};
  while (poll(&waiting, 1, -1) > 0 && child.receive(output)) {
  }
  child.end();
  std::istringstream text(output);
  std::vector<double> numbers;
  for (double number; text >> number;) numbers.push_back(number);
  if (numbers.empty()) throw Error("a process (" + role + ") said nothing: " + child.last_words());
  return numbers;
}

// The median of each number that processes of this role print.
std::vector<double> medians(const NamedOptions& options, const std::string& role) {
  of_process(options, role);  // fills the caches
  std::vector<std::vector<double>> columns;
  for (int i = 0; i < std::atoi(options["--processes"].c_str()); ++i) {
    const std::vector<double> row = of_process(options, role);
    columns.resize(row.size());
    for (std::size_t at = 0; at < row.size(); ++at) columns[at].push_back(row[at]);
  }
  std::vector<double> found;
  for (auto& column : columns) {
    found.push_back(upper_median(std::move(column)));
  }
  return found;
}

int run(const NamedOptions& options) {
  if (!options["--role"].empty()) return play(options);
  std::printf("%s, medians of %s processes, milliseconds\n", options["--call"].c_str(),
              options["--processes"].c_str());
  const double driver = medians(options, "driver").at(0);
  std::printf("driver %.1f\n", driver);
  std::vector<double> forced, automatic;
  {
    const ScopedVariable strategy("DUOBLAS_STRATEGY", options["--strategy"]);
    forced = medians(options, "forced");
  }
  const double beyond = forced.at(0) - forced.at(1) - driver;
  std::printf("%s: first %.1f, second %.1f; first - second - driver %.1f  %s\n",
              options["--strategy"].c_str(), forced[0], forced[1], beyond,
              beyond <= 1e3 * allowed_seconds ? "held" : "MISSED");
  {
    const ScopedVariable strategy("DUOBLAS_STRATEGY", "auto");
    automatic = medians(options, "auto");
  }
  std::printf(
      "auto: longest of %s calls %.1f (the %.0f.), BLAS alone %.1f, its longest %.1f; "
      "longest - BLAS alone %.1f\n",
      options["--calls"].c_str(), automatic.at(0), automatic.at(3), automatic.at(1),
      automatic.at(2), automatic[0] - automatic[1]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_first_call", kUsage,
                        NamedOptions({{"--blas", "libopenblas.so.0"},
                                      {"--call", "sgemm:nn:2048x2048x2048"},
                                      {"--strategy", "gpu"},
                                      {"--processes", "5"},
                                      {"--calls", "40"},
                                      {"--role", ""}},
                                     "drop-in"),
                        argc, argv, run);
}
