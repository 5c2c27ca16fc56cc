// Makes allocations of the library's own code fail, in a program into which it is linked.
#pragma once

namespace duoblas::test {

/// From the `number`th allocation after its construction on (all of them, or that one alone) memory
/// is short, on every thread, as long as this lives. What drivers and other libraries allocate for
/// themselves does not fail: they are not on trial.
class ShortMemory {
 public:
  ShortMemory(long number, bool from_then_on);
  ~ShortMemory();
  ShortMemory(const ShortMemory&) = delete;
  ShortMemory& operator=(const ShortMemory&) = delete;
  /// Whether an allocation has failed.
  bool felt() const;
  /// The allocations so far, up to the one that alone fails.
  long seen() const;
};

/// Blocks that operator new gave and nobody has freed.
long live_allocations();

}  // namespace duoblas::test
