// The program's own memory, made known so that devices reach it without copies on the host.
#ifndef DUOBLAS_REGISTRATION_HPP
#define DUOBLAS_REGISTRATION_HPP

#include <cstddef>

#include <duoblas/error.hpp>
#include <duoblas/export.hpp>

namespace duoblas {

/// [memory, memory + bytes) stays where it is until unregister_memory: a GPU with memory of its own
/// then fetches operands from it, and writes results to it, at the speed of the bus. Memory of
/// Buffer and duoblas_malloc is registered already. Starts no OpenCL: pages are locked at the first
/// product that uses them on such a GPU, where the driver does that; products are right in any
/// case. \throws ArgumentError where memory is null, bytes is 0 or too large, or a part of it is
/// registered already.
DUOBLAS_API void register_memory(const void* memory, std::size_t bytes);

/// Takes it back, after the products under way that use it. To be done before the memory is freed.
/// \throws ArgumentError where no registered memory begins there.
DUOBLAS_API void unregister_memory(const void* memory);

/// Registered as long as this lives.
class Registration {
 public:
  Registration() = default;
  /// \throws ArgumentError
  Registration(const void* memory, std::size_t bytes) : memory_(memory) {
    register_memory(memory, bytes);
  }
  Registration(Registration&& other) noexcept : memory_(other.memory_) { other.memory_ = nullptr; }
  Registration& operator=(Registration&& other) noexcept {
    const void* const mine = memory_;
    memory_ = other.memory_;
    other.memory_ = mine;
    return *this;
  }
  ~Registration() {
    if (memory_ == nullptr) return;
    try {
      unregister_memory(memory_);
    } catch (const ArgumentError&) {
      // The program took it back by itself.
    }
  }

 private:
  const void* memory_ = nullptr;
};

}  // namespace duoblas

#endif
