// Pictures by gnuplot, where it is installed, and errors where it is not.
#include "plot/gnuplot.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <duoblas/error.hpp>

#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

// gnuplot is optional: where it is missing, that is what the message has to say.
bool gnuplot_is_missing(const std::string& message) {
  return message.find("gnuplot-nox") != std::string::npos;
}

std::string failure_of(const std::string& script) {
  try {
    gnuplot_picture(script);
  } catch (const SettingError& error) {
    return error.what();
  }
  return {};
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(PlotFormat, IsWhatTheNameEndsWith) {
  EXPECT_EQ(plot_format("a/b.svg"), PlotFormat::svg);
  EXPECT_EQ(plot_format("b.png"), PlotFormat::png);
  EXPECT_EQ(plot_format("b.pdf"), std::nullopt);
  EXPECT_EQ(plot_format("svg"), std::nullopt);
  EXPECT_EQ(plot_format(""), std::nullopt);
}

TEST(GnuplotText, CannotEndItsStringOrRunACommand) {
  EXPECT_EQ(gnuplot_quoted("a \"b\" \\n"), R"("a \"b\" \\n")");
  EXPECT_EQ(gnuplot_quoted("`id`"), R"("\140id\140")");
  EXPECT_EQ(gnuplot_quoted("two\nlines"), R"("two\nlines")");
  EXPECT_EQ(gnuplot_quoted("\x1b\xff"), R"("??")");
}

TEST(GnuplotText, OfADriverRunsNothing) {
  const test::TemporaryDirectory folder;
  const std::string mark = folder / "mark";
  const std::string name = "`touch " + mark + "` \"; system('touch " + mark + "'); \"";
  const std::string message = failure_of(gnuplot_terminal(PlotFormat::svg, {}) + "set title " +
                                         gnuplot_quoted(name) + "\nplot x\n");
  EXPECT_TRUE(message.empty() || gnuplot_is_missing(message)) << message;
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(Gnuplot, DrawsIntoTheFileInItsFormat) {
  const test::TemporaryDirectory folder;
  for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
    const std::string path = folder / (format == PlotFormat::svg ? "it's \"x\".svg" : "y.png");
    try {
      require_gnuplot(format);
      draw_with_gnuplot(gnuplot_terminal(format, {}) + "plot x\n", path);
    } catch (const SettingError& error) {
      EXPECT_TRUE(gnuplot_is_missing(error.what())) << error.what();
      continue;
    }
    const std::string start = contents(path).substr(0, 100);
    EXPECT_NE(start.find(format == PlotFormat::svg ? "<?xml" : "PNG"), std::string::npos);
  }
}

TEST(Gnuplot, ThatFailsSaysWhyInItsOwnWords) {
  const std::string message = failure_of("set terminal svg\nplot nonsense(x)\n");
  EXPECT_TRUE(gnuplot_is_missing(message) || message.find("nonsense") != std::string::npos)
      << message;
}

TEST(Gnuplot, WhoseFileCannotBeWrittenNamesIt) {
  try {
    draw_with_gnuplot(gnuplot_terminal(PlotFormat::svg, {}) + "plot x\n", "/nowhere/at/all.svg");
    ADD_FAILURE() << "it was written";
  } catch (const SettingError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(gnuplot_is_missing(message) ||
                message.find("/nowhere/at/all.svg") != std::string::npos)
        << message;
  }
}

TEST(Gnuplot, ThatIsNotInstalledIsAskedForByItsPackage) {
  const char* path = std::getenv("PATH");
  const std::string old = path == nullptr ? "" : path;
  ::setenv("PATH", "/nowhere", 1);
  std::string message;
  try {
    require_gnuplot(PlotFormat::svg);
  } catch (const SettingError& error) {
    message = error.what();
  }
  ::setenv("PATH", old.c_str(), 1);
  EXPECT_NE(message.find("gnuplot-nox"), std::string::npos);
}

}  // namespace
}  // namespace duoblas
