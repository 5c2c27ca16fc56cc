// Whether a driver really shares host memory: found out by a trial, not by asking it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "opencl/handles.hpp"
#include "os/page_advice.hpp"

namespace duoblas {

/// The result for windows whose edges are multiples of this alignment, but of no larger one.
struct SharedAlignment {
  std::size_t bytes = 0;
  bool shared = false;
  double map_seconds = 0;  ///< median time of a map of such a window; 0 where it is not shared
};

/// What the driver did with heap memory that it was given (CL_MEM_USE_HOST_PTR), whatever it
/// claims: one side wrote, the other read, without a map in between. This proves nothing about
/// other memory (of a file, or of another process): see RowsInPlace.
struct SharingFacts {
  /// Whole pages; cache lines; the alignment of glibc's large blocks; the elements' own.
  std::array<SharedAlignment, 5> alignments{{{page_bytes()}, {64}, {16}, {8}, {4}}};

  /// The host may write beside the device in one cache line, so also between the rows of C.
  bool coherent = true;

  /// The edges of a shared window must be multiples of this, in bytes; 0: nothing is shared.
  std::size_t granularity() const {
    std::size_t least = 0;
    for (const SharedAlignment& alignment : alignments) {
      if (!alignment.shared) break;
      least = alignment.bytes;
    }
    constexpr std::size_t cache_line = 64;
    if (!coherent && least > 0) return std::max(least, cache_line);
    return least == alignments.back().bytes ? 1 : least;
  }
};

/// Probes the driver on this context. Never throws: a failure means "not shared".
SharingFacts probe_sharing(const cl::Context& context, cl::Queue& queue) noexcept;

}  // namespace duoblas
