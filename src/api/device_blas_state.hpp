// What is behind a DeviceBlas, for the files that its methods are in.
#pragma once

#include <duoblas/opencl.hpp>

#include <span>
#include <vector>

#include "gpu/queued_products.hpp"
#include "planner/planner.hpp"

namespace duoblas {

struct DeviceBlas::State {
  State(_cl_command_queue* queue, const Settings& settings);

  /// Enqueues with this kernel, or where the driver refuses it, or it is wrong, with another one:
  /// nobody else can compute it. `enqueue` takes the kernel, the events before, and where to leave
  /// one. \throws DeviceError.
  template <typename Enqueue>
  void run(KernelParams kernel, Precision precision, const DeviceEvents& events, Enqueue&& enqueue);

  QueuedProducts products;
  const PlanMachine machine;
  const MathMode math;
  const unsigned born_in;

 private:
  bool takes_another(KernelParams& kernel, Precision precision);
};

struct NamedPlace {
  BufferPlace at;
  int position;
  const char* name;
  std::int64_t rows, columns;  // as stored, in rows of `ld` elements
};

/// \throws ArgumentError where the matrix is not within a buffer of the queue's context.
void check_place(const QueuedProducts& products, Precision precision, const NamedPlace& place);

/// \throws DeviceError: a queue of the parent's would be waited for without end.
void refuse_in_child();

template <typename Enqueue>
void DeviceBlas::State::run(KernelParams kernel, Precision precision, const DeviceEvents& events,
                            Enqueue&& enqueue) {
  const std::vector<void*> after(events.after.begin(), events.after.end());
  void* done = nullptr;
  for (bool enqueued = false; !enqueued;) {
    try {
      enqueue(kernel, std::span<void* const>(after), events.done != nullptr ? &done : nullptr);
      enqueued = true;
    } catch (const DeviceError&) {
      if (!takes_another(kernel, precision)) throw;
    }
  }
  if (events.done != nullptr) *events.done = static_cast<_cl_event*>(done);
}

}  // namespace duoblas
