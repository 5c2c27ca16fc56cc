// Files of charts.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include <duoblas/error.hpp>

#include "plot/chart_svg.hpp"
#include "plot/made_up_charts.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

using test::count;

std::vector<Chart> made_up_charts() {
  return {test::made_up_rates(), test::made_up_power(), test::made_up_search()};
}

TEST(PictureSvg, HasItsChartsBelowOneAnotherUnderItsTitle) {
  const std::string svg = picture_svg(made_up_charts(), "of a <machine>");
  EXPECT_NE(svg.find("height=\"1240\""), std::string::npos) << "400 each, and the title";
  EXPECT_EQ(count(svg, "<g transform=\"translate(0,"), 3u);
  EXPECT_NE(svg.find("of a &lt;machine&gt;"), std::string::npos);
}

TEST(PictureSvg, RefersToNothingOutsideOfIt) {
  const std::string svg = picture_svg(made_up_charts(), "title");
  EXPECT_EQ(count(svg, "http"), 1u) << "the name space";
  EXPECT_NE(svg.find(".look0 { color:"), std::string::npos);
  EXPECT_EQ(svg.find("@media"), std::string::npos) << "a file is light, whatever shows it";
}

TEST(PictureSvg, EndsTheAxesWhereTheLongestNameOfAnyLegendHasRoom) {
  std::vector<Chart> charts = made_up_charts();
  charts[0].lines[0].name = std::string(38, 'w');
  const std::string all = picture_svg(charts, "");
  const std::string axis = "x2=\"528.4\" y2=\"340\"";
  EXPECT_GE(count(all, axis), 3u);
  EXPECT_EQ(count(chart_svg(charts[1]), axis), 0u);
}

TEST(PictureSvg, IsWrittenToTheFileOrNamesIt) {
  const test::TemporaryDirectory folder;
  const std::string path = folder / "it's \"x\".svg";
  write_picture("<svg/>", path);
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "<svg/>");
  try {
    write_picture("<svg/>", "/nowhere/at/all.svg");
    ADD_FAILURE() << "it was written";
  } catch (const SettingError& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all.svg"), std::string::npos);
  }
}

}  // namespace
}  // namespace duoblas
