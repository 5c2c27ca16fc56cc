#include "cli/selftest/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/text_table.hpp"

namespace duoblas::cli::selftest {
namespace {

constexpr std::size_t most_wrong_lines = 5;

// Prints the first line of what is wrong; the document has the rest, such as a build log.
void print_finding(const NamedFinding& each, const Owner& owner, std::ostream& out) {
  const bool wrong = each.finding.found == Found::wrong;
  std::string text = without_personal_data(each.finding.text, owner);
  if (wrong) text.resize(std::min(text.find('\n'), text.size()));
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 5)
    text.replace(at, 1, "\n    ");
  out << "    " << (wrong ? "WRONG: " : "") << each.step << ": " << text << '\n';
}

}  // namespace

bool SelftestReport::right() const {
  return std::ranges::none_of(
      sections, [](const SectionReport& section) { return section.found() == Found::wrong; });
}

nlohmann::json to_json(const SelftestReport& report, const Owner& owner) {
  nlohmann::json document = {{"document", "duoblas selftest"},
                             {"document_version", document_version},
                             {"date", report.date},
                             {"quick", report.quick},
                             {"verdict", report.right() ? "ok" : "wrong"},
                             {"seconds", report.seconds},
                             {"sections", nlohmann::json::array()}};
  for (const SectionReport& section : report.sections) {
    nlohmann::json steps = nlohmann::json::array();
    for (const NamedFinding& each : section.findings)
      steps.push_back({{"step", each.step},
                       {"verdict", name(each.finding.found)},
                       {"text", each.finding.text},
                       {"facts", each.finding.facts}});
    document["sections"].push_back({{"section", section.name},
                                    {"verdict", name(section.found())},
                                    {"summary", section.summary()},
                                    {"seconds", section.seconds},
                                    {"steps", std::move(steps)}});
  }
  remove_personal_data(document, owner);
  return document;
}

void print(const SectionReport& section, const Owner& owner, std::ostream& out,
           const std::string& summary_before) {
  const std::string summary = section.summary();
  const bool again =
      section.found() == Found::impossible && !summary.empty() && summary == summary_before;
  out << padded(section.name, 11) << ' ' << padded(std::string(name(section.found())), 18)
      << (again ? "as above" : without_personal_data(summary, owner)) << ", "
      << fixed(section.seconds, 1) << " s\n";
  std::size_t wrong = 0;
  for (const NamedFinding& each : section.findings) {
    if (each.finding.found == Found::wrong) {
      if (++wrong <= most_wrong_lines) print_finding(each, owner, out);
    } else if (each.finding.shown && each.finding.found == Found::ok) {
      print_finding(each, owner, out);
    }
  }
  if (wrong > most_wrong_lines)
    out << "    ... and " << wrong - most_wrong_lines << " more that are wrong\n";
  out.flush();
}

void print_verdict(const SelftestReport& report, const std::string& json_path, std::ostream& out) {
  std::string wrong, impossible;
  for (const SectionReport& section : report.sections) {
    if (section.found() == Found::ok) continue;
    std::string& list = section.found() == Found::wrong ? wrong : impossible;
    list += (list.empty() ? "" : ", ") + section.name;
  }
  out << "\nVerdict: " << (report.right() ? "ok" : "something is wrong: " + wrong) << '\n';
  if (!impossible.empty()) out << "Not possible here: " << impossible << '\n';
  if (!json_path.empty() && json_path != "-")
    out << "The file to send: " << json_path
        << " (no names of people or machines; docs/drivers.md says what is in it)\n";
}

}  // namespace duoblas::cli::selftest
