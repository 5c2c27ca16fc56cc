// Factorisations in place whose steps are divided by what the device says that it took: whatever
// that is, each line of each update is done once.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/lu_steps.hpp"
#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

Settings without_split() {
  Settings settings = forced_lapack();
  settings.split.reset();
  settings.adapt = true;
  return settings;
}

/// The CPU in the place of a device, which says one of these times after the other. Its parts are
/// computed before or after what is done beside them: no part may depend on that. Or it fails in
/// each part whose old values the call can bring back, and leaves NaN there.
class SayingDevice final : public DeviceUpdates {
 public:
  SayingDevice(Engine& engine, std::vector<double> says, bool is_first)
      : engine_(engine), says_(std::move(says)), is_first_(is_first) {}
  void fail_in_each_part() { fails_ = true; }
  void be_others() { is_others_ = true; }

  bool has_device() const override { return !is_others_; }
  bool is_checked() const override { return false; }

  std::unique_ptr<FactorsOnDevice> hold(const DeviceFactorisation&) override { return nullptr; }
  bool goes_on_with(const DeviceFactorisation&) override { return false; }
  void done() override {}
  void failed() override {}

  void begin(const GemmProblem& part, const Plan& plan, const GemmProblem&,
             OldResult* old) override {
    EXPECT_FALSE(begun_);
    begun_ = [this, part, old, cpu = plan.cpu] { compute(part, cpu, old); };
    if (is_first(old)) begun_();
  }
  void finish() override {
    ASSERT_TRUE(begun_);
    if (!was_first_) begun_();
    begun_ = nullptr;
  }

  std::size_t updates() const { return updates_; }
  std::size_t failures() const { return failures_; }
  std::size_t parts_with_old_values() const { return with_old_values_; }

 private:
  // A failure is found out when the host has done its work.
  bool is_first(const OldResult* old) {
    if (old != nullptr) ++with_old_values_;
    return was_first_ = is_first_ && !(fails_ && old != nullptr);
  }
  void compute(const GemmProblem& part, const CpuConfig& cpu, OldResult* old) {
    if (fails_ && old != nullptr) {
      spoil(part);
      old->restore(part);
      ++failures_;
    }
    engine_.cpu().run(part, cpu);
  }
  static void spoil(const GemmProblem& part) {
    const HostRect c = rect_of_c(part);
    for (std::size_t row = 0; row < c.rows; ++row)
      std::memset(static_cast<char*>(c.data) + row * c.pitch, 0xff, c.row_bytes);
  }
  SideSeconds carry_out(const GemmProblem& part, const Plan& plan, const GemmProblem&,
                        const std::function<void()>& beside, OldResult* old) override {
    const bool is_now = is_first(old);
    if (is_now) compute(part, plan.cpu, old);
    beside();
    if (!is_now) compute(part, plan.cpu, old);
    SideSeconds took;
    took.device = says_[updates_++ % says_.size()];
    return took;
  }

  Engine& engine_;
  const std::vector<double> says_;
  const bool is_first_;
  bool fails_ = false, is_others_ = false, was_first_ = false;
  std::function<void()> begun_;
  std::size_t updates_ = 0, failures_ = 0, with_old_values_ = 0;
};

const std::vector<std::vector<double>>& sayings() {
  constexpr double none = std::numeric_limits<double>::quiet_NaN(),
                   endless = std::numeric_limits<double>::infinity();
  static const std::vector<std::vector<double>> all = {
      {0}, {1e-12}, {1e6}, {none, endless}, {1e-12, 1e6, 0, 1e6, 1e6, none, 1e-12}};
  return all;
}

/// The steps as if the plan had given the device so many parts of 64.
std::vector<CallStep> with_share(std::vector<CallStep> updates, int gpu_parts) {
  for (CallStep& step : updates) {
    Plan& plan = std::get<PlannedProduct>(step).plan;
    plan.share = {gpu_parts, 64};
    plan.strategy = gpu_parts == 64 ? Strategy::gpu : Strategy::hybrid;
  }
  return updates;
}

template <typename Body>
void for_all_sayings(Engine& engine, const std::vector<CallStep>& updates, Body&& body) {
  ASSERT_FALSE(updates.empty());
  bool is_first = false;
  for (const int gpu_parts : {1, 32, 64})
    for (const std::vector<double>& says : sayings()) {
      SCOPED_TRACE(std::to_string(gpu_parts) + "/64, " + std::to_string(says.front()));
      SayingDevice device(engine, says, is_first = !is_first);
      body(with_share(updates, gpu_parts), device);
      EXPECT_GE(device.updates(), updates.size() / 2);
    }
}

