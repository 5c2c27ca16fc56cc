// The results of a tuning, in sentences.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/gain.hpp"

namespace duoblas::cli {

/// Which strategy computed a tuned product in the least time.
enum class Fastest { cpu, gpu, both };

/// Compares the CPU on every core, the GPU alone and the co-tuned hybrid. Times that are not above
/// 0 were not measured. A hybrid whose share is 0 or 1 is one side alone. If times are equal, the
/// simpler strategy wins.
Fastest fastest_strategy(const TunedPoint& point);

/// The simple hybrid's time over the co-tuned one's: above 1 where co-tuning gained. 0: not known.
double co_tuning_gain(const TunedPoint& point);

/// Who won how often, what both sides gain over one, what co-tuning gained over the kernel tuned
/// alone, where and why it gained most, and where the CPU alone wins. One or two sentences each;
/// nothing about what was not measured. Pure.
std::vector<std::string> tuning_findings(const Profile& profile);

/// How the machine's speed changed during the tuning; empty: not known.
std::string steadiness_text(const Steadiness& steadiness);

/// What the new plans gained over what was known `before`: "this machine's last profile"; empty:
/// nothing was compared.
std::string gain_text(const TuningGain& gain, const std::string& before);

/// "tile_rows 6 instead of 4, the GPU's share 33/64 instead of 8/16": `chosen` against `other`,
/// fields of the kernel by their names (`duoblas kernel --list` explains them; of many the first
/// four and a count), then how memory is shared, then the share. Empty where they are the same.
std::string difference_text(const TunedChoice& chosen, const TunedChoice& other);

}  // namespace duoblas::cli
