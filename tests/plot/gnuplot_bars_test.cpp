// Bar charts as a script for gnuplot.
#include "plot/gnuplot_script.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "plot/made_up_charts.hpp"

namespace duoblas {
namespace {

BarChart made_up_bars() {
  BarChart chart;
  chart.title = "two\nlines";
  chart.value_label = "GFLOPS";
  chart.name_label = "step";
  chart.series = {"theirs", "ours"};
  chart.bars = {{"1  naive", 10, 9, 11, "10"},
                {.name = "2  refused", .note = "not here: `id`"},
                {.name = "3  fast", .value = 500, .note = "500", .series = 1}};
  return chart;
}

TEST(BarScript, HasABarPerValueAndANotePerBar) {
  const std::string script = gnuplot_bars(made_up_bars(), PlotFormat::svg);
  EXPECT_EQ(test::count(script, "set object rectangle from 0,"), 2u);
  EXPECT_EQ(test::count(script, "set arrow from 9,1 to 11,1 heads"), 1u) << "quartiles";
  EXPECT_EQ(test::count(script, "set arrow"), 1u);
  for (const char* word :
       {"\"3  fast\" 3", "\"500\" at", "not here: \\140id", "\"theirs\"", "ours"})
    EXPECT_NE(script.find(word), std::string::npos) << word;
}

TEST(BarScript, OfOneSeriesHasNoLegend) {
  BarChart chart = made_up_bars();
  chart.bars.pop_back();
  EXPECT_EQ(gnuplot_bars(chart, PlotFormat::svg).find("\"theirs\""), std::string::npos);
}

TEST(BarScript, IsDrawnByGnuplotInBothFormats) {
  BarChart refused = made_up_bars();
  for (ChartBar& bar : refused.bars) bar.value = bar.low = bar.high = 0;
  for (const BarChart& chart : {made_up_bars(), refused}) {
    for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
      try {
        EXPECT_EQ(gnuplot_picture(gnuplot_bars(chart, format)).substr(0, 5),
                  format == PlotFormat::svg ? "<?xml" : "\x89PNG\r");
      } catch (const SettingError& error) {
        // gnuplot is optional.
        EXPECT_NE(std::string(error.what()).find("gnuplot-nox"), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace duoblas
