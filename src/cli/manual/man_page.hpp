// Man pages in roff's `man` macros.
#pragma once

#include <string>

#include "cli/manual/command_tree.hpp"

namespace duoblas::cli {

/// The page of a command for section 1, with its subcommands and theirs. `version` is the
/// library's.
std::string man_page(const CommandEntry& command, const CommandEntry& root,
                     const std::string& version);

/// "duoblas-tune" of "duoblas tune": the page's name, without ".1".
std::string man_page_name(const CommandEntry& command);

}  // namespace duoblas::cli
