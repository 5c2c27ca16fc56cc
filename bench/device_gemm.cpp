// Kernels of ours against cuBLAS and CLBlast on one device: device-resident operands, whole calls
// with packing counted, the device's clock, sides taking turns.
//
//   bench_device_gemm --precision s,d --size 1024,4096 [--ops nn,tn] [--points FILE] [--top 4]
//
// Every kernel's result is compared with the first peer's, or with the first kernel's where there
// is none. The last rows of a problem are the final comparison: medians over --rounds turns of the
// best kernels and the peers.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "bench/kernel_points.hpp"
#include "bench/named_options.hpp"
#include "bench/own_kernel.hpp"
#include "bench/peer_clblast.hpp"
#include "bench/peer_cublas.hpp"
#include "bench/result_difference.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "opencl/choose_device.hpp"
#include "timing/median.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_device_gemm [--precision s,d] [--size 1024,2048,4096] [--ops nn] [--pad 0] [--points FILE]
                         [--math exact] [--peers cublas] [--top 3] [--rounds 9] [--device WHICH]
                         [--ahead 0] [--events each] [--dump FOLDER]

--ops     of A and B: n, t (transposed), c (and conjugated).
--pad     elements behind each row.
--points  a file of kernels, one a line; "built-in": the one that an untuned DeviceBlas takes for the call,
          with --math tf32x3 the one of that mode. Without it: the library's candidates for the device.
--peers   of cublas and clblast; none: our kernels alone.
--top     so many of the kernels are in the final comparison, of --rounds turns.
--device  as DUOBLAS_DEVICE.
--ahead   turns of a loop (about 4 cycles each) that the device goes round while our calls are enqueued;
          with 300000 the host's time does not count.
--events  last: only the last of calls in a row has an event.
--dump    writes each kernel's binary there, as the driver gives it (NVIDIA: PTX).
)";

struct Options {
  std::string points, dump;
  bool is_tf32x3 = false, asks_for_each = true;
  std::size_t top = 3;
  int rounds = 9;
  int ahead = 0;
};

class Comparison {
 public:
  Comparison(const Options& options, OpenedDevice& device,
             std::vector<std::unique_ptr<Peer>>& peers)
      : options_(options), device_(device), peers_(peers), own_(device) {
    own_.keep_ahead(options.ahead);
    own_.ask_for_each(options.asks_for_each);
  }

  void run(const PeerProblem& problem) {
    problem_ = problem;
    std::erase_if(peers_, [](const auto& peer) { return peer == nullptr; });
    for (const auto& peer : peers_) peer->prepare(problem);
    own_.prepare(problem);
    reference_.clear();
    if (!peers_.empty()) reference_ = peers_.front()->result();
    const double giga = 2e-9 * (is_complex(problem.precision) ? 4 : 1) *
                        static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                        static_cast<double>(problem.k);
    giga_ = giga;
    calls_ = static_cast<int>(std::clamp(2e3 * 10 / giga, 2.0, 40.0));
    std::vector<std::pair<double, KernelParams>> ranked;
    for (const KernelParams& kernel : candidates())
      if (const double time = tried(kernel); time > 0) ranked.emplace_back(time, kernel);
    std::ranges::sort(ranked, {}, &std::pair<double, KernelParams>::first);
    if (ranked.size() > options_.top) ranked.resize(options_.top);
    final_comparison(ranked);
  }

 private:
  std::vector<KernelParams> candidates() const {
    const DeviceLimits& limits = device_.limits;
    if (options_.points.empty())
      return kernel_candidates(problem_.precision, problem_.op_a, problem_.op_b, limits);
    if (options_.points == "built-in") return {built_in_kernel()};
    return points_of_file(options_.points, default_kernel(problem_.precision, limits));
  }

  // As DeviceBlas chooses without a profile, where there is room to pack.
  KernelParams built_in_kernel() const {
    const GemmProblem p = as_gemm(problem_);
    const DeviceLimits& limits = device_.limits;
    if (options_.is_tf32x3)
      if (const auto kernel = tf32x3_kernel(p, limits)) return *kernel;
    const KernelParams even = duoblas::built_in_kernel(KernelUse::resident, p, limits);
    const auto element = static_cast<std::int64_t>(element_size(p.precision));
    const bool are_aligned = p.lda * element % 16 == 0 && p.ldb * element % 16 == 0;
    return kernel_for_rows(even, p, are_aligned, limits, [](const KernelParams&) { return true; });
  }

  double tried(const KernelParams& kernel) {
    const std::string text = describe(kernel);
    if (const KernelRule* rule = violated_rule(kernel, problem_.precision, device_.limits)) {
      std::printf("  %8s  %s: rule %s\n", "-", text.c_str(), std::string(rule->name).c_str());
      return 0;
    }
    try {
      own_.use(kernel);
      std::vector<double> times;
      for (int round = 0; round < 3; ++round)
        times.push_back(own_.seconds_per_call(std::max(1, calls_ / 2)));
      const double time = upper_median(times);
      std::printf("  %8.0f  %s\n", giga_ / time, text.c_str());
      std::fflush(stdout);
      if (!options_.dump.empty())
        own_.dump(options_.dump + "/" + std::to_string(dumped_++) + ".bin");
      return time;
    } catch (const DeviceError& failure) {
      const std::string why = failure.what();
      std::printf("  %8s  %s: %s\n", "-", text.c_str(), why.substr(0, 3000).c_str());
      return 0;
    }
  }

