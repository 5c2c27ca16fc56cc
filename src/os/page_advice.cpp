#include "os/page_advice.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace duoblas {
namespace {

constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers lack

struct Pages {
  void* begin;
  std::size_t bytes;
};

// All that a block touches.
Pages pages_around(const void* data, std::size_t bytes) noexcept {
  const std::uintptr_t page = page_bytes(), first = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = first / page * page, end = (first + bytes + page - 1) / page * page;
  return {reinterpret_cast<void*>(begin), end - begin};
}

// The large pages that lie within a block. Small pages are marked one by one: with large ones
// 64 MiB are there again in 2 ms, where new pages take 26 (a Xeon of model 167).
bool advise_large(const void* block, std::size_t bytes, int advice) noexcept {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto first = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t begin = (first + page - 1) / page * page,
                       end = (first + bytes) / page * page;
  return ::madvise(reinterpret_cast<void*>(begin), end - begin, advice) == 0;
}

}  // namespace

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

bool is_resident(const void* address) noexcept {
  unsigned char resident = 1;
  const Pages page = pages_around(address, 1);
  return ::mincore(page.begin, page.bytes, &resident) != 0 || (resident & 1) != 0;
}

bool populate_pages(const void* data, std::size_t bytes) noexcept {
  const Pages pages = pages_around(data, bytes);
  return ::madvise(pages.begin, pages.bytes, populate_write) == 0;
}

bool want_large_pages(const void* block, std::size_t bytes) noexcept {
  return advise_large(block, bytes, MADV_HUGEPAGE);
}

bool free_large_pages(const void* block, std::size_t bytes) noexcept {
  return advise_large(block, bytes, MADV_FREE);
}

}  // namespace duoblas
