#include "tuner/cpu_configs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace duoblas {
namespace {

using Cores = std::vector<int>;

Cores both(Cores x, Cores y) {
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  Cores common;
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(common));
  return common;
}

Cores without(Cores cores, const Cores& gone) {
  std::erase_if(cores,
                [&](int core) { return std::find(gone.begin(), gone.end(), core) != gone.end(); });
  return cores;
}

Cores one_thread_per_core(Cores cores, const Topology& topology) {
  for (const Cores& threads : topology.siblings) {
    const Cores present = both(threads, cores);
    if (present.size() > 1) cores = without(cores, {present.begin() + 1, present.end()});
  }
  return cores;
}

// The speed ranks among these cores, fastest first.
std::set<int, std::greater<>> ranks(const Cores& cores, const Topology& topology) {
  std::set<int, std::greater<>> found;
  for (const CoreKind& kind : topology.kinds)
    if (!both(kind.cores, cores).empty()) found.insert(kind.efficiency);
  return found;
}

Cores of_rank(int rank, const Cores& cores, const Topology& topology) {
  Cores found;
  for (const CoreKind& kind : topology.kinds) {
    const Cores present = both(kind.cores, cores);
    if (kind.efficiency == rank) found.insert(found.end(), present.begin(), present.end());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Empty if all cores are alike, or if none would be left out.
Cores fast_ones(const Cores& cores, const Topology& topology) {
  Cores fast;
  for (const int rank : ranks(cores, topology)) {
    // A lone prime core is slower than the rest together.
    if (one_thread_per_core(fast, topology).size() > 1) break;
    const Cores next = of_rank(rank, cores, topology);
    fast.insert(fast.end(), next.begin(), next.end());
  }
  std::sort(fast.begin(), fast.end());
  return fast.size() < cores.size() ? fast : Cores();
}

// The core whose loss costs least: the last of the slowest, because the system's own work tends to
// run on the first.
int least_missed(const Cores& cores, const Topology& topology) {
  const auto found = ranks(cores, topology);
  return found.empty() ? cores.back() : of_rank(*found.rbegin(), cores, topology).back();
}

class Configurations {
 public:
  Configurations(const CpuConfig& base, int threads) : base_(base), threads_(threads) {}

  void add(const Cores& cores, bool tiles) { add(cores, tiles, threads_); }

  // With fewer threads than cores (a quota) one core is free already, but its time is not.
  void add_one_less(const Cores& cores, const Topology& topology) {
    const int most = std::min(threads_, static_cast<int>(cores.size()));
    if (most < 3) return;
    const bool all_used = most == static_cast<int>(cores.size());
    add(all_used ? without(cores, {least_missed(cores, topology)}) : cores, false, most - 1);
  }

  std::vector<CpuConfig> take() { return std::move(found_); }

 private:
  void add(const Cores& cores, bool tiles, int threads) {
    if (cores.empty()) return;
    CpuConfig config = base_;
    config.cores = cores;
    config.threads = std::min(threads, static_cast<int>(cores.size()));
    config.tiles = tiles;
    if (tiles && config.threads < 2) return;
    if (std::find(found_.begin(), found_.end(), config) == found_.end()) found_.push_back(config);
  }

  CpuConfig base_;
  int threads_;
  std::vector<CpuConfig> found_;
};

}  // namespace

std::vector<CpuConfig> cpu_configurations(const CpuConfig& base, const Topology& topology,
                                          const CpuLimits& limits) {
  Cores all =
      base.cores.empty() ? both(limits.cores, limits.cores) : both(base.cores, limits.cores);
  if (all.empty()) all = limits.cores;
  const int threads =
      std::max(1, base.threads > 0 ? std::min(base.threads, limits.threads) : limits.threads);
  const Cores physical = one_thread_per_core(all, topology);
  const Cores fast = fast_ones(all, topology);
  Configurations found(base, threads);
  if (fast.empty()) {
    // Two threads of one core share units that one thread of a BLAS's inner kernel can fill.
    found.add(physical, false);
    found.add_one_less(physical, topology);
    found.add(all, false);
    found.add(all, true);
  } else {
    // With equal shares of a BLAS's own threads the slow cores determine the time.
    found.add(all, true);
    found.add(one_thread_per_core(fast, topology), false);
    found.add(fast, false);
    found.add(fast, true);
    found.add(all, false);
    found.add_one_less(physical, topology);
  }
  return found.take();
}

}  // namespace duoblas
