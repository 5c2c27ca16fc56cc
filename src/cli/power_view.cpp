#include "cli/power_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "cli/text_table.hpp"
#include "plot/printable_text.hpp"

namespace duoblas::cli {
namespace {

using power::Domain;
using States = std::vector<power::PowerSampler::DomainState>;

// One per interval: a wide terminal shows no more.
constexpr std::size_t most_history = 400;
constexpr std::size_t domain_columns = 9;
constexpr std::size_t watts_columns = 12;

std::string row_of(const power::PowerSampler::DomainState& state) {
  const std::string row = "  " + padded(power::name_of(state.domain), domain_columns) +
                          padded(watts_text(state.watts), watts_columns, TextTable::Align::right) +
                          "  ";
  return state.reason.empty() ? row : row + printable(state.reason);
}

// Bars from 0 to the largest of the values, the last `columns` of them; where a value is not above
// 0 a space. With `blocks` Unicode's, else plain characters.
std::string sparkline(const std::vector<double>& values, std::size_t columns, bool blocks) {
  static constexpr std::array<const char*, 8> tall = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<const char*, 8> plain = {".", ":", "-", "=", "+", "*", "%", "#"};
  const std::array<const char*, 8>& bars = blocks ? tall : plain;
  if (values.empty()) return "";
  const double most = std::ranges::max(values);
  std::string line;
  for (std::size_t i = values.size() - std::min(columns, values.size()); i < values.size(); ++i) {
    if (!(values[i] > 0)) {
      line += ' ';
      continue;
    }
    const double height = std::ceil(values[i] / most * static_cast<double>(bars.size()));
    line += bars[static_cast<std::size_t>(std::clamp(height, 1.0, 8.0)) - 1];
  }
  return line;
}

std::string domains_text(const std::vector<Domain>& domains) {
  std::string text;
  for (const Domain domain : domains)
    text += (text.empty() ? "" : ", ") + std::string(name_of(domain));
  return text;
}

}  // namespace

std::string watts_text(std::optional<double> watts) {
  return watts ? fixed(*watts, 1) + " W" : "unavailable";
}

void print_power_sources(const std::vector<power::MissingSource>& missing,
                         const std::vector<power::SensorInfo>& found, const States& states,
                         std::ostream& out) {
  out << "Sensors:\n";
  for (const auto& state : states) {
    out << "  " << padded(power::name_of(state.domain), domain_columns);
    if (state.has_sensor)
      out << printable(state.info.source) << " (" << power::resolution(state.info) << ")"
          << (state.info.in_package ? ", a part of the package" : "") << '\n';
    else
      out << "unavailable\n";
  }
  for (const power::SensorInfo& info : found) {
    const bool used = std::ranges::any_of(states, [&](const auto& state) {
      return state.has_sensor && state.info.source == info.source && state.domain == info.domain;
    });
    if (!used)
      out << "  also     " << power::name_of(info.domain) << ": " << printable(info.source) << " ("
          << power::resolution(info) << ")\n";
  }
  for (const power::MissingSource& source : missing)
    out << "Not to be had (" << domains_text(source.domains) << "): " << source.source << ": "
        << printable(source.reason) << '\n';
}

void PowerView::show(double seconds, const States& states) {
  for (const auto& state : states) {
    if (!state.has_sensor) continue;
    std::vector<double>& values = history_[state.domain];
    values.push_back(state.watts.value_or(0));
    if (values.size() > most_history) values.erase(values.begin());
  }
  if (const auto columns = output_.columns()) {
    draw(*columns, states);
    return;
  }
  output_.out << fixed(seconds, 1) << " s";
  for (const auto& state : states)
    if (state.has_sensor)
      output_.out << "  " << power::name_of(state.domain) << ' ' << watts_text(state.watts);
  output_.out << '\n' << std::flush;
}

void PowerView::draw(std::size_t columns, const States& states) {
  // The last column stays free: some terminals wrap as soon as it is written.
  const std::size_t room = std::max<std::size_t>(columns, 1) - 1;
  std::string text = drawn_ > 0 ? "\033[" + std::to_string(drawn_) + "A" : "";
  drawn_ = 0;
  for (const auto& state : states) {
    if (!state.has_sensor) continue;
    const std::string row = truncated_to_width(row_of(state), room);
    const std::size_t left = room - terminal_width(row);
    text += "\r\033[K" + row;
    if (state.reason.empty()) text += sparkline(history_[state.domain], left, output_.utf8);
    text += '\n';
    ++drawn_;
  }
  output_.out << text << std::flush;
}

void print_energy(const power::EnergyFigures& figures, std::ostream& out) {
  if (!figures.long_enough) {
    out << "Too short for figures of energy: " << fixed(figures.seconds, 1) << " s\n";
    return;
  }
  TextTable table({{"domain"},
                   {"joules", TextTable::Align::right},
                   {"mean", TextTable::Align::right},
                   {"peak", TextTable::Align::right}});
  std::string reasons;
  for (const power::DomainEnergy& energy : figures.domains) {
    if (energy.source.empty()) continue;
    const auto& figure = energy.figure;
    table.add({power::name_of(energy.domain), figure ? fixed(figure->joules, 1) : "unavailable",
               figure ? watts_text(figure->mean_watts) : "",
               figure ? watts_text(figure->peak_watts) : ""});
    if (!figure)
      reasons +=
          std::string(power::name_of(energy.domain)) + ": " + printable(energy.reason) + '\n';
  }
  out << "In " << fixed(figures.seconds, 1) << " s:\n";
  table.print(out, "  ");
  out << reasons;
}

}  // namespace duoblas::cli
