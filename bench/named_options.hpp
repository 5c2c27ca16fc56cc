// "--name value" on a benchmark's command line.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace duoblas {

/// Options that all have a value, by their names with the dashes.
class NamedOptions {
 public:
  /// \param defaults  every option that there is.
  explicit NamedOptions(std::map<std::string, std::string> defaults)
      : texts_(std::move(defaults)) {}

  /// Takes the values given. \returns the one word that is no option, empty where there is none.
  /// \throws SettingError where an option is unknown or has no value, and at a second such word.
  std::string parse(int argc, char** argv);

  const std::string& operator[](const std::string& name) const { return texts_.at(name); }

 private:
  std::map<std::string, std::string> texts_;
};

/// main() of a benchmark that takes options alone: answers --help with `usage`, parses, runs.
/// \returns run's exit code; 2 where the options are wrong, 1 where something else is, both said
/// behind the name of the program.
int benchmark_main(const std::string& program, const char* usage, NamedOptions options, int argc,
                   char** argv, const std::function<int(const NamedOptions&)>& run);

/// The words between the commas.
std::vector<std::string> list_items(const std::string& list);

}  // namespace duoblas
