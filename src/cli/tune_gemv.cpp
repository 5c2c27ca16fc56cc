#include "cli/tune_gemv.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/bench/record.hpp"
#include "cli/json_file.hpp"
#include "cli/text_table.hpp"
#include "cli/tune_curves.hpp"
#include "plot/chart_svg.hpp"
#include "plot/printable_text.hpp"
#include "profile/profile.hpp"
#include "tuner/gemv_curves.hpp"
#include "tuner/gemv_trials.hpp"
#include "tuner/machine_bandwidth.hpp"

namespace duoblas::cli {
namespace {

std::string form_of(const GemvFinding& f) {
  return f.transposes ? "t" : "n";
}

std::string case_of(const GemvFinding& f) {
  const std::string size = std::to_string(f.size);
  return gemv_name(f.precision, f.transposes) + ", " + size + " x " + size;
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
    table.add({case_of(f), f.kernel, gigabytes(f.rate), gigabytes(f.builtin_rate),
               memory.gpu > 0 ? fixed(100 * f.rate / memory.gpu, 1) : "-",
               f.timed > 0 ? std::to_string(f.timed) : "as before"});
  table.print(out);
  out << "GB/s: bytes that a call has to read and write, each once, with operands in the device's "
         "memory.\n% memory: GB/s over what the device reads of its own memory; above 100 where "
         "caches hold its operands.\n";
  if (std::ranges::any_of(findings, [](const GemvFinding& f) { return f.timed == 0; }))
    out << "As before: tuned earlier, and not again for a curve; --fresh tunes again.\n";
}

void print_curves(const std::vector<GemvFinding>& findings, std::ostream& out) {
  for (const GemvFinding& f : findings)
    for (const FieldCurve& curve : f.curves)
      print_curve(curve, "GPU alone, " + case_of(f), "GB/s", out);
}

void draw_curves(const std::vector<GemvFinding>& findings, const Profile& profile,
                 const std::string& file, std::ostream& out) {
  std::vector<Chart> charts = gemv_charts(findings);
  if (charts.empty()) {
    charts.emplace_back().title = "Single parameters of kernels of gemv";
    charts.back().empty_reason = "no two kernels that differ in one parameter were timed";
  }
  const std::string title = profile.key.device + ": " + case_of(findings.front()) +
                            (findings.size() > 1 ? " and others" : "");
  write_picture(picture_svg(charts, title), file);
  out << "Picture: " << file << '\n';
}

nlohmann::json finding_json(const GemvFinding& f) {
  return {{"precision", std::string(1, letter(f.precision))},
          {"routine", "gemv"},
          {"ops", form_of(f)},
          {"size", f.size},
          {"kernel", f.kernel},
          {"gbs", f.rate * 1e-9},
          {"builtin_kernel", f.builtin},
          {"builtin_gbs", f.builtin_rate * 1e-9},
          {"kernels", f.timed},
          {"curves", curves_json(f.curves, "gbs")}};
}

Profile profile_of(Engine& engine) {
  std::string problem;
  auto profile =
      load_profile(engine.settings().profile_dir, engine.facts().profile_key(), &problem);
  if (profile) return *std::move(profile);
  throw Error(problem.empty()
                  ? "such kernels are kept in this machine's profile, which is not there yet: "
                    "\"duoblas tune\" makes it"
                  : problem);
}

}  // namespace

GemvTuneRequest gemv_request_of(const TuneOptions& options) {
  GemvTuneRequest request;
  require_budget(options);
  const ProductOptions& products = options.products;
  if (!products.shapes.empty() || products.sizes.size() > 1)
    throw UsageError("--routine gemv: give one --size; matrices are square");
  const TuneOptions usual;
  if (!options.assignments.empty() || options.objective != usual.objective ||
      options.search != usual.search || options.max_kernels != usual.max_kernels)
    throw UsageError(
        "--routine gemv does not take --set, --objective, --search or --kernels: they are of gemm");
  const auto known = gemv_field_names();
  for (const std::string& name : options.curves) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError("--curve " + name + ": kernels of gemv have no such parameter; they have " +
                       joined(known));
    if (std::ranges::find(request.curves, name) == request.curves.end())
      request.curves.push_back(name);
  }
  request.afresh = options.fresh;
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

std::string gemv_request_text(const GemvTuneRequest& request) {
  std::string text = "gemv, budget " + std::to_string(request.budget_seconds) + ", seed " +
                     std::to_string(request.seed) + ", size " + std::to_string(request.size);
  for (const Precision p : request.precisions) text += std::string(", ") + letter(p);
  for (const bool transposes : request.transposes) text += transposes ? ", t" : ", n";
  return text;
}

void tune_gemv_and_store(Engine& engine, const TuneOptions& options, const ProfileLock& lock,
                         Journal& journal, std::ostream& out) {
  Profile profile = profile_of(engine);
  const GemvTuneRequest request = gemv_request_of(options);
  journal.begin(gemv_request_text(request));
  int rejections = 0;
  const auto findings = tune_gemv(
      engine, request, journal,
      [&](const std::string& kernel, const std::string& why) {
        ++rejections;
        if (options.verbose) out << "not used: " << kernel << ": " << printable(why) << '\n';
      },
      profile.gemv);
  if (!profile.memory.are_known()) profile.memory = measure_memory_rates(engine);
  print_findings(findings, profile.memory, out);
  if (!request.curves.empty()) print_curves(findings, out);
  if (rejections > 0)
    out << rejections << " kernels were not used: they did not build, or gave wrong results "
        << "(--verbose names them).\n";
  const std::string path = store_profile(lock, profile);
  engine.facts().adopt(profile);
  journal.finish();
  out << "Profile: " << path << '\n';
  if (!options.plot.empty()) draw_curves(findings, profile, options.plot, out);
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
