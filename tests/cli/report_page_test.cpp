// The page of a report: whole, escaped, honest about what is missing.
#include "cli/bench/report_page.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cli/made_up_record.hpp"

namespace duoblas::cli {
namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(ReportPage, EscapesNamesAndRefersToNothingOutside) {
  BenchRecord record = made_up_record();
  record.rows[0].strategy = "<script>alert(1)</script>";
  const std::string page = report_page(record);
  EXPECT_NE(page.find("Paper &lt;GPU&gt;"), std::string::npos);
  EXPECT_NE(page.find("Paper CPU &amp; Sons"), std::string::npos);
  for (const char* word : {"<script", "http", "src=", "href=", "url(", "@import"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  EXPECT_EQ(count(page, "<svg"), 3u);
  EXPECT_EQ(count(page, "<table"), 8u)
      << "machine, speed and energy of three problems, transfers of one";
}

TEST(ReportPage, SaysUnavailableWhereThereIsNoFigure) {
  BenchRecord record = made_up_record();
  for (ComparisonRow& row : record.rows) {
    row.energy.clear();
    row.joules = 0;
  }
  const std::string page = report_page(record);
  EXPECT_NE(page.find("<td class=\"number\">unavailable</td>"), std::string::npos);
  EXPECT_NE(page.find("system: unavailable: no battery"), std::string::npos);
}

}  // namespace
}  // namespace duoblas::cli
