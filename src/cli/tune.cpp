// duoblas tune: finds this machine's kernels and splits, together, and stores them as a profile.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/core_types.hpp"
#include "cli/json_file.hpp"
#include "cli/product_options.hpp"
#include "cli/progress_lines.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "tuner/tune.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  duoblas tune                                   sgemm and dgemm, about two minutes\n"
    "  duoblas tune --precision z --size 1024         complex doubles at one size\n"
    "  duoblas tune --shape 4096x64x4096 --ops nn,nt  a shape and ops of your program\n"
    "\n"
    "Kernels and splits are judged together, by the time of whole calls with CPU and GPU at work.\n"
    "The library uses the stored profile by itself from its next start on. A smaller budget tries\n"
    "fewer kernels.";

struct Options {
  ProductOptions products;
  std::vector<std::string> precisions = {"s", "d"};
  double budget = 110;
  unsigned seed = 1;
  bool verbose = false;
  bool fresh = false;
  std::string json;
};

std::string share_text(const Share& share) {
  return std::to_string(share.gpu_parts) + "/" + std::to_string(share.parts);
}

void print_summary(const Profile& profile, bool standin, std::ostream& out) {
  using enum TextTable::Align;
  TextTable table({{"tuned"},
                   {"CPU"},
                   {"GPU alone", right},
                   {"simple"},
                   {"co-tuned"},
                   {"gain", right},
                   {"the co-tuned kernel"}});
  for (const TunedPoint& p : profile.points) {
    table.add({subject_text(p.precision, p.op_a, p.op_b, {p.m, p.n, p.k}),
               duration(p.cpu_all_seconds), duration(p.gpu.seconds),
               duration(p.simple.seconds) + " (" + share_text(p.simple.share) + ")",
               duration(p.hybrid.seconds) + " (" + share_text(p.hybrid.share) + ")",
               p.hybrid.seconds > 0 ? fixed(p.cpu_all_seconds / p.hybrid.seconds, 2) : "-",
               describe(p.hybrid.kernel)});
  }
  out << '\n';
  table.print(out);
  out << "\nSeconds are medians of whole calls; in brackets the GPU's share of C. simple: the\n"
         "kernel that is fastest alone, then its best split. gain: co-tuned over "
      << (standin ? "the CPU BLAS on all\ncores. A stand-in played the GPU: no GPU was tuned.\n"
                  : "the CPU alone.\n");
}

TuneRequest request_of(const Options& options) {
  TuneRequest request;
  request.precisions = to_precisions(options.products.precisions);
  request.ops = to_ops(options.products.ops);
  request.shapes = to_shapes(options.products.shapes, options.products.sizes, request.shapes);
  request.budget_seconds = options.budget;
  request.seed = options.seed;
  // Written so that it refuses NaN.
  if (!(options.budget > 0 && options.budget <= 86400)) {
    throw UsageError("--budget: give a number of seconds from above 0 to 86400");
  }
  for (const Precision precision : request.precisions) require_memory(request.shapes, precision);
  return request;
}

int run(const Options& options) {
  TuneRequest request = request_of(options);
  Engine engine(settings_from_environment());
  if (engine.gpu() == nullptr) {
    throw Error("there is nothing to tune, the CPU does everything: " + engine.gpu_problem() +
                "\n(DUOBLAS_STANDIN=1 lets PoCL stand in for a GPU on half of the cores.)");
  }
  if (engine.settings().profile_dir.empty()) {
    throw Error("there is no folder for the profile: set DUOBLAS_PROFILE_DIR");
  }
  const bool standin = engine.settings().standin;
  std::ostream& out = options.json == "-" ? std::cerr : std::cout;
  out << "Tuning " << engine.gpu()->info().name
      << (standin ? ", a stand-in for a GPU on half of the cores,\n" : "\n") << "together with "
      << engine.cpu().description(engine.machine().cpu_for(Precision::d)) << '\n';

  request.cpu_configs = promising_configs(engine, measured_core_types(engine));
  const bool on_terminal = ::isatty(options.json == "-" ? STDERR_FILENO : STDOUT_FILENO) == 1;
  ProgressLines lines(out, on_terminal, options.verbose);
  prepare_profile_directory(engine.settings().profile_dir);
  require_writable_file(options.json);
  Profile profile = tune(engine, request, lines);
  if (profile.created.empty()) profile.created = utc_now();
  print_summary(profile, standin, out);
  // As it is on disk now: another tuning may have ended in the meantime.
  if (!options.fresh) {
    if (const auto older = load_profile(engine.settings().profile_dir, profile.key)) {
      profile = merged(*older, profile);
    }
  }
  const std::string path = store_profile(engine.settings().profile_dir, profile);
  engine.adopt(profile);

  if (lines.rejections() > 0) {
    out << lines.rejections() << " kernels were not used: they did not build, or gave wrong "
        << "results (--verbose names them).\n";
  }
  out << "Profile: " << path << '\n';
  if (!options.json.empty()) {
    write_json(options.json, {{"context", context_json(engine)},
                              {"path", path},
                              {"rejected", lines.rejections()},
                              {"profile", nlohmann::json::parse(to_json(profile))}});
  }
  return done;
}

}  // namespace

void add_tune(CLI::App& app, int& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "tune", "Find this machine's best kernels and splits, and store them as its profile");
  add_product_options(*command, options->products, "512,1024,2048");
  command->add_option("--budget", options->budget, "Seconds of tuning")
      ->capture_default_str()
      ->type_name("SECONDS");
  command->add_flag("--fresh", options->fresh,
                    "Forget what was tuned before; else only the same subjects are replaced");
  command->add_option("--seed", options->seed, "Of data and order")
      ->capture_default_str()
      ->type_name("NUMBER");
  command->add_flag("--verbose", options->verbose, "Name the kernels that were not used, and why");
  command->add_option("--json", options->json, "Write the result to this file (- for stdout)")
      ->type_name("FILE");
  command->footer(kFooter);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace duoblas::cli
