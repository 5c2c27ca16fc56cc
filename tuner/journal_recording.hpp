// A journal of tuning as a recording: what strategies are compared on.
#pragma once

#include <string>
#include <vector>

#include "tuner/search/recording.hpp"

namespace duoblas {

/// The products that a journal searched, in the order in which they were begun. \throws
/// SettingError where the file is missing or damaged.
std::vector<std::string> recorded_cases(const std::string& path);

/// What the journal's last tuning measured of one tuning case ("sgemm nn 1024 x 1024 x 1024"):
/// kernels, sharing modes and CPU configurations in the order in which they were first measured. A
/// batch of ten rounds or more is Recording::again. Shares of other parts than the first are left
/// out.
/// \throws SettingError where the file is missing or damaged, or has not the tuning case.
Recording recording_from_journal(const std::string& path, const std::string& tuning_case);

}  // namespace duoblas
