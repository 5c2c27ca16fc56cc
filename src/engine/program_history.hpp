// What earlier runs of a program had for the device, and what starts cost here, for later
// processes.
#pragma once

#include <optional>
#include <string>

#include <duoblas/settings.hpp>

#include "engine/history_file.hpp"
#include "planner/start_account.hpp"

namespace duoblas {

/// Hashes and sums of seconds, none of a program's arguments.
class ProgramHistory {
 public:
  explicit ProgramHistory(const Settings& settings);

  /// Of a run on this machine, tuned as it is, with the same executable, directory and arguments.
  /// Else of the last one with the same executable and script, if a start that costs `cost` would
  /// have paid: with other arguments it may be another program. Nothing: there was none.
  std::optional<ProgramWork> known(const StartCost& cost) const;
  void remember(const ProgramWork& work) const;

  /// All programs' on this machine.
  struct Starts {
    StartLedger ledger;
    StartCost cost;
  };
  Starts starts() const;
  void remember(const Starts& starts) const;

 private:
  HistoryFile file_;
  std::string program_, script_, machine_;
};

}  // namespace duoblas
