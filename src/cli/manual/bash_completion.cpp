// Completion for bash, made from the command's own tree.
#include "cli/manual/command_tree.hpp"

#include <string>
#include <vector>

#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

// What bash runs before the tables: it finds the subcommand that the words so far have named, and
// what stands before the word under the cursor. bash cuts "--option=value" at the "=".
constexpr const char* kHead = R"(# bash completion of duoblas; made by "duoblas completion bash".
_duoblas() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path=duoblas words i
  if [[ $word == "=" ]]; then
    word=
  elif [[ $before == "=" ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ $path == "duoblas run" && ${COMP_WORDS[i]} != -* ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    case "$path ${COMP_WORDS[i]}" in
)";

void add_paths(const CommandEntry& command, std::string& text) {
  for (const CommandEntry& sub : command.subcommands) {
    text += "      \"" + sub.name + "\") path=\"" + sub.name + "\" ;;\n";
    add_paths(sub, text);
  }
}

/// After an option that takes a value: its choices, files, or nothing.
void add_values(const CommandEntry& command, std::string& text) {
  for (const OptionEntry& option : command.options) {
    if (option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names)
      patterns.push_back("\"" + command.name + " " + name + "\"");
    text += "    " + joined(patterns, "|") + ")";
    if (!option.choices.empty())
      text += " COMPREPLY=($(compgen -W \"" + joined(option.choices, " ") + "\" -- \"$word\"));";
    else if (option.is_file())
      text += " compopt -o default 2>/dev/null;";
    text += " return ;;\n";
  }
  for (const CommandEntry& sub : command.subcommands) add_values(sub, text);
}

void add_words(const CommandEntry& command, std::string& text) {
  std::vector<std::string> words;
  bool takes_files = false;
  for (const CommandEntry& sub : command.subcommands) words.push_back(sub.last_name());
  for (const OptionEntry& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  for (const OptionEntry& positional : command.positionals) {
    words.insert(words.end(), positional.choices.begin(), positional.choices.end());
    takes_files = takes_files || positional.is_file();
  }
  text += "    \"" + command.name + "\") words=\"" + joined(words, " ") + "\"";
  if (takes_files) text += "; compopt -o default 2>/dev/null";
  if (command.takes_program)
    text += "; [[ $word == -* ]] || words+=\" $(compgen -c -- \"$word\")\"";
  text += " ;;\n";
  for (const CommandEntry& sub : command.subcommands) add_words(sub, text);
}

}  // namespace

std::string bash_completion(const CommandEntry& root) {
  std::string text = kHead;
  add_paths(root, text);
  text += "    esac\n  done\n  case \"$path $before\" in\n";
  add_values(root, text);
  text += "  esac\n  case \"$path\" in\n";
  add_words(root, text);
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -F _duoblas duoblas\n";
}

}  // namespace duoblas::cli
