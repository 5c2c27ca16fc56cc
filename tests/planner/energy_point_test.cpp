// Points that were tuned for energy: stored, read again, and planned by.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <duoblas/error.hpp>

#include "planner/point_timings.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_profile;
using Json = nlohmann::json;

// Both sides are fastest; the GPU alone takes less energy.
TunedPoint thirsty_point(Goal goal) {
  TunedPoint point = test::paper_point(Precision::s, 1024, 4, 2, 1.5);
  point.goal = goal;
  point.joules_of = "package + gpu";
  point.cpu_joules = 0.5;
  point.cpu_all_joules = 0.4;
  point.gpu.joules = 0.2;
  point.simple.joules = point.hybrid.joules = 0.25;
  return point;
}

Profile profile_with(const TunedPoint& point) {
  Profile profile = paper_profile();
  profile.points = {point};
  return profile;
}

TEST(EnergyPoint, IsReadAsItWasWritten) {
  const Profile profile = profile_with(thirsty_point(Goal::energy_delay));
  const Profile read = profile_from_json(to_json(profile));
  const TunedPoint& point = read.points.at(0);
  EXPECT_EQ(point.goal, Goal::energy_delay);
  EXPECT_EQ(point.joules_of, "package + gpu");
  EXPECT_EQ(point.cpu_joules, 0.5);
  EXPECT_EQ(point.cpu_all_joules, 0.4);
  EXPECT_EQ(point.gpu.joules, 0.2);
  EXPECT_EQ(point.hybrid.joules, 0.25);
}

TEST(EnergyPoint, IsNotThereInProfilesOfTheVersionBefore) {
  Json json = Json::parse(to_json(paper_profile()));
  json["version"] = 4;
  const Profile read = profile_from_json(json.dump());
  EXPECT_EQ(read.points.at(0).goal, Goal::throughput);
  EXPECT_EQ(read.points.at(0).hybrid.joules, 0);
}

TEST(EnergyPoint, IsRefusedByTheNameOfTheFieldThatIsWrong) {
  const auto complaint = [](const char* field, const Json& value) -> std::string {
    Json json = Json::parse(to_json(profile_with(thirsty_point(Goal::energy))));
    json["points"][0][field] = value;
    try {
      profile_from_json(json.dump());
      return "";
    } catch (const SettingError& e) {
      return e.what();
    }
  };
  EXPECT_NE(complaint("goal", "comfort").find("points[0].goal"), std::string::npos);
  EXPECT_NE(complaint("joules_of", "a\nb").find("points[0].joules_of"), std::string::npos);
  EXPECT_NE(complaint("cpu_joules", -1).find("points[0].cpu_joules"), std::string::npos);
  EXPECT_NE(complaint("cpu_all_joules", "many").find("cpu_all_joules"), std::string::npos);
}

TEST(LeastCostStrategy, FollowsWhatThePointWasTunedFor) {
  EXPECT_EQ(least_cost_strategy(thirsty_point(Goal::throughput)), Strategy::hybrid);
  EXPECT_EQ(least_cost_strategy(thirsty_point(Goal::energy)), Strategy::gpu);
  EXPECT_EQ(least_cost_strategy(thirsty_point(Goal::energy_delay)), Strategy::hybrid);
  TunedPoint frugal = thirsty_point(Goal::energy);
  frugal.cpu_all_joules = 0.1;
  EXPECT_EQ(least_cost_strategy(frugal), Strategy::cpu);
}

TEST(EnergyPlan, AtATunedShapeTakesTheLeastEnergy) {
  const GemmProblem problem = test::paper_problem(Precision::s, 1024, 1024, 1024);
  const auto plan_for = [&](Goal goal) {
    PlanMachine machine = test::paper_machine();
    machine.use(profile_with(thirsty_point(goal)));
    return make_plan(problem, machine, {});
  };
  EXPECT_EQ(plan_for(Goal::throughput).strategy, Strategy::hybrid);
  EXPECT_EQ(plan_for(Goal::energy).strategy, Strategy::gpu);
  EXPECT_NE(sentence(plan_for(Goal::energy).reason).find("energy"), std::string_view::npos);
}

}  // namespace
}  // namespace duoblas
