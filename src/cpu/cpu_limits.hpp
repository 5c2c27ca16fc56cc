// The limits of the CPU side: what the system and the user set for the process, and callers for a
// thread's calls. Nothing in the library exceeds them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "os/affinity.hpp"

namespace duoblas {

/// The cores and threads this process may use.
struct CpuLimits {
  std::vector<int> cores;  ///< OS indices: affinity mask, reduced by DUOBLAS_CPU_CORES
  int threads =
      1;  ///< min of |cores|, the cgroup's quota (rounded up) and OMP/OPENBLAS_NUM_THREADS
};

/// The processor time that a container may use: the smallest CPU quota between this process's
/// cgroup and the root (version 2, then 1), rounded up to whole processors; nothing if there is no
/// limit. In tests `root` replaces "/": proc/self/cgroup and sys/fs/cgroup are read below it. Never
/// throws.
std::optional<int> cgroup_cpu_quota(const std::string& root = "/");

/// Reads affinity and cgroup (v1 and v2) now. `cpu_cores` is DUOBLAS_CPU_CORES ("" = all allowed),
/// `max_threads` the bound from the environment (0 = none). \throws SettingError if `cpu_cores`
/// does not parse or names no allowed core. `processes`: as many of the job run on this host, and
/// have equal parts of its cores, whether or not their launcher bound them to cores.
CpuLimits cpu_limits(const std::string& cpu_cores, int max_threads, int processes = 1);

/// The cores near a device ("0000:01:00.0"), as the kernel tells; empty: it does not. In tests
/// `root` replaces "/". Never throws but std::bad_alloc.
std::vector<int> cores_near(const std::string& pci_address, const std::string& root = "/");

/// Parses "0-3,8" to {0,1,2,3,8}. \throws SettingError.
std::vector<int> parse_core_list(const std::string& text);

/// Stand-in mode: the stand-in GPU gets the first half of the cores, the CPU side the rest. \throws
/// SettingError if fewer than 2 cores are allowed.
struct StandinHalves {
  std::vector<int> gpu;
  std::vector<int> cpu;
};
StandinHalves standin_halves(const CpuLimits& limits);

/// Limits the number of threads of the calling thread's products in this scope; 0 changes nothing.
class ScopedThreadBound {
 public:
  explicit ScopedThreadBound(int threads) noexcept;
  ~ScopedThreadBound();
  ScopedThreadBound(const ScopedThreadBound&) = delete;
  ScopedThreadBound& operator=(const ScopedThreadBound&) = delete;

 private:
  const int before_;
};

/// The calling thread's limit now; 0: none.
int thread_bound() noexcept;

}  // namespace duoblas
