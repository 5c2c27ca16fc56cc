// How fast the CPU BLAS is with each core type. Each is measured in a child process, because link
// namespaces are few and a type that the processor lacks crashes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace duoblas {

/// The result of measuring one core type of the CPU BLAS.
struct CoreTypeFinding {
  std::string core_type;    ///< as set in OPENBLAS_CORETYPE; "" = the library's own choice
  std::string core_name;    ///< what openblas_get_corename() then returns
  double sgemm_gflops = 0;  ///< one thread, n = 512
  double dgemm_gflops = 0;
};

/// Measures the library's core types that this processor can run; the first entry is the library's
/// own choice. Takes about a second: a child needs 0.1 s, and one that takes `time_out` hangs. Do
/// not call it while other threads hold locks: it forks and execs `helper_program` (the duoblas
/// command). If there is no such program, the list is empty.
std::vector<CoreTypeFinding> probe_core_types(
    const std::string& library, const std::string& helper_program,
    std::chrono::seconds time_out = std::chrono::seconds(10));

/// The first argument of a helper program; LIBRARY and TYPE follow, either may be empty.
inline constexpr const char* core_type_probe_argument = "--probe-core-type";

/// The child's half: measures and returns the line to print, "CORE_NAME SGEMM DGEMM", in Gflop/s of
/// one thread. CORE_NAME is "-" if the library reports none. An empty core type is the library's
/// own choice. \throws CpuBlasError.
std::string run_core_type_probe(const std::string& library, const std::string& core_type);

}  // namespace duoblas
