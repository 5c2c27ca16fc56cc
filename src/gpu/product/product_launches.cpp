#include "gpu/product/product_launches.hpp"

#include <memory>
#include <utility>

namespace duoblas {

void keep(EarlierKernels& earlier, cl::Event event) {
  if (event) earlier.push_back(std::make_shared<cl::Event>(std::move(event)));
}

void enqueue_earlier(cl::Queue& queue, const cl::Kernel& kernel, const cl::Range& range,
                     ProductScratch& scratch) {
  if (scratch.asked_for)
    keep(scratch.earlier, queue.enqueue(kernel, range));
  else
    queue.enqueue_unasked(kernel, range);
}

cl::Event submit_last(cl::Queue& queue, const cl::Kernel& kernel, const cl::Range& range,
                      ProductScratch& scratch) {
  cl::Event event;
  if (scratch.asked_for)
    event = queue.enqueue(kernel, range);
  else
    queue.enqueue_unasked(kernel, range);
  scratch.writes_c = true;
  if (scratch.flushes) queue.flush();
  return event;
}

}  // namespace duoblas
