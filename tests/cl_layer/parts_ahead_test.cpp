// The device has a part of an update and, ahead of it, the next one: whatever fails, both are
// right to the last bit, and what others hold is as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cl_layer/lapack_under_layer.hpp"
#include "support/comes_true.hpp"

namespace duoblas::test {
namespace {

/// C -= A B in three parts, as in a step of LU: lines of the CPU's, then those that the device has
/// second, then those that it has first. Small integers: whoever computes them, in whatever order,
/// the bits are the same.
class Update {
 public:
  explicit Update(std::int64_t columns)
      : n_(columns),
        ld_(columns + 3),
        a_(size_of(lines * depth)),
        b_(size_of(depth * n_)),
        c_(size_of(lines * ld_)) {
    int next = 0;
    for (auto* const matrix : {&a_, &b_, &c_})
      for (double& element : *matrix) element = ++next % 7 - 3;
    before_ = c_;
  }
  /// B has other numbers in the same memory then: what a call packed is of no use to the next one.
  void restore() {
    c_ = before_;
    for (double& element : b_) element = -element;
  }

  /// `beside` is done while the device has the first part, once the second one was begun; `before`
  /// that.
  template <typename Beside>
  Outcome carry_out(
      Engine& engine, Beside&& beside, const std::function<void()>& before = [] {}) {
    Plan plan = engine.plans().beside_work(part(0, lines));
    plan.strategy = Strategy::hybrid;
    plan.axis = Axis::rows;
    plan.gpu_extent = devices;
    const GemmProblem own = part(0, second), ahead = part(second, devices),
                      first_part = part(first, devices);
    const std::vector<PlannedProduct> kernels{{first_part, plan}};
    return engine.carry_out(kernels, [&](DeviceUpdates& device) {
      device.update(first_part, plan, part(0, first), [&] {
        before();
        device.begin(ahead, plan, own);
        engine.cpu().run(own, plan.cpu);
        beside();
      });
      for (std::int64_t i = first; i < lines; ++i)
        for (std::int64_t j = 0; j < n_; ++j) c_[at(i, j)] += 1;
      device.finish();
    });
  }
  Outcome carry_out(Engine& engine) {
    restore();
    return carry_out(engine, [] {});
  }
  /// Only the part that the device has first.
  Outcome carry_out_first(Engine& engine) {
    restore();
    Plan plan = engine.plans().beside_work(part(0, lines));
    plan.strategy = Strategy::hybrid;
    plan.axis = Axis::rows;
    plan.gpu_extent = devices;
    const std::vector<PlannedProduct> kernels{{part(first, devices), plan}};
    return engine.carry_out(kernels, [&](DeviceUpdates& device) {
      device.update(part(first, devices), plan, part(0, first), [] {});
    });
  }

  void expect_right() const {
    int wrong = 0;
    for (std::int64_t i = 0; i < lines; ++i)
      for (std::int64_t j = 0; j < ld_; ++j) {
        double expected = before_[at(i, j)];
        for (std::int64_t k = 0; j < n_ && k < depth; ++k)
          expected -= a_[size_of(i * depth + k)] * b_[size_of(k * n_ + j)];
        if (j < n_ && i >= first) expected += 1;
        wrong += c_[at(i, j)] != expected;
      }
    EXPECT_EQ(wrong, 0);
  }

 private:
  static constexpr std::int64_t second = 8, devices = 24, first = second + devices,
                                lines = first + devices, depth = 8;
  static std::size_t size_of(std::int64_t count) { return static_cast<std::size_t>(count); }
  std::size_t at(std::int64_t i, std::int64_t j) const { return size_of(i * ld_ + j); }
  GemmProblem part(std::int64_t line, std::int64_t count) {
    GemmProblem p;
    p.precision = Precision::d;
    p.m = count;
    p.n = n_;
    p.k = depth;
    p.alpha = -1;
    p.beta = 1;
    p.a = a_.data() + line * depth;
    p.lda = depth;
    p.b = b_.data();
    p.ldb = n_;
    p.c = c_.data() + line * ld_;
    p.ldc = ld_;
    return p;
  }

