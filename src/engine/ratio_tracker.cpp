#include "engine/ratio_tracker.hpp"

#include <algorithm>
#include <cmath>

namespace duoblas {
namespace {

// Tuned on simulated drift (tests/engine/share_follower_test.cpp), where noise of 10 % on either
// side has to leave the share alone and a side at half its speed has to be answered in a dozen
// calls. One unit is a factor e in the ratio; 0.03 moves half of C by 0.75 %.
constexpr double reach = 2.5;
constexpr double least_spread = 0.01;
constexpr double spread_gain = 0.1;
constexpr int longest_mean = 10;  // calls; later ones are weighted alike, older ones fade
constexpr double least_dead_band = 0.03;
constexpr double largest_dead_band = 0.2;  // one part of 16 at most, whatever the noise
constexpr double damping = 0.7;
constexpr int weight_of_restart = 3;
constexpr int longest_patience = 24;
constexpr int patience_after_change = 6;
constexpr double first_probe = 0.1;
constexpr double largest_probe = 0.4;
constexpr int most_probes = 8;  // counted; from the third on they are of one size
// Beyond a factor of 400 the plan has other faults than its share.
constexpr double largest_correction = 6;

}  // namespace

double RatioTracker::dead_band() const {
  return std::clamp(spread_, least_dead_band, largest_dead_band);
}

void RatioTracker::add(const RatioSample& sample) {
  const double value = std::clamp(sample.log_ratio, -largest_correction, largest_correction);
  if (sample.at_least) {
    add_bound(value);
  } else {
    add_measured(value);
  }
  approach();
}

void RatioTracker::add_measured(double value) {
  bounds_in_a_row_ = 0;
  if (probes_ > 0) {
    // What was probed for is measured now; the guess that led here is worth nothing beside it.
    const bool in_vain = std::abs(value - before_probing_) <= std::max(dead_band(), first_probe);
    patience_ = in_vain ? std::min(2 * patience_, longest_patience) : patience_after_change;
    probes_ = 0;
    // Far below what a call was just seen to be above, it is this call that was disturbed.
    restart_at(std::max(value, last_bound_ - reach * spread_));
    return;
  }
  const double residual = value - estimate_;
  if (is_third_outlier(residual)) {
    std::sort(outliers_.begin(), outliers_.end());
    restart_at(estimate_ + outliers_[1]);
    patience_ = patience_after_change;
    return;
  }
  const double most = reach * spread_;
  weight_ = std::min(weight_ + 1, longest_mean);
  estimate_ += std::clamp(residual, -most, most) / weight_;
  const double counted = std::min(std::abs(residual), most);
  spread_ = std::max(least_spread, spread_ + spread_gain * (counted - spread_));
}

void RatioTracker::add_bound(double value) {
  bounds_in_a_row_ = std::min(bounds_in_a_row_ + 1, longest_patience + 1);
  last_bound_ = value;
  if (bounds_in_a_row_ > patience_) {
    const double step = std::min(first_probe * std::exp2(probes_), largest_probe);
    if (probes_ == 0) before_probing_ = estimate_;
    probes_ = std::min(probes_ + 1, most_probes);
    estimate_ = std::max(estimate_, value + step);
    return;
  }
  // With noise about a balanced cut, every other call is a bound, and what it hides is above it by
  // the usual residual. Without this the measured half alone would pull the estimate down.
  const double hidden = value + spread_;
  if (hidden > estimate_) estimate_ += (hidden - estimate_) / longest_mean;
}

void RatioTracker::restart_at(double value) {
  estimate_ = value;
  weight_ = weight_of_restart;
  outlier_count_ = 0;
}

bool RatioTracker::is_third_outlier(double residual) {
  if (std::abs(residual) <= reach * spread_) {
    outlier_count_ = 0;
    return false;
  }
  if (outlier_count_ > 0 && (outliers_[0] > 0) != (residual > 0)) outlier_count_ = 0;
  outliers_[static_cast<std::size_t>(outlier_count_++)] = residual;
  return outlier_count_ == static_cast<int>(outliers_.size());
}

// Once on its way the correction goes nearly all of it, else it would rest at the dead band's edge.
void RatioTracker::approach() {
  const double gap = std::clamp(estimate_, -largest_correction, largest_correction) - applied_;
  const double band = dead_band();
  moving_ = std::abs(gap) > (moving_ ? band / 3 : band);
  if (moving_) applied_ += damping * gap;
}

}  // namespace duoblas
