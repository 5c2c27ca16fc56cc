// The summary at the end of a tuning: tables, and the results in sentences.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/gain.hpp"

namespace duoblas::cli {

/// What won, the strategies compared, and the findings. If there are many products (56 are 7 shapes
/// of 4 op pairs in 2 types), those for which the co-tuned hybrid differs most from the simple one,
/// and means of all: a page of about 40 lines. Everything if `verbose`. Reads only the profile.
void print_tune_summary(const Profile& profile, bool verbose, std::ostream& out);

/// One paragraph in lines of a terminal's usual width, the later ones indented.
void print_wrapped(const std::string& text, std::ostream& out);

/// A row per point that was tuned for energy: joules of each strategy, and which is the best by the
/// goal. Nothing where there is none.
void print_energy_summary(const Profile& profile, std::ostream& out);

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
