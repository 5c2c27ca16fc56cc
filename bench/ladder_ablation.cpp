#include "bench/ladder_ablation.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include <duoblas/error.hpp>

#include "bench/own_kernel.hpp"
#include "gpu/device/opened_device.hpp"
#include "kernel_space/kernel_description.hpp"
#include "tuner/measure.hpp"

namespace duoblas {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "duoblas-ablation-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw SettingError("cannot make " + pattern);
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The changed kernels, opened.
struct Bench {
  Bench(const Ablation& ablation, const cl::Device& device, const PeerProblem& problem)
      : opened(write(ablation, folder.path(), device)), own(*opened) {
    own.prepare(problem);
  }
  static std::unique_ptr<OpenedDevice> write(const Ablation& ablation, const std::string& folder,
                                             const cl::Device& device) {
    write_kernels(ablation, folder);
    return std::make_unique<OpenedDevice>(device, GpuFolders{"", folder}, true);
  }
  TemporaryFolder folder;  // kernels are read from it when they are built
  std::unique_ptr<OpenedDevice> opened;
  OwnKernel own;
  int calls = 1;
};

}  // namespace

std::vector<AblatedKernel> ablate(const KernelParams& kernel, const PeerProblem& problem,
                                  const cl::Device& device, int rounds) {
  std::vector<AblatedKernel> ablated;
  std::vector<std::unique_ptr<Bench>> benches;
  std::vector<TimedCandidate> candidates;
  std::vector<std::size_t> place;
  for (const Ablation& ablation : ablations(kernel.family)) {
    ablated.push_back({ablation, ""});
    auto bench = std::make_unique<Bench>(ablation, device, problem);
    try {
      bench->own.use(kernel);
      constexpr double wanted_seconds = 0.05;
      bench->calls =
          static_cast<int>(std::clamp(wanted_seconds / bench->own.seconds_per_call(1), 1.0, 40.0));
    } catch (const DeviceError& failure) {
      ablated.back().refused = failure.what();
      continue;
    }
    candidates.push_back([taken = bench.get()]() -> std::optional<double> {
      try {
        return taken->own.seconds_per_call(taken->calls);
      } catch (const DeviceError&) {
        return std::nullopt;
      }
    });
    place.push_back(ablated.size() - 1);
    benches.push_back(std::move(bench));
  }
  MeasureRules rules;
  rules.min_rounds = rules.max_rounds = rounds;
  const auto timings = measure_interleaved(candidates, rules);
  const double giga = 1e-9 * flops(as_gemm(problem));
  for (std::size_t i = 0; i < timings.size(); ++i) {
    AblatedKernel& found = ablated[place[i]];
    if (timings[i].failed) {
      found.refused = "failed while it was timed";
      continue;
    }
    found.gflops = giga / timings[i].median;
    found.q1 = giga / timings[i].q3;
    found.q3 = giga / timings[i].q1;
  }
  return ablated;
}

void print_ablation(const KernelParams& kernel, const std::vector<AblatedKernel>& ablated,
                    std::ostream& out) {
  out << "\nWhat bounds the fastest step, " << describe(kernel) << ":\n";
  char line[256];
  std::snprintf(line, sizeof line, "  %-18s  %7s  %15s  %7s  %s\n", "left out", "GFLOPS",
                "quartiles", "x whole", "what it is");
  out << line;
  const double whole = ablated.empty() ? 0 : ablated.front().gflops;
  std::vector<double> times_whole;
  for (const AblatedKernel& a : ablated) {
    times_whole.push_back(whole > 0 ? a.gflops / whole : 0);
    if (!a.refused.empty()) {
      std::snprintf(line, sizeof line, "  %-18s  %7s  %.60s\n", a.ablation.title.c_str(), "-",
                    a.refused.c_str());
    } else {
      char quartiles[48];
      std::snprintf(quartiles, sizeof quartiles, "%.1f - %.1f", a.q1, a.q3);
      std::snprintf(line, sizeof line, "  %-18s  %7.1f  %15s  %7.2f  %s\n",
                    a.ablation.title.c_str(), a.gflops, quartiles, times_whole.back(),
                    a.ablation.meaning.c_str());
    }
    out << line;
  }
  out << what_bounds(kernel.family, times_whole)
      << "\nGFLOPS: as if they computed the product. Packing, where the kernel packs, is in all of "
         "them.\n";
}

}  // namespace duoblas
