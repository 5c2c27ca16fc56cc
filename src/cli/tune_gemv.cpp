#include "cli/tune_gemv.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "cli/arguments.hpp"
#include "cli/bench/record_json.hpp"
#include "cli/json_file.hpp"
#include "cli/text_table.hpp"
#include "plot/printable_text.hpp"
#include "profile/profile.hpp"
#include "tuner/machine_bandwidth.hpp"

namespace duoblas::cli {
namespace {

std::string subject_of(const GemvFinding& f) {
  return std::string(1, letter(f.precision)) + "gemv " + (f.transposes ? "t" : "n") + ", " +
         std::to_string(f.size) + " x " + std::to_string(f.size);
}

std::string gigabytes(double rate) {
  return rate > 0 ? fixed(rate * 1e-9, 1) : "-";
}

void print_findings(const std::vector<GemvFinding>& findings, const MemoryRates& memory,
                    std::ostream& out) {
  using enum TextTable::Align;
  TextTable table({{"tuned"},
                   {"kernel"},
                   {"GB/s", right},
                   {"built-in", right},
                   {"% memory", right},
                   {"kernels", right}});
  for (const GemvFinding& f : findings)
    table.add(
        {subject_of(f), describe(f.best.kernel), gigabytes(f.best.rate), gigabytes(f.builtin.rate),
         memory.gpu > 0 ? fixed(100 * f.best.rate / memory.gpu, 1) : "-", std::to_string(f.timed)});
  table.print(out);
  out << "GB/s: A, x and y once, with A in the device's memory. % memory: of what the device reads "
         "of that at most.\n";
}

nlohmann::json finding_json(const GemvFinding& f) {
  return {{"precision", std::string(1, letter(f.precision))},
          {"ops", f.transposes ? "t" : "n"},
          {"size", f.size},
          {"kernel", describe(f.best.kernel)},
          {"gbs", f.best.rate * 1e-9},
          {"builtin_kernel", describe(f.builtin.kernel)},
          {"builtin_gbs", f.builtin.rate * 1e-9},
          {"kernels", f.timed}};
}

Profile profile_of(Engine& engine) {
  std::string problem;
  auto profile = load_profile(engine.settings().profile_dir, engine.profile_key(), &problem);
  if (profile) return *std::move(profile);
  throw Error(problem.empty()
                  ? "gemv's kernels are kept in this machine's profile, which is not there yet: "
                    "\"duoblas tune\" makes it"
                  : problem);
}

}  // namespace

GemvTuneRequest gemv_request_of(const TuneOptions& options) {
  GemvTuneRequest request;
  require_budget(options);
  const ProductOptions& products = options.products;
  if (!products.shapes.empty() || products.sizes.size() > 1)
    throw UsageError("--routine gemv: give one --size; A is square");
  if (!options.curves.empty() || !options.plot.empty() || !options.assignments.empty() ||
      !options.journal.empty() || options.objective != name(Goal::throughput))
    throw UsageError(
        "--routine gemv has no --curve, --plot, --set, --journal and --objective: it takes a "
        "minute, and is begun anew each time");
  request.precisions = to_precisions(products.precisions);
  if (products.ops != TuneOptions().products.ops) {
    request.transposes.clear();
    for (const Op op : to_single_ops(products.ops)) {
      const bool transposes = op != Op::none;
      if (std::ranges::find(request.transposes, transposes) == request.transposes.end())
        request.transposes.push_back(transposes);
    }
  }
  if (!products.sizes.empty()) {
    request.size = products.sizes.front();
    for (const Precision precision : request.precisions)
      require_memory({{request.size, 1, request.size}}, precision);
  }
  request.budget_seconds = std::min(options.budget, GemvTuneRequest().budget_seconds);
  request.seed = options.seed;
  return request;
}

void tune_gemv_and_store(Engine& engine, const TuneOptions& options, const ProfileLock& lock,
                         std::ostream& out) {
  Profile profile = profile_of(engine);
  int rejections = 0;
  const auto findings = tune_gemv(
      engine, gemv_request_of(options), [&](const std::string& kernel, const std::string& why) {
        ++rejections;
        if (options.verbose) out << "not used: " << kernel << ": " << printable(why) << '\n';
      });
  if (!profile.memory.are_known()) profile.memory = measure_memory_rates(engine);
  for (const GemvFinding& f : findings)
    profile.gemv[precision_index(f.precision)][f.transposes ? 1 : 0] = f.best;
  print_findings(findings, profile.memory, out);
  if (rejections > 0)
    out << rejections << " kernels were not used: they did not build, or gave wrong results "
        << "(--verbose names them).\n";
  const std::string path = store_profile(lock, profile);
  engine.adopt(profile);
  out << "Profile: " << path << '\n';
  if (options.json.empty()) return;
  nlohmann::json document = {{"context", context_json(engine)},
                             {"path", path},
                             {"rejected", rejections},
                             {"results", nlohmann::json::array()},
                             {"profile", nlohmann::json::parse(to_json(profile))}};
  for (const GemvFinding& f : findings) document["results"].push_back(finding_json(f));
  write_json(options.json, document);
}

}  // namespace duoblas::cli
