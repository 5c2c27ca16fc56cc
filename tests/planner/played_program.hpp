// Programs that are played on the clock of an account: their calls, what the device saves of them,
// how long it takes to be ready, and what kernels and first checks take.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "planner/account.hpp"
#include "planner/user_ledger.hpp"

namespace duoblas::test {

/// The device promises to save the part `gain` of the time of a call, `planned` of that once it is
/// open, and keeps a part of it; a pause comes before the call.
struct PlayedCall {
  double pause, seconds, gain;
  std::uint32_t of_class = 1;
  double kept = 1, planned = 1;
};
using Program = std::vector<PlayedCall>;

/// What outlays really take. Each class needs a kernel, which takes `build` seconds of the
/// program's time, lasts for later runs, and is there after `compiling` seconds, for which the
/// program's end waits; and a first check.
struct PlayedMachine {
  double until_ready = 0.5, build = 0, check = 0, compiling = 0;
  std::set<std::uint32_t> built = {}, checked = {};
  /// One of each class that the last run had, as its history holds them.
  std::vector<PlayedCall> calls = {};

  OutlayCosts costs() const { return {until_ready}; }
  double lost() const { return costs().start(); }
};

enum class Starts { never, at_once, by_account };

struct Played {
  double seconds = 0;  ///< of the whole program
  bool started = false, hoped = false;
  double spent = 0;
  Gains gains;
  std::vector<ClassGain> by_class;  ///< of the calls with the device
  ProgramWork work;
};

/// What is built and checked is so in later runs on this machine, and one call of each class is
/// known to them. When the device is open, what calls to come lack is judged. With Starts::at_once
/// all that a call needs is built and checked at once, too.
Played play(const Program& program, PlayedMachine& machine, Starts when,
            Account account = Account(), bool allowed = true);
/// The same on a machine that stays as it is.
inline Played play_apart(const Program& program, PlayedMachine machine, Starts when,
                         const Account& account = Account()) {
  return play(program, machine, when, account);
}

Program calls_of(double all, double each, double gain, double pause = 0,
                 std::uint32_t of_class = 1);

/// Programs of 0.1 to 20 s, of one or two kinds of calls, with pauses, for GPUs of 0.3 to 30 times
/// the CPU.
Program any_program(std::mt19937_64& random);
/// Of one to three phases of 0.1 to 5 s, each with one or two kinds of calls of its own.
Program any_phases(std::mt19937_64& random);
/// Starts of 5 ms to 1 s. `builds`: and kernels and checks that take something.
PlayedMachine any_machine(std::mt19937_64& random, bool builds = false);

/// Of calls, the longest: nobody decides in the middle of one.
double longest_call(const Program& program);

}  // namespace duoblas::test
