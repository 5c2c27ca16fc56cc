#include "opencl/driver_needs.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>

#include "opencl/device.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/function_table.hpp"
#include "os/child_fate.hpp"
#include "os/file_status.hpp"
#include "os/files.hpp"
#include "os/host_environment.hpp"
#include "os/machine_facts.hpp"

namespace duoblas::cl {
namespace {

using Clock = std::chrono::steady_clock;

// As PoCL's pocl_cache.c finds it, once, when it starts.
std::string found_cache_folder() {
  if (const auto folder = host_variable("POCL_CACHE_DIR")) return *folder;
  if (const auto folder = host_variable("XDG_CACHE_HOME"); folder && !folder->empty())
    return *folder + "/pocl/kcache";
  if (const auto home = host_variable("HOME")) return *home + "/.cache/pocl/kcache";
  return "/tmp/pocl/kcache";
}

// What the environment says. Read once: a thread that launches kernels may not wait for a fork.
struct Places {
  std::string cache = found_cache_folder();
  std::string path = host_variable("PATH").value_or("") + ':';
};

const Places& places() {
  static const Places& one = *new Places;
  return one;
}

// It, or where it would be made. Empty: nothing of it can be seen.
std::string nearest_folder(std::string path) {
  std::optional<FileStatus> status;
  while (!(status = file_status(path))) {
    if (errno != ENOENT || path.size() <= 1) return {};
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    path.resize(slash == 0 ? 1 : slash);
  }
  return status->is_folder ? path : std::string();
}

std::string problem_of_cache(const std::string& wanted) {
  constexpr unsigned long least_bytes = 8ul << 20;  // a kernel's files take some 100 KB
  const std::string there = nearest_folder(wanted);
  const std::string name = "its cache folder " + wanted;
  if (there.empty() || !may_use_folder(there)) return name + " cannot be written";
  const FileSystem system = file_system_of(there);
  if (!system.runs_code) return name + " is where no code may be loaded (noexec)";
  if (system.has_size && system.free_bytes < least_bytes) return name + " is on a full disk";
  // Another user's programs lie in folders that only that user may write to.
  if (there == wanted && has_others_folders(there)) return name + " has another user's folders";
  return {};
}

// Clang looks for these names.
bool has_linker(const std::string& folder) {
  const std::string triple = '/' + kernel_facts().architecture;
  for (const std::string& linker :
       {std::string("/ld"), triple + "-linux-gnu-ld", triple + "-pc-linux-gnu-ld"})
    if (may(FileRight::execute, folder + linker)) return true;
  return false;
}

bool path_has_linker() {
  const std::string& path = places().path;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = path.find(':', begin);
    if (end > begin && has_linker(path.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

// Other builds may bring a linker of their own.
bool is_distributions(const Device& device) {
  const std::string file = driver_build(device);
  return file.starts_with("/usr/lib") || file.starts_with("/lib");
}

constinit std::atomic<Clock::rep> children_were_ours{0};

std::string fate_of_children() {
  const Clock::rep now = Clock::now().time_since_epoch().count();
  const Clock::rep before = children_were_ours.load(std::memory_order_relaxed);
  if (before != 0 && Clock::duration(now - before) < std::chrono::seconds(1)) return {};
  std::string problem = fate_of_a_child();
  if (problem.empty()) children_were_ours.store(now, std::memory_order_relaxed);
  return problem;
}

}  // namespace

DriverLeftOut::DriverLeftOut(std::string_view platform, const std::string& missing)
    : DeviceError(std::string(platform) + " is left out, which would end the process: " + missing,
                  CL_OUT_OF_HOST_MEMORY) {}

std::string missing_to_list(std::string_view platform) {
  DeviceInfo info;
  info.platform = platform;
  // hwloc's two places.
  if (!quirks_of(info).needs_sysfs || may_look_into("/sys/devices/system/cpu") ||
      may_look_into("/sys/bus/cpu/devices"))
    return {};
  return "there is no /sys, by which it finds the machine's memory";
}

std::string missing_to_build(const Device& device) {
  if (!quirks_of(device.info).links_by_program) return {};
  if (std::string problem = why_children_are_lost(); !problem.empty()) return problem;
  if (std::string problem = problem_of_cache(places().cache); !problem.empty()) return problem;
  if (!path_has_linker() && is_distributions(device)) return "there is no linker (ld) in PATH";
  return {};
}

void require_what_builds_need(const Device& device) {
  if (!quirks_of(device.info).links_by_program) return;
  std::string missing = missing_to_build(device);
  if (missing.empty()) missing = fate_of_children();
  if (!missing.empty()) throw DriverLeftOut(device.info.platform, missing);
}

}  // namespace duoblas::cl
