// Pages of new memory, brought before somebody waits for them: a result that is the first thing to
// be written there otherwise waits for the kernel at every page.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "problem/host_rect.hpp"

namespace duoblas {

/// Asks the kernel for the pages of rows that will be written, in their order, on threads of its
/// own. What the rows hold stays. Where the kernel cannot (before Linux 5.14) nothing happens.
class PagePrefault {
 public:
  /// `threads` at most; fewer where no more can be had.
  PagePrefault(std::vector<HostRect> rects, int threads);
  /// Those that nobody has asked for by now are left.
  ~PagePrefault();
  PagePrefault(const PagePrefault&) = delete;
  PagePrefault& operator=(const PagePrefault&) = delete;

 private:
  void populate();

  const std::vector<HostRect> parts_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> threads_;
};

/// Of rows that are to be written in this order, where they are much and most of their pages are
/// not there yet; else null.
std::unique_ptr<PagePrefault> prefault_of(std::vector<HostRect> rects);

}  // namespace duoblas
