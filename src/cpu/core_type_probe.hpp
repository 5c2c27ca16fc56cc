// The child's half of probe_core_types() (cpu_side.hpp): measures one core type. It needs a process
// of its own, because link namespaces are few and a type that the processor lacks crashes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cpu/cpu_side.hpp"

namespace duoblas {

/// The first argument of a helper program; LIBRARY and TYPE follow, either may be empty.
inline constexpr const char* core_type_probe_argument = "--probe-core-type";

/// Measures and returns the line to print: "CORE_NAME SGEMM DGEMM", in Gflop/s of one thread.
/// CORE_NAME is "-" if the library reports none. An empty core type is the library's own choice.
/// \throws CpuBlasError.
std::string run_core_type_probe(const std::string& library, const std::string& core_type);

/// As cpu_side.hpp says, with a time-out of so many seconds for each child.
std::vector<CoreTypeFinding> probe_core_types(const std::string& library,
                                              const std::string& helper_program,
                                              std::chrono::seconds time_out);

}  // namespace duoblas
