// What a tuning found out, in sentences.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/gain.hpp"

namespace duoblas::cli {

/// Which strategy computed a tuned product in the least time.
enum class Fastest { cpu, gpu, both };

/// Among the CPU on every core, the GPU alone and the co-tuned hybrid; times that are not above 0
/// were not measured. A hybrid whose share is all or nothing is one side alone. On equal times the
/// simpler way.
Fastest fastest_way(const TunedPoint& point);

/// The simple hybrid's time over the co-tuned one's: above 1 where co-tuning gained. 0: not known.
double co_tuning_gain(const TunedPoint& point);

/// Who won how often, what both sides bring over one, what co-tuning gained over the kernel tuned
/// alone and where it gained most and why, where the CPU alone wins. One sentence or two each;
/// without what was not measured. Pure.
std::vector<std::string> tuning_findings(const Profile& profile);

/// How the machine's speed moved meanwhile; empty: not known.
std::string steadiness_text(const Steadiness& steadiness);

/// What the new plans gained over what was known `before`: "this machine's last profile"; empty:
/// nothing was compared.
std::string gain_text(const TuningGain& gain, const std::string& before);

}  // namespace duoblas::cli
