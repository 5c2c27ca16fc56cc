// gemv: bytes a second. On the device, operands in its memory, kernels of ours in turns with
// cuBLAS's; and of the host's memory, the CPU alone, the GPU alone and both.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/cublas.hpp"
#include "bench/device_stopwatch.hpp"
#include "bench/harness.hpp"
#include "bench/peer.hpp"
#include "engine/engine.hpp"
#include "gpu/streams/gemv.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"([--precision s,d] [--size 1024,4096,8192] [--ops n,t] [--rounds 9] [--host no] [--device WHICH]
  [--kernels "v4 8x64 lines 1 unroll 8;..."]

GB/s of A, x and y, each once; medians of turns.
--kernels    these beside the default one, by their descriptions
--host yes   of the host's memory instead, through the engine: its settings are the environment's
)";

struct Operands {
  GemvProblem problem;
  std::vector<char> a, x, y;
};

Operands operands_of(Precision precision, char op, std::int64_t n) {
  Operands o;
  GemvProblem& p = o.problem;
  p.precision = precision;
  p.transposes = op != 'n';
  p.conjugates = op == 'c' && is_complex(precision);
  p.rows = p.columns = p.lda = n;
  const std::size_t size = static_cast<std::size_t>(n), element = element_size(precision);
  o.a = random_matrix(precision, size * size * element, 1);
  o.x = random_matrix(precision, size * element, 2);
  o.y.resize(size * element);
  p.a = o.a.data();
  p.x = {o.x.data(), 1};
  p.y = {o.y.data(), 1};
  return o;
}

// The default kernel and the named ones. Says which are not legal on this device.
std::vector<GemvKernel> kernels_of(const std::string& texts, const DeviceLimits& device,
                                   const GemvProblem& p) {
  std::vector<GemvKernel> all = {default_gemv_kernel(device, p.precision, p.transposes)};
  for (const std::string& text : list_items(texts, ';')) {
    const GemvKernel kernel = gemv_kernel_from(text);
    if (!is_legal(kernel, device, p.precision, p.transposes))
      std::cout << "  " << describe(kernel) << ": not legal here\n";
    else if (kernel != all.front())
      all.push_back(kernel);
  }
  return all;
}

class OnDevice {
 public:
  OnDevice(OpenedDevice& device, const Operands& operands)
      : device_(device),
        problem_(operands.problem),
        stopwatch_(device.context, device.queue),
        calls_(std::clamp(static_cast<int>(4e9 / traffic_bytes(problem_)), 4, 200)) {
    const std::size_t element = element_size(problem_.precision);
    bound_.a.buffer = uploaded(device, operands.a);
    bound_.a.pitch_bytes = static_cast<std::size_t>(problem_.lda) * element;
    bound_.x = {uploaded(device, operands.x), 0, 1};
    bound_.y = {uploaded(device, operands.y), 0, 1};
    bound_.aligned = true;
  }

  int calls() const { return calls_; }
  double seconds(const GemvKernel& kernel) {
    GemvScratch scratch;
    submit_gemv(device_, problem_, kernel, bound_, scratch);
    stopwatch_.start();
    cl::Event last;
    for (int call = 0; call < calls_; ++call)
      last = submit_gemv(device_, problem_, kernel, bound_, scratch);
    return stopwatch_.seconds_until(last) / calls_;
  }

 private:
  OpenedDevice& device_;
  GemvProblem problem_;
  GemvOperands bound_;
  DeviceStopwatch stopwatch_;
  int calls_;
};

/// cuBLAS's gemv on operands without gaps in the device's memory.
class CublasVectors {
 public:
  explicit CublasVectors(const CublasApi& api) : cublas_(api), operands_(cublas_) {}

  void prepare(const GemvProblem& problem, const std::vector<char>& a, const std::vector<char>& x) {
    problem_ = problem;
    const auto bytes =
        static_cast<std::size_t>(problem.outputs()) * element_size(problem.precision);
    struct {
      const std::vector<char>&a, &b;
      const std::vector<char> c;
    } const from{a, x, std::vector<char>(bytes)};
    operands_.upload(cublas_, from);
    enqueue();
    cublas_.synchronize();
  }

