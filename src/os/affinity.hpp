// On which cores threads may run.
#pragma once

#include <vector>

namespace duoblas {

/// The cores that this process may run on: those of the main thread and of the calling one. In
/// ascending order; never empty (core 0 if the kernel does not tell).
std::vector<int> allowed_cores();

/// How many the calling thread may run on; 1 if the kernel does not tell.
int cores_of_this_thread() noexcept;

/// Sets the calling thread's affinity for a scope; threads started inside inherit it. An empty list
/// changes nothing. Never throws: if the kernel refuses, the affinity stays.
class ScopedAffinity {
 public:
  explicit ScopedAffinity(const std::vector<int>& cores) noexcept;
  ~ScopedAffinity();
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;

 private:
  unsigned long saved_[16] = {};
  bool changed_ = false;
};

}  // namespace duoblas
