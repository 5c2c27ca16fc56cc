// What earlier runs of a program had for the device, and what starts cost here, for later
// processes.
#pragma once

#include <optional>
#include <string>

#include <duoblas/settings.hpp>

#include "planner/start_account.hpp"

namespace duoblas {

/// Small files of DUOBLAS_CACHE_DIR. Their names and contents hold hashes and sums of seconds, none
/// of a program's arguments. Nothing is stored where a file cannot be written.
class ProgramHistory {
 public:
  explicit ProgramHistory(const Settings& settings);

  /// Of a run on this machine, tuned as it is, with the same executable, directory and arguments;
  /// else of the last one with the same executable and script. Nothing: there was none.
  std::optional<ProgramWork> known() const;
  void remember(const ProgramWork& work) const;

  /// All programs' on this machine.
  struct Starts {
    StartLedger ledger;
    StartCost cost;
  };
  Starts starts() const;
  void remember(const Starts& starts) const;

 private:
  std::string folder_, program_, script_, machine_;
};

}  // namespace duoblas
