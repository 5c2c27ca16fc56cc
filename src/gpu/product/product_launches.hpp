// How a product's kernels are enqueued: with events only if somebody waits for its end. An event
// costs the host 2 us of the 9 that a launch takes, and the device 1.6 us
// (docs/results/h100.md#what-a-launch-costs-and-small-products-without-events).
#pragma once

#include "gpu/product/product.hpp"

namespace duoblas {

/// Adds a command before the product's last kernel; an empty event adds nothing.
void keep(EarlierKernels& earlier, cl::Event event);

/// Enqueues a kernel before the product's last one.
void enqueue_earlier(cl::Queue& queue, const cl::Kernel& kernel, const cl::Range& range,
                     ProductScratch& scratch);

/// The product's last, which writes to C; flushes where `scratch` says so. The event is empty where
/// nobody asks.
cl::Event submit_last(cl::Queue& queue, const cl::Kernel& kernel, const cl::Range& range,
                      ProductScratch& scratch);

}  // namespace duoblas
