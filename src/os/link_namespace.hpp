// A shared library as a private copy: in its own link namespace, with its own C library and its
// own environment, whatever the host program has loaded or set. Memory and threads are the host's.
#pragma once

#include <string>
#include <vector>

#include "os/host_functions.hpp"

namespace duoblas {

/// Name and value; no value: the variable is removed.
struct EnvironmentChange {
  std::string name;
  std::string value;
  bool remove = false;
};

/// False if sanitizers are built in (their interceptors do not survive a second C library), or if
/// the C library has no dlmopen.
bool link_namespaces_supported() noexcept;

/// One namespace, which contains a C library from the start. About 11 fit in a process, 5 with GNU
/// OpenMP in each (glibc 2.36: static TLS). The destructor frees it unless it was kept. One at a
/// time is made or freed.
class LinkNamespace {
 public:
  /// Not valid() if there is none left, if the process has no thread-specific keys left, or if the
  /// C library cannot be made to share with the host; `error()` then says why.
  LinkNamespace();
  ~LinkNamespace();
  LinkNamespace(const LinkNamespace&) = delete;
  LinkNamespace& operator=(const LinkNamespace&) = delete;
  bool valid() const { return libc_ != nullptr; }
  const std::string& error() const { return error_; }

  /// Gives the namespace a copy of the host's environment with these changes.
  void set_environment(const std::vector<EnvironmentChange>& changes);
  /// dlopen inside the namespace. nullptr: error() says why.
  void* open(const std::string& library);
  /// Keeps the namespace until the process ends. The destructors of `handle`'s library do not run
  /// then.
  void keep(void* handle);
  /// What each thread does before it runs code of the namespace. \pre it was kept.
  const ThreadPreparation& preparation() const { return preparation_; }
  /// Unloads what open() returned.
  void close(void* handle);

 private:
  std::string share_with_host();

  void* libc_ = nullptr;
  [[maybe_unused]] long id_ = 0;  // not where the C library has no namespaces
  bool kept_ = false;
  ThreadPreparation preparation_;
  std::string error_;
};

}  // namespace duoblas
