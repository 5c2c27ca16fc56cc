// How busy the machine's processors are, and with whose work.
#pragma once

namespace duoblas {

/// Seconds since some point in time; differences of two readings are meant.
struct ProcessorUse {
  double at = 0;  ///< on a steady clock
  /// Of all processors on which this process may run: anybody's work, and what a hypervisor took.
  double busy = 0;
  /// Of this process. Not of its children: the system adds all that they ever did when they are
  /// waited for, whenever they did it.
  double own = 0;
  int processors = 1;
};

/// \returns of a system that does not report it: busy is own, so that others seem to do nothing.
/// The system counts in ticks of 10 ms: a difference may be off by a tick for each processor.
ProcessorUse processor_use();

/// Processor time that the calling thread has had.
double thread_seconds() noexcept;

/// What was done between two readings, or in two such spans.
ProcessorUse operator-(const ProcessorUse& end, const ProcessorUse& begin);
ProcessorUse operator+(const ProcessorUse& x, const ProcessorUse& y);

/// How many processors others had in the mean of such a span; not below 0.
double processors_of_others(const ProcessorUse& during);

}  // namespace duoblas
