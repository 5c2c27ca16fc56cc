// Each allocation of a product fails in turn: C is right, or there is an error; nothing is leaked,
// nothing is written outside C, and the next product is right.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "engine/background_work.hpp"
#include "engine/engine.hpp"
#include "engine/failing_allocations.hpp"
#include "engine/logger.hpp"
#include "gpu/device/opened_device.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "memory/registered_memory.hpp"
#include "problem/host_rect.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"
#include "support/turns.hpp"

namespace duoblas::test {
namespace {

struct Shape {
  std::int64_t m, n, k;
};

// A and B are ones and C was 2, so that every result is k + 2 beta; around C's rows there are 7s.
struct Product {
  Product(const Shape& sizes, double factor)
      : shape(sizes),
        beta(factor),
        a(static_cast<std::size_t>(shape.m * shape.k), 1),
        b(static_cast<std::size_t>(shape.k * shape.n), 1),
        c(static_cast<std::size_t>((shape.m + 2) * ld()), 7) {
    fill();
  }
  std::int64_t ld() const { return shape.n + 16; }
  float* first() { return c.data() + ld(); }
  void fill() {
    for (std::int64_t row = 0; row < shape.m; ++row)
      std::fill_n(first() + row * ld(), shape.n, 2.0f);
  }

  GemmProblem problem() {
    GemmProblem p;
    p.m = shape.m;
    p.n = shape.n;
    p.k = shape.k;
    p.a = a.data();
    p.lda = shape.k;
    p.b = b.data();
    p.ldb = shape.n;
    p.beta = beta;
    p.c = first();
    p.ldc = ld();
    return p;
  }

  bool is_right() {
    const auto expected = static_cast<float>(static_cast<double>(shape.k) + 2 * beta);
    for (std::int64_t row = 0; row < shape.m; ++row)
      if (!are_all(expected, first() + row * ld(), shape.n)) return false;
    return true;
  }
  /// Everything but C: the row before it, what follows each of its rows, the row after it.
  bool rest_is_untouched() {
    for (std::int64_t row = 0; row < shape.m; ++row)
      if (!are_all(7, first() + row * ld() + shape.n, ld() - shape.n)) return false;
    return are_all(7, c.data(), ld()) && are_all(7, first() + shape.m * ld(), ld()) &&
           are_all(1, a.data(), shape.m * shape.k) && are_all(1, b.data(), shape.k * shape.n);
  }
  static bool are_all(float value, const float* first, std::int64_t count) {
    return std::all_of(first, first + count, [=](float each) { return each == value; });
  }

  Shape shape;
  double beta;
  std::vector<float> a, b, c;
};

struct ShortCase {
  const char* name;
  Shape shape;
  SharingMode sharing;
  bool alone = false;  ///< the GPU
  std::size_t device_memory = 0;
  bool registered = false, prepared = false;
};

Settings settings_of(const ShortCase& given) {
  Settings settings = Settings::from_environment();
  settings.profile_dir.clear();
  settings.cache_dir.clear();
  settings.strategy = Strategy::hybrid;
  settings.device_memory = given.device_memory;
  return settings;
}

Plan plan_of(const ShortCase& given, Engine& engine) {
  Plan plan;
  plan.strategy = given.alone ? Strategy::gpu : Strategy::hybrid;
  plan.gpu_extent = given.alone ? given.shape.m : given.shape.m / 2;
  plan.kernel = default_kernel(Precision::s, engine.machine().device);
  plan.kernel.pack_a = plan.kernel.pack_b = true;
  plan.sharing = given.sharing;
  plan.cpu = engine.machine().cpu_for(Precision::s);
  return plan;
}

constexpr ShortCase cases[] = {
    {"in_place", {60, 44, 31}, SharingMode::host_pointer},
    {"in_place_in_blocks", {2200, 4200, 3}, SharingMode::host_pointer, true},
    {"staged", {900, 5, 3000}, SharingMode::staged, true},
    {"small_and_staged", {60, 44, 31}, SharingMode::staged},
    {"streamed", {260, 120, 150}, SharingMode::staged, false, std::size_t{128} << 10},
    {"registered", {900, 8, 3000}, SharingMode::pinned, true, 0, true},
    {"prepared", {900, 8, 3000}, SharingMode::staged, true, 0, false, true},
};

class ShortMemoryIn : public testing::TestWithParam<std::tuple<std::size_t, bool>> {
 protected:
  /// In a usual run a case has one of two, and the other one where memory is short in the other
  /// manner.
  std::vector<double> betas() const {
    if (all_is_wanted()) return {0.0, -0.5};
    return {std::get<0>(GetParam()) % 2 == from_then_on ? 0.0 : -0.5};
  }

