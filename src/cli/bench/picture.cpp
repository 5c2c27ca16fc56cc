#include "cli/bench/picture.hpp"

#include <filesystem>
#include <iostream>

#include <duoblas/error.hpp>

#include "cli/arguments.hpp"
#include "cli/bench/comparison_charts.hpp"
#include "cli/bench/machine_text.hpp"
#include "cli/json_file.hpp"
#include "plot/gnuplot_script.hpp"

namespace duoblas::cli {
namespace {

std::string title_of(const BenchMachine& machine) {
  if (machine.device.empty()) return machine.cpu_model;
  return machine.device + (machine.standin ? " (a stand-in) and " : " and ") + machine.cpu_model;
}

}  // namespace

void require_picture_name(const std::string& path) {
  if (path.empty()) return;
  if (!plot_format(path))
    throw UsageError("--plot " + path + ": give a name that ends in .svg or .png");
  require_writable_file(path);
}

bool draw_picture(const BenchRecord& record, const std::string& path, std::ostream& out) {
  const auto charts = comparison_charts(record);
  if (charts.empty()) throw Error("there is nothing to draw: no strategy has a time");
  const std::string script =
      gnuplot_script(charts, title_of(machine_of(record.context)), plot_format(path).value());
  std::string problem;
  try {
    require_gnuplot(plot_format(path).value());
  } catch (const SettingError& error) {
    problem = error.what();
  }
  if (problem.empty()) {
    draw_with_gnuplot(script, path);
    out << "Picture: " << path << '\n';
    return true;
  }
  const std::string left = std::filesystem::path(path).replace_extension(".gp").string();
  write_text(left, script);
  out << std::flush;
  std::cerr << "duoblas: " << problem << ".\nThe script with the data is in " << left
            << ": where gnuplot is, \"gnuplot " << left << " > " << path << "\" draws it.\n";
  return false;
}

}  // namespace duoblas::cli
