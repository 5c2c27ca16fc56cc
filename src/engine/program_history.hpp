// What earlier runs of a program had for the device, what all of a user's programs had, and what
// outlays cost here, for later processes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

#include "engine/history_file.hpp"
#include "planner/account.hpp"
#include "planner/user_ledger.hpp"
#include "problem/call_numbers.hpp"

namespace duoblas {

/// A call of a program, and its class, as accounts number it.
struct KnownCall {
  std::uint32_t of_class = 0;
  CallNumbers numbers;
};

/// Hashes, sums of seconds and sizes of calls, none of a program's arguments.
class ProgramHistory {
 public:
  explicit ProgramHistory(const Settings& settings);

  /// Of a run on this machine, tuned as it is, with the same executable, directory and arguments.
  /// Else of the last one with the same executable and script, if a start that costs `start` would
  /// have paid: with other arguments it may be another program. Nothing: there was none.
  std::optional<ProgramWork> known(double start) const;
  /// Calls of such a run, if it had the same arguments.
  std::vector<CallNumbers> calls() const;
  /// Of the calls those are kept whose class is.
  void remember(const ProgramWork& work, const std::vector<KnownCall>& calls = {},
                HistoryFile::Wait most_wait = HistoryFile::at_end) const;

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
