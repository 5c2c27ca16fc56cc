#include "cpu/cpu_limits.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>

#include <duoblas/error.hpp>

#include "cpu/topology.hpp"

namespace duoblas {
namespace {

// Linux supports at most 8192 processors; a typing error must not make a list of millions.
constexpr int most_cores = 8192;

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
