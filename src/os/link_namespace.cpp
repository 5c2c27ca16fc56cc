#include "os/link_namespace.hpp"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>

#include "os/host_environment.hpp"
#include "os/host_functions.hpp"
#include "os/symbol_redirection.hpp"

// Of LeakSanitizer, where a program has it. It looks for pointers in the variables of objects that
// the host's namespace has.
extern "C" __attribute__((weak)) void __lsan_register_root_region(const void* begin,
                                                                  std::size_t size);

namespace duoblas {
namespace {

std::string last_dl_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error of the dynamic loader";
}

bool defines(const char* entry, const std::string& name) {
  return std::strncmp(entry, name.c_str(), name.size()) == 0 && entry[name.size()] == '=';
}

// OpenBLAS's destructor waits for its workers. At exit() with a product under way in another thread
// that is for ever, and there is no earlier point at which products could be refused: the host's
// own destructors may still wait for threads that multiply. The loader runs the destructors that
// the dynamic section counts, so the count is set to zero in memory.
void disable_destructors(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return;
  for (ElfW(Dyn)* entry = map->l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_FINI_ARRAYSZ) continue;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(entry) & ~(page - 1);
    const auto end = reinterpret_cast<std::uintptr_t>(entry + 1);
    if (mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE) == 0)
      entry->d_un.d_val = 0;
  }
}

// Otherwise the memory of private libraries, which the host allocates, would be reported as leaked.
void show_variables_to_leak_checker(void* handle) {
  link_map* map = nullptr;
  if (__lsan_register_root_region == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return;
  while (map->l_prev != nullptr) map = map->l_prev;
  for (; map != nullptr; map = map->l_next) {
    Dl_info object;
    if (dladdr(map->l_ld, &object) == 0) continue;
    const auto* file = static_cast<const char*>(object.dli_fbase);
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(file);
    const auto* segment = reinterpret_cast<const ElfW(Phdr)*>(file + header->e_phoff);
    for (int i = 0; i < header->e_phnum; ++i, ++segment)
      if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) != 0)
        __lsan_register_root_region(reinterpret_cast<const void*>(map->l_addr + segment->p_vaddr),
                                    segment->p_memsz);
  }
}

// A bit for each namespace that stays, while there are bits.
unsigned next_bit() {
  static constinit std::atomic<unsigned> kept{0};
  constexpr unsigned bits = 8 * sizeof(unsigned);
  const unsigned number = kept.fetch_add(1);
  return number < bits ? 1U << number : 0;
}

}  // namespace

bool link_namespaces_supported() noexcept {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
  return false;
#else
  return true;
#endif
}

LinkNamespace::LinkNamespace() {
  if (!link_namespaces_supported()) {
    error_ = "no link namespaces under sanitizers, or with this C library";
    return;
  }
  if (!thread_keys_are_left()) {
    error_ = no_thread_keys_left;
    return;
  }
#if defined(__GLIBC__)
  libc_ = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW | RTLD_LOCAL);
  Lmid_t id = 0;
  if (libc_ == nullptr || dlinfo(libc_, RTLD_DI_LMID, &id) != 0) {
    error_ = last_dl_error();
    libc_ = nullptr;
  }
  id_ = id;
  if (libc_ != nullptr) error_ = share_with_host();
  if (libc_ != nullptr && !error_.empty()) {
    dlclose(libc_);
    libc_ = nullptr;
  }
#endif
}

LinkNamespace::~LinkNamespace() {
  if (libc_ != nullptr && !kept_) close(libc_);
}

std::string LinkNamespace::share_with_host() {
#if defined(__GLIBC__)
  link_map* map = nullptr;
  if (dlinfo(libc_, RTLD_DI_LINKMAP, &map) != 0) return last_dl_error();
  // What it allocated by itself would be freed by the host's free().
  const auto info = reinterpret_cast<struct mallinfo2 (*)()>(dlsym(libc_, "mallinfo2"));
  if (info == nullptr || info().arena != 0 || info().hblks != 0)
    return std::string(map->l_name) + " has allocated memory of its own, or is too old";
  preparation_.init_ctype = reinterpret_cast<void (*)()>(dlsym(libc_, "__ctype_init"));
  return redirect_symbols(*map, host_functions());
#else
  return "no link namespaces with this C library";
#endif
}

void LinkNamespace::keep(void* handle) {
  kept_ = true;
  preparation_.bit = next_bit();
  show_variables_to_leak_checker(handle);
  disable_destructors(handle);
}

void LinkNamespace::set_environment(const std::vector<EnvironmentChange>& changes) {
  auto*** inner = static_cast<char***>(dlsym(libc_, "environ"));
  if (inner == nullptr) return;
  // Not the namespace's setenv: its environ starts as the host's own array, and setenv and
  // unsetenv change entries in place. The copies are never freed; the library may keep pointers.
  const HostEnvironmentLock lock;
  static auto& copies = *new std::list<std::vector<char*>>;
  std::vector<char*>& copy = copies.emplace_back();
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    bool changed = false;
    for (const EnvironmentChange& change : changes) changed |= defines(*entry, change.name);
    if (!changed) copy.push_back(strdup(*entry));
  }
  for (const EnvironmentChange& change : changes) {
    if (!change.remove) copy.push_back(strdup((change.name + "=" + change.value).c_str()));
  }
  copy.push_back(nullptr);
  *inner = copy.data();
}

void* LinkNamespace::open([[maybe_unused]] const std::string& library) {
#if defined(__GLIBC__)
  preparation_.apply();
  void* handle = dlmopen(id_, library.c_str(), RTLD_NOW | RTLD_LOCAL);
#else
  void* handle = nullptr;
#endif
  if (handle == nullptr) error_ = last_dl_error();
  return handle;
}

void LinkNamespace::close(void* handle) {
  dlclose(handle);
  forget_unloaded_libraries();
}

}  // namespace duoblas
