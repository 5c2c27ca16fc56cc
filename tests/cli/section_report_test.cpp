// What a section's findings add up to, and the lines that they come in.
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include <duoblas/error.hpp>

#include "cli/selftest/report.hpp"

namespace duoblas::cli::selftest {
namespace {

Finding found(Found what, const std::string& text = "") {
  Finding finding;
  finding.found = what;
  finding.text = text;
  return finding;
}

SectionReport section(std::vector<NamedFinding> findings) {
  SectionReport report;
  report.name = "kernels s";
  report.findings = std::move(findings);
  return report;
}

TEST(SectionReport, OneWrongFindingMakesItWrong) {
  const auto report = section({{"a", found(Found::ok)},
                               {"b", found(Found::wrong, "error of 8 roundoffs")},
                               {"c", found(Found::impossible, "why not")}});
  EXPECT_EQ(report.found(), Found::wrong);
  EXPECT_EQ(report.summary(), "1 of 3 checks");
}

TEST(SectionReport, IsNotPossibleWhereItEndedWithThat) {
  const auto report = section({{"the device opens", found(Found::ok)},
                               {"double precision", found(Found::impossible, "no fp64")}});
  EXPECT_EQ(report.found(), Found::impossible);
  EXPECT_EQ(report.summary(), "no fp64");
}

TEST(SectionReport, IsOkWhereAllIs) {
  EXPECT_EQ(section({{"a", found(Found::ok)}, {"b", found(Found::ok)}}).found(), Found::ok);
}

TEST(SelftestReport, IsRightWhereNothingIsWrong) {
  SelftestReport report;
  report.sections = {section({{"a", found(Found::impossible, "no device")}})};
  EXPECT_TRUE(report.right());
  EXPECT_EQ(to_json(report, {}).at("verdict"), "ok");
  report.sections.push_back(section({{"a", found(Found::wrong, "at /home/you/x")}}));
  EXPECT_FALSE(report.right());
  const auto document = to_json(report, {});
  EXPECT_EQ(document.at("verdict"), "wrong");
  EXPECT_EQ(document.at("sections")[1].at("steps")[0].at("text"), "at ~/x");
  std::ostringstream text;
  print_verdict(report, "", text);
  EXPECT_NE(text.str().find("something is wrong: kernels s"), std::string::npos);
}

TEST(SelftestReport, TellsTheFirstLineOfWhatIsWrong) {
  std::ostringstream text;
  print(section({{"a", found(Found::wrong, "does not build\nlong log")}}), {}, text);
  EXPECT_NE(text.str().find("WRONG: a: does not build\n"), std::string::npos);
  EXPECT_EQ(text.str().find("long log"), std::string::npos);
}

TEST(SectionLine, ComesBackAsItWent) {
  SectionLine line{SectionLine::Say::found, 7, "default nt", found(Found::wrong, "two\nlines")};
  line.finding.facts = {{"largest_error", number_or_null(std::numeric_limits<double>::infinity())}};
  line.finding.shown = true;
  const std::string text = line_of(line);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const SectionLine back = section_line_from(text);
  EXPECT_EQ(back.say, line.say);
  EXPECT_EQ(back.step, 7);
  EXPECT_EQ(back.name, "default nt");
  EXPECT_EQ(back.finding.found, Found::wrong);
  EXPECT_EQ(back.finding.text, "two\nlines");
  EXPECT_TRUE(back.finding.facts.at("largest_error").is_null());
  EXPECT_TRUE(back.finding.shown);
}

TEST(SectionLine, OfADriverThatPrintsIsAnError) {
  EXPECT_THROW(section_line_from("warning: no firmware"), Error);
}

}  // namespace
}  // namespace duoblas::cli::selftest
