// What the kernel says of the machine and of itself.
#pragma once

#include <cstddef>
#include <string>

namespace duoblas {

struct KernelFacts {
  std::string name;     ///< "Linux"
  std::string release;  ///< "6.1.0-18-amd64"
  std::string build;
  std::string architecture;  ///< "x86_64", "aarch64"
};
KernelFacts kernel_facts();

std::string c_library_version();

/// The machine's main memory.
std::size_t memory_bytes() noexcept;

}  // namespace duoblas
