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

  /// After an exception of the device: the kernel becomes another one, where the driver refuses it
  /// or it is wrong. False: there is none.
  bool takes_another(KernelParams& kernel, Precision precision);

  QueuedProducts products;
  const PlanMachine machine;
  const MathMode math;
  const unsigned born_in;
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

/// Enqueues with this kernel, or another one: nobody else can compute it. `enqueue` takes the
/// kernel, the events before, and where to leave one. `State`: DeviceBlas's. \throws DeviceError.
template <typename State, typename Enqueue>
void enqueue_with(KernelParams kernel, State& state, Precision precision,
                  const DeviceEvents& events, Enqueue&& enqueue) {
  const std::vector<void*> after(events.after.begin(), events.after.end());
  void* done = nullptr;
  for (bool enqueued = false; !enqueued;) {
    try {
      enqueue(kernel, std::span<void* const>(after), events.done != nullptr ? &done : nullptr);
      enqueued = true;
    } catch (const DeviceError&) {
      if (!state.takes_another(kernel, precision)) throw;
    }
  }
  if (events.done != nullptr) *events.done = static_cast<_cl_event*>(done);
}

}  // namespace duoblas
