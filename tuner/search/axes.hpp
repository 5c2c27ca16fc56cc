// The parameters of a candidate one by one: the kernel's fields, sharing, CPU side, share.
#pragma once

#include <vector>

#include "tuner/search/neighbours.hpp"
#include "tuner/search/space.hpp"

namespace duoblas {

class CandidateAxes {
 public:
  explicit CandidateAxes(const SearchSpace& space);

  /// The axes along which the space has more than one value somewhere, in the order of a search by
  /// parameters: the share, then sharing and CPU side, then the kernel's fields by importance.
  const std::vector<int>& all() const { return axes_; }
  /// The candidates that differ from this one in the parameter `axis` alone, and itself, ascending.
  std::vector<Candidate> along(const Candidate& candidate, int axis) const;

 private:
  int parts_;
  int sharings_;
  int cpus_;
  KernelNeighbours neighbours_;
  std::vector<int> axes_;
};

}  // namespace duoblas
