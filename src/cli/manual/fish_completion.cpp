// Completion for fish, made from the command's own tree.
#include "cli/manual/command_tree.hpp"

#include <string>
#include <vector>

#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

/// True at places that belong to this command and to none below it.
std::string condition_of(const CommandEntry& command) {
  std::string text;
  std::string::size_type begin = command.name.find(' ');
  while (begin != std::string::npos) {
    const auto end = command.name.find(' ', begin + 1);
    text += (text.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from") +
            command.name.substr(begin, end == std::string::npos ? end : end - begin);
    begin = end;
  }
  if (!command.subcommands.empty()) {
    std::vector<std::string> below;
    for (const CommandEntry& sub : command.subcommands) below.push_back(sub.last_name());
    text += (text.empty() ? "not" : "; and not") + std::string(" __fish_seen_subcommand_from ") +
            joined(below, " ");
  }
  return in_quotes(text);
}

void add_option(const OptionEntry& option, const std::string& begin, std::string& text) {
  text += begin;
  for (const std::string& name : option.names)
    text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) text += option.is_file() ? " -r -F" : " -x";
  if (!option.choices.empty()) text += " -a " + in_quotes(joined(option.choices, " "));
  text += " -d " + in_quotes(option.description) + "\n";
}

void add_command(const CommandEntry& command, std::string& text) {
  const std::string begin = "complete -c duoblas -n " + condition_of(command);
  for (const CommandEntry& sub : command.subcommands)
    text += begin + " -a " + sub.last_name() + " -d " + in_quotes(sub.description) + "\n";
  for (const OptionEntry& option : command.options) add_option(option, begin, text);
  for (const OptionEntry& positional : command.positionals) {
    if (positional.is_file()) text += begin + " -F\n";
    if (!positional.choices.empty())
      text += begin + " -a " + in_quotes(joined(positional.choices, " ")) + "\n";
  }
  if (command.takes_program) text += begin + " -a '(__fish_complete_subcommand --fcs-skip=2)'\n";
  for (const CommandEntry& sub : command.subcommands) add_command(sub, text);
}

}  // namespace

std::string fish_completion(const CommandEntry& root) {
  std::string text =
      "# fish completion of duoblas; made by \"duoblas completion fish\".\n"
      "complete -c duoblas -f\n";
  add_command(root, text);
  return text;
}

}  // namespace duoblas::cli
