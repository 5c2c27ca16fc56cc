// A tuning's journal as a recording on which strategies are compared.
#pragma once

#include <string>
#include <vector>

#include "tuner/search/recording.hpp"

namespace duoblas {

/// The products that a journal searched, in the order in which they were begun. \throws
/// SettingError if the file is missing or damaged.
std::vector<std::string> recorded_cases(const std::string& path);

/// The measurements of one tuning case ("sgemm nn 1024 x 1024 x 1024") in the journal's last
/// tuning: kernels, sharing modes and CPU configurations in the order in which they were first
/// measured. A batch of ten rounds or more is Recording::again. Shares in other parts than the
/// first are skipped. \throws SettingError if the file is missing or damaged, or does not have the
/// tuning case.
Recording recording_from_journal(const std::string& path, const std::string& tuning_case);

}  // namespace duoblas
