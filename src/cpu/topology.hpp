// The processor as hwloc describes it: for `duoblas devices`, the key of profiles and the choice of
// cores.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace duoblas {

/// Cores of one speed, on chips that mix several.
struct CoreKind {
  /// "IntelAtom", "IntelCore", ...; empty if the system has no name for them
  std::string name;
  int efficiency = 0;      ///< rank: the higher, the faster
  std::vector<int> cores;  ///< OS indices of its hardware threads
};

struct Topology {
  std::string cpu_model;  ///< as the processor calls itself; never empty
  int packages = 1;
  int cores = 1;
  int hardware_threads = 1;
  std::int64_t l1_bytes = 0;  ///< data cache of one core; 0 where unknown, as below
  std::int64_t l2_bytes = 0;
  std::int64_t l3_bytes = 0;    ///< one cache, not the sum
  std::vector<CoreKind> kinds;  ///< empty where all cores are alike
  /// OS indices of the hardware threads of each core, ascending; empty where unknown.
  std::vector<std::vector<int>> siblings;
};

/// Whether cores of different speeds are among these: equal shares of work would wait for the
/// slowest.
bool have_different_speeds(const std::vector<int>& cores, const Topology& topology);

/// What the text of /proc/cpuinfo calls the processor, all its kinds of cores.
std::string cpu_model(std::istream& cpuinfo);

/// Discovered at the first call, then remembered. Never throws but std::bad_alloc.
const Topology& topology();

}  // namespace duoblas
