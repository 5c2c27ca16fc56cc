// Which kernels of a list differ in one field only.
#pragma once

#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

class KernelNeighbours {
 public:
  explicit KernelNeighbours(const std::vector<KernelParams>& kernels);

  /// The kernels that differ from this one in `field` (an index of kernel_fields()) alone, and
  /// itself, ascending by the field's value.
  const std::vector<int>& along(int kernel, int field) const;

 private:
  std::vector<std::vector<std::vector<int>>> lines_;  ///< by kernel and field
};

}  // namespace duoblas
