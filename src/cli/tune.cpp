// duoblas tune: finds this machine's kernels and splits, together, and stores them as a profile.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/arguments.hpp"
#include "cli/core_types.hpp"
#include "cli/json_file.hpp"
#include "cli/progress_lines.hpp"
#include "cli/subcommands.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_options.hpp"
#include "cli/tune_summary.hpp"
#include "cli/tuning_record.hpp"
#include "tuner/printable_text.hpp"
#include "tuner/tune.hpp"

namespace duoblas::cli {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void require_something_to_tune(Engine& engine) {
  if (engine.gpu() == nullptr) {
    throw Error("there is nothing to tune, the CPU does everything: " + engine.gpu_problem() +
                "\n(DUOBLAS_STANDIN=1 lets PoCL stand in for a GPU on half of the cores.)");
  }
  if (engine.settings().profile_dir.empty()) {
    throw Error("there is no folder for the profile: set DUOBLAS_PROFILE_DIR");
  }
}

void print_heading(Engine& engine, std::ostream& out) {
  out << "Tuning " << printable(engine.gpu()->info().name)
      << (engine.settings().standin ? ", a stand-in for a GPU on half of the cores,\n" : "\n")
      << "together with " << engine.cpu().description(engine.machine().cpu_for(Precision::d)) << '\n';
}

// What is stored; the path that it was stored at.
std::string store(Engine& engine, Profile& profile, bool fresh) {
  // As it is on disk now: another tuning may have ended in the meantime.
  if (!fresh) {
    if (const auto older = load_profile(engine.settings().profile_dir, profile.key)) {
      profile = merged(*older, profile);
    }
  }
  const std::string path = store_profile(engine.settings().profile_dir, profile);
  engine.adopt(profile);
  return path;
}

int run(const TuneOptions& options) {
  TuneRequest request = request_of(options);
  require_outputs(options);
  Engine engine(settings_from_environment());
  require_something_to_tune(engine);
  const bool json_to_stdout = options.json == "-";
  std::ostream& out = json_to_stdout ? std::cerr : std::cout;
  const int descriptor = json_to_stdout ? STDERR_FILENO : STDOUT_FILENO;
  print_heading(engine, out);
  prepare_profile_directory(engine.settings().profile_dir);

  request.cpu_configs = promising_configs(engine, measured_core_types(engine));
  ProgressLines lines({out, [descriptor] { return terminal_columns(descriptor); }, steady_seconds,
                       options.verbose});
  TuningRecord record(lines, steady_seconds);
  Profile profile = tune(engine, request, record);
  lines.finish();
  if (profile.created.empty()) profile.created = utc_now();
  print_tune_summary(profile, options.verbose, out);
  const TunePlot plot = plot_of(profile, record.series());
  const std::string path = store(engine, profile, options.fresh);

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
  if (!options.plot.empty()) {
    draw_with_gnuplot(tune_plot_script(plot, plot_format(options.plot).value()), options.plot);
    out << "Picture: " << options.plot << '\n';
  }
  return done;
}

}  // namespace

void add_tune(CLI::App& app, int& code) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand(
      "tune", "Find this machine's best kernels and splits, and store them as its profile");
  add_tune_options(*command, *options);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace duoblas::cli
