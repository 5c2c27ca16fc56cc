// Registers a program's own memory, so that devices can reach it without copies on the host.
#ifndef DUOBLAS_REGISTRATION_HPP
#define DUOBLAS_REGISTRATION_HPP

#include <cstddef>

#include <duoblas/error.hpp>
#include <duoblas/export.hpp>

namespace duoblas {

/// [memory, memory + bytes) must stay in place until unregister_memory. A GPU with memory of its
/// own then fetches operands from it, and writes results to it, at the speed of the bus. Memory of
/// Buffer and duoblas_malloc is registered already. Starts no OpenCL: pages are locked at the first
/// product that uses them on such a GPU, if the driver does that. Products are right in any case.
/// \throws ArgumentError if memory is null, bytes is 0 or too large, or a part of the memory is
/// registered already.
DUOBLAS_API void register_memory(const void* memory, std::size_t bytes);

/// Ends the registration, after the running products that use the memory. Call it before the memory
/// is freed. \throws ArgumentError if no registered memory begins there.
DUOBLAS_API void unregister_memory(const void* memory);

/// Keeps memory registered as long as this object lives.
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
