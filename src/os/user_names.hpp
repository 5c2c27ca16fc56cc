// Names of users and groups.
#pragma once

#include <string>

namespace duoblas {

struct UserEntry {
  std::string name, home;  ///< empty: not known
};
/// Of the user who started this process.
UserEntry this_user();

/// Its number where it has no name.
std::string group_name(unsigned group);

}  // namespace duoblas
