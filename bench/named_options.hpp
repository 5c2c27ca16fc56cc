// "--name value" on a benchmark's command line.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "problem/level3_problem.hpp"

namespace duoblas {

/// Options that all have a value, by their names with the dashes; and one word without, if wanted.
class NamedOptions {
 public:
  /// \param defaults     every option that there is.
  /// \param wanted_word  what the word that is no option stands for; empty: there is none.
  explicit NamedOptions(std::map<std::string, std::string> defaults, std::string wanted_word = "")
      : texts_(std::move(defaults)), wanted_word_(std::move(wanted_word)) {}

  /// Takes what is given. \throws SettingError where an option is unknown or has no value, and
  /// where there are more words than wanted, or less.
  void parse(int argc, char** argv);

  const std::string& operator[](const std::string& name) const { return texts_.at(name); }
  const std::string& word() const { return word_; }

 private:
  std::map<std::string, std::string> texts_;
  std::string wanted_word_, word_;
};

/// A whole number above 0. \throws SettingError where that option is none.
int positive(const NamedOptions& options, const std::string& name);

/// main() of a benchmark: answers --help with `usage`, parses, runs.
/// \returns run's exit code; 2 where the options are wrong, 1 where something else is, both said
/// behind the name of the program.
int benchmark_main(const std::string& program, const char* usage, NamedOptions options, int argc,
                   char** argv, const std::function<int(const NamedOptions&)>& run);

/// The words between the commas.
std::vector<std::string> list_items(const std::string& list);

/// "s", "d", "c" or "z". \throws SettingError.
Precision precision_named(const std::string& letter);

/// "symm", "hemm" and so on. \throws SettingError.
Routine routine_named(const std::string& name);

}  // namespace duoblas
