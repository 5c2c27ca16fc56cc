// A profile is read and written back as it was, or refused with a reason; plans can be made of it.
#include <cmath>

#include <duoblas/error.hpp>

#include "fuzz/fuzz_target.hpp"
#include "planner/planner.hpp"
#include "profile/profile.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

// Of more the cost model takes longer to make than a fuzzer has for one text.
constexpr std::size_t most_planned_points = 16;

void plan_with(const Profile& profile) {
  PlanMachine machine = test::paper_machine();
  machine.use(profile);
  for (const Precision precision : all_precisions) {
    const Plan plan = make_plan(test::paper_problem(precision, 300, 200, 100), machine, {});
    const std::int64_t whole = plan.axis == Axis::rows ? 300 : 200;
    fuzz::require(plan.gpu_extent >= 0 && plan.gpu_extent <= whole, "a plan is of its product");
    fuzz::require(!std::isnan(plan.expected_seconds), "an estimate is a number");
  }
}

}  // namespace
}  // namespace duoblas

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duoblas;
  Profile profile;
  try {
    profile = profile_from_json(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const SettingError& refusal) {
    fuzz::require(refusal.what()[0] != '\0', "a refusal says why");
    return 0;
  }
  const std::string written = to_json(profile);
  fuzz::require(to_json(profile_from_json(written)) == written,
                "what is read is written as it was");
  const std::string doubled = to_json(merged(profile, profile));
  fuzz::require(to_json(profile_from_json(doubled)) == doubled, "a profile merges with itself");
  if (profile.points.size() <= most_planned_points) plan_with(profile);
  return 0;
}
