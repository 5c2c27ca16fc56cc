// A BLAS, and the drop-in before it: the same calls through both, in turns.
#pragma once

#include <string>

#include "bench/blas_call.hpp"

namespace duoblas {

struct PairTiming {
  BlasPoint point;
  bool by_engine = false;  ///< otherwise the drop-in passes the call on
  double direct_seconds = 0, dropin_seconds = 0;
  double ratio = 1;  ///< drop-in over direct: the median of the pairs' ratios
  int pairs = 0;
};

class DropinPair {
 public:
  /// Loads both; the BLAS with this core type, empty: as it chooses. Waits until the engine behind
  /// the drop-in has opened its device. \throws Error.
  DropinPair(const std::string& dropin, const std::string& blas, const std::string& core_type);

  /// `again`: measures once more where the engine takes the calls over meanwhile.
  PairTiming measure(const BlasPoint& point, double seconds, bool again = true) const;

  /// What the BLAS says of itself.
  const std::string& description() const { return description_; }
  /// Whether the engine has a use for its device.
  std::string engine_state() const;

 private:
  void open_engine();
  struct Answer {
    int what = 0, reason = 0;  ///< as of duoblas_dropin_engine::run
  };
  Answer asked(const BlasCall& call) const;
  bool has_use() const;
  double least_flops(const BlasPoint& point) const;

  void* blas_;
  void* dropin_;
  const duoblas_dropin_engine* engine_ = nullptr;
  std::string description_;
};

}  // namespace duoblas
