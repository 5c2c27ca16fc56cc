// The processor time that a container may use, in whole threads.
#pragma once

#include <optional>
#include <string>

namespace duoblas {

/// The smallest CPU quota between this process's cgroup and the root (version 2, then 1), rounded
/// up to whole processors; nothing if there is no limit. In tests `root` replaces "/":
/// proc/self/cgroup and sys/fs/cgroup are read below it. Never throws.
std::optional<int> cgroup_cpu_quota(const std::string& root = "/");

}  // namespace duoblas
