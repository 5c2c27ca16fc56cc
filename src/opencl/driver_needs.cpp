#include "opencl/driver_needs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>

#include "opencl/device.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/function_table.hpp"
#include "os/host_environment.hpp"

namespace duoblas::cl {
namespace {

using Clock = std::chrono::steady_clock;

bool may(const std::string& path, int what) {
  return ::faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS) == 0;
}

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
  struct stat status {};
  while (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT || path.size() <= 1) return {};
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    path.resize(slash == 0 ? 1 : slash);
  }
  return S_ISDIR(status.st_mode) ? path : std::string();
}

// Another user's programs lie in folders that only that user may write to.
bool has_others_folders(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return true;
  while (const dirent* const entry = ::readdir(folder.get()))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
        !may(path + '/' + entry->d_name, W_OK | X_OK))
      return true;
  return false;
}

std::string problem_of_cache(const std::string& wanted) {
  constexpr unsigned long least_bytes = 8ul << 20;  // a kernel's files take some 100 KB
  const std::string there = nearest_folder(wanted);
  const std::string name = "its cache folder " + wanted;
  if (there.empty() || !may(there, W_OK | X_OK)) return name + " cannot be written";
  struct statvfs system {};
  if (::statvfs(there.c_str(), &system) == 0) {
    if ((system.f_flag & ST_NOEXEC) != 0) return name + " is where no code may be loaded (noexec)";
    if (system.f_blocks > 0 && system.f_bavail * system.f_frsize < least_bytes)
      return name + " is on a full disk";
  }
  if (there == wanted && has_others_folders(there)) return name + " has another user's folders";
  return {};
}

// Clang looks for these names.
bool has_linker(const std::string& folder) {
  utsname machine{};
  ::uname(&machine);
  const std::string triple = std::string("/") + machine.machine;
  return may(folder + "/ld", X_OK) || may(folder + triple + "-linux-gnu-ld", X_OK) ||
         may(folder + triple + "-pc-linux-gnu-ld", X_OK);
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

std::string problem_of_children() {
  struct sigaction action {};
  ::sigaction(SIGCHLD, nullptr, &action);
  if ((action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN)
    return "the program ignores SIGCHLD";
  if ((action.sa_flags & SA_NOCLDWAIT) != 0) return "the program wants no child's status";
  return {};
}

// Who waits for any child, in a thread or in SIGCHLD's handler, takes an ended one at once; who
// does so later does not come before PoCL, which waits meanwhile.
std::string fate_of_a_child() {
  constexpr int most_polls = 30;
  const pid_t child = ::vfork();
  if (child == 0) ::_exit(0);
  if (child < 0) return "no process can be started";
  siginfo_t ended{};
  int code = 0;
  for (int poll = 0; poll < most_polls && code == 0; ++poll) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    code = ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
  }
  while (code == 0 && (code = ::waitpid(child, nullptr, 0)) < 0 && errno == EINTR) code = 0;
  if (code == child) return {};
  return "the program takes the status of every child";
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
  if (!quirks_of(info).needs_sysfs || may("/sys/devices/system/cpu", R_OK | X_OK) ||
      may("/sys/bus/cpu/devices", R_OK | X_OK))
    return {};
  return "there is no /sys, by which it finds the machine's memory";
}

std::string missing_to_build(const Device& device) {
  if (!quirks_of(device.info).links_by_program) return {};
  if (std::string problem = problem_of_children(); !problem.empty()) return problem;
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
