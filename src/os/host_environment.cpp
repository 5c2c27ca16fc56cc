#include "os/host_environment.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace duoblas {
namespace {

constinit std::mutex in_use;

// The value of NAME=value entries, read here and not by the settings' reader: it is to be restored
// as it was, or is no setting of ours.
std::optional<std::string> value_of(const char* name) {
  const std::size_t length = std::strlen(name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') {
      return std::string(*entry + length + 1);
    }
  }
  return std::nullopt;
}

}  // namespace

HostEnvironmentLock::HostEnvironmentLock() : guard_(in_use) {}

std::optional<std::string> host_variable(const char* name) {
  const HostEnvironmentLock lock;
  return value_of(name);
}

void for_each_host_variable(const std::function<void(std::string_view)>& take) {
  const HostEnvironmentLock lock;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) take(*entry);
}

ScopedVariable::ScopedVariable(const char* name, const std::string& value) : name_(name) {
  const HostEnvironmentLock lock;
  old_ = value_of(name);
  ::setenv(name, value.c_str(), 1);
}

ScopedVariable::~ScopedVariable() {
  const HostEnvironmentLock lock;
  if (old_) {
    ::setenv(name_, old_->c_str(), 1);
  } else {
    ::unsetenv(name_);
  }
}

}  // namespace duoblas