  double seconds_per_call(int calls) {
    return cublas_.seconds_per_call(calls, [this] { enqueue(); });
  }

 private:
  void enqueue() {
    const GemvProblem& p = problem_;
    cublas_.require(
        "cuBLAS's gemv",
        cublas_.api().gemv[precision_index(p.precision)](
            cublas_.handle(), p.transposes ? CublasApi::op_none : CublasApi::op_transpose,
            static_cast<int>(p.columns), static_cast<int>(p.rows), cublas_one(p.precision),
            operands_.a.get(), static_cast<int>(p.columns), operands_.b.get(), 1,
            cublas_zero(p.precision), operands_.c.get(), 1));
  }

  const CublasSession cublas_;
  CublasOperands operands_;
  GemvProblem problem_;
};

// Each after a call of its own that is not timed: threads of another way's CPU BLAS spin.
std::vector<Contender> host_ways(const GemvProblem& problem) {
  static std::vector<std::pair<std::string, Engine*>> engines;  // drivers outlive main badly
  if (engines.empty())
    for (const auto& [name, strategy] : {std::pair{"cpu", Strategy::cpu},
                                         {"gpu", Strategy::gpu},
                                         {"both", Strategy::hybrid},
                                         {"auto", Strategy::automatic}}) {
      Settings settings = Settings::from_environment();
      settings.strategy = strategy;
      engines.emplace_back(name, new Engine(settings));
    }
  std::vector<Contender> ways;
  for (const auto& [name, engine] : engines) {
    for (int warm = 0; warm < 8; ++warm) engine->run(problem);
    ways.push_back({name, [engine = engine, &problem] {
                      engine->run(problem);
                      return seconds_of([&] { engine->run(problem); });
                    }});
  }
  return ways;
}

void print(const std::vector<Contender>& ways, const std::vector<Taken>& taken, double bytes) {
  const Table table({{"GB/s", 8}, {"of first", 8}, {"", -1}});
  for (std::size_t i = 0; i < ways.size(); ++i)
    table.row({fixed(1e-9 * bytes / taken[i].median, 1), fixed(1 / taken[i].ratio, 3),
               ways[i].name + (taken[i].problem.empty() ? "" : ": " + taken[i].problem)});
}

int run(const NamedOptions& options) {
  std::unique_ptr<OpenedDevice> device;
  std::unique_ptr<CublasVectors> peer;
  if (!options.is("--host", "yes")) {
    device = opened_device(options["--device"]);
    std::string why;
    peer = on_cublas<CublasVectors>(why);
    if (!peer) std::cout << "no cuBLAS: " << why << '\n';
  }
  const int rounds = options.whole("--rounds");
  for (const std::string& precision : options.list("--precision"))
    for (const std::string& op : options.list("--ops"))
      for (const std::string& size : options.list("--size")) {
        const Operands operands =
            operands_of(precision_named(precision), op.at(0), std::stol(size));
        const GemvProblem& p = operands.problem;
        std::cout << precision << "gemv " << op << " n = " << size << std::endl;
        if (!device) {
          const std::vector<Contender> ways = host_ways(p);
          print(ways, in_turns(ways, {rounds, rounds}), traffic_bytes(p));
          continue;
        }
        OnDevice own(*device, operands);
        std::vector<Contender> ways;
        if (peer) {
          peer->prepare(p, operands.a, operands.x);
          ways.push_back({"cuBLAS", [&] { return peer->seconds_per_call(own.calls()); }});
        }
        for (const GemvKernel& kernel : kernels_of(options["--kernels"], device->limits, p))
          ways.push_back({describe(kernel), [&own, kernel] { return own.seconds(kernel); }});
        print(ways, in_turns(ways, {rounds, rounds}), traffic_bytes(p));
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench_main("bench_gemv",
                    {{"", kUsage,
                      NamedOptions({{"--precision", "s,d"},
                                    {"--size", "1024,4096,8192"},
                                    {"--ops", "n,t"},
                                    {"--rounds", "9"},
                                    {"--host", "no"},
                                    {"--device", ""},
                                    {"--kernels", ""}}),
                      run}},
                    argc, argv);
}
