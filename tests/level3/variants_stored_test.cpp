// What level-3 calls took: which way they go is there for the next engine, as for the next process;
// how a job is shared is not.
#include <filesystem>
#include <string>

#include "engine/background_work.hpp"
#include "fronts.hpp"
#include "support/comes_true.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

/// The first file of what calls showed; empty: there is none.
std::filesystem::path kept_file(const std::string& cache) {
  const std::filesystem::path folder = cache + "/learned";
  if (!std::filesystem::exists(folder)) return {};
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".bin") return file.path();
  return {};
}

template <typename Condition>
void call_until(Engine& engine, const Level3Problem& problem, Condition&& condition) {
  EXPECT_TRUE(comes_true([&] {
    if (condition()) return true;
    run_level3(engine, problem, cpu_blas_limits, Level3Mode::job);
    return false;
  }));
}

TEST(StoredLevel3Times, AreWhereALaterEngineBegins) {
  const TemporaryDirectory cache;
  Level3Factors f{Routine::syrk};
  f.order = f.free = 300;
  Level3Matrices<float> matrices(f);
  const Level3Problem problem = to_row_major(matrices.call(f));
  {
    Engine engine(learning_settings(cache.path()));
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    engine.facts().adopt(flattering_profile(engine));
    // The first calls are left to the CPU, whose time is far below what the profile promises.
    call_until(engine, problem, [&] {
      return engine.learning().ways().seen_seconds(class_of(problem), Way::job).has_value();
    });
    // What was kept by then may know nothing of it, or what is being written just now.
    ASSERT_TRUE(comes_true([] { return !background_work_is_running(); }));
    if (const auto file = kept_file(cache.path()); !file.empty()) std::filesystem::remove(file);
    call_until(engine, problem, [&] { return !kept_file(cache.path()).empty(); });
  }
  Engine later(learning_settings(cache.path()));
  ASSERT_NE(later.gpu(), nullptr) << later.facts().gpu_problem();
  later.facts().adopt(flattering_profile(later));
  EXPECT_FALSE(later.learning().ways().seen_seconds(class_of(problem), Way::job));
  decide(later, problem);
  EXPECT_TRUE(later.learning().ways().seen_seconds(class_of(problem), Way::job));
}

TEST(Level3Shares, FollowBothSidesTimesUnlessASplitIsGiven) {
  const TemporaryDirectory cache;
  Level3Factors f{Routine::syrk};
  f.order = f.free = 300;
  Level3Matrices<float> matrices(f);
  const Level3Problem problem = to_row_major(matrices.call(f));
  for (const bool is_given : {false, true}) {
    Settings settings = learning_settings(cache.path());
    settings.strategy = Strategy::hybrid;
    if (is_given) settings.split = Share{8, 16};
    Engine engine(settings);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    for (int call = 0; call < 4; ++call) EXPECT_TRUE(run_level3(engine, problem).used_gpu);
    // A device that copies keeps its product's share.
    const bool copying = copies(engine.gpu()->best_sharing());
    EXPECT_EQ(engine.learning().ways().balanced_share(class_of(problem), 0).has_value(),
              !is_given && !copying);
  }
}

}  // namespace
}  // namespace duoblas::test
