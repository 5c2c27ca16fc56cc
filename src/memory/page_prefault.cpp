#include "memory/page_prefault.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "os/page_advice.hpp"

namespace duoblas {
namespace {

// A whole number of pages, of any size.
constexpr std::size_t part_bytes = std::size_t{2} << 20;
constexpr std::size_t most_samples = 16;

const char* row_of(const HostRect& rect, std::size_t row) {
  return static_cast<const char*>(rect.data) + row * rect.pitch;
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
    there += is_resident(row_of(rects[i], rects[i].rows / 2));
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
    const bool is_one = part.pitch < part.row_bytes + page_bytes();
    for (std::size_t row = 0; row < (is_one ? 1 : part.rows); ++row) {
      if (!populate_pages(row_of(part, row), is_one ? part.span() : part.row_bytes)) return;
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
