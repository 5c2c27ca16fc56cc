// Man pages in roff's `man` macros.
#pragma once

#include <string>

#include "cli/manual/command_tree.hpp"

namespace duoblas::cli {

/// Section 1, of a command and what lies two levels below it. `version` is the library's.
std::string man_page(const CommandEntry& command, const CommandEntry& root,
                     const std::string& version);

/// "duoblas-tune" of "duoblas tune": the page's name, without ".1".
std::string man_page_name(const CommandEntry& command);

}  // namespace duoblas::cli
