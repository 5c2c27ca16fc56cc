// Whether a driver really shares host memory: tried, not asked.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "opencl/handles.hpp"

namespace duoblas {

/// What became of windows whose edges are multiples of an alignment, and of no larger one.
struct SharedAlignment {
  std::size_t bytes = 0;
  bool shared = false;
  double map_seconds = 0;  ///< median time of a map of such a window; 0 where it is not shared
};

/// What the driver was seen to do with memory of the heap that it was handed (CL_MEM_USE_HOST_PTR),
/// not what it says: written through one side, read through the other, without a map in between.
/// Of other memory (a file's, or another process's) it says nothing: see RowsInPlace.
struct SharingFacts {
  /// Whole pages; cache lines; where glibc puts large blocks; the elements' own.
  std::array<SharedAlignment, 5> alignments{{{4096}, {64}, {16}, {8}, {4}}};

  /// Others may write beside what the device writes, in one cache line: between the rows of C, too.
  bool coherent = true;

  /// What the edges of a shared window must be multiples of, in bytes; 0: nothing is shared.
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

/// Probes the driver on this context. Never throws: what fails is "not shared".
SharingFacts probe_sharing(const cl::Context& context, cl::Queue& queue) noexcept;

}  // namespace duoblas
