// Completion scripts: what a shell may offer at each place of a command line.
#pragma once

#include <string>

#include "cli/manual/command_tree.hpp"

namespace duoblas::cli {

std::string bash_completion(const CommandEntry& root);
std::string zsh_completion(const CommandEntry& root);
std::string fish_completion(const CommandEntry& root);

}  // namespace duoblas::cli
