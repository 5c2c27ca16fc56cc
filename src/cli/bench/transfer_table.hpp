// The time of a product on the GPU, divided into transfers and kernel.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/strategy_table.hpp"

namespace duoblas::cli {

/// The medians of copies and of zero copy, also in GB/s and GFLOPS.
StrategyTable transfer_table(const TransferTimes& times);

/// The record's transfers of these rows' problem; null: they were not measured.
const TransferTimes* transfers_of(const BenchRecord& record, const ProblemRows& rows);

/// What the columns mean. Empty where nothing of it was measured.
std::vector<std::string> transfer_lines(const BenchRecord& record);

}  // namespace duoblas::cli
