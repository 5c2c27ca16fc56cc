// duoblas selftest: does this machine's driver do what the library relies on? One file to send.
#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/json_file.hpp"
#include "cli/selftest/report.hpp"
#include "cli/selftest/section_process.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kSelftestFooter =
    "Each section runs in a process of its own, so that a driver that crashes or hangs is "
    "reported.\n"
    "Exit code 0: all is right, or not possible here; 1: something is wrong.\n"
    "\n"
    "Examples:\n"
    "  duoblas selftest --json selftest.json          two minutes, and the file to send\n"
    "  duoblas selftest --quick                       ten seconds\n"
    "  DUOBLAS_DEVICE=1 duoblas selftest              of device 1\n"
    "  DUOBLAS_STANDIN=1 duoblas selftest --quick     no GPU: PoCL stands in for one";

struct SelftestOptions {
  std::string json;
  std::vector<std::string> only;
  selftest::SectionOptions sections;
};

// The sections that were asked for; all if none was. "kernels" means those of every element type.
std::vector<selftest::Section> chosen(const std::vector<std::string>& only) {
  std::vector<selftest::Section> found;
  std::vector<std::string> names;
  std::vector<bool> used(only.size());
  for (const selftest::Section& section : selftest::sections()) {
    names.emplace_back(section.name);
    bool wanted = only.empty();
    for (std::size_t i = 0; i < only.size(); ++i) {
      if (section.name != only[i] && !section.name.starts_with(only[i] + " ")) continue;
      wanted = used[i] = true;
    }
    if (wanted) found.push_back(section);
  }
  for (std::size_t i = 0; i < only.size(); ++i)
    if (!used[i]) throw UsageError("--only \"" + only[i] + "\": the sections are " + joined(names));
  return found;
}

int run(const SelftestOptions& options) {
  const std::vector<selftest::Section> sections = chosen(options.only);
  if (!(options.sections.step_seconds > 0) || !std::isfinite(options.sections.step_seconds))
    throw UsageError("--step-seconds must be positive");
  settings_from_environment();  // what is wrong there is told once, and not by each section
  require_writable_file(options.json);
  const selftest::Owner owner = selftest::this_owner();
  std::ostream& out = options.json == "-" ? std::cerr : std::cout;
  const Stopwatch watch;
  selftest::SelftestReport report;
  report.quick = options.sections.quick;
  report.date = utc_now();
  for (const selftest::Section& section : sections) {
    const std::string before = report.sections.empty() ? "" : report.sections.back().summary();
    report.sections.push_back(selftest::run_in_child(section, options.sections));
    print(report.sections.back(), owner, out, before);
  }
  report.seconds = watch.seconds();
  print_verdict(report, options.json, out);
  if (!options.json.empty()) write_json(options.json, to_json(report, owner));
  return report.right() ? done : failed;
}

}  // namespace

void add_selftest(CLI::App& app, int& code) {
  auto options = std::make_shared<SelftestOptions>();
  CLI::App* command = app.add_subcommand(
      "selftest", "Test this machine's driver: results, memory, overlap, times; a file to send");
  add_value(*command, "--json", options->json, "FILE",
            "Write what was found to this file (- for stdout)");
  command->add_flag("--quick", options->sections.quick, "Ten seconds instead of two minutes");
  add_value(*command, "--only", options->only, "SECTION",
            "These sections, e.g. --only kernels --only sharing");
  add_value(*command, "--step-seconds", options->sections.step_seconds, "SECONDS",
            "After so many seconds without news a step counts as hung (20)");
  command->footer(kSelftestFooter);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace duoblas::cli
