// duoblas power: which sensors tell what the machine draws, and how much that is.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "plot/printable_text.hpp"
#include "power/energy_meter.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kPowerFooter =
    "Examples:\n"
    "  duoblas power               which sensors there are, and what is missing and why\n"
    "  duoblas power --seconds 10  and joules, mean and peak watts of the next ten seconds\n"
    "\n"
    "package is the chip or socket with what is in it, system the whole machine.\n"
    "Exit code 1: there is no sensor.";

constexpr std::size_t domain_columns = 9;

struct PowerOptions {
  double seconds = 0;
  std::string gpu;
};

void print_sensors(const std::vector<power::DomainSensor>& sensors,
                   const std::vector<power::MissingSource>& missing) {
  std::cout << "Sensors:\n";
  for (const auto& [domain, sensor, reason] : sensors) {
    std::cout << "  " << padded(power::name_of(domain), domain_columns);
    if (sensor)
      std::cout << printable(sensor->info().source) << " (" << power::resolution(sensor->info())
                << ")" << (sensor->info().in_package ? ", a part of the package" : "") << '\n';
    else
      std::cout << "unavailable\n";
  }
  for (const power::MissingSource& source : missing) {
    std::vector<std::string> domains;
    for (const power::Domain domain : source.domains) domains.emplace_back(power::name_of(domain));
    std::cout << "Not to be had (" << joined(domains) << "): " << source.source << ": "
              << printable(source.reason) << '\n';
  }
}

std::string watts_text(std::optional<double> watts) {
  return watts ? fixed(*watts, 1) + " W" : "unavailable";
}

void print_energy(power::EnergyMeter& meter, double seconds) {
  const double begin = meter.mark();
  std::this_thread::sleep_for(std::chrono::duration<double>(
      std::max({seconds, meter.least_figure_seconds(), meter.least_peak_seconds()})));
  const power::EnergyFigures figures = meter.since(begin);
  using enum TextTable::Align;
  TextTable table({{"domain"}, {"joules", right}, {"mean", right}, {"peak", right}});
  std::string reasons;
  for (const auto& [domain, figure, reason] : figures.domains) {
    const std::string name = power::name_of(domain);
    if (!meter.sensors().at(static_cast<std::size_t>(domain)).sensor) continue;
    if (figure) {
      table.add({name, fixed(figure->joules, 1), watts_text(figure->mean_watts),
                 watts_text(figure->peak_watts)});
    } else {
      table.add({name, "unavailable", "", ""});
      reasons += name + ": " + printable(reason) + '\n';
    }
  }
  std::cout << "In " << fixed(figures.seconds, 1) << " s:\n";
  table.print(std::cout, "  ");
  std::cout << reasons;
}

int run(const PowerOptions& options, bool measures) {
  if (measures && !(options.seconds > 0 && options.seconds <= 86400))  // NaN is refused, too
    throw UsageError("--seconds: give a number from above 0 to 86400");
  power::PowerPlaces places;
  places.gpu_address = options.gpu;
  power::PowerSources sources = power::find_power_sources(places);
  const auto missing = sources.missing;
  const bool any = !sources.sensors.empty();
  power::EnergyMeter meter(power::best_sensors(std::move(sources)));
  print_sensors(meter.sensors(), missing);
  if (!any) throw Error("no sensor of energy can be read on this machine");
  if (measures) print_energy(meter, options.seconds);
  return done;
}

}  // namespace

void add_power(CLI::App& app, int& code) {
  auto options = std::make_shared<PowerOptions>();
  CLI::App* command =
      app.add_subcommand("power", "Show which sensors of energy there are, and what they measure");
  const CLI::Option* seconds = add_value(*command, "--seconds", options->seconds, "SECONDS",
                                         "Measure for this time, a second or more");
  add_value(*command, "--gpu", options->gpu, "ADDRESS",
            "Only the GPU at this PCI address, e.g. 0000:01:00.0");
  command->footer(kPowerFooter);
  command->callback([options, seconds, &code] { code = run(*options, seconds->count() > 0); });
}

}  // namespace duoblas::cli
