// What earlier runs of a program had for the device, what all of a user's programs had, and what
// outlays cost here, for later processes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <duoblas/settings.hpp>

#include "engine/history_file.hpp"
#include "planner/account.hpp"
#include "planner/user_ledger.hpp"

namespace duoblas {

/// Hashes and sums of seconds, none of a program's arguments.
class ProgramHistory {
 public:
  explicit ProgramHistory(const Settings& settings);

  /// Of a run on this machine, tuned as it is, with the same executable, directory and arguments.
  /// Else of the last one with the same executable and script, if a start that costs `start` would
  /// have paid: with other arguments it may be another program. Nothing: there was none.
  std::optional<ProgramWork> known(double start) const;
  void remember(const ProgramWork& work, HistoryFile::Wait most_wait = HistoryFile::at_end) const;

  /// All programs' of this user on this machine.
  struct Sums {
    UserLedger ledger;
    OutlayCosts costs;
  };
  Sums sums() const;
  /// No other process does so meanwhile.
  void update(const std::function<void(Sums&)>& change,
              HistoryFile::Wait most_wait = HistoryFile::at_end) const;

 private:
  HistoryFile runs_, sums_;
  std::string program_, script_, machine_;
};

}  // namespace duoblas
