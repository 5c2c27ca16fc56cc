#include "cli/bench/html.hpp"

#include "plot/printable_text.hpp"

namespace duoblas::cli {
namespace {

std::string cell(const char* element, const TextTable::Column& column, const std::string& text) {
  const std::string name = element;
  const std::string scope = name == "th" ? " scope=\"col\"" : "";
  const std::string align = column.align == TextTable::Align::right ? " class=\"number\"" : "";
  return "<" + name + scope + align + ">" + html_text(text) + "</" + name + ">";
}

}  // namespace

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
  html += "</tbody>\n</table></div>\n";
  for (const std::string& note : table.notes)
    html += "<p class=\"note\">" + html_text(note) + "</p>\n";
  return html;
}

}  // namespace duoblas::cli
