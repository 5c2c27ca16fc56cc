// A tuning's progress on a terminal and in a log.
#include "cli/progress_lines.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/made_up_tuning.hpp"

namespace duoblas::cli {
namespace {

// What a terminal that knows carriage returns only has seen: each writing of its last line.
std::vector<std::string> writings(const std::string& output) {
  std::vector<std::string> parts;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    std::istringstream pieces(line);
    for (std::string piece; std::getline(pieces, piece, '\r');)
      if (piece.find_first_not_of(' ') != std::string::npos) parts.push_back(piece);
  }
  return parts;
}

std::vector<std::string> lines_of(const std::string& output) {
  std::vector<std::string> lines;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

class Progress : public ::testing::Test {
 protected:
  ProgressOutput output() {
    return {out_, [this] { return columns_; }, [this] { return clock_; }, verbose_};
  }
  static TuneProgress step(int done) {
    TuneProgress now;
    now.phase = TunePhase::search;
    now.tuning_case = "sgemm nn 1024 x 1024 x 1024";
    now.done = done;
    now.left = 40 - done;
    now.best_gflops = 210.4;
    now.seconds_left = 95;
    return now;
  }
  std::string text() const { return out_.str(); }

  std::ostringstream out_;
  std::optional<std::size_t> columns_;
  double clock_ = 1000;
  bool verbose_ = false;
};

TEST_F(Progress, OnATerminalIsOneLineThatIsWrittenOver) {
  columns_ = 100;
  {
    ProgressLines lines(output());
    for (int done = 0; done < 3; ++done, clock_ += 1) lines.progress(step(done));
  }
  EXPECT_EQ(text().find('\n'), std::string::npos);
  const auto seen = writings(text());
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[2],
            "1:35 left  kernels and splits 2/40, best 210.4 GFLOPS  sgemm nn 1024 x 1024 x 1024");
  EXPECT_EQ(text().back(), '\r') << "nothing of it stays";
}

TEST_F(Progress, FitsTheTerminalAlsoWhenThatIsMadeNarrower) {
  ProgressLines lines(output());
  for (const std::size_t width : {100, 40, 12, 1, 60}) {
    columns_ = width;
    const std::size_t before = text().size();
    lines.progress(step(1));
    clock_ += 1;
    std::istringstream pieces(text().substr(before));
    for (std::string piece; std::getline(pieces, piece, '\r');) EXPECT_LT(piece.size(), width);
  }
}

TEST_F(Progress, OnATerminalIsNotWrittenMoreOftenThanPeopleRead) {
  columns_ = 100;
  ProgressLines lines(output());
  for (int i = 0; i < 1000; ++i, clock_ += 0.001) lines.progress(step(i % 40));
  EXPECT_LE(writings(text()).size(), 11u);
}

TEST_F(Progress, ElsewhereIsAReadableLog) {
  ProgressLines lines(output());
  for (int i = 0; i < 600; ++i, clock_ += 0.1) lines.progress(step(i / 15));
  const auto log = lines_of(text());
  EXPECT_EQ(text().find('\r'), std::string::npos);
  EXPECT_GE(log.size(), 10u);
  EXPECT_LE(log.size(), 13u);
  EXPECT_EQ(log[0],
            "[1:35 left] sgemm nn 1024 x 1024 x 1024: kernels and splits 0/40, best 210.4 GFLOPS");
}

TEST_F(Progress, OfManyShortPhasesDoesNotFloodALog) {
  ProgressLines lines(output());
  for (int i = 0; i < 100; ++i, clock_ += 0.3) {
    TuneProgress now = step(0);
    now.phase = i % 2 == 0 ? TunePhase::search : TunePhase::final_comparison;
    lines.progress(now);
  }
  EXPECT_LE(lines_of(text()).size(), 7u);
}

TEST_F(Progress, SaysOnceWhatItGoesOnFrom) {
  ProgressLines lines(output());
  TuneProgress now = step(0);
  now.resumed = 120;
  for (int i = 0; i < 20; ++i, clock_ += 1) lines.progress(now);
  EXPECT_EQ(lines_of(text())[0], "Goes on from where it stopped: 120 measurements kept.");
  EXPECT_EQ(text().find("Goes on", 10), std::string::npos);
}

TEST_F(Progress, OfOddNamesStaysOneLineWithoutControls) {
  columns_ = 43;
  ProgressLines lines(output());
  TuneProgress now;
  now.tuning_case = "a\rb \x1b[2J\n\xff größer 显卡显卡显卡显卡显卡显卡";
  lines.progress(now);
  EXPECT_EQ(text().find('\x1b'), std::string::npos);
  EXPECT_EQ(text().find('\n'), std::string::npos);
  EXPECT_EQ(text().find('\xff'), std::string::npos);
  EXPECT_NE(text().find("größer 显"), std::string::npos);
  EXPECT_EQ(text().back(), "显"[2]) << "not cut within a character";
}

TEST_F(Progress, TellsFinishedShapesAndKernelsThatAreNotUsed) {
  columns_ = 100;
  verbose_ = true;
  ProgressLines lines(output());
  lines.progress(step(1));
  lines.rejected("panel 6x64 \x1b[31m", "does not build\nmore");
  lines.tuned(made_up_point(Precision::s, 1000, 1000, 1000, {4, 4, 0.02, 0.02}));
  const auto all = lines_of(text());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].ends_with("  not used: panel 6x64 ?[31m: does not build"));
  EXPECT_TRUE(all[1].starts_with("  sgemm nn 1000 x 1000 x 1000: 100.0 GFLOPS with 8/16 on the"));
  EXPECT_EQ(lines.rejections(), 1);
}

}  // namespace
}  // namespace duoblas::cli
