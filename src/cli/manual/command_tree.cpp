#include "cli/manual/command_tree.hpp"
#include <CLI/CLI.hpp>
#include <sstream>

#include "cli/subcommands.hpp"

namespace duoblas::cli {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// CLI11 writes a value's name and its check as "NAME:{gemm,gemv}" or "NUMBER:INT in [1 - 9]".
void read_value(const std::string& type, OptionEntry& entry) {
  const auto colon = type.find(':');
  entry.value = type.substr(0, colon);
  if (colon == std::string::npos) return;
  const std::string check = type.substr(colon + 1);
  if (check.size() > 2 && check.front() == '{' && check.back() == '}')
    entry.choices = split(check.substr(1, check.size() - 2), ',');
  else
    entry.limits = check;
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  if (option.get_positional()) {
    entry.names = {option.get_name(true, false)};
  } else {
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  }
  if (option.get_type_size_max() != 0) read_value(option.get_type_name(), entry);
  entry.standard = option.get_default_str();
  entry.description = option.get_description();
  entry.required = option.get_required();
  entry.repeatable = option.get_expected_max() > 1;
  return entry;
}

CommandEntry entry_of(const CLI::App& app, const std::string& above,
                      const std::string& footer_above) {
  CommandEntry entry;
  entry.name = above.empty() ? "duoblas" : above + " " + app.get_name();
  entry.description = app.get_description();
  entry.takes_program = entry.name == "duoblas run";
  const std::string footer = app.get_footer();
  if (footer != footer_above) entry.notes = footer;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // not for users
    (option->get_positional() ? entry.positionals : entry.options).push_back(entry_of(*option));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    entry.subcommands.push_back(entry_of(*sub, entry.name, footer));
  return entry;
}

}  // namespace

bool OptionEntry::is_file() const {
  return value == "FILE" || value == "FILE.html" || value == "[NAME] FILE";
}

std::string CommandEntry::last_name() const {
  const auto space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

CommandEntry command_tree(const CLI::App& app) {
  return entry_of(app, "", "");
}

}  // namespace duoblas::cli
