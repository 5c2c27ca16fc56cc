#include "cpu/cpu_limits.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstddef>
#include <cstring>
#include <iterator>

#include <duoblas/error.hpp>

#include "cpu/topology.hpp"

namespace duoblas {
namespace {

// Linux supports at most 8192 processors; a typing error must not make a list of millions.
constexpr int most_cores = 8192;

constexpr int bits_per_word = static_cast<int>(sizeof(unsigned long) * CHAR_BIT);
// As in ScopedAffinity::saved_: 1024 cores, the size of a cpu_set_t.
constexpr int words = 16;
static_assert(sizeof(cpu_set_t) == words * sizeof(unsigned long));

constinit thread_local int bound_of_thread = 0;

[[noreturn]] void not_a_core_list(const std::string& text, const std::string& why) {
  throw SettingError("core list \"" + text + "\": " + why +
                     "; give core numbers and ranges separated by commas, such as 0-3,8");
}

int core_number(const std::string& text, const char*& at, const char* end) {
  int number = 0;
  const auto [stop, error] = std::from_chars(at, end, number);
  if (error != std::errc() || stop == at || number < 0)
    not_a_core_list(text, at == end ? "ends where a number is expected"
                                    : "no core number at \"" + std::string(at, end) + "\"");
  if (number >= most_cores) not_a_core_list(text, "core numbers are below 8192");
  at = stop;
  return number;
}

std::string joined(const std::vector<int>& cores) {
  std::string text;
  for (int core : cores) text += (text.empty() ? "" : ",") + std::to_string(core);
  return text;
}

}  // namespace

// The cores that the process may use. The thread that makes the first product may be pinned to one
// core, and so may be the main thread if an OpenMP runtime binds it. So the cores of both are
// joined.
std::vector<int> allowed_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  bool known = false;
  for (const pid_t thread : {pid_t{0}, getpid()}) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(thread, sizeof set, &set) != 0) continue;
    CPU_OR(&allowed, &allowed, &set);
    known = true;
  }
  std::vector<int> cores;
  if (known) {
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  } else {
    // On a machine with more than 1024 cores, those that the mask cannot name are not touched.
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (int core = 0; core < online && core < CPU_SETSIZE; ++core) cores.push_back(core);
  }
  if (cores.empty()) cores.push_back(0);
  return cores;
}

std::vector<int> parse_core_list(const std::string& text) {
  std::vector<int> cores;
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    const int first = core_number(text, at, end);
    int last = first;
    if (at != end && *at == '-') last = core_number(text, ++at, end);
    if (last < first) not_a_core_list(text, "a range ends before it begins");
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (at == end) break;
    if (*at != ',') not_a_core_list(text, "unexpected \"" + std::string(at, end) + "\"");
    ++at;
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

CpuLimits cpu_limits(const std::string& cpu_cores, int max_threads, int processes) {
  CpuLimits limits;
  limits.cores = allowed_cores();
  if (!cpu_cores.empty()) {
    const std::vector<int> wanted = parse_core_list(cpu_cores);
    std::vector<int> both;
    std::set_intersection(limits.cores.begin(), limits.cores.end(), wanted.begin(), wanted.end(),
                          std::back_inserter(both));
    if (both.empty())
      throw SettingError(
          "core list \"" + cpu_cores +
          "\" names none of the cores that this process may use: " + joined(limits.cores));
    limits.cores = both;
  }
  limits.threads = static_cast<int>(limits.cores.size());
  const auto quota = cgroup_cpu_quota();
  if (quota) limits.threads = std::min(limits.threads, *quota);
  // A launcher that binds a process to fewer has given it its part.
  if (processes > 1) {
    const int all = topology().hardware_threads;
    limits.threads = std::min(limits.threads, std::min(all, quota.value_or(all)) / processes);
  }
  if (max_threads > 0) limits.threads = std::min(limits.threads, max_threads);
  limits.threads = std::max(limits.threads, 1);
  return limits;
}

StandinHalves standin_halves(const CpuLimits& limits) {
  if (limits.cores.size() < 2)
    throw SettingError(
        "stand-in mode needs 2 allowed cores, one half for the stand-in GPU and one for the CPU "
        "side; this process may use core " +
        joined(limits.cores) + " only");
  const auto middle = limits.cores.begin() + static_cast<std::ptrdiff_t>(limits.cores.size() / 2);
  return {{limits.cores.begin(), middle}, {middle, limits.cores.end()}};
}

ScopedAffinity::ScopedAffinity(const std::vector<int>& cores) noexcept {
  if (cores.empty()) return;
  unsigned long wanted[words] = {};
  for (int core : cores)
    if (core >= 0 && core < words * bits_per_word)
      wanted[core / bits_per_word] |= 1UL << (core % bits_per_word);
  if (sched_getaffinity(0, sizeof saved_, reinterpret_cast<cpu_set_t*>(saved_)) != 0) return;
  if (std::memcmp(saved_, wanted, sizeof wanted) == 0) return;
  changed_ = sched_setaffinity(0, sizeof wanted, reinterpret_cast<cpu_set_t*>(wanted)) == 0;
}

ScopedAffinity::~ScopedAffinity() {
  if (changed_) sched_setaffinity(0, sizeof saved_, reinterpret_cast<cpu_set_t*>(saved_));
}

ScopedThreadBound::ScopedThreadBound(int threads) noexcept : before_(bound_of_thread) {
  if (threads > 0) bound_of_thread = threads;
}

ScopedThreadBound::~ScopedThreadBound() {
  bound_of_thread = before_;
}

int thread_bound() noexcept {
  return bound_of_thread;
}

}  // namespace duoblas
