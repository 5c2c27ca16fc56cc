#include "cli/choice_difference.hpp"

#include <vector>

#include "cli/tuned_rates.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_fields.hpp"

namespace duoblas::cli {
namespace {

constexpr std::size_t kFieldsNamed = 4;

std::string instead(const std::string& what, const std::string& chosen, const std::string& other) {
  return what + " " + chosen + " instead of " + other;
}

std::vector<std::string> kernel_differences(const KernelParams& chosen, const KernelParams& other) {
  // Fields that a family does not use say nothing.
  const KernelParams x = canonical(chosen), y = canonical(other);
  std::vector<std::string> differences;
  std::size_t fields = 0;
  for (const KernelField& field : kernel_fields()) {
    if (field.get(x) == field.get(y) || ++fields > kFieldsNamed) continue;
    differences.push_back(instead(std::string(field.name), std::to_string(field.get(x)),
                                  std::to_string(field.get(y))));
  }
  if (fields > kFieldsNamed)
    differences.push_back(std::to_string(fields - kFieldsNamed) + " more fields of the kernel");
  return differences;
}

// 8/16 and 32/64 are the same.
bool same_share(const Share& x, const Share& y) {
  return x.gpu_parts * y.parts == y.gpu_parts * x.parts;
}

}  // namespace

std::string difference_text(const TunedChoice& chosen, const TunedChoice& other) {
  std::vector<std::string> differences = kernel_differences(chosen.kernel, other.kernel);
  if (chosen.sharing != other.sharing)
    differences.push_back(
        instead("sharing", std::string(name(chosen.sharing)), std::string(name(other.sharing))));
  if (!same_share(chosen.share, other.share))
    differences.push_back(
        instead("the GPU's share", share_text(chosen.share), share_text(other.share)));
  std::string text;
  for (const std::string& difference : differences) text += (text.empty() ? "" : ", ") + difference;
  return text;
}

}  // namespace duoblas::cli
