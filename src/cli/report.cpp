// duoblas report: the comparison as one page for a browser.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/bench/measurement.hpp"
#include "cli/bench/record.hpp"
#include "cli/bench/report_page.hpp"
#include "cli/json_file.hpp"
#include "cli/subcommands.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kReportFooter =
    "Examples:\n"
    "  duoblas report a.html                   measures 256 to 2048, and makes the page\n"
    "  duoblas report a.html --quick           in half a minute, with smaller products\n"
    "  duoblas report a.html --power           with watts and joules\n"
    "  duoblas report a.html --from a.json     from a file of \"duoblas bench --splits --json\"\n"
    "\n"
    "The page holds the machine, the tables of the strategies and their charts. It needs no "
    "network\n"
    "and no other file, and follows the browser's choice of a light or a dark screen.";

struct ReportOptions {
  MeasurementOptions measurement;
  std::string page;
  std::string from;
  std::string json;
  bool quick = false;
};

BenchRequest request_of(ReportOptions options) {
  std::vector<Shape> shapes = {{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}};
  if (options.quick) {
    options.measurement.comparison.rounds = 5;
    options.measurement.comparison.seconds_per_problem = 2;
    shapes.insert(shapes.begin(), {128, 128, 128});
  } else {
    shapes.push_back({2048, 2048, 2048});
  }
  options.measurement.splits = true;
  BenchRequest request = request_of(options.measurement, shapes);
  if (options.quick) request.split_rules.parts = 8;
  return request;
}

BenchRecord measured_now(const BenchRequest& request) {
  Engine engine(settings_from_environment());
  std::size_t count = 0;
  return measure(engine, request, [&](const BenchRecord&, const ProblemRows& rows) {
    std::cout << ++count << " of " << request.problems.size() << ": " << problem_text(rows.front())
              << '\n'
              << std::flush;
  });
}

int run(const ReportOptions& options) {
  require_writable_file(options.page);
  require_writable_file(options.json);
  const BenchRecord record =
      options.from.empty() ? measured_now(request_of(options)) : read_record(options.from);
  if (!options.json.empty()) write_json(options.json, to_json(record));
  write_text(options.page, report_page(record));
  std::cout << "Page: " << options.page << '\n';
  if (options.from.empty()) require_right_results(record);
  return done;
}

}  // namespace

void add_report(CLI::App& app, int& code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "One page with the machine, the comparison and its charts");
  add_value(*command, "page", options->page, "FILE.html", "The page to write, e.g. report.html")
      ->required();
  add_measurement_options(*command, options->measurement, "256,512,1024,2048");
  CLI::Option* quick = command->add_flag(
      "--quick", options->quick,
      "Sizes 128 to 1024, five rounds within two seconds each; overrides --rounds and --seconds");
  CLI::Option* from =
      add_value(*command, "--from", options->from, "FILE",
                "Measure nothing: make the page from this file of \"duoblas bench --json\"")
          ->excludes(quick);
  exclude_measuring(*command, *from);
  add_value(*command, "--json", options->json, "FILE", "Write the numbers to this file too");
  command->footer(kReportFooter);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace duoblas::cli
