#include <duoblas/registration.hpp>

#include <cstdint>
#include <limits>

#include <duoblas/error.hpp>

#include "memory/registered_memory.hpp"
#include "os/cancellation_disabled.hpp"

namespace duoblas {

void register_memory(const void* memory, std::size_t bytes) {
  const CancellationDisabled whole_call;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (memory == nullptr) throw ArgumentError(1, "memory", "is a null pointer");
  if (bytes == 0) throw ArgumentError(2, "bytes", "is 0");
  if (bytes > std::numeric_limits<std::uintptr_t>::max() - begin)
    throw ArgumentError(2, "bytes", "reaches beyond the end of the address space");
  if (!enter_block(memory, bytes, BlockOwner::program))
    throw ArgumentError(
        1, "memory", "begins or ends in memory that is registered already, or is duoblas_malloc's");
}

void unregister_memory(const void* memory) {
  const CancellationDisabled whole_call;
  if (leave_block(memory, BlockOwner::program)) return;
  throw ArgumentError(1, "memory",
                      is_registered(memory, 1)
                          ? "is not what duoblas_register was given: it lies inside a "
                            "registered block, or is duoblas_malloc's"
                          : "is not registered");
}

}  // namespace duoblas
