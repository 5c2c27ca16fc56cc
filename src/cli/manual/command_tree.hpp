// The command as plain values, read from CLI11's own tree: man pages and completion are made from
// these, so that they cannot differ from what is parsed.
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

}  // namespace duoblas::cli
