#include "tuner/search/neighbours.hpp"

#include <algorithm>
#include <map>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {

KernelNeighbours::KernelNeighbours(const std::vector<KernelParams>& kernels)
    : lines_(kernels.size()) {
  std::vector<std::vector<int>> values;
  for (const KernelParams& kernel : kernels) {
    values.emplace_back();
    for (const KernelField& field : kernel_fields()) values.back().push_back(field.get(kernel));
  }
  for (std::size_t field = 0; field < kernel_fields().size(); ++field) {
    // Kernels that agree in every other field are one line.
    std::map<std::vector<int>, std::vector<int>> lines;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::vector<int> others = values[i];
      others[field] = 0;
      lines[others].push_back(static_cast<int>(i));
    }
    for (auto& [others, line] : lines) {
      std::ranges::sort(line, {},
                        [&](int i) { return values[static_cast<std::size_t>(i)][field]; });
      for (const int kernel : line) lines_[static_cast<std::size_t>(kernel)].push_back(line);
    }
  }
}

const std::vector<int>& KernelNeighbours::along(int kernel, int field) const {
  return lines_[static_cast<std::size_t>(kernel)][static_cast<std::size_t>(field)];
}

}  // namespace duoblas
