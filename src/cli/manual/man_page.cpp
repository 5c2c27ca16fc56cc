// Man pages, made from the command's own tree.
#include "cli/manual/command_tree.hpp"

#include <cctype>
#include <sstream>
#include <vector>

#include "cli/manual/environment_entries.hpp"
#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

/// As text of a line: roff takes a backslash for its own, and a bare "-" for a hyphen that no
/// search or copy finds again.
std::string troff_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

/// A line of text that begins with "." or "'" would be a request.
std::string line_of(const std::string& text) {
  const bool is_request = !text.empty() && (text.front() == '.' || text.front() == '\'');
  return (is_request ? "\\&" : "") + troff_escaped(text) + "\n";
}

std::string bold(const std::string& text) {
  return "\\fB" + troff_escaped(text) + "\\fR";
}
std::string italic(const std::string& text) {
  return "\\fI" + troff_escaped(text) + "\\fR";
}

std::string tag_of(const OptionEntry& option, bool positional) {
  std::string tag;
  for (const std::string& name : option.names)
    tag += (tag.empty() ? "" : ", ") + (positional ? italic(name) : bold(name));
  if (!option.value.empty()) tag += " " + italic(option.value);
  return ".TP\n" + tag + "\n";
}

std::string text_of(const OptionEntry& option) {
  std::string text = option.description + ".";
  if (!option.choices.empty()) text += " One of " + joined(option.choices, ", ") + ".";
  if (!option.limits.empty()) text += " " + option.limits + ".";
  if (!option.standard.empty()) text += " Default: " + option.standard + ".";
  const bool says_so = option.description.find("repeatable") != std::string::npos;
  if (option.repeatable && !says_so) text += " May be repeated.";
  return line_of(text);
}

std::string options_of(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& option : command.positionals)
    text += tag_of(option, true) + text_of(option);
  for (const OptionEntry& option : command.options) text += tag_of(option, false) + text_of(option);
  return text;
}

std::string synopsis_of(const CommandEntry& command) {
  std::string text = bold(command.name) + " [" + italic("OPTION") + "]...";
  for (const OptionEntry& option : command.positionals) {
    const std::string name = italic(option.value.empty() ? option.names.front() : option.value);
    text += option.required ? " " + name : " [" + name + "]";
  }
  if (!command.subcommands.empty()) text += " [" + italic("SUBCOMMAND") + " ...]";
  if (command.takes_program)
    text += " [" + bold("--") + "] " + italic("PROGRAM") + " [" + italic("ARGUMENT") + "]...";
  return text + "\n";
}

/// Examples and tables: as they are.
std::string verbatim(const std::string& text) {
  std::istringstream lines(text);
  std::string result = ".nf\n";
  for (std::string line; std::getline(lines, line);)
    result += line.empty() ? ".sp\n" : line_of(line);
  return result + ".fi\n";
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string environment() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const VariableEntry& variable : environment_entries)
    text += ".TP\n" + bold(variable.name) + "\n" + line_of(std::string(variable.meaning) + ".");
  return text;
}

std::string see_also(const CommandEntry& command, const CommandEntry& root) {
  std::string text;
  const auto add = [&](const CommandEntry& other) {
    if (other.name == command.name) return;
    text += (text.empty() ? "" : ", ") + bold(man_page_name(other)) + "(1)";
  };
  add(root);
  for (const CommandEntry& other : root.subcommands) add(other);
  return ".SH SEE ALSO\n" + text + "\n";
}

}  // namespace

std::string man_page_name(const CommandEntry& command) {
  std::string name = command.name;
  for (char& c : name)
    if (c == ' ') c = '-';
  return name;
}

std::string man_page(const CommandEntry& command, const CommandEntry& root,
                     const std::string& version) {
  const std::string name = man_page_name(command);
  std::string page = ".TH " + troff_escaped(upper(name)) + " 1 \"\" \"DuoBLAS " + version +
                     "\" \"User Commands\"\n";
  page += ".SH NAME\n" + troff_escaped(name) + " \\- " + troff_escaped(command.description) + "\n";
  page += ".SH SYNOPSIS\n" + synopsis_of(command);
  page += ".SH OPTIONS\n" + options_of(command);
  if (!command.subcommands.empty()) page += ".SH COMMANDS\n";
  for (const CommandEntry& sub : command.subcommands) {
    if (&command == &root) {  // each has a page
      page += ".TP\n" + bold(sub.name) + "\n" + line_of(sub.description + ".");
      continue;
    }
    page += ".SS " + troff_escaped(sub.last_name()) + "\n" + line_of(sub.description + ".");
    page += ".PP\n" + synopsis_of(sub) + options_of(sub);
    if (!sub.notes.empty()) page += ".PP\n" + verbatim(sub.notes);
  }
  if (!command.notes.empty()) page += ".SH NOTES\n" + verbatim(command.notes);
  if (&command == &root) page += environment();
  return page + see_also(command, root);
}

}  // namespace duoblas::cli
