// A locale of the C library that the test makes: hardly a machine of a CI has it.
#pragma once

#include <clocale>
#include <cstdlib>
#include <string>

#include "support/temporary_directory.hpp"

namespace duoblas::test {

/// The process's locale for its lifetime, as after a program's setlocale(LC_ALL, ""). Where the
/// machine cannot make it (with localedef), the C locale stays.
class MadeLocale {
 public:
  /// `name` without its encoding, which is UTF-8: "de_DE".
  explicit MadeLocale(const std::string& name) {
    const std::string locale = name + ".UTF-8";
    const std::string command =
        "localedef -i " + name + " -f UTF-8 '" + (folder_ / locale.c_str()) + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0 && ::setenv("LOCPATH", folder_.path().c_str(), 1) == 0)
      std::setlocale(LC_ALL, locale.c_str());
  }
  ~MadeLocale() {
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
  }
  MadeLocale(const MadeLocale&) = delete;
  MadeLocale& operator=(const MadeLocale&) = delete;

 private:
  const TemporaryDirectory folder_;
};

}  // namespace duoblas::test
