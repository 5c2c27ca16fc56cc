// A shared library as a private copy: in its own link namespace, with its own C library and its
// own environment, whatever the host program has loaded or set.
#pragma once

#include <string>
#include <vector>

namespace duoblas {

/// Name and value; no value: the variable is removed.
struct EnvironmentChange {
  std::string name;
  std::string value;
  bool remove = false;
};

/// False where sanitizers are built in (their interceptors do not survive a second C library), or
/// where the C library has no dlmopen.
bool link_namespaces_supported() noexcept;

/// One namespace, with a C library in it from the start; about 11 fit in a process (glibc 2.36:
/// static TLS of each C library). Given back at destruction unless kept.
class LinkNamespace {
 public:
  /// Not valid() where none can be had; `error()` then says why.
  LinkNamespace();
  ~LinkNamespace();
  LinkNamespace(const LinkNamespace&) = delete;
  LinkNamespace& operator=(const LinkNamespace&) = delete;
  bool valid() const { return libc_ != nullptr; }
  const std::string& error() const { return error_; }

  /// The host's environment with these changes becomes the namespace's. The host's is only read.
  void set_environment(const std::vector<EnvironmentChange>& changes);
  /// dlopen inside. nullptr: error() says why.
  void* open(const std::string& library);
  /// From now on the namespace stays until the process ends, and the destructors of `handle`'s
  /// library do not run then.
  void keep(void* handle);
  /// Unloads what open() returned.
  void close(void* handle);

 private:
  void* libc_ = nullptr;
  long id_ = 0;
  bool kept_ = false;
  std::string error_;
};

}  // namespace duoblas
