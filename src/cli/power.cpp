// duoblas power: what the machine draws, now and over time, and which sensors say so.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <duoblas/duoblas.h>

#include "cli/arguments.hpp"
#include "cli/json_file.hpp"
#include "cli/power_view.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "os/terminal.hpp"
#include "power/energy_meter.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kPowerFooter =
    "Examples:\n"
    "  duoblas power                                 watts of each domain, until Ctrl-C\n"
    "  duoblas power --seconds 10 --json power.json  ten seconds, and a record of them\n"
    "  duoblas power --list                          only which sensors there are\n"
    "\n"
    "package is the chip or socket with what is in it, system the whole machine. A figure of "
    "energy\n"
    "needs a second of work at least. Exit code 1: there is no sensor.";

struct PowerOptions {
  double seconds = 0;
  double interval = 0.5;
  std::string gpu;
  std::string json;
  bool list = false;
};

constexpr double longest = 86400;
constexpr double shortest_interval = 0.05;

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interruption(int) {
  interrupted = 1;
}

void check(const PowerOptions& options, bool seconds_given) {
  // Written so that they refuse NaN.
  if (seconds_given && !(options.seconds > 0 && options.seconds <= longest))
    throw UsageError("--seconds: give a number from above 0 to 86400");
  if (!(options.interval >= shortest_interval && options.interval <= 3600))
    throw UsageError("--interval: give a number of seconds from 0.05 to 3600");
}

nlohmann::json sensor_json(const power::SensorInfo& info) {
  return {{"domain", power::name_of(info.domain)},
          {"source", info.source},
          {"counts", info.counts},
          {"update_seconds", info.update_seconds},
          {"step_joules", info.step_joules},
          {"in_package", info.in_package}};
}

nlohmann::json missing_json(const power::MissingSource& missing) {
  nlohmann::json domains = nlohmann::json::array();
  for (const power::Domain domain : missing.domains) domains.push_back(power::name_of(domain));
  return {{"source", missing.source}, {"reason", missing.reason}, {"domains", domains}};
}

// For each domain its sensor, joules and watts, or null and the reason.
nlohmann::json energy_json(const power::EnergyFigures& figures,
                           const std::vector<power::PowerSampler::DomainState>& states) {
  nlohmann::json domains = nlohmann::json::array();
  for (const power::DomainEnergy& energy : figures.domains) {
    const auto& state = states.at(static_cast<std::size_t>(energy.domain));
    nlohmann::json domain = {{"domain", power::name_of(energy.domain)},
                             {"sensor", nullptr},
                             {"joules", nullptr},
                             {"mean_watts", nullptr},
                             {"peak_watts", nullptr},
                             {"reason", energy.reason}};
    if (state.has_sensor) domain["sensor"] = sensor_json(state.info);
    if (energy.figure) {
      domain["joules"] = energy.figure->joules;
      domain["mean_watts"] = energy.figure->mean_watts;
      if (energy.figure->peak_watts) domain["peak_watts"] = *energy.figure->peak_watts;
    }
    domains.push_back(std::move(domain));
  }
  return {{"seconds", figures.seconds},
          {"long_enough", figures.long_enough},
          {"domains", std::move(domains)}};
}

nlohmann::json point_of(double seconds,
                        const std::vector<power::PowerSampler::DomainState>& states) {
  nlohmann::json point = {{"seconds", seconds}};
  for (const auto& state : states)
    if (state.watts) point[power::name_of(state.domain)] = *state.watts;
  return point;
}

// Shows watts until the time is over or the user ends it. Returns what was shown, for the record.
nlohmann::json watch(const PowerOptions& options, power::PowerSampler& sampler, PowerView& view) {
  nlohmann::json series = nlohmann::json::array();
  const double begin = sampler.now();
  // Turns that were missed while the process was stopped are left out.
  const auto turn_after = [&](double turn) {
    return std::max(turn + 1, std::ceil((sampler.now() - begin) / options.interval));
  };
  for (double turn = 1; interrupted == 0; turn = turn_after(turn)) {
    double next = begin + turn * options.interval;
    if (options.seconds > 0) next = std::min(next, begin + options.seconds);
    for (double left = next - sampler.now(); left > 0 && interrupted == 0;
         left = next - sampler.now())
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 0.1)));
    const double seconds = sampler.now() - begin;
    const auto states = sampler.states();
    view.show(seconds, states);
    // Kept only for a file: otherwise it would grow for as long as someone watches.
    if (!options.json.empty()) series.push_back(point_of(seconds, states));
    if (options.seconds > 0 && seconds >= options.seconds) break;
  }
  return series;
}

nlohmann::json record_of(const std::vector<power::MissingSource>& missing,
                         const std::vector<power::SensorInfo>& found) {
  nlohmann::json record = {{"version", duoblas_version()},
                           {"date", utc_now()},
                           {"sensors", nlohmann::json::array()},
                           {"missing", nlohmann::json::array()}};
  for (const auto& info : found) record["sensors"].push_back(sensor_json(info));
  for (const auto& source : missing) record["missing"].push_back(missing_json(source));
  return record;
}

int run(const PowerOptions& options, bool seconds_given) {
  check(options, seconds_given);
  require_writable_file(options.json);
  const bool json_to_stdout = options.json == "-";
  std::ostream& out = json_to_stdout ? std::cerr : std::cout;
  power::PowerPlaces places;
  places.gpu_address = options.gpu;
  power::PowerSources sources = power::find_power_sources(places);
  const auto missing = sources.missing;
  std::vector<power::SensorInfo> found;
  for (const auto& sensor : sources.sensors) found.push_back(sensor->info());
  power::PowerSampler sampler(power::best_sensors(std::move(sources)));
  print_power_sources(missing, found, sampler.states(), out);

  nlohmann::json record = record_of(missing, found);
  if (!found.empty() && !options.list) {
    std::signal(SIGINT, note_interruption);
    std::signal(SIGTERM, note_interruption);
    sampler.start();
    const power::EnergyMeter meter(sampler);
    PowerView view({out,
                    [descriptor = descriptor_of(json_to_stdout ? StandardStream::error
                                                               : StandardStream::output)] {
                      return terminal_columns(descriptor);
                    },
                    locale_is_utf8()});
    const double begin = meter.mark();
    record["series"] = watch(options, sampler, view);
    const power::EnergyFigures figures = meter.since(begin);
    print_energy(figures, out);
    record["energy"] = energy_json(figures, sampler.states());
  }
  if (!options.json.empty()) write_json(options.json, record);
  if (found.empty()) throw Error("no sensor of energy can be read on this machine");
  return done;
}

}  // namespace

void add_power(CLI::App& app, int& code) {
  auto options = std::make_shared<PowerOptions>();
  CLI::App* command =
      app.add_subcommand("power", "Show what the machine draws, and which sensors say so");
  const CLI::Option* seconds = add_value(*command, "--seconds", options->seconds, "SECONDS",
                                         "End after this time; else at Ctrl-C");
  add_value(*command, "--interval", options->interval, "SECONDS", "Show watts this often")
      ->capture_default_str();
  add_value(*command, "--gpu", options->gpu, "ADDRESS",
            "Only the GPU at this PCI address, e.g. 0000:01:00.0");
  command->add_flag("--list", options->list, "Only list sensors, and what is missing and why");
  add_value(*command, "--json", options->json, "FILE",
            "Write everything to this file (- for stdout)");
  command->footer(kPowerFooter);
  command->callback([options, seconds, &code] { code = run(*options, seconds->count() > 0); });
}

}  // namespace duoblas::cli
