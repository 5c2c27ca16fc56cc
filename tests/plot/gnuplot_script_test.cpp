// Charts as a script for gnuplot.
#include "plot/gnuplot_script.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "plot/made_up_charts.hpp"

namespace duoblas {
namespace {

std::vector<Chart> made_up_charts() {
  return {test::made_up_rates(), test::made_up_power(), test::made_up_search()};
}

TEST(ChartScript, IsDrawnByGnuplotInBothFormats) {
  std::vector<Chart> odd = made_up_charts();
  odd[0].title = "`id` \"quoted\" " + std::string(300, 'x');
  odd[0].lines[0].points.clear();
  odd[1].lines[0].points.clear();
  odd[1].empty_reason = "\xff\nnothing";
  odd[2].lines[0].points.resize(1);
  for (const auto& charts : {made_up_charts(), odd}) {
    for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
      const std::string script = gnuplot_script(charts, "\xff `id`", format);
      try {
        EXPECT_EQ(gnuplot_picture(script).substr(0, 5),
                  format == PlotFormat::svg ? "<?xml" : "\x89PNG\r");
      } catch (const SettingError& error) {
        // gnuplot is optional.
        EXPECT_NE(std::string(error.what()).find("gnuplot-nox"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(ChartScript, OfManyChartsSaysHowManyItShows) {
  const std::vector<Chart> charts(40, test::made_up_rates());
  const std::string script = gnuplot_script(charts, "many", PlotFormat::svg);
  EXPECT_NE(script.find("(16 of 40 charts)"), std::string::npos);
}

TEST(ChartScript, HasEveryPointWithItsSpread) {
  const std::string script = gnuplot_script(made_up_charts(), "", PlotFormat::svg);
  EXPECT_NE(script.find("$chart0line1 << END\n256 200 180 220\n512 200 200 200\n"),
            std::string::npos);
  EXPECT_EQ(test::count(script, "with yerrorbars"), 2u);
  EXPECT_EQ(test::count(script, "with steps"), 1u);
}

TEST(ChartScript, SaysWhichLineWasNotMeasuredAndWhyAChartIsEmpty) {
  std::vector<Chart> charts = made_up_charts();
  charts[0].lines[0].points.clear();
  charts[1].lines[0].points.clear();
  charts[1].empty_reason = "no sensor";
  const std::string script = gnuplot_script(charts, "", PlotFormat::svg);
  EXPECT_NE(script.find("\"cpu (not measured)\""), std::string::npos);
  EXPECT_NE(script.find("\"no sensor\""), std::string::npos);
  EXPECT_EQ(script.find("$chart0line0"), std::string::npos);
}

}  // namespace
}  // namespace duoblas