  const LayerControl& layer = LayerControl::get();
  const ShortCase given = cases[std::get<0>(GetParam())];
  const bool from_then_on = std::get<1>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Ways, ShortMemoryIn,
                         testing::Combine(testing::Range(std::size_t{0}, std::size(cases)),
                                          testing::Bool()),
                         [](const auto& info) {
                           return std::string(cases[std::get<0>(info.param)].name) +
                                  (std::get<1>(info.param) ? "_for_long" : "_once");
                         });

TEST_P(ShortMemoryIn, AProductLeavesARightAnswerOrAnError) {
  for (const double beta : betas()) {
    Engine engine(settings_of(given));
    ASSERT_NE(engine.gpu(), nullptr);
    const Plan plan = plan_of(given, engine);
    Product product(given.shape, beta);
    if (given.registered) {
      for (auto* matrix : {&product.a, &product.b, &product.c})
        ASSERT_TRUE(
            enter_block(matrix->data(), matrix->size() * sizeof(float), BlockOwner::program));
    }
    std::shared_ptr<const ResidentMatrix> resident;
    const auto prepare = [&] {
      if (!given.prepared) return;
      resident = engine.gpu()->make_resident(rect_of_b(product.problem()));
    };
    const auto run = [&] { return engine.run(product.problem(), plan, {nullptr, resident.get()}); };
    // Several, until every buffer that is kept is there: of the rings there are 14.
    for (int round = 0; round < 14; ++round) {
      for (const bool with_resident : {false, true}) {
        product.fill();
        if (with_resident) prepare();
        ASSERT_FALSE(run().recovered);
        ASSERT_TRUE(product.is_right());
      }
      resident.reset();
    }
    const long kept = layer.live_objects();
    int failures = 0;
    for (long number = 1;; ++number) {
      ASSERT_LT(number, 3000) << "no end of allocations";
      SCOPED_TRACE(number);
      bool felt = false, threw = false;
      product.fill();
      {
        const ShortMemory memory(number, from_then_on);
        try {
          prepare();
          failures += run().recovered;
        } catch (const std::exception&) {
          threw = true;
        }
        felt = memory.felt();
      }
      failures += threw;
      EXPECT_TRUE(threw || product.is_right());
      EXPECT_TRUE(product.rest_is_untouched());
      resident.reset();
      EXPECT_LE(layer.live_objects(), kept);
      product.fill();
      EXPECT_FALSE(run().recovered);
      EXPECT_TRUE(product.is_right());
      if (!felt || testing::Test::HasFailure()) break;
    }
    EXPECT_GT(failures, 3);
    if (given.registered) {
      for (auto* matrix : {&product.a, &product.b, &product.c})
        EXPECT_TRUE(leave_block(matrix->data(), BlockOwner::program));
    }
  }
}

// What failed once, fails again and again: no round leaves more behind than the one before.
TEST_P(ShortMemoryIn, AProductLeaksNothing) {
  for (const double beta : betas()) {
    Engine engine(settings_of(given));
    const Plan plan = plan_of(given, engine);
    Product product(given.shape, beta);
    const auto fail_at = [&](long number) {
      const ShortMemory memory(number, from_then_on);
      try {
        engine.run(product.problem(), plan);
      } catch (const std::exception&) {
      }
      return memory.felt();
    };
    const auto all_rounds = [&] {
      for (long number = 1; fail_at(number); ++number) continue;
    };
    ASSERT_FALSE(engine.run(product.problem(), plan).recovered);
    for (int round = 0; round < 2; ++round) all_rounds();
    const long before = live_allocations();
    for (int round = 0; round < 3; ++round) all_rounds();
    // A cache may still have grown by a block or two; a round fails dozens of times.
    EXPECT_LE(live_allocations(), before + 4);
  }
}

// The device's name decides which of the shipped profiles resemble this machine, and how much
// memory texts take: the tests do not depend on where they run.
class ShortMemoryAtFirst : public testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  void SetUp() override { layer.device_name(std::get<0>(GetParam())); }
  void TearDown() override { layer.device_name(nullptr); }
  const LayerControl& layer = LayerControl::get();
  const bool from_then_on = std::get<1>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(
    Machines, ShortMemoryAtFirst,
    testing::Combine(testing::Values("pthread-skylake-avx512-Intel(R) Xeon(R) Processor",
                                     "pthread-AMD EPYC"),
                     testing::Bool()),
    [](const auto& info) {
      const std::string name = std::get<0>(info.param);
      return std::string(name.find("EPYC") == std::string::npos ? "Xeon" : "Epyc") +
             (std::get<1>(info.param) ? "_for_long" : "_once");
    });

// The engine is made, reads its profile, opens the device, builds kernels and starts threads.
TEST_P(ShortMemoryAtFirst, AProductIsRightOrThereIsAnError) {
  const long before = layer.live_objects();
  const TemporaryDirectory directory;
  Settings settings = settings_of({});
  settings.split = Share{8, 16};
  settings.profile_dir = directory.path();
  {
    Engine engine(settings);
    store_profile(directory.path(), staged_profile(engine));
  }
  Product product({500, 300, 400}, -0.5);
  int failures = 0;
  // Reading and opening allocate thousands of times, alike.
  for (long number = 1;; number += 1 + number / 12) {
    ASSERT_LT(number, 10'000'000) << "no end of allocations";
    SCOPED_TRACE(number);
    product.fill();
    bool felt = false, threw = false;
    {
      std::unique_ptr<Engine> engine;
      {
        const ShortMemory memory(number, from_then_on);
        try {
          engine = std::make_unique<Engine>(settings);
          engine->run(product.problem());
        } catch (const std::exception&) {
          threw = true;
        }
        felt = memory.felt();
      }
      failures += threw;
      EXPECT_TRUE(threw || product.is_right());
      EXPECT_TRUE(product.rest_is_untouched());
      if (engine) {
        product.fill();
        engine->run(product.problem());
        EXPECT_TRUE(product.is_right());
      }
    }
    EXPECT_EQ(layer.live_objects(), before);
    if (!felt || testing::Test::HasFailure()) break;
  }
  EXPECT_GT(failures, 3);
}

// In the background, where nobody else would hear of it.
TEST(ShortMemoryForKernels, EndsNoProgramForWhichTheyAreBuiltAhead) {
  const ShortCase given{"", {64, 64, 16}, SharingMode::staged};
  Engine engine(settings_of(given));
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  Product product(given.shape, 0);
  const Plan plan = plan_of(given, engine);
  engine.readiness().build_here(Launches(product.problem(), plan));
  for (const bool all_later : {false, true})
    for (long number = 1;; ++number) {
      const ShortMemory memory(number, all_later);
      engine.readiness().build_here(Launches(product.problem(), plan));
      if (!memory.felt()) break;
    }
  EXPECT_TRUE(engine.readiness().has(Launches(product.problem(), plan)));
}

// The steps of a level-3 call were planned before a kernel of an earlier one was found wrong.
// (Before, the call ended with std::bad_alloc, though the CPU could do it.)
TEST(ShortMemoryForKernels, LeavesAProductWhoseKernelIsRefusedToTheCpu) {
  const ShortCase given{"", {64, 64, 16}, SharingMode::staged};
  Engine engine(settings_of(given));
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  Product product(given.shape, 0);
  const Plan plan = plan_of(given, engine);
  const std::string why = "a test refuses this kernel, and says so in more than a few words";
  ASSERT_TRUE(engine.gpu()->device()->kernels.refuse(plan.kernel, Precision::s, why));
  ASSERT_TRUE(engine.gpu()->launchable(plan.kernel, Precision::s));
  const ShortMemory memory(1, true);
  EXPECT_NO_THROW(EXPECT_FALSE(engine.gpu()->launchable(plan.kernel, Precision::s)));
  EXPECT_TRUE(memory.felt());
}

// (Before, the process never learned what an earlier one had, and kept nothing for later ones.)
TEST(ShortMemoryForWhatWasLearned, LeavesItToTheNextCall) {
  const TemporaryDirectory directory;
  Settings settings = settings_of({});
  settings.cache_dir = directory.path();
  settings.adapt = true;
  for (const bool all_later : {false, true})
    for (long number = 1;; ++number) {
      SCOPED_TRACE(number);
      Engine engine(settings);
      ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
      const std::uint64_t before = engine.learning().learner().changes();
      bool felt = false;
      {
        const ShortMemory memory(number, all_later);
        EXPECT_NO_THROW(engine.learning().recall());
        felt = memory.felt();
      }
      engine.learning().recall();
      EXPECT_NE(engine.learning().learner().changes(), before);
      if (!felt || HasFailure()) break;
    }
}

// Nobody else would hear of it there. Many of them: a queue takes memory now and then.
TEST(ShortMemoryForWorkLater, EndsNoProgram) {
  constexpr int pieces = 100;
  std::atomic<int> done{0};
  for (int i = 0; i < pieces; ++i)
    ASSERT_TRUE(give_background_work_later(0.2, [&done] { ++done; }));
  const ShortMemory memory(1, true);
  for (int i = 0; i < 1000 && done < pieces; ++i) ::usleep(10000);
  EXPECT_EQ(done, pieces);
}

// A factorisation that goes on without the device is in the middle of its matrix.
TEST(ShortMemoryForWords, LeavesThemUnsaid) {
  Logger logger(1);
  const std::string failure(100, '.');
  const ShortMemory memory(1, true);
  EXPECT_NO_THROW(logger.once("the CPU did the GPU's part: ", failure));
  EXPECT_TRUE(memory.felt());
}

// What is said of a call must not make an error of it when its outputs are there.
TEST(ShortMemoryForWords, MakesNoErrorOfAGemvThatIsDone) {
  GemvProblem problem;
  problem.rows = problem.columns = 4;
  Logger logger(2);
  testing::internal::CaptureStderr();
  logger.call(problem, {});
  EXPECT_NE(testing::internal::GetCapturedStderr().find("gemv"), std::string::npos);
  const ShortMemory memory(1, true);
  EXPECT_NO_THROW(logger.call(problem, {}));
  EXPECT_TRUE(memory.felt());
}

}  // namespace
}  // namespace duoblas::test
