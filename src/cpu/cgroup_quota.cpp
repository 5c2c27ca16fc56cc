// The CPU quota of a control group, versions 1 and 2.
#include "cpu/cpu_limits.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace duoblas {
namespace {

namespace fs = std::filesystem;

using Quota = std::optional<double>;

Quota quotient(double quota, double period) {
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

// Version 2: "max 100000" or "150000 100000" in one file.
Quota read_v2(const fs::path& directory) {
  std::ifstream file(directory / "cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period)) return std::nullopt;
  return quotient(quota, period);
}

// Version 1: a quota of -1 is none.
Quota read_v1(const fs::path& directory) {
  double quota = 0;
  double period = 0;
  if (!(std::ifstream(directory / "cpu.cfs_quota_us") >> quota)) return std::nullopt;
  if (!(std::ifstream(directory / "cpu.cfs_period_us") >> period)) return std::nullopt;
  return quotient(quota, period);
}

// The limits of all ancestors hold too. In a container the path may be the host's, and only
// its last part, or nothing, is mounted: directories that are missing limit nothing.
Quota smallest_up_to(const fs::path& mount, std::string path, Quota (*read)(const fs::path&)) {
  Quota smallest;
  for (;;) {
    while (!path.empty() && path.front() == '/') path.erase(0, 1);
    if (const Quota here = read(path.empty() ? mount : mount / path))
      smallest = std::min(smallest.value_or(*here), *here);
    if (path.empty()) return smallest;
    const std::size_t slash = path.rfind('/');
    path = slash == std::string::npos ? "" : path.substr(0, slash);
  }
}

bool lists_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == "cpu") return true;
  return false;
}

}  // namespace

std::optional<int> cgroup_cpu_quota(const std::string& root) {
  const fs::path mounts = fs::path(root) / "sys/fs/cgroup";
  std::ifstream memberships(fs::path(root) / "proc/self/cgroup");
  Quota smallest;
  auto consider = [&](const Quota& quota) {
    if (quota) smallest = std::min(smallest.value_or(*quota), *quota);
  };
  // Lines are "hierarchy:controllers:path"; version 2 is hierarchy 0 without controllers.
  for (std::string line; std::getline(memberships, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      consider(smallest_up_to(mounts, path, read_v2));
      consider(smallest_up_to(mounts / "unified", path, read_v2));
    } else if (lists_cpu(controllers)) {
      consider(smallest_up_to(mounts / controllers, path, read_v1));
      if (controllers != "cpu") consider(smallest_up_to(mounts / "cpu", path, read_v1));
    }
  }
  if (!smallest) return std::nullopt;
  return std::max(1, static_cast<int>(std::ceil(std::min(*smallest, 1e6))));
}

}  // namespace duoblas