  const std::int64_t n_, ld_;
  std::vector<double> a_, b_, c_, before_;
};

/// With so many columns: old values are kept at once, or block by block.
struct PartsAhead : LapackUnderLayer<testing::TestWithParam<std::int64_t>> {
  void SetUp() override {
    LapackUnderLayer::SetUp();
    open();
  }
  void TearDown() override {
    layer.spoil(nullptr);
    layer.true_driver();
    LapackUnderLayer::TearDown();
  }
  void open(CheckMode checks = CheckMode::off) {
    Settings wanted = settings();
    wanted.check = checks;
    if (checks != CheckMode::off) wanted.cache_dir.clear();  // which remembers wrong kernels
    engine = std::make_unique<Engine>(wanted);
    ASSERT_NE(engine->gpu(), nullptr) << engine->facts().gpu_problem();
    EXPECT_TRUE(update.carry_out(*engine).used_gpu);  // makes what later ones have
    update.expect_right();
    layer.reset();
  }

  /// True: the CPU had to step in.
  bool goes_on_after(const Outcome& did) {
    update.expect_right();
    const bool recovered = did.recovered;
    both_sides += recovered && did.used_gpu;
    return recovered;
  }

  /// The second part is submitted when the first one has ended, and does not wait for the caller.
  /// The first one is under way once it has launched: nobody else has the device then. Without that
  /// the second part may be submitted first, and then B is packed for each of them.
  void wait_for_first_part() {
    EXPECT_TRUE(comes_true([&] { return launches() > 0; }));
  }
  long launches() const { return layer.calls_of("clEnqueueNDRangeKernel"); }

