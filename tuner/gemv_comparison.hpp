// The comparison of strategies for gemv: whole calls on the host's memory, interleaved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/comparison.hpp"

namespace duoblas {

/// cpu, gpu, prepared, hybrid, cpu_all, auto. `prepared`: the GPU alone, with A in its memory
/// before the call. `hybrid`: at the best of several shares, each tried a few times.
const std::vector<std::string>& gemv_strategy_names();

/// Measures and verifies y = op(A) x; op_b and k are ignored. Strategies for which the device has
/// no memory are skipped, as are those that need a device if there is none. \throws CpuBlasError,
/// SettingError for an unknown strategy.
std::vector<ComparisonRow> compare_gemv(Engine& engine, const ComparisonProblem& problem,
                                        const ComparisonOptions& options);

/// "sgemv t 4096 x 1024".
std::string gemv_case_text(const ComparisonProblem& problem);

/// The bytes that are moved once through memory.
double gemv_bytes(Precision precision, std::int64_t m, std::int64_t n);

}  // namespace duoblas
