// The command as plain values, read from CLI11's own tree, and what is made from these: man pages
// and completion, which so cannot differ from what is parsed.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace duoblas::cli {

struct OptionEntry {
  std::vector<std::string> names;    ///< "-h", "--help"; of a positional its one name
  std::string value;                 ///< what follows, such as "SECONDS"; empty of a flag
  std::vector<std::string> choices;  ///< the only values, where they are few
  std::string limits;                ///< else what a value must meet, e.g. "INT in [1 - 10]"
  std::string standard;              ///< the value unless given
  std::string description;
  bool required = false;
  bool repeatable = false;  ///< may be given more than once

  bool is_file() const;
};

struct CommandEntry {
  std::string name;  ///< with those above it: "duoblas profile list"
  std::string description;
  std::string notes;  ///< what --help prints below the options; empty where it is the parent's
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> positionals;
  std::vector<CommandEntry> subcommands;
  bool takes_program = false;  ///< a program and its arguments come last (duoblas run)

  /// "list" of "duoblas profile list".
  std::string last_name() const;
};

/// The whole tree below `app`, itself included.
CommandEntry command_tree(const CLI::App& app);

/// The page of a command for section 1 in roff's `man` macros, with its subcommands and theirs.
/// `version` is the library's.
std::string man_page(const CommandEntry& command, const CommandEntry& root,
                     const std::string& version);

/// "duoblas-tune" of "duoblas tune": the page's name, without ".1".
std::string man_page_name(const CommandEntry& command);

/// Completion scripts: what a shell may offer at each place of a command line.
std::string bash_completion(const CommandEntry& root);
std::string zsh_completion(const CommandEntry& root);

}  // namespace duoblas::cli
