// Which cases' points are from measurements beside other programs' work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "tuner/session.hpp"

namespace duoblas {

class TunedBeside {
 public:
  explicit TunedBeside(Session& session) : session_(session) {}

  /// Whether measurements since the last call, if there were any, are of a machine that others
  /// used.
  std::optional<bool> seen() {
    const auto processors = session_.take_beside();
    if (!processors) return std::nullopt;
    others_ = std::max(others_, *processors);
    return *processors > 0;
  }
  /// The same of a case's measurements, which its point is from.
  std::optional<bool> note(const std::string& tuning_case) {
    const auto beside = seen();
    if (beside && *beside) cases_.insert(tuning_case);
    if (beside && !*beside) cases_.erase(tuning_case);
    return beside;
  }

  bool contains(const std::string& tuning_case) const { return cases_.contains(tuning_case); }
  std::size_t count() const { return cases_.size(); }
  /// Processors that others had at the most.
  double others() const { return others_; }

 private:
  Session& session_;
  std::set<std::string> cases_;
  double others_ = 0;
};

}  // namespace duoblas
