#include "os/restored_signals.hpp"

#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <span>

namespace duoblas {
namespace {

using Addresses = std::vector<std::uintptr_t>;

// Where the libraries of drivers begin. Never destroyed: exit() may run while a thread builds.
struct Drivers {
  std::mutex mutex;
  Addresses libraries;
};

Drivers& drivers() {
  static Drivers& one = *new Drivers;
  return one;
}

// The program's name is empty, and it may begin at 0.
std::uintptr_t beginning_of(const dl_phdr_info& library) {
  for (const ElfW(Phdr) & part : std::span(library.dlpi_phdr, library.dlpi_phnum))
    if (part.p_type == PT_LOAD) return library.dlpi_addr + part.p_vaddr;
  return library.dlpi_addr;
}

bool holds(const dl_phdr_info& library, std::uintptr_t address) {
  return std::ranges::any_of(
      std::span(library.dlpi_phdr, library.dlpi_phnum), [&](const ElfW(Phdr) & part) {
        return part.p_type == PT_LOAD && address - library.dlpi_addr - part.p_vaddr < part.p_memsz;
      });
}

// Empty: memory is short.
Addresses loaded_libraries() noexcept {
  Addresses loaded;
  const auto add = [](dl_phdr_info* library, std::size_t, void* to) noexcept {
    try {
      static_cast<Addresses*>(to)->push_back(beginning_of(*library));
      return 0;
    } catch (const std::exception&) {
      static_cast<Addresses*>(to)->clear();
      return 1;
    }
  };
  dl_iterate_phdr(add, &loaded);
  return loaded;
}

// 0: in none.
std::uintptr_t library_of(std::uintptr_t address) noexcept {
  struct Search {
    std::uintptr_t address, found = 0;
  } search{address};
  const auto look = [](dl_phdr_info* library, std::size_t, void* given) noexcept {
    auto& of = *static_cast<Search*>(given);
    if (!holds(*library, of.address)) return 0;
    of.found = beginning_of(*library);
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

std::uintptr_t handler_of(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<std::uintptr_t>(action.sa_sigaction)
                                             : reinterpret_cast<std::uintptr_t>(action.sa_handler);
}

// Remembers what was loaded since, also where it sets its handlers later.
bool is_drivers(std::uintptr_t library, const Addresses& before) noexcept try {
  Addresses& known = drivers().libraries;
  if (std::ranges::find(known, library) != known.end()) return true;
  if (std::ranges::find(before, library) != before.end()) return false;
  known.push_back(library);
  return true;
} catch (const std::exception&) {
  return true;
}

}  // namespace

RestoredSignals::RestoredSignals() noexcept : actions_{}, loaded_(loaded_libraries()) {
  for (int signal = 1; signal < NSIG; ++signal)
    ::sigaction(signal, nullptr, &actions_[static_cast<std::size_t>(signal)]);
  ::sigaltstack(nullptr, &alternate_stack_);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
}

RestoredSignals::~RestoredSignals() {
  if (!loaded_.empty()) put_back_actions();
  stack_t now;
  if (::sigaltstack(nullptr, &now) == 0 && now.ss_sp != alternate_stack_.ss_sp)
    ::sigaltstack(&alternate_stack_, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

void RestoredSignals::put_back_actions() const noexcept {
  const std::lock_guard one_at_a_time(drivers().mutex);
  for (int signal = 1; signal < NSIG; ++signal) {
    const struct sigaction& before = actions_[static_cast<std::size_t>(signal)];
    struct sigaction now;
    if (::sigaction(signal, nullptr, &now) != 0 || handler_of(now) == handler_of(before)) continue;
    const std::uintptr_t library = library_of(handler_of(now));
    if (library != 0 && is_drivers(library, loaded_)) ::sigaction(signal, &before, nullptr);
  }
}

}  // namespace duoblas
