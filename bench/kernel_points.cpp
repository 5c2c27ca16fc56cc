#include "bench/kernel_points.hpp"

#include <fstream>

#include <duoblas/error.hpp>

#include "bench/kernel_assignments.hpp"

namespace duoblas {

std::vector<KernelParams> points_of_file(const std::string& path, const KernelParams& base) {
  std::ifstream file(path);
  if (!file) throw SettingError("cannot read " + path);
  std::vector<KernelParams> points;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line.front() != '#') points.push_back(with_assignments(base, line));
  return points;
}

}  // namespace duoblas
