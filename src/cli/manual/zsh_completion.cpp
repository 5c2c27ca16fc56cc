// Completion for zsh, made from the command's own tree.
#include "cli/manual/command_tree.hpp"

#include <string>

#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

/// Inside '...' and inside [...] of an argument specification.
std::string zsh_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string value_of(const OptionEntry& option) {
  std::string text = ":" + zsh_escaped(option.value) + ":";
  if (!option.choices.empty()) return text + "(" + joined(option.choices, " ") + ")";
  return option.is_file() ? text + "_files" : text + " ";
}

void add_option(const OptionEntry& option, std::string& text) {
  for (const std::string& name : option.names) {
    text += " \\\n    '";
    if (option.repeatable) text += "*";
    text += name;
    // "--option value" and "--option=value" are both taken.
    if (!option.value.empty() && name.rfind("--", 0) == 0) text += "=";
    text += "[" + zsh_escaped(option.description) + "]";
    if (!option.value.empty()) text += value_of(option);
    text += "'";
  }
}

std::string function_of(const CommandEntry& command) {
  std::string name = "_" + command.name;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
}

void add_function(const CommandEntry& command, std::string& text) {
  for (const CommandEntry& sub : command.subcommands) add_function(sub, text);
  text += function_of(command) + "() {\n";
  const bool has_subcommands = !command.subcommands.empty();
  if (has_subcommands) text += "  local context state state_descr line\n  typeset -A opt_args\n";
  text += has_subcommands ? "  _arguments -C" : "  _arguments";
  for (const OptionEntry& option : command.options) add_option(option, text);
  for (const OptionEntry& positional : command.positionals)
    text +=
        " \\\n    '" + std::string(positional.repeatable ? "*" : "") + value_of(positional) + "'";
  if (command.takes_program)
    text += " \\\n    '(-)1:program:_command_names -e' '*::arguments:_normal'";
  if (!has_subcommands) {
    text += "\n}\n\n";
    return;
  }
  text +=
      " \\\n    '1:command:->command' '*::arguments:->arguments'\n  case $state in\n    command)\n";
  text += "      local -a commands\n      commands=(\n";
  for (const CommandEntry& sub : command.subcommands)
    text += "        '" + sub.last_name() + ":" + zsh_escaped(sub.description) + "'\n";
  text += "      )\n      _describe -t commands command commands ;;\n    arguments)\n";
  text += "      case $line[1] in\n";
  for (const CommandEntry& sub : command.subcommands)
    text += "        " + sub.last_name() + ") " + function_of(sub) + " ;;\n";
  text += "      esac ;;\n  esac\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandEntry& root) {
  std::string text = "#compdef duoblas\n# zsh completion; made by \"duoblas completion zsh\".\n\n";
  add_function(root, text);
  // Loaded by name from a folder of $fpath, or read by `source`.
  return text +
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
         "  _duoblas \"$@\"\n"
         "else\n"
         "  compdef _duoblas duoblas\n"
         "fi\n";
}

}  // namespace duoblas::cli
