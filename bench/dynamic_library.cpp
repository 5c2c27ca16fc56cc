#include "bench/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace duoblas {

DynamicLibrary::DynamicLibrary(const char* name)
    : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const char* reason = dlerror();
  problem_ = reason != nullptr ? reason : name_ + ": unknown error of the dynamic loader";
}

void* DynamicLibrary::address(const char* symbol) {
  if (handle_ == nullptr) return nullptr;
  void* found = dlsym(handle_, symbol);
  if (found == nullptr && problem_.empty()) problem_ = name_ + " has no " + symbol;
  return found;
}

std::string DynamicLibrary::file_name() const {
  link_map* map = nullptr;
  if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return name_;
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(map->l_name, failed);
  return failed ? name_ : file.filename().string();
}

}  // namespace duoblas