  std::unique_ptr<Engine> engine;
  Update update{GetParam()};
  int both_sides = 0;  ///< calls in which the device did one part, and the CPU had to do another
};

INSTANTIATE_TEST_SUITE_P(Columns, PartsAhead, ::testing::Values(50, 9000),
                         [](const auto& columns) { return columns.param < 1000 ? "few" : "many"; });

TEST_P(PartsAhead, AreRightWhicheverCallFails) {
  int recovered = 0;
  bool fired = true;
  for (int number = 1; fired && number < 2000; number += 1 + number / 12) {
    SCOPED_TRACE(number);
    layer.fail(("*:" + std::to_string(number)).c_str());
    const bool failed = goes_on_after(update.carry_out(*engine));
    fired = layer.fired() != 0;
    layer.reset();
    recovered += failed;
    if (failed) open();
  }
  EXPECT_FALSE(fired) << "no end of calls";
  EXPECT_GT(recovered, 5);
}

TEST_P(PartsAhead, AreRightIfAllCallsFailFromOneOn) {
  for (int number = 1; number < 100; number += 1 + number / 3) {
    SCOPED_TRACE(number);
    layer.fail(("*:" + std::to_string(number) + "+").c_str());
    const bool failed = goes_on_after(update.carry_out(*engine));
    layer.reset();
    if (failed) open();
  }
}

TEST_P(PartsAhead, AreRightWhicheverKernelFailsOnTheDevice) {
  constexpr int out_of_resources = -5;
  const auto has_failed = [&](long number) {
    SCOPED_TRACE(number);
    layer.fail_command("kernel", number, out_of_resources);
    const bool failed = goes_on_after(update.carry_out(*engine));
    const bool had_it = layer.has_failed_command() != 0;
    layer.true_driver();
    EXPECT_EQ(failed, had_it);
    if (failed) open();
    return had_it;
  };
  long last = 0;
  while (has_failed(last + 1)) ++last;
  EXPECT_GT(last, 1);
  // The driver's threads decide whether the first part has ended when the second one fails, and
  // ours whether that one packs B itself, which is a kernel more (wait_for_first_part()).
  for (int tries = 0; both_sides == 0 && tries < 50; ++tries)
    if (!has_failed(last)) has_failed(last - 1);
  EXPECT_GT(both_sides, 0) << "of two parts only one failed";
}

// Both parts are multiplied by the same B. Small ones are kernels of their own.
TEST_P(PartsAhead, HaveBPackedOnceIfTheyAreInBlocks) {
  const auto packed_by = [&](const auto& call) {
    const std::uint64_t before = engine->gpu()->copied().packed;
    EXPECT_TRUE(call().used_gpu);
    return engine->gpu()->copied().packed - before;
  };
  const std::uint64_t of_one = packed_by([&] { return update.carry_out_first(*engine); });
  // A GPU's kernel may read B as it is.
  if (engine->gpu()->info().is_cpu) {
    ASSERT_GT(of_one, 0) << "a kernel that packs";
  }
  layer.reset();
  update.restore();
  const std::uint64_t of_both = packed_by([&] {
    return update.carry_out(
        *engine, [] {}, [&] { wait_for_first_part(); });
  });
  EXPECT_EQ(of_both, GetParam() < 1000 ? 2 * of_one : of_one);
  update.expect_right();
}

TEST_P(PartsAhead, AreSubmittedBesideTheCallersWork) {
  const auto wait_for_first = [&] { wait_for_first_part(); };
  update.restore();
  update.carry_out(
      *engine, [] {}, wait_for_first);
  const long of_both = launches();
  layer.reset();
  update.restore();
  const auto wait_for_launches = [&] {
    EXPECT_TRUE(comes_true([&] { return launches() == of_both; })) << launches();
  };
  EXPECT_TRUE(update.carry_out(*engine, wait_for_launches, wait_for_first).used_gpu);
  update.expect_right();
}

// The kernel may be wrong in all parts, of which only some may be checked.
TEST_P(PartsAhead, AreNotBegunWhileThePartBeforeIsChecked) {
  open(CheckMode::always);
  EXPECT_TRUE(update.carry_out(*engine).used_gpu);
  const long launches_of_both = launches();
  layer.reset();
  layer.spoil("add d 1 3 3 1 1 1");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(update.carry_out(*engine).recovered);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("its result is wrong"), std::string::npos);
  EXPECT_EQ(2 * launches(), launches_of_both);
  update.expect_right();
}

TEST_P(PartsAhead, AreRightBesideProductsOfAnotherThread) {
  std::vector<double> ones(64 * 64, 1), c(64 * 64);
  GemmProblem product;
  product.precision = Precision::d;
  product.m = product.n = product.k = product.lda = product.ldb = product.ldc = 64;
  product.a = product.b = ones.data();
  product.c = c.data();
  int wrong = 0;
  std::thread other([&] {
    for (int call = 0; call < 40; ++call) {
      engine->run(product);
      for (const double element : c) wrong += element != 64;
    }
  });
  for (int call = 0; call < 10; ++call) {
    update.carry_out(*engine);
    update.expect_right();
  }
  other.join();
  EXPECT_EQ(wrong, 0);
}

// What is under way then ends before the call does, since it uses the caller's memory.
TEST_P(PartsAhead, AreOverWhereTheCallersWorkThrows) {
  update.restore();
  const auto fail = [] { throw std::runtime_error("of the caller"); };
  EXPECT_THROW(update.carry_out(*engine, fail), std::runtime_error);
  EXPECT_TRUE(update.carry_out(*engine).used_gpu);
  update.expect_right();
}

struct PartsInOtherBlocks : LapackUnderLayer<testing::Test> {};

// The first part is so narrow that its blocks have all columns. The second one's have not.
TEST_F(PartsInOtherBlocks, HaveTheirOwnPartsOfBPacked) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  const int units = std::clamp(engine.gpu()->limits().compute_units, 1, 32);
  constexpr std::int64_t ahead = 160, lines = ahead + 60, depth = 160;
  const std::int64_t columns = 2100 * units;
  const std::vector<double> a(lines * depth, 1);
  std::vector<double> b(static_cast<std::size_t>(depth * columns)), c(b.size() / depth * lines, 5);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 7) - 3;
  const auto part = [&](std::int64_t line, std::int64_t count) {
    GemmProblem p;
    p.precision = Precision::d;
    p.m = count;
    p.n = p.ldb = p.ldc = columns;
    p.k = p.lda = depth;
    p.alpha = -1;
    p.beta = 1;
    p.a = a.data() + line * depth;
    p.b = b.data();
    p.c = c.data() + line * columns;
    return p;
  };
  Plan plan = engine.plans().beside_work(part(0, lines));
  plan.strategy = Strategy::hybrid;
  plan.axis = Axis::rows;
  plan.gpu_extent = ahead;
  const GemmProblem first = part(ahead, lines - ahead), second = part(0, ahead), none = part(0, 0);
  const Outcome did = engine.carry_out({{first, plan}}, [&](DeviceUpdates& device) {
    device.update(first, plan, none, [&] { device.begin(second, plan, none); });
    device.finish();
  });
  EXPECT_TRUE(did.used_gpu);
  EXPECT_FALSE(did.recovered);
  int wrong = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    double expected = 5;
    for (std::int64_t k = 0; k < depth; ++k)
      expected -= b[static_cast<std::size_t>(k * columns + j)];
    for (std::int64_t i = 0; i < lines; ++i)
      wrong += c[static_cast<std::size_t>(i * columns + j)] != expected;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace duoblas::test