TEST(InPlace, LuIsRightWhateverTheDeviceSaysThatItTook) {
  Engine engine(without_split());
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const auto& [rows, columns] : {Shape{280, 280}, {200, 320}, {300, 160}}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      General<T> matrix(rows, columns, 3, 5);
      for_all_sayings(engine, lu_updates(engine, matrix.problem()),
                      [&](const std::vector<CallStep>& updates, DeviceUpdates& device) {
                        matrix.restore();
                        const LapackProblem p = matrix.problem();
                        EXPECT_EQ(factorise_lu(engine, p, updates, device), 0);
                        EXPECT_LT(matrix.error(), most_error);
                        EXPECT_TRUE(matrix.factors.guards_untouched());
                        EXPECT_EQ(matrix.pivots.back(), -77);
                      });
    }
  });
}

// As many threads make them for large matrices: halved three times, the right halves narrower.
TEST(InPlace, LuIsRightWithTheWidestPanels) {
  Engine engine(without_split());
  for_a_type_of_device(engine, [&](auto zero) {
    constexpr std::int64_t n = 1300, width = 384;
    General<decltype(zero)> matrix(n, n, 3, 5);
    const LapackProblem p = matrix.problem();
    std::vector<CallStep> updates = lu_updates(engine, p);
    ASSERT_GE(updates.size(), 2u);
    updates.resize(2);
    const Lu lu(engine, p, width, {});
    for (const std::int64_t step : {0, 1}) {
      const Panel panel = lu.panel_at(step * width), next = lu.panel_at(end_of(panel));
      auto& update = std::get<PlannedProduct>(updates[static_cast<std::size_t>(step)]);
      update.problem = lu.update(panel, end_of(next), n - end_of(next));
    }
    SayingDevice device(engine, {1e-3}, true);
    EXPECT_EQ(factorise_lu(engine, p, updates, device), 0);
    EXPECT_GE(device.updates(), 2u);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
  });
}

TEST(InPlace, LuIsRightWhereTheDeviceFailsInEachPartAndLeavesNaN) {
  Engine engine(without_split());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  if (copies(engine.gpu()->best_sharing())) return;  // C is not overwritten before the end
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const auto& [rows, columns] : {Shape{280, 280}, {200, 320}, {300, 160}}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      General<T> matrix(rows, columns, 3, 5);
      const LapackProblem p = matrix.problem();
      for_all_sayings(engine, lu_updates(engine, p),
                      [&](const std::vector<CallStep>& updates, SayingDevice& device) {
                        matrix.restore();
                        device.fail_in_each_part();
                        EXPECT_EQ(factorise_lu(engine, p, updates, device), 0);
                        EXPECT_GT(device.failures(), updates.size() / 2);
                        EXPECT_LT(matrix.error(), most_error);
                        EXPECT_TRUE(matrix.factors.guards_untouched());
                        EXPECT_EQ(matrix.pivots.back(), -77);
                      });
    }
  });
}

// A program may need the memory. Before the columns whose old values are kept the device saves what
// it overwrites; here it fails in none of these parts.
TEST(InPlace, LuIsRightWhereThereIsNoRoomForAllOldValues) {
  Settings settings = without_split();
  settings.adapt = false;  // parts that follow measured times could not be counted and compared
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  if (copies(engine.gpu()->best_sharing())) return;  // C is not overwritten before the end
  for_a_type_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t rows = 1000, columns = 500;
    General<T> matrix(rows, columns, 3, 5);
    const LapackProblem p = matrix.problem();
    const std::vector<CallStep> updates = lu_updates(engine, p);
    ASSERT_FALSE(updates.empty());
    const std::int64_t devices = product_at(updates, 0).problem.m;
    std::size_t with_old_values = 0;
    for (const std::int64_t kept : {std::int64_t{0}, devices / 3, 2 * devices / 3, devices}) {
      SCOPED_TRACE(kept);
      matrix.restore();
      SayingDevice device(engine, {0}, kept % 2 == 0);
      device.fail_in_each_part();
      EXPECT_EQ(factorise_lu(engine, p, updates, device,
                             static_cast<std::size_t>(kept * rows) * sizeof(T)),
                0);
      EXPECT_EQ(device.failures(), device.parts_with_old_values());
      EXPECT_EQ(device.failures() == 0, kept == 0);
      EXPECT_TRUE(kept == 0 || device.parts_with_old_values() > with_old_values);
      with_old_values = device.parts_with_old_values();
      EXPECT_LT(matrix.error(), most_error);
      EXPECT_TRUE(matrix.factors.guards_untouched());
      EXPECT_EQ(matrix.pivots.back(), -77);
    }
  });
}

