#include "os/other_programs.hpp"

#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "os/file_status.hpp"
#include "os/process.hpp"

namespace duoblas {

int become_program(char** program) noexcept {
  ::execvp(program[0], program);
  return errno;
}

std::string rights_given_by(const std::string& program) {
  const auto file = file_status(program);
  if (!file) return "";
  if (file->sets_user && file->user != effective_user()) return "set-user-ID";
  if (file->sets_group && file->group != effective_group()) return "set-group-ID";
  const bool has_more = effective_user() != root_user &&
                        ::getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
  return has_more ? "given capabilities" : "";
}

}  // namespace duoblas
