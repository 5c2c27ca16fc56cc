// Access to the host's environment, which DuoBLAS changes and walks by one thread at a time.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "os/fork_state.hpp"

namespace duoblas {

/// Held while environ is walked or changed. As with any setenv(), it cannot stop other code of the
/// process that changes the environment at the same time.
class HostEnvironmentLock {
 public:
  HostEnvironmentLock();

 private:
  const ForkGuard no_fork_;  // a fork would copy the mutex locked
  const std::lock_guard<std::mutex> guard_;
};

/// A variable of the host that belongs to another library. We read it because that library obeys
/// it. Nothing: not set.
std::optional<std::string> host_variable(const char* name);

/// Calls `take` with each "NAME=value", under the lock.
void for_each_host_variable(const std::function<void(std::string_view)>& take);

/// Sets a variable for a scope, then restores its old value.
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
