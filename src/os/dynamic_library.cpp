#include "os/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

namespace duoblas {

void* open_library(const char* name) noexcept {
  return ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void* open_loaded_library(const char* name) noexcept {
  return ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

void* library_symbol(void* library, const char* name) noexcept {
  return ::dlsym(library, name);
}

std::string why_no_library(const std::string& otherwise) {
  const char* const text = ::dlerror();
  return text != nullptr ? text : otherwise;
}

std::string path_of_library(void* library, const std::string& otherwise) {
  link_map* map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return otherwise;
  char* const real = ::realpath(map->l_name, nullptr);
  std::string path = real != nullptr ? real : map->l_name;
  std::free(real);
  return path.empty() ? otherwise : path;
}

const char* library_at(const void* address) noexcept {
  Dl_info found;
  return address != nullptr && ::dladdr(address, &found) != 0 ? found.dli_fname : nullptr;
}

}  // namespace duoblas
