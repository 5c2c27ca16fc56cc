// Whether a driver really shares host memory: tried, not asked.
#pragma once

#include <cstddef>

#include "opencl/handles.hpp"

namespace duoblas {

/// What the driver was seen to do with memory it was handed (CL_MEM_USE_HOST_PTR), not what it
/// says: written through one side, read through the other, without a map in between.
struct SharingFacts {
  bool host_pointer_any = false;   ///< shares at every element alignment
  bool host_pointer_page = false;  ///< shares page-aligned windows
  double map_seconds = 0;          ///< median time of a map of a wrapped buffer

  /// What the edges of a shared window must be multiples of, in bytes; 0: nothing is shared.
  std::size_t granularity() const { return host_pointer_any ? 1 : host_pointer_page ? 4096 : 0; }
};

/// Probes the driver on this context. Never throws: what fails is "not shared".
SharingFacts probe_sharing(const cl::Context& context, cl::Queue& queue) noexcept;

}  // namespace duoblas
