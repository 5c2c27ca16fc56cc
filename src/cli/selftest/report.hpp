// The whole selftest: as a document that is sent, and as text.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/selftest/personal_data.hpp"
#include "cli/selftest/section_process.hpp"

namespace duoblas::cli::selftest {

/// The document's version; docs/drivers.md describes it. Counts up where members change their
/// meaning.
inline constexpr int document_version = 1;

struct SelftestReport {
  bool quick = false;
  std::string date;
  std::vector<SectionReport> sections;
  double seconds = 0;

  /// No section found anything wrong.
  bool right() const;
};

/// Without personal data.
nlohmann::json to_json(const SelftestReport& report, const Owner& owner);

/// A line with the verdict, then what is to be seen, without personal data. A reason is not told
/// twice in a row.
void print(const SectionReport& section, const Owner& owner, std::ostream& out,
           const std::string& summary_before = "");

/// The last lines: the verdict of all.
void print_verdict(const SelftestReport& report, const std::string& json_path, std::ostream& out);

}  // namespace duoblas::cli::selftest
