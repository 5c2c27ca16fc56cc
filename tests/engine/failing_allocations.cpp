#include "engine/failing_allocations.hpp"

#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace duoblas::test {
namespace {

std::atomic<bool> armed{false}, from_then_on{false}, failed{false};
std::atomic<long> failing{0}, counted{0}, live{0};

enum class Owner { program, standard_library, other };

struct Code {
  std::uintptr_t begin = 0, end = 0;
  bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return begin <= at && at < end;
  }
};
Code program, standard_library;

// The program is the first that is listed.
int note_code(dl_phdr_info* object, std::size_t, void* listed) {
  const bool first = (*static_cast<int*>(listed))++ == 0;
  if (!first && std::strstr(object->dlpi_name, "libstdc++") == nullptr) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    (first ? program : standard_library) = {begin, begin + part.p_memsz};
  }
  return 0;
}

// Drivers' compilers allocate millions of times: a comparison must do.
Owner owner_of(const void* code) {
  return program.holds(code)            ? Owner::program
         : standard_library.holds(code) ? Owner::standard_library
                                        : Owner::other;
}

// Strings are grown by the standard library, for this program or for a driver.
bool is_for_program(const void* caller) {
  const Owner direct = owner_of(caller);
  if (direct != Owner::standard_library) return direct == Owner::program;
  void* frames[8];
  const int count = ::backtrace(frames, 8);
  bool inside = false;
  for (int i = 0; i < count; ++i) {
    const Owner owner = owner_of(frames[i]);
    inside = inside || owner == Owner::standard_library;
    if (inside && owner != Owner::standard_library) return owner == Owner::program;
  }
  return false;
}

bool is_short(const void* caller) {
  if (!armed.load(std::memory_order_relaxed)) return false;
  if (failed.load(std::memory_order_relaxed) && !from_then_on.load()) return false;
  if (!is_for_program(caller)) return false;
  const long number = counted.fetch_add(1) + 1;
  const long wanted = failing.load();
  const bool fails = from_then_on.load() ? number >= wanted : number == wanted;
  if (fails) failed.store(true);
  return fails;
}

}  // namespace

ShortMemory::ShortMemory(long number, bool all_later) {
  void* frame;
  ::backtrace(&frame, 1);  // loads what it needs at its first use
  int listed = 0;
  ::dl_iterate_phdr(note_code, &listed);
  failing.store(number);
  from_then_on.store(all_later);
  counted.store(0);
  failed.store(false);
  armed.store(true);
}

ShortMemory::~ShortMemory() {
  armed.store(false);
}

bool ShortMemory::felt() const {
  return failed.load();
}

long ShortMemory::seen() const {
  return counted.load();
}

long live_allocations() {
  return live.load();
}

}  // namespace duoblas::test

namespace {

void* allocated(std::size_t bytes, std::size_t alignment, const void* caller) {
  void* memory = nullptr;
  if (duoblas::test::is_short(caller)) return nullptr;
  // It takes no smaller alignment, which C++ allows (LLVM 18 asks for 4).
  alignment = std::max(alignment, sizeof(void*));
  if (::posix_memalign(&memory, alignment, bytes == 0 ? 1 : bytes) != 0) return nullptr;
  duoblas::test::live.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

void* allocated_or_thrown(std::size_t bytes, std::size_t alignment, const void* caller) {
  void* memory = allocated(bytes, alignment, caller);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void freed(void* memory) {
  if (memory != nullptr) duoblas::test::live.fetch_sub(1, std::memory_order_relaxed);
  std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t bytes) {
  return allocated_or_thrown(bytes, usual, __builtin_return_address(0));
}
void* operator new[](std::size_t bytes) {
  return allocated_or_thrown(bytes, usual, __builtin_return_address(0));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocated(bytes, usual, __builtin_return_address(0));
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocated(bytes, usual, __builtin_return_address(0));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocated_or_thrown(bytes, static_cast<std::size_t>(alignment),
                             __builtin_return_address(0));
}
// The standard library's calls the one above, but AddressSanitizer's does not.
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocated(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept {
  freed(memory);
}
void operator delete[](void* memory) noexcept {
  freed(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  freed(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  freed(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  freed(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  freed(memory);
}

// allocate_host's. Its memory is given to free(), and so is not counted as alive.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  if (duoblas::test::is_short(__builtin_return_address(0))) return nullptr;
  return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}
