// The tuning cases, in their order, with the time for each.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel_pool.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

/// One shape with its element type and ops.
struct TuneCase {
  KernelCase kernel;
  Shape shape;
  /// The first of its element type: searched from nothing, CPU configurations too.
  bool anchor = false;
  double weight = 1;  ///< of the time, relative to the others
};

/// \throws SettingError for a request that asks for nothing, or for what cannot be measured.
void require_sense(const TuneRequest& request, bool measures_energy);

/// First the anchors, then the other shapes of the first op pair of every type, then the other op
/// pairs. Of all these the first eight shapes come before the rest. So a short budget covers the
/// most.
std::vector<TuneCase> tuning_cases_of(const TuneRequest& request);

/// "sgemm nn 1024 x 1024 x 1024".
std::string tuning_case_text(const TuneCase& tuning_case);

/// What is still to be tuned. A case that was tuned beside other programs' work comes again when
/// that has ended.
class CaseQueue {
 public:
  explicit CaseQueue(std::vector<TuneCase> cases = {});

  bool is_empty() const { return cases_.empty(); }
  /// Whether the next one is no anchor, or there is none.
  bool is_past_anchors() const { return cases_.empty() || !cases_.front().anchor; }
  /// Of the time that is left, the part of the next one.
  double next_part() const;
  TuneCase take();
  void leave_out(const std::function<bool(const TuneCase&)>& which) {
    std::erase_if(cases_, which);
  }

  /// It is to come again; not, if it has come again already.
  void was_beside(const TuneCase& tuning_case);
  const std::vector<TuneCase>& beside() const { return beside_; }
  /// Those are the next.
  void bring_back();

 private:
  std::vector<TuneCase> cases_;
  std::vector<TuneCase> beside_;
  std::set<std::string> came_again_;
};

}  // namespace duoblas