  // A result's error is below 1 (0.83 at n = 4096, cuBLAS against float64; NVIDIA H200). One that
  // adds in an order of its own is less than 2 away from another.
  static double most(const KernelParams& kernel) {
    return kernel.group_depth * kernel.k_split > 1 || kernel.split_last ? 2 : 1;
  }

  // In roundoffs for each step of k.
  double error_of(const KernelParams& kernel) {
    own_.use(kernel);
    const std::vector<char> result = own_.result();
    if (reference_.empty()) reference_ = result;
    return result_difference(problem_, result, reference_);
  }

  void final_comparison(const std::vector<std::pair<double, KernelParams>>& best) {
    std::map<std::size_t, std::vector<double>> times;
    for (int round = 0; round < options_.rounds; ++round) {
      for (std::size_t i = 0; i < best.size(); ++i) {
        own_.use(best[i].second);
        times[i].push_back(own_.seconds_per_call(calls_));
      }
      for (std::size_t i = 0; i < peers_.size(); ++i)
        times[best.size() + i].push_back(peers_[i]->seconds_per_call(calls_));
    }
    for (const auto& [i, seconds] : times) {
      const std::string who =
          i < best.size() ? describe(best[i].second) : peers_[i - best.size()]->name();
      double ratio = 1;
      if (!peers_.empty()) ratio = upper_median(times[best.size()]) / upper_median(seconds);
      const bool is_own = i < best.size();
      const double error = is_own ? error_of(best[i].second) : 0;
      const bool is_right = !is_own || error < most(best[i].second);
      std::printf("= %8.0f GFLOPS  %.3f of first peer  %s  difference %.3f%s\n",
                  giga_ / upper_median(seconds), ratio, who.c_str(), error,
                  is_right ? "" : " WRONG");
    }
    std::fflush(stdout);
  }

  const Options& options_;
  OpenedDevice& device_;
  std::vector<std::unique_ptr<Peer>>& peers_;
  OwnKernel own_;
  PeerProblem problem_;
  std::vector<char> reference_;
  double giga_ = 0;
  int calls_ = 1;
  int dumped_ = 0;
};

Op op_of(char letter_wanted) {
  if (letter_wanted == 'n') return Op::none;
  return letter_wanted == 't' ? Op::transpose : Op::conj_transpose;
}

// A whole number that may be 0. \throws SettingError.
int not_negative(const NamedOptions& named, const std::string& name) {
  return named[name] == "0" ? 0 : positive(named, name);
}

Options options_of(const NamedOptions& named) {
  Options options;
  options.points = named["--points"];
  options.dump = named["--dump"];
  options.is_tf32x3 = named["--math"] == "tf32x3";
  options.asks_for_each = named["--events"] == "each";
  options.top = static_cast<std::size_t>(positive(named, "--top"));
  options.rounds = positive(named, "--rounds");
  options.ahead = not_negative(named, "--ahead");
  return options;
}

int compare(const NamedOptions& named) {
  const Options options = options_of(named);
  const int pad = not_negative(named, "--pad");
  std::string why;
  const auto chosen = cl::choose_device(cl::list_devices(&why), named["--device"], true, &why);
  if (!chosen) throw DeviceError(why);
  OpenedDevice device(*chosen, {"", Settings::from_environment().kernel_dir}, true);
  const DeviceLimits& limits = device.limits;
  std::printf(
      "%s: async copies %d, fp64 matrix %d, tf32 matrix %d, wide %d, local memory %zu, static "
      "%zu\n",
      chosen->info.name.c_str(), limits.async_copies, limits.fp64_matrix, limits.tf32_matrix,
      limits.wide_matrix, limits.local_memory_bytes, limits.static_local_bytes);
  std::vector<std::unique_ptr<Peer>> peers;
  for (const std::string& name : list_items(named["--peers"])) {
    if (name == "cublas") peers.push_back(make_cublas_peer(why));
    if (name == "clblast") peers.push_back(make_clblast_peer(device.context, device.queue, why));
    if (!peers.empty() && peers.back() == nullptr)
      std::printf("no %s: %s\n", name.c_str(), why.c_str());
  }
  for (const std::string& precision : list_items(named["--precision"]))
    for (const std::string& ops : list_items(named["--ops"]))
      for (const std::string& size : list_items(named["--size"])) {
        const std::int64_t n = std::stol(size);
        PeerProblem problem =
            dense_problem(precision_named(precision), op_of(ops.at(0)), op_of(ops.at(1)), n, n, n);
        problem.lda += pad;
        problem.ldb += pad;
        problem.ldc += pad;
        std::printf("%sgemm %s n = %ld, ld + %d\n", precision.c_str(), ops.c_str(),
                    static_cast<long>(n), pad);
        Comparison(options, device, peers).run(problem);
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_device_gemm", kUsage,
                        NamedOptions({{"--precision", "s,d"},
                                      {"--size", "1024,2048,4096"},
                                      {"--ops", "nn"},
                                      {"--pad", "0"},
                                      {"--points", ""},
                                      {"--math", "exact"},
                                      {"--peers", "cublas"},
                                      {"--top", "3"},
                                      {"--rounds", "9"},
                                      {"--device", ""},
                                      {"--ahead", "0"},
                                      {"--events", "each"},
                                      {"--dump", ""}}),
                        argc, argv, compare);
}
