// duoblas tune: finds this machine's kernels and splits, together, and stores them as a profile.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/core_types.hpp"
#include "cli/json_file.hpp"
#include "cli/progress_lines.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "cli/tune_curves.hpp"
#include "cli/tune_gemv.hpp"
#include "cli/tune_options.hpp"
#include "cli/tune_summary.hpp"
#include "cli/tuned_rates.hpp"
#include "cli/tuning_record.hpp"
#include "os/file_descriptor.hpp"
#include "os/interruption.hpp"
#include "os/process.hpp"
#include "os/terminal.hpp"
#include "plot/chart_svg.hpp"
#include "plot/printable_text.hpp"
#include "profile/profile_lock.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/call_energy.hpp"
#include "tuner/gain.hpp"
#include "tuner/journal.hpp"
#include "tuner/tune.hpp"
#include "tuner/tuning_cases.hpp"
#include "tuner/tuning_identity.hpp"

namespace duoblas::cli {
namespace {

void require_something_to_tune(Engine& engine) {
  if (engine.gpu() == nullptr) {
    throw Error(
        "there is nothing to tune, the CPU does everything: " + engine.facts().gpu_problem() +
        "\n(DUOBLAS_STANDIN=1 lets PoCL stand in for a GPU on half of the cores.)");
  }
  if (engine.settings().profile_dir.empty()) {
    throw Error("there is no folder for the profile: set DUOBLAS_PROFILE_DIR");
  }
}

void print_heading(Engine& engine, std::ostream& out) {
  out << "Tuning " << printable(engine.gpu()->info().name)
      << (engine.settings().standin ? ", a stand-in for a GPU on half of the cores,\n" : "\n")
      << "together with " << engine.cpu().description(engine.machine().cpu_for(Precision::d))
      << '\n';
}

// Ctrl-C and `kill` end a tuning at once. Every measurement is in the journal by then.
volatile std::sig_atomic_t journal_descriptor = -1;

extern "C" void say_goodbye(int signal) {
  constexpr std::size_t length = sizeof journal::interrupted_text - 1;
  (void)write_all(journal_descriptor, journal::interrupted_text, length);
  constexpr char text[] =
      "\nInterrupted. What was measured is kept: the same command goes on from here.\n";
  // Nothing can be done about a closed terminal.
  (void)write_all(descriptor_of(StandardStream::error), text, sizeof text - 1);
  end_at_once(exit_code_of_signal(signal));
}

class Interruptions {
 public:
  explicit Interruptions(const Journal& journal) {
    journal_descriptor = journal.descriptor();
    on_interruption(say_goodbye);
  }
  // Another file may have the descriptor, once the journal is closed.
  ~Interruptions() { journal_descriptor = -1; }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;
};

std::string journal_path(Engine& engine, const TuneOptions& options, Arithmetic arithmetic) {
  if (!options.journal.empty()) return options.journal;
  const std::filesystem::path name = profile_file_name(engine.facts().profile_key(arithmetic));
  // The tuning of each routine has a journal of its own, so each can be resumed.
  const std::string of = options.routine == "gemm" ? "" : "." + options.routine;
  return (std::filesystem::path(engine.settings().profile_dir) / name.stem()).string() + of +
         ".journal";
}

// The stored profile, if this very request made it and nothing has changed since.
std::optional<Profile> same_as_before(Engine& engine, const Journal& journal,
                                      const TuneRequest& request) {
  if (!journal.is_done(request_text(engine, request))) return std::nullopt;
  return load_profile(engine.settings().profile_dir,
                      engine.facts().profile_key(arithmetic_of(engine, request)));
}

// Whether this request is for all that the profile has.
bool covers(const TuneRequest& request, const Profile& profile) {
  const std::vector<TuneCase> cases = tuning_cases_of(request);
  return std::ranges::all_of(profile.points, [&](const TunedPoint& p) {
    const std::string text = tuning_case_text(p.precision, p.op_a, p.op_b, {p.m, p.n, p.k});
    return std::ranges::any_of(cases,
                               [&](const TuneCase& c) { return tuning_case_text(c) == text; });
  });
}

// Stores the profile, merged with the older one unless `fresh`. Returns its path.
std::string store(Engine& engine, const ProfileLock& lock, Profile& profile, bool fresh) {
  const std::filesystem::path file =
      std::filesystem::path(engine.settings().profile_dir) / profile_file_name(profile.key);
  std::string problem;
  const auto older = load_profile(engine.settings().profile_dir, profile.key, &problem);
  // It may be of another version. It is kept, since someone may want it back.
  if (!problem.empty()) std::filesystem::rename(file, file.string() + ".unusable");
  if (older && !fresh) profile = merged(*older, profile);
  const std::string path = store_profile(lock, profile);
  engine.facts().adopt(profile);
  return path;
}

struct Output {
  std::ostream& text;
  int descriptor;
};

// Sensors if the goal needs them. The domains that they cover go into the request.
std::unique_ptr<CallEnergy> energy_for(Engine& engine, TuneRequest& request, std::ostream& out) {
  if (request.goal == Goal::throughput) return nullptr;
  auto energy = std::make_unique<CallEnergy>(engine.gpu()->info().pci_address);
  request.joules_of = energy->domains();
  out << "Energy is that of " << energy->domains() << ":\n";
  for (const std::string& source : energy->sources()) out << "  " << printable(source) << '\n';
  if (!energy->covers_cpu())
    out << "The CPU's is not measured: what leaves more to the CPU looks cheaper than it is.\n";
  return energy;
}

// What the engine plans by until it has the new profile.
std::string known_before(Engine& engine, Arithmetic arithmetic) {
  const ProfileInUse& before = engine.machine().tuned(arithmetic);
  if (!before.profile) return "the built-in choices";
  return before.is_tuned() ? "this machine's last profile" : "the profile that stood in";
}

// A failure here must not cost the profile.
TuningGain gain_if_possible(Engine& engine, const Profile& profile) try {
  return measure_gain(engine, profile);
} catch (const std::exception&) {
  return {};
}

struct TuneResources {
  const ProfileLock& lock;
  Journal& journal;
  CallEnergy* energy;
};

// Replaces the curves of these fields that the search recorded.
void put_measured(const std::vector<FieldCurve>& measured, TunePlot& plot) {
  for (const FieldCurve& curve : measured)
    std::erase_if(plot.curves, [&](const FieldCurve& old) { return old.field == curve.field; });
  plot.curves.insert(plot.curves.begin(), measured.begin(), measured.end());
}

void draw(const TunePlot& plot, const std::vector<Chart>& charts, const std::string& file,
          std::ostream& out) {
  write_picture(picture_svg(charts, plot.title), file);
  out << "Picture: " << file << '\n';
}

// Measures the curves alone, for a tuning that was done before.
void curves_alone(Engine& engine, const TuneOptions& options, const TuneRequest& request,
                  const Profile& profile, Journal& journal, std::ostream& out) {
  const auto curves =
      measured_curves(engine, journal, request, profile, curve_fields(options.curves), out);
  if (!options.json.empty())
    write_json(options.json, {{"context", context_json(engine)}, {"curves", curves_json(curves)}});
  if (options.plot.empty()) return;
  TunePlot plot;
  plot.title = profile.key.device + " and " + profile.key.cpu;
  plot.split_case = tuning_case_of(largest_point(profile));
  std::vector<Chart> charts;
  for (const FieldCurve& curve : curves) charts.push_back(field_chart(curve, plot.split_case));
  draw(plot, charts, options.plot, out);
}

void tune_and_store(Engine& engine, const TuneOptions& options, TuneRequest request,
                    const TuneResources& resources, const Output& output) {
  std::ostream& out = output.text;
  request.cpu_configs = promising_configs(engine, measured_core_types(engine));
  const auto elapsed = [watch = Stopwatch()] { return watch.seconds(); };
  ProgressLines lines({out,
                       [descriptor = output.descriptor] { return terminal_columns(descriptor); },
                       elapsed, options.verbose});
  TuningRecord record(lines, elapsed);
  Profile profile = tune(engine, request, resources.journal, record, resources.energy);
  lines.finish();
  print_tune_summary(profile, options.verbose, out);
  print_energy_summary(profile, out);
  if (!profile.note.empty()) out << "Noise: " << profile.note << ".\n";
  if (const std::string text = steadiness_text(profile.steadiness); !text.empty())
    print_wrapped("Steadiness: " + text, out);
  if (!profile.doubt.empty())
    print_wrapped("Doubtful: " + profile.doubt +
                      ". Plans may be slower than they could be. The next \"duoblas tune\" starts "
                      "over: run it while nothing else works.",
                  out);
  out << "Memory, read by each side and by both:\n";
  for (const std::string& line : bandwidth_lines(profile.memory, true)) out << "  " << line << '\n';
  const TuningGain gain = gain_if_possible(engine, profile);
  if (const std::string text = gain_text(gain, known_before(engine, profile.key.arithmetic));
      !text.empty())
    print_wrapped("Gain: " + text, out);
  const Profile tuned = profile;
  const std::string path = store(engine, resources.lock, profile, options.fresh);
  resources.journal.finish();

  if (lines.rejections() > 0) {
    out << lines.rejections() << " kernels were not used: they did not build, or gave wrong "
        << "results (--verbose names them).\n";
  }
  out << "Profile: " << path << '\n';
  const auto curves =
      measured_curves(engine, resources.journal, request, tuned, curve_fields(options.curves), out);
  if (!options.json.empty()) {
    write_json(options.json, {{"context", context_json(engine)},
                              {"path", path},
                              {"rejected", lines.rejections()},
                              {"gain", {{"products", gain.products}, {"ratio", gain.ratio}}},
                              {"curves", curves_json(curves)},
                              {"profile", nlohmann::json::parse(to_json(profile))}});
  }
  if (!options.plot.empty()) {
    TunePlot plot =
        plot_of(tuned, record.series(), journal_path(engine, options, tuned.key.arithmetic));
    put_measured(curves, plot);
    draw(plot, tune_charts(plot), options.plot, out);
  }
}

int tune_one(Engine& engine, const TuneOptions& options, TuneRequest request,
             const Output& output) {
  const bool of_gemv = options.routine != "gemm";
  const Arithmetic arithmetic = of_gemv ? Arithmetic::native : arithmetic_of(engine, request);
  const auto lock_of = [&](Arithmetic of) {
    ProfileLock lock(engine.settings().profile_dir,
                     profile_file_name(engine.facts().profile_key(of)));
    lock.require_held();
    return lock;
  };
  const ProfileLock lock = lock_of(arithmetic);
  // Tunings of both arithmetics would measure each other, so both have this one.
  std::optional<ProfileLock> of_device;
  if (arithmetic != Arithmetic::native) of_device.emplace(lock_of(Arithmetic::native));

  const auto energy = energy_for(engine, request, output.text);
  const std::string path = journal_path(engine, options, arithmetic);
  std::optional<Journal> journal(std::in_place, path, journal_header(engine, arithmetic),
                                 options.fresh);
  if (!journal->story().empty()) output.text << journal->story() << '\n';
  if (of_gemv) {
    const Interruptions interruptions(*journal);
    tune_gemv_and_store(engine, options, lock, *journal, output.text);
    return done;
  }
  const auto before = same_as_before(engine, *journal, request);
  // A doubt about other products than these cannot be ended by this tuning.
  const bool starts_over = before && !before->doubt.empty() && covers(request, *before);
  if (before && !starts_over) {
    output.text << "Nothing has changed since this was tuned on " << before->created
                << ": --fresh tunes again.\n";
    if (!options.curves.empty())
      curves_alone(engine, options, request, *before, *journal, output.text);
    return done;
  }
  if (starts_over) {
    print_wrapped("The last tuning is doubtful (" + before->doubt + "). This one starts over.",
                  output.text);
    journal.reset();
    journal.emplace(path, journal_header(engine, arithmetic), true);
  }
  const Interruptions interruptions(*journal);
  tune_and_store(engine, options, request, {lock, *journal, energy.get()}, output);
  return done;
}

// The same, with names of files that are not those of the device's native products.
TuneOptions for_integers(TuneOptions options) {
  for (std::string* name : {&options.journal, &options.json, &options.plot}) {
    if (name->empty() || *name == "-") continue;
    const std::filesystem::path path = *name;
    *name = (path.parent_path() / path.stem()).string() + "-integers" + path.extension().string();
  }
  return options;
}

int run(const TuneOptions& options) {
  const bool of_gemv = options.routine != "gemm";
  TuneRequest request;
  // What is wrong is told before anything is opened.
  if (of_gemv) {
    gemv_request_of(options);
  } else {
    request = request_of(options);
    curve_fields(options.curves);
  }
  require_outputs(options);
  Engine engine(settings_from_environment());
  require_something_to_tune(engine);
  const bool json_to_stdout = options.json == "-";
  const Output output{
      json_to_stdout ? std::cerr : std::cout,
      descriptor_of(json_to_stdout ? StandardStream::error : StandardStream::output)};
  print_heading(engine, output.text);
  prepare_profile_directory(engine.settings().profile_dir);
  if (of_gemv) return tune_one(engine, options, request, output);
  const std::vector<TuneRequest> parts = by_arithmetic(request, engine.machine().device);
  if (json_to_stdout && parts.size() > 1)
    throw Error(
        "doubles are tuned by themselves here, by integers, and --json - has room for one "
        "document: name a file, or tune --precision s,c or d,z");
  for (const TuneRequest& part : parts) {
    const bool integers = arithmetic_of(engine, part) == Arithmetic::integers;
    if (integers) output.text << "Doubles, by integers:\n";
    tune_one(engine, integers && parts.size() > 1 ? for_integers(options) : options, part, output);
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
