// Finds the kernels of a list that differ in one field only.
#pragma once

#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

class KernelNeighbours {
 public:
  explicit KernelNeighbours(const std::vector<KernelParams>& kernels);

  /// This kernel and those that differ from it only in `field` (an index of kernel_fields()),
  /// ascending by the field's value.
  const std::vector<int>& along(int kernel, int field) const;

 private:
  std::vector<std::vector<std::vector<int>>> lines_;  ///< by kernel and field
};

}  // namespace duoblas
