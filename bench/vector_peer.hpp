// cuBLAS's gemv on operands in the device's memory, where it is at hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problem/gemv_problem.hpp"

namespace duoblas {

class VectorPeer {
 public:
  virtual ~VectorPeer() = default;
  /// Puts operands without gaps into the device's memory, which seconds_per_call() then uses.
  virtual void prepare(const GemvProblem& problem, const std::vector<char>& a,
                       const std::vector<char>& x) = 0;
  /// Device seconds of one of so many calls, back to back.
  virtual double seconds_per_call(int calls) = 0;
};

/// Null where it cannot be had: `why_not` says why.
std::unique_ptr<VectorPeer> make_vector_peer(std::string& why_not);

}  // namespace duoblas
