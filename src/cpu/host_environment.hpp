// The host's environment where DuoBLAS itself changes or walks it: one thread at a time.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "cpu/fork_state.hpp"

namespace duoblas {

/// Held while environ is walked or changed. What other code of the process does to its environment
/// at the same time is outside our reach, as with any setenv().
class HostEnvironmentLock {
 public:
  HostEnvironmentLock();

 private:
  const ForkGuard no_fork_;  // a fork would copy the mutex locked
  const std::lock_guard<std::mutex> guard_;
};

/// A variable of the host that is another library's business, and of ours only because that library
/// obeys it. Nothing: not set.
std::optional<std::string> host_variable(const char* name);

/// Sets a variable for a scope and then gives it its old value back.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> old_;
};

}  // namespace duoblas
