#include "memory/page_prefault.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

namespace duoblas {
namespace {

// A whole number of pages, of 4 KiB and of 2 MiB.
constexpr std::size_t part_bytes = std::size_t{2} << 20;
constexpr std::uintptr_t page_bytes = 4096;
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers lack
constexpr std::size_t most_samples = 16;

struct Pages {
  void* begin;
  std::size_t bytes;
};
Pages pages_of(const void* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data) / page_bytes * page_bytes;
  const auto end =
      (reinterpret_cast<std::uintptr_t>(data) + bytes + page_bytes - 1) / page_bytes * page_bytes;
  return {reinterpret_cast<void*>(begin), end - begin};
}

const char* row_of(const HostRect& rect, std::size_t row) {
  return static_cast<const char*>(rect.data) + row * rect.pitch;
}

bool is_there(const void* data) {
  unsigned char resident = 1;
  const Pages page = pages_of(data, 1);
  return ::mincore(page.begin, page.bytes, &resident) != 0 || (resident & 1) != 0;
}

std::vector<HostRect> in_parts(const std::vector<HostRect>& rects) {
  std::vector<HostRect> parts;
  for (const HostRect& rect : rects) {
    if (rect.span() == 0) continue;
    const std::size_t rows =
        std::max<std::size_t>(1, part_bytes / std::max(rect.pitch, rect.row_bytes));
    for (std::size_t row = 0; row < rect.rows; row += rows) {
      HostRect& part = parts.emplace_back(rect);
      part.data = const_cast<char*>(row_of(rect, row));
      part.rows = std::min(rows, rect.rows - row);
    }
  }
  return parts;
}

// Judged by a few of the pages.
bool are_new_pages(const std::vector<HostRect>& rects) {
  std::size_t samples = 0, there = 0;
  const std::size_t step = std::max<std::size_t>(1, rects.size() / most_samples);
  for (std::size_t i = 0; i < rects.size(); i += step) {
    if (rects[i].span() == 0) continue;
    ++samples;
    there += is_there(row_of(rects[i], rects[i].rows / 2));
  }
  return samples > 0 && 2 * there < samples;
}

}  // namespace

PagePrefault::PagePrefault(std::vector<HostRect> rects, int threads) : parts_(in_parts(rects)) {
  threads_.reserve(static_cast<std::size_t>(threads));
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { populate(); });
  } catch (const std::exception&) {
    // No thread or no memory: goes on with the threads that were started, which must be joined.
  }
}

PagePrefault::~PagePrefault() {
  next_.store(parts_.size());
  for (std::thread& thread : threads_) thread.join();
}

void PagePrefault::populate() {
  while (true) {
    const std::size_t mine = next_.fetch_add(1);
    if (mine >= parts_.size()) return;
    const HostRect& part = parts_[mine];
    const bool is_one = part.pitch < part.row_bytes + page_bytes;
    for (std::size_t row = 0; row < (is_one ? 1 : part.rows); ++row) {
      const Pages pages = pages_of(row_of(part, row), is_one ? part.span() : part.row_bytes);
      if (::madvise(pages.begin, pages.bytes, populate_write) != 0) return;
    }
  }
}

std::unique_ptr<PagePrefault> prefault_of(std::vector<HostRect> rects) {
  constexpr std::size_t least_bytes = std::size_t{8} << 20;
  constexpr int most_threads = 4;
  std::size_t bytes = 0;
  for (const HostRect& rect : rects) bytes += rect.rows * rect.row_bytes;
  if (bytes < least_bytes || !are_new_pages(rects)) return nullptr;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::make_unique<PagePrefault>(std::move(rects), std::clamp(cores / 4, 1, most_threads));
}

}  // namespace duoblas
