// How a product's kernels are enqueued: with events where somebody will ask for its end. An event
// costs the host 2 us of the 9 that a launch takes, and the device 1.6 (NVIDIA H100, driver 580).
#pragma once

#include "gpu/product.hpp"

namespace duoblas {

/// Adds what was enqueued before the product's last kernel; an empty event is none.
void keep(EarlierKernels& earlier, cl::Event event);

/// A kernel before the product's last.
void enqueue_earlier(cl::Queue& queue, const cl::Kernel& kernel, const cl::Range& range,
                     ProductScratch& scratch);

/// The product's last; flushes. The event is empty where nobody asks.
cl::Event submit_last(cl::Queue& queue, const cl::Kernel& kernel, const cl::Range& range,
                      const ProductScratch& scratch);

}  // namespace duoblas
