// What the soak is asked for on its command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "soak/soak_call.hpp"

namespace duoblas::soak {

struct SoakOptions {
  std::uint64_t calls = 20000;
  double seconds = 0;             ///< 0: no end but that of the calls
  std::uint64_t least_calls = 1;  ///< before the time ends it
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> only;  ///< --call: this one, and those that are made beside it
  std::uint64_t first = 0;
  int threads = 1;
  bool forks = false;
  double least_device_share = 0;  ///< of the flops
  int deadline = 300;             ///< seconds for one call
  CallLimits limits;
};

std::string usage();
/// \throws duoblas::Error that says what is wrong.
SoakOptions parse(int count, char** arguments);

/// The command that makes this one call again.
std::string command_for(const SoakOptions& options, std::uint64_t call);

}  // namespace duoblas::soak
