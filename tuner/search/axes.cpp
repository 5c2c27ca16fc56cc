#include "tuner/search/axes.hpp"

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {
namespace {

// Below 0, so that fields keep their indices.
constexpr int share_axis = -1;
constexpr int sharing_axis = -2;
constexpr int cpu_axis = -3;

}  // namespace

CandidateAxes::CandidateAxes(const SearchSpace& space)
    : parts_(space.parts),
      sharings_(static_cast<int>(space.sharings.size())),
      cpus_(static_cast<int>(space.cpus.size())),
      neighbours_(space.kernels) {
  if (parts_ > 1) axes_.push_back(share_axis);
  if (sharings_ > 1) axes_.push_back(sharing_axis);
  if (cpus_ > 1) axes_.push_back(cpu_axis);
  for (const int field : fields_by_importance(space.kernels.front().family)) {
    bool varies = false;
    for (int kernel = 0; kernel < static_cast<int>(space.kernels.size()); ++kernel)
      varies |= neighbours_.along(kernel, field).size() > 1;
    if (varies) axes_.push_back(field);
  }
}

std::vector<Candidate> CandidateAxes::along(const Candidate& candidate, int axis) const {
  std::vector<Candidate> line;
  const auto count = [&](int Candidate::*member, int first, int last) {
    for (int value = first; value <= last; ++value) {
      line.push_back(candidate);
      line.back().*member = value;
    }
  };
  if (axis == share_axis) count(&Candidate::gpu_parts, 1, parts_);
  if (axis == sharing_axis) count(&Candidate::sharing, 0, sharings_ - 1);
  if (axis == cpu_axis) count(&Candidate::cpu, 0, cpus_ - 1);
  if (axis < 0) return line;
  for (const int kernel : neighbours_.along(candidate.kernel, axis)) {
    line.push_back(candidate);
    line.back().kernel = kernel;
  }
  return line;
}

}  // namespace duoblas
