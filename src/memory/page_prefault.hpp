// Touches the pages of new memory before somebody waits for them. If a result is the first thing to
// be written there, its copy would wait for the kernel at every page.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "problem/host_rect.hpp"

namespace duoblas {

/// Asks the kernel for the pages of rows that will be written, in their order, on threads of its
/// own. The contents of the rows stay. On kernels without this call (before Linux 5.14) nothing
/// happens.
class PagePrefault {
 public:
  /// At most `threads`; fewer if no more can be started.
  PagePrefault(std::vector<HostRect> rects, int threads);
  /// Leaves out the pages that were not asked for yet.
  ~PagePrefault();
  PagePrefault(const PagePrefault&) = delete;
  PagePrefault& operator=(const PagePrefault&) = delete;

 private:
  void populate();

  const std::vector<HostRect> parts_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> threads_;
};

/// For rows that will be written in this order. Null if they are small, or if most of their pages
/// are there already.
std::unique_ptr<PagePrefault> prefault_of(std::vector<HostRect> rects);

}  // namespace duoblas
