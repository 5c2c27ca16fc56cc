#include "bench/ladder_plot.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <duoblas/error.hpp>

#include "tuner/gnuplot.hpp"

namespace duoblas {
namespace {

// Okabe and Ito's blue and orange: apart for every common kind of colour blindness, and in grey.
constexpr const char* kTutorialColour = "#0072B2";
constexpr const char* kOwnColour = "#E69F00";

PlotSize size_of(std::size_t steps) {
  return {1000, 150 + 34 * static_cast<int>(steps)};
}

// A block of data: place, GFLOPS, quartiles, what to write behind the bar.
void write_bars(const std::vector<ClimbedStep>& steps, bool of_tutorial, std::ostream& script) {
  script << (of_tutorial ? "$tutorial" : "$own") << " << END\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ClimbedStep& s = steps[i];
    if (s.step.of_tutorial != of_tutorial || !s.refused.empty()) continue;
    char value[32];
    std::snprintf(value, sizeof value, s.gflops < 100 ? "%.1f" : "%.0f", s.gflops);
    script << i + 1 << ' ' << s.gflops << ' ' << s.q1 << ' ' << s.q3 << ' ' << value << '\n';
  }
  script << "END\n";
}

// A figure space before a lone digit puts the titles below one another.
std::string numbered(std::size_t number, const std::string& title) {
  return (number < 10 ? "\u2007" : "") + std::to_string(number) + "  " + title;
}

void write_labels(const std::vector<ClimbedStep>& steps, std::ostream& script) {
  script << "set ytics (";
  for (std::size_t i = 0; i < steps.size(); ++i)
    script << (i == 0 ? "" : ", ") << gnuplot_quoted(numbered(i + 1, steps[i].step.title)) << ' '
           << i + 1;
  script << ")\n";
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!steps[i].refused.empty())
      script << "set label " << gnuplot_quoted("not here: " + steps[i].refused.substr(0, 60))
             << " at first 0, first " << i + 1 << " left offset char 1,0 textcolor '#333333'\n";
}

std::string script_of(const std::vector<ClimbedStep>& steps, const std::string& title,
                      PlotFormat format) {
  double most = 0;
  for (const ClimbedStep& s : steps)
    if (s.refused.empty()) most = std::max({most, s.gflops, s.q3});
  const auto timed = [&](bool of_tutorial) {
    return std::ranges::any_of(steps, [&](const ClimbedStep& s) {
      return s.refused.empty() && s.step.of_tutorial == of_tutorial;
    });
  };
  std::ostringstream script;
  script << gnuplot_terminal(format, size_of(steps.size())) << "set title " << gnuplot_quoted(title)
         << "\nset xlabel 'GFLOPS (bar: median, whisker: quartiles)'\n"
         << "set xrange [0:" << (most > 0 ? most * 1.14 : 1) << "]\nset yrange ["
         << static_cast<double>(steps.size()) + 0.6 << ":0.4]\n"
         << "set border 3 linecolor '#333333'\nset tics nomirror\n"
         << "set lmargin 31\nset ytics scale 0 left offset char -27,0\n"
         << "set label 'step' at graph 0, graph 1 left offset char -27.7,0.4\n"
         << "set grid xtics linecolor '#cccccc'\nset style fill solid noborder\n"
         << "set key at screen 0.5,0.015 center bottom maxrows 1 width 3\nset rmargin 3\nset "
            "bmargin 6\n";
  write_labels(steps, script);
  write_bars(steps, true, script);
  write_bars(steps, false, script);
  const bool both = timed(true) && timed(false);
  std::string separator = "plot ";
  for (const bool of_tutorial : {true, false}) {
    if (!timed(of_tutorial)) continue;
    const char* data = of_tutorial ? "$tutorial" : "$own";
    script << separator << data << " using (0):1:(0):2:($1-0.36):($1+0.36) with boxxyerror"
           << " linecolor '" << (of_tutorial ? kTutorialColour : kOwnColour) << "' "
           << (!both         ? "notitle"
               : of_tutorial ? "title 'steps of the tutorial'"
                             : "title 'our steps'")
           << ", " << data
           << " using 2:1:3:4 with xerrorbars pointtype 0 linecolor 'black' notitle, " << data
           << " using 4:1:5 with labels left offset char 0.7,0 notitle";
    separator = ", ";
  }
  script << '\n';
  return script.str();
}

}  // namespace

void check_plot(const std::string& path) {
  const auto format = plot_format(path);
  if (!format)
    throw SettingError("--plot takes a name that ends in .svg or .png, not \"" + path + "\"");
  require_gnuplot(*format);
}

void plot_ladder(const std::vector<ClimbedStep>& steps, const std::string& title,
                 const std::string& path) {
  draw_with_gnuplot(script_of(steps, title, plot_format(path).value_or(PlotFormat::svg)), path);
}

}  // namespace duoblas
