#include "os/user_names.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace duoblas {

UserEntry this_user() {
  const passwd* const entry = ::getpwuid(::getuid());
  return entry == nullptr ? UserEntry{} : UserEntry{entry->pw_name, entry->pw_dir};
}

std::string group_name(unsigned group) {
  const ::group* const found = ::getgrgid(group);
  return found != nullptr ? found->gr_name : std::to_string(group);
}

}  // namespace duoblas