// Nothing is checked, so that the device begins parts ahead.
TEST(InPlace, LuOfOddMatricesHasLegalPivotsAndLapacksInfo) {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  Engine engine(settings);
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t rows = 90, columns = 130;
    const auto factorised = [&](General<T>& matrix) {
      matrix.restore();
      const LapackOutcome did = run(engine, matrix.problem(), MatrixHome::in_place);
      EXPECT_TRUE(did.outcome.used_gpu);
      EXPECT_FALSE(did.outcome.recovered);
      EXPECT_TRUE(matrix.factors.guards_untouched());
      for (std::size_t i = 0; i + 1 < matrix.pivots.size(); ++i) {
        EXPECT_GT(matrix.pivots[i], static_cast<int>(i));
        EXPECT_LE(matrix.pivots[i], rows);
      }
      return did.info;
    };
    General<T> matrix(rows, columns, 3, 5);
    matrix.a.at(120, 40) = nan_value<T>();  // in columns of the device, behind the pivots' ones
    EXPECT_EQ(factorised(matrix), 0);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i)
        EXPECT_EQ(is_nan(matrix.factors.at(j, i)), j == 120 && is_nan(matrix.factors.at(120, i)));
    for (const int value : {0, 1}) {
      matrix.a.fill([&] { return static_cast<T>(static_cast<Real<T>>(value)); });
      EXPECT_EQ(factorised(matrix), value + 1);
      EXPECT_EQ(matrix.error(), 0);
    }
  });
}

// Compared with LAPACK's own factor: against a large diagonal an update that is missing is small.
// `fails`: the device, in each part.
template <typename T>
void expect_cholesky_right(Engine& engine, std::int64_t n, Uplo uplo, bool fails) {
  SCOPED_TRACE(std::to_string(n) + (uplo == Uplo::lower ? ", lower" : ", upper"));
  Definite<T> ours(n, uplo, 3, 5), lapacks = ours;
  engine.cpu().run(lapacks.problem(LapackRoutine::potrf),
                   engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
  const double tolerance =
      20 * std::sqrt(n) * static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  for_all_sayings(engine, cholesky_updates(engine, ours.problem(LapackRoutine::potrf)),
                  [&](const std::vector<CallStep>& updates, SayingDevice& device) {
                    ours.store();
                    if (fails) device.fail_in_each_part();
                    const LapackProblem p = ours.problem(LapackRoutine::potrf);
                    EXPECT_EQ(factorise_cholesky(engine, p, updates, device), 0);
                    EXPECT_GE(device.failures(), fails ? updates.size() / 2 : 0);
                    double worst = 0;
                    for (std::int64_t j = 0; j < n; ++j)
                      for (std::int64_t i = 0; i < n; ++i)
                        if (ours.is_stored(i, j)) {
                          const double off =
                              std::abs(ours.stored.at(j, i) - lapacks.stored.at(j, i));
                          if (!(off <= worst)) worst = off;
                        }
                    EXPECT_LT(worst, tolerance);
                    EXPECT_TRUE(ours.other_triangle_is_as_it_was());
                    EXPECT_TRUE(ours.stored.guards_untouched());
                  });
}

void expect_cholesky_right(Engine& engine, bool fails) {
  for_types_of_device(engine, [&](auto zero) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t n : {150, 260})
        expect_cholesky_right<decltype(zero)>(engine, n, uplo, fails);
  });
  // So large that the third rectangle is worth its launch.
  for_a_type_of_device(engine, [&](auto zero) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      expect_cholesky_right<decltype(zero)>(engine, 1100, uplo, fails);
  });
}

TEST(InPlace, CholeskyIsRightWhateverTheDeviceSaysThatItTook) {
  Engine engine(without_split());
  expect_cholesky_right(engine, false);
}

TEST(InPlace, CholeskyIsRightWhereTheDeviceFailsInEachPartAndLeavesNaN) {
  Engine engine(without_split());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  if (copies(engine.gpu()->best_sharing())) return;  // C is not overwritten before the end
  expect_cholesky_right(engine, true);
}

TEST(InPlace, KeepsOldValuesOnlyWhereTheCallHasTheDevice) {
  Engine engine(without_split());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  const bool keeps = !copies(engine.gpu()->best_sharing());
  for_a_type_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    General<T> matrix(280, 280, 3, 5);
    Definite<T> definite(260, Uplo::lower, 3, 5);
    const LapackProblem lu = matrix.problem(), cholesky = definite.problem(LapackRoutine::potrf);
    for (const bool is_others : {false, true}) {
      SayingDevice of_lu(engine, {0}, false), of_cholesky(engine, {0}, false);
      if (is_others) {
        of_lu.be_others();
        of_cholesky.be_others();
      }
      matrix.restore();
      EXPECT_EQ(factorise_lu(engine, lu, lu_updates(engine, lu), of_lu), 0);
      EXPECT_EQ(of_lu.parts_with_old_values() > 0, keeps && !is_others);
      EXPECT_LT(matrix.error(), most_error);
      definite.store();
      EXPECT_EQ(
          factorise_cholesky(engine, cholesky, cholesky_updates(engine, cholesky), of_cholesky), 0);
      EXPECT_EQ(of_cholesky.parts_with_old_values() > 0, keeps && !is_others);
    }
  });
}

}  // namespace
}  // namespace duoblas::test
