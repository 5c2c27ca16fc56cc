#include "cli/bench/report_page.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "cli/bench/comparison_charts.hpp"
#include "cli/bench/machine_text.hpp"
#include "cli/bench/strategy_table.hpp"
#include "cli/text_table.hpp"
#include "plot/chart_svg.hpp"
#include "plot/printable_text.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kStyle =
    ":root { color-scheme: light dark; --line: #8886; --soft: #8882; }\n"
    "body { font: 15px/1.45 system-ui, sans-serif; max-width: 1000px; margin: 2em auto;\n"
    "  padding: 0 1em; color: #222; background: #fff; }\n"
    "h1 { font-size: 1.6em; }\nh2 { font-size: 1.25em; margin-top: 2em; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; margin: 1.2em 0 0.4em; }\n"
    "caption { text-align: left; font-weight: bold; padding-bottom: 0.3em; }\n"
    "th, td { padding: 0.2em 0.8em 0.2em 0; text-align: left; vertical-align: top;\n"
    "  border-bottom: 1px solid var(--line); }\n"
    ".number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    ".note { margin: 0.2em 0; font-size: 0.9em; opacity: 0.85; }\n"
    ".warning { border-left: 4px solid #D55E00; padding: 0.4em 0.8em; background: var(--soft); }\n"
    "figure { margin: 1.5em 0; }\n"
    "svg { display: block; width: 100%; max-width: 1000px; }\n"
    "@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #16181c; } }\n"
    "@media print { figure, table { break-inside: avoid; } }\n";

std::string section(const std::string& id, const std::string& title, const std::string& content) {
  return content.empty()
             ? ""
             : "<section id=\"" + id + "\">\n<h2>" + title + "</h2>\n" + content + "</section>\n";
}

std::string notes(const std::vector<std::string>& lines) {
  std::string html;
  for (const std::string& line : lines) html += "<p class=\"note\">" + html_text(line) + "</p>\n";
  return html;
}

std::string cell(const char* element, const TextTable::Column& column, const std::string& text) {
  const std::string name = element;
  const std::string scope = name == "th" ? " scope=\"col\"" : "";
  const std::string align = column.align == TextTable::Align::right ? " class=\"number\"" : "";
  return "<" + name + scope + align + ">" + html_text(text) + "</" + name + ">";
}

// A table with its title as caption, and its notes below.
std::string html_table(const StrategyTable& table) {
  std::string html =
      "<div class=\"wide\"><table>\n<caption>" + html_text(table.title) + "</caption>\n<thead><tr>";
  for (const TextTable::Column& column : table.columns) html += cell("th", column, column.title);
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += cell("td", table.columns[i], row[i]);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n" + notes(table.notes);
}

std::string machine_html(const BenchMachine& machine) {
  std::string html = "<div class=\"wide\"><table>\n<tbody>\n";
  for (const auto& [name, value] : machine_rows(machine))
    html += "<tr><th scope=\"row\">" + html_text(name) + "</th><td>" + html_text(value) +
            "</td></tr>\n";
  return html + "</tbody>\n</table></div>\n";
}

// The hybrid at the largest product of each kind: what the page is opened for.
std::string in_short(const BenchRecord& record) {
  std::string html;
  for (const SplitCurve& curve : record.splits) {
    for (const ComparisonRow& row : record.rows) {
      const ComparisonProblem& p = curve.problem;
      if (row.strategy != "hybrid" || problem_text(row) != problem_text(p) || !(row.speedup > 0))
        continue;
      html += "<p>" + html_text(problem_text(row)) + ": both sides together reach <strong>" +
              fixed(rate_of(row), 1) + " " + rate_unit(row) + "</strong>, " +
              fixed(row.speedup, 2) + " times the better side alone.</p>\n";
    }
  }
  return html;
}

std::string tables(const BenchRecord& record) {
  std::string html;
  for (const ProblemRows& rows : by_problem(record.rows))
    for (const StrategyTable& table : problem_tables(record, rows)) html += html_table(table);
  return html;
}

std::string charts(const BenchRecord& record) {
  std::string html;
  for (const Chart& chart : comparison_charts(record))
    html += "<figure>\n" + chart_svg(chart) + "</figure>\n";
  return html;
}

}  // namespace

std::string report_page(const BenchRecord& record) {
  const BenchMachine machine = machine_of(record.context);
  const bool standin = is_standin(record);
  const std::string name = machine.device.empty() ? machine.cpu_model : machine.device;
  const std::string warning =
      standin ? "<p class=\"warning\">Stand-in: there is no GPU in these numbers. PoCL on half of "
                "the cores plays the GPU.</p>\n"
              : "";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<title>DuoBLAS on " +
         html_text(name) + "</title>\n<style>\n" + kStyle + chart_style() + chart_style_on_dark() +
         "</style>\n</head>\n<body>\n<h1>Matrix products on the CPU and the GPU at once</h1>\n" +
         warning + in_short(record) + section("machine", "The machine", machine_html(machine)) +
         section("charts", "Charts", charts(record)) +
         section("tables", "The strategies, side by side", tables(record) + notes(legend(record))) +
         "</body>\n</html>\n";
}

}  // namespace duoblas::cli
