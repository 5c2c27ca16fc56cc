// A counter of the kernel's perf events, for the whole machine.
#pragma once

#include <cstdint>

namespace duoblas {

/// A descriptor from which the count is read, 8 bytes at a time. Below 0: errno says why.
int open_perf_counter(std::uint32_t type, std::uint64_t event, int cpu) noexcept;
/// False: errno says why.
bool read_perf_counter(int descriptor, std::uint64_t& count) noexcept;
void close_perf_counter(int descriptor) noexcept;

}  // namespace duoblas
