// What the programs of this folder have in common: options, cases, turns, a table.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "problem/level3_problem.hpp"

namespace duoblas {

/// "--name value": options that all have a value, by their names with the dashes; and one word
/// without, if wanted.
class NamedOptions {
 public:
  using Defaults = std::map<std::string, std::string>;
  /// \param defaults     every option that there is.
  /// \param wanted_word  what the word that is no option stands for; empty: there is none.
  explicit NamedOptions(Defaults defaults, std::string wanted_word = "")
      : texts_(std::move(defaults)), wanted_word_(std::move(wanted_word)) {}

  /// \throws SettingError where an option is unknown or has no value, and where there are more
  /// words than wanted, or less.
  void parse(const std::vector<std::string>& words);

  const std::string& operator[](const std::string& name) const { return texts_.at(name); }
  bool is(const std::string& name, const std::string& text) const {
    return texts_.at(name) == text;
  }
  const std::string& word() const { return word_; }

  /// A whole number of at least `least`. \throws SettingError where that option is none.
  int whole(const std::string& name, int least = 1) const;
  /// \throws SettingError where that option is no number above 0.
  double positive(const std::string& name) const;
  /// The words between its commas.
  std::vector<std::string> list(const std::string& name) const;

 private:
  Defaults texts_;
  std::string wanted_word_, word_;
};

/// The words between the separators.
std::vector<std::string> list_items(const std::string& list, char separator = ',');

/// "s", "d", "c" or "z". \throws SettingError.
Precision precision_named(const std::string& letter);
/// "nn", "tc" and so on. \throws SettingError.
std::pair<Op, Op> ops_named(const std::string& letters);
/// "symm", "hemm" and so on. \throws SettingError.
Routine routine_named(const std::string& name);

/// One thing that a program measures.
struct BenchCase {
  std::string name;   ///< the program's first word; empty: the program has one case
  std::string usage;  ///< what the options mean
  NamedOptions options;
  std::function<int(const NamedOptions&)> run;  ///< \returns the exit code
};

/// main() of a program: finds the case, answers --help, parses, runs.
/// \returns 2 where the words are wrong, 1 where something else is, both said behind the name of
/// the program.
int bench_main(const std::string& program, const std::vector<BenchCase>& cases, int argc,
               char** argv);

/// Columns of text, whose rows are printed as they are measured.
class Table {
 public:
  /// Titles and widths; of more than 0 flush right, below 0 flush left. Prints the titles.
  explicit Table(std::vector<std::pair<std::string, int>> columns);
  /// No more cells than columns. Longer cells push what follows to the right.
  void row(const std::vector<std::string>& cells) const;

 private:
  std::vector<std::pair<std::string, int>> columns_;
};

/// A number with so many decimals; "-" where it is not finite.
std::string fixed(double value, int decimals);

/// One of those that take turns. Seconds of a call; it may throw DeviceError.
struct Contender {
  std::string name;
  std::function<double()> seconds;
};

/// Its times.
struct Taken {
  double median = 0, q1 = 0, q3 = 0;
  /// Median over the rounds of its time over the first one's: drift of the clock affects neither.
  double ratio = 0;
  std::string problem;  ///< why there is no time; empty: there is one
};

struct TurnRules {
  int least = 3, most = 1000;  ///< rounds
  double seconds = 1e9;        ///< no new round after them, once there are `least`
};

/// Waits until no kernel is built in the background. True: none was.
bool nothing_was_built();

/// Each once a round, in an order that changes. Nothing counts of two rounds before, nor of
/// those beside which kernels were built in the background, twenty at most: calls are the CPU's
/// then, and slow beside a compiler.
std::vector<Taken> in_turns(const std::vector<Contender>& ways, const TurnRules& rules);

}  // namespace duoblas
