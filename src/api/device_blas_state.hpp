// The private state of a DeviceBlas, for the files that contain its methods.
#pragma once

#include <duoblas/opencl.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/queued/queued_products.hpp"
#include "os/fork_state.hpp"
#include "planner/planner.hpp"

namespace duoblas {

struct DeviceBlas::State {
  State(_cl_command_queue* queue, const Settings& settings);

  /// Call it after an exception of the device. If the driver refuses the kernel, or the kernel is
  /// wrong, replaces it by another. False: there is none.
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

/// \throws ArgumentError if the matrix is not within a buffer of the queue's context.
void check_place(const QueuedProducts& products, Precision precision, const NamedPlace& place);

/// \throws DeviceError in a forked child: it would wait for ever for a queue of the parent's.
void refuse_in_child();

/// Enqueues after the caller's events, and gives the caller an event if it asked for one. \throws
/// DeviceError.
template <typename Queued>
void run(QueuedProducts& products, const Queued& queued, const DeviceEvents& events) {
  const std::vector<void*> after(events.after.begin(), events.after.end());
  void* done = nullptr;
  const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
  products.enqueue(queued, after, events.done != nullptr ? &done : nullptr);
  if (events.done != nullptr) *events.done = static_cast<_cl_event*>(done);
}

/// Enqueues with this kernel, or with another one where the device has refused it or refuses it
/// now, because no CPU can take over here.
/// `enqueue` gets the kernel, the earlier events, and where to store its own. `State`: that of
/// DeviceBlas. \throws DeviceError.
template <typename State, typename Enqueue>
void enqueue_with(const KernelParams& wanted, State& state, Precision precision,
                  const DeviceEvents& events, Enqueue&& enqueue) {
  KernelParams kernel = state.products.launchable(wanted, precision);
  const std::vector<void*> after(events.after.begin(), events.after.end());
  void* done = nullptr;
  for (bool enqueued = false; !enqueued;) {
    try {
      enqueue(kernel, std::span<void* const>(after), events.done != nullptr ? &done : nullptr);
      enqueued = true;
    } catch (const WrittenInPart&) {
      throw;
    } catch (const DeviceError&) {
      if (!state.takes_another(kernel, precision)) throw;
    }
  }
  if (events.done != nullptr) *events.done = static_cast<_cl_event*>(done);
}

}  // namespace duoblas
