// A shared library of someone else's that may not be there.
#pragma once

#include <filesystem>
#include <string>

#include "os/dynamic_library.hpp"

namespace duoblas {

/// Loaded by name at run time, with RTLD_LOCAL, and never closed: libraries that drive a device
/// often crash when they are closed.
class DynamicLibrary {
 public:
  /// `name` as for dlopen. Where it cannot be loaded, problem() says why.
  explicit DynamicLibrary(const char* name) : name_(name), handle_(open_library(name)) {
    if (handle_ == nullptr) problem_ = why_no_library(name_ + " was not loaded");
  }

  explicit operator bool() const { return handle_ != nullptr && problem_.empty(); }
  /// Why it could not be loaded, or which function it lacks; empty where all is well.
  const std::string& problem() const { return problem_; }

  /// Sets `function` to the symbol's address. Where the library lacks it, that is null, and
  /// problem() names the symbol.
  template <typename Function>
  void find(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(address(symbol));
  }

  /// The name of the loaded file, with symbolic links resolved ("libclblast.so.1.5.3").
  std::string file_name() const {
    return std::filesystem::path(path_of_library(handle_, name_)).filename().string();
  }

 private:
  void* address(const char* symbol) {
    void* found = handle_ == nullptr ? nullptr : library_symbol(handle_, symbol);
    if (found == nullptr && problem_.empty()) problem_ = name_ + " has no " + symbol;
    return found;
  }

  std::string name_;
  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace duoblas
